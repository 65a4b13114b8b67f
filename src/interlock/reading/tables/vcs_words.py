"""What the tables of version control share."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, Program, effects

if TYPE_CHECKING:
    from typing import Any

__all__ = ["GONE", "HIGH", "LOSES", "PUBLISH", "SENDS", "rows"]

HIGH = P("", risk="high").risk
LOSES = Adds(effects=effects("destructive"), irreversible=True)
GONE = Adds(effects=effects("destructive"), irreversible=True, risk=HIGH)
SENDS: dict[str, Any] = {"tags": "external sends", "risk": "medium"}
PUBLISH: dict[str, Any] = {
    "tags": "external sends",
    "risk": "high",
    "irreversible": True,
    "compensator": "a commit that reverses it",
}


# Other names of the same command: an action is called by the first.
_SAME = {
    short: name
    for name, shorts in {
        "status": "st stat", "commit": "ci", "checkout": "co get", "update": "up goto", "switch": "sw", "diff": "di",
        "blame": "praise annotate ann", "list": "ls", "delete": "del remove rm", "move": "mv rename ren", "copy": "cp",
        "propget": "pget pg", "proplist": "plist pl", "propset": "pset ps", "propdel": "pdel pd",
        "propedit": "pedit pe",
        "changelist": "cl", "resolve": "resolved", "log": "history glog", "summary": "sum", "identify": "id",
        "incoming": "in", "outgoing": "out", "purge": "clean", "init": "new", "config": "showconfig",
    }.items()
    for short in shorts.split()
}  # fmt: skip


def rows(program: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> tuple[Program, ...]:
    """A row for each of several commands that take the same words."""
    return tuple(
        P(
            name,
            operands,
            options=options,
            **{"action": f"{program}:{_SAME.get(name, name)}", "words": 2, "does": "read", **more},
        )
        for name in names.split()
    )
