"""Annotations of Python code: what stands there runs where it stands, and a text is run by whoever asks for the types.

`typing.get_type_hints`, `inspect.signature(eval_str=True)`, dispatch by type and many packages do. So a text that calls
something counts as if it ran; names and brackets do nothing, and words that are no code are only words.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from .values import Held, parsed

if TYPE_CHECKING:
    from .functions import Functions

__all__ = ["ASKS_FOR_TYPES", "makes_annotations", "read_annotation", "read_forward"]

_LONGEST = 20_000
_RUNS = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
ASKS_FOR_TYPES = ("get_type_hints", "eval_str", "get_annotations", "evaluate_forward_ref")


def read_annotation(reader: Functions, node: ast.expr | None) -> None:
    """An annotation of a parameter, or of what a function returns."""
    kind = type(node)
    if node is None or kind is ast.Name or kind is ast.Attribute:
        return
    parts = [node] if kind is ast.Constant else list(ast.walk(node))
    if any(isinstance(part, _RUNS) for part in parts):
        reader.plain(node)
    for part in parts:
        if type(part) is ast.Constant and type(part.value) is str:
            read_forward(reader, part.value)


def read_forward(reader: Functions, text: str) -> None:
    """A type that is given as a text."""
    if "(" not in text or len(text) > _LONGEST:
        return
    tree = parsed(text.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return
    if any(isinstance(part, ast.Call) for part in ast.walk(tree)):
        reader.run_text(Held(text), expression=True)


def makes_annotations(tree: ast.Module) -> bool:
    """Whether the code puts annotations together: then they are nowhere to be read."""
    for node in ast.walk(tree):
        name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "arg", None)
        if name == "__annotations__" and not isinstance(getattr(node, "ctx", None), ast.Load):
            return True
        if isinstance(node, ast.Constant) and node.value == "__annotations__":
            return True
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if getattr(node.value, "attr", None) == "__annotations__":
                return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if getattr(node.func.value, "attr", None) == "__annotations__" and node.func.attr in _PUTS:
                return True
    return False


_PUTS = frozenset(("update", "setdefault", "__setitem__"))
