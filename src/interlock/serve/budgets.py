"""What one token may take of the service: requests, bytes and the processor's time, a bucket of each.

A request is counted when its head has come, before its body is read and before anybody looks up whose it is: a thousand
at once are a thousand. A token is known by the digest of its text once it was good, so whoever guesses takes from the
address they guess from, and from nobody's token. The processor's time is known afterwards, and may be owed.

`FLOW` names whose request a task works for, and so whose turn is used up by it (`turns.py`).
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import Counter
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from .callers import COOKIE, bearer
from .errors import RefusedError

if TYPE_CHECKING:
    from .settings import Settings

__all__ = ["FLOW", "Buckets", "Budgets"]

FLOW: ContextVar[str] = ContextVar("interlock_flow", default="")
_MOST = 10_000  # of each kind of name that is remembered
_SMALL = 64 * 1024  # bytes that whoever is not known yet may send without taking from its address
_REFUSALS = 20  # a second, of one flow
_LONGEST = 2.0  # seconds for which a refusal is put off
_MOST_PUT_OFF = 200  # refusals of one flow that wait: each holds a connection
_UNDER_WAY = 1000  # requests of one token: a quarter of all connections
_HEAVY = 0.02  # seconds of the processor: whoever takes more for some calls waits apart from the others
_FORGETS = 30.0  # seconds after which a heavy call counts half


class Buckets:
    """How much each name may take: `rate` a second on average, `full` at once. What is taken can be more than is left
    where it is known only afterwards; then it is owed.
    """

    def __init__(self, rate: float, full: float, what: str, *, most: int = _MOST) -> None:
        self.rate = rate
        self.full = full
        self.what = what
        self.most = most
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, name: str, cost: float = 1.0) -> None:
        """RefusedError where the name has to wait, with for how long."""
        with self._lock:
            left, now = self._now(name)
            if left < cost:
                self._left[name] = (left, now)
                wait = max(1, int(-(-(cost - left) // self.rate)))
                raise RefusedError("rate_limited", f"too {self.what}; wait a little", {"retry-after": str(wait)})
            self._put(name, left - cost, now)

    def owe(self, name: str, cost: float) -> None:
        with self._lock:
            left, now = self._now(name)
            self._put(name, left - cost, now)

    def _now(self, name: str) -> tuple[float, float]:
        now = time.monotonic()
        left, at = self._left.pop(name, (self.full, now))
        return min(self.full, left + (now - at) * self.rate), now

    def _put(self, name: str, left: float, now: float) -> None:
        if len(self._left) >= self.most:  # whoever has waited longest has the fullest bucket
            self._left.pop(next(iter(self._left)))
        self._left[name] = (left, now)


class Budgets:
    """Held by the service; its threads write down what they took."""

    def __init__(self, settings: Settings) -> None:
        self.requests = Buckets(settings.rate, settings.at_once, "many requests")
        self.bytes = Buckets(settings.traffic, 2.0 * max(settings.body, settings.traffic), "many bytes")
        self.processor = Buckets(settings.processor, 5 * settings.processor, "much work")
        # Of whoever is not known. Apart, so that made-up names push nobody's real bucket out.
        self.guesses = Buckets(settings.rate, settings.at_once, "many requests")
        self.addresses = Buckets(settings.traffic, 2.0 * max(settings.body, settings.traffic), "many bytes")
        self._known: dict[str, str] = {}  # digest of a text that was good -> its token's id
        self._refused: Counter[str] = Counter()  # flow -> refusals that it waits for
        self._under_way: Counter[str] = Counter()  # flow -> requests that came, and are not answered yet
        # flow, whether it was large -> how many were heavy, and when that was counted; the latest at the end
        self._heavy: dict[tuple[str, bool], tuple[float, float]] = {}

    def flow_of(self, scope: MutableMapping[str, Any]) -> str:
        """Whose request this is: the id of its token, or its address where the token is not known."""
        text = _text_of(scope)
        id = self._known.get(_digest(text)) if text else None
        return "address:" + _address_of(scope) if id is None else id

    def arrived(self, scope: MutableMapping[str, Any], flow: str) -> None:
        """Counts the request. RefusedError where its token, or its address, has to wait."""
        length = _length_of(scope)
        if not flow.startswith("address:"):
            self.requests.take(flow)
            self.processor.take(flow, 0.0)
            if length:
                self.bytes.take(flow, length)
            return
        if text := _text_of(scope):
            self.guesses.take(_digest(text))
        if length > _SMALL:
            self.addresses.take(flow, length)

    def begins(self, flow: str) -> None:
        """Each request holds a connection until it `ends`. RefusedError where its token has too many of them."""
        if self._under_way[flow] >= _UNDER_WAY and not flow.startswith("address:"):
            text = f"{_UNDER_WAY} requests of this token are not answered yet; wait for them"
            raise RefusedError("rate_limited", text, {"retry-after": "2"})
        self._under_way[flow] += 1

    def ends(self, flow: str) -> None:
        self._under_way[flow] -= 1
        if not self._under_way[flow]:
            del self._under_way[flow]

    async def put_off(self, flow: str) -> None:
        """Before a request is told that it has to wait. Who comes again at once would keep the service busy with
        nothing but refusals, so each that the flow still waits for puts off the next: there are so many a second,
        however many connections it has.
        """
        waiting = self._refused[flow]
        if waiting >= _MOST_PUT_OFF:
            return
        self._refused[flow] += 1
        try:
            await asyncio.sleep(min(waiting / _REFUSALS, _LONGEST))
        finally:
            self._refused[flow] -= 1
            if not self._refused[flow]:
                del self._refused[flow]

    def came(self, flow: str, size: int) -> None:
        """A part of a body whose length nobody said."""
        buckets = self.addresses if flow.startswith("address:") else self.bytes
        buckets.take(flow, size)

    def admitted(self, text: str, id: str) -> None:
        """The text was looked up, and is this token's."""
        digest = _digest(text)
        if digest not in self._known:
            if len(self._known) >= _MOST:
                self._known.pop(next(iter(self._known)))
            self._known[digest] = id

    def spent(self, flow: str, seconds: float) -> None:
        """So much time of the processor was taken for it."""
        if flow and not flow.startswith("address:"):
            self.processor.owe(flow, seconds)

    def measured(self, flow: str, seconds: float, *, large: bool) -> None:
        """So much of it for one call. Heavy ones are counted, and what is usual says nothing: whoever makes one now and
        then has it decided apart as well. One is none, because the first call may have to load what all of them need.
        Larger ones count by themselves.
        """
        if flow.startswith("address:"):
            return
        count = (self.heavy_calls(flow, large=large) or 0.0) + (seconds > _HEAVY)
        self._heavy.pop((flow, large), None)
        if len(self._heavy) >= _MOST:
            self._heavy.pop(next(iter(self._heavy)))
        self._heavy[flow, large] = count, time.monotonic()

    def doubted(self, flow: str) -> None:
        """One of those that were decided together was heavy, and it may have been this one's."""
        if (self.heavy_calls(flow, large=False) or 0.0) <= 1:
            self._heavy.pop((flow, False), None)

    def heavy_calls(self, flow: str, *, large: bool) -> float | None:
        """How many of such calls of it were heavy, those of long ago less than the others; None: none was measured."""
        count, at = self._heavy.get((flow, large), (None, 0.0))
        return None if count is None else float(count * 0.5 ** ((time.monotonic() - at) / _FORGETS))


def _text_of(scope: MutableMapping[str, Any]) -> str:
    """The token in a head: of a program, or of a browser."""
    cookie = ""
    for name, value in scope["headers"]:
        if name == b"authorization":
            return bearer(value.decode("latin-1"))
        if name == b"cookie":
            cookie = value.decode("latin-1")
    for part in cookie.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return str(value).strip()
    return ""


def _length_of(scope: MutableMapping[str, Any]) -> int:
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


def _address_of(scope: MutableMapping[str, Any]) -> str:
    return str((scope.get("client") or ("",))[0])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
