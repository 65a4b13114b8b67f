"""Decisions for all who wait at the same time: one thread takes whatever has come, and decides it together.

A decision by itself costs a thread's turn, a look at the token, a look at the policy's files and a transaction. Whoever
comes while one batch is decided waits for the next, so under load all of that is paid once for many, and alone a
request is a batch of one. What would make others wait (a consult, the run of a plan) is decided by itself elsewhere,
and so is everything in a batch that could not be kept as a whole. Where a batch takes long, others go past it.

Tokens take turns. Larger requests wait in a lane of their own, where one is decided at a time: nobody else's call is in
one transaction with them. So do the first of a token while others call, because nobody has measured them. Requests of a
token of which some like it took long wait in a third.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..model.events import Proposed
from ..store.people.tokens import Tokens
from ..value import Value
from .budgets import FLOW, Budgets
from .callers import Caller, admitted
from .service import Decided, Service
from .turns import Turns

if TYPE_CHECKING:
    from ..store.people.tokens import Token
    from ..value import Json

    Prepared = tuple[Mapping[str, Json], str | None]

__all__ = ["Batches", "Waiting"]

_MOST = 16  # decisions of one batch: for so long the ledger is locked
_OF_ONE = 8  # of them, those of one token while nobody else calls
_BESIDE_OTHERS = 2  # and at a time of each where others do: whoever comes next waits for one batch
_LATELY = 1.0  # seconds for which somebody counts as calling
_LOOKS = 0.1  # seconds between looks for batches that take long
_DOUBTFUL = 0.01  # seconds of the processor for each of a batch, or
_LONG = 0.06  # for all of it: one of them was heavy
# lane -> decisions of one batch, seconds after which others go past it, batches at once at most, of one token beside
# others at a time
_LANES = {"quick": (_MOST, 0.1, 4, _BESIDE_OTHERS), "apart": (1, 1.0, 2, 1), "heavy": (1, 4.0, 2, 1)}


class Waiting:
    """One who waits.

    text     the token that was sent
    prepare  what is asked, and its idempotency key, once it is known by whom: it may refuse
    large    whether reading it takes long
    short    whether it surely takes little
    """

    def __init__(
        self,
        text: str,
        roles: frozenset[str],
        prepare: Callable[[Caller], Prepared],
        *,
        large: bool = False,
        short: bool = True,
    ) -> None:
        self.flow = FLOW.get()
        self.large = large
        self.short = short
        self.text = text
        self.roles = roles
        self.prepare = prepare
        self.answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # that it is done
        self.done: tuple[Caller, Decided] | Exception | None = None

    def taken(self) -> tuple[Caller, Decided]:
        """Who asked, and what was decided; what is refused is raised. INVARIANT: nothing of this holds the error then.
        Its frames hold the request, and the two would keep each other until the collector comes by, body and all.
        """
        done, self.done = self.done, None
        assert done is not None  # noqa: S101 - only what is done is handed back
        if isinstance(done, tuple):
            return done
        try:
            raise done
        finally:
            del done


class _Admitted(Value):
    """A request that may be decided."""

    waiting: Waiting
    caller: Caller
    data: Mapping[str, Json]
    key: str | None


class _Lane:
    """Requests that wait for each other, and the batches of them that are under way."""

    def __init__(
        self, most: int, long: float, sides: int, beside: int, called: dict[str, float], busy: Counter[str]
    ) -> None:
        self.most, self.long, self.sides, self.beside = most, long, sides, beside
        self.waiting: Turns[Waiting] = Turns()
        self.began: dict[object, float] = {}  # batch -> when it began
        self.called = called  # flow -> when it came last; the latest at the end
        self.busy = busy  # flow -> how many of it are decided now

    def put(self, waiting: Waiting) -> None:
        now = time.monotonic()
        self.called.pop(waiting.flow, None)
        self.called[waiting.flow] = now
        while self.called[first := next(iter(self.called))] < now - _LATELY:
            del self.called[first]
        self.waiting.put(waiting.flow, waiting)

    def take(self) -> list[Waiting]:
        found = self.waiting.take(self.most, *((self.beside, self.busy) if len(self.called) > 1 else (_OF_ONE,)))
        self.busy.update([waiting.flow for waiting in found])
        return found

    def is_alone(self, flow: str) -> bool:
        late = time.monotonic() - _LATELY
        return all(other == flow or at < late for other, at in reversed(self.called.items()))

    def done(self, batch: list[Waiting]) -> None:
        self.busy.subtract([waiting.flow for waiting in batch])
        for flow in [flow for flow, count in self.busy.items() if not count]:
            del self.busy[flow]

    def is_free(self, now: float) -> bool:
        """Whether those who wait need a thread, and none will be there for them shortly."""
        late = now - self.long
        return bool(self.waiting) and len(self.began) < self.sides and all(at < late for at in self.began.values())


class Batches:
    def __init__(self, service: Service, threads: Executor, budgets: Budgets) -> None:
        self.service = service
        self.threads = threads
        self.budgets = budgets
        self._known = Tokens()
        self._lock = threading.Lock()
        called: dict[str, float] = {}
        few: Counter[str] = Counter()  # a token has one larger or heavier call at a time, in whichever lane
        self._lanes = {name: _Lane(*how, called, Counter() if name == "quick" else few) for name, how in _LANES.items()}
        self._looks: asyncio.TimerHandle | None = None

    async def decided(self, waiting: Waiting) -> tuple[Caller, Decided]:
        """Who asked, and what was decided. What is refused is raised."""
        with self._lock:
            self._lanes[self._lane_of(waiting)].put(waiting)
        self._start(asyncio.get_running_loop())
        await waiting.answer
        return waiting.taken()

    def _lane_of(self, waiting: Waiting) -> str:
        is_alone = self._lanes["quick"].is_alone(waiting.flow)
        waiting.large = waiting.large or not (waiting.short or is_alone)
        heavy = self.budgets.heavy_calls(waiting.flow, large=waiting.large)
        if heavy is not None and heavy > 1:
            return "heavy"
        return "apart" if waiting.large or (heavy is None and not is_alone) else "quick"

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        """A thread for those who wait, unless one will be there for them shortly."""
        now = time.monotonic()
        for lane in self._lanes.values():
            with self._lock:
                free = lane.is_free(now)
                if free:
                    side = object()
                    lane.began[side] = now
            if free:
                self.threads.submit(self._work, lane, side, loop)
        if self._looks is None and any(lane.waiting for lane in self._lanes.values()):
            self._looks = loop.call_later(_LOOKS, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._looks = None
        self._start(loop)

    def _work(self, lane: _Lane, side: object, loop: asyncio.AbstractEventLoop) -> None:
        batch: list[Waiting] = []
        while True:
            with self._lock:
                lane.done(batch)
                batch = lane.take()
                if not batch:
                    del lane.began[side]
                    return
                lane.began[side] = time.monotonic()
            began = time.thread_time()
            try:
                alone = self._decide(batch)
            except Exception as error:  # the ledger cannot be had
                alone = []
                for waiting in batch:
                    waiting.done = waiting.done or error
            self._spent(batch, time.thread_time() - began)
            _hand_back([waiting for waiting in batch if waiting.done is not None], loop)
            for one in alone:  # after the others, so that each is handed back once
                self.threads.submit(self._alone, one, loop)

    def _spent(self, batch: list[Waiting], seconds: float) -> None:
        """Shared out evenly. Whoever may have taken long is measured alone from then on."""
        share = seconds / len(batch)
        for waiting in batch:
            self.budgets.spent(waiting.flow, share)
        if len(batch) == 1:
            self.budgets.measured(batch[0].flow, seconds, large=batch[0].large)
        elif share > _DOUBTFUL or seconds > _LONG:
            for waiting in batch:
                self.budgets.doubted(waiting.flow)

    def _decide(self, batch: list[Waiting]) -> list[_Admitted]:
        """Decides the batch, but for those of it that have to be decided alone."""
        service = self.service
        with service.engine.lent():
            proposed: list[tuple[_Admitted, Proposed]] = []
            for waiting, token, at in self._tokens(batch):
                with _told_to(waiting):
                    caller = admitted(token, at, waiting.roles)
                    self.budgets.admitted(waiting.text, caller.token.id)
                    data, key = waiting.prepare(caller)
                    asked = service.asked(data, caller, key)
                    if isinstance(asked, Decided):
                        waiting.done = caller, asked
                    else:
                        proposed.append((_Admitted(waiting=waiting, caller=caller, data=data, key=key), asked))
            try:
                found = service.engine.propose_together([event for _, event in proposed])
                both = [(one, outcome) for (one, _), outcome in zip(proposed, found, strict=True)]
                for one, outcome in both:
                    if outcome is not None:
                        one.waiting.done = one.caller, service.told(outcome, one.caller)
            finally:
                for one, _ in proposed:
                    service.pending.ended(one.caller.token.id)
        return [one for one, outcome in both if outcome is None]

    def _tokens(self, batch: list[Waiting]) -> list[tuple[Waiting, Token | None, int]]:
        """Whose they are, each token looked up once, and at which moment."""
        known: dict[str, tuple[Token | None, int]] = {}
        for waiting in batch:
            if waiting.text not in known:
                known[waiting.text] = self._known.checked(self.service.ledger, waiting.text)
        return [(waiting, *known[waiting.text]) for waiting in batch]

    def _alone(self, one: _Admitted, loop: asyncio.AbstractEventLoop) -> None:
        began = time.thread_time()
        with _told_to(one.waiting), self.service.engine.lent():
            one.waiting.done = one.caller, self.service.decided(one.data, one.caller, one.key)
        self.budgets.spent(one.waiting.flow, time.thread_time() - began)
        _hand_back([one.waiting], loop)


@contextmanager
def _told_to(waiting: Waiting) -> Iterator[None]:
    """INVARIANT: what is wrong with one request is told to that one alone."""
    try:
        yield
    except Exception as error:
        waiting.done = error


def _hand_back(batch: list[Waiting], loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.call_soon_threadsafe(_answer, batch)
    except RuntimeError:
        pass  # the loop has ended, and nobody waits


def _answer(batch: list[Waiting]) -> None:
    for waiting in batch:
        if waiting.answer.done():
            waiting.done = None  # whoever asked has left
        else:
            waiting.answer.set_result(None)
