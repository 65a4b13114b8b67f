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

from ..bytes.canon import canonical
from ..calls.forks import OfProcess
from ..gate import Checked, Gate
from ..model.errors import InputError
from ..value import Value, freeze
from .common import arguments, check

__all__ = ["Turns", "Wanted", "is_all"]

_TURNS = ("each", "all")
_MOST = 10_000  # calls that are remembered
_STANDS = 60.0  # seconds for which a call that was let through may wait for its siblings; then it is decided anew

_Key = tuple[str, str, str, str]


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
    """Safe to share between threads and tasks.

    INVARIANT: no approval is used before every question of the turn is answered. Then whichever call comes first
    decides about all of them, and what it found is kept for the others: an approval cannot be used twice.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._lock = OfProcess(threading.Lock)
        # INVARIANT: what was let through once is not kept by a forked child as well.
        self._kept: OfProcess[OrderedDict[_Key, tuple[Checked, float]]] = OfProcess(OrderedDict)
        self._made: OrderedDict[_Key, None] = OrderedDict()

    async def adecide(self, own: Wanted, turn: Sequence[Wanted], *, session: str | None, agent: str = "") -> Checked:
        return await asyncio.to_thread(self.decide, own, turn, session=session, agent=agent)

    def decide(self, own: Wanted, turn: Sequence[Wanted], *, session: str | None, agent: str = "") -> Checked:
        """About `own`, one of the `turn`: an ask where it or another one of them waits for a person."""
        calls = [own, *(each for each in turn if each.call_id != own.call_id)]
        keys = [_key(session, each) for each in calls]
        with self._lock():
            if keys[0] in self._made:  # the turn is played again
                for key in keys:
                    self._made.pop(key, None)
            still = [(key, each) for key, each in zip(keys, calls, strict=True) if key not in self._made]
            open_ones = [each for key, each in still if key not in self._kept() and self._asks(each, session, agent)]
            # Its question is put by checking it; where it was answered at this very moment, the yes is kept.
            asked = [self._checked(each, session, agent) for each in open_ones]
            if not any(found.verdict == "ask" for found in asked):
                asked = [self._checked(each, session, agent) for _, each in still]
            waits = [found for found in asked if found.verdict == "ask"]
            if waits:
                return waits[0]
            first = self._checked(own, session, agent)
            self._kept().pop(keys[0], None)
            _keep(self._made, keys[0], None)
            return first

    async def aahead(self, own: Wanted, *, session: str | None, agent: str = "") -> Checked:
        return await asyncio.to_thread(self.ahead, own, session=session, agent=agent)

    def ahead(self, own: Wanted, *, session: str | None, agent: str = "") -> Checked:
        """About a call that `decide` is asked about in a moment: if it is let through, that is kept until then."""
        with self._lock():
            return self._checked(own, session, agent)

    def _asks(self, each: Wanted, session: str | None, agent: str) -> bool:
        try:
            call = self._gate.call(each.tool, arguments(each.given), session=session, call_id=each.call_id, agent=agent)
            return self._gate.backend.asks(call) is True
        except Exception:
            return False  # checking it tells

    def _checked(self, each: Wanted, session: str | None, agent: str) -> Checked:
        key = _key(session, each)
        found, since = self._kept().pop(key, (None, 0.0))
        if found is None or time.monotonic() - since >= _STANDS:
            since = time.monotonic()
            found = check(self._gate, each.tool, each.given, session=session, call_id=each.call_id, agent=agent)
        if found.verdict == "allow":
            _keep(self._kept(), key, (found, since))
        return found


def _keep(table: OrderedDict[_Key, Any], key: _Key, value: Any) -> None:
    table[key] = value
    while len(table) > _MOST:
        table.popitem(last=False)


def _key(session: str | None, each: Wanted) -> _Key:
    try:
        given = each.given if isinstance(each.given, str) else canonical(freeze(each.given)).decode()
    except Exception:
        given = f"no data {id(each.given)}"
    return (session or "", each.tool, each.call_id, given)
