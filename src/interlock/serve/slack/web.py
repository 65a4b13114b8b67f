"""Slack's Web API, as far as messages need it: each request is done, has to wait, or is refused for good.

Slack says for how long it wants to be left alone (429, `Retry-After`), and is. Nothing is tried again in here: whoever
asks knows better what has become of it meanwhile. Links are not looked up by Slack, in any message.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web import WebClient

from ...value import Value

if TYPE_CHECKING:
    from slack_sdk.web import SlackResponse

    from .message import Message

__all__ = ["Bot", "LaterError", "RefusedBySlackError", "Web", "quiet"]

_SECONDS = 10  # that one request may take
_LATER = frozenset(
    "ratelimited rate_limited internal_error fatal_error service_unavailable request_timeout team_added_to_org "
    "message_limit_exceeded".split()
)
_EVENT = "interlock"  # the kind of what we note on a message
_PAGES = 5  # of messages that are looked through for one that may be there
_PAGE = 200

# The SDK tells each failed try, and some of what was sent; we tell once, and nothing of that.
quiet = logging.getLogger("interlock.slack.sdk")
quiet.setLevel(logging.CRITICAL + 1)


class LaterError(Exception):
    """It may work after so many seconds; None: Slack does not say. `lost`: nobody knows whether it was done."""

    def __init__(self, why: str, wait: float | None = None, *, lost: bool = False) -> None:
        super().__init__(why)
        self.wait = wait
        self.lost = lost


class RefusedBySlackError(Exception):
    """It will not work until somebody changes something. `code` is Slack's word."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Bot(Value):
    """Who we are there. `teams`: the workspace, and the organization that it is part of."""

    user: str
    teams: frozenset[str]


class Web:
    def __init__(self, token: str, api: str) -> None:
        more = {"base_url": api.rstrip("/") + "/"} if api else {}
        self.client = WebClient(token=token, timeout=_SECONDS, logger=quiet, retry_handlers=[], **more)  # type: ignore[arg-type]

    def bot(self) -> Bot:
        told = self._asked(self.client.auth_test)
        teams = frozenset(str(told[name]) for name in ("team_id", "enterprise_id") if told.get(name))
        return Bot(user=str(told.get("user_id", "")), teams=teams)

    def post(self, channel: str, message: Message, key: str, *, thread: str = "") -> str:
        """Its `ts`. `key` is noted on it, so that it is found again."""
        told = self._asked(
            self.client.chat_postMessage,
            channel=channel,
            thread_ts=thread or None,
            metadata={"event_type": _EVENT, "event_payload": {"key": key}},
            unfurl_links=False,
            unfurl_media=False,
            **_content(message),
        )
        return str(told.get("ts", ""))

    def update(self, channel: str, ts: str, message: Message) -> str:
        self._asked(self.client.chat_update, channel=channel, ts=ts, **_content(message))
        return ts

    def whisper(self, channel: str, user: str, text: str, *, thread: str = "") -> None:
        """Shown to one person alone. `text` is markup: what comes from outside is escaped by whoever asks."""
        self._asked(self.client.chat_postEphemeral, channel=channel, user=user, text=text, thread_ts=thread or None)

    def find(self, bot: Bot, channel: str, key: str, *, since: float, thread: str = "") -> str:
        """The `ts` of our own message with this key, since then; empty where there is none."""
        cursor = ""
        for _ in range(_PAGES):
            look = {"channel": channel, "oldest": f"{since:.6f}", "limit": _PAGE, "include_all_metadata": True}
            look |= {"cursor": cursor} if cursor else {}
            if thread:
                told = self._asked(self.client.conversations_replies, ts=thread, **look)
            else:
                told = self._asked(self.client.conversations_history, **look)
            for message in told.get("messages", ()):
                noted = message.get("metadata") or {}
                ours = message.get("user") == bot.user and noted.get("event_type") == _EVENT
                if ours and (noted.get("event_payload") or {}).get("key") == key:
                    return str(message.get("ts", ""))
            cursor = (told.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return ""

    def _asked(self, method: Callable[..., SlackResponse], **fields: Any) -> Mapping[str, Any]:
        try:
            told = method(**fields).data
        except SlackApiError as error:
            status, headers, code = _answer_in(error)
            if status == 429 or code in _LATER:
                raise LaterError(f"Slack says {code}", _wait(headers)) from None
            if status >= 500:
                raise LaterError(f"Slack answered {status}", lost=True) from None
            raise RefusedBySlackError(code) from None
        except (SlackClientError, OSError, ValueError) as error:  # no connection, no time, no JSON
            raise LaterError(f"Slack cannot be reached ({type(error).__name__})", lost=True) from None
        return told if isinstance(told, dict) else {}


def _content(message: Message) -> dict[str, Any]:
    return {
        "text": message.text,
        "blocks": json.loads(json.dumps(message.blocks)),
        "parse": "none",
        "link_names": False,
    }


def _answer_in(error: SlackApiError) -> tuple[int, Mapping[str, Any], str]:
    response: Any = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    headers: Mapping[str, Any] = getattr(response, "headers", None) or {}
    data = getattr(response, "data", response)
    code = data.get("error") if isinstance(data, Mapping) else None
    return status, headers, code if isinstance(code, str) and code.isascii() and len(code) < 100 else "no answer"


def _wait(headers: Mapping[str, Any]) -> float | None:
    text = next((str(value) for name, value in headers.items() if name.lower() == "retry-after"), "")
    return min(float(text), 3600.0) if text.isascii() and text.isdigit() else None
