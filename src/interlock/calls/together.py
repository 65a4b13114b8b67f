"""Calls of many who wait: each is read and proposed by itself, and one transaction keeps them all (ADR 75)."""

from __future__ import annotations

from ..model.errors import InterlockError, StoreError
from ..store.ledger.together import Together
from ..value import TYPE_CHECKING
from .between import needs_more
from .commit import Reserved, committed, proposed
from .prepare import read_call
from .world import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.call import Call
    from ..model.events import Proposed
    from ..model.session import Session
    from ..store.facts.remembered import AtOnce
    from ..store.ledger.ledger import Ledger
    from .commit import Proposal
    from .prepare import Read
    from .world import World
    from .worlds import Worlds

__all__ = ["judged_together"]


def judged_together(
    events: Sequence[Proposed], worlds: Worlds, remembered: AtOnce, ledger: Ledger
) -> list[tuple[World, tuple[str, ...], Outcome] | None]:
    """Of each call: its world, what the person is to be told of its session, and what was decided. None where a call
    has to be judged alone: something slow belongs to it, the session moved on, or not all of them could be kept.
    """
    at_places: dict[object, World] = {}
    ready: list[tuple[int, World, Session, tuple[str, ...]]] = []
    for at, event in enumerate(events):
        place = event.place
        if event.definition is not None or event.malformed != "" or place.variables is not None:
            continue  # what a relay or a proxy hands over comes one at a time
        key = (place.cwd, place.root, place.parent, place.starter, tuple(place.environment.items()))
        try:
            world = at_places.get(key) or worlds.world(place, ledger, remembered=remembered)
            ready.append((at, world, *worlds.session(place, world, remembered)))
        except InterlockError:  # which is told to whoever sent this one
            continue
        at_places[key] = world
    judged = _judged([(events[at].call, world, session) for at, world, session, _ in ready], ledger)
    found: list[tuple[World, tuple[str, ...], Outcome] | None] = [None] * len(events)
    for outcome, (at, world, _, warnings) in zip(judged, ready, strict=True):
        if outcome is not None:
            found[at] = world, warnings, outcome
    return found


def _judged(calls: Sequence[tuple[Call, World, Session]], ledger: Ledger) -> list[Outcome | None]:
    ready = [_ready(*given, ledger) for given in calls]
    found: list[Outcome | None] = [each if isinstance(each, Outcome) else None for each in ready]
    kept = list(found)
    proposals = [(at, *each) for at, each in enumerate(ready) if isinstance(each, tuple)]
    try:
        with Together(ledger) if len(proposals) > 1 else _BY_ITSELF:
            for at, read, proposal in proposals:
                done = committed(read, None, Reserved(), proposal, ledger)
                kept[at] = done if isinstance(done, Outcome) else None
    except StoreError:
        return found
    return kept


class _ByItself:
    """In place of a transaction around several."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_error: object) -> None: ...


_BY_ITSELF = _ByItself()


def _ready(call: Call, world: World, session: Session, ledger: Ledger) -> tuple[Read, Proposal] | Outcome | None:
    """What would be committed, or what was decided about this attempt already."""
    # The run of a plan is entered, a consult is asked, a team store lets a use go: these wait for others.
    if world.plan is not None or world.policy.consult is not None:
        return None
    try:
        read = read_call(call, world, session, ledger)
        if read.held is not None or read.world.policy.consult is not None:
            return None
        found = proposed(read, None, Reserved(), ledger)
    except Exception:  # INVARIANT: what is wrong with a call is told to its own caller, who has it judged alone
        return None
    if isinstance(found, Outcome):
        return found
    return None if needs_more(found, world, ledger) else (read, found)
