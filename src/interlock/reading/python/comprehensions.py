"""Comprehensions of Python code, and what a loop goes through: item by item, where the items are known."""

from __future__ import annotations

import ast

from .called import MAX_ITEMS, Called
from .names import Scope
from .values import SOME, Held, unknown

__all__ = ["Comprehensions"]

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Comprehensions(Called):
    scope: Scope

    def ev(self, node: ast.expr) -> Held:
        raise NotImplementedError

    def plain(self, node: ast.expr) -> Held:
        raise NotImplementedError

    def spend(self) -> None:
        raise NotImplementedError

    def assign(self, target: ast.expr, held: Held) -> None:
        raise NotImplementedError

    def _comprehension(self, node: _Comprehension) -> Held:
        outer = self.scope
        self.scope = Scope(outer, inner=True)
        try:
            found: list[Held] = []
            exact = self._generate(node, 0, found)
        finally:
            self.scope = outer
        flow = 0
        for held in found:
            flow |= held.flow
        if isinstance(node, ast.DictComp):
            return unknown(flow)
        if exact is None:
            pattern = found[0] if len(found) == 1 and found[0].glob else None
            return pattern if pattern is not None else unknown(flow)
        return Held(items=found, flow=flow, kind="" if exact and type(node) is not ast.SetComp else SOME)

    def _generate(self, node: _Comprehension, at: int, found: list[Held]) -> bool | None:
        """True if every item is known and stays, False if only some of them stay, None if they are not known."""
        if at == len(node.generators):
            if isinstance(node, ast.DictComp):
                found.append(unknown(self.plain(node.key).flow | self.plain(node.value).flow))
            else:
                found.append(self.plain(node.elt))
            return True
        part = node.generators[at]
        source = self.plain(part.iter)
        exact: bool | None = True
        items = self.items_of(source)
        if items is None:
            exact, items = None, [source if source.glob else unknown(source.flow)]
        for item in items:
            self.spend()
            self.assign(part.target, item)
            for test in part.ifs:
                self.ev(test)
                exact = exact and False
            inner = self._generate(node, at + 1, found)
            exact = None if exact is None or inner is None else exact and inner
        return False if exact and source.kind == SOME else exact

    def items_of(self, held: Held) -> list[Held] | None:
        """What a loop goes through, where that is known and worth going through one by one."""
        items = held.items
        if items is None or held.kind not in ("", SOME):
            return None
        held.used = True
        if len(items) > MAX_ITEMS:
            if any(item.text is not None or item.items is not None for item in items):
                self.unclear("a list is too long to go through")
            return None
        if items and not any(
            item.text is not None or item.items or item.name or item.code or item.kind for item in items
        ):
            return None
        return items
