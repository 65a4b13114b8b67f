"""What the guarded entry runs: stdin to the host's answer. Raises nothing on purpose but its own errors.

An error that is known by name becomes a refusal that says what was wrong; anything else is left to the guard. Only the
standard library is imported on the way, and as little of it as can be: `tests/faults/test_hook_imports.py` keeps the
list. No host is named here: `hosts/` has a file for each.
"""

from __future__ import annotations

import os

from ..engine import Engine, reply_to
from ..environment import looked_at
from ..errors import HostError, InputError, InterlockError
from ..events import Proposed, Refusal, Spoken
from ..hosts import host_named
from ..limits import MAX_INPUT_BYTES
from ..record.redact import redact
from ..record.strict import parse_object
from ..store.folders import folders_for
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..events import Event, Reply
    from ..value import Json

__all__ = ["run"]


def run(arguments: list[str], gate: Callable[[bool], None]) -> Spoken:
    """The answer for the host named in the arguments, to the event on stdin.

    `gate` tells the guard how to leave if anything breaks: closed, for an event that decides about a call, or not.
    """
    name, gating, home, parent = _arguments(arguments)
    host = host_named(name)
    data: Mapping[str, Json] = FrozenMap({})
    event: Event | None = None
    reply: Reply
    try:
        data = parse_object(_stdin())
        gating = host.gates(data)
        gate(gating)
        event = host.event_from(data, looked_at(os.environ), parent or os.getppid())
        engine = Engine(folders_for(home), front=f"hook:{name}")
        if type(event) is Proposed:
            reply = reply_to(event, engine.propose(event), has_rules=host.TRAITS.has_rules)
        else:
            reply = engine.tell(event)
    except InterlockError as error:
        reason = redact(str(error))
        if not gating:
            return Spoken(stderr=f"Interlock: {reason}.\n".encode("utf-8", "replace"))
        reply = Refusal(reason=reason)
    return host.spoken(data, event, reply)


def _arguments(arguments: list[str]) -> tuple[str, bool, str | None, int]:
    """The host, whether the event may gate a call, the home folder, and the host's process if a shell is between."""
    host, *rest = arguments or [""]
    gating = "--no-gate" not in rest
    rest = [given for given in rest if given != "--no-gate"]
    named = dict(zip(rest[::2], rest[1::2], strict=False))
    home, parent = named.pop("--home", None), named.pop("--parent", "0")
    if named or len(rest) % 2 or (home is not None and not home.startswith("/")) or not parent.isdecimal():
        raise HostError("usage: guard.py HOST [--no-gate] [--home DIR] [--parent PID]")
    return host, gating, home, int(parent)


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
