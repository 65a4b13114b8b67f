"""Functions and classes of Python code itself: followed where they are called, with what they are given.

One that is handed on, or that nobody is seen to call, is followed with nothing known; so is one that calls itself.
What a name holds when such a function runs is whatever it may hold by then.
"""

from __future__ import annotations

import ast

from .annotations import read_annotation
from .bindings import Bindings
from .making import OPENERS
from .names import MEDDLES, Scope
from .standard_rows import HEIRS
from .tasks import GIVEN_BY
from .values import BY_NAME, DECODED, FOUND, UNKNOWN, Function, Given, Held, as_text, parsed, unknown

__all__ = ["KEEPS", "MAX_STEPS", "Functions", "Spent", "bound_again"]

MAX_STEPS = 20_000  # statements that are followed, unrolled loops and called functions included
_MAX_DEPTH = 12  # functions in functions


class Spent(Exception):
    """Too much to follow."""


class Functions(Bindings):
    calling: list[Function]
    functions: list[Function]  # every function that was defined
    handed: list[Function]  # and those that may be called at any time
    leaving: list[list[dict[str, Held]]]
    binds_outside: bool
    steps: int

    def run(self, body: list[ast.stmt]) -> None:
        raise NotImplementedError

    def spend(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Spent

    def finish(self) -> None:
        """Functions that nobody was seen to call, and those that may be called when names hold something else."""
        for function in self.functions:
            if not function.loose and (function.any_time or not function.called):
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
            for name in bound_again(one.bound):
                if name not in one.held:
                    continue
                one.held[name] = self._lost(one.held[name])
                moved = True
            moved = moved or any(_is_followed(one.held.get(name)) for name in one.late)
        if not moved and not self.changed:
            return
        for held in self.changed:
            held.items, held.kind = None, ""
        self.done.clear()
        for function in self.handed:
            self._enter(function, None)
        for callee, given in list(self.later):
            self.apply(callee, given)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        static = any(type(one) is ast.Name and one.id == "staticmethod" for one in node.decorator_list)
        function = Function(node, self.scope.visible(), self.defaults(node.args), static)
        args = node.args
        for parameter in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if parameter is not None and parameter.annotation is not None:
                read_annotation(self, parameter.annotation)
        read_annotation(self, node.returns)
        held = Held(code=function)
        self.functions.append(function)
        self.bind(node.name, self._decorated(node.decorator_list, held))
        if self.scope.of_class and self.binds_outside:
            self.loose(function)

    def _decorated(self, decorators: list[ast.expr], held: Held) -> Held:
        plain = True
        for decorator in reversed(decorators):
            callee = self.ev(decorator)
            if callee.name in KEEPS:
                continue
            plain = False
            if held.code is not None:
                held.code.first = held.code.first or self._given_by(decorator)
                self.loose(held.code)
            if callee.name is not None or callee.code is not None or callee.kind:
                self.apply(callee, Given([UNKNOWN]))
        return held if plain else UNKNOWN

    def _given_by(self, decorator: ast.expr) -> str:
        """`@task`, `@task(help=…)`: what the function is given by whoever runs the task; empty if it is none."""
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        return GIVEN_BY.get(self.ev(head).name or "", "") if isinstance(head, ast.Name | ast.Attribute) else ""

    def _class(self, node: ast.ClassDef) -> None:
        bases = [self.plain(base) for base in node.bases]
        for word in node.keywords:
            self.plain(word.value)
        outer = self.scope
        self.scope = inside = Scope(outer, of_class=True)
        self.run(node.body)
        self.scope = outer
        plain = not node.keywords and MEDDLES.isdisjoint(inside.held)
        plain = plain and self.knows_bases(node.bases)
        held = Held(kind="class", data=inside) if plain else UNKNOWN
        for base in bases:
            if base.kind == "class":  # objects of this class have all that is in it
                self._called_unseen(base.data, whole=True)
            elif base.name is not None and (base.name in OPENERS or base.name in HEIRS):
                held = self._heir(base.name, inside)
        self._called_unseen(inside, whole=not plain)
        self.bind(node.name, self._decorated(node.decorator_list, held))

    def _called_unseen(self, inside: Scope, *, whole: bool) -> None:
        """Methods that nobody is seen to call: the special ones, or all where it is not known what the objects do."""
        for name, held in inside.held.items():
            function = held.code
            if function is None:
                if held.flow & FOUND and name[:2] == "__":
                    self.unclear(f"`{name}` is a function that is looked up while the code runs")
                continue
            if whole or (name[:2] == "__" and name != "__init__"):
                function.any_time = True
            if function.any_time or isinstance(function.node, ast.Lambda):
                if not any(one is function for one in self.functions):
                    self.functions.append(function)

    def _heir(self, base: str, inside: Scope) -> Held:
        """A class whose objects are files, or act otherwise: who makes one does what the class does it comes from."""
        if inside.held.keys() & {"__init__", "__new__"}:
            self.unclear(f"it is unclear what a kind of `{base}` is given")
            return UNKNOWN
        return Held(kind="heir", data=base)

    def knows_bases(self, bases: list[ast.expr]) -> bool:
        """True if all that the objects of a class do is in the class."""
        return all(isinstance(base, ast.Name) and base.id == "object" for base in bases)

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
        self.spend()
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
        self.touched += 1
        tree = parsed(as_text(held).strip() if expression else as_text(held)) if held.known else None
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


def _is_followed(held: Held | None) -> bool:
    """Whether a name that was looked up before it was bound stands for something that acts when it is called."""
    if held is None:
        return False
    return (
        held.name is not None
        or held.kind in ("partial", "method", "caller")
        or (held.code is not None and held.code.called and not held.code.loose)
    )


def bound_again(names: list[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]


# Decorators that leave a function what it is.
KEEPS = frozenset(
    "staticmethod classmethod property functools.cache functools.lru_cache contextlib.contextmanager "
    "dataclasses.dataclass typing.overload abc.abstractmethod contextlib.asynccontextmanager functools.cached_property "
    "functools.total_ordering".split()
)
