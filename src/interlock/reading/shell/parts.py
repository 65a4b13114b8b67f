"""The nodes of a word: literal text, quotes, expansions, patterns.

Every node has `span`, a half-open range of code points in the text that was given to `parse`. Nodes
inside back-quotes and here-documents point at the original text as well: the escapes, tabs and line
continuations that bash removes first are mapped back. A node that begins or ends with a character that
was escaped inside back-quotes begins or ends at that character, behind its backslash.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .syntax import Script

Span = tuple[int, int]


class Node:
    """Anything that was read, with the place it was read from."""

    __slots__ = ("span",)
    span: Span
    fields: tuple[str, ...]  # what it holds, in order; the slots, where it does not say otherwise

    def __init_subclass__(cls) -> None:
        cls.fields = cls.__dict__.get("fields", cls.__slots__)


class Opaque(Node):
    """Text that was not understood. Stands where a command or a part of a word would stand."""

    __slots__ = ("reason",)

    def __init__(self, reason: str, span: Span) -> None:
        self.reason = reason
        self.span = span


class Lit(Node):
    """Literal text after quote removal. Unquoted text may still hold glob characters (`*`, `?`, `[`)."""

    __slots__ = ("text", "quoted")

    def __init__(self, text: str, quoted: bool, span: Span) -> None:
        self.text = text
        self.quoted = quoted
        self.span = span


class DoubleQuoted(Node):
    """`"…"`, or `$"…"` when `translated`: its parts expand without being split or globbed."""

    __slots__ = ("parts", "translated")

    def __init__(self, parts: list[Part], translated: bool, span: Span) -> None:
        self.parts = parts
        self.translated = translated
        self.span = span


class Param(Node):
    """`$x` and `${x…}`.

    `op` is "" for the plain value, else the operator as written: `:-` `-` `:=` `=` `:?` `?` `:+` `+` `#`
    `##` `%` `%%` `/` `//` `/#` `/%` `^` `^^` `,` `,,` `:` (substring), `@Q` and its kin, `!*` and `!@`
    (names by prefix). `arg` is its operand and `arg2` the second one (the replacement, or the length of a
    substring). `length` marks `${#x}`, `indirect` marks `${!x}`; `index` is the subscript in
    `${x[index]}`. With the operator `(` it is what no shell takes (`${f(x)}`): a command that it
    stands in is not run. With `.` (`${row.name}`) it is what bash does not take, and others may.
    """

    __slots__ = ("name", "index", "op", "arg", "arg2", "length", "indirect")

    def __init__(
        self,
        name: str,
        index: Word | None,
        op: str,
        arg: Word | None,
        arg2: Word | None,
        length: bool,
        indirect: bool,
        span: Span,
    ) -> None:
        self.name = name
        self.index = index
        self.op = op
        self.arg = arg
        self.arg2 = arg2
        self.length = length
        self.indirect = indirect
        self.span = span


class CmdSub(Node):
    """`$(…)`, or `` `…` `` when `backtick`: the output of a script."""

    __slots__ = ("script", "backtick")

    def __init__(self, script: Script, backtick: bool, span: Span) -> None:
        self.script = script
        self.backtick = backtick
        self.span = span


class ProcSub(Node):
    """`<(…)` or `>(…)`: the path of a pipe to a running script; `direction` is `<` or `>`."""

    __slots__ = ("direction", "script")

    def __init__(self, direction: str, script: Script, span: Span) -> None:
        self.direction = direction
        self.script = script
        self.span = span


class ArithSub(Node):
    """`$((…))` or `$[…]`: the expression as literal text with the expansions found in it."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Part], span: Span) -> None:
        self.parts = parts
        self.span = span


class Brace(Node):
    """`{a,b}`: one word for each of `alternatives`. `{1..5..2}`: `sequence` holds first, last and step
    as written."""

    __slots__ = ("alternatives", "sequence")

    def __init__(self, alternatives: list[Word], sequence: tuple[str, str, str] | None, span: Span) -> None:
        self.alternatives = alternatives
        self.sequence = sequence
        self.span = span


class Tilde(Node):
    """`~` (`user` is ""), `~name`, `~+` or `~-` where bash would expand it."""

    __slots__ = ("user",)

    def __init__(self, user: str, span: Span) -> None:
        self.user = user
        self.span = span


class ExtGlob(Node):
    """`@(a|b)` and its kin inside `[[ ]]`; `op` is one of `?*+@!`."""

    __slots__ = ("op", "alternatives")

    def __init__(self, op: str, alternatives: list[Word], span: Span) -> None:
        self.op = op
        self.alternatives = alternatives
        self.span = span


class ArrayItem(Node):
    """One element of an array literal, with its subscript if it was written `[index]=value`."""

    __slots__ = ("index", "value")

    def __init__(self, index: Word | None, value: Word, span: Span) -> None:
        self.index = index
        self.value = value
        self.span = span


class ArrayLit(Node):
    """`(a b [k]=c)` after an assignment. In `declare x=(…)` it is the last part of the word."""

    __slots__ = ("items",)

    def __init__(self, items: list[ArrayItem], span: Span) -> None:
        self.items = items
        self.span = span


class Word(Node):
    """Adjacent parts that bash treats as one word before expansion.

    `plain` is the text of a word in which no character means anything to a shell, and None for any other. Most words
    are plain: the one part of such a word is made when somebody asks for it, and not before.
    """

    __slots__ = ("_parts", "plain")
    fields = ("parts",)

    def __init__(self, parts: list[Part] | None, span: Span, plain: str | None = None) -> None:
        self._parts = parts
        self.span = span
        self.plain = plain

    @property
    def parts(self) -> list[Part]:
        if self._parts is None:
            self._parts = [Lit(self.plain or "", False, self.span)]
        return self._parts


if TYPE_CHECKING:
    Part: TypeAlias = (
        Lit | DoubleQuoted | Param | CmdSub | ProcSub | ArithSub | Brace | Tilde | ExtGlob | ArrayLit | Opaque
    )

__all__ = [
    "ArithSub",
    "ArrayItem",
    "ArrayLit",
    "Brace",
    "CmdSub",
    "DoubleQuoted",
    "ExtGlob",
    "Lit",
    "Node",
    "Opaque",
    "Param",
    "ProcSub",
    "Span",
    "Tilde",
    "Word",
]
