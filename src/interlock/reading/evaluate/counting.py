"""Commands that print numbers and nothing else, whatever they are fed; and tests that let only digits through.

Loaded only where a text of doubtful origin would be evaluated as a number (numbers.py).
"""

from __future__ import annotations

import re
from itertools import pairwise

from ...value import TYPE_CHECKING
from ..shell.syntax import AndOr, DoubleQuoted, Lit, Param, Pipeline, Simple, Word
from .words import NUL, may_run

if TYPE_CHECKING:
    from collections.abc import Container

    from ..shell.syntax import Command, Test

__all__ = ["count", "tested"]

# Programs that print a number, or a text without a bracket, whatever they are fed.
_COUNT = frozenset("wc nproc cksum sum md5sum sha1sum sha256sum date stat seq getconf".split())
_PASS = frozenset("head tail sort uniq cut".split())
_DIGITS = re.compile(r"\^?(?:(?:\[0-9\.?\]|\\d|\[\[:digit:\]\]|[0-9]|\\\.)(?:[+*?]|\\\+|\{[0-9,]+\})?)+\$?")
_ONLY_DIGITS = frozenset(("0-9", "[:digit:]", "0-9\\n", "[0-9]", "0-9.", "[:digit:]\\n", "[:digit:]."))
_LENGTH = re.compile(r"(?:^|[|. (])length\)*\s*$")
_MEASURES = re.compile(r"(?:^|[|. (])(?:length|total_count|number|databaseId)\)*\s*$|^(?:length|count)\([^,]*\)$")
_AWK = re.compile(r"\s*(?:END\s*)?\{[^{}]*print\s+(?:NR|NF|length(?:\([^()]*\))?|int\([^()]*\))\s*;?\s*\}\s*")
_LEN = re.compile(r"print\((?:len|int|sum|float|round)\(")
_SEARCH = ("grep", "egrep", "fgrep", "rg", "ag")
_SEARCH_LETTERS = frozenset("ciovwxEFGPhsayn0123456789m")  # none that takes a pattern, or puts names in front
_MIXES = frozenset(",+/#")  # in a filter: more than one value, or a comment
_FILTERS = {"gh": ("--jq", "-q"), "glab": ("--jq",), "aws": ("--query",), "az": ("--query",), "xmllint": ("--xpath",)}
_FORMS = ("-c", "-f", "--format", "--printf")
_SYSTEM = ("/usr/bin/", "/bin/")
# Options of curl that add nothing to what it prints: alone, and with a value.
_CURL_LETTERS, _CURL_VALUES = frozenset("sSkLfgGI46#"), frozenset("owmXHudAeb")
_CURL_WORDS = frozenset("--silent --show-error --insecure --location --fail --get --head --compressed".split())
_CURL_GIVEN = frozenset(
    "--output --write-out --max-time --connect-timeout --request --header --user --data --retry --retry-delay".split()
)
# What `curl -w` tells that no server has written.
_TOLD = re.compile(
    r"(?:%\{(?:http_code|response_code|time_\w+|size_\w+|speed_\w+|num_\w+|exitcode)\}|\\[nt]|[\w ,.:=/-])*"
)


def count(commands: list[Command], functions: Container[str] = (), *, piped: bool = False) -> bool:
    """True if all that the commands print is numbers: `wc -l`, `grep -c`, `jq length`, and what passes them on.

    `functions`: names that are no programs in this line. `piped`: the commands are parts of a pipe; otherwise they run
    one after the other.
    """
    if not piped:
        if len(commands) != 1:
            return False
        command = commands[0]
        if type(command) is AndOr:
            return all(count([part], functions) or _says_little(part) for part in command.commands)
        commands = command.commands if type(command) is Pipeline else [command]
    for part in reversed(commands):
        if type(part) is not Simple or not part.words:
            return False
        words = [_text(word) for word in part.words]
        for folder in _SYSTEM:
            words[0] = words[0].removeprefix(folder)
        if words[0] in functions:
            return False
        if _counts(words[0], words[1:]):
            return True
        if not _passes_on(words):
            return False
    return False


def _passes_on(words: list[str]) -> bool:
    """`head -1`, `cut -d ' ' -f 1`, `tr -d ' '`: lines of what comes in, or parts of them."""
    if words == ["cat"] or words == ["xargs"]:
        return True
    plain = words[0] in _PASS or words[:2] == ["tr", "-d"]
    return plain and all(word[:1] == "-" or word.isdigit() or len(word) < 3 for word in words[1:])


