"""Expressions of Python code: what each one holds, and what happens on the way.

Each expression is looked at once, where it stands, as the code would. `plain` is for values that go where nothing more
is known of them: a function that acts must not get lost there.
"""

from __future__ import annotations

import ast

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL
from .called import MAX_ITEMS
from .calls import ACTING, ACTING_NAMES, CALLS, METHODS
from .modules import STANDARD
from .names import BUILTINS, REACHES, SHOWN
from .printing import ENVIRONMENT, Printing
from .specials import SPECIAL
from .standard import CALLED_WORDS, gives
from .tasks import follow_actions
from .texts import ATTRIBUTES, percent
from .values import (
    BY_NAME,
    DECODED,
    FOUND,
    MAX_TEXT,
    SECRET,
    SOME,
    UNKNOWN,
    Function,
    Given,
    Held,
    as_text,
    either,
    join_paths,
    joined,
    reference,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Expressions"]

_MAX_LIST = 400
_TRUE, _FALSE, _NONE = (Held(kind="constant", data=value) for value in (True, False, None))
_FUNCTIONS = frozenset(
    (*METHODS, "system", "popen", "Popen", "rmtree", "remove_tree", "execute", "exec_command", "remove")
)
_PROCESS = frozenset(("stdout", "stderr", "output", "args"))


class Expressions(Printing):
    stars: list[str]
    argv: list[Held] | None
    file = ""  # where the code lies, if it lies somewhere
    of_doit = False  # whether values of `actions` are commands

    def ev(self, node: ast.expr) -> Held:
        found = _EXPRESSIONS.get(type(node))
        return UNKNOWN if found is None else found(self, node)

    def plain(self, node: ast.expr) -> Held:
        found = _EXPRESSIONS.get(type(node))
        if found is None:
            return UNKNOWN
        held = found(self, node)
        if held.name is not None or held.code is not None or held.kind or held.flow & BY_NAME:
            self.hand_on(held)
        return held

    # --- names -------------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Held:
        value = node.value
        if type(value) is str:
            return Held(value)
        if value is None:
            return _NONE
        if value is True or value is False:
            return _TRUE if value else _FALSE
        if type(value) is int:
            return Held(kind="number", data=value)
        if type(value) is bytes:
            try:
                return Held(value.decode())
            except UnicodeDecodeError:
                return UNKNOWN
        return UNKNOWN

    def _name(self, node: ast.Name) -> Held:
        name = node.id
        scope = self.scope
        found = scope.held.get(name)
        if found is not None:
            scope.loads.add(name)
            return found
        found = scope.look_up(name)
        if found is not None:
            return found
        for module in self.stars:
            whole = f"{module}.{name}"
            if self.is_known(whole):
                return reference(whole)
        if name == "__builtins__":
            self.unclear("`__builtins__` gives access to everything by name")
            return unknown(BY_NAME)
        if name == "__name__":
            return Held("__main__")
        if name == "__file__" and self.file:
            return Held(self.file)
        return reference(name)

    def is_known(self, name: str) -> bool:
        return name in SPECIAL or name in CALLS or name in ACTING_NAMES

    def _attribute(self, node: ast.Attribute) -> Held:
        return self.attribute(self.ev(node.value), node.attr)

    def attribute(self, owner: Held, attr: str) -> Held:
        name = owner.name
        if attr == "__call__":
            return owner
        if attr in REACHES or (attr == "__self__" and name is not None):
            self.unclear(f"`{attr}` gives access to everything by name")
            return unknown(BY_NAME)
        if name is not None:
            if name == "builtins":
                return reference(attr)
            whole = f"{name}.{attr}"
            if name in ("os", "sys") or attr == "__dict__":
                return self._of_system(name, attr, whole)
            return reference(whole)
        if attr == "__dict__" or (owner.code is not None and attr[:2] == "__" and attr not in SHOWN):
            return unknown(owner.flow | BY_NAME)
        kind = owner.kind
        if owner.text is not None and kind == "path" and attr in ATTRIBUTES:
            if NUL in owner.text:
                return unknown(owner.flow)
            return Held(ATTRIBUTES[attr](owner.text), owner.glob, owner.flow, "path")
        if kind == "tempdir" and attr == "name":
            return Held(owner.text, owner.glob, owner.flow, "path")
        if kind == "path" and attr == "parents" and owner.known and as_text(owner)[:1] == "/":
            return Held(items=[Held(above, kind="path") for above in _above(as_text(owner))])
        if kind == "table":
            inside: Held = owner.data.get(attr, unknown(owner.flow))
            return inside
        if kind == "heir":
            return reference(f"{owner.data}.{attr}")
        if kind == "partial" and attr == "func":
            return owner.data[0]  # type: ignore[no-any-return]
        if kind == "sdk":
            return Held(kind="sdk", data=f"{owner.data}.{attr}", flow=owner.flow)
        if kind == "file" and attr == "name" and isinstance(owner.data, Held):
            return owner.data
        if kind in ("process", "pids") and attr in _PROCESS:
            return Held(owner.text, owner.glob, owner.flow, kind)
        if kind == "class" and attr in owner.data.held:
            found: Held = owner.data.held[attr]
            return found
        if kind == "object" and (attr in owner.data[1] or attr in owner.data[0].data.held):
            return self._of_object(owner, attr)
        if attr in _FUNCTIONS:
            return Held(kind="method", data=(owner, attr), flow=owner.flow)
        return unknown(owner.flow)

    def _of_object(self, owner: Held, attr: str) -> Held:
        """What an object of the code's own class holds under a name; a property is called."""
        held: Held | None = owner.data[1].get(attr)
        if held is not None:
            return held
        held = owner.data[0].data.held[attr]
        if held.code is None:
            return held
        decorators = getattr(held.code.node, "decorator_list", ())
        if any(isinstance(one, ast.Name) and one.id == "property" for one in decorators):
            return self.local(held.code, Given([owner]))
        return Held(kind="partial", data=(held, [] if held.code.static else [owner], {}))

    def _of_system(self, name: str, attr: str, whole: str) -> Held:
        if attr == "__dict__":
            if name in ACTING or name == "sys":
                self.unclear(f"`{attr}` gives access to everything by name")
            return unknown(BY_NAME)
        if whole == "sys.modules":
            return unknown(BY_NAME)
        if whole == "sys.executable":
            return Held("python3")
        if whole == "sys.argv":
            return unknown(0) if self.argv is None else Held(items=self.argv)
        if whole in ("os.devnull", "os.sep", "os.curdir"):
            return Held({"devnull": "/dev/null", "sep": "/", "curdir": "."}[attr])
        return reference(whole)

    # --- what is put together ----------------------------------------------------------------------------------

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Held:
        items: list[Held] = []
        flow = 0
        for element in node.elts:
            if type(element) is ast.Starred:
                held = self.plain(element.value)
                if held.items is not None and held.kind == "":
                    held.used = True
                    items += held.items
                else:
                    items.append(unknown(held.flow))
            else:
                held = self.plain(element)
                items.append(held)
            flow |= held.flow
        if len(items) > _MAX_LIST:
            return unknown(flow)
        return Held(items=items, flow=flow, kind=SOME if type(node) is ast.Set else "")

    def _dict(self, node: ast.Dict) -> Held:
        table: dict[str, Held] = {}
        flow, whole = 0, True
        for key, value in zip(node.keys, node.values, strict=True):
            held = self.plain(value)
            flow |= held.flow
            if key is None:
                whole = whole and held.kind == "table" and not held.glob
                if held.kind == "table":
                    table.update(held.data)
                elif held.name in ENVIRONMENT:
                    flow |= SECRET
                continue
            name = self.plain(key)
            flow |= name.flow
            if name.known:
                table[as_text(name)] = held
            else:
                whole = False
        if self.of_doit and "actions" in table:
            follow_actions(self, table["actions"])
        return Held(kind="table", data=table, flow=flow, glob=not whole)

    def _joined(self, node: ast.JoinedStr) -> Held:
        parts = []
        for part in node.values:
            if type(part) is ast.Constant:
                parts.append(Held(str(part.value)))
            elif isinstance(part, ast.FormattedValue):
                held = self.ev(part.value)
                if held.name in ENVIRONMENT:
                    held = unknown(SECRET)
                elif part.format_spec is not None or part.conversion not in (-1, 115):
                    if part.format_spec is not None:
                        self.ev(part.format_spec)
                    held = unknown(held.flow)
                parts.append(held)
        return joined(parts)

    def _binary(self, node: ast.BinOp) -> Held:
        left, right = self.plain(node.left), self.plain(node.right)
        kind = type(node.op)
        flow = left.flow | right.flow
        if kind is ast.Add:
            if left.items is not None and right.items is not None and not left.kind and not right.kind:
                left.used = right.used = True
                if len(left.items) + len(right.items) <= _MAX_LIST:
                    return Held(items=[*left.items, *right.items], flow=flow)
                return unknown(flow)
            if left.text is not None or right.text is not None:
                return joined([left, right])
        elif kind is ast.Div:
            if left.text is not None or right.text is not None:
                return join_paths([left, right])
        elif kind is ast.Mod and left.text is not None:
            return percent(left, right)
        elif kind is ast.Mult:
            times = right.data if right.kind == "number" else left.data if left.kind == "number" else None
            many = left if right.kind == "number" else right
            if type(times) is int and 0 <= times <= MAX_ITEMS:
                if many.items is not None and not many.kind and len(many.items) * times <= _MAX_LIST:
                    return Held(items=many.items * times, flow=flow)
                if many.known and len(as_text(many)) * times <= MAX_TEXT:
                    return Held(as_text(many) * times, flow=flow)
        elif kind is ast.BitOr and left.kind == "table" and right.kind == "table":
            return Held(kind="table", data={**left.data, **right.data}, flow=flow)
        return unknown(flow)

    def _boolean(self, node: ast.BoolOp) -> Held:
        found = self.plain(node.values[0])
        for value in node.values[1:]:
            found = either(found, self.plain(value))
        return found

    def _unary(self, node: ast.UnaryOp) -> Held:
        held = self.ev(node.operand)
        if type(node.op) is ast.USub and held.kind == "number" and type(held.data) is int:
            return Held(kind="number", data=-held.data)
        return unknown(held.flow & ~BY_NAME)

    def _compare(self, node: ast.Compare) -> Held:
        self.ev(node.left)
        for part in node.comparators:
            self.ev(part)
        return UNKNOWN

    def _choice(self, node: ast.IfExp) -> Held:
        self.ev(node.test)
        return either(self.plain(node.body), self.plain(node.orelse))

    def _subscript(self, node: ast.Subscript) -> Held:
        owner = self.ev(node.value)
        at = node.slice
        if owner.name in ENVIRONMENT:
            return self.variable(self.ev(at))
        if type(at) is ast.Slice:
            return self._slice(owner, at)
        key = self.plain(at)
        if owner.items is not None and owner.kind == "" and key.kind == "number" and type(key.data) is int:
            owner.used = True
            there = -len(owner.items) <= key.data < len(owner.items)
            return owner.items[key.data] if there else unknown(owner.flow)
        if owner.kind == "table" and key.known:
            held: Held = owner.data.get(as_text(key), unknown(owner.flow))
            return held
        if owner.kind == "sdk":
            return owner
        if owner.text is not None and (owner.glob or owner.kind in ("process", "pids")):
            return Held(owner.text, True, owner.flow, owner.kind) if owner.glob else unknown(owner.flow)
        if owner.name is not None:
            return self._of_name(owner.name, key)
        return unknown(owner.flow)

    def _of_name(self, name: str, key: Held) -> Held:
        """`typing.List["…"]`, `sys.x[…]`: something of a module, with a key."""
        top = name.partition(".")[0]
        if top in ("typing", "annotationlib") or name in BUILTINS:
            self.named("typing.ForwardRef", Given([key]))
        if name in ACTING:
            return unknown(BY_NAME)
        return unknown(FOUND) if top in STANDARD and gives(name) else UNKNOWN

    def _slice(self, owner: Held, at: ast.Slice) -> Held:
        bounds: list[int | None] = []
        for part in (at.lower, at.upper, at.step):
            held = _NONE if part is None else self.ev(part)
            number = held.data if held.kind == "number" else None
            if part is not None and type(number) is not int:
                return unknown(owner.flow) if not owner.glob else owner
            bounds.append(number)
        where = slice(*bounds) if bounds[2] != 0 else slice(0)
        if owner.items is not None and owner.kind == "":
            owner.used = True
            return Held(items=owner.items[where], flow=owner.flow)
        if owner.known:
            return Held(as_text(owner)[where], flow=owner.flow | (DECODED if bounds[2] == -1 else 0))
        return owner if owner.glob else unknown(owner.flow)

    def _walrus(self, node: ast.NamedExpr) -> Held:
        held = self.ev(node.value)
        inside = self.scope
        while self.scope.inner and self.scope.parent is not None:
            self.scope = self.scope.parent
        self.bind(node.target.id, held)
        self.scope = inside
        return held

    def bind(self, name: str, held: Held) -> None:
        raise NotImplementedError

    # --- functions and calls -----------------------------------------------------------------------------------

    def _lambda(self, node: ast.Lambda) -> Held:
        return Held(code=Function(node, self.scope.visible(), self.defaults(node.args)))

    def defaults(self, args: ast.arguments) -> dict[str, Held]:
        given: dict[str, Held] = {}
        if args.defaults:
            names = [*args.posonlyargs, *args.args][-len(args.defaults) :]
            for parameter, value in zip(names, args.defaults, strict=True):
                given[parameter.arg] = self.ev(value)
        for parameter, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if default is not None:
                given[parameter.arg] = self.ev(default)
        return given

    def _call(self, node: ast.Call) -> Held:
        function = node.func
        owner = callee = None
        if type(function) is ast.Attribute:
            owner = self.ev(function.value)
            if owner.name is not None or owner.kind in ("table", "sdk", "class", "heir") or function.attr in REACHES:
                callee = self.attribute(owner, function.attr)
        else:
            callee = self.ev(function)
            if callee.name == "print":
                return self.print_call(node)
        given = Given([])
        given.node = node
        flow = 0
        for part in node.args:
            if type(part) is ast.Starred:
                held = self.plain(part.value)
                if held.items is not None and held.kind == "":
                    held.used = True
                    given.args += held.items
                else:
                    given.spread = True
                    given.args += [held] if held.glob and held.text is not None else []  # one of them, whichever
            else:
                held = self.ev(part)
                given.args.append(held)
            flow |= SECRET if held.name in ENVIRONMENT else held.flow
        for word in node.keywords:
            held = self.ev(word.value)
            flow |= SECRET if held.name in ENVIRONMENT else held.flow
            if word.arg is not None:
                given.words[word.arg] = held
            elif held.kind == "table":
                given.words.update(held.data)
            else:
                given.spread = True
        given.flow = flow & ~BY_NAME
        if flow & FOUND and any(given.words[word].flow & FOUND for word in CALLED_WORDS & given.words.keys()):
            self.unclear("a function that is looked up while the code runs is handed on")
        if callee is None or (
            owner is not None and owner.kind == "table" and callee.name is None and callee.code is None
        ):
            return self.method(owner or UNKNOWN, function.attr if isinstance(function, ast.Attribute) else "", given)
        return self.apply(callee, given)

    def _await(self, node: ast.Await) -> Held:
        return self.ev(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Held:
        if node.value is not None:
            self.scope.returns.append(self.yielded(node.value))
        return UNKNOWN

    def yielded(self, node: ast.expr) -> Held:
        return unknown(self.plain(node).flow)

    def _starred(self, node: ast.Starred) -> Held:
        return unknown(self.plain(node.value).flow)


def _above(path: str) -> list[str]:
    """The folders above a path, the nearest first."""
    found = []
    while path.strip("/"):
        path = path.rstrip("/").rpartition("/")[0] or "/"
        found.append(path)
    return found


_EXPRESSIONS: dict[type, Callable[..., Held]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.List: Expressions._list,
    ast.Tuple: Expressions._list,
    ast.Set: Expressions._list,
    ast.Dict: Expressions._dict,
    ast.JoinedStr: Expressions._joined,
    ast.BinOp: Expressions._binary,
    ast.BoolOp: Expressions._boolean,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._choice,
    ast.Subscript: Expressions._subscript,
    ast.NamedExpr: Expressions._walrus,
    ast.Lambda: Expressions._lambda,
    ast.Call: Expressions._call,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Await: Expressions._await,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
    ast.Starred: Expressions._starred,
}
