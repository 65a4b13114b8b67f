"""A word after expansion: text, of which parts may not be known.

An unknown part is the character NUL, which no shell word can hold. A word that stands for names
that the disk decides (`*.py`, a loop over them, what `find src` prints) is not unknown: it is marked
`glob`, and its text is the pattern; such names never leave the folder that the pattern names.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .origins import MADE_NAME, said

if TYPE_CHECKING:
    from .origins import Origin

__all__ = [
    "NUL",
    "SIGNS",
    "Arg",
    "Counted",
    "Names",
    "Unsure",
    "is_small_number",
    "literal",
    "may_run",
    "same_words",
]

NUL = "\0"


class Arg:
    """`quoted`: no part of it was open to splitting; `origin`: where the text came from, if that matters."""

    __slots__ = ("glob", "origin", "quoted", "span", "text")

    def __init__(
        self,
        text: str,
        span: tuple[int, int],
        glob: bool = False,
        origin: Origin | None = None,
        quoted: bool = False,
    ) -> None:
        self.text = text
        self.span = span
        self.glob = glob
        self.origin = origin
        self.quoted = quoted

    @property
    def known(self) -> bool:
        """True if the text is exactly what the program will get."""
        return not self.glob and NUL not in self.text

    @property
    def unknown(self) -> bool:
        return NUL in self.text

    @property
    def why(self) -> str:
        """What is not known about it, as a person reads it. Nothing is decided by this text."""
        return "" if self.origin is None else said(self.origin)

    def __repr__(self) -> str:
        marks = ("*" if self.glob else "") + ("?" if self.unknown else "")
        return f"Arg({self.text!r}{marks})"


class Unsure(Arg):
    """A text that a command prints as a whole, or not at all: it may be refused, or find its file missing.

    What runs such a text runs that or nothing, so that it can be read as code. A word that is made of it may be
    empty, which shifts the others: there it is not known.
    """

    __slots__ = ()


class Names(Arg):
    """What lists names, as a whole: `$(ls build)`. There may be none, and then the word is empty, or not there.

    Several patterns stand on lines of their own. A single name out of such a list is a plain argument.
    """

    __slots__ = ()


class Counted(Arg):
    """Some number, as `seq 3` prints it line by line. As words of a command they are all of the `numbers`, in turn."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: list[int], span: tuple[int, int]) -> None:
        super().__init__("*", span, glob=True)
        self.numbers = numbers


def is_small_number(text: str) -> bool:
    """A number as the shell writes it, small enough to count with."""
    return text.isascii() and text.isdigit() and len(text) < 10


def same_words(one: list[Arg], other: list[Arg]) -> bool:
    """The same texts, and as sure: a word that may be none is not the same as one that is there."""
    return [(a.text, a.glob, type(a), a.origin == MADE_NAME) for a in one] == [
        (b.text, b.glob, type(b), b.origin == MADE_NAME) for b in other
    ]


def literal(text: str, span: tuple[int, int] = (0, 0)) -> Arg:
    return Arg(text, span, quoted=True)


# Text from which a subscript with a command in it can come: in a file, or in code that prints it.
SIGNS = ("$(", "`", "${", '$"', "$'")
# Signs of such a text that are written in another way: as the numbers of its characters.
_SPELT = (
    *("\\x24", "\\x60", "\\x5b", "\\44", "\\044", "\\140", "\\0140", "\\133", "\\0133", "\\u0024", "\\u0060"),
    *("\\u005b", "\\u{24}", "\\u{60}", "\\u{5b}", "%c", "chr(", "fromcharcode", "b64decode"),
)


def may_run(text: str) -> bool:
    """Whether a subscript with a command may come out of the text."""
    if "[" in text and any(sign in text for sign in SIGNS):
        return True
    low = text.lower()
    return any(sign in low for sign in _SPELT)
