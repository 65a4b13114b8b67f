"""What tests replace for a while: `monkeypatch.setattr`, `unittest.mock.patch`, fixtures under names of pytest's own.

To replace something runs nothing. But what takes its place is called by others with anything, and what was replaced
does no longer give what the tables say: both are looked for, the second before anything is followed, because a
fixture further down may do it.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from .modules import STANDARD
from .specials import SPECIAL
from .values import BY_NAME, GIVEN, UNKNOWN, Given, Held, as_text, unknown

if TYPE_CHECKING:
    from .suite import Suite, SuiteReader

__all__ = ["look_ahead", "replaces"]

_OWN = frozenset("tmp_path tmpdir tmp_path_factory tmpdir_factory monkeypatch mocker".split())
_REPLACES = frozenset("setattr patch object dict multiple setitem setenv delattr context".split())
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def look_ahead(tree: ast.Module, suite: Suite) -> None:
    """Which names a file replaces, and whether fixtures of pytest may be something else in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            suite.trusted = suite.trusted and node.name not in _OWN
            suite.defined.add(node.name)
        elif isinstance(node, ast.alias):
            suite.trusted = suite.trusted and (node.asname or node.name) not in _OWN
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            suite.trusted = suite.trusted and node.id not in _OWN
        elif isinstance(node, ast.Call):
            _look_at_call(node, suite)


def _look_at_call(node: ast.Call, suite: Suite) -> None:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "parametrize":
        named = [*node.args[:1], *[word.value for word in node.keywords if word.arg in ("argnames", None)]]
        suite.trusted = suite.trusted and bool(named) and all(_names_others(value) for value in named)
        for value in named[:1]:
            for one in ast.walk(value):
                if isinstance(one, ast.Constant):
                    suite.defined.update(text.strip() for text in str(one.value).split(","))
    elif name == "fixture":
        named = [word.value for word in node.keywords if word.arg in ("name", None)]
        suite.trusted = suite.trusted and all(_names_others(value) for value in named)
    elif name in _REPLACES:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                suite.replaced.add(part.value.rpartition(".")[2])
                if part.value in _TEMPORARY:
                    suite.replaced |= {"gettempdir", "mkdtemp"}


def _names_others(node: ast.expr) -> bool:
    """True if the names are written out, and none of them is one of pytest's own fixtures."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(_names_others(part) for part in node.elts)
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return _OWN.isdisjoint(part.strip() for part in node.value.split(","))


def replaces(reader: SuiteReader, name: str, given: Given) -> Held:
    """A call of a mock, a patch or `monkeypatch`."""
    last = name.rpartition(".")[2]
    args = list(given.args)
    if last == "chdir":
        reader.enter(args[0] if args else None)
        return UNKNOWN
    if last in ("setenv", "delenv"):
        if last == "setenv" and len(args) > 1:
            reader.set_variable(args[0], args[1])
        return UNKNOWN
    if last == "syspath_prepend":
        held = args[0] if args else UNKNOWN
        return UNKNOWN if as_text(held).startswith("/tmp/") else SPECIAL["sys.path.insert"](reader, name, given)  # noqa: S108
    if last in ("setattr", "delattr", "object", "patch", "spy"):
        target = args.pop(0) if args else given.words.get("target", UNKNOWN)
        by_path = last == "patch" or (target.known and last in ("setattr", "delattr"))
        key = target if by_path else args.pop(0) if args else UNKNOWN
        standard = target.name is not None and target.name.partition(".")[0] in STANDARD
        if not key.known and (by_path or standard) and not key.flow & GIVEN:
            reader.unclear("it is unclear what is replaced by something else")
    elif last in ("dict", "setitem", "delitem", "multiple") and args:
        args.pop(0)
    for held in (*args, *[value for word, value in given.words.items() if word not in ("target", "spec", "spec_set")]):
        if held.name is not None or held.code is not None or held.kind:
            reader.hand_on(held)
    return unknown(given.flow & ~BY_NAME)
