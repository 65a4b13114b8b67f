"""Check 1 on short token soups: what we read completely, bash must accept and shfmt must read alike.

python checks/soup.py [--cases 30000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter

import hidden
import oracle
import ours

TOKENS = [
    "a", "b", "x=1", "x=", "x+=(1 2)", "x[1]=2", "2", "-f", "f()", "function g", "{", "}", "(", ")", "((", "))", "[[", "]]",  # noqa: E501
    "!", "time", "if", "then", "else", "elif", "fi", "for i", "in", "do", "done", "while", "case c in", "a)", ";;", ";&",  # noqa: E501
    "esac", ";", ";", "&", "&&", "||", "|", "|&", "\n", "\n", ">", "2>", ">&", "&>", "<<<", "<", "{v}>", "$(", "`", '"', "'c d'",  # noqa: E501
    "$x", "${x}", "${x:-", "#c", "\\\n", "<<E\nd\nE\n", "*", "1+2", "==", "=~", "<(a)", "coproc", "select s", "\\;", "declare",  # noqa: E501
]  # fmt: skip


# coproc; time behind a pipe; a `#` inside a word; words with escaped back-quotes; a delimiter behind an expansion in <<-; a comment that ends with a backslash  # noqa: E501
SHFMT_IS_WRONG = re.compile(r"coproc|\|&?\s*time|\\`|<<-?E\n[^\n]*[`)}]E\n|#[^\n]*\\\n|[\w)}`]#")


def make(seed: int) -> str:
    rng = random.Random(seed)
    out = []
    for _ in range(rng.randint(1, 9)):
        out.append(rng.choice(TOKENS))
        out.append(rng.choice(["", " ", " ", " "]))
    return "".join(out)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    base = options.seed * 10**8
    texts = [make(base + k) for k in range(options.cases)] + [
        hidden.make(base + k) for k in range(options.cases)
    ]
    texts = [text for text in dict.fromkeys(texts) if not ours.parse(text).opaque]
    # Left out, because shfmt is known to be wrong there (README.md).
    texts = [text for text in texts if not SHFMT_IS_WRONG.search(text)]
    answers = oracle.ask_all(texts, f"soup-{options.seed}")
    counts: Counter = Counter()
    for text in sorted(texts, key=len):
        accepted, theirs = answers[text]
        if not accepted:
            verdict = "REFUSED"
        elif theirs is None:
            verdict = "shfmt refuses"
        else:
            verdict = ours.compare(text, theirs)
        short = verdict if verdict in ("REFUSED", "shfmt refuses", "equal", "opaque") else "DIFFERENT"
        counts[short] += 1
        if short in ("REFUSED", "DIFFERENT") and counts[short] <= 25:
            print(
                " ", short, json.dumps(text, ensure_ascii=False), "" if short == "REFUSED" else verdict[:300]
            )
    print(len(texts), "read completely", dict(counts))
    return 1 if counts["REFUSED"] or counts["DIFFERENT"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
