"""One question in Slack: posts its message, or edits it until it says how the question stands.

A message that was posted while nobody learned of it is found by what is noted on it, and not posted twice. Where Slack
does not take the call as it is shown, a line without it is posted, and a yes is not taken there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...approve.lifecycle import APPROVED, OPEN
from .message import Message, escaped, message_of, session_message
from .threads import Posted
from .web import LaterError, RefusedBySlackError

if TYPE_CHECKING:
    from prometheus_client import Counter

    from ...store.people.answering import Asked
    from .threads import Threads
    from .web import Bot, Web

__all__ = ["Poster"]

_WEEK = 7 * 24 * 3600 * 1000  # milliseconds
_MOST = 500  # questions that are shown and not over; others wait until some of these are
_SKEW = 60.0  # seconds by which our clock and Slack's may differ
_TOO_MUCH = frozenset(("invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long"))
_NO_THREAD = frozenset(("thread_not_found", "cannot_reply_to_message"))
_GONE = frozenset(("message_not_found", "cant_update_message", "edit_window_closed"))


class Poster:
    def __init__(
        self, web: Web, bot: Bot, threads: Threads, channel: str, link: Callable[[str], str], done: Counter
    ) -> None:
        self.web = web
        self.bot = bot
        self.threads = threads
        self.channel = channel
        self.link = link
        self.done = done

    def shown(self, asked: Asked) -> bool:
        """Whether Slack shows how it stands, or has nothing to do with it. False: it has to wait its turn."""
        posted = self.threads.question(asked.question.id)
        if posted is None or posted.seq != asked.question.seq:
            if not asked.is_open or "slack" not in asked.body.get("where", ()):
                return True
            if len(self.threads.going_on()) >= _MOST:
                return False
            posted = self._noted(asked)
        message = message_of(asked, self.link(asked.question.id))
        if not posted.ts:
            posted = self._found(posted)
            if not posted.ts and not asked.is_open:  # nobody has seen it, and nobody has to
                self.threads.drop(posted.id)
                return True
        if not posted.ts:
            posted = self._posted(posted, message)
        if posted.shown != message.digest and not posted.ended:
            posted = self._edited(posted, message)
        over = _is_over(asked)
        last = posted.replace(
            ended=posted.ended or (asked.now if over else 0), until=0 if over else asked.question.expires
        )
        if last != posted:
            self.threads.keep(last)
        return True

    def _noted(self, asked: Asked) -> Posted:
        """It is noted before it is posted."""
        question, session = asked.question, str(asked.body["session"])
        posted = Posted(
            id=question.id,
            seq=question.seq,
            session=session,
            channel=self.channel,
            thread=self._thread(asked, session),
            ts="",
            tried=0,
            shown="",
            whole=False,
            until=question.expires,
            ended=0,
        )
        self.threads.keep(posted)
        return posted

    def _posted(self, posted: Posted, message: Message) -> Posted:
        posted = posted.replace(tried=_now())
        self.threads.keep(posted)
        try:
            ts, whole = self._sent(
                message, posted.id, lambda told: self.web.post(posted.channel, told, posted.id, thread=posted.thread)
            )
        except LaterError as error:
            if not error.lost:  # it is not there, and need not be looked for
                self.threads.keep(posted.replace(tried=0))
            raise
        except RefusedBySlackError as error:
            self.threads.keep(posted.replace(tried=0))
            if error.code in _NO_THREAD:
                self.threads.forget_thread(posted.channel, posted.session)
                self.threads.drop(posted.id)
                raise LaterError("a thread was removed in Slack; a new one is begun", 0.0) from None
            raise
        self.done.labels("posted").inc()
        posted = posted.replace(ts=ts, shown=message.digest, whole=whole)
        self.threads.keep(posted)
        return posted

    def _edited(self, posted: Posted, message: Message) -> Posted:
        whole = False
        try:
            _, whole = self._sent(message, posted.id, lambda told: self.web.update(posted.channel, posted.ts, told))
            self.done.labels("edited").inc()
        except RefusedBySlackError as error:
            if error.code not in _GONE:
                raise
            self.done.labels("gone").inc()  # somebody has removed it; the question can be answered elsewhere
        posted = posted.replace(shown=message.digest, whole=whole)
        self.threads.keep(posted)
        return posted

    def _sent(self, message: Message, id: str, send: Callable[[Message], str]) -> tuple[str, bool]:
        """The `ts`, and whether the call stands there whole."""
        try:
            return send(message), message.whole
        except RefusedBySlackError as error:
            if error.code not in _TOO_MUCH:
                raise
        return send(_brief(message, self.link(id))), False

    def _thread(self, asked: Asked, session: str) -> str:
        """The first message of the session's thread, posted if it is not there."""
        kept, tried = self.threads.thread(self.channel, session) or ("", 0)
        if kept:
            return kept
        key = f"session {session}"[:500]
        ts = self._there(self.channel, key, tried, "")
        if not ts:
            self.threads.keep_thread(self.channel, session, "", _now())
            ts = self.web.post(self.channel, session_message(asked.body), key)
            self.done.labels("thread").inc()
        self.threads.keep_thread(self.channel, session, ts, _now())
        return ts

    def _found(self, posted: Posted) -> Posted:
        """With its message, if an earlier try came through."""
        ts = self._there(posted.channel, posted.id, posted.tried, posted.thread)
        if ts:
            posted = posted.replace(ts=ts)
            self.threads.keep(posted)
        return posted

    def _there(self, channel: str, key: str, tried: int, thread: str) -> str:
        if not tried:
            return ""
        try:
            return self.web.find(self.bot, channel, key, since=tried / 1000 - _SKEW, thread=thread)
        except RefusedBySlackError:  # we may not look: better twice than never
            return ""


def _now() -> int:
    return int(time.time() * 1000)


def _is_over(asked: Asked) -> bool:
    """Whether it stays as it is. A dead one may come to life again, with the policy of before."""
    question = asked.question
    if question.status not in (*OPEN, APPROVED) or 0 < question.expires <= asked.now:
        return True
    return asked.dead is not None and asked.now - question.asked > _WEEK


def _brief(message: Message, link: str) -> Message:
    """Without the call, and so without a button for a yes."""
    text = f"{message.text}\nSlack does not show it; answer on the page: {escaped(link)}"
    return Message(text=text, blocks=(), whole=False)
