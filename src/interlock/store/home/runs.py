"""The run folder: who is at work there, how often the marker was used, and the log of what was not planned.

The lock is a small file that each call of the session renews under the file's lock, so that of two sessions that come
at the same moment one gets the folder. It names the process that the session runs in and lives exactly as long as that
process; nobody has to give it back. It belongs to that process: its other sessions, such as one after `/clear`, and
those of clients that run below it are let in. Where the process cannot be told (another machine, no table of
processes), it is stale after a while. Marked commands are counted in the same step, so two calls cannot share the last
one; the lock remembers which attempts were counted lately, so that an attempt that is made again counts once.
"""

from __future__ import annotations

import os
import time

from ...bytes.canon import canonical
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...model.session import Run
from ...plan.match import command_text
from ...value import TYPE_CHECKING, FrozenMap
from ..clock import now
from ..people.surface import began, is_below, process_of
from .files import append_line, read_file, update_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.action import Line
    from ...model.call import Call
    from ...model.facts import Facts
    from ...policy.plan import Planned

__all__ = ["LOCK", "LOG", "enter_run", "look_at_run", "outputs_there", "read_lock", "release"]

LOG = "plan_violations.jsonl"
LOCK = ".interlock-run.json"
_FREE: Mapping[str, Any] = FrozenMap(
    {"boot": "", "claims": FrozenMap({}), "markers": 0, "process": (), "seen": 0, "session": ""}
)
_CLAIMS = 32  # attempts that the lock remembers


def enter_run(
    folder: str, call: Call, line: Line | None, planned: Planned, facts: Facts, *, idle: int, claim: str = ""
) -> Run:
    """Renews the lock, counts the marker, writes the row. What could not be kept is the run's `trouble`.

    `claim` names the attempt: one that was counted before finds the run as it stood then, and nothing is written.
    """
    counts = line is not None and (line.marker or bool(line.unplanned))
    marker = line is not None and line.marker
    try:
        run, again = _claim(
            folder, call.kept_session, idle, marker=marker, parent=facts.parent, claim=claim if counts else ""
        )
    except StoreError as error:
        return Run(trouble=str(error))
    kind = None if again else _kind(line, planned, run)
    if kind is not None and line is not None:
        row = {
            "arm": line.arm,
            "command": redact(_sayable(command_text(call, facts))),
            "kind": kind,
            "timestamp": now(),
        }
        try:
            append_line(f"{folder}/{LOG}", canonical(row))
        except StoreError as error:
            return run.replace(trouble=str(error))
    return run


def look_at_run(folder: str, call: Call, *, idle: int, parent: int = 0) -> Run:
    """As the run stands, for those who decide nothing that will happen. Nothing is changed."""
    try:
        lock = read_lock(folder)
    except StoreError as error:
        return Run(trouble=str(error))
    return _run(folder, lock["markers"], other=_held_by_other(lock, call.kept_session, idle, parent))


def read_lock(folder: str) -> dict[str, Any]:
    path = f"{folder}/{LOCK}"
    return _lock_from(read_file(path, limit=MAX_STATE_BYTES) or b"", path)


def release(folder: str) -> None:
    """Lets the next session in at once. The count of markers stays."""
    path = f"{folder}/{LOCK}"

    def change(raw: bytes) -> bytes:
        return _wire({**_FREE, "markers": _lock_from(raw, path)["markers"]})

    update_file(path, change)


def _run(folder: str, markers: int, *, other: bool) -> Run:
    return Run(markers=markers, other=other, folder=folder if other else "")


