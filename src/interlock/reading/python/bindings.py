"""Names and objects of Python code, and what is put into them.

A name keeps its value until it is bound again; a list, a table or an object is one thing under all its names. What may
or may not happen leaves either value, and where two values cannot both be kept the name holds nothing that is known.
"""

from __future__ import annotations

import ast

from .calls import ACTING_NAMES
from .expressions import Expressions
from .modules import STANDARD
from .names import MEDDLES, SHOWN, Scope
from .values import BY_NAME, UNKNOWN, Given, Held, as_text, either, same, unknown

__all__ = ["Bindings"]


class Bindings(Expressions):
    top: Scope
    changed: list[Held]
    stale: bool

    def bind(self, name: str, held: Held) -> None:
        scope = self.scope
        if scope.outer is not None and name in scope.outer:
            scope = self.top
            if not self.certain:  # a loop of the function may come round to it again
                held, self.stale = self._lost(held), True
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
        if (owner.code is not None and attr[:2] == "__" and attr not in SHOWN) or attr in MEDDLES:
            self.unclear(f"`{attr}` is made to be something else")
        self.rewired = self.rewired or owner.name is not None
        if owner.kind == "request":  # its method, or what it carries
            owner.data = Given([], spread=True)
        if owner.name is not None:
            top = owner.name.partition(".")[0]
            whole = f"{owner.name}.{attr}"
            if whole == "sys.path":
                self.named("sys.path.extend", Given(list(held.items or ())))
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
        elif owner.name == "sys.path":
            self.named("sys.path.extend", Given(list(held.items) if held.items is not None else [held]))
        elif owner.flow & BY_NAME:
            self.unclear("what is there by its name is made to be something else")
        elif owner.kind == "table" and key.known:
            self._keep(owner.data, as_text(key), held)
            owner.flow |= held.flow
        elif owner.items is not None:
            self._alter(owner)
            owner.flow |= held.flow
        elif owner.kind == "table":
            owner.data, owner.glob = {}, True
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


_STREAMS = ("stdout", "stderr", "stdin", "argv", "exit", "tracebacklimit", "ps1", "ps2", "dont_write_bytecode", "path")
_OWN_TO_SET = ("os.environ", "sys.excepthook", "sys.displayhook", "sys.unraisablehook", "threading.excepthook")
