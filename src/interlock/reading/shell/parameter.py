"""`${…}`: the parameter, its subscript, its operator and the operands.

bash ends `${…}` at the first `}` that is not quoted and not part of an inner expansion. Where quotes
inside it mean one thing while bash looks for the end and another when it expands, the text is not read at
all.
"""

from __future__ import annotations

from . import expansion, quotes
from .state import DIGITS, END, NAME, NAME_START, Rejoin, State, Unreadable
from .syntax import DoubleQuoted, Lit, Param, Word
from .tilde import leading_tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = [
    "ENDS_AT_BRACE",
    "ENDS_AT_COLON",
    "ENDS_AT_SLASH",
    "IN_OPEN_SUBSCRIPT",
    "IN_SUBSCRIPT",
    "OPERAND_SPECIAL",
    "TRANSFORMS",
    "VALUE_OPS",
    "hides",
    "nothing_hidden",
    "read_braced",
    "read_operand",
    "read_subscript",
]

VALUE_OPS = frozenset("-=?+")
TRANSFORMS = frozenset("UuLQEPAKak")
OPERAND_SPECIAL = frozenset("'\"$`\\<>" + END)
ENDS_AT_BRACE = frozenset("}")
ENDS_AT_SLASH = frozenset("/}")
ENDS_AT_COLON = frozenset(":}")
IN_SUBSCRIPT = frozenset("[]}")
IN_OPEN_SUBSCRIPT = frozenset("[]")
_OF_OTHERS = frozenset(".( ")
_IN_OTHERS = NAME | frozenset(".,:()[]+-*/%= ")  # INVARIANT: nothing that quotes, expands or ends a `${…}`


def read_braced(state: State, where: int) -> Param:
    """`${…}`, from the `$`."""
    text = state.text
    start = state.pos
    i = start + 2
    length = indirect = False
    c = text[i]
    d = text[i + 1]
    if c == "#" and (d in NAME or d in "@*" or (d in "?-$!#" and text[i + 2] == "}")):
        length = True
        i += 1
    elif c == "!" and (d in NAME or (d in "#@*?$!-" and text[i + 2] == "}")):
        indirect = True
        i += 1
    name, i = _read_name(text, i, start)
    index: Word | None = None
    if text[i] == "[" and name[0] in NAME_START:
        state.pos = i
        index = read_subscript(state, where, IN_SUBSCRIPT)
        i = state.pos
    op = ""
    arg: Word | None = None
    arg2: Word | None = None
    if text[i] in _OF_OTHERS and name[0] in NAME_START and not length and not indirect:
        op = "." if text[i] == "." and index is None else "("
        i = _skip_other(text, i, start)
    elif text[i] != "}":
        op, i = _read_op(text, i, start, indirect)
        if length:
            raise Unreadable("${#…} with an operator", start)
        if op == ":" or op[0] == "/":
            state.pos = i
            arg = read_operand(state, where, op, ENDS_AT_COLON if op == ":" else ENDS_AT_SLASH)
            if text[state.pos] != "}":
                state.pos += 1
                arg2 = read_operand(state, where, op, ENDS_AT_BRACE)
                if op == ":" and "?" in text[i : state.pos]:
                    raise Unreadable("a choice inside a substring", start)
            if op == ":":
                nothing_hidden(arg.parts + (arg2.parts if arg2 else []), start)
            i = state.pos
        elif op[0] not in "@!":
            state.pos = i
            arg = read_operand(state, where, op, ENDS_AT_BRACE)
            i = state.pos
    if text[i] != "}":
        raise Unreadable("${ is not closed", start)
    state.pos = i + 1
    if state.pending and "\n" in text[start:i]:
        raise Unreadable("${…} goes on behind a here-document's line", start)
    return Param(name, index, op, arg, arg2, length, indirect, (start, i + 1))


def _skip_other(text: str, i: int, start: int) -> int:
    """`${row.name}`, `${len(x)}`, `${i + 1}`: another language's. bash calls each of them a bad substitution."""
    while text[i] in _IN_OTHERS:
        i += 1
    if text[i] != "}":
        raise _bad(text, i, start)
    return i


def _read_name(text: str, i: int, start: int) -> tuple[str, int]:
    c = text[i]
    j = i + 1
    if c in NAME_START:
        while text[j] in NAME:
            j += 1
    elif c in DIGITS:
        while text[j] in DIGITS:
            j += 1
    elif c not in expansion.SPECIAL_PARAMS:
        raise _bad(text, i, start)
    if text[j] == "\\" and text[j + 1] == "\n":
        raise Rejoin(j)
    return text[i:j], j


def _read_op(text: str, i: int, start: int, indirect: bool) -> tuple[str, int]:
    c = text[i]
    d = text[i + 1]
    if d == "\\" and text[i + 2] == "\n":
        raise Rejoin(i + 1)
    if c == ":":
        if d in VALUE_OPS:
            return c + d, i + 2
        if d != "}":
            return c, i + 1
    elif c in VALUE_OPS:
        return c, i + 1
    elif c in "#%^,":
        return (c + d, i + 2) if d == c else (c, i + 1)
    elif c == "/":
        return (c + d, i + 2) if d in "/#%" else (c, i + 1)
    elif c == "@" and d in TRANSFORMS and text[i + 2] == "}":
        return c + d, i + 2
    elif indirect and c in "*@" and d == "}":
        return "!" + c, i + 1
    raise _bad(text, i, start)