def _counts(name: str, rest: list[str]) -> bool:
    flags = [word for word in rest if word[:1] == "-"]
    others = [word for word in rest if word[:1] != "-"]
    letters = "".join(flag[1:] for flag in flags if flag[:2] != "--")
    if any(map(may_run, rest)) and name not in _SEARCH:
        return False
    if name in _COUNT:
        if name == "date":
            return all(NUL not in word or before in ("-d", "--date") for before, word in pairwise(["", *rest]))
        if name == "stat":
            return _has_plain_form(rest)
        return name == "seq" or not any(NUL in word or set("*?[").intersection(word) for word in others)
    if name in _SEARCH:
        return _counts_hits(flags, letters, others)
    if name == "tr":
        return "c" in letters and "d" in letters and len(others) == 1 and others[0] in _ONLY_DIGITS
    if name in ("jq", "gojq"):
        raw = not set("rj").isdisjoint(letters) or any(flag.startswith(("--raw", "--join")) for flag in flags)
        return not raw or (bool(others) and _measures(_LENGTH, others[0]))
    if name in _FILTERS:
        return any(before in _FILTERS[name] and _measures(_MEASURES, word) for before, word in pairwise(rest))
    if name == "curl":
        return _tells_only(rest)
    if name == "printf":
        return bool(rest) and "%" in rest[0] and not set(rest[0].replace("\\n", "")) - set("%d0123456789.i")
    if name in ("awk", "gawk", "mawk"):
        return not flags and bool(others) and _AWK.fullmatch(others[0]) is not None and others[0].count("print") == 1
    if name == "sed":
        return flags == ["-n"] and others[:1] == ["$="]
    return name in ("python", "python3") and rest[:1] == ["-c"] and any(map(_prints_length, rest[1:2]))


def _measures(pattern: re.Pattern[str], filtering: str) -> bool:
    return pattern.search(filtering) is not None and _MIXES.isdisjoint(filtering)


def _counts_hits(flags: list[str], letters: str, others: list[str]) -> bool:
    """`grep -c x FILE`, `grep -o '[0-9]*'`: the pattern is the first word, and there is one file at most."""
    if not _SEARCH_LETTERS.issuperset(letters) or any(flag[:2] == "--" and flag != "--count" for flag in flags):
        return False
    words = [word for word in others if not word.isdigit()]
    if "c" in letters or "--count" in flags:
        return len(words) < 3
    return "o" in letters and bool(words) and _DIGITS.fullmatch(words[0]) is not None


def _has_plain_form(words: list[str]) -> bool:
    """`stat -c %s FILE`: what is printed is spelt out, and no name."""
    forms = [word for before, word in pairwise(words) if before in _FORMS]
    forms += [word for word in words if word.startswith(("-c%", "-f%", "--format=", "--printf="))]
    return bool(forms) and not any(NUL in form or "%n" in form.lower() for form in forms)


def _prints_length(code: str) -> bool:
    """`… print(len(x))`, once and as the last thing: what is printed is that call and no more."""
    found = _LEN.search(code)
    if found is None or code.count("print") != 1 or "write" in code or not code.rstrip().endswith("))"):
        return False
    depth = 0
    for at in range(found.end() - 1, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return code[at:].strip() == "))"
    return False


def _tells_only(words: list[str]) -> bool:
    """`curl -o FILE -w FORM URL`: what is printed is a status or a time, and nothing that the server says."""
    given: dict[str, str] = {}
    addresses = 0
    rest = iter(words)
    for word in rest:
        if word in _CURL_GIVEN:
            given[word[2]] = next(rest, "")  # by its letter: `--output` is `-o`
        elif word[:1] != "-":
            addresses += 1
        elif word[:2] != "--" and _CURL_LETTERS.issuperset(word[1:-1]) and word[-1] in _CURL_VALUES:
            given[word[-1]] = next(rest, "")
        elif word not in _CURL_WORDS and (word[:2] == "--" or not _CURL_LETTERS.issuperset(word[1:])):
            return False
    target, form = given.get("o", ""), given.get("w", "")
    plain = target not in ("", "-") and not target.startswith(("/dev/stdout", "/dev/fd", "/proc"))
    return plain and addresses == 1 and "%{" in form and _TOLD.fullmatch(form) is not None


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
