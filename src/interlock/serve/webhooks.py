"""Webhooks: events of the ledger, sent to addresses of others, signed, in order, each at least once.

Each webhook reads the ledger by itself, from where it was, and goes on only when the receiver has taken an event. So a
receiver that is down delays nobody else; what it missed waits in the ledger and not in memory; a killed service goes on
with what was not taken yet. A receiver tells what it has seen already by the number of the event.
Nothing here is on the way of a decision.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import random
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import httpx
from prometheus_client import Counter, Gauge

from .. import __version__
from ..bytes.canon import canonical
from ..model.errors import InputError, InterlockError, StoreError, printable
from ..store import sql
from ..store.ledger.identity import ledger_name
from ..store.outside.http import check_web_address
from ..value import Value
from .hub import Listener
from .position import Position
from .records import EVENTS, event_of
from .secret_file import secret_in

if TYPE_CHECKING:
    from ..record.chain import Row
    from .api import Api
    from .settings import Webhook

__all__ = ["Senders", "backoff", "signature_of"]

_log = logging.getLogger("interlock.webhooks")

_ROWS = 100  # that are read at a time
_SECONDS = 10.0  # that a receiver has to take an event
_CONNECT = 5.0  # of these, to be reached
_READ = 64 * 1024  # bytes of an answer that are read, and thrown away, so that the connection can be used again
_LOOK = 5.0  # seconds until the ledger is looked at again, woken or not
_LONGEST = 300.0  # seconds between two tries
_LEAST_SECRET = 16  # characters

_T = TypeVar("_T")


def signature_of(secret: str, at: int, body: bytes) -> str:
    """What the header `Interlock-Signature` says. The moment is signed too: an old delivery cannot be replayed."""
    made = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={made}"


def backoff(failures: int, *, first: float = 1.0) -> float:
    """Seconds until the next try: twice as long each time, up to a limit, and never the same for two senders."""
    longest = min(_LONGEST, first * 2.0 ** min(failures - 1, 20))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - nothing secret


class _Told(Value):
    """Rows after a position, with the ledger that they are from and the number of its last one."""

    ledger: str
    tip: int
    rows: tuple[Row, ...]


class Senders:
    """All webhooks of the service. Made before it listens: what is wrong with one is said then (InputError)."""

    def __init__(self, api: Api) -> None:
        self.metrics = _Metrics(api)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="interlock-webhooks")
        self.every = [self._made(api, number, hook) for number, hook in enumerate(api.settings.webhooks, start=1)]
        urls = [hook.url for hook in api.settings.webhooks]
        if len({*urls}) != len(urls):
            raise InputError("two [[webhooks]] have the same url; name all their events in one of them")
        self.tasks: list[asyncio.Task[None]] = []

    def _made(self, api: Api, number: int, hook: Webhook) -> _Sender:
        what = f"[[webhooks]] {number}"
        try:
            check_web_address(hook.url)
        except InputError:  # the address may hold a token, and is not repeated
            raise InputError(
                f"{what}: `url` must be https://HOST/PATH, without a name or a password (http:// to this machine only)"
            ) from None
        unknown = sorted({*hook.events} - {*EVENTS})
        if unknown:
            raise InputError(f"{what}: there is no event `{unknown[0]}`; there are {', '.join(sorted(EVENTS))}")
        folders = api.service.engine.folders
        secret = secret_in(hook.secret, what, base=folders.config, least=_LEAST_SECRET)
        kept = f"{folders.state}/webhooks/{hashlib.sha256(hook.url.encode()).hexdigest()[:16]}.json"
        name = f"{number}-{urlsplit(hook.url).hostname}"
        return _Sender(api, hook, name=name, secret=secret, kept=kept, metrics=self.metrics, thread=self.thread)

    async def start(self) -> None:
        # It would tell the whole address of each request to whoever listens to that much.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self.tasks = [asyncio.create_task(sender.run(), name=f"webhook {sender.name}") for sender in self.every]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.thread.shutdown(wait=False, cancel_futures=True)


class _Metrics:
    """By webhook: its number in the file and its host."""

    def __init__(self, api: Api) -> None:
        registry = api.metrics.registry
        self.tries = Counter(
            "interlock_webhook_tries", "Deliveries that were tried", ("webhook", "outcome"), registry=registry
        )
        self.behind = Gauge(
            "interlock_webhook_rows_behind", "Rows of the ledger not dealt with", ("webhook",), registry=registry
        )
        self.failing = Gauge(
            "interlock_webhook_failures",
            "Tries that failed since one did not",
            ("webhook",),
            registry=registry,
        )


class _Sender:
    """One webhook. `pause` is the first pause between two tries."""

    def __init__(
        self,
        api: Api,
        hook: Webhook,
        *,
        name: str,
        secret: str,
        kept: str,
        metrics: _Metrics,
        thread: ThreadPoolExecutor,
    ) -> None:
        self.api = api
        self.hook = hook
        self.name = name
        self.secret = secret
        self.kept = kept
        self.thread = thread
        self.tries, self.behind, self.failing = metrics.tries, metrics.behind.labels(name), metrics.failing.labels(name)

    async def run(self) -> None:
        """Until it is cancelled. What breaks here stops this webhook for a while, and nothing else."""
        failures = 0
        limits = httpx.Limits(max_connections=1)
        tls = ssl.create_default_context()
        async with httpx.AsyncClient(verify=tls, trust_env=False, limits=limits, timeout=_CONNECT) as client:
            while True:
                try:
                    position = await self._begun()
                    failures = 0
                    await self._follow(client, position)
                except InterlockError as error:
                    failures += 1
                    if failures == 1:
                        _log.error("webhook %s waits: %s", self.name, error)
                except Exception:
                    failures += 1
                    _log.exception("webhook %s failed, and begins again", self.name)
                self.failing.set(failures)
                await asyncio.sleep(backoff(failures))

    async def _begun(self) -> Position:
        """Where it was; a new webhook begins with what happens from now on."""
        found = await self._in_thread(lambda: Position.kept_in(self.kept))
        if found is None:
            told = await self._in_thread(lambda: self._after(1 << 62))
            found = Position(ledger=told.ledger, after=told.tip)
            await self._keep(found)
        return found

    async def _follow(self, client: httpx.AsyncClient, position: Position) -> None:
        listener = Listener()
        self.api.hub.listeners.add(listener)
        try:
            while True:
                _drain(listener)  # before the ledger is read, so that nothing falls between
                after = position.after
                told = await self._in_thread(partial(self._after, after))
                position = self._in(told, position)
                if position.after < after:
                    continue
                for row in told.rows:
                    self.behind.set(told.tip - position.after)
                    body = self._body(row, told.ledger)
                    if body is not None:
                        await self._deliver(client, row.seq, body)
                        await self._keep(position.replace(after=row.seq))
                    position = position.replace(after=row.seq)
                self.behind.set(told.tip - position.after)
                if not told.rows:
                    await _woken(listener, _LOOK)
                elif position.after - after >= _ROWS:  # many that it does not send
                    await self._keep(position)
        finally:
            self.api.hub.listeners.discard(listener)

    def _in(self, told: _Told, position: Position) -> Position:
        """The position, in the ledger that there is now."""
        if position.ledger and position.ledger != told.ledger:
            _log.warning("webhook %s: the ledger was begun anew; it is sent from its beginning", self.name)
            return Position(ledger=told.ledger, after=0)
        if position.after > told.tip:
            _log.warning("webhook %s: the ledger has lost its end; it goes on from what is there", self.name)
            return Position(ledger=told.ledger, after=told.tip)
        return position.replace(ledger=told.ledger)

    def _after(self, after: int) -> _Told:
        with self.api.service.ledger.looking() as view:
            tip = view.database.row(sql.TIP)
            rows = tuple(view.database.entries(sql.AFTER, (after, _ROWS)))
            return _Told(ledger=ledger_name(view.database), tip=0 if tip is None else int(tip[0]), rows=rows)

    def _body(self, row: Row, ledger: str) -> bytes | None:
        """What is sent of a row; None for one that is not sent."""
        if self.hook.events and row.kind not in self.hook.events:
            return None
        event = event_of(row)
        return None if event is None else canonical({"id": row.seq, "ledger": ledger, **event})

    async def _deliver(self, client: httpx.AsyncClient, id: int, body: bytes) -> None:
        """Tries until the receiver has taken it."""
        failures = 0
        while True:
            why, wait = await self._tried(client, body)
            self.tries.labels(self.name, "failed" if why else "delivered").inc()
            if not why:
                self.failing.set(0)
                if failures:
                    _log.warning("webhook %s: event %d was taken after %d tries", self.name, id, failures + 1)
                return
            failures += 1
            self.failing.set(failures)
            if failures == 1:
                _log.warning("webhook %s: event %d was not taken (%s); it is tried again", self.name, id, why)
            await asyncio.sleep(max(wait, backoff(failures)))

    async def _tried(self, client: httpx.AsyncClient, body: bytes) -> tuple[str, float]:
        """Why it was not taken, empty where it was; and how long the receiver wants to be left alone."""
        at = int(time.time())
        headers = {
            "content-type": "application/json",
            "user-agent": f"interlock/{__version__}",
            "interlock-signature": signature_of(self.secret, at, body),
        }
        try:
            async with (
                asyncio.timeout(_SECONDS),
                client.stream("POST", self.hook.url, content=body, headers=headers, follow_redirects=False) as answer,
            ):
                size = 0
                async for chunk in answer.aiter_raw():
                    size += len(chunk)
                    if size > _READ:
                        break
        except TimeoutError:
            return f"no answer within {_SECONDS:g} s", 0.0
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            return printable(f"{type(error).__name__} {error}"[:200]).strip(), 0.0
        if answer.is_success:
            return "", 0.0
        return f"it answered {answer.status_code}", _wait(answer.headers.get("retry-after", ""))

    async def _keep(self, position: Position) -> None:
        try:
            await self._in_thread(lambda: position.keep(self.kept))
        except StoreError as error:  # it goes on; after a restart some events come twice
            _log.error("webhook %s: %s", self.name, error)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self.thread, work)


def _wait(text: str) -> float:
    return min(_LONGEST, float(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0


def _drain(listener: Listener) -> None:
    while not listener.rows.empty():
        listener.rows.get_nowait()


async def _woken(listener: Listener, seconds: float) -> None:
    try:
        await asyncio.wait_for(listener.rows.get(), seconds)
    except TimeoutError:
        pass
