"""Words: everything between blanks and operators, with its quotes and expansions.

The plain characters of a word are skipped in one tight loop; only what quotes or expands leaves it.
"""

from __future__ import annotations

from . import expansion, quotes
from .braces import brace_parts
from .state import END, WORD_END, Rejoin, State, Unreadable, is_name
from .syntax import Lit, Word
from .tilde import leading_tilde, named_tildes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = [
    "BEHIND_WORD",
    "finish",
    "is_number",
    "name_and_equals",
    "no_newline_while_pending",
    "plain_text",
    "read_parts",
    "read_word",
    "shown",
]

# What follows a word when a line continuation stands between them: then the continuation splits no token.
BEHIND_WORD = frozenset(" \t\n" + END)


def read_parts(state: State) -> list[Part]:
    """The parts of the word at `pos`, which may be empty; leaves `pos` at the character that ends it."""
    text = state.text
    parts: list[Part] = []
    i = state.pos
    while True:
        j = state.runs.find(0, i)
        if j > i:
            parts.append(Lit(text[i:j], False, (i, j)))
        c = text[j]
        state.pos = j
        if c == '"':
            parts.append(quotes.read_double(state, j))
        elif c == "'":
            parts.append(quotes.read_single(state))
        elif c == "$":
            part = expansion.read_dollar(state, expansion.BARE)
            if part is None:
                part = Lit("$", False, (j, j + 1))
                state.pos = j + 1
            parts.append(part)
        elif c == "`":
            parts.append(expansion.read_backtick(state, expansion.BARE))
        elif c == "\\":
            d = text[j + 1]
            if d == "\n":
                if text[j + 2] in BEHIND_WORD:
                    return parts
                raise Rejoin(j)
            if d == END:
                raise Unreadable("a backslash at the end", j)
            parts.append(Lit(d, True, (j, j + 2)))
            state.pos = j + 2
        elif (c == "<" or c == ">") and text[j + 1] == "(":
            parts.append(expansion.read_process_substitution(state))
        else:
            if (c == "<" or c == ">") and text[j + 1] == "\\" and text[j + 2] == "\n":
                raise Rejoin(j + 1)
            return parts
        i = state.pos


def read_word(state: State, braces: bool) -> Word:
    """The word at `pos`. `braces`: whether bash would expand braces and `name=~` here."""
    text = state.text
    start = state.pos
    end = state.runs.find(0, start)
    if end > start and text[end] in WORD_END and text[start] != "#":
        run = text[start:end]
        if state.stretches.find(0, start, end) < 0:  # by far the most common word
            state.pos = end
            return Word(None, (start, end), run)
        if "{" not in run and "~" not in run:
            state.pos = end
            return Word([Lit(run, False, (start, end))], (start, end))
    parts = read_parts(state)
    end = state.pos
    if end == start or state.text[start] == "#":  # here a `#` would start a comment
        raise Unreadable(f"`{shown(state.text[start])}` where a word is needed", start)
    no_newline_while_pending(state, start, end)
    return finish(state, parts, braces, (start, end))


def finish(state: State, parts: list[Part], braces: bool, span: tuple[int, int]) -> Word:
    """Find tildes and braces in parts that have been read."""
    first = parts[0]
    if isinstance(first, Lit) and not first.quoted and "~" in first.text:
        if first.text[0] == "~":
            parts = leading_tilde(parts)
        elif braces and (equals := name_and_equals(first.text)):
            parts = named_tildes(parts, equals)
    if braces:
        for part in parts:
            if isinstance(part, Lit) and not part.quoted and "{" in part.text:
                return Word(brace_parts(state, parts), span)
    return Word(parts, span)


def name_and_equals(run: str) -> int:
    """The length of `name=` or `name+=` at the start of `run`, or 0."""
    equals = run.find("=")
    if equals <= 0:
        return 0
    name = run[: equals - 1] if run[equals - 1] == "+" else run[:equals]
    return equals + 1 if is_name(name) else 0


def no_newline_while_pending(state: State, start: int, end: int) -> None:
    """A here-document starts behind the next newline; one inside a word on that line makes it doubtful."""
    if state.pending and "\n" in state.text[start:end]:
        raise Unreadable("a word goes on behind a here-document's line", start)


def plain_text(word: Word) -> str | None:
    """The text of a word that is one run of unquoted characters, else None."""
    if word.plain is not None:
        return word.plain
    parts = word.parts
    if len(parts) == 1 and isinstance(part := parts[0], Lit) and not part.quoted:
        return part.text
    return None


def is_number(text: str) -> bool:
    """ASCII digits only, and few enough to be a descriptor."""
    return text.isdigit() and text.isascii() and len(text) < 10


def shown(char: str) -> str:
    """A character for a reason that a person reads."""
    if char == END:
        return "end of text"
    return "newline" if char == "\n" else char
