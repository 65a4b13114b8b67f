"""What a plain `sh` takes for something else than bash does.

A text is always read as bash would read it. `sh` is another shell on many machines (dash, ash, ksh), and there `((x))`
runs `x`, `declare` is a program that is not found, and `x=rm :` leaves `x` changed. A text that holds one of these is
not known to do what was read. Forms that other shells only refuse are left out: what was read is then too much, not
too little.
"""

from __future__ import annotations

from .syntax import (
    Arith,
    ArithSub,
    ArrayLit,
    Assign,
    Brace,
    Cond,
    DoubleQuoted,
    ForArith,
    FunctionDef,
    Lit,
    Pipeline,
    Redirect,
    Simple,
)
from .walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Node, Part, Script

__all__ = ["only_bash"]

# Words that change the shell in bash, and are not there, or do something else, in others.
_WORDS = frozenset("declare typeset source let mapfile readarray shopt builtin pushd popd enable".split())
# Before these an assignment stays, where the shell follows the standard.
_SPECIAL = frozenset(": . break continue eval exec exit export readonly return set shift times trap unset".split())
# What a program of the name `time` runs is a program: no function, and nothing that changes the shell.
_CHANGES = _SPECIAL | frozenset("alias cd command getopts local read umask unalias".split())
_NODES = {Arith: "((…))", Cond: "[[…]]", ForArith: "for ((…))", Brace: "{a,b}", ArrayLit: "an array"}


def only_bash(script: Script, text: str) -> str | None:
    """The first construct of the script that other shells take differently, for people; `text` is what was parsed."""
    timed = defines = False
    for node in nodes(script):
        found = _NODES.get(type(node)) or _in(node, text)
        if found:
            return found
        timed = timed or (type(node) is Pipeline and node.timed)
        defines = defines or type(node) is FunctionDef or (type(node) is Simple and _first(node) in (".", "eval"))
    return "time" if timed and defines else None


def _in(node: Node, text: str) -> str | None:
    start = node.span[0]
    if type(node) is Simple:
        return _command(node)
    if type(node) is Pipeline:
        first = node.commands[0]
        changes = (
            node.timed
            and type(first) is Simple
            and (
                first.assigns
                or _first(first) in _CHANGES
                or (_first(first) or "")[:1] == "-"  # an option of the program `time`
            )
        )
        return "time" if changes else None
    if type(node) is Assign:
        return f"{node.name}+=" if node.op == "+=" else "an array" if node.index is not None else None
    if type(node) is FunctionDef:
        return "function" if text.startswith("function", start) else None
    if type(node) is Lit:
        return "$'…'" if node.quoted and text.startswith("$'", start) else None
    if type(node) is DoubleQuoted:
        return '$"…"' if node.translated else None
    if type(node) is ArithSub:
        return "$[…]" if text.startswith("$[", start) else None
    if type(node) is Redirect:
        return node.fd if node.fd[:1] == "{" else None
    return None


def _first(node: Simple) -> str | None:
    return _plain(node.words[0].parts) if node.words else None


def _command(node: Simple) -> str | None:
    words = [_plain(word.parts) for word in node.words]
    if not words:
        return None
    name = words[0]
    if name in _WORDS:
        return name
    if node.assigns and name in _SPECIAL:
        return f"{node.assigns[0].name}=… {name}"
    if name == "printf" and "-v" in words[1:2]:
        return "printf -v"
    if name == "." and len(words) > 2:
        return ". with arguments"
    if name in ("export", "readonly") and words[1:] and words[1][:1] == "-":
        return f"{name} {words[1]}"
    return None


def _plain(parts: list[Part]) -> str:
    return parts[0].text if len(parts) == 1 and type(parts[0]) is Lit else ""
