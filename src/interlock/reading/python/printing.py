"""`print` in Python code: what it shows does not matter, unless that is the environment or a secret."""

from __future__ import annotations

import ast

from ...model.effects import Effect
from .comprehensions import Comprehensions
from .libraries import OF_TOKENS
from .values import SECRET, TOKEN, UNKNOWN, Held

__all__ = ["ENVIRONMENT", "Printing"]

ENVIRONMENT = ("os.environ", "os.environb")


class Printing(Comprehensions):
    def print_call(self, node: ast.Call) -> Held:
        """Most calls are this one, and what it prints does not matter: only what happens while that is worked out."""
        for part in node.args:
            self._show(part)
        for word in node.keywords:
            self.plain(word.value)
        return UNKNOWN

    def _show(self, part: ast.expr) -> None:
        kind = type(part)
        if kind is ast.Constant:
            return
        if isinstance(part, ast.JoinedStr):
            for inner in part.values:
                if isinstance(inner, ast.FormattedValue):
                    self._show(inner.value)
                    if inner.format_spec is not None:
                        self._show(inner.format_spec)
            return
        held = self.ev(part.value if isinstance(part, ast.Starred) else part)
        if held.name in ENVIRONMENT or (held.kind == "table" and held.flow & SECRET):
            self.emit("sys:env", ("environment",), effects=(Effect.READ,))
        elif held.kind == "sdk" and held.data.rpartition(".")[2] in OF_TOKENS:
            self.emit("secret:read", ("secret",), effects=(Effect.READ,))
        elif held.flow & TOKEN and (held.kind == "variable" or self._is_variable(part)):
            self.emit("sys:env", ("environment", "secret"), effects=(Effect.READ,))

    def _is_variable(self, part: ast.expr) -> bool:
        """`os.environ["API_KEY"]`, `os.getenv("API_KEY")`: the value itself, and not what was made of it."""
        if isinstance(part, ast.Subscript):
            return self.ev(part.value).name in ENVIRONMENT
        if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Attribute):
            return False
        return part.func.attr == "getenv" or (part.func.attr == "get" and self.ev(part.func.value).name in ENVIRONMENT)
