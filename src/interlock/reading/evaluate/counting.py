"""Commands that print numbers and nothing else, whatever they are fed; and tests that let only digits through.

Loaded only where a text of doubtful origin would be evaluated as a number (numbers.py).
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..shell.syntax import AndOr, DoubleQuoted, Lit, Param, Pipeline, Simple, Word
from .numbers import may_run
from .words import NUL

if TYPE_CHECKING:
    from ..shell.syntax import Command, Test

__all__ = ["count", "tested"]

# Programs that print a number, or a text without a bracket, whatever they are fed.
_COUNT = frozenset("wc nproc cksum sum md5sum sha1sum sha256sum date stat seq expr bc getconf arch id".split())
_PASS = frozenset("head tail sort uniq cat xargs tr cut".split())
_DIGITS = re.compile(r"\^?(?:(?:\[0-9\.?\]|\\d|\[\[:digit:\]\]|[0-9]|\\\.)(?:[+*?]|\\\+|\{[0-9,]+\})?)+\$?")
_ONLY_DIGITS = frozenset(("0-9", "[:digit:]", "0-9\\n", "[0-9]", "0-9.", "[:digit:]\\n", "[:digit:]."))
_MEASURES = re.compile(r"(?:^|[|. (])(?:length|count|total_count|number|databaseId|add|size)\)*\s*$")
_PRINTS_NUMBER = re.compile(r"print\((?:len|int|sum|float|round)\(|\.length\)*;?\s*$|\.size\s*$|Number\(|parseInt\(")
_SEARCH = ("grep", "egrep", "fgrep", "rg", "ag")


def count(commands: list[Command], *, piped: bool = False) -> bool:
    """True if all that the commands print is numbers: `wc -l`, `grep -c`, `jq length`, and what passes them on.

    `piped`: they are parts of a pipe. Otherwise they run one after the other.
    """
    if not piped:
        if len(commands) != 1:
            return False
        command = commands[0]
        if type(command) is AndOr:
            return all(count([part]) or _says_little(part) for part in command.commands)
        commands = command.commands if type(command) is Pipeline else [command]
    for part in reversed(commands):
        if type(part) is not Simple or not part.words:
            return False
        words = [_text(word) for word in part.words]
        if _counts(words):
            return True
        if words[0] not in _PASS or any(word[:1] not in "-+'\"" and not word.isdigit() for word in words[1:3]):
            return False
    return False


def _counts(words: list[str]) -> bool:
    name, rest = words[0].rpartition("/")[2], words[1:]
    flags = [word for word in rest if word[:1] == "-"]
    letters = "".join(flag[1:] for flag in flags if flag[:2] != "--")
    if any(map(may_run, rest)) and name not in _SEARCH:
        return False
    if name in _COUNT:
        return True
    if name in _SEARCH:
        return "c" in letters or "--count" in flags or ("o" in letters and any(map(_DIGITS.fullmatch, rest)))
    if name == "tr":
        return "c" in letters and "d" in letters and any(word in _ONLY_DIGITS for word in rest)
    if name in ("jq", "gojq"):
        raw = not set("rj").isdisjoint(letters) or any(flag.startswith(("--raw", "--join")) for flag in flags)
        return not raw or any(map(_MEASURES.search, rest))
    if name in ("gh", "glab", "yq", "aws", "az", "kubectl", "docker", "xmllint"):
        return any(word.startswith("count(") or _MEASURES.search(word) for word in rest)
    if name == "curl":
        return ("o" in letters or "--output" in flags) and ("w" in letters or "--write-out" in flags)
    if name == "printf":
        return bool(rest) and "%" in rest[0] and not set(rest[0].replace("\\n", "")) - set("%d0123456789.i")
    if name in ("awk", "gawk", "mawk"):
        return any(re.search(r"print\s+(?:NR|NF|length|int\()", word) for word in rest)
    if name == "sed":
        return "$=" in rest
    if name in ("python", "python3", "node", "ruby"):
        return any(map(_PRINTS_NUMBER.search, rest))
    return False


def _says_little(command: Command) -> bool:
    """`|| echo 0`, `|| true`, `cd x &&`."""
    words = [_text(word) for word in command.words] if type(command) is Simple else [""]
    return words[:1] in (["true"], [":"], ["cd"], ["test"], ["["]) or (
        words[:1] == ["echo"] and all(word.isdigit() for word in words[1:])
    )


def _text(word: Word) -> str:
    if word.plain is not None:
        return word.plain
    found = ""
    for part in word.parts:
        inner = part.parts if type(part) is DoubleQuoted else [part]
        found += "".join([one.text if type(one) is Lit else NUL for one in inner])
    return found


def tested(test: Test) -> str:
    """The variable that a test has found to be digits; empty: none."""
    left, right = test.operands
    if type(left) is not Word or type(right) is not Word:
        return ""
    parts = left.parts[0].parts if type(left.parts[0]) is DoubleQuoted else left.parts
    pattern = _text(right)
    if len(parts) != 1 or type(parts[0]) is not Param or parts[0].op or pattern[:1] != "^" or pattern[-1:] != "$":
        return ""
    return parts[0].name if _DIGITS.fullmatch(pattern.replace("-?", "")) else ""
