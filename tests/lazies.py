"""What `lazy` of `value.py` joins to a module, read from the module's text: for the tests that follow imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

_parsed = cache(ast.parse)  # a module may be the home of many
STAYS_A_FUNCTION = ("cache", "contextmanager")  # other decorators may make anything of it
FORM = 'NAME = lazy(globals(), "MODULE", "NAME")'


def lazy_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lazy":
            yield node


def preloaded(tree: ast.AST) -> Iterator[tuple[int, str | None]]:
    """Line and module of what is imported ahead, with `preload`. None where it is not literal."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "preload":
            for named in node.args[1:]:
                literal = isinstance(named, ast.Constant) and isinstance(named.value, str)
                yield node.lineno, named.value if literal else None  # type: ignore[attr-defined]


def row_of(node: ast.Call) -> tuple[str, str] | None:
    """Module, as it is written, and name. None where they are not literal."""
    match node.args, node.keywords:
        case [
            ast.Call(func=ast.Name(id="globals"), args=[], keywords=[]),
            ast.Constant(value=str(module)),
            ast.Constant(value=str(name)),
        ], []:
            return module, name
    return None


def late_imports(tree: ast.AST, *, inside: bool = False) -> Iterator[int]:
    """Lines of the imports that stand inside functions."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, ast.Import | ast.ImportFrom):
            yield node.lineno
        within = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from late_imports(node, inside=within)


def absolute(package: str, module: str) -> str:
    """The module's whole name, as somebody in `package` writes it."""
    level = len(module) - len(module.lstrip("."))
    if not level:
        return module
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [module[level:]])])


def wrong_rows(name: str, tree: ast.Module, package: str, texts: dict[str, str]) -> list[str]:
    """Rows that a reader, mypy or the architecture test could not follow. `texts`: the modules there are."""
    found = []
    rows = dict(_in_place(tree))
    for node in lazy_calls(tree):
        row = row_of(node)
        if row is None or rows.get(node, ("",))[0] != row[1]:
            found.append(f"{name}:{node.lineno} is not of the form {FORM}, after the import for `TYPE_CHECKING`")
            continue
        module, wanted = row
        kind = _kind(texts.get(absolute(package, module)), wanted)
        if (module, wanted) not in rows[node][1]:
            found.append(f"{name}:{node.lineno} `{wanted}` is not what is imported for `TYPE_CHECKING`")
        elif kind is None and absolute(package, module).startswith("interlock"):
            found.append(f"{name}:{node.lineno} `{wanted}` is no function that {module} defines")
        for line in _other_uses(tree, wanted, only_called=kind is ast.ClassDef):
            found.append(f"{name}:{line} uses `{wanted}`, which is lazy, for more than a call")
    for line, ahead in preloaded(tree):
        if ahead is None or absolute(package, ahead) not in texts:
            found.append(f"{name}:{line} preloads what is no module of ours")
    return found


def _in_place(tree: ast.Module) -> Iterator[tuple[ast.Call, tuple[str, set[tuple[str, str]]]]]:
    """Each row in the `else` of an `if TYPE_CHECKING`: the name that it is kept under, and what mypy sees there."""
    for branch in tree.body:
        if not (isinstance(branch, ast.If) and isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING"):
            continue
        seen = {
            ("." * node.level + (node.module or ""), alias.name)
            for node in branch.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname is None
        }
        for statement in branch.orelse:
            match statement:
                case ast.Assign(targets=[ast.Name(id=held)], value=ast.Call() as call):
                    yield call, (held, seen)


def _kind(text: str | None, wanted: str) -> type[ast.stmt] | None:
    for node in _parsed(text or "").body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == wanted:
            plain = all(isinstance(by, ast.Name) and by.id in STAYS_A_FUNCTION for by in node.decorator_list)
            return type(node) if plain or isinstance(node, ast.ClassDef) else None
    return None


def _other_uses(tree: ast.Module, wanted: str, *, only_called: bool) -> Iterator[int]:
    """A stand-in has no attributes; and of a class no more than an instance can be had through one."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    kinds = {id(part) for node in ast.walk(tree) for kind in _annotations(node) for part in ast.walk(kind)}
    fine = called | kinds
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name)) if name == wanted:
                yield node.lineno
            case ast.Name(id=name, ctx=ast.Load()) if only_called and name == wanted and id(node) not in fine:
                yield node.lineno


def _annotations(node: ast.AST) -> list[ast.expr]:
    kinds = [getattr(node, field, None) for field in ("annotation", "returns")]
    return [kind for kind in kinds if isinstance(kind, ast.expr)]
