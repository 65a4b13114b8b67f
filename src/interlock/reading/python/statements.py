"""Statements of Python code, one by one, as they would run.

Every branch is followed, and where two ways meet a name may hold either value; a loop over known items is unrolled, the
body of any other is followed until it changes nothing more.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from .annotations import read_annotation
from .calls import ACTING_NAMES
from .functions import MAX_STEPS, Functions, Spent, bound_again
from .modules import STANDARD
from .names import Scope
from .values import BY_NAME, SOME, UNKNOWN, Function, Given, Held, joined, reference, same, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluate.state import Shell

__all__ = ["Reader"]

_MAX_ROUNDS = 4  # of a loop whose body changes what it started with


class Reader(Functions):
    def __init__(self, shell: Shell, span: tuple[int, int]) -> None:
        super().__init__(shell, span)
        self.scope = Scope(None)
        self.top = self.scope
        self.stars: list[str] = []
        self.imported: set[str] = set()
        self.argv: list[Held] | None = None
        self.steps = 0
        self.calling: list[Function] = []
        self.functions: list[Function] = []  # every function that was defined
        self.handed: list[Function] = []  # and those that may be called at any time
        self.later: list[tuple[Held, Given]] = []
        self.changed: list[Held] = []  # lists that were changed
        self.leaving: list[list[dict[str, Held]]] = []  # what names held where a loop was left or started again
        self.binds_outside = False  # whether functions may bind names of others
        self.stale = False  # a list was looked at in a loop that changes it later

    def run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise Spent
            found = _STATEMENTS.get(type(statement))
            if found is not None:
                found(self, statement)
            elif type(statement) not in _NOTHING:
                self._other(statement)

    def _other(self, node: ast.AST) -> None:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.plain(part)
            elif isinstance(part, ast.stmt):
                self.run([part])
            else:
                self._other(part)

    # --- imports -----------------------------------------------------------------------------------------------

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, reference(alias.name if alias.asname else top))
            self._brought(alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or "."
        self.relative = node.level > 0
        self._brought(module)
        for alias in node.names:
            if alias.name == "*":
                self._star(module)
                continue
            name = f"{module}.{alias.name}"
            if module not in STANDARD or node.level:
                self.own(name if node.module else alias.name)
            if module == "builtins":
                name = alias.name
            elif name in ("sys.modules", "sys.argv", "sys.executable") or module in ("os", "sys"):
                self.bind(alias.asname or alias.name, self.attribute(reference(module), alias.name))
                continue
            self.bind(alias.asname or alias.name, reference(name))
        self.relative = False

    def _brought(self, name: str) -> None:
        self.module(name)
        top = name.partition(".")[0]
        self.imported.add(name)
        self.imported.add(top)
        self.paths = self.paths or top == "pathlib"

    def _star(self, module: str) -> None:
        top = module.partition(".")[0]
        if top in STANDARD:
            self.stars.append(module)
            for name in list(self.scope.held):
                if self.is_known(f"{module}.{name}"):
                    self.bind(name, reference(f"{module}.{name}"))
        else:
            self.doubtful = frozenset(name.rpartition(".")[2] for name in ACTING_NAMES if "." in name) | {"run", "call"}
            for name in list(self.scope.held):
                if name != "__name__" and self.scope.held[name].name not in (None, module):
                    continue

    # --- assignments -------------------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign) -> None:
        held = self.ev(node.value)
        for target in node.targets:
            self.assign(target, held)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if type(node.annotation) not in (ast.Name, ast.Constant, ast.Attribute):
            self.plain(node.annotation)
        else:
            read_annotation(self, node.annotation)
        if node.value is not None:
            self.assign(node.target, self.ev(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self.plain(node.value)
        target = node.target
        if type(target) is ast.Name:
            old = self.scope.held.get(target.id) or self.scope.look_up(target.id) or UNKNOWN
            flow = old.flow | value.flow
            if type(node.op) is ast.Add and old.items is not None and not old.kind:
                self.changes(old, "extend", Given([value]))
                return
            found = unknown(flow)
            if self.certain and type(node.op) is ast.Add and old.text is not None:
                found = joined([old, value])
            if old.name is not None or old.code is not None:
                self.hand_on(old)
            self.bind(target.id, found)
        else:
            keeps = isinstance(target, ast.Attribute) and self.ev(target).name == "sys.path"
            self.assign(target, value if keeps else unknown(value.flow))

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                owner = self.ev(target.value)
                if owner.items is not None:
                    self._alter(owner)
                elif owner.flow & BY_NAME:
                    self.unclear("what is there by its name is taken away")
            elif type(target) is ast.Name:
                self.scope.held.pop(target.id, None)

    def _expression(self, node: ast.Expr) -> None:
        self.ev(node.value)

    # --- ways that part and meet -------------------------------------------------------------------------------

    def _branch(self, bodies: list[list[ast.stmt]], may_skip: bool) -> None:
        """Bodies of which at most one runs."""
        scope, certain, folders = self.scope, self.certain, self.shell.folders
        self.certain = False
        before = scope.held
        ends: list[dict[str, Held]] = [before] if may_skip else []
        for body in bodies:
            scope.held = dict(before)
            self.run(body)
            if not body or type(body[-1]) not in (ast.Return, ast.Raise):
                ends.append(scope.held)
        scope.held = ends[0] if ends else before
        if len(ends) > 1:
            scope.held = self._met(ends)
        self.certain = certain
        if self.shell.folders != folders and self.shell.folders is not None and folders is not None:
            self.shell.folders = tuple(dict.fromkeys((*folders, *self.shell.folders)))

    def _met(self, ends: list[dict[str, Held]]) -> dict[str, Held]:
        found = dict(ends[0])
        for other in ends[1:]:
            for name, held in other.items():
                mine = found.get(name)
                if mine is None:
                    found[name] = held
                elif mine is not held:
                    found[name] = self.meet(mine, held)
        return found

    def _if(self, node: ast.If) -> None:
        self.ev(node.test)
        if _is_main(node.test) and not node.orelse:
            self.run(node.body)
            return
        if node.orelse:
            self._branch([node.body, node.orelse], may_skip=False)
        else:
            self._branch([node.body], may_skip=True)

    def _match(self, node: ast.Match) -> None:
        subject = self.plain(node.subject)
        bodies = []
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.expr):
                    self.plain(part)
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.bind(name, unknown(subject.flow) if not subject.glob else subject)
            if case.guard is not None:
                self.plain(case.guard)
            bodies.append(case.body)
        self._branch(bodies, may_skip=True)

    def _try(self, node: ast.Try) -> None:
        scope = self.scope
        before, since = dict(scope.held), len(scope.bound)
        certain, self.certain = self.certain, self.certain and not node.handlers
        self.run(node.body)
        self.certain = certain
        after = scope.held
        if node.handlers:
            doubtful = dict(after)  # an error may come between any two statements
            for name in set(scope.bound[since:]):
                if name in before:
                    doubtful[name] = self.meet(before[name], after.get(name, UNKNOWN))
            for name in bound_again(scope.bound[since:]):
                doubtful[name] = self._lost(after.get(name, UNKNOWN))
            ends = [after]
            self.certain = False
            if node.orelse:
                self.run(node.orelse)
                ends = [scope.held]
            for handler in node.handlers:
                scope.held = dict(doubtful)
                if handler.type is not None:
                    self.ev(handler.type)
                if handler.name is not None:
                    self.bind(handler.name, UNKNOWN)
                self.run(handler.body)
                if not handler.body or type(handler.body[-1]) not in (ast.Return, ast.Raise):
                    ends.append(scope.held)
            scope.held = ends[0] if len(ends) == 1 else self._met(ends)
            self.certain = certain
        else:
            self.run(node.orelse)
        self.run(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            held = self.ev(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, held)
            elif held.name is not None or held.code is not None:
                self.hand_on(held)
        self.run(node.body)

    # --- loops -------------------------------------------------------------------------------------------------

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        source = self.plain(node.iter)
        items = self.items_of(source)
        if items is not None and len(items) > 8 and all(item.kind == "number" for item in items):
            items = None
        if items is None:
            item = source if source.glob else unknown(source.flow) if source.kind != "sdk" else source
            self._loop(node.body, lambda: self.assign(node.target, item))
        elif source.kind == SOME:
            for item in items:
                self._loop(node.body, lambda item=item: self.assign(node.target, item))  # type: ignore[misc]
        else:
            self._unroll(node, items)
        self.run(node.orelse)

    def _unroll(self, node: ast.For | ast.AsyncFor, items: list[Held]) -> None:
        scope = self.scope
        certain, self.certain = self.certain, False
        before, since = dict(scope.held), len(scope.bound)
        for item in items:
            self.leaving.append([])
            self.assign(node.target, item)
            self.run(node.body)
            left = self.leaving.pop()
            if left:
                scope.held = self._met([scope.held, *left])
        for name in set(scope.bound[since:]):
            if name in before and scope.held.get(name) is not before[name]:
                scope.held[name] = self.meet(before[name], scope.held.get(name, UNKNOWN))
        self.certain = certain

    def _while(self, node: ast.While) -> None:
        def test() -> None:
            self.ev(node.test)

        self._loop(node.body, test)
        self.run(node.orelse)

    def _loop(self, body: list[ast.stmt], start: Callable[[], None]) -> None:
        """A body that runs any number of times: followed until what it starts with holds each time."""
        scope = self.scope
        certain, self.certain = self.certain, False
        outer_loads, outer_late = scope.loads, scope.late
        for _ in range(_MAX_ROUNDS + 1):
            before, since = dict(scope.held), len(scope.bound)
            scope.loads, scope.late, self.stale = set(), set(), False
            self.leaving.append([])
            touched = self.touched
            start()
            self.run(body)
            left = self.leaving.pop()
            if left:
                scope.held = self._met([scope.held, *left])
            again = self.stale
            quiet = self.touched == touched  # then texts and numbers do not matter
            for name in set(scope.bound[since:]):
                old, new = before.get(name), scope.held.get(name)
                if new is None or (old is not None and same(old, new)):
                    continue
                quiet = quiet and new.kind in _DATA and new.name is None and new.code is None
                if old is not None:
                    quiet = quiet and old.kind in _DATA
                    scope.held[name] = self._lost(new)
                    scope.held[name] = unknown(scope.held[name].flow | old.flow)
                    if old.name is not None or old.code is not None:
                        self.hand_on(old)
                        quiet = False
                again = again or name in scope.late
            outer_loads |= scope.loads
            outer_late |= scope.late
            if not again or quiet:
                break
        else:
            self.unclear("a loop changes what it does each time")
        scope.loads, scope.late = outer_loads, outer_late
        self.certain = certain

    def _leave(self, node: ast.Break | ast.Continue) -> None:
        if self.leaving:
            self.leaving[-1].append(dict(self.scope.held))

    def _assert(self, node: ast.Assert) -> None:
        self.ev(node.test)
        if node.msg is not None:
            self.plain(node.msg)

    def _raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None:
                self.plain(part)


def _is_main(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and type(test.left) is ast.Name
        and test.left.id == "__name__"
        and type(test.ops[0]) is ast.Eq
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


_NOTHING = (ast.Pass,)
_DATA = frozenset(("", "number", "constant", "some", "either", "digits", "path"))
_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Expr: Reader._expression,
    ast.Assign: Reader._assign,
    ast.AnnAssign: Reader._annotated,
    ast.AugAssign: Reader._augmented,
    ast.Delete: Reader._delete,
    ast.Import: Reader._import,
    ast.ImportFrom: Reader._import_from,
    ast.If: Reader._if,
    ast.For: Reader._for,
    ast.AsyncFor: Reader._for,
    ast.While: Reader._while,
    ast.Try: Reader._try,
    ast.TryStar: Reader._try,
    ast.With: Reader._with,
    ast.AsyncWith: Reader._with,
    ast.Match: Reader._match,
    ast.FunctionDef: Reader._function,
    ast.AsyncFunctionDef: Reader._function,
    ast.ClassDef: Reader._class,
    ast.Return: Reader._return,
    ast.Global: Reader._global,
    ast.Nonlocal: Reader._global,
    ast.Break: Reader._leave,
    ast.Continue: Reader._leave,
    ast.Assert: Reader._assert,
    ast.Raise: Reader._raise,
}
