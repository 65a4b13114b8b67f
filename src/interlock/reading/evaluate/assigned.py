"""Which variables a body may set, and whether it may change the folder. Errs on the side of more."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import Arith, ArithSub, DoubleQuoted, ForArith, FunctionDef, Lit, Node, Param, Simple, Word
from .numbers import kept
from .origins import variable
from .words import NUL, Arg, same_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shell.syntax import Command, Part
    from .state import Shell

__all__ = ["Assigned", "assigned_names", "forget", "is_kept", "names_in"]

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
_ANYTHING = frozenset(("eval", "source", ".", "trap"))
_NUMBERS = ("*", "[0-9]*")  # how a number stands that is not known
_MOVERS = frozenset(("cd", "pushd", "popd", "eval", "source", "."))


class Assigned:
    """`counted` are those among `variables` that are never set to anything but a number."""

    __slots__ = ("calls", "counted", "defines", "jumps", "moves", "variables")

    def __init__(self) -> None:
        self.variables: set[str] = set()
        self.counted: set[str] = set()
        self.calls: set[str] = set()
        self.defines: set[str] = set()
        self.moves = False
        self.jumps = False


def assigned_names(commands: Sequence[object]) -> Assigned:
    names = Assigned()
    others: set[str] = set()
    numbers: set[str] = set()
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
                (numbers if assign.index is None and _is_number(assign.value) else others).add(assign.name)
            words = node.words
            first = _text(words[0]) if words else ""
            while first in ("builtin", "command") and len(words) > 1:
                words = words[1:]
                first = _text(words[0])
            names.calls.add(first)
            names.moves = names.moves or first in _MOVERS
            names.jumps = names.jumps or first in ("break", "continue", "return")
            if first == "let":
                numbers.update(name for word in words[1:] for name in _names(word.parts))
            elif first in _SETTERS:
                for word in words[1:]:
                    text = _text(word).partition("=")[0].rstrip("+")
                    if text.isidentifier():
                        others.add(text)
        elif type(node) is Arith or type(node) is ArithSub:
            numbers.update(_names(node.parts))
        elif type(node) is Param and node.op in ("=", ":="):
            others.add(node.name)
        elif type(node) is FunctionDef:
            names.defines.add(node.name)
        elif type(node) is ForArith:
            numbers.update(name for word in (node.init, node.test, node.step) for name in _names(word.parts))
        name = getattr(node, "name", None)
        if isinstance(name, str) and type(node).__name__ in ("For", "Select"):
            others.add(name)
        for field in node.fields:
            value = getattr(node, field)
            if isinstance(value, list | Node):
                stack.append(value)
    names.variables = others | numbers
    names.counted = numbers - others if _ANYTHING.isdisjoint(names.calls) else set()
    return names


def names_in(functions: dict[str, Command], *bodies: list[Command]) -> Assigned:
    """What the bodies set, and the functions that they call."""
    names = assigned_names(bodies)
    if functions:
        called: set[str] = set()
        while more := (names.calls & functions.keys()) - called:
            called |= more
            names = assigned_names([*bodies, *(functions[name] for name in called)])
    return names


def forget(shell: Shell, *bodies: list[Command]) -> None:
    """What a body sets is unknown when it is entered a second time, unless it is some number each time."""
    names = names_in(shell.functions, *bodies)
    for name in names.variables:
        before = shell.variables.get(name, ()) if name in names.counted else ()
        if len(before) == 1 and (before[0].text in _NUMBERS if before[0].glob else before[0].text.isdecimal()):
            shell.variables[name] = [Arg("*", (0, 0), glob=True)]
        else:
            held = shell.variables.get(name, ())
            shell.variables[name] = [Arg(NUL, (0, 0), origin=kept(held, variable(name)))]
    if names.moves:
        shell.folders = None


def is_kept(before: list[Arg] | None, after: list[Arg] | None) -> bool:
    if before is None or after is None:
        return before is after
    return same_words(before, after)


def _is_number(value: object) -> bool:
    """`$((i + 1))`, `"$((i + 1))"`, `0`: whatever the variables in it hold, what comes out is a number."""
    parts = value.parts if type(value) is Word else []
    if len(parts) == 1 and type(parts[0]) is DoubleQuoted:
        parts = parts[0].parts
    part = parts[0] if len(parts) == 1 else None
    return type(part) is ArithSub or (type(part) is Lit and part.text.isdecimal())


def _names(parts: list[Part]) -> set[str]:
    """Every name in an expression: which of them it sets does not matter, since none becomes more than a number."""
    found: set[str] = set()
    for part in parts:
        if type(part) is Lit:
            text = "".join(char if char.isalnum() or char == "_" else " " for char in part.text)
            found.update(name for name in text.split() if name.isidentifier())
        elif type(part) is DoubleQuoted:
            found |= _names(part.parts)
    return found


def _text(word: Word) -> str:
    first = word.parts[0] if word.parts else None
    return first.text if type(first) is Lit else ""
