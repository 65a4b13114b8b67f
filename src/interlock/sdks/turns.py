"""`turn = "all"`: no call of a turn is made while a question about another call of that turn is open.

SDKs decide about each call by itself, and so its siblings run before an ask is answered. Where an adapter can see all
calls that the model made at once, it asks here, and holds them all.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..gate import Checked, Gate
from ..record.canon import canonical
from ..value import Value, freeze
from .common import check

__all__ = ["Turns", "Wanted", "is_all"]

_TURNS = ("each", "all")
_MOST = 10_000  # calls that are held
_STANDS = 60.0  # seconds for which a call that was let through may wait for its siblings; then it is decided anew


def is_all(turn: str) -> bool:
    if turn not in _TURNS:
        raise InputError(f'`turn` is "each" or "all", not {turn!r}')
    return turn == "all"


class Wanted(Value):
    """One call that the model made."""

    tool: str
    given: Any
    call_id: str


class Turns:
    """Safe to share between threads and tasks. An approval is used when all of the turn have theirs, and kept for the
    call that it is for: whichever call of the turn comes first decides about all of them.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, ...], tuple[Checked, float]] = OrderedDict()

    async def adecide(self, own: Wanted, turn: Sequence[Wanted], *, session: str | None, agent: str = "") -> Checked:
        return await asyncio.to_thread(self.decide, own, turn, session=session, agent=agent)

    def decide(self, own: Wanted, turn: Sequence[Wanted], *, session: str | None, agent: str = "") -> Checked:
        """About `own`, one of the `turn`: an ask where it or another one of them waits for a person."""
        others = [each for each in turn if each.call_id != own.call_id]
        with self._lock:
            waits = [held for each in (own, *others) if (held := self._waiting(_key(session, each))) is not None]
            if waits:
                return waits[0]
            found = [self._decided(each, session, agent) for each in (own, *others)]
            first = found[0]
            if first.verdict == "allow" and (asks := [each for each in found if each.verdict == "ask"]):
                return asks[0].replace(call=first.call)
            self._held.pop(_key(session, own), None)
            return first

    def _waiting(self, key: tuple[str, ...]) -> Checked | None:
        """The question about this call, while it is open."""
        held = self._held.get(key)
        if held is None or held[0].verdict != "ask":
            return None
        try:
            return None if self._gate.backend.wait(held[0].approval, 0) else held[0]
        except Exception:
            return held[0]

    def _decided(self, each: Wanted, session: str | None, agent: str) -> Checked:
        key = _key(session, each)
        held = self._held.pop(key, None)
        if held is not None and held[0].verdict == "allow" and time.monotonic() - held[1] < _STANDS:
            found = held[0]
        else:
            held = None
            found = check(self._gate, each.tool, each.given, session=session, call_id=each.call_id, agent=agent)
        if found.verdict != "deny":
            self._held[key] = (found, time.monotonic() if held is None else held[1])
            while len(self._held) > _MOST:
                self._held.popitem(last=False)
        return found


def _key(session: str | None, each: Wanted) -> tuple[str, ...]:
    try:
        given = each.given if isinstance(each.given, str) else canonical(freeze(each.given)).decode()
    except Exception:
        given = f"no data {id(each.given)}"
    return (session or "", each.tool, each.call_id, given)
