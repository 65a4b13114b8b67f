"""Variables of the environment in Python code: which one is looked at, and which one is set for what is started."""

from __future__ import annotations

from ..evaluate.environment import hand_over
from .services import Services
from .values import SECRET, TOKEN, UNKNOWN, Given, Held, as_text, unknown

__all__ = ["Environment"]

_PRIVATE = ("SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE", "CREDENTIAL", "_KEY")


class Environment(Services):
    def of_environment(self, name: str, given: Given) -> Held:
        """`os.environ.get`, `.update`, …: one variable, or all of them."""
        if name in ("get", "pop", "__getitem__", "setdefault"):
            if name == "setdefault" and len(given.args) > 1:
                self.set_variable(given.args[0], given.args[1])
            return self.variable(given.get(0), given.get(1))
        if name in ("update", "__setitem__"):
            table = given.args[0].data if given.args and given.args[0].kind == "table" else None
            if given.args and table is None:
                self.unclear("it is unclear which variables are set")
            for key, value in {**(table or {}), **given.words}.items():
                self.set_variable(Held(key), value)
            return UNKNOWN
        if name in ("copy",):
            return Held(kind="table", data={}, flow=SECRET, glob=True)
        return unknown(SECRET if name in ("items", "values", "__str__", "__repr__") else 0)

    def variable(self, key: Held | None, otherwise: Held | None = None) -> Held:
        name = as_text(key) if key is not None and key.known else ""
        if name == "HOME":
            return Held(self.found.facts.home)
        if name in self.shell.exported and self.shell.variables.get(name):
            value = self.shell.variables[name][0]
            return Held(value.text, value.glob)
        flow = TOKEN if any(part in name.upper() for part in _PRIVATE) else 0
        blank = unknown(flow | (0 if otherwise is None else otherwise.flow))
        # marked as the variable itself, and not what is made of it
        return Held(blank.text, flow=blank.flow, kind="variable") if flow else blank

    def set_variable(self, key: Held, value: Held) -> None:
        self.touched += 1
        if key.known:
            hand_over(as_text(key), self.arg(value), self.shell, self.span)
            if value.text is not None and as_text(key) in self.shell.exported:
                self.shell.variables[as_text(key)] = [self.arg(value)]
        else:
            self.unclear("it is unclear which variable is set")
