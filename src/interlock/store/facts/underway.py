"""Which call of a session was under way at a moment, as the ledger tells it.

A call begins with the row of its decision and ends with that of its outcome. What changed on the disk in between, by
the time of its change, changed while it ran: that is all that is said, and nothing is allowed because of it.
"""

from __future__ import annotations

import os

from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..ledger.rows import open_decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ...record.chain import Row

__all__ = ["Underway", "touched", "underway"]

_SLACK = 50  # milliseconds by which the clock of a disk may be late
_NAMED_BY = ("command", "file_path", "notebook_path", "url")


class Underway(Value):
    """
    text      what the call said: its command or file, else its tool
    settings  settings of git that it changes
    writes    files and folders that it writes
    """

    text: str
    settings: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def names(self, path: str) -> bool:
        """Whether it says that it writes the file, or into a folder above it."""
        return any((path + "/").startswith(written + "/") for written in self.writes)


def touched(path: str) -> int:
    """When the file was changed last, or removed, in milliseconds; 0: that cannot be told."""
    at = 0
    for look in (os.lstat, os.stat):
        try:
            at = max(at, look(path).st_ctime_ns)
        except (OSError, ValueError):
            continue
    folder = path
    while not at and len(folder) > 1:
        folder = os.path.dirname(folder)
        try:
            at = os.stat(folder).st_ctime_ns
        except (OSError, ValueError):
            continue
    return at // 1_000_000


def underway(rows: Iterable[Row], moment: int, told: int = 0) -> Underway | None:
    """The newest call that ran at the moment. `rows`: the session's, newest first; `told`: the decision whose
    outcome is being told. A call of which nothing was heard since counts while no other came after it.
    """
    ended: dict[Any, int] = {}
    is_last = True
    for row in rows:
        if row.kind == "outcome":
            found = parse_object(row.body, limit=MAX_STATE_BYTES)
            ended[found.get("decision")] = 0 if found.get("outcome") == "not_run" else row.at
        elif row.kind == "decision":
            last, is_last = is_last, False
            if row.at > moment + _SLACK:
                continue
            end = moment if row.seq == told else ended.get(row.seq)
            if end is not None and end + _SLACK < moment:
                continue
            body = open_decision(row)[1]
            if end is None and not (last and body["decision"]["verdict"] == "allow"):
                continue
            return _named(row, body)
    return None


def _named(row: Row, body: Mapping[str, Any]) -> Underway:
    given = parse_object(row.body, limit=MAX_STATE_BYTES).get("input")
    given = given if type(given) is FrozenMap else FrozenMap({})
    text = next((text for name in _NAMED_BY if type(text := given.get(name)) is str), str(body["call"]["tool"]))
    actions = [(action["name"], action["target"]) for action in body["reading"]["actions"]]
    settings = [str(target.get("key", "")) for name, target in actions if name == "git:config"]
    writes = [str(target["path"]) for name, target in actions if name == "fs:write" and "path" in target]
    return Underway(text=text, settings=frozenset(settings), writes=frozenset(writes))
