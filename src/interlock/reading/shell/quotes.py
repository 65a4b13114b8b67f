"""Quoting: `'…'`, `$'…'`, `"…"`, and the escapes inside them.

Single quotes end at the next one whatever stands between. Double quotes keep `$`, `` ` `` and a few
escapes alive.
"""

from __future__ import annotations

from . import expansion
from .state import END, PADDING, State, Unreadable
from .syntax import DoubleQuoted, Lit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = [
    "DOUBLE_SPECIAL",
    "ESCAPED_IN_DOUBLE",
    "HEX",
    "OCTAL",
    "SIMPLE_ESCAPES",
    "read_ansi_c",
    "read_double",
    "read_double_parts",
    "read_single",
]

DOUBLE_SPECIAL = frozenset('"$`\\' + END)
ESCAPED_IN_DOUBLE = frozenset('"$`\\')
SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
OCTAL = "01234567"
HEX = "0123456789abcdefABCDEF"


def read_single(state: State) -> Lit:
    """`'…'`, from the opening quote."""
    start = state.pos
    end = state.text.find("'", start + 1)
    if end < 0:
        raise Unreadable("a single quote is not closed", start)
    state.pos = end + 1
    return Lit(state.text[start + 1 : end], True, (start, end + 1))


def read_double(state: State, start: int) -> DoubleQuoted:
    """`"…"`, from the opening quote; `start` is where the part begins (before the `$` of `$"…"`)."""
    text = state.text
    opening = state.pos
    i = opening + 1
    end = text.find('"', i)
    if end < 0:
        raise Unreadable("a double quote is not closed", start)
    plain = text[i:end]
    if "$" not in plain and "\\" not in plain and "`" not in plain:
        state.pos = end + 1
        parts: list[Part] = [Lit(plain, True, (i, end))] if plain else []
        return DoubleQuoted(parts, opening != start, (start, end + 1))
    state.deeper()
    state.pos = i
    parts = read_double_parts(state, '"')
    state.depth -= 1
    state.pos += 1
    return DoubleQuoted(parts, opening != start, (start, state.pos))


def read_double_parts(state: State, close: str) -> list[Part]:
    """The inside of double quotes up to `close`, which stays unread.

    With END as `close` this is the body of a here-document, where `"` is an ordinary character.
    """
    text = state.text
    special = DOUBLE_SPECIAL
    escaped = ESCAPED_IN_DOUBLE
    doc = close == END
    if doc:
        special = special - {'"'}
        escaped = escaped - {'"'}
    parts: list[Part] = []
    pieces: list[str] = []  # literal text that escapes have cut into pieces
    i = literal_start = state.pos
    while True:
        j = i
        while text[j] not in special:
            j += 1
            if j - i > 8:  # longer plain runs are left to str.find
                j = _skip_plain(text, j, doc)
        c = text[j]
        if c == "\\":
            d = text[j + 1]
            if d == END:
                if not doc:
                    raise Unreadable("a double quote is not closed", j)
                pieces.append(text[i : j + 1])
                i = j + 1
                continue
            if d in escaped:
                pieces.append(text[i:j])
                pieces.append(d)
            elif d == "\n":
                pieces.append(text[i:j])
            else:
                pieces.append(text[i : j + 2])
            i = j + 2
            continue
        if c == "$":
            state.pos = j
            part = expansion.read_dollar(state, expansion.IN_DOC if doc else expansion.IN_DOUBLE)
            if part is None:
                pieces.append(text[i : j + 1])
                i = j + 1
                continue
        elif c == "`":
            state.pos = j
            part = expansion.read_backtick(state, expansion.IN_DOC if doc else expansion.IN_DOUBLE)
        else:
            part = None
        if j > i:
            pieces.append(text[i:j])
        if pieces:
            literal = "".join(pieces)
            if literal:
                parts.append(Lit(literal, True, (literal_start, j)))
            pieces = []
        if part is None:
            if c != close:
                raise Unreadable("a double quote is not closed", state.pos)
            state.pos = j
            return parts
        parts.append(part)
        i = literal_start = state.pos


def _skip_plain(text: str, i: int, doc: bool) -> int:
    """A position at or behind `i` with no special character between; looks at a window to stay linear."""
    end = min(i + 4096, len(text) - PADDING)
    for char in "$`\\" if doc else '$`\\"':
        at = text.find(char, i, end)
        if at >= 0:
            end = at
    return end


def read_ansi_c(state: State) -> Lit:
    """`$'…'`, from the `$`: the escapes are decoded here. An escape that bash would not know is not
    guessed."""
    text = state.text
    start = state.pos
    i = start + 2
    out: list[str] = []
    while True:
        j = i
        while text[j] not in "'\\" and text[j] != END:
            j += 1
        out.append(text[i:j])
        if text[j] == "'":
            state.pos = j + 1
            return Lit("".join(out), True, (start, j + 1))
        if text[j] == END:
            raise Unreadable("$' is not closed", start)
        char, i = _escape(text, j + 1, start)
        out.append(char)


def _escape(text: str, i: int, start: int) -> tuple[str, int]:
    """Decode the escape whose letter stands at `i`; returns the character and the next position."""
    c = text[i]
    if c in SIMPLE_ESCAPES:
        return SIMPLE_ESCAPES[c], i + 1
    if c in OCTAL:
        digits = _digits(text, i, 3, OCTAL)
        code = int(digits, 8) & 0xFF
        i += len(digits)
    elif c in "xuU":
        digits = _digits(text, i + 1, {"x": 2, "u": 4, "U": 8}[c], HEX)
        if not digits:
            raise Unreadable("an unknown escape in $'", start)
        code = int(digits, 16)
        i += 1 + len(digits)
        if c == "x" and code > 0x7F:
            code = 0  # a byte, not a character: what it becomes depends on its neighbours
    else:
        raise Unreadable("an unknown escape in $'", start)
    # A NUL cuts the string short, a high byte is half a character: neither is text that could be shown.
    if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000 or (c in OCTAL and code > 0x7F):
        raise Unreadable("an escape in $' that is not a character", start)
    return chr(code), i


def _digits(text: str, i: int, most: int, allowed: str) -> str:
    j = i
    while j < i + most and text[j] in allowed and text[j] != END:
        j += 1
    return text[i:j]
