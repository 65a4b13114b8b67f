"""Ways to put a command inside another one: wrappers, code in words and files, places where substitutions hide."""

from __future__ import annotations

import re
from base64 import b64encode
from random import Random

from execution.codes import CODE
from execution.places import HIDDEN, PLACES
from execution.technique import Wrapping, ansi, double, hexed, single

__all__ = ["CODES", "PREFIXES"]

_TOOLS = re.compile(r"\b(base64|xxd|rev|dash|flock|setsid|/usr/bin/time)\b")


def _fill(form: str, text: str) -> str:
    """`X` is the text as it is, `X;` with an end, `'X`, `"X` and `$X` are the text as one word."""
    if "⟨X;⟩" in form:
        form = form.replace("⟨X;⟩", text + ("\n" if "\n" in text or text.rstrip().endswith("&") else "; "))
    marks = {
        "⟨X⟩": text,
        "⟨'X⟩": single(text),
        '⟨"X⟩': double(text),
        "⟨$X⟩": ansi(text),
        "⟨`X⟩": text.replace("\\", "\\\\").replace("`", "\\`"),
        "⟨doc⟩": "".join("\\" + char if char in "\\$`" else char for char in text),
        "⟨tabs⟩": "\n".join("\t" + line for line in text.split("\n")),
        "⟨b64⟩": b64encode(text.encode()).decode(),
        "⟨plain⟩": text.encode().hex(),
        "⟨hex⟩": hexed(text),
        "⟨rev⟩": single("\n".join(line[::-1] for line in text.split("\n"))),
        "⟨up⟩": single(text.translate({97 + i: 97 + (i + 13) % 26 for i in range(26)})),
        "⟨head⟩": single(text[: len(text) // 2]),
        "⟨tail⟩": single(text[len(text) // 2 :]),
        "⟨''X⟩": single(single(text)),
    }
    return re.sub("⟨[^⟩]*⟩", lambda found: marks[found[0]], form)


def _row(name: str, form: str, *, simple: bool, folds: bool = True) -> Wrapping:
    def wrap(text: str, rng: Random) -> str:
        return _fill(form, text)

    return Wrapping(name, folds, tuple(found.rpartition("/")[2] for found in _TOOLS.findall(form)), wrap, simple)


_PREFIXES = (
    "sudo ⟨X⟩", "sudo -u root ⟨X⟩", "sudo -n -- ⟨X⟩", "sudo A=1 ⟨X⟩", "sudo -E env ⟨X⟩", "doas ⟨X⟩", "env ⟨X⟩",
    "env A=1 B=2 ⟨X⟩", "env -i ⟨X⟩", "env -u A ⟨X⟩", "env - A=1 ⟨X⟩", "env -- ⟨X⟩", "timeout 5 ⟨X⟩",
    "timeout -s KILL 5 ⟨X⟩", "timeout --signal=KILL 5s ⟨X⟩", "timeout -k 1 5 ⟨X⟩", "nohup ⟨X⟩", "nice ⟨X⟩",
    "nice -n 5 ⟨X⟩", "nice -5 ⟨X⟩", "nice -n5 ⟨X⟩", "setsid ⟨X⟩", "setsid -w ⟨X⟩", "stdbuf -oL ⟨X⟩", "ionice -c 3 ⟨X⟩",
    "command ⟨X⟩", "command -p ⟨X⟩", "command -- ⟨X⟩", "command command ⟨X⟩", "builtin command ⟨X⟩", "exec ⟨X⟩",
    "exec -a ls ⟨X⟩", "exec -c ⟨X⟩", "exec -- ⟨X⟩", "time ⟨X⟩", "time -p ⟨X⟩", "! ⟨X⟩", "busybox ⟨X⟩",
    "/usr/bin/time -f x ⟨X⟩", "flock f ⟨X⟩", "coproc ⟨X⟩", "A=1 ⟨X⟩", "A=1 B=2 sudo ⟨X⟩", "> f ⟨X⟩",
    "2>&1 ⟨X⟩", "<<< a ⟨X⟩", "eval ⟨X⟩", "sudo timeout 5 nice env ⟨X⟩", "echo | xargs ⟨X⟩", "echo a | xargs -r -n1 ⟨X⟩",
    "echo a | xargs -I{} ⟨X⟩", "echo a | xargs -0 ⟨X⟩", "xargs < /dev/null ⟨X⟩", "xargs -P2 ⟨X⟩ <<< a",
    "find . -maxdepth 0 -exec ⟨X⟩ \\;", "find . -maxdepth 0 -exec ⟨X⟩ {} +", "find . -maxdepth 0 -execdir ⟨X⟩ \\;",
    "find . -maxdepth 0 -type d -exec env ⟨X⟩ ';'", "find -maxdepth 0 -exec true \\; -exec ⟨X⟩ \\;",
    "jobs -x ⟨X⟩", "wait; ⟨X⟩",
)  # fmt: skip
# The command is what is left where words before it turn out to be none.
_LEFT_OVER = (
    "$(false && echo ls) ⟨X⟩", "$(exit; echo ls) ⟨X⟩", "$(:; echo ls >&2) ⟨X⟩", "$(set -e; false; echo ls) ⟨X⟩",
    "$(: ${none?}; echo ls) ⟨X⟩", "$(:; echo ls < none) ⟨X⟩", "$(which none) ⟨X⟩", "$(command -v none) ⟨X⟩",
    "$(sudo -n echo ls) ⟨X⟩", "$(bash -n -c 'echo ls') ⟨X⟩", "$(:; trap : EXIT) ⟨X⟩", "env -u $none ls ⟨X⟩",
    "env -u $(seq 0) ls ⟨X⟩", "exec -a $none ls ⟨X⟩", "xargs -I $none ls ⟨X⟩ <<< a", "flock $none f ⟨X⟩",
    "{ read -r a; read -r b; } <<< ls; $b ⟨X⟩", "echo ls > none/f; $(cat none/f) ⟨X⟩", "v=$(false && echo ls); $v ⟨X⟩",
    "v=$(:; echo ls 2> none/f); $v ⟨X⟩", "$(cat < none) ⟨X⟩", "$(ls none) ⟨X⟩", "$(find none) ⟨X⟩", "$! ⟨X⟩",
    "read -r v < <(false && echo ls); $v ⟨X⟩", "for v in $(false && echo ls); do :; done; $v ⟨X⟩",
    "f() { return; echo ls; }; $(f) ⟨X⟩", "$(echo ls | false) ⟨X⟩", "$(echo ls | head -n 0) ⟨X⟩",
)  # fmt: skip
PREFIXES: tuple[Wrapping, ...] = (
    *(_row("prefix: " + form, form, simple=True) for form in _PREFIXES),
    *(_row("left over: " + form, form, simple=True, folds=False) for form in _LEFT_OVER),
)
CODES: tuple[Wrapping, ...] = (
    *(_row("code: " + name, form, simple=False) for name, form in CODE),
    *(_row("place: " + re.sub(r"⟨[^⟩]*⟩\n?", "…", form), form, simple=False) for form in PLACES),
    *(_row("hidden: " + name, form, simple=False, folds=False) for name, form in HIDDEN),
)  # fmt: skip
