"""What the guarded entry runs: an event to the host's answer. Raises nothing on purpose but its own errors.

An error that is known by name becomes a refusal that says what was wrong; anything else is left to the guard. Only the
standard library is imported on the way, and as little of it as can be: `tests/faults/test_hook_imports.py` keeps the
list. No host is named here: `hosts/` has a file for each.
"""

from __future__ import annotations

import os

from ..bytes.redact import redact
from ..bytes.strict import parse_object
from ..calls.replies import reply_to
from ..engine import Engine
from ..hosts import host_named
from ..limits import MAX_INPUT_BYTES, MAX_WAIT_SECONDS
from ..model.answer import ASK, HELD
from ..model.environment import looked_at, says_where
from ..model.errors import HostError, InputError, InterlockError
from ..model.events import Chosen, Decided, Proposed, Refusal, Spoken, Tell
from ..store.home.folders import folders_for
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .stdin import stdin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..hosts import Host
    from ..model.events import Event, Reply
    from ..store.people.waiting import wait_until_settled
    from ..value import Json
    from .desk import is_asked_here
    from .own_words import answered_here
    from .shield_words import settled_by_shield

    Gate = Callable[[bool], None]
    Extend = Callable[[float], None]
else:
    wait_until_settled = lazy(globals(), "..store.people.waiting", "wait_until_settled")
    is_asked_here = lazy(globals(), ".desk", "is_asked_here")
    answered_here = lazy(globals(), ".own_words", "answered_here")
    settled_by_shield = lazy(globals(), ".shield_words", "settled_by_shield")

__all__ = ["Arguments", "arguments_of", "event_of", "run"]


class Arguments(Value):
    """
    host    who asks
    gating  whether the event may gate a call
    home    whose files count; None: the person's own
    parent  the host's process, if a shell is between; 0: it is the one above
    wait    for how many seconds the host can be kept waiting beyond our own work
    """

    host: str
    gating: bool
    home: str | None
    parent: int
    wait: int


def run(arguments: list[str], gate: Gate, extend: Extend, given: bytes | None = None) -> Spoken:
    """The answer for the host named in the arguments, to the event that was `given`, or that stands on stdin.

    `gate` tells the guard how to leave if anything breaks: closed, for an event that decides about a call, or not.
    `extend` puts off its deadline, for a call that is held while a person answers.
    """
    told = arguments_of(arguments)
    raw = b""
    data: Mapping[str, Json] = FrozenMap({})
    try:
        raw = stdin() if given is None else given
        if len(raw) > MAX_INPUT_BYTES:
            raise InputError(f"the event is larger than {MAX_INPUT_BYTES} bytes")
        data = parse_object(raw)
        return _answered(told, told.host, data, gate, extend)
    except _NotItsOwnError as error:
        from .foreign import answered

        gate(told.gating)
        said = answered(told, data, raw, lambda host: _served(told, host, data, gate, extend))
        return error.said if said is None else said
    except InterlockError as error:
        return _refused(host_named(told.host), told.gating, data, None, error)


class _NotItsOwnError(Exception):
    """An event that the file of its host does not take. `said`: what it is answered where no other host is known."""

    def __init__(self, said: Spoken) -> None:
        self.said = said


def _served(told: Arguments, host: str, data: Mapping[str, Json], gate: Gate, extend: Extend) -> Spoken | None:
    """The answer of another host's file; None where that does not take the event either."""
    try:
        return _answered(told, host, data, gate, extend)
    except _NotItsOwnError:
        return None


def _answered(told: Arguments, name: str, data: Mapping[str, Json], gate: Gate, extend: Extend) -> Spoken:
    host, wait = host_named(name), told.wait
    gating = host.gates(data)
    gate(gating)
    event: Event | None = None
    reply: Reply
    try:
        event = event_of(host, data, os.environ, told.parent or os.getppid())
    except InterlockError as error:
        raise _NotItsOwnError(_refused(host, gating, data, None, error)) from None
    try:
        engine = Engine(folders_for(told.home), front=f"hook:{name}", undo="holds")
        if type(event) is Proposed:
            if wait and host.TRAITS.own_words:
                event = event.replace(here=is_asked_here(host.TRAITS, event, engine.folders.state, wait))
            outcome, dialog = engine.propose(event), ""
            if event.here and outcome.question is not None and outcome.answer.kind in (ASK, HELD):
                extend(wait)
                outcome, dialog = answered_here(engine, host.TRAITS, event, outcome, wait)
                extend(0)
            wait = min(wait, outcome.policy.wait) if host.TRAITS.waits else 0
            if wait and outcome.answer.kind == HELD:
                # The question is in the ledger: a hook that is killed leaves it to be answered later.
                extend(wait)
                settled = wait_until_settled(engine.lent, outcome.answer.approval, wait)
                extend(0)
                outcome = engine.propose(event) if settled else outcome
            reply = reply_to(event, outcome, has_rules=host.TRAITS.has_rules)
            reply = reply.replace(dialog=dialog) if dialog and type(reply) is Decided else reply
        elif type(event) is Chosen:
            reply = Tell() if settled_by_shield(engine, host.TRAITS, event) else engine.tell(event.ended)
        else:
            reply = engine.tell(event)
    except InterlockError as error:
        return _refused(host, gating, data, event, error)
    return host.spoken(data, event, reply)


def _refused(host: Host, gating: bool, data: Mapping[str, Json], event: Event | None, error: InterlockError) -> Spoken:
    reason = redact(str(error))
    if not gating:
        return Spoken(stderr=f"Interlock: {reason}.\n".encode("utf-8", "replace"))
    return host.spoken(data, event, Refusal(reason=reason))


def event_of(host: Host, data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    """The event, with all that its place is known by."""
    event = host.event_from(data, looked_at(environment), parent)
    place = event.place.replace(starter=f"uid:{os.getuid()}", variables=says_where(environment))
    return event.replace(place=place)


def arguments_of(words: list[str]) -> Arguments:
    host, *rest = words or [""]
    gating = "--no-gate" not in rest
    rest = [given for given in rest if given != "--no-gate"]
    named = dict(zip(rest[::2], rest[1::2], strict=False))
    home, parent, wait = named.pop("--home", None), named.pop("--parent", "0"), named.pop("--wait", "0")
    good = parent.isdecimal() and wait.isdecimal() and (home is None or home.startswith("/"))
    if named or len(rest) % 2 or not good:
        raise HostError("usage: guard.py HOST [--no-gate] [--home DIR] [--parent PID] [--wait SECONDS]")
    return Arguments(host=host, gating=gating, home=home, parent=int(parent), wait=min(int(wait), MAX_WAIT_SECONDS))
