"""What the guarded entry runs: stdin to the host's answer. Raises nothing on purpose but its own errors.

An error that is known by name becomes a deny that says what was wrong; anything else is left
to the guard. Only the standard library is imported here, and as little of it as can be:
`tests/faults/test_hook_imports.py` keeps the list.
"""

from __future__ import annotations

import os

from ..errors import HostError, InputError, InterlockError
from ..hosts import claude_code
from ..limits import MAX_INPUT_BYTES
from ..posture import Posture
from ..record.redact import redact
from ..record.strict import parse_object
from ..runtime import World, judge, starting_posture, with_plan
from ..session import Session
from ..store.contracts import Catalogues
from ..store.folders import find_root, folders_for
from ..store.ledger import Ledger
from ..store.policies import load_policy_or_faults
from ..store.postures import read_posture

__all__ = ["run"]


def run(arguments: list[str]) -> bytes:
    """The answer for the host named in the arguments, to the event on stdin."""
    host, home = _arguments(arguments)
    if host != claude_code.NAME:
        raise HostError(f"unknown host `{host[:60]}`")
    try:
        return _claude_code(_stdin(), home)
    except InterlockError as error:
        return claude_code.deny(redact(f"Interlock: {error}."))


def _claude_code(raw: bytes, home: str | None) -> bytes:
    event = claude_code.event_from(parse_object(raw), os.environ)
    folders = folders_for(home)
    root = os.path.realpath(event.root or find_root(event.call.cwd))
    catalogues = Catalogues(folders, root)
    policy = load_policy_or_faults(folders, root)
    world = World(
        folders=folders, root=root, policy=policy, ledger=Ledger(folders.ledger), resumes=True, contracts=catalogues
    )
    world = with_plan(world, os.environ)
    policy = world.policy
    warnings = policy.notices
    try:
        kept = read_posture(folders, root)
    except InterlockError as error:  # it may have said `locked`, so it counts as that
        kept = Posture.LOCKED
        warnings = (*warnings, f"{error}; only reads pass until it is mended")
    posture = starting_posture(policy, kept, attended=event.attended)
    outcome = judge(
        event.call,
        world,
        Session(id=event.call.session, posture=posture, label="" if event.attended else event.run),
    )
    warnings = (*warnings, *catalogues.warnings)
    if outcome.trouble is not None:
        warnings = (*warnings, f"not recorded: {outcome.trouble}")
    return claude_code.answer(
        outcome.decision, planning=event.planning, notes=outcome.decision.notes, warnings=warnings
    )


def _arguments(arguments: list[str]) -> tuple[str, str | None]:
    if len(arguments) == 1:
        return arguments[0], None
    if len(arguments) == 3 and arguments[1] == "--home" and arguments[2].startswith("/"):
        return arguments[0], arguments[2]
    raise HostError("usage: guard.py HOST [--home DIR]")


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