def _claim(folder: str, session: str, idle: int, *, marker: bool, parent: int, claim: str) -> tuple[Run, bool]:
    """How the run stood before the call, and whether this attempt was counted already."""
    found: list[tuple[Run, bool]] = []
    path = f"{folder}/{LOCK}"

    def change(raw: bytes) -> bytes | None:
        lock = _lock_from(raw, path)
        claims = dict(lock["claims"])
        again = claim in claims
        other = _held_by_other(lock, session, idle, parent)
        found.append((_run(folder, claims.get(claim, lock["markers"]), other=other), again))
        if other:
            return None
        if session:
            lock = {**lock, "seen": int(time.time())}
        if session and not _is_lent(lock, session, parent):
            lock = {**lock, **_holder(parent), "session": session}
        if claim and not again:
            claims[claim] = lock["markers"]
            lock = {**lock, "claims": dict(list(claims.items())[-_CLAIMS:])}
        return _wire({**lock, "markers": lock["markers"] + (marker and not again)})

    update_file(path, change)
    return found[0]


def _wire(lock: Mapping[str, Any]) -> bytes:
    """A run in which nothing was counted reads as older versions wrote it."""
    return canonical({key: value for key, value in lock.items() if key != "claims" or value}) + b"\n"


def _held_by_other(lock: Mapping[str, Any], session: str, idle: int, parent: int) -> bool:
    """A call without a session cannot be told apart from the one at work, and is not held up."""
    holder = lock["session"]
    if not session or not holder or holder == session:
        return False
    if lock["boot"] and lock["boot"] == _boot() and idle:
        pid, start = lock["process"]
        own = process_of(parent)
        related = own is not None and (is_below(parent, (pid, start)) or is_below(pid, own))
        return bool(began(pid) == start) and not related
    return abs(time.time() - int(lock["seen"])) < idle * 60  # a clock that was set back does not free it early


def _is_lent(lock: Mapping[str, Any], session: str, parent: int) -> bool:
    """Whether the session runs below the process that holds the folder, and so leaves it its holder."""
    if lock["session"] in ("", session) or not lock["boot"] or lock["boot"] != _boot():
        return False
    pid, start = lock["process"]
    return bool(pid != parent and is_below(parent, (pid, start)))


def _holder(parent: int) -> dict[str, Any]:
    """The process that runs the agent, and the boot that its number belongs to; empty where they cannot be told."""
    process, boot = process_of(parent), _boot()
    return {"boot": boot, "process": process} if process and boot else {"boot": "", "process": ()}


def _boot() -> str:
    """This boot of this machine, and the table of processes that this process sees; empty where that cannot be told."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    except (OSError, ValueError):
        return ""


def _lock_from(raw: bytes, path: str) -> dict[str, Any]:
    if not raw.strip():
        return dict(_FREE)
    try:
        lock = parse_object(raw, limit=MAX_STATE_BYTES)
    except InputError:
        lock = FrozenMap({"no": "lock"})
    lock = {"boot": "", "claims": FrozenMap({}), "process": (), **lock}  # an older version kept none of them
    plain = set(lock) == set(_FREE) and all(type(lock[key]) is type(value) for key, value in _FREE.items())
    claims: Any = lock["claims"] if plain else {}
    process: Any = lock["process"] if plain else ()
    plain = plain and all(type(count) is int for count in claims.values())
    if not plain or (lock["boot"] and not (len(process) == 2 and all(type(number) is int for number in process))):
        raise StoreError(f"`{path}` is not the lock of a run; take it away if nobody is at work there")
    return dict(lock)


def _kind(line: Line | None, planned: Planned, run: Run) -> str | None:
    if line is None or planned.fault or planned.missing or run.other:
        return None
    if line.marker and (planned.limit is None or run.markers < planned.limit):
        return "ad-hoc"
    return "unplanned" if line.unplanned else None


def _sayable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def outputs_there(places: tuple[str, ...], paths: tuple[str, ...]) -> frozenset[str]:
    """Those of the paths at which there is something; relative ones may lie in any of the places."""
    return frozenset([path for path in paths if any(_has_content(os.path.join(place, path)) for place in places)])


def _has_content(path: str) -> bool:
    """A file with something in it, or a folder that holds such a file at any depth. `touch` produces no output."""
    if not os.path.isdir(path):
        return _size(path) > 0
    return any(_size(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:  # not there, or a link into nothing
        return 0
