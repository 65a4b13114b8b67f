"""Keeps the messages in Slack in step with the ledger.

One thread looks at each question that may have changed, makes its message from the ledger, and posts or edits where
what is shown is something else. What cannot be done now stays on the list. So nothing hangs on having seen a row go
by: after a restart, and once Slack is back, the list is made from what is open in the ledger and what was shown.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge

from ...approve.lifecycle import OPEN, Question
from ...model.errors import InputError, InterlockError, StoreError
from ...store import sql
from ...store.ledger.approvals import answers_to, asked_row, find
from ...store.outside.http import check_web_address
from ...store.people.answering import Asked
from ..hub import Listener
from ..secret_file import secret_in
from ..webhooks import backoff
from .answer import Answers
from .ears import Ears
from .poster import Poster
from .threads import Threads
from .web import Bot, LaterError, RefusedBySlackError, Web

if TYPE_CHECKING:
    from ..api import Api
    from ..settings import Slack

__all__ = ["Desk"]

_log = logging.getLogger("interlock.slack")

_TICK = 1.0  # seconds between two looks at the clock
_LOOK = 30.0  # seconds until all that goes on is looked at again: a policy may have changed
_TIDY = 3600.0
_REFUSALS = 3  # after which the others wait as well
_REFUSED = 60.0  # seconds until something is tried again that Slack refuses until somebody changes it


class Desk:
    """Made before the service listens: what is wrong with the settings is said then (InputError)."""

    def __init__(self, api: Api) -> None:
        settings = api.settings.slack
        assert settings is not None  # noqa: S101 - made only where there are some
        self.api = api
        self.settings = settings
        folders = api.service.engine.folders
        _check(settings)
        tokens = {}
        for name, head in (("bot", "xoxb-"), ("app", "xapp-")):
            tokens[name] = secret_in(getattr(settings, name), f"[slack] {name}", base=folders.config)
            if not tokens[name].startswith(head):
                raise InputError(f"[slack] {name}: the file must hold a token that begins with {head}")
        self.path = folders.state + "/slack.db"
        self.web = Web(tokens["bot"], settings.api)
        self.answers = Answers(self)
        self.ears = Ears(tokens["app"], self.web, self.answers.take, api.metrics.registry)
        self.threads: Threads | None = None
        self.bot: Bot | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.sent = Counter(
            "interlock_slack_messages", "Messages by what was done", ("done",), registry=api.metrics.registry
        )
        self.waiting = Gauge(
            "interlock_slack_questions_to_show", "Questions whose message is behind", registry=api.metrics.registry
        )
        self._touched: set[str] = set()
        self._damaged: set[str] = set()
        self._lock = threading.Lock()
        self._wake, self._stop = threading.Event(), threading.Event()
        self._listener: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None
        self._failures = 0

    # --- beginning and end -----------------------------------------------------------------------------------------

    async def start(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._listener = asyncio.create_task(self._listen(), name="slack")
        self._thread = threading.Thread(target=self._run, name="interlock-slack", daemon=True)
        self._thread.start()
        self.ears.start()

    async def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
        await asyncio.to_thread(self.ears.stop)
        await asyncio.to_thread(self.answers.stop)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 3)
            if not self._thread.is_alive() and self.threads is not None:
                self.threads.close()

    async def _listen(self) -> None:
        while True:
            listener = Listener()
            self.api.hub.listeners.add(listener)
            try:
                self.touch(None)  # what happened while nobody listened
                while not listener.lagged:
                    row = await listener.rows.get()
                    if row is None:
                        return
                    if row.key.startswith("ap_"):
                        self.touch(row.key)
            finally:
                self.api.hub.listeners.discard(listener)

    def touch(self, id: str | None) -> None:
        """This question may have changed; None: any may."""
        with self._lock:
            self._touched.add(id or "")
        self._wake.set()

    # --- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        looked = tidied = 0.0
        while not self._stop.is_set():
            pause = _TICK
            try:
                now = time.monotonic()
                threads = self._opened()
                self._bot()
                if now - looked >= _LOOK:
                    self.touch(None)
                    looked = now
                if now - tidied >= _TIDY:
                    threads.forget(int(time.time() * 1000))
                    tidied = now
                self._in_step(threads)
                self._failures = 0
            except LaterError as error:
                pause = self._failed(str(error), error.wait)
            except RefusedBySlackError as error:
                pause = self._failed(f"Slack refuses: {error.code}", _REFUSED)
            except InterlockError as error:
                pause = self._failed(str(error), None)
            except Exception:
                _log.exception("the messages in Slack are not in step")
                pause = self._failed("", None)
            self.waiting.set(len(self._touched))
            if pause > _TICK:
                self._stop.wait(pause)  # however much happens meanwhile: Slack is left alone
            self._wake.wait(_TICK)
            self._wake.clear()

    def _failed(self, why: str, wait: float | None) -> float:
        self._failures += 1
        if why and self._failures == 1:
            _log.warning("%s; it is tried again", why)
        return wait if wait is not None else min(60.0, max(_TICK, backoff(self._failures)))

    def _opened(self) -> Threads:
        if self.threads is None:
            self.threads = Threads(self.path)
        return self.threads

    def _bot(self) -> Bot:
        if self.bot is None:
            self.bot = self.web.bot()
        return self.bot

    def _in_step(self, threads: Threads) -> None:
        # Taken first: what is touched while its message is made is looked at again.
        with self._lock:
            left, self._touched = self._touched, set()
        refused: list[RefusedBySlackError] = []
        try:
            if "" in left:
                left |= {*self._open_ids(), *[posted.id for posted in threads.going_on()]}
                left.discard("")
            now = int(time.time() * 1000)
            left |= {one.id for one in threads.going_on() if 0 < one.until <= now}
            poster = Poster(self.web, self._bot(), threads, self.settings.channel, self.link, self.sent)
            for asked in self._in_order(left):
                if self._stop.is_set() or len(refused) >= _REFUSALS:
                    break
                try:
                    if poster.shown(asked):
                        left.discard(asked.question.id)
                except RefusedBySlackError as error:  # of one message, or of all: the next ones tell
                    refused.append(error)
        finally:
            with self._lock:
                self._touched |= left
        if refused:
            raise refused[0]

    def _in_order(self, ids: set[str]) -> list[Asked]:
        """The questions as they were asked. One that is not there, or whose row somebody has changed, is not shown."""
        found: list[Asked] = []
        for id in list(ids):
            try:
                asked = self.asked(id)
            except StoreError as error:
                asked = None
                if id not in self._damaged:
                    self._damaged.add(id)
                    _log.error("%s is not shown in Slack: %s", id, error)
            if asked is None:
                ids.discard(id)
            else:
                found.append(asked)
        return sorted(found, key=lambda asked: asked.question.seq)

    def _open_ids(self) -> list[str]:
        with self.api.service.ledger.looking() as view:
            kept = [Question.in_order(*row) for row in view.database.rows(sql.WAITING)]
        return [question.id for question in kept if question.status in OPEN]

    def asked(self, id: str) -> Asked | None:
        """The question as the ledger has it now."""
        with self.api.service.ledger.looking() as view:
            kept = find(view, id)
            if kept is None:
                return None
            return Asked(kept, asked_row(view, kept), answers_to(view, kept), view.at)

    def link(self, id: str) -> str:
        """The page that shows all of it."""
        return f"{self.api.settings.address}/approvals/{id}"


def _check(settings: Slack) -> None:
    if settings.api:
        check_web_address(settings.api)
    if re.fullmatch(r"[CG][A-Z0-9]{2,}", settings.channel) is None:
        raise InputError("[slack] channel: give the channel's id, such as C024BE91L (in Slack: its name, then About)")
    for user, person in settings.people.items():
        if re.fullmatch(r"[UW][A-Z0-9]{2,}", user) is None or not person.strip() or not person.isprintable():
            raise InputError(f'[slack.people] {user[:60]}: write U024BE7LH = "ann", the id of a user and their name')
