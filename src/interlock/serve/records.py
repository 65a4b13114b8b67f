"""The ledger for people and programs that look at it over HTTP: audit rows, and events as they happen.

An audit row has the shape of the check that this grew from: which check, allow, block or escalate, why, and what it was
about. An event is one row of the ledger, told in a few fields; what a call was about is in the decision it names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..store.ledger.rows import open_decision
from .answers import stamp

if TYPE_CHECKING:
    from ..record.chain import Row
    from ..store.ledger.ledger import Ledger

__all__ = ["EVENTS", "audit_rows", "event_of"]

_WORDS = {"allow": "allow", "ask": "escalate", "deny": "block"}
_VERDICTS = {word: verdict for verdict, word in _WORDS.items()}
_MOST_READ = 20_000  # rows that one request looks through

# kind of row -> the fields of its body that an event tells
EVENTS: dict[str, tuple[str, ...]] = {
    "decision": (),
    "prompt": ("tool", "subject", "folder", "expires", "needs", "reasons", "hidden"),
    "answer": ("answer", "by", "surface", "strength", "why"),
    "redemption": ("receipt",),
    "reminder": ("count",),
    "outcome": ("outcome", "tool", "decision"),
    "grant": (),
    "revocation": ("by", "why"),
    "session": ("host", "root", "posture"),
    "posture": ("from", "to", "by"),
    "watch": ("says", "path"),
}


def audit_rows(ledger: Ledger, *, limit: int, before: int, decision: str, session: str) -> list[dict[str, Any]]:
    """Decisions, the newest first."""
    verdict = _VERDICTS.get(decision)
    statement = "SELECT seq FROM ledger WHERE kind = 'decision' AND seq < ? ORDER BY seq DESC LIMIT ?"
    found: list[dict[str, Any]] = []
    with ledger.looking() as view:
        from ..store import sql

        for (seq,) in list(view.database.rows(statement, (before, _MOST_READ))):
            row = view.database.entry(sql.BY_SEQ, (seq,))
            if row is None or (session and row.session != session):
                continue
            told = _audit_row(row)
            if verdict is None or told["decision"] == decision:
                found.append(told)
                if len(found) == limit:
                    break
    return found


def _audit_row(row: Row) -> dict[str, Any]:
    receipt, body = open_decision(row)
    decided = body["decision"]
    reasons = decided["reasons"]
    about = {
        "tool": body["call"]["tool"],
        "tier": max((action["risk"] for action in body["reading"]["actions"]), key=_RISKS.index, default="low").upper(),
        "audit_entry_id": receipt,
        "session": row.session,
        "effect": decided["effect"],
    }
    if decided["approval"] is not None:
        about["approval_id"] = decided["approval"]
    return {
        "seq": row.seq,
        "at": stamp(row.at),
        "check_name": f"interlock.{reasons[0]['layer']}" if reasons else "interlock",
        "decision": _WORDS[decided["verdict"]],
        "reason": " ".join([reason["text"] for reason in reasons])
        or f"nothing stands against `{body['call']['tool']}`",
        "metadata": about,
    }


_RISKS = ("low", "medium", "high", "critical")


def event_of(row: Row) -> dict[str, Any] | None:
    """What a listener is told of a row; None for one that is nobody's business."""
    fields = EVENTS.get(row.kind)
    if fields is None:
        return None
    try:
        body: Mapping[str, Any] = json.loads(row.body)
    except ValueError:
        return None
    event = {"kind": row.kind, "seq": row.seq, "at": stamp(row.at), "session": row.session, "key": row.key}
    event |= {name: body[name] for name in fields if name in body}
    if row.kind == "decision":
        receipt = body["receipt"]
        event |= {"tool": receipt["call"]["tool"], "verdict": receipt["decision"]["verdict"]}
        event |= {"effect": receipt["decision"]["effect"], "approval": receipt["decision"]["approval"]}
        event["enforced"] = body.get("enforced", True)
    return event
