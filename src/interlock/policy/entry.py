"""An entry of `[commands.NAME]` to paste, for a program that no table knows, made from one call of it.

It is a start and no judgment: it keeps the tag `unknown`, with which the program is asked about as before, until a
person has said what it does. It always loads, and its example is the call that it was made from.
"""

from __future__ import annotations

import json
import shlex

from ..model.errors import PolicyError
from .compile import bad_trials
from .parse import parse_policy

__all__ = ["entry_to_paste"]

_HEAD = """\
effects = ["read", "write", "network", "execute"]  # keep what is true; spawn, destructive
tags = ["unknown"]  # as long as this is here, it is asked about
"""


def entry_to_paste(name: str, line: str) -> str:
    """TOML that a policy file can hold after `version = 1`; nothing for a name that no entry can have."""
    options, operands = _seen(name, line)
    text = f"[commands.{_quoted(name)}]\n{_HEAD}operands = {_quoted(operands)}\n"
    if options:
        text += (
            f"options = {_quoted(' '.join(options))}  # a value is `--out:write`; several names are `-o|--out:write`\n"
        )
    shown = " ".join(line.split())
    for example in (f"matches = [{_quoted(shown)}]\n", ""):
        whole = f"version = 1\n{text}{example}"
        try:
            source = parse_policy(whole.encode(), name="user", file="policy.toml")
        except PolicyError:  # characters that TOML does not take
            continue
        if not bad_trials(source):
            return f"{text}{example}"
    return ""


def _seen(name: str, line: str) -> tuple[list[str], str]:
    """The options that the call has, and a role for its other words."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    words = words[words.index(name) + 1 :] if name in words else words[1:]
    options = [word.partition("=") for word in words if _is_option(word)]
    spelt = [f"{option}:text" if equals else option for option, equals, _ in options]
    named = [word for word in words if not word.startswith("-")]
    return list(dict.fromkeys(spelt)), "edit*" if any("/" in word or "." in word for word in named) else "text*"


def _is_option(word: str) -> bool:
    name = word.partition("=")[0].lstrip("-")
    return word[:1] == "-" and name.replace("-", "").replace("_", "").isalnum() and name.isascii()


def _quoted(text: str) -> str:
    return json.dumps(text)  # what JSON escapes, TOML escapes alike
