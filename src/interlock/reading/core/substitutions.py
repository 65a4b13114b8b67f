"""What `sed` and `perl -p` make of a text, where their script is a list of plain substitutions and deletions.

Worked out is only what is certain: patterns that match a fixed number of characters, so that no two tools can differ
in how much they take, and replacements that are plain text. Everything else stays unknown (None). Lines are changed
one by one and never joined, so that one command after the other over all lines gives what the tools give, who run all
commands on a line before they take the next.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[str], str | None]
    Line = tuple[int, str]  # its number in the input, and its text without the end
    Where = Callable[[Line, int], bool]  # a line, and how many there are

__all__ = ["perl_change", "perl_is_plain", "sed_change"]

_ANY = "."  # stands for one character, whichever
_MORE = frozenset("*[")  # what means more than itself in a basic expression, and is not worked out
_MUCH_MORE = frozenset("*[+?{}|()")  # and in an extended one
_ESCAPED = frozenset(".*[]^$/\\")  # with a backslash these stand for themselves
_MARKS = frozenset("/|#,!:%~@_+;=")  # what a substitution may be written with
_PLAIN_MARKS = frozenset("/#,!:%~@_;=")  # of these, those that mean nothing else in any expression


class _Pattern:
    """A fixed number of characters, each itself or any; at the start or the end of the line, if it says so."""

    __slots__ = ("at_end", "at_start", "chars")

    def __init__(self, chars: list[str], at_start: bool, at_end: bool) -> None:
        self.chars = chars
        self.at_start = at_start
        self.at_end = at_end

    def find(self, line: str, start: int) -> int:
        size = len(self.chars)
        for at in range(start, len(line) - size + 1):
            if self.at_start and at:
                return -1
            if self.at_end and at + size != len(line):
                continue
            if all(char in ("", line[at + i]) for i, char in enumerate(self.chars)):
                return at
        return -1

    def replace(self, line: str, by: str, everywhere: bool) -> str:
        out, start = "", 0
        while True:
            at = self.find(line, start)
            if at < 0:
                return out + line[start:]
            out += line[start:at] + by
            start = at + len(self.chars)
            if not everywhere:
                return out + line[start:]


class _Command:
    __slots__ = ("by", "everywhere", "pattern", "where")

    def __init__(self, where: Where | None, pattern: _Pattern | None, by: str = "", everywhere: bool = False) -> None:
        self.where = where
        self.pattern = pattern  # None: the line is deleted
        self.by = by
        self.everywhere = everywhere

    def over(self, lines: list[Line], count: int) -> list[Line]:
        made = []
        for line in lines:
            if self.where is not None and not self.where(line, count):
                made.append(line)
            elif self.pattern is not None:
                made.append((line[0], self.pattern.replace(line[1], self.by, self.everywhere)))
        return made


def sed_change(scripts: list[str], *, extended: bool) -> Change | None:
    """What these scripts make of a text."""
    commands: list[_Command] = []
    for script in scripts:
        found = _sed_commands(script, extended)
        if found is None:
            return None
        commands += found
    return _change(commands, "".join(scripts))


def perl_is_plain(code: str) -> bool:
    """True if the code is substitutions only, and none of them runs code or takes in a variable."""
    return _perl_parts(code) is not None


def perl_change(code: str) -> Change | None:
    """What `perl -p` makes of a text with this code."""
    commands = []
    for pattern, by, flags in _perl_parts(code) or ():
        made = _pattern(pattern, extended=True)
        text = _replacement(by, "$@")
        if made is None or text is None or flags not in ("", "g"):
            return None
        commands.append(_Command(None, made, text, flags == "g"))
    return _change(commands, code) if commands else None


def _change(commands: list[_Command], script: str) -> Change:
    def change(text: str) -> str | None:
        if "\r" in text or "\0" in text or not (text.isascii() or _is_certain(script, text)):
            return None
        ended = text.endswith("\n")
        lines = list(enumerate(text.removesuffix("\n").split("\n"), 1)) if text else []
        count = len(lines)
        for command in commands:
            lines = command.over(lines, count)
        return "".join([line + ("\n" if ended or number < count else "") for number, line in lines])

    return change


def _is_certain(script: str, text: str) -> bool:
    """Where a character is several bytes, what it is depends on the settings of whoever runs the script.

    How much `.` takes is then not sure. A letter that stands for itself is, unless it stands right behind such a
    character, whose last byte may take it along: in no writing does one take a blank, a quote or a bracket along.
    """
    if not script.isascii() or "\\\\" in script or _ANY in script.replace("\\" + _ANY, ""):
        return False
    return not any(char > "\x7f" and "0" <= text[at] <= "\x7f" and text[at] in script for at, char in _before(text))


def _before(text: str) -> enumerate[str]:
    """Each character but the last, with the place of the one behind it."""
    return enumerate(text[:-1], 1)


def _sed_commands(script: str, extended: bool) -> list[_Command] | None:
    found: list[_Command] = []
    at, size = 0, len(script)
    while at < size:
        if script[at] in " \t\n;":
            at += 1
            continue
        where, at = _address(script, at, extended)
        if at < 0 or at >= size:
            return None
        if script[at] == "d":
            found.append(_Command(where, None))
            at += 1
        elif script[at] == "s":
            parts = _delimited(script, at + 1)
            if parts is None:
                return None
            pattern, by, at = parts
            flags = at
            while at < size and script[at] == "g":
                at += 1
            made, text = _pattern(pattern, extended=extended), _replacement(by, "&")
            if made is None or text is None:
                return None
            found.append(_Command(where, made, text, at > flags))
        else:
            return None
        while at < size and script[at] in " \t":
            at += 1
        if at < size and script[at] not in ";\n":
            return None
    return found


def _address(script: str, at: int, extended: bool) -> tuple[Where | None, int]:
    """`12`, `3,7`, `$`, `/text/`, or none; where the command begins, -1 if it is another form."""
    if script[at] == "/":
        end = _end_of(script, at + 1, "/")
        pattern = _pattern(script[at + 1 : end], extended=extended) if end > 0 else None
        if pattern is None:
            return None, -1
        return (lambda line, _: pattern.find(line[1], 0) >= 0), end + 1
    if script[at] == "$":
        return (lambda line, count: line[0] == count), at + 1
    first, at = _number(script, at)
    if first is None:
        return None, at
    if script[at : at + 1] != ",":
        return (lambda line, _: line[0] == first), at
    last, at = _number(script, at + 1)
    if last is None or last < first:
        return None, -1
    return (lambda line, _: first <= line[0] <= last), at


def _number(script: str, at: int) -> tuple[int | None, int]:
    end = at
    while end < len(script) and script[end] in "0123456789":
        end += 1
    return (int(script[at:end]) if at < end < at + 9 and int(script[at:end]) > 0 else None), end


def _delimited(script: str, at: int) -> tuple[str, str, int] | None:
    """The two parts of a substitution that begins with its mark, and where its flags are."""
    mark = script[at : at + 1]
    if mark not in _MARKS or not mark:
        return None
    middle = _end_of(script, at + 1, mark)
    end = _end_of(script, middle + 1, mark) if middle > 0 else -1
    if end < 0:
        return None
    parts = script[at + 1 : middle], script[middle + 1 : end]
    escaped = "\\" + mark
    if mark != "/" and any(escaped in part for part in parts):
        if mark not in _PLAIN_MARKS or any("\\\\" in part for part in parts):
            return None
        parts = parts[0].replace(escaped, mark), parts[1].replace(escaped, mark)
    return *parts, end + 1


def _end_of(script: str, at: int, mark: str) -> int:
    while at < len(script) and script[at] != mark:
        if script[at] == "\n":
            return -1
        at += 2 if script[at] == "\\" else 1
    return at if at < len(script) else -1


def _pattern(text: str, *, extended: bool) -> _Pattern | None:
    more = _MUCH_MORE if extended else _MORE
    at_start = text.startswith("^")
    text = text.removeprefix("^")
    at_end = text.endswith("$") and not text.endswith("\\$")
    text = text[:-1] if at_end else text
    chars: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            char = text[at : at + 1]
            at += 1
            if char not in _ESCAPED and not (extended and char in _MUCH_MORE):
                return None
            if not char:
                return None
            chars.append(char)
        elif char in more or char in "^$\n":
            return None
        else:
            chars.append("" if char == _ANY else char)
    return _Pattern(chars, at_start, at_end) if chars else None


def _replacement(text: str, special: str) -> str | None:
    out, at = "", 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            char = text[at : at + 1]
            at += 1
            if not char or char.isalnum() or char == "\n":
                return None
        elif char in special or char == "\n":
            return None
        out += char
    return out


_PERL_FLAGS = frozenset("gimsxa")
_PERL_MARKS = "/|#,!~:%"


def _perl_parts(code: str) -> list[tuple[str, str, str]] | None:
    """Pattern, replacement and flags of each substitution; None if there is anything else."""
    found = []
    at, size = 0, len(code)
    while at < size:
        if code[at] in " \t\n;":
            at += 1
            continue
        mark = code[at + 1 : at + 2]
        if code[at] != "s" or not mark:
            return None
        if mark == "{":
            middle = _end_of(code, at + 2, "}")
            if middle < 0 or code[middle + 1 : middle + 2] != "{":
                return None
            pattern, start, mark = code[at + 2 : middle], middle + 2, "}"
        elif mark in _PERL_MARKS:
            middle = _end_of(code, at + 2, mark)
            if middle < 0:
                return None
            pattern, start = code[at + 2 : middle], middle + 1
        else:
            return None
        end = _end_of(code, start, mark)
        if end < 0 or not _perl_is_text(pattern, code[start:end]):
            return None
        at = end + 1
        flags = at
        while at < size and code[at] in _PERL_FLAGS:
            at += 1
        if at < size and code[at] not in " \t\n;":
            return None
        found.append((pattern, code[start:end], code[flags:at]))
    return found or None


def _perl_is_text(pattern: str, by: str) -> bool:
    """True if perl puts no variable in: a `$` there begins one, and what stands in its index is run."""
    if "(?{" in pattern or "(??{" in pattern or "(?#" in pattern:
        return False
    for text, last in ((pattern, True), (by, False)):
        at = 0
        while at < len(text):
            char = text[at]
            at += 1
            if char == "\\":
                at += 1
            elif char == "@":
                return False
            elif char == "$":
                after = text[at : at + 1]
                number = after.isdigit() or after == "&"
                if number and text[at + 1 : at + 2] in ("[", "{"):
                    return False
                if not (number and not last) and not (last and after in ("", ")", "|")):
                    return False
    return True
