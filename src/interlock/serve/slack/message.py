"""A question as a message in Slack.

All that comes from outside stands in rich text, which Slack shows as it is: there is no markup in it to obey, and so no
mention, link or emoji that a call could bring along. Only the line of a notification is markup, and is escaped. A call
is shown whole or has no button for a yes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ...approve.lifecycle import APPLIED, APPROVED, CLOSED, DENIED, EXPIRED, HALFWAY, OPEN, PENDING, REDEEMED
from ...bytes.canon import canonical
from ...model.verdict import Strength
from ...store.people.answering import Asked, why_not_answered
from ...store.people.offers import offers_for
from ...value import Value
from ...words.hidden import hidden_words
from ...words.visible import fields_in_order, visible

__all__ = ["ACTIONS", "Message", "escaped", "message_of", "session_message", "value_of", "why_not_here"]

_MOST = 2800  # characters of a call: Slack takes 3000 in one text, and a person reads no more in a chat
_LINES = 60
_SHORT = 200
_REASONS = 5

# action of a button -> answer, reach, its words, how it looks
ACTIONS: dict[str, tuple[str, str, str, str]] = {
    "interlock_once": ("approve", "once", "Approve once", "primary"),
    "interlock_session": ("approve", "session", "Approve for this session", ""),
    "interlock_deny": ("deny", "once", "Deny", "danger"),
}


class Message(Value):
    """
    text    for notifications, where blocks cannot be shown
    blocks  all of it
    whole   the call is in it, whole
    """

    text: str
    blocks: tuple[Mapping[str, Any], ...]
    whole: bool

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps([self.text, self.blocks], sort_keys=True).encode()).hexdigest()


def escaped(text: str) -> str:
    """For where Slack reads markup."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def value_of(id: str, seq: int, *, unseen: bool = False) -> str:
    """What a button carries: the question, and the row that asked it. `unseen`: it asks back about what is hidden."""
    return f"{id}.{seq}.hidden" if unseen else f"{id}.{seq}"


def message_of(asked: Asked, link: str) -> Message:
    """As it stands now. `link`: the page that shows all of it."""
    body = asked.body
    head, tool, subject, call = _HEADS[asked.standing], str(body["tool"]), str(body["subject"]), _call_text(asked)
    reasons = [str(reason) for reason in body["reasons"]]
    parts: list[dict[str, Any]] = [_line(_bold(f"{head}: {_short(tool)}"))]
    parts += [_line(_text(_short(reason, 600))) for reason in reasons[:_REASONS]]
    if len(reasons) > _REASONS:
        parts.append(_line(_text(f"and {len(reasons) - _REASONS} more reasons")))
    if call is not None:
        parts.append({"type": "rich_text_preformatted", "elements": [_text(call)]})
    else:
        parts.append(_line(_text(f"It is too long to be shown whole here. It begins: {_short(subject)}")))
    if asked.hidden:
        parts.append(_line(_text(f"{hidden_words(asked.hidden)}.")))
    parts.append(_line(_text(f"in {_short(str(body['folder']))}  ·  {asked.question.id}")))
    parts.append(_line(_text(_standing(asked))))
    parts.append(_line({"type": "link", "url": link, "text": "Show all of it"}))
    blocks: list[Mapping[str, Any]] = [{"type": "rich_text", "elements": parts}]
    if asked.is_open:
        blocks.append({"type": "actions", "elements": _buttons(asked)})
    return Message(text=escaped(_short(f"{head}: {tool} {subject}", 120)), blocks=tuple(blocks), whole=call is not None)


def session_message(body: Mapping[str, Any]) -> Message:
    """The first message of a session's thread."""
    who = f"run {body['run']}" if body.get("run") else f"session {body['session']}"
    host = f" of {body['host']}" if body.get("host") else ""
    head = f"Interlock: {who}{host}"
    lines = [
        _line(_bold(_short(head))),
        _line(_text(f"in {_short(str(body['folder']))}")),
        _line(_text("What it asks comes into this thread. Answer with the buttons,")),
        _line(_text("or write `approve` or `deny because …` here.")),
    ]
    return Message(text=escaped(_short(head)), blocks=({"type": "rich_text", "elements": lines},), whole=False)


