"""A script of sed: what it reads, writes and runs, read command by command.

Versions disagree on whether the delimiter of `s` may stand in brackets: both are read. The name of a file goes on to
the end of the line; busybox ends some at `;` or `}`, so such a name is unread.
"""

from __future__ import annotations

from . import Broken, Filter, Unread, either

__all__ = ["read_sed"]

_BLANKS = " \t"
_PLAIN = frozenset("pPdDgGhHnNxz=F")  # commands that take nothing
_NUMBERED = frozenset("qQlL")  # these take a number
_LABELLED = frozenset(":btT")
_TEXTS = frozenset("aic")
_FILES = {"r": "reads", "R": "reads", "w": "writes", "W": "writes"}
_FLAGS = frozenset("gpiImM0123456789")  # of a substitution, besides `w` and `e`
_STREAMS = frozenset(("/dev/stdin", "/dev/stdout", "/dev/stderr"))


def read_sed(script: str) -> Filter:
    """All scripts of one call, joined by newlines as sed joins them."""
    return either([_read(script, brackets) for brackets in (True, False)])


def _read(script: str, brackets: bool) -> Filter | None:
    made: dict[str, list[str]] = {"reads": [], "writes": [], "runs": []}
    try:
        at = 0
        while at < len(script):
            at = _command(script, at, brackets, made)
    except Broken:
        return None
    except Unread as why:
        return Filter(unread=str(why))
    return Filter().replace(**{name: tuple(dict.fromkeys(values)) for name, values in made.items()})


def _command(script: str, at: int, brackets: bool, made: dict[str, list[str]]) -> int:
    """Past one command with its addresses; blanks, `;`, `{` and `}` are commands of their own."""
    if script[at] in " \t\n;{}":
        return at + 1
    at = _past_addresses(script, at, brackets)
    while script[at : at + 1] in (" ", "\t", "!"):
        at += 1
    if at >= len(script):
        raise Broken
    name, at = script[at], at + 1
    if name in _PLAIN or name in "{}":
        return at
    if name == "#":
        return _line_end(script, at)
    if name in _NUMBERED:
        return _past_digits(script, _past_blanks(script, at))
    if name in _LABELLED:
        return _past_label(script, _past_blanks(script, at))
    if name == "v":  # its version ends as a label does
        return _past_label(script, _past_blanks(script, at))
    if name in _TEXTS:
        return _past_text(script, at)
    if name in _FILES:
        return _past_file(script, at, made, _FILES[name])
    if name == "e":
        return _past_run(script, at, made["runs"])
    if name == "s":
        return _past_substitution(script, at, brackets, made)
    if name == "y":
        mark, at = _delimiter(script, at)
        return _past_delimited(script, _past_delimited(script, at, mark, False), mark, False)
    raise Unread(f"an unknown command of sed: `{name}`")


def _past_label(script: str, at: int) -> int:
    """A label ends at a blank, `;` or a line's end; for GNU sed at `}` too, and then nothing may follow."""
    while at < len(script) and script[at] not in " \t\n;}":
        at += 1
    end = at
    while script[end : end + 1] == "}":
        end += 1
    if end > at and script[end : end + 1] not in ("", " ", "\t", "\n", ";"):
        raise Unread("a label in a sed script that versions end in several ways")
    return end


def _past_addresses(script: str, at: int, brackets: bool) -> int:
    """Past `12`, `$`, `/re/I`, `\\cREc`, `first~step`, and a second one after a comma."""
    while True:
        if script[at : at + 1] in ("/", "\\"):
            mark, at = ("/", at + 1) if script[at] == "/" else _delimiter(script, at + 1)
            at = _past_delimited(script, at, mark, brackets)
            while script[at : at + 1] in ("I", "M"):
                at += 1
        else:
            while at < len(script) and (script[at] in "0123456789$~+" or script[at] in _BLANKS):
                at += 1
        at = _past_blanks(script, at)
        if script[at : at + 1] != ",":
            return at
        at = _past_blanks(script, at + 1)


def _delimiter(script: str, at: int) -> tuple[str, int]:
    mark = script[at : at + 1]
    if not mark:
        raise Broken
    if mark in "\n\\" or not " " <= mark < "\x7f":
        raise Unread("a delimiter in a sed script that is not read")
    return mark, at + 1


def _past_delimited(script: str, at: int, mark: str, brackets: bool) -> int:
    """Past the delimiter that ends this part. `brackets`: one in a list of characters does not end it."""
    while at < len(script):
        char = script[at]
        if char == mark:
            return at + 1
        # A line break in here is a mistake: GNU, BSD and busybox refuse the whole script before they run any of it. One
        # that took it would take it as any other character, so that is how it is read.
        if char == "[" and brackets:
            at = _past_brackets(script, at, mark)
        else:
            at += 2 if char == "\\" else 1
    raise Broken


def _past_brackets(script: str, at: int, mark: str) -> int:
    """Past `[…]`; where it is written in a way that sed versions may end elsewhere, it holds no delimiter."""
    start = at + 1
    at = start + 1 if script[start : start + 1] == "^" else start
    first = at
    while at < len(script) and (script[at] != "]" or at == first):
        if script.startswith(("[:", "[.", "[="), at):
            end = script.find(script[at + 1] + "]", at + 2)
            at = end + 2 if end > 0 else len(script)
        else:
            at += 1
    inside = script[start:at]
    if mark in inside and (any(char in inside for char in "[]\\\n") or at >= len(script)):
        raise Unread("brackets in a sed script that are read in several ways")
    return start if at >= len(script) else at + 1


def _past_substitution(script: str, at: int, brackets: bool, made: dict[str, list[str]]) -> int:
    mark, at = _delimiter(script, at)
    at = _past_delimited(script, at, mark, brackets)
    at = _past_delimited(script, at, mark, False)
    while at < len(script) and script[at] not in " \t\n;}#":
        if script[at] == "w":
            return _past_file(script, at + 1, made, "writes")
        if script[at] == "e":
            raise Unread("a sed script that runs what it makes of a line")
        if script[at] not in _FLAGS:
            raise Broken
        at += 1
    return at


def _past_text(script: str, at: int) -> int:
    """The text of `a`, `i` and `c`: to the end of a line that no backslash continues."""
    while at < len(script) and script[at] != "\n":
        at += 2 if script[at] == "\\" else 1
    return at


def _past_file(script: str, at: int, made: dict[str, list[str]], how: str) -> int:
    end = _line_end(script, at)
    name = script[at:end].lstrip(_BLANKS)
    if not name or any(char in name for char in ";}\r"):
        raise Unread("the name of a file in a sed script that is read in several ways")
    if name not in _STREAMS or (name == "/dev/stdin" and how == "writes"):
        made[how].append(name)
    return end


def _past_run(script: str, at: int, commands: list[str]) -> int:
    end = _line_end(script, at)
    command = script[at:end].strip(_BLANKS)
    if not command:
        raise Unread("a sed script that runs what is in a line")
    commands.append(command)
    return end


def _line_end(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end


def _past_blanks(script: str, at: int) -> int:
    while script[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _past_digits(script: str, at: int) -> int:
    while at < len(script) and script[at] in "0123456789":
        at += 1
    return at
