"""What `$` and `` ` `` start: parameters, command substitution, arithmetic, process substitution.

`read_dollar` is the only way in for `$`; the part that it returns has been read to its very end, with
every script inside it. `${…}` itself lives in `parameter`, arithmetic in `arithmetic`.
"""

from __future__ import annotations

from . import arithmetic, commands, parameter, quotes
from .heredoc import skip_newlines
from .state import DIGITS, NAME, NAME_START, Rejoin, State, Unreadable
from .syntax import CmdSub, Param, ProcSub, Script
from .walk import relocate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = [
    "BARE",
    "IN_DOC",
    "IN_DOUBLE",
    "IN_OPERAND",
    "SPECIAL_PARAMS",
    "read_backtick",
    "read_command_substitution",
    "read_dollar",
    "read_process_substitution",
    "read_script_in_parens",
]

# Where an expansion stands decides what quotes mean inside it.
BARE = 0  # outside quotes
IN_DOUBLE = 1  # between double quotes
IN_DOC = 2  # in the body of a here-document
IN_OPERAND = 3  # in the operand of a ${…} that is itself between double quotes

SPECIAL_PARAMS = frozenset("@*#?-$!")


def read_dollar(state: State, where: int) -> Part | None:
    """The expansion that starts at the `$`, or None if this `$` is an ordinary character."""
    text = state.text
    start = state.pos
    c = text[start + 1]
    if c in NAME_START:
        j = start + 2
        while text[j] in NAME:
            j += 1
        if text[j] == "\\" and text[j + 1] == "\n":
            raise Rejoin(j)
        state.pos = j
        return Param(text[start + 1 : j], None, "", None, None, False, False, (start, j))
    if c == "{":
        state.deeper()
        param = parameter.read_braced(state, where)
        state.depth -= 1
        return param
    if c == "(":
        if text[start + 2] == "(":
            return arithmetic.read_dollar_parens(state)
        if text[start + 2] == "\\" and text[start + 3] == "\n":
            raise Rejoin(start + 2)
        return read_command_substitution(state)
    if c in SPECIAL_PARAMS or c in DIGITS:
        state.pos = start + 2
        return Param(c, None, "", None, None, False, False, (start, start + 2))
    if where == BARE:
        if c == "'":
            return quotes.read_ansi_c(state)
        if c == '"':
            state.pos = start + 1
            return quotes.read_double(state, start)
    elif (c == "'" or c == '"') and where == IN_OPERAND:
        raise Unreadable("$ before a quote inside a quoted ${…}", start)
    if c == "[":
        return arithmetic.read_dollar_bracket(state)
    if c == "\\" and text[start + 2] == "\n":
        raise Rejoin(start + 1)
    return None


def read_script_in_parens(state: State, opening: int) -> Script:
    """The commands up to the `)` that answers the `(` at `opening`; leaves `pos` behind it."""
    state.pos = opening
    state.deeper()
    outer = state.pending
    state.pending = []
    if outer:
        state.held += 1
    state.in_parens += 1
    state.pos = opening + 1
    skip_newlines(state)
    if commands.reserved_at(state, state.pos) == "time":
        # bash 5.2 takes it for a command first, then prints the script, reads it again and takes it for
        # `time`.
        raise Unreadable("`time` at the start of a substitution", state.pos)
    body = commands.read_list(state)
    if state.text[state.pos] != ")":
        raise Unreadable("a substitution is not closed", opening)
    if state.pending:
        raise Unreadable("a here-document has no body inside its substitution", opening)
    state.in_parens -= 1
    if outer:
        state.held -= 1
    state.pending = outer
    state.depth -= 1
    script = Script(body, [], (opening + 1, state.pos))
    state.pos += 1
    return script


def read_command_substitution(state: State) -> CmdSub:
    """`$(…)`, from the `$`."""
    start = state.pos
    script = read_script_in_parens(state, start + 1)
    return CmdSub(script, False, (start, state.pos))


def read_process_substitution(state: State) -> ProcSub:
    """`<(…)` or `>(…)`, from the angle."""
    start = state.pos
    if state.text[start + 2] == "(":
        # bash counts parentheses here as in `$((`, and then reads commands: the two need not end together.
        raise Unreadable("`((` in a process substitution", start)
    script = read_script_in_parens(state, start + 1)
    return ProcSub(state.text[start], script, (start, state.pos))


def read_backtick(state: State, where: int) -> CmdSub:
    """`` `…` ``, from the opening back-quote.

    bash ends it at the next back-quote without a backslash, removes one level of escapes, and reads the
    rest as a text of its own. So does this: the end is certain, and trouble inside stays inside.
    """
    text = state.text
    start = state.pos
    end = start
    while True:
        end = text.find("`", end + 1)
        if end < 0:
            raise Unreadable("a back-quote is not closed", start)
        backslashes = end
        while text[backslashes - 1] == "\\":
            backslashes -= 1
        if (end - backslashes) % 2 == 0:
            break
    inner = text[start + 1 : end]
    if state.pending and "\n" in inner:
        raise Unreadable("a substitution goes on behind a here-document's line", start)
    if where == IN_DOUBLE and "{" in inner and '"' in inner and ("," in inner or ".." in inner):
        raise Unreadable("braces and quotes in quoted back-quotes: bash may expand the braces first", start)
    pieces = [(0, start + 1)]
    if "\\" in inner:
        if where == IN_OPERAND and '\\"' in inner:
            raise Unreadable("an escaped quote in back-quotes inside a quoted ${…}", start)
        inner, pieces = _unescape(inner, start + 1, '$`\\"' if where == IN_DOUBLE else "$`\\")
    state.pos = start
    state.deeper()
    state.budget.spend(len(inner))
    script = commands.read_text(inner, state.depth, state.budget)
    relocate(script, pieces)
    state.depth -= 1
    state.pos = end + 1
    return CmdSub(script, True, (start, end + 1))


def _unescape(inner: str, base: int, escaped: str) -> tuple[str, list[tuple[int, int]]]:
    """Remove one level of backslashes; the pieces say where each stretch of the result came from."""
    out: list[str] = []
    pieces = [(0, base)]
    length = 0
    i = 0
    while True:
        j = inner.find("\\", i)
        if j < 0 or j + 1 == len(inner):
            out.append(inner[i:])
            return "".join(out), pieces
        c = inner[j + 1]
        if c == "\n":
            out.append(inner[i:j])
            length += j - i
            i = j + 2
        elif c in escaped:
            out.append(inner[i:j])
            out.append(c)
            length += j - i
            pieces.append((length, base + j + 1))
            length += 1
            i = j + 2
            continue
        else:
            out.append(inner[i : j + 2])
            length += j + 2 - i
            i = j + 2
            continue
        pieces.append((length, base + i))