def why_not_here(asked: Asked) -> str | None:
    """Why a yes to it is not taken in Slack; None where it is."""
    why = why_not_answered(asked, yes=True, where="slack", strength=Strength.WEAK)
    if why is None and _call_text(asked) is None:
        why = f"{asked.question.id} is too long to be shown whole in Slack, and what was not shown cannot be approved"
    return why


def _buttons(asked: Asked) -> list[dict[str, Any]]:
    can = why_not_here(asked) is None
    reaches = {offer.reach for offer in offers_for(asked) if not offer.refused}
    id, seq = asked.question.id, asked.question.seq
    return [
        {
            "type": "button",
            "action_id": action,
            "value": value_of(id, seq, unseen=answer == "approve" and asked.hidden > 0),
            "text": _plain(words),
            **({"style": style} if style else {}),
            **({"confirm": _asks_back(asked.hidden)} if answer == "approve" and asked.hidden else {}),
        }
        for action, (answer, reach, words, style) in ACTIONS.items()
        if answer == "deny" or (can and reach in reaches)
    ]


def _asks_back(hidden: int) -> dict[str, Any]:
    """The dialog behind a button whose yes counts for what nobody can see."""
    return {
        "title": _plain("Approve what is hidden?"),
        "text": _plain(f"{hidden_words(hidden)}."),
        "confirm": _plain("Approve"),
        "deny": _plain("Go back"),
    }


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


_HEADS = {
    PENDING: "Interlock asks",
    HALFWAY: "Interlock asks a second person",
    APPROVED: "Approved",
    DENIED: "Denied",
    EXPIRED: "Not answered",
    REDEEMED: "Approved",
    CLOSED: "Settled elsewhere",
    APPLIED: "Applied",
    "dead": "No longer asked",
}


def _standing(asked: Asked) -> str:
    """How it stands, in a sentence or two."""
    if asked.dead is not None:
        return f"It can no longer fire: {asked.dead}. When the agent makes the call again, you are asked anew."
    status = asked.question.status
    if status in OPEN:
        why = why_not_here(asked)
        until = f"It waits until {_moment(asked.question.expires)}." if asked.question.expires else "It waits."
        return f"{until} A yes is not taken here: {why}; use the page." if why is not None else until
    said = asked.said or {}
    reason = f": {_short(str(said['why']), 600)}" if said.get("why") else ""
    by = f"by {_short(str(said.get('by') or 'somebody'))}{reason}."
    return {
        APPROVED: f"Approved {by} It fires once, when the agent makes the same call again.",
        REDEEMED: f"Approved {by} The call was let through.",
        DENIED: f"Denied {by}",
        EXPIRED: "Nobody answered in time. When the agent makes the call again, you are asked anew.",
        CLOSED: f"Closed {by}",
        APPLIED: f"A preview of it was applied {by} The call itself does not run.",
    }[status]


def _call_text(asked: Asked) -> str | None:
    """All that the call says, in lines of which none can be taken for one of ours; None where that is too much."""
    given = asked.input
    if given is None:
        return None
    lines: list[str] = []
    for name in fields_in_order(given):
        value = given[name]
        text = value if isinstance(value, str) else json.dumps(json.loads(canonical(value)), ensure_ascii=False)
        lines += [f"{visible(name)}:", *_barred(text.split("\n"))]
    for name, words in _BOUND.items():  # what it also binds, and a person has to know
        bound = asked.body.get(name) or ()
        if bound:
            lines += [words, *_barred([bound] if isinstance(bound, str) else map(str, bound))]
    whole = "\n".join(lines) or "(it has no input)"
    return whole if len(lines) <= _LINES and len(whole) <= _MOST else None


_BOUND = {"agent_type": "for agents of the type:", "scripts": "scripts that were read:", "sends": "what it sends:"}


def _barred(lines: Iterable[str]) -> list[str]:
    return [f"│ {visible(line)}" for line in lines]


def _line(*elements: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text_section", "elements": [*elements, {"type": "text", "text": "\n"}]}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _bold(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "style": {"bold": True}}


def _short(text: str, most: int = _SHORT) -> str:
    shown = visible(text)
    return shown if len(shown) <= most else f"{shown[:most]}… ({len(text)} characters in all)"


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%d %b %H:%M UTC")
