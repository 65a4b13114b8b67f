"""Arithmetic: `$((…))`, `((…))`, `$[…]`, and the three expressions of `for ((;;))`.

The expression itself is not evaluated; it is kept as text, with the substitutions that bash would run
inside it. `$((` may turn out to be `$( (`, and `((` a subshell in a subshell: bash decides by where the
parentheses close, and so does this.
"""

from __future__ import annotations

from . import expansion, parameter, quotes
from .state import END, Rejoin, State, Unreadable
from .syntax import ArithSub, Lit, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import CmdSub, Part

__all__ = [
    "BRACKET_SPECIAL",
    "FOR_SPECIAL",
    "LIVE_IN_SINGLE",
    "PAREN_SPECIAL",
    "Expression",
    "read_dollar_bracket",
    "read_dollar_parens",
    "read_double_parens",
    "read_for_expressions",
]

PAREN_SPECIAL = frozenset("()'\"$`\\" + END)
BRACKET_SPECIAL = frozenset("[]'\"$`\\" + END)
FOR_SPECIAL = PAREN_SPECIAL | {";"}
LIVE_IN_SINGLE = "$`\\"


class Expression:
    """Reads one expression from `state.pos`, counting brackets as bash does.

    `doubtful` is set when single quotes hold something that bash would still expand: fatal in arithmetic,
    harmless if the text turns out to be commands.
    """

    __slots__ = ("parts", "doubtful", "separators")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.doubtful = -1
        self.separators: list[int] = []  # how many parts stood before each `;`

    def read(self, state: State, opening: str, closing: str, special: frozenset[str]) -> int:
        """Read up to the closing bracket that matches, leave `pos` on it and return it."""
        text = state.text
        parts = self.parts
        depth = 0
        i = literal_start = state.pos
        while True:
            j = i
            while text[j] not in special:
                j += 1
            c = text[j]
            if c == opening:
                depth += 1
                i = j + 1
                continue
            if c == closing and depth:
                depth -= 1
                i = j + 1
                continue
            if c == "\\":
                if text[j + 1] == "\n":
                    raise Rejoin(j)
                if text[j + 1] == END:
                    raise Unreadable("an expression is not closed", literal_start)
                if text[j + 1] in LIVE_IN_SINGLE:
                    self.doubtful = j
                i = j + 2
                continue
            part: Part | None = None
            state.pos = j
            if c == "$":
                part = expansion.read_dollar(state, expansion.IN_DOUBLE)
                if part is None:
                    i = j + 1
                    continue
                if text[j + 1] == "{":
                    _same_parens(text[j : state.pos], j)
            elif c == "`":
                part = expansion.read_backtick(state, expansion.IN_OPERAND)
            elif c == '"':
                part = quotes.read_double(state, j)
            elif c == "'":
                single = quotes.read_single(state)
                i = state.pos
                if any(live in single.text for live in LIVE_IN_SINGLE):
                    self.doubtful = j
                continue
            if j > literal_start:
                parts.append(Lit(text[literal_start:j], False, (literal_start, j)))
            if part is not None:
                if parameter.hides([part]):
                    self.doubtful = j
                parts.append(part)
                i = literal_start = state.pos
                continue
            if c == ";":
                if depth:
                    raise Unreadable("`;` inside parentheses of an expression", j)
                self.separators.append(len(parts))
                i = literal_start = j + 1
                continue
            if c == END:
                raise Unreadable("an expression is not closed", state.pos)
            state.pos = j
            return j


def _same_parens(braced: str, pos: int) -> None:
    """bash counts the parentheses inside `${…}` as well when it looks for the end of an expression."""
    depth = 0
    quoted = '"' in braced or "'" in braced or "\\" in braced
    for c in braced:
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        else:
            continue
        if depth < 0 or quoted:
            raise Unreadable("parentheses in ${…} inside an expression", pos)
    if depth:
        raise Unreadable("parentheses in ${…} inside an expression", pos)


