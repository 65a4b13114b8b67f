"""Strings of Python code that name a place to be wary of, held against what was read of the code.

The calls of many libraries are in no table, and a method is known only by the object that it belongs to. So a string
that names a guarded or secret file must be covered by an action on it, or be only looked at: printed, compared, the
key of a table, what a function that acts on nothing is given. Otherwise the code is opaque there.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from ..core.accounting import GROUND, holds_code, marks_to_be_wary_of, may_name, open_place, settled, targets
from .calls import CALLS, LOOKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evaluate.state import Shell

__all__ = ["LEAVES_ALONE", "account_for_strings"]

_LONGEST = 300  # characters of a string that may be a name
_DEEPEST = 4  # how often a name is followed from one place in the code to another
# Functions and methods that leave a file alone whose name they are given, whatever they belong to.
_ONLY_SEEN = frozenset(
    "add_argument count debug discard endswith error exception exists find fnmatch fullmatch get index info isdir "
    "isfile islink log match partition print remove rfind rpartition rsplit search split splitext startswith sub "
    "warn warning".split()
)
# What gives back a name that it was given, as such or changed.
_GIVES_BACK = frozenset(
    "Path PosixPath PurePath abspath basename dict dirname expanduser filter format frozenset fromkeys join list lower "
    "lstrip normpath realpath relpath replace rstrip set sorted str strip tuple upper".split()
)
LEAVES_ALONE = _ONLY_SEEN | _GIVES_BACK
_AROUND = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp, ast.JoinedStr, ast.FormattedValue, ast.IfExp, ast.BoolOp,
    ast.keyword, ast.Starred,
)  # fmt: skip
_BINDS = (ast.Assign, ast.For, ast.comprehension, ast.NamedExpr, ast.AnnAssign)


def account_for_strings(tree: ast.Module, since: int, span: tuple[int, int], shell: Shell) -> None:
    """`since`: how many actions there were before the code was read."""
    wary = list(_wary(tree, shell))
    if not wary:
        return
    covered = [name for action in shell.found.actions[since:] for name in targets(action)]
    above: dict[int, ast.AST] | None = None
    for node, name, path, marks in wary:
        if any(one == path or f"/{name}/" in f"{one}/" for one in covered):
            continue
        if above is None:
            above = {id(child): parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
        if not _is_only_seen(node, above, tree):
            open_place("Python", path, marks, span, shell)


def _wary(tree: ast.Module, shell: Shell) -> Iterator[tuple[ast.Constant, str, str, frozenset[str]]]:
    for node, name in _strings(tree):
        if name and len(name) < _LONGEST and may_name(name):
            for folder in shell.folders or ():
                path = settled(name, folder, shell.found.facts.home)
                marks = marks_to_be_wary_of(path, shell.found.facts) - GROUND if path is not None else None
                if path is not None and marks and not holds_code(path):
                    yield node, name.rstrip("/"), path, marks


def _strings(tree: ast.Module) -> list[tuple[ast.Constant, str]]:
    """Every string, in the order of `ast.walk`, which takes three times as long: half of all nodes hold none."""
    found: list[tuple[ast.Constant, str]] = []
    todo: list[ast.AST] = [tree]
    for node in todo:
        fields = _FIELDS.get(type(node))
        if fields is None:
            fields = _FIELDS[type(node)] = tuple([field for field in node._fields if field not in _NO_STRINGS])
        for field in fields:
            value = getattr(node, field)
            if type(value) is list:
                for part in value:
                    if type(part) is ast.Constant:
                        if type(part.value) is str:
                            found.append((part, part.value))
                    elif type(part) is not ast.Name and isinstance(part, ast.AST):
                        todo.append(part)
            elif type(value) is ast.Constant:
                if type(value.value) is str:
                    found.append((value, value.value))
            elif type(value) is not ast.Name and isinstance(value, ast.AST):
                todo.append(value)
    return found


# Fields in which no string of the code stands: names, operators, what is read or set.
_NO_STRINGS = frozenset("arg asname attr ctx id kind level module name names op ops type_comment".split())
_FIELDS: dict[type, tuple[str, ...]] = {}


def _is_only_seen(node: ast.AST, above: dict[int, ast.AST], tree: ast.Module, depth: int = 0) -> bool:
    """Whether what is done with the value leaves the file that it may name alone."""
    parent = above.get(id(node))
    while isinstance(parent, _AROUND):
        node, parent = parent, above.get(id(parent))
    if isinstance(parent, ast.Compare | ast.Expr | ast.Subscript | ast.Assert | ast.Raise | ast.MatchValue):
        return True
    if isinstance(parent, ast.Call):
        name = ast.unparse(parent.func)
        last = name.rpartition(".")[2]
        if last in _GIVES_BACK and depth < _DEEPEST:
            return _is_only_seen(parent, above, tree, depth + 1)
        return node is not parent.func and (name in LOOKING or name in CALLS or last in _ONLY_SEEN)
    if isinstance(parent, ast.Attribute):  # `".env".upper()`
        return parent.attr in _ONLY_SEEN or (
            parent.attr in _GIVES_BACK and depth < _DEEPEST and _is_only_seen(above[id(parent)], above, tree, depth + 1)
        )
    if isinstance(parent, _BINDS) and depth < _DEEPEST:
        targets_of = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        names = {one.id for target in targets_of for one in ast.walk(target) if isinstance(one, ast.Name)}
        uses = [
            use
            for use in ast.walk(tree)
            if isinstance(use, ast.Name) and use.id in names and isinstance(use.ctx, ast.Load)
        ]
        return bool(names) and all(_is_only_seen(use, above, tree, depth + 1) for use in uses)
    return False
