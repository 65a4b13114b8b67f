"""The small faults that are put into a module, one at a time: a comparison turned, a row of a table left out.

Each is a `Mutant`: where it is, what stood there and what stands there now. Its name holds no line number, so that a
list of mutants outlives edits around it. What is not mutated: docstrings, annotations, imports, `__all__`, what only a
type checker sees, and sentences for people (a text with a space in it, an f-string), which tests/unit/told.yaml holds.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from copy import copy
from types import CodeType
from typing import Any, NamedTuple

__all__ = ["MODULE", "Mutant", "mutants_of"]

MODULE = ""  # where a mutant is that lies in no function: it is seen only by who imports the module anew

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_OPPOSITE = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Mutant(NamedTuple):
    """
    function  the qualified name of the outermost function around it, or MODULE
    before    what stood there
    after     what stands there now
    nth       the how manieth of its kind in this function, from 1
    path      the steps from the module's tree to the place: a field, or a field and an index
    new       the node that is put there
    """

    function: str
    before: str
    after: str
    nth: int
    path: tuple[str | int, ...]
    new: ast.AST

    @property
    def name(self) -> str:
        again = f" (#{self.nth})" if self.nth > 1 else ""
        return f"{self.function or 'the module'}: {self.before} -> {self.after}{again}"

    def compiled(self, source: str, filename: str) -> CodeType:
        """The whole module with this fault in it."""
        tree: Any = ast.parse(source)
        at = tree
        for step in self.path[:-1]:
            at = at[step] if isinstance(step, int) else getattr(at, step)
        last = self.path[-1]
        old = at[last] if isinstance(last, int) else getattr(at, last)
        new = ast.fix_missing_locations(ast.copy_location(self.new, old))
        if isinstance(last, int):
            at[last] = new
        else:
            setattr(at, last, new)
        return compile(tree, filename, "exec")


def mutants_of(source: str) -> list[Mutant]:
    """Every fault of the module, in the order of its lines."""
    found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for function, path, old, new in _walked(ast.parse(source), "", (), inside=False):
        before, after = _whole(old), _whole(new)
        if before == after:
            continue
        before, after = _told_apart(before, after)
        seen[function, before, after] += 1
        found.append(Mutant(function, before, after, seen[function, before, after], path, new))
    return found


_Found = tuple[str, tuple[str | int, ...], ast.AST, ast.AST]


def _walked(node: ast.AST, function: str, path: tuple[str | int, ...], *, inside: bool) -> Iterator[_Found]:
    for new in _replaced(node):
        yield function, path, node, new
    for field, value in ast.iter_fields(node):
        if field in _left_alone(node):
            continue
        for step, child in _children(field, value):
            if _is_docstring(node, field, child) or _is_for_types(child):
                continue
            named, within = function, inside
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not inside:
                named = f"{function}.{child.name}" if function else child.name
                within = not isinstance(child, ast.ClassDef)
            for found in _walked(child, named, (*path, *step), inside=within):
                # a class's fields and a function's defaults are evaluated by who imports the module
                deeper = found[1][len(path) + len(step) :]
                of_class = isinstance(child, ast.ClassDef) and found[0] == named
                of_function = within and not inside and deeper[:1] == ("args",)
                yield (MODULE, *found[1:]) if of_class or of_function else found


def _children(field: str, value: object) -> Iterator[tuple[tuple[str | int, ...], ast.AST]]:
    if isinstance(value, ast.AST):
        yield (field,), value
    if isinstance(value, list):
        for at, child in enumerate(value):
            if isinstance(child, ast.AST):
                yield (field, at), child


def _left_alone(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.JoinedStr():
            return ("values",)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return ("returns", "decorator_list", "type_params")
        case ast.ClassDef():
            return ("bases", "keywords", "decorator_list", "type_params")
        case ast.arg() | ast.AnnAssign():
            return ("annotation", "target")
        case ast.ExceptHandler():
            return ("type",)
    return ()


def _is_docstring(parent: ast.AST, field: str, child: ast.AST) -> bool:
    return field == "body" and isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)


def _is_for_types(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Call(func=ast.Name(id="cast")):
            return True
    return False


def _replaced(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in its place. The operators of this file, each a case."""
    match node:
        case ast.Compare(ops=[op, *rest]) if type(op) in _COMPARED:
            yield ast.Compare(left=node.left, ops=[_COMPARED[type(op)](), *rest], comparators=node.comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(op=ast.Or() if isinstance(op, ast.And) else ast.And(), values=values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COUNTED:
            yield ast.BinOp(left=left, op=_COUNTED[type(op)](), right=right)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _COUNTED:
            yield ast.AugAssign(target=target, op=_COUNTED[type(op)](), value=value)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(value=not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value=value + 1)
        case ast.Constant(value=str() as value) if " " not in value:
            yield ast.Constant(value=value + "?" if value else "?")
        case ast.Constant(value=bytes() as value):
            yield ast.Constant(value=value + b"?")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _OPPOSITE:
            yield ast.Call(func=ast.Name(id=_OPPOSITE[name], ctx=ast.Load()), args=args, keywords=keywords)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not _turns_itself(test):
            new = copy(node)
            new.test = ast.UnaryOp(op=ast.Not(), operand=test)
            yield new
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield ast.Return(value=ast.Constant(value=None))
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()
    yield from _with_one_less(node)


def _with_one_less(node: ast.AST) -> Iterator[ast.AST]:
    """An operand, or a member of a table, left out."""
    match node:
        case ast.BoolOp(op=op, values=values):
            for at in range(len(values)):
                rest = [*values[:at], *values[at + 1 :]]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op=op, values=rest)
        case ast.Tuple(elts=members, ctx=ast.Load()) | ast.Set(elts=members) if len(members) > 2:
            for at in range(len(members)):
                rest = [*members[:at], *members[at + 1 :]]
                yield ast.Tuple(elts=rest, ctx=ast.Load()) if isinstance(node, ast.Tuple) else ast.Set(elts=rest)


def _is_nothing(value: ast.expr) -> bool:
    """Whether it counts as little as None does."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Tuple | ast.List) and not value.elts


def _turns_itself(test: ast.expr) -> bool:
    """Whether another operator turns this condition around already."""
    return isinstance(test, ast.Compare | ast.BoolOp) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )


def _whole(node: ast.AST) -> str:
    """On one line."""
    if isinstance(node, ast.If | ast.While):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())


def _told_apart(before: str, after: str) -> tuple[str, str]:
    """Both, not too long: their ends, or what is around the difference where it lies between these."""
    short = _cut(before), _cut(after)
    if short[0] != short[1]:
        return short
    differ = next(at for at in range(len(before) + 1) if before[at : at + 1] != after[at : at + 1])
    start = max(0, differ - 35)
    return f"… {before[start : start + 70]} …", f"… {after[start : start + 70]} …"


def _cut(text: str) -> str:
    return text if len(text) <= 110 else f"{text[:70]} … {text[-35:]}"
