"""Python given inline, by here-document or as a script: what it deletes, writes, runs and sends.

Read through `ast`, statement by statement, as it would run: names are followed through imports, assignments and calls
of the code's own functions. Every branch is followed, and where two ways meet a name may hold either value;
a loop over known items is unrolled, the body of any other is followed until it changes nothing more. What is
looked up by text, loaded from bytes or built at run time is opaque. A module that is not the standard library's is
code of the project or of an installed package: run, and not read.
"""

from __future__ import annotations

import ast

from ..effects import Effect
from ..value import TYPE_CHECKING
from .commands.acts import emit
from .evaluate.words import Arg
from .python_called import MAX_ITEMS
from .python_calls import ACTING_NAMES, CALLS
from .python_expressions import Expressions
from .python_modules import STANDARD
from .python_names import Scope
from .python_values import (
    BY_NAME,
    DECODED,
    EITHER,
    SOME,
    UNKNOWN,
    Function,
    Given,
    Held,
    as_text,
    either,
    reference,
    same,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .evaluate.state import Shell

__all__ = ["MAX_CODE", "MAX_ITEMS", "read_python"]

MAX_CODE = 200_000
_MAX_STEPS = 20_000  # statements that are followed, unrolled loops and called functions included
_MAX_DEPTH = 12  # functions in functions
_MAX_ROUNDS = 4  # of a loop whose body changes what it started with


class _Spent(Exception):
    """Too much to follow."""


def read_python(
    code: Arg, shell: Shell, span: tuple[int, int], args: list[Arg] | None = None, name: str = "-c"
) -> None:
    """Everything that the text would do; opaque where it cannot be parsed. `args` follow the code on its command line."""
    if len(code.text) > MAX_CODE:
        shell.unclear("the Python code is too long to read", span)
        return
    tree = _parsed(code.text)
    if tree is None:
        shell.unclear("the Python code could not be parsed", span)
        emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
        return
    before, moved = len(shell.found.actions), shell.found.moved
    reader = _Reader(shell, span)
    if args is not None:
        known = all(arg.known for arg in args)
        reader.argv = [Held(name), *[Held(arg.text, arg.glob) if known else UNKNOWN for arg in args]]
    reader.binds_outside = "global" in code.text or "nonlocal" in code.text
    try:
        reader.run(tree.body)
        reader.finish()
    except RecursionError:
        shell.unclear("the Python code is nested too deeply", span)
    except _Spent:
        shell.unclear("the Python code is too long to follow", span)
    if shell.found.moved > moved:
        from .commands.acts import keep_moved

        keep_moved(before, shell)
    if reader.foreign:
        modules = tuple(sorted(reader.foreign))[:5]
        emit(
            shell,
            span,
            name="exec:project",
            effects=(Effect.EXECUTE,),
            tags=("unread",),
            target={"module": modules},
        )
    elif not reader.acted:
        emit(shell, span, name="exec:python", effects=())


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Reader(Expressions):
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
            if self.steps > _MAX_STEPS:
                raise _Spent
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

    def finish(self) -> None:
        """Functions that nobody was seen to call, and those that may be called when names hold something else."""
        for function in self.functions:
            if not function.called and not function.loose:
                self.loose(function)
        if not self.handed and not self.later:
            return
        moved = False
        scopes: dict[int, Scope] = {}
        for function in (*self.handed, *[held.code for held, _ in self.later if held.code is not None]):
            scope: Scope | None = function.scope
            while scope is not None and id(scope) not in scopes:
                scopes[id(scope)] = scope
                scope = scope.parent
        scopes[id(self.top)] = self.top
        for one in scopes.values():
            for name in [name for name in one.held if one.bound.count(name) > 1]:
                one.held[name] = self._lost(one.held[name])
                moved = True
        if not moved and not self.changed:
            return
        for held in self.changed:
            held.items, held.kind = None, ""
        self.done.clear()
        for function in self.handed:
            self._enter(function, None)
        for callee, given in list(self.later):
            self.apply(callee, given)

    # --- names -------------------------------------------------------------------------------------------------

    def bind(self, name: str, held: Held) -> None:
        scope = self.scope
        if scope.outer is not None and name in scope.outer:
            scope = self.top
        if scope.shifting is not None and name in scope.shifting:
            held = self._lost(held)
        if scope.of_class and (held.name is not None or held.kind in ("partial", "method")):
            self.hand_on(held)
        if name in scope.loads:
            scope.late.add(name)
        scope.bound.append(name)
        scope.held[name] = held

    def _lost(self, held: Held) -> Held:
        """What a name holds when it may hold something else as well."""
        if held.name is not None or held.code is not None or held.kind:
            self.hand_on(held)
        return unknown(held.flow)

    def meet(self, one: Held, other: Held) -> Held:
        found = either(one, other)
        if found is not one and found is not other:
            for held in (one, other):
                if held.name is not None and held.name in ACTING_NAMES:
                    self.unclear(f"a name stands for `{held.name}` or for something else")
                elif held.code is not None or held.kind in ("partial", "method"):
                    self.hand_on(held)
        return found

    def assign(self, target: ast.expr, held: Held) -> None:
        kind = type(target)
        if kind is ast.Name:
            self.bind(target.id, held)  # type: ignore[attr-defined]
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, held)
        elif isinstance(target, ast.Attribute):
            self._store(target, held)
        elif isinstance(target, ast.Subscript):
            self._put(target, held)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, unknown(held.flow))

    def _unpack(self, targets: list[ast.expr], held: Held) -> None:
        items = held.items if held.kind == "" else None
        exact = items is not None and len(items) == len(targets) and not any(type(t) is ast.Starred for t in targets)
        if not exact:
            self._lost(held)
        for at, target in enumerate(targets):
            part = items[at] if items is not None and exact else held if held.glob else unknown(held.flow)
            if exact and part.name is not None and part.name in ACTING_NAMES:
                self.hand_on(part)
            self.assign(target, part)

    def _store(self, target: ast.Attribute, held: Held) -> None:
        owner = self.ev(target.value)
        self.store(owner, target.attr, held)
        if owner.kind not in ("object", "class"):
            self._taint(target.value, held.flow)

    def store(self, owner: Held, attr: str, held: Held) -> None:
        if held.name is not None or held.code is not None or held.kind or held.flow & BY_NAME:
            self.hand_on(held)
        if owner.name is not None:
            top = owner.name.partition(".")[0]
            whole = f"{owner.name}.{attr}"
            if top in STANDARD and whole not in _OWN_TO_SET and (top != "sys" or attr not in _STREAMS):
                self.unclear(f"`{whole}` is made to be something else")
        elif owner.kind == "object":
            self._keep(owner.data[1], attr, held)
            owner.flow |= held.flow
        elif owner.kind == "class":
            self._keep(owner.data.held, attr, held)
        elif owner.flow & BY_NAME or attr in ("__class__", "__code__", "__globals__", "__dict__"):
            self.unclear(f"`{attr}` is made to be something else")

    def _put(self, target: ast.Subscript, held: Held) -> None:
        owner = self.ev(target.value)
        key = self.ev(target.slice) if type(target.slice) is not ast.Slice else UNKNOWN
        if held.name is not None or held.code is not None or held.kind or held.flow & BY_NAME:
            self.hand_on(held)
        if owner.name in ("os.environ", "os.environb"):
            self.set_variable(key, held)
        elif owner.flow & BY_NAME:
            self.unclear("what is there by its name is made to be something else")
        elif owner.kind == "table" and key.known:
            self._keep(owner.data, as_text(key), held)
            owner.flow |= held.flow
        elif owner.items is not None:
            self._alter(owner)
            owner.flow |= held.flow
        else:
            self._taint(target.value, held.flow)

    def _keep(self, table: dict[str, Held], name: str, held: Held) -> None:
        """What an object holds under a name from here on; in a loop it may have been something else before."""
        old = table.get(name)
        if not self.certain:
            held = unknown(held.flow) if old is None else self.meet(old, held)
            self.stale = self.stale or old is None or not same(old, held)
        table[name] = held

    def _taint(self, node: ast.expr, flow: int) -> None:
        """What is put into an object, the object carries."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if flow and type(node) is ast.Name:
            found = self.scope.look_up(node.id)
            if found is not None and found.flow | flow != found.flow and found.name is None:
                if found.kind or found.items is not None:
                    found.flow |= flow
                else:
                    self.bind(node.id, unknown(found.flow | flow) if found.text is None else found)

    def changes(self, owner: Held, name: str, given: Given) -> Held:
        """`list.append` and its like: followed where the code runs once and for sure."""
        self.hand_on_all(given)
        owner.flow |= given.flow
        if self.certain and owner.items is not None and owner.kind == "" and not given.spread:
            if name == "append" and len(given.args) == 1 and len(owner.items) < 200:
                owner.items.append(given.args[0])
                self.changed.append(owner)
                return UNKNOWN
            more = given.args[0].items if given.args else None
            if name == "extend" and more is not None and not given.args[0].kind and len(owner.items) + len(more) < 200:
                owner.items.extend(more)
                self.changed.append(owner)
                return UNKNOWN
        result = unknown(owner.flow)
        self._alter(owner)
        return result

    def _alter(self, owner: Held) -> None:
        if owner.used and not self.certain:
            self.stale = True
        for item in owner.items or ():
            if item.name is not None or item.code is not None:
                self.hand_on(item)
        self.changed.append(owner)
        owner.items = None

    # --- imports -----------------------------------------------------------------------------------------------

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.bind(alias.asname or top, reference(alias.name if alias.asname else top))
            self._brought(alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or "."
        self._brought(module)
        for alias in node.names:
            if alias.name == "*":
                self._star(module)
                continue
            name = f"{module}.{alias.name}"
            if module == "builtins":
                name = alias.name
            elif name in ("sys.modules", "sys.argv", "sys.executable") or module in ("os", "sys"):
                self.bind(alias.asname or alias.name, self.attribute(reference(module), alias.name))
                continue
            self.bind(alias.asname or alias.name, reference(name))

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
                from .python_values import joined

                found = joined([old, value])
            if old.name is not None or old.code is not None:
                self.hand_on(old)
            self.bind(target.id, found)
        else:
            self.assign(target, unknown(value.flow))

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
                if scope.bound[since:].count(name) > 1:
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
        for round_ in range(_MAX_ROUNDS + 1):
            before, since = dict(scope.held), len(scope.bound)
            scope.loads, scope.late, self.stale = set(), set(), False
            self.leaving.append([])
            start()
            self.run(body)
            left = self.leaving.pop()
            if left:
                scope.held = self._met([scope.held, *left])
            again = self.stale
            for name in set(scope.bound[since:]):
                old, new = before.get(name), scope.held.get(name)
                if new is None or (old is not None and same(old, new)):
                    continue
                if old is not None:
                    scope.held[name] = self._lost(new) if round_ < _MAX_ROUNDS else UNKNOWN
                    scope.held[name] = unknown(scope.held[name].flow | old.flow)
                    if old.name is not None or old.code is not None:
                        self.hand_on(old)
                again = again or name in scope.late
            outer_loads |= scope.loads
            outer_late |= scope.late
            if not again:
                break
        else:
            self.unclear("a loop changes what it does each time")
        scope.loads, scope.late = outer_loads, outer_late
        self.certain = certain

    def _leave(self, node: ast.Break | ast.Continue) -> None:
        if self.leaving:
            self.leaving[-1].append(dict(self.scope.held))

    # --- functions and classes ---------------------------------------------------------------------------------

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        static = any(type(one) is ast.Name and one.id == "staticmethod" for one in node.decorator_list)
        function = Function(node, self.scope.visible(), self.defaults(node.args), static)
        for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if parameter.annotation is not None and type(parameter.annotation) is ast.Call:
                self.plain(parameter.annotation)
        if node.returns is not None and type(node.returns) is ast.Call:
            self.plain(node.returns)
        held = Held(code=function)
        self.functions.append(function)
        self.bind(node.name, self._decorated(node.decorator_list, held))
        if self.scope.of_class and self.binds_outside:
            self.loose(function)

    def _decorated(self, decorators: list[ast.expr], held: Held) -> Held:
        plain = True
        for decorator in reversed(decorators):
            callee = self.ev(decorator)
            if callee.name in _KEEPS:
                continue
            plain = False
            if held.code is not None:
                self.loose(held.code)
            if callee.name is not None or callee.code is not None or callee.kind:
                self.apply(callee, Given([UNKNOWN]))
        return held if plain else UNKNOWN

    def _class(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.plain(base)
        for word in node.keywords:
            self.plain(word.value)
        outer = self.scope
        self.scope = inside = Scope(outer, of_class=True)
        self.run(node.body)
        self.scope = outer
        self.bind(node.name, self._decorated(node.decorator_list, Held(kind="class", data=inside)))

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.scope.returns.append(self.ev(node.value))

    def _global(self, node: ast.Global | ast.Nonlocal) -> None:
        if self.scope.outer is None:
            self.scope.outer = set()
        if isinstance(node, ast.Global):
            self.scope.outer.update(node.names)
        else:
            for name in node.names:
                scope: Scope | None = self.scope.parent
                while scope is not None:
                    if name in scope.held:
                        scope.held[name] = self._lost(scope.held[name])
                        scope.shifting = {name} if scope.shifting is None else scope.shifting | {name}
                    scope = scope.parent

    def loose(self, function: Function) -> None:
        """A function that may be called at any time, with anything."""
        if function.loose:
            return
        function.loose = True
        self.handed.append(function)
        self._enter(function, None)

    def local(self, function: Function, given: Given) -> Held:
        """A function of the code itself, followed with what it is given."""
        function.called = True
        if function in self.calling or len(self.calling) >= _MAX_DEPTH:
            self.hand_on_all(given)
            self.loose(function)
            return unknown(given.flow)
        return self._enter(function, given)

    def _enter(self, function: Function, given: Given | None) -> Held:
        node = function.node
        inside = Scope(function.scope)
        self._parameters(node.args, inside, function.given, given)
        outer, certain = self.scope, self.certain
        self.scope = inside
        self.certain = certain and given is not None
        self.calling.append(function)
        leaving, self.leaving = self.leaving, []
        top_since = len(self.top.bound)
        try:
            if isinstance(node, ast.Lambda):
                return self.ev(node.body)
            self.run(node.body)
        finally:
            self.calling.pop()
            self.scope, self.certain, self.leaving = outer, certain, leaving
        if given is None:
            for name in inside.outer or ():
                if name in self.top.held and name in self.top.bound[top_since:]:
                    self.top.held[name] = self._lost(self.top.held[name])
                self.top.shifting = {name} if self.top.shifting is None else self.top.shifting | {name}
        return self._returned(inside.returns, loose=given is None)

    def _returned(self, returns: list[Held], *, loose: bool) -> Held:
        if not returns:
            return UNKNOWN
        found = returns[0]
        for other in returns[1:]:
            found = self.meet(found, other)
        if loose and (found.name is not None or found.kind):
            self.hand_on(found)
        return found

    def _parameters(self, args: ast.arguments, inside: Scope, defaults: dict[str, Held], given: Given | None) -> None:
        places = [*args.posonlyargs, *args.args]
        names = [parameter.arg for parameter in (*places, *args.kwonlyargs)]
        if given is None or given.spread:
            for name in names:
                inside.held[name] = UNKNOWN if given is None else unknown(given.flow)
            if given is not None:
                self.hand_on_all(given)
            rest: list[Held] | None = None
            words: dict[str, Held] | None = None
        else:
            for name in names:
                inside.held[name] = defaults.get(name, UNKNOWN)
            for parameter, held in zip(places, given.args, strict=False):
                inside.held[parameter.arg] = held
            rest = given.args[len(places) :]
            words = {}
            for name, held in given.words.items():
                if name in names:
                    inside.held[name] = held
                else:
                    words[name] = held
        if args.vararg is not None:
            inside.held[args.vararg.arg] = UNKNOWN if rest is None else Held(items=list(rest))
        if args.kwarg is not None:
            inside.held[args.kwarg.arg] = UNKNOWN if words is None else Held(kind="table", data=words)

    # --- text that is run --------------------------------------------------------------------------------------

    def run_text(self, held: Held, expression: bool, apart: bool = False) -> Held:
        """`exec` and `eval`: read where the text is known. In a function, or `apart`, what it binds is not seen."""
        tree = _parsed(as_text(held).strip() if expression else as_text(held)) if held.known else None
        if tree is None or len(self.calling) >= _MAX_DEPTH:
            self.unclear(f"`{'eval' if expression else 'exec'}` runs what is not seen here")
            self.remote_code(held)
            return unknown(held.flow | (BY_NAME if expression else 0))
        if held.flow & DECODED:
            self.hides("a text that is decoded and run")
        if expression and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            return self.ev(tree.body[0].value)
        outer = self.scope
        if apart or (outer.parent is not None and not outer.of_class):
            self.scope = Scope(outer)
        try:
            self.run(tree.body)
        finally:
            self.scope = outer
        return UNKNOWN

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
_STREAMS = ("stdout", "stderr", "stdin", "argv", "exit", "tracebacklimit", "ps1", "ps2", "dont_write_bytecode", "path")
_OWN_TO_SET = ("os.environ", "sys.excepthook", "sys.displayhook", "sys.unraisablehook", "threading.excepthook")
_KEEPS = frozenset(
    "staticmethod classmethod property functools.cache functools.lru_cache contextlib.contextmanager "
    "dataclasses.dataclass typing.overload abc.abstractmethod contextlib.asynccontextmanager functools.cached_property "
    "functools.total_ordering".split()
)
_STATEMENTS: dict[type, Callable[[_Reader, ast.stmt], None]] = {
    ast.Expr: _Reader._expression,
    ast.Assign: _Reader._assign,
    ast.AnnAssign: _Reader._annotated,
    ast.AugAssign: _Reader._augmented,
    ast.Delete: _Reader._delete,
    ast.Import: _Reader._import,
    ast.ImportFrom: _Reader._import_from,
    ast.If: _Reader._if,
    ast.For: _Reader._for,
    ast.AsyncFor: _Reader._for,
    ast.While: _Reader._while,
    ast.Try: _Reader._try,
    ast.TryStar: _Reader._try,
    ast.With: _Reader._with,
    ast.AsyncWith: _Reader._with,
    ast.Match: _Reader._match,
    ast.FunctionDef: _Reader._function,
    ast.AsyncFunctionDef: _Reader._function,
    ast.ClassDef: _Reader._class,
    ast.Return: _Reader._return,
    ast.Global: _Reader._global,
    ast.Nonlocal: _Reader._global,
    ast.Break: _Reader._leave,
    ast.Continue: _Reader._leave,
    ast.Assert: _Reader._assert,
    ast.Raise: _Reader._raise,
}  # type: ignore[dict-item]
