"""Keeps the messages in Slack in step with the ledger.

One thread looks at each question that may have changed, makes its message from the ledger, and posts or edits where
what is shown is something else. What cannot be done now stays on the list. So nothing hangs on having seen a row go
by: after a restart, and once Slack is back, the list is made from what is open in the ledger and what was shown.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge

from ...approve.lifecycle import APPROVED, PENDING, Question
from ...errors import InputError, InterlockError
from ...store import sql
from ...store.answering import Asked, policy_now
from ...store.approvals import asked_row, find, said
from ...store.http import check_web_address
from ..hub import Listener
from ..secret_file import secret_in
from ..webhooks import backoff
from .answer import Answers
from .ears import Ears
from .message import Message, escaped, message_of, session_message
from .threads import Posted, Threads
from .web import Bot, LaterError, RefusedBySlackError, Web

if TYPE_CHECKING:
    from ..api import Api

__all__ = ["Desk"]

_log = logging.getLogger("interlock.slack")

_TICK = 1.0  # seconds between two looks at the clock
_LOOK = 30.0  # seconds until all that goes on is looked at again: a policy may have changed
_TIDY = 3600.0
_WEEK = 7 * 24 * 3600 * 1000
_MOST = 500  # questions that are shown and not over; others wait until some of these are
_REFUSED = 60.0  # seconds until something is tried again that Slack refuses until somebody changes it
_TOO_MUCH = frozenset(("invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"))
_GONE = frozenset(("message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"))


class Desk:
    """Made before the service listens: what is wrong with the settings is said then (InputError)."""

    def __init__(self, api: Api) -> None:
        settings = api.settings.slack
        assert settings is not None  # noqa: S101 - made only where there are some
        if settings.api:
            check_web_address(settings.api)
        self.api = api
        self.settings = settings
        folders = api.service.engine.folders
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
            await asyncio.to_thread(self._thread.join, 12)
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
                if now - looked >= _LOOK:
                    self._touched.add("")
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
        if self.bot is None:
            self.bot = self.web.bot()
        return self.threads

    def _in_step(self, threads: Threads) -> None:
        if "" in self._touched:
            self._touched |= {*self._open_ids(), *[posted.id for posted in threads.going_on()]}
            self._touched.discard("")
        now = int(time.time() * 1000)
        self._touched |= {one.id for one in threads.going_on() if 0 < one.until <= now}
        if not self._touched:
            return
        found = {id: self.asked(id) for id in list(self._touched)}
        for id in sorted(found, key=lambda id: 0 if found[id] is None else found[id].question.seq):  # type: ignore[union-attr]
            if self._stop.is_set():
                return
            asked = found[id]
            if asked is None or self._shown(threads, asked):
                self._touched.discard(id)

    def _open_ids(self) -> list[str]:
        with self.api.service.ledger.looking() as view:
            kept = [Question.in_order(*row) for row in view.database.rows(sql.APPROVALS)]
        return [question.id for question in kept if question.status == PENDING]

    def asked(self, id: str) -> Asked | None:
        """The question as the ledger has it now."""
        with self.api.service.ledger.looking() as view:
            kept = find(view, id)
            if kept is None:
                return None
            policies = policy_now(self.api.service.engine.folders)
            return Asked(kept, asked_row(view, kept), said(view, kept), view.at, policies)

    # --- one question ----------------------------------------------------------------------------------------------

    def _shown(self, threads: Threads, asked: Asked) -> bool:
        """Whether its message says how it stands, now or for good."""
        posted = threads.question(asked.question.id)
        message = message_of(asked, self.link(asked.question.id))
        if posted is None or posted.seq != asked.question.seq:
            if not asked.is_open or "slack" not in asked.body.get("where", ()):
                return True
            if len(threads.going_on()) >= _MOST:
                return False
            posted = self._noted(threads, asked)
        if not posted.ts:
            posted = self._put(threads, posted, asked, message)
        elif posted.shown != message.digest and not posted.ended:
            posted = self._edited(threads, posted, message)
        over = self._is_over(asked)
        until = 0 if over else asked.question.expires
        if (over and not posted.ended) or until != posted.until:
            threads.keep(posted.replace(ended=posted.ended or (asked.now if over else 0), until=until))
        return True

    def _noted(self, threads: Threads, asked: Asked) -> Posted:
        thread = self._thread_of(threads, asked)
        posted = Posted(
            id=asked.question.id,
            seq=asked.question.seq,
            session=str(asked.body["session"]),
            channel=self.settings.channel,
            thread=thread,
            ts="",
            tried=0,
            shown="",
            whole=False,
            until=0,
            ended=0,
        )
        threads.keep(posted)
        return posted

    def _put(self, threads: Threads, posted: Posted, asked: Asked, message: Message) -> Posted:
        """Posts it, unless it is there already."""
        ts, shown, whole = self._there(posted.channel, posted.id, posted.tried, posted.thread), "", message.whole
        if not ts:
            posted = posted.replace(tried=posted.tried or int(time.time() * 1000))
            threads.keep(posted)
            try:
                ts, shown = self.web.post(posted.channel, message, posted.id, thread=posted.thread), message.digest
            except RefusedBySlackError as error:
                if error.code not in _TOO_MUCH:
                    raise
                whole = False
                ts = self.web.post(
                    posted.channel, _brief(message, self.link(posted.id)), posted.id, thread=posted.thread
                )
                shown = message.digest
            self.sent.labels("posted").inc()
        posted = posted.replace(ts=ts, shown=shown, whole=whole, until=asked.question.expires)
        threads.keep(posted)
        return posted if shown == message.digest else self._edited(threads, posted, message)

    def _edited(self, threads: Threads, posted: Posted, message: Message) -> Posted:
        try:
            told = message if posted.whole or not message.whole else _brief(message, self.link(posted.id))
            self.web.update(posted.channel, posted.ts, told)
            self.sent.labels("edited").inc()
        except RefusedBySlackError as error:
            if error.code not in _GONE:
                raise
            self.sent.labels("gone").inc()  # somebody has removed it; the question is answered elsewhere
        posted = posted.replace(shown=message.digest)
        threads.keep(posted)
        return posted

    def _thread_of(self, threads: Threads, asked: Asked) -> str:
        """The first message of the session's thread, posted if it is not there."""
        session, channel = str(asked.body["session"]), self.settings.channel
        kept = threads.thread(channel, session)
        if kept is not None and kept[0]:
            return kept[0]
        tried = 0 if kept is None else kept[1]
        key = f"session {session}"[:500]
        ts = self._there(channel, key, tried, "")
        if not ts:
            tried = tried or int(time.time() * 1000)
            threads.keep_thread(channel, session, "", tried)
            ts = self.web.post(channel, session_message(asked.body), key)
            self.sent.labels("thread").inc()
        threads.keep_thread(channel, session, ts, tried)
        return ts

    def _there(self, channel: str, key: str, tried: int, thread: str) -> str:
        """The `ts` of a message that was tried before, if it came through."""
        if not tried or self.bot is None:
            return ""
        try:
            return self.web.find(self.bot, channel, key, since=tried / 1000 - 60, thread=thread)
        except RefusedBySlackError:  # it may not look: better twice than never
            return ""

    def link(self, id: str) -> str:
        return f"{self.api.settings.address}/approvals/{id}"

    def _is_over(self, asked: Asked) -> bool:
        """Whether it stays as it is. A dead one may come to life again, with the policy of before."""
        question = asked.question
        if question.status not in (PENDING, APPROVED) or 0 < question.expires <= asked.now:
            return True
        return asked.dead is not None and asked.now - question.asked > _WEEK


def _brief(message: Message, link: str) -> Message:
    """Without the call, for where Slack does not take it, and so without a button for a yes."""
    text = f"{message.text}\nSlack does not show it; answer on the page: {escaped(link)}"
    return Message(text=text, blocks=(), whole=False)
