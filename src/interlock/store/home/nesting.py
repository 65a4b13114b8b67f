"""A session whose host was started by the agent of another session: it inherits what that one is held to.

The session above is found once, when a session begins or is resumed: a process above the host is known to the ledger
as the host of a session, or the host was started with the variable that Claude Code gives to what an agent runs and
that session's host still lives. From then on it is looked up by name. A program that leaves the tree of processes and
clears its environment is not found (docs/limits.md).
"""

from __future__ import annotations

from ...bytes.strict import parse_object
from ...limits import MAX_NESTED_SESSIONS
from ...model.call import kept_session
from ...model.errors import InputError, StoreError
from ...model.posture import Posture
from ...model.session import inherit
from ...record.resume import opened, posture_now
from ...value import TYPE_CHECKING, lazy
from ..people.surface import ancestors, began
from .postures import read_posture

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...calls.world import World
    from ...model.session import Session
    from ..ledger.ledger import Ledger
    from .folders import Folders
    from .plans import plan_in_force
else:
    plan_in_force = lazy(globals(), ".plans", "plan_in_force")

__all__ = ["below", "session_above"]

_RECENT = 1000  # rows that name the process of a host: more do not live at once
_LATELY = "SELECT key, body FROM ledger WHERE kind = 'session' ORDER BY seq DESC LIMIT ?"
_NEWEST = "SELECT body FROM ledger WHERE kind = 'session' AND key = ? ORDER BY seq DESC LIMIT 1"
_HOST = "claude-code"


def below(world: World, fresh: Session, ledger: Ledger, owner: str, parent: str | None) -> tuple[World, Session]:
    """The session as it would begin, held to what the sessions above are held to; the world with their plan.

    `parent` is the name of the one above; empty: there is none; None: it is not known yet.
    """
    if parent is None:
        parent = session_above(ledger, owner, world.parent)
    if not parent:
        return world, fresh.replace(parent="")
    fresh = fresh.replace(parent=parent, posture=max(fresh.posture, Posture.AUTONOMOUS))
    seen = {owner}
    while parent and parent not in seen and len(seen) <= MAX_NESTED_SESSIONS:
        seen.add(parent)
        state = ledger.session(parent)
        if state is None:
            break
        above, start = opened(state)
        above = above.replace(posture=_posture_now(ledger, parent, above.posture, start, world.folders))
        fresh = inherit(fresh, above)
        parent = above.parent
    if fresh.plan and world.plan is None:
        named = {**world.environment, "INTERLOCK_PLAN": fresh.plan}
        found = plan_in_force(world.policy, world.folders, world.root, named)
        world = world.replace(policy=found.policy, plan=found)
    return world, fresh


def session_above(ledger: Ledger, owner: str, host: int) -> str:
    """The session whose agent started the process `host`; empty where none is known."""
    above = [(process.pid, process.start) for process in ancestors(host)[1:]]
    marks = {b'"parent":[%d,%d]' % process: process for process in above if process[1]}
    found: dict[tuple[int, int], str] = {}
    named = _session_in_environment(host)
    lives = ""
    for key, body in ledger.connect().rows(_LATELY, (_RECENT,)):
        if key == owner:
            continue
        if key == named and not lives and _host_lives(body):
            lives = key
        for mark, process in marks.items():
            if mark in body:
                found.setdefault(process, key)
    return next((found[process] for process in above if process in found), lives)


def _session_in_environment(pid: int) -> str:
    """The session that the process was started in, as the host above told it; empty where it was not told."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read(1 << 20).split(b"\0")
    except OSError:
        return ""
    given = dict([word.partition(b"=")[::2] for word in words])
    name = given.get(b"CLAUDE_CODE_SESSION_ID", b"").decode("utf-8", "replace")
    return kept_session(name, _HOST) if given.get(b"CLAUDECODE") else ""


def _host_lives(body: bytes) -> bool:
    process = _row(body).get("parent")
    return type(process) is tuple and len(process) == 2 and began(int(process[0])) == process[1]


def _posture_now(ledger: Ledger, name: str, kept: Posture, start: str, folders: Folders) -> Posture:
    """The posture of the session above at this moment: a person may have moved its project since its last call."""
    root = ""
    for (body,) in ledger.connect().rows(_NEWEST, (name,)):
        root = str(_row(body).get("root", ""))
    now = read_posture(folders, root)
    same = now is None or (now is Posture.INTERACTIVE and start == Posture.AUTONOMOUS.name)
    return kept if same or now is None else posture_now(kept, start, now)


def _row(body: bytes) -> Mapping[str, Any]:
    try:
        return parse_object(body, limit=len(body) + 1)
    except InputError as error:
        raise StoreError(f"a row of the ledger cannot be read: {error}") from None
