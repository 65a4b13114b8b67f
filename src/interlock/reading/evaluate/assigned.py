"""Which variables a body may set, and whether it may change the folder. Errs on the side of more."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import Lit, Node, Simple, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Names", "assigned_names"]

_SETTERS = frozenset(
    (
        "read",
        "export",
        "declare",
        "local",
        "typeset",
        "readonly",
        "unset",
        "getopts",
        "mapfile",
        "readarray",
        "let",
        "printf",
        "eval",
        "source",
        ".",
        "set",
        "shift",
    )
)
_MOVERS = frozenset(("cd", "pushd", "popd", "eval", "source", "."))


class Names:
    __slots__ = ("jumps", "moves", "variables")

    def __init__(self) -> None:
        self.variables: set[str] = set()
        self.moves = False
        self.jumps = False


def assigned_names(commands: Sequence[object]) -> Names:
    names = Names()
    stack: list[object] = list(commands)
    while stack:
        node = stack.pop()
        if isinstance(node, list | tuple):
            stack.extend(node)
            continue
        if not isinstance(node, Node):
            continue
        if type(node) is Simple:
            for assign in node.assigns:
                names.variables.add(assign.name)
            first = _text(node.words[0]) if node.words else ""
            names.moves = names.moves or first in _MOVERS
            names.jumps = names.jumps or first in ("break", "continue", "return")
            if first in _SETTERS:
                for word in node.words[1:]:
                    text = _text(word).partition("=")[0].rstrip("+")
                    if text.isidentifier():
                        names.variables.add(text)
        name = getattr(node, "name", None)
        if isinstance(name, str) and type(node).__name__ in ("For", "Select"):
            names.variables.add(name)
        for field in node.fields:
            value = getattr(node, field)
            if isinstance(value, list | Node):
                stack.append(value)
    return names


def _text(word: Word) -> str:
    first = word.parts[0] if word.parts else None
    return first.text if type(first) is Lit else ""