def read_dollar_parens(state: State) -> ArithSub | CmdSub:
    """`$((…))`, from the `$`; or the `$( (…) … )` that only looks like it."""
    start = state.pos
    state.deeper()
    expression = Expression()
    state.pos = start + 3
    end = expression.read(state, "(", ")", PAREN_SPECIAL)
    text = state.text
    if text[end + 1] == "\\" and text[end + 2] == "\n":
        raise Rejoin(end + 1)
    if text[end + 1] == ")":
        if expression.doubtful >= 0:
            raise Unreadable("a quoted `$` or back-quote in arithmetic", expression.doubtful)
        _no_newline_while_pending(state, start, end)
        state.depth -= 1
        state.pos = end + 2
        return ArithSub(expression.parts, (start, end + 2))
    # INVARIANT: bash finds the end by counting parentheses even now; reading commands must arrive at the
    # same place.
    state.pos = end + 1
    Expression().read(state, "(", ")", PAREN_SPECIAL)
    outer = state.pos
    state.budget.spend(outer - start)
    state.depth -= 1
    state.pos = start
    substitution = expansion.read_command_substitution(state)
    if state.pos != outer + 1:
        raise Unreadable("$(( that could end in two places", start)
    return substitution


def read_dollar_bracket(state: State) -> ArithSub:
    """`$[…]`, the old form of `$((…))`, from the `$`."""
    start = state.pos
    state.deeper()
    expression = Expression()
    state.pos = start + 2
    end = expression.read(state, "[", "]", BRACKET_SPECIAL)
    if expression.doubtful >= 0:
        raise Unreadable("a quoted `$` or back-quote in arithmetic", expression.doubtful)
    _no_newline_while_pending(state, start, end)
    state.depth -= 1
    state.pos = end + 1
    return ArithSub(expression.parts, (start, end + 1))


def read_double_parens(state: State) -> list[Part] | None:
    """`((…))` from its first parenthesis, or None (and `pos` unmoved) if it is a subshell in a subshell."""
    start = state.pos
    state.deeper()
    expression = Expression()
    state.pos = start + 2
    end = expression.read(state, "(", ")", PAREN_SPECIAL)
    state.depth -= 1
    text = state.text
    if text[end + 1] == "\\" and text[end + 2] == "\n":
        raise Rejoin(end + 1)
    if text[end + 1] != ")":
        if "\n" in text[start : end + 2]:
            # bash puts the inner part back to be read again, and a newline in it does not survive that.
            raise Unreadable("`((` that is a subshell, over several lines", start)
        state.budget.spend(end - start)
        state.pos = start
        return None
    if expression.doubtful >= 0:
        raise Unreadable("a quoted `$` or back-quote in arithmetic", expression.doubtful)
    _no_newline_while_pending(state, start, end)
    state.pos = end + 2
    return expression.parts


def read_for_expressions(state: State) -> tuple[Word, Word, Word]:
    """`((init; test; step))` of a `for`, from its first parenthesis."""
    start = state.pos
    state.deeper()
    expression = Expression()
    state.pos = start + 2
    end = expression.read(state, "(", ")", FOR_SPECIAL)
    state.depth -= 1
    if state.text[end + 1] != ")" or len(expression.separators) != 2 or expression.doubtful >= 0:
        raise Unreadable("for (( needs three expressions", start)
    _no_newline_while_pending(state, start, end)
    inside = state.text[start:end]
    if "\n" in inside or "case" in inside or "$$" in inside:
        # bash looks for the `;` with simpler rules than those for commands, and trips over their finer
        # points.
        for part in expression.parts:
            if not isinstance(part, Lit):
                raise Unreadable("a substitution inside for ((", start)
    state.pos = end + 2
    first, second = expression.separators
    parts = expression.parts
    span = (start + 2, end)
    return Word(parts[:first], span), Word(parts[first:second], span), Word(parts[second:], span)


def _no_newline_while_pending(state: State, start: int, end: int) -> None:
    if state.pending and "\n" in state.text[start:end]:
        raise Unreadable("an expression goes on behind a here-document's line", start)
