"""A decision as HTTP tells it: a status, headers and a body.

    200  allow
    202  a person is asked; the same call, made again, redeems the answer
    403  deny

An agent gets what is for it: the verdict, its own sentence, ids. All that was found goes out only where whoever runs
the service says so. The rest is in the ledger, for people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..bytes.canon import canonical
from ..calls.replies import sentences_of
from ..calls.world import Outcome
from ..model.answer import ALLOW, HELD, OBSERVED
from ..model.errors import is_crowded
from ..record.answer import decision_to_wire
from ..value import Value
from .errors import RefusedError

if TYPE_CHECKING:
    from starlette.types import Send

__all__ = ["Answer", "again", "answer_to", "foreseen_answer", "stamp", "told_by"]

_RETRY = 2  # seconds after which it is worth asking again
_STATUS = {ALLOW: 200, OBSERVED: 200, HELD: 202}


class Answer(Value):
    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


async def told_by(answer: Answer, send: Send) -> None:
    """The answer, as ASGI."""
    raw = _json(answer.body).encode()
    lines = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
    lines += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(raw))]
    await send({"type": "http.response.start", "status": answer.status, "headers": lines})
    await send({"type": "http.response.body", "body": raw})


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def stamp(at: int) -> str:
    """Milliseconds since 1970 as RFC 3339."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def answer_to(outcome: Outcome, *, verbose: bool) -> Answer:
    if outcome.trouble is not None:  # reads would pass in a hook; a service that keeps no record says so
        why = outcome.trouble if is_crowded(outcome.trouble) else "the ledger cannot be written"
        raise RefusedError("unavailable", f"{why}; nothing was allowed", {"retry-after": "2"})
    decision, answer = outcome.decision, outcome.answer
    agent = sentences_of(outcome)[1]
    body = _verdict(outcome)
    headers = {"x-interlock-decision": answer.word, "x-interlock-receipt": outcome.receipt}
    if answer.kind == OBSERVED:
        headers |= {"x-interlock-observed": decision.verdict.name}
    elif answer.kind == HELD:
        body |= {
            "approval_id": answer.approval,
            "expires_at": stamp(answer.until) if answer.until else None,
            "status": "pending",
        }
        headers |= {"location": f"/v1/approvals/{answer.approval}", "retry-after": str(_RETRY)}
    body |= {"agent": agent, "notes": list(decision.notes), "audit_entry_id": outcome.receipt}
    body["receipt"] = outcome.receipt
    if verbose:
        # Through the canonical form: what was decided from is made of frozen values.
        body["decision"] = json.loads(canonical(decision_to_wire(decision, outcome.body, outcome.receipt)))
        if outcome.warnings:
            body["warnings"] = list(outcome.warnings)
    return Answer(status=_STATUS.get(answer.kind, 403), body=body, headers=headers)


def _verdict(outcome: Outcome) -> dict[str, Any]:
    body: dict[str, Any] = {"verdict": outcome.answer.word}
    if outcome.answer.kind == OBSERVED:
        body |= {"enforced": False, "observed": outcome.decision.verdict.name}
    return body


def foreseen_answer(outcome: Outcome) -> Answer:
    """What would be decided, for `mode=preview`: always 200, because nothing was asked for that could be refused."""
    body = {"mode": "preview", **_verdict(outcome), "agent": sentences_of(outcome)[1]}
    body |= {"notes": list(outcome.decision.notes), "audit_entry_id": outcome.receipt, "receipt": outcome.receipt}
    return Answer(status=200, body=body, headers={"x-interlock-decision": outcome.answer.word})


def again(body: Mapping[str, Any], *, verbose: bool) -> Answer:
    """An allow that was given before, whose answer may have been lost."""
    receipt = str(body["receipt"])
    told: dict[str, Any] = {
        "verdict": "allow",
        "agent": "",
        "notes": list(body["decision"]["notes"]),
        "audit_entry_id": receipt,
        "receipt": receipt,
        "replayed": True,
    }
    if verbose:
        told["decision"] = {"verdict": "allow", "receipt": receipt, "approval": body["decision"]["approval"]}
    return Answer(status=200, body=told, headers={"x-interlock-decision": "allow", "x-interlock-receipt": receipt})
