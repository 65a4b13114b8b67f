"""What the guarded entry runs: stdin to the host's answer. Raises nothing on purpose but its own errors.

An error that is known by name becomes a deny that says what was wrong; anything else is left
to the guard. Only the standard library is imported here, and as little of it as can be:
`tests/faults/test_hook_imports.py` keeps the list. Events other than the one before a call are in `follow.py`,
which is loaded when one comes.
"""

from __future__ import annotations

import os

from ..errors import HostError, InputError, InterlockError
from ..hosts import claude_code
from ..layers.obeyed import told_of
from ..limits import HOOK_QUEUE_SECONDS, MAX_INPUT_BYTES
from ..policy.model import Headless
from ..posture import Posture
from ..record.redact import redact
from ..record.strict import parse_object
from ..runtime import World, judge, notices_of, starting_posture, with_plan
from ..session import Session
from ..store.contracts import Catalogues
from ..store.folders import find_root, folders_for
from ..store.ledger import Ledger
from ..store.look import glance
from ..store.policies import load_policy_or_faults
from ..store.postures import read_posture
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..runtime import Watch
    from ..store.folders import Folders
    from ..store.ledger import Turn
    from ..value import Json

__all__ = ["run", "world_at"]


def run(arguments: list[str], gate: Callable[[bool], None]) -> bytes:
    """The answer for the host named in the arguments, to the event on stdin.

    `gate` tells the guard how to leave if anything breaks: closed, for an event that decides about a call, or not.
    """
    host, gating, home = _arguments(arguments)
    name: Json = None
    if host != claude_code.NAME:
        raise HostError(f"unknown host `{host[:60]}`")
    try:
        data = parse_object(_stdin())
        name = data.get("hook_event_name")
        if name == "ConfigChange":
            gating = True
            gate(True)
            from .config_change import config_change

            return config_change(data, home)
        if name not in claude_code.FOLLOWED:
            gating = True
            gate(True)
            return _before_a_call(data, home)
        gating = False
        gate(False)
        from .follow import follow

        return follow(data, home)
    except InterlockError as error:
        told = redact(f"Interlock: {error}.")
        if gating and name == "ConfigChange":
            from ..hosts.claude_events import block

            return block(told.removeprefix("Interlock: "), person=(told.removeprefix("Interlock: "),))
        if gating:
            return claude_code.deny(told)
        os.write(2, told.encode("utf-8", "replace") + b"\n")
        return b""


def _before_a_call(data: Mapping[str, Json], home: str | None) -> bytes:
    event = claude_code.event_from(data, os.environ)
    world, session, warnings = world_at(home, event.root, event.call.cwd, event.call.session, attended=event.attended)
    world = world.replace(watch=_watching(world.root, world.folders, event.transcript))
    if not event.attended:
        session = session.replace(label=event.run)
    outcome = judge(event.call, world, session)
    if outcome.trouble is not None or not event.call.session:  # then nobody remembers what was told
        warnings = (*warnings, *notices_of(world))
    warnings = (*warnings, *outcome.warnings)
    if outcome.decision.notes and outcome.decision.verdict is Verdict.ALLOW:
        warnings = (*warnings, *told_of(outcome.reading))
    if outcome.trouble is not None:
        warnings = (*warnings, f"not recorded: {outcome.trouble}")
    # A sub-agent's call cannot be resumed, and a person in front of the host is asked there.
    defers = world.policy.headless is Headless.DEFER and not event.attended and not event.call.agent
    return claude_code.answer(
        outcome.decision, planning=event.planning, notes=outcome.decision.notes, warnings=warnings, defers=defers
    )


def world_at(
    home: str | None, root: str | None, cwd: str, session: str, *, attended: bool
) -> tuple[World, Session, tuple[str, ...]]:
    """Where an event happened, the session as it would begin there now, and what the person is to be told."""
    folders = folders_for(home)
    root = os.path.realpath(root or find_root(cwd, folders.home))
    ledger = Ledger(folders.ledger, front=f"hook:{claude_code.NAME}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    world = World(
        folders=folders,
        root=root,
        policy=load_policy_or_faults(folders, root),
        ledger=ledger,
        resumes=True,
        contracts=Catalogues(folders, root),
    )
    world = with_plan(world, os.environ)
    warnings: tuple[str, ...] = ()
    try:
        kept = read_posture(folders, root)
    except InterlockError as error:  # it may have said `locked`, so it counts as that
        kept = Posture.LOCKED
        warnings = (*warnings, f"{error}; only reads pass until it is mended")
    posture = starting_posture(world.policy, kept, attended=attended)
    return world, Session(id=session, posture=posture), warnings


def _watching(root: str, folders: Folders, transcript: str) -> Watch:
    """Compares the files that hosts obey with how they were, and hears what the transcript has to tell of a person.
    What is slow is loaded where something is different or waited for.
    """
    seen = glance(root, folders.home, folders.moved)

    def watch(turn: Turn, session: Session) -> tuple[Session, tuple[str, ...]]:
        told: tuple[str, ...] = ()
        if session.phrase is not None or (session.questions and _has_more(transcript, session)):
            from .hearing import listened

            session, told = listened(turn, session, transcript, folders)
        if session.watch.startswith(seen.stamp):
            return session, told
        from ..store.watch import compared
        from .described import describing

        session, changes = compared(turn, session, seen, describing(folders))
        return session, (*told, *changes)

    return watch


def _has_more(transcript: str, session: Session) -> bool:
    """Whether the transcript may have grown since it was looked through. Those of sub-agents are always looked at."""
    try:
        size = os.stat(transcript).st_size
    except (OSError, ValueError):
        return False
    return size != session.heard.get("", 0) or len(session.heard) > 1


def _arguments(arguments: list[str]) -> tuple[str, bool, str | None]:
    """The host, whether the event may gate a call, and the home folder."""
    host, *rest = arguments or [""]
    gating = "--no-gate" not in rest
    rest = [given for given in rest if given != "--no-gate"]
    if not rest:
        return host, gating, None
    if len(rest) == 2 and rest[0] == "--home" and rest[1].startswith("/"):
        return host, gating, rest[1]
    raise HostError("usage: guard.py HOST [--no-gate] [--home DIR]")


def _stdin() -> bytes:
    """All of stdin. Too much is read to its end all the same: a host whose pipe breaks may not wait for an answer."""
    chunks = []
    size = 0
    while chunk := os.read(0, 1 << 20):
        size += len(chunk)
        if size <= MAX_INPUT_BYTES:
            chunks.append(chunk)
    if size > MAX_INPUT_BYTES:
        raise InputError(f"the event is larger than {MAX_INPUT_BYTES} bytes")
    return b"".join(chunks)
