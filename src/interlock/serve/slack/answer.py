"""From a click or a text to an answer, or to a word with whoever gave it.

Nothing of what comes from Slack is believed but who did it and where: which question a message is about is looked up in
what was posted, what it asks in the ledger, and who the person is in the settings. A text without a name is for the one
question that waits in its thread, if whoever wrote it can have read that one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ...model.errors import InterlockError
from ...words.hidden import hidden_words
from ..callers import Caller
from ..errors import RefusedError
from .ears import Once
from .message import ACTIONS, escaped, value_of, why_not_here
from .people import caller_for
from .spoken import Spoken, heard
from .threads import Posted, Threads
from .web import LaterError, RefusedBySlackError

if TYPE_CHECKING:
    from .desk import Desk

__all__ = ["Answers"]

_log = logging.getLogger("interlock.slack")

_THREADS = 4
_SECONDS = 30.0  # that keeping an answer may take
_POSTED = 2.0  # seconds that a message may be on its way
_READ = 2.0  # seconds that a question has to stand there before a text can be about it
_SETTLED = 10.0  # seconds for which a text may still be meant for a question that is just over

_STRANGER = "You may not answer this: nobody has said which person you are. Whoever runs Interlock can name you."
_NOT_OURS = "This button does not belong to a question that waits. Nothing was answered."
_UNCLEAR = "That was not taken for a yes. To say yes write only `approve`, or `approve because …`."
_NOTHING = "Nothing waits for an answer in this thread. Nothing was answered."
_WHICH = "It is not clear which question you mean. Nothing was answered. Use its buttons, or name it: `{} {}`"
_NOT_KEPT = "The answer could not be kept. Nothing was answered; please try again."
_NOT_SURE = "The answer is not kept yet. When it is, the message says so; otherwise please try again."
_TOO_SOON = "Interlock has just started. Nothing was answered; please try again."


class Answers:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.once = Once()
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="interlock-slack-answer")

    def stop(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)

    def take(self, kind: str, payload: Mapping[str, Any]) -> Future[None] | None:
        """Begins with it. The same click or text is taken once, in whichever envelope it comes."""
        work = {"interactive": self._clicked, "events_api": self._said}.get(kind)
        return None if work is None else self.threads.submit(work, payload)

    # --- a click ---------------------------------------------------------------------------------------------------

    def _clicked(self, payload: Mapping[str, Any]) -> None:
        if payload.get("type") != "block_actions":
            return
        user, channel = _text(payload, "user", "id"), _text(payload, "container", "channel_id")
        ts, thread = _text(payload, "container", "message_ts"), _text(payload, "container", "thread_ts")
        actions = payload.get("actions")
        action = actions[0] if isinstance(actions, list) and actions and isinstance(actions[0], dict) else {}
        meant = ACTIONS.get(str(action.get("action_id")))
        if meant is None or not self.once.is_new((channel, ts, user, meant, str(action.get("action_ts")))):
            return
        # INVARIANT: a button answers the question of the message it was posted in, and no other.
        posted = self._threads().at_message(channel, ts)
        value = action.get("value")
        plain, unseen = ("", "") if posted is None else _values(posted)
        if posted is None or value not in (plain, unseen):
            self._tell(channel, user, _NOT_OURS, thread)
            return
        teams = [_text(payload, "user", "team_id"), _text(payload, "team", "id")]
        answer, reach, _, _ = meant
        self._answer(posted, user, teams, yes=answer == "approve", reach=reach, why="", unseen=value == unseen)

    # --- a text ----------------------------------------------------------------------------------------------------

    def _said(self, payload: Mapping[str, Any]) -> None:
        event = payload.get("event")
        if not isinstance(event, dict) or event.get("type") != "message":
            return
        # An edited message is no answer, nor is one that a program wrote, were it in a person's name.
        if event.get("subtype") not in (None, "thread_broadcast"):
            return
        if any(event.get(name) for name in ("bot_id", "app_id", "bot_profile")):
            return
        user, channel, ts, thread = (_text(event, name) for name in ("user", "channel", "ts", "thread_ts"))
        spoken = heard(_text(event, "text"))
        if spoken is None or not thread or not self.once.is_new((channel, ts, "text")):
            return
        found = self._threads().in_thread(channel, thread)
        if not found:
            return  # a thread of others
        teams = [_text(event, name) for name in ("user_team", "source_team", "team")]
        if self._who(user, teams) is None:
            self._tell(channel, user, self._stranger, thread)
        elif spoken.unclear:
            self._tell(channel, user, _UNCLEAR, thread)
        else:
            meant = self._meant(found, spoken, ts)
            if isinstance(meant, str):
                self._tell(channel, user, meant, thread)
            else:
                self._answer(meant, user, teams, yes=spoken.yes, reach=spoken.reach, why=spoken.why)

    def _meant(self, found: list[Posted], spoken: Spoken, ts: str) -> Posted | str:
        """The question that a text is about, or what to say where that is not clear."""
        if spoken.about:
            named = [one for one in found if one.ts and one.id.startswith(spoken.about)]
            return named[0] if len(named) == 1 else _NOTHING
        waiting = [one for one in found if one.ts and not one.ended and self._waits(one)]
        if not waiting:
            return _NOTHING
        at, (only, *others) = _seconds(ts), waiting
        which = _WHICH.format("approve" if spoken.yes else "deny", only.id)
        # INVARIANT: nobody says yes to what came while they wrote it.
        just_over = [one for one in found if one.id != only.id and one.ended / 1000 > at - _SETTLED]
        unsure = [one for one in found if one.id != only.id and not one.ended and not self._waits(one)]
        if others or just_over or unsure or at - _seconds(only.ts) < _READ:
            return which
        return only

    def _waits(self, posted: Posted) -> bool:
        asked = self.desk.asked(posted.id)
        return asked is not None and asked.question.seq == posted.seq and asked.is_open

    # --- an answer -------------------------------------------------------------------------------------------------

    def _answer(
        self, posted: Posted, user: str, teams: list[str], *, yes: bool, reach: str, why: str, unseen: bool = False
    ) -> None:
        caller = self._who(user, teams)
        if caller is None:
            self._tell(posted.channel, user, self._stranger, posted.thread)
            return
        try:
            asked = self.desk.asked(posted.id)
            if asked is None or asked.question.seq != posted.seq:
                raise RefusedError("conflict", _NOT_OURS)
            refused = why_not_here(asked) if yes else None
            if refused is None and yes and not posted.whole:
                refused = f"{posted.id} was not shown whole in Slack, and what was not shown cannot be approved"
            if refused is None and yes and asked.hidden and not unseen:
                refused = f"{hidden_words(asked.hidden)}. Say yes with the button, which asks back"
            if refused is not None:
                raise RefusedError("conflict", refused)
            answer, where = "approve" if yes else "deny", self.desk.loop
            assert where is not None  # noqa: S101 - the socket is opened after it is there
            keeping = self.desk.api.answered(posted.id, caller, answer, reach, why, where="slack", unseen=unseen)
            asyncio.run_coroutine_threadsafe(keeping, where).result(_SECONDS)
        except RefusedError as error:
            self._tell(posted.channel, user, escaped(error.text), posted.thread)
        except InterlockError as error:
            self._tell(posted.channel, user, escaped(str(error)), posted.thread)
        except TimeoutError:
            self._tell(posted.channel, user, _NOT_SURE, posted.thread)
        except Exception:
            _log.exception("an answer from Slack could not be kept")
            self._tell(posted.channel, user, _NOT_KEPT, posted.thread)
        self.desk.touch(posted.id)

    def _who(self, user: str, teams: list[str]) -> Caller | None:
        """Who may answer. An id of a user is one of its workspace; of another it may be another's."""
        bot = self.desk.bot
        if bot is None or any(team and team not in bot.teams for team in teams):
            return None
        return caller_for(self.desk.api.service, self.desk.settings, user)

    @property
    def _stranger(self) -> str:
        return _TOO_SOON if self.desk.bot is None else _STRANGER

    def _threads(self) -> Threads:
        """What was posted, once that is known: a person may be quicker than Slack's answer to the post."""
        end = time.monotonic() + _POSTED
        while True:
            threads = self.desk.threads
            if threads is not None and (time.monotonic() > end or not threads.on_their_way()):
                return threads
            if time.monotonic() > end:
                raise RuntimeError("it is not known yet which message is which question's")
            time.sleep(0.02)

    def _tell(self, channel: str, user: str, text: str, thread: str) -> None:
        """To that person alone. Where Slack does not take it, nothing hangs on it."""
        try:
            self.desk.web.whisper(channel, user, text, thread=thread)
        except (LaterError, RefusedBySlackError) as error:
            _log.info("nobody could be told: %s", error)


def _values(posted: Posted) -> tuple[str, str]:
    """What its buttons may carry: without a dialog behind them, and with one."""
    return value_of(posted.id, posted.seq), value_of(posted.id, posted.seq, unseen=True)


def _text(found: Any, *names: str) -> str:
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _seconds(ts: str) -> float:
    try:
        return float(ts)
    except ValueError:
        return 0.0
