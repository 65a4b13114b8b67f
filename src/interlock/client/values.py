"""What the service says, as values. What it does not say in the shape of its document is a ServiceError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.errors import ServiceError
from ..value import Value, freeze

__all__ = ["Approval", "Decided", "Event", "approval_from", "decided_from", "event_from"]

# status of an answer -> the verdict that it must have; a status that says less than its body is nobody's allow
_VERDICTS = {200: "allow", 202: "ask", 403: "deny"}


class Decided(Value):
    """
    verdict   allow, ask or deny
    agent     what to tell the agent; empty for an allow
    approval  the id of the question, where a person is asked
    expires   until when somebody can answer it, as RFC 3339; empty: it waits on
    receipt   the name of the decision in the ledger
    call      what was decided about, as the JSON text that was sent
    key       the idempotency key it was sent under
    raw       all that the service said
    """

    verdict: str
    agent: str
    approval: str
    expires: str
    receipt: str
    notes: tuple[str, ...]
    call: str
    key: str
    raw: Mapping[str, Any]

    @property
    def allowed(self) -> bool:
        return self.verdict == "allow"

    @property
    def pending(self) -> bool:
        return self.verdict == "ask"


class Approval(Value):
    """
    status  pending, approved, denied, expired, redeemed, closed or applied
    dead    why it can no longer fire; empty where it can
    input   the call's input, secrets left out; None where it was too long to be kept
    needs   how strong a yes must be: weak, medium or strong
    answer  who answered what, and how; None where nobody has
    """

    id: str
    status: str
    dead: str
    tool: str
    input: Mapping[str, Any] | None
    folder: str
    session: str
    reasons: tuple[str, ...]
    needs: str
    asked: str
    expires: str
    receipt: str
    answer: Mapping[str, Any] | None
    raw: Mapping[str, Any]


class Event(Value):
    """One row of the ledger. `seq` is its number: say it as `after` to go on behind it."""

    seq: int
    kind: str
    session: str
    key: str
    raw: Mapping[str, Any]


def decided_from(status: int, body: Mapping[str, Any], *, call: str, key: str) -> Decided:
    verdict, receipt = _text(body, "verdict"), _text(body, "receipt")
    if verdict != _VERDICTS.get(status) or not receipt:
        raise ServiceError(
            f"the service answered {status} with the verdict `{verdict[:20]}`; nothing is allowed by that"
        )
    approval = _text(body, "approval_id", "")
    if verdict == "ask" and not approval:
        raise ServiceError("the service asks a person, and does not say under which name")
    return Decided(
        verdict=verdict,
        agent=_text(body, "agent", ""),
        approval=approval,
        expires=_text(body, "expires_at", ""),
        receipt=receipt,
        notes=_texts(body, "notes"),
        call=call,
        key=key,
        raw=_frozen(body),
    )


def approval_from(body: Mapping[str, Any]) -> Approval:
    given, answer = body.get("input"), body.get("answer")
    return Approval(
        id=_text(body, "id"),
        status=_text(body, "status"),
        dead=_text(body, "dead", ""),
        tool=_text(body, "tool"),
        input=_frozen(given) if isinstance(given, Mapping) else None,
        folder=_text(body, "folder"),
        session=_text(body, "session"),
        reasons=_texts(body, "reasons"),
        needs=_text(body, "needs"),
        asked=_text(body, "asked_at"),
        expires=_text(body, "expires_at", ""),
        receipt=_text(body, "receipt"),
        answer=_frozen(answer) if isinstance(answer, Mapping) else None,
        raw=_frozen(body),
    )


def event_from(seq: int, body: Mapping[str, Any]) -> Event:
    return Event(
        seq=seq, kind=_text(body, "kind"), session=_text(body, "session"), key=_text(body, "key"), raw=_frozen(body)
    )


def _frozen(body: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = freeze(dict(body))
    return found  # type: ignore[no-any-return]


def _text(body: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    found = body.get(name)
    if found is None and otherwise is not None:
        return otherwise
    if not isinstance(found, str):
        raise ServiceError(f"the service's answer has no `{name}`")
    return found


def _texts(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = body.get(name, ())
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise ServiceError(f"`{name}` of the service's answer is no list of texts")
    return tuple(found)
