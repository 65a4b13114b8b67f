"""The cursor that all readers share, its limits, and the ways in which reading can stop.

A reader takes a `State`, starts at `state.pos` and leaves it behind what it has read. When the text is
outside the grammar it raises `Unreadable`; whoever knows where the damage ends safely turns that into an
`Opaque` node. Work is counted against a budget that is linear in the text, so reading always ends, and
soon.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import HereDoc

__all__ = [
    "BEHIND",
    "BREAK",
    "COMMAND_END",
    "DIGITS",
    "END",
    "FREE_STEPS",
    "MAX_DEPTH",
    "NAME",
    "NAME_START",
    "OPERATOR",
    "PADDING",
    "STEPS_PER_CHAR",
    "WORD_END",
    "Budget",
    "OutOfSteps",
    "Refused",
    "Rejoin",
    "State",
    "Unreadable",
    "is_name",
    "not_split",
    "skip_blanks",
]

# Each level costs about a dozen calls: this many stay well below the recursion limit of any caller.
MAX_DEPTH = 40
STEPS_PER_CHAR = 64
FREE_STEPS = 1000
END = "\0"  # INVARIANT: stands behind the last character of State.text and nowhere else
PADDING = 4  # so many of them, which lets readers look ahead without asking for the length

BEHIND = frozenset(" \t\\")  # what may stand between two tokens: blanks, and the beginning of a continuation
# What ends a run of plain characters in a word: separators, and whatever starts quoting or an expansion.
BREAK = frozenset(" \t\n;&|()<>'\"$`\\" + END)
_ENDS = bytes([0 if chr(code) in BREAK else code for code in range(256)])
# What may stand in a stretch of words that mean nothing but themselves: anything but these, and blanks between them.
_SPECIAL = (BREAK - {" "}) | frozenset("{~#*?[")
_STOPS = bytes([0 if chr(code) in _SPECIAL else code for code in range(256)])
# What ends a word for good; `<` and `>` are missing because they may start a process substitution.
WORD_END = frozenset(" \t\n;&|)" + END)
# What may follow a complete command.
COMMAND_END = frozenset("\n;&|)#" + END)
OPERATOR = frozenset(";&|()<>")

NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
DIGITS = frozenset("0123456789")
NAME = NAME_START | DIGITS


class Unreadable(Exception):
    """The text from `pos` on is outside the grammar."""

    def __init__(self, reason: str, pos: int) -> None:
        self.reason = reason
        self.pos = pos


class Refused(Unreadable):
    """Every shell refuses the line that ends at `pos`, and runs nothing of it: `cat a >`, and the line ends."""


class OutOfSteps(Exception):
    """The budget of the whole text is spent."""


class Rejoin(Exception):
    """A line continuation splits a token at `pos`: read the line again without it.

    Continuations between tokens and inside quotes are skipped where they stand. The rare one inside an
    operator, a name or a word is taken out of the text, which keeps every reader free of that case.
    """

    def __init__(self, pos: int) -> None:
        self.pos = pos


class Budget:
    """Steps left for one call of `parse`, shared by every text read on its behalf."""

    __slots__ = ("left", "incomplete")

    def __init__(self, length: int) -> None:
        self.left = STEPS_PER_CHAR * length + FREE_STEPS
        self.incomplete = False  # whether any reader has met something opaque

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps


class State:
    """A text that is being read. `text` is padded with END; `depth` counts the open constructs."""

    __slots__ = ("text", "runs", "stretches", "end", "pos", "depth", "budget", "pending", "held", "in_parens")

    def __init__(self, text: str, depth: int, budget: Budget) -> None:
        self.text = text + END * PADDING
        # The same in bytes, one for each character, and zero wherever a run of plain characters ends: what ends
        # the run at `i` is then found by `runs.find(0, i)` instead of a loop over characters.
        raw = self.text.encode("latin-1", "replace")
        self.runs = raw.translate(_ENDS)
        self.stretches = raw.translate(_STOPS)  # likewise, where a stretch of plain words ends
        self.end = len(text)
        self.pos = 0
        self.depth = depth
        self.budget = budget
        # Here-documents announced on this line; their bodies start behind the next newline.
        self.pending: list[HereDoc] = []
        # Enclosing commands that still wait for theirs: a newline here would be ambiguous.
        self.held = 0
        # Inside `$(…)` or `<(…)`, where bash also ends a here-document at a line that goes on with `)`.
        self.in_parens = 0

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("nested too deeply", self.pos)
        self.budget.spend(1)


def skip_blanks(state: State) -> int:
    """Move over blanks and line continuations and return the new position."""
    text = state.text
    i = state.pos
    while text[i] in BEHIND:
        if text[i] != "\\":
            i += 1
        elif text[i + 1] == "\n":
            i += 2
        else:
            break
    state.pos = i
    return i


def not_split(text: str, i: int) -> None:
    """At `i`, inside or right behind an operator: a continuation must not hide its second half."""
    if text[i] == "\\" and text[i + 1] == "\n":
        after = text[i + 2]
        if after in OPERATOR or after == "\\":
            raise Rejoin(i)


def is_name(text: str) -> bool:
    """A shell identifier: ASCII only, unlike str.isidentifier."""
    return text.isidentifier() and text.isascii()
