"""Short soups of tokens: what we read completely, bash must accept and shfmt must read alike."""

from __future__ import annotations

import random
import re

__all__ = ["SHFMT_IS_WRONG", "make"]

TOKENS = [
    "a", "b", "x=1", "x=", "x[1]=2", "2", "-f", "f()", "{", "}", "(", ")", "((", "))", "[[", "]]", "!", "time",
    "if", "then", "else", "elif", "fi", "in", "do", "done", "while", "a)", ";;", ";&", "esac", ";", ";", "&",
    "&&", "||", "|", "|&", ">", "2>", ">&", "&>", "<<<", "<", "{v}>", "$(", "`", "\"", "$x", "${x}", "${x:-",
    "#c", "*", "1+2", "==", "=~", "<(a)", "coproc", "\\;", "declare", "\n", "\n", "x+=(1 2)", "function g",
    "for i", "case c in", "'c d'", "\\\n", "<<E\nd\nE\n", "select s",
]  # fmt: skip

# Left out, because shfmt is known to be wrong there (README.md): coproc; `time` behind a pipe; escaped back-quotes; a
# delimiter behind an expansion in <<-; a comment that ends with a backslash; `#` inside a word; `[` behind the
# `=` of a word that begins with `]`.
SHFMT_IS_WRONG = re.compile(r"coproc|\|&?\s*time|\\`|<<-?E\n[^\n]*[`)}]E\n|#[^\n]*\\\n|[\w)}`]#|\]\]\S*=\S*\[")


def make(seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choice(TOKENS) + rng.choice(["", " ", " ", " "]) for _ in range(rng.randint(1, 9)))
