"""Which names of Python code keep the value that they are first given, looked at before the code is read.

The reader goes through the code once, from top to bottom; the code itself may come round again in a loop, or run a
function later. A name that is bound twice is trusted only where that cannot matter, and a list that something
changes is not the list that was written down.
"""

from __future__ import annotations

import ast

__all__ = ["REACHES", "changed_lists", "shifting_names"]

# Attributes through which everything can be had that was never named.
REACHES = frozenset("__globals__ __subclasses__ __builtins__ __getattribute__ __loader__ __code__ __closure__".split())

_CHANGES = frozenset(
    "append extend insert pop remove clear sort reverse update setdefault __setitem__ __delitem__ __iadd__".split()
)
_MANY = 20_000
_Later = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Again = ast.For | ast.AsyncFor | ast.While


def _stored(tree: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]


def shifting_names(tree: ast.Module) -> set[str]:
    """Names that are bound more than once, and that a loop binds or a function uses: they may hold either value."""
    count: dict[str, int] = {}
    for name in _stored(tree):
        count[name] = count.get(name, 0) + 1
    several = {name for name, times in count.items() if times > 1}
    if not several:
        return several
    shifting: set[str] = set()
    loops, functions = [], []
    for node in ast.walk(tree):
        if isinstance(node, _Again):
            loops.append(node)
        elif isinstance(node, _Later):
            functions.append(node)
    inside: set[int] = set()
    for loop in loops:
        if id(loop) in inside:
            continue
        for node in ast.walk(loop):
            inside.add(id(node))
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                shifting.add(node.id)
    seen: set[int] = set()
    for function in functions:
        if id(function) in seen:
            continue
        for node in ast.walk(function):
            seen.add(id(node))
            if isinstance(node, ast.Name):
                shifting.add(node.id)
    return several & shifting


def changed_lists(tree: ast.Module) -> set[str]:
    """Names of lists that something may change: by a method, by an item, under another name, in a function."""
    changed: set[str] = set()
    also: list[tuple[str, str]] = []
    local = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
                changed.update(inner.id for inner in ast.walk(node.func.value) if isinstance(inner, ast.Name))
            elif isinstance(node.func, ast.Name) and node.func.id in local:
                changed.update(part.id for part in node.args if isinstance(part, ast.Name))
                changed.update(word.value.id for word in node.keywords if isinstance(word.value, ast.Name))
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed.update(inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name))
        elif isinstance(node, ast.Assign):
            held = [inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)]
            for target in node.targets:
                also += [(inner.id, name) for inner in ast.walk(target) if isinstance(inner, ast.Name) for name in held]
            if len(also) > _MANY:  # too much to tell apart: then every list may change
                return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names: dict[str, list[str]] = {}
    for one, other in also:  # two names for one list: what changes it under one changes it under the other
        names.setdefault(one, []).append(other)
        names.setdefault(other, []).append(one)
    waiting = list(changed)
    while waiting:
        for name in names.get(waiting.pop(), ()):
            if name not in changed:
                changed.add(name)
                waiting.append(name)
    return changed