def _bad(text: str, i: int, start: int) -> Exception:
    if text[i] == "\\" and text[i + 1] == "\n":
        return Rejoin(i)
    return Unreadable("an unknown form of ${…}", start)


def read_subscript(state: State, where: int, special: frozenset[str]) -> Word:
    """`[…]`, from the bracket; leaves `pos` behind it. A bare `}` in a `${x[…]}` could end it early:
    not read."""
    text = state.text
    opening = state.pos
    depth = 0
    parts: list[Part] = []
    while True:
        state.pos += 1
        word = read_operand(state, where, "[", special)
        parts.extend(word.parts)
        i = state.pos
        c = text[i]
        if c == "]" and depth == 0:
            state.pos = i + 1
            if i == opening + 1:
                raise Unreadable("an empty subscript", opening)
            nothing_hidden(parts, opening)
            return Word(parts, (opening + 1, i))
        if c == "}":
            raise Unreadable("a brace in a subscript", opening)
        depth += 1 if c == "[" else -1
        parts.append(Lit(c, False, (i, i + 1)))


def nothing_hidden(parts: list[Part], pos: int) -> None:
    """In arithmetic bash expands once more than quotes suggest: `a['$(x)']` runs x. Such text is not read."""
    if hides(parts):
        raise Unreadable("a quoted `$` or back-quote in arithmetic", pos)


def hides(parts: list[Part], live: str = "$`") -> bool:
    """Whether quotes keep one of the `live` characters from the first expansion, but not from the second."""
    for part in parts:
        if isinstance(part, DoubleQuoted):
            if hides(part.parts, live):
                return True
        elif isinstance(part, Param):
            if any(word is not None and hides(word.parts, live) for word in (part.index, part.arg, part.arg2)):
                return True
        elif isinstance(part, Lit) and part.quoted and any(char in part.text for char in live):
            return True
    return False


def read_operand(state: State, where: int, op: str, ends: frozenset[str]) -> Word:
    """The text behind an operator, up to one of `ends`, which stays unread. Blanks and newlines are
    ordinary here."""
    text = state.text
    start = i = state.pos
    quoted = where != expansion.BARE
    inner = expansion.IN_OPERAND if where == expansion.IN_DOUBLE else where
    parts: list[Part] = []
    while True:
        j = i
        while True:
            c = text[j]
            if c in OPERAND_SPECIAL or c in ends:
                break
            j += 1
        if c == "<" or c == ">":
            if text[j + 1] == "(":  # alive even between double quotes, if the operand is a pattern
                raise Unreadable("process substitution inside ${…}", j)
            if j > i:
                parts.append(Lit(text[i:j], quoted, (i, j)))
            parts.append(Lit(c, quoted, (j, j + 1)))
            i = j + 1
            continue
        if j > i:
            parts.append(Lit(text[i:j], quoted, (i, j)))
        state.pos = j
        if c in ends:
            break
        if c == "\\":
            d = text[j + 1]
            if d == "\n":
                raise Rejoin(j)
            if quoted and d not in '$`"\\}':
                parts.append(Lit("\\", True, (j, j + 1)))
                i = j + 1
                if d == "'":  # while looking for the end bash skips it, while expanding it may not
                    raise Unreadable("an escaped quote in a quoted ${…}", j)
                continue
            if d == END or (where == expansion.IN_DOC and d == '"'):
                raise Unreadable("${ is not closed", start)
            parts.append(Lit(d, True, (j, j + 2)))
            i = j + 2
            continue
        if c == "'":
            parts.append(_single_in_operand(state, quoted, op))
        elif c == '"':
            if where == expansion.IN_DOC:
                raise Unreadable("a quote in ${…} in a here-document", j)
            parts.append(quotes.read_double(state, j))
        elif c == "$":
            blanks = _blanks_in_operand(state, op) if inner == expansion.IN_OPERAND and text[j + 1] == "'" else None
            part = blanks or expansion.read_dollar(state, inner)
            if part is None:
                part = Lit("$", quoted, (j, j + 1))
                state.pos = j + 1
            parts.append(part)
        elif c == "`":
            parts.append(expansion.read_backtick(state, inner))
        else:
            raise Unreadable("${ is not closed", start)
        i = state.pos
    if not quoted and op in ("-", ":-", "=", ":=", "+", ":+", "?", ":?"):
        parts = leading_tilde(parts)
    return Word(parts, (start, state.pos))


def _blanks_in_operand(state: State, op: str) -> Lit | None:
    """`"${x//:/$'\\n'}"`: between double quotes `$'` quotes in patterns, and in what replaces them.

    Only blanks are read so. With anything else in it, it is in doubt where the operand ends.
    """
    text, start = state.text, state.pos
    end = start + 2
    while text[end] == "\\" and text[end + 1] in "nrt":
        end += 2
    if text[end] != "'" or end == start + 2 or op[0] not in "#%/^,":
        return None
    return quotes.read_ansi_c(state)


def _single_in_operand(state: State, quoted: bool, op: str) -> Lit:
    """Between double quotes `'` quotes only in patterns; elsewhere bash pairs it up and then expands
    what is inside."""
    lit = quotes.read_single(state)
    if quoted:
        for live in '$`\\"}\n':
            if live in lit.text:
                raise Unreadable("single quotes in a quoted ${…}", lit.span[0])
        if op[0] not in "#%/^,[":
            return Lit("'" + lit.text + "'", True, lit.span)
    return lit
