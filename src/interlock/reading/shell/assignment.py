"""Assignments before a command name, and array literals, also those in `declare x=(…)`."""

from __future__ import annotations

from . import expansion
from .parameter import IN_OPEN_SUBSCRIPT, read_subscript
from .state import BREAK, END, State, Unreadable, is_name
from .syntax import ArrayItem, ArrayLit, Assign, Lit, Word
from .tilde import assigned_tildes
from .words import no_newline_while_pending, read_parts, read_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = ["BEHIND_ARRAY", "DECLARING", "read_array", "read_assign", "read_declared"]

# Commands whose arguments may be array assignments, as the parser of bash knows them.
DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
BEHIND_ARRAY = frozenset(" \t\n;&|)" + END)


def read_assign(state: State) -> Assign | None:
    """The assignment at `pos`, or None (and `pos` unmoved) if the word is not one."""
    text = state.text
    start = state.pos
    i = start
    while text[i] not in BREAK and text[i] not in "=[+":
        i += 1
    name = text[start:i]
    if not is_name(name):
        return None
    index: Word | None = None
    if text[i] == "[":
        state.pos = i
        state.deeper()
        index = read_subscript(state, expansion.BARE, IN_OPEN_SUBSCRIPT)
        state.depth -= 1
        i = state.pos
        no_newline_while_pending(state, start, i)
    if text[i] == "=":
        op = "="
    elif text[i] == "+" and text[i + 1] == "=":
        op = "+="
    elif index is not None:
        # bash takes `name[` at the start of a command as a subscript even so; what it then runs is a pattern.
        raise Unreadable("a subscript without an assignment", start)
    else:
        return None
    i += len(op)
    state.pos = i
    value: Word | ArrayLit
    if text[i] == "(":
        if index is not None:
            raise Unreadable("a list assigned to one element", start)
        value = read_array(state)
    else:
        parts = assigned_tildes(read_parts(state))
        value = Word(parts, (i, state.pos))
        if text[state.pos] == "(":
            raise Unreadable("`(` behind an assignment", state.pos)
        no_newline_while_pending(state, start, state.pos)
    return Assign(name, index, op, value, (start, state.pos))


def read_array(state: State) -> ArrayLit:
    """`(…)` from its parenthesis: words over any number of lines, with comments between them."""
    text = state.text
    start = state.pos
    state.deeper()
    items: list[ArrayItem] = []
    i = start + 1
    while True:
        c = text[i]
        if c == " " or c == "\t" or c == "\n":
            i += 1
        elif c == "\\" and text[i + 1] == "\n":
            i += 2
        elif c == "#":
            i = text.find("\n", i)
            if i < 0:
                raise Unreadable("an array is not closed", start)
        elif c == ")":
            break
        else:
            state.pos = i
            items.append(_read_item(state))
            i = state.pos
    state.depth -= 1
    state.pos = i + 1
    no_newline_while_pending(state, start, i)
    if state.in_parens and "\\" in text[start:i]:
        # bash 5.2 prints a substitution and reads it again, and loses backslashes in arrays on the way.
        raise Unreadable("a backslash in an array inside a substitution", start)
    if text[i + 1] not in BEHIND_ARRAY and not (text[i + 1] == "\\" and text[i + 2] == "\n"):
        raise Unreadable("text glued to an array", i + 1)
    return ArrayLit(items, (start, i + 1))


def _read_item(state: State) -> ArrayItem:
    text = state.text
    start = state.pos
    state.budget.spend(1)
    index: Word | None = None
    if text[start] == "[":
        index = read_subscript(state, expansion.BARE, IN_OPEN_SUBSCRIPT)
        if text[state.pos] == "+":
            raise Unreadable("an element that is appended to", start)
        if text[state.pos] != "=":
            index = None
            if any(c in text[start : state.pos] for c in " \t\n"):
                raise Unreadable("a bracket with blanks in an array", start)
            state.pos = start
        else:
            state.pos += 1
    value = read_word(state, True) if index is None else _read_value(state)
    if text[state.pos] in "<>(;&|":
        raise Unreadable("an operator in an array", state.pos)
    return ArrayItem(index, value, (start, state.pos))


def _read_value(state: State) -> Word:
    start = state.pos
    parts: list[Part] = read_parts(state)
    if any(isinstance(part, Lit) and not part.quoted and "{" in part.text for part in parts):
        raise Unreadable("braces in an array element", start)
    return Word(assigned_tildes(parts), (start, state.pos))


def read_declared(state: State, equals: int) -> Word:
    """An argument `name=…` of a declaring command, from its start; `equals` is the length of `name=`."""
    start = state.pos
    text = state.text
    if text[start + equals] == "(":
        state.pos = start + equals
        head = Lit(text[start : start + equals], False, (start, start + equals))
        array = read_array(state)
        return Word([head, array], (start, state.pos))
    parts = read_parts(state)
    no_newline_while_pending(state, start, state.pos)
    first = parts[0]
    assert isinstance(first, Lit)  # noqa: S101 - it holds at least `name=`
    rest: list[Part] = []
    if len(first.text) > equals:
        rest.append(Lit(first.text[equals:], False, (start + equals, first.span[1])))
    head = Lit(first.text[:equals], False, (start, start + equals))
    value = assigned_tildes(rest + parts[1:])
    if len(value) == len(rest) + len(parts) - 1:
        return Word(parts, (start, state.pos))
    return Word([head, *value], (start, state.pos))
