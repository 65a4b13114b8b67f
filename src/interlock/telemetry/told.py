"""A row of the ledger as it is told to others: a name, a moment, attributes, one line for people.

INVARIANT: the arguments of a call, and any sentence that was made from them, are left out unless whoever runs
Interlock has asked for them; then they are told as the ledger keeps them, without secrets. Names that agents choose
(a tool, a session) are looked through for secrets once more, because the ledger keeps those as they came. A row that
was changed is told as that, and nothing of its content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..bytes.redact import redact
from ..model.errors import printable
from ..record.chain import row_hash
from ..value import FrozenMap, Value

if TYPE_CHECKING:
    from ..record.chain import Row
    from .traces import Trace

__all__ = ["EVENTS", "SEVERITIES", "Attribute", "LogEvent", "notice", "told_of"]

# how grave -> the number that syslog has for it
SEVERITIES = {"info": 6, "notice": 5, "warning": 4, "error": 3}
_GRAVITY = {"allow": "info", "ask": "notice", "deny": "warning"}

# kind of row -> the fields of its body that are told, beside its key; decisions have a function of their own
EVENTS: dict[str, tuple[str, ...]] = {
    "prompt": ("tool", "needs"),
    "answer": ("answer", "by", "surface", "strength"),
    "grant": (),
    "revocation": ("by",),
    "override": ("by", "until"),
    "posture": ("from", "to", "by"),
    "token": ("says", "role", "person", "by"),
    "approver": ("change", "name", "by"),
    "watch": ("says",),
    "gap": ("count",),
    "pruned": ("from", "to", "count"),
}
_GRAVE = {"override": "warning", "gap": "warning", "watch": "notice", "grant": "notice", "approver": "notice"}
# what the key of a row is called
_KEYS = {
    **dict.fromkeys(("prompt", "answer"), "approval"),
    **dict.fromkeys(("grant", "revocation"), "grant"),
    **{kind: kind for kind in ("override", "token")},
}
_LONGEST = 500  # characters of one text
_LONGEST_ARGUMENTS = 16_000

Attribute = str | bool | int | float | tuple[str, ...]


class LogEvent(Value):
    """
    row, hash   which row it is; the same row gives the same, so whoever gets it twice can tell
    at          milliseconds since 1970
    attributes  by the name that a receiver sees
    text        one line for people
    trace       the request that it was decided in, where the HTTP service knows it
    """

    name: str
    row: int
    hash: str
    at: int
    severity: str
    attributes: Mapping[str, Attribute]
    text: str
    trace: Trace | None = None

    @property
    def is_decision(self) -> bool:
        return self.name == "interlock.decision"


def told_of(row: Row, *, arguments: bool, asked_at: Callable[[int], int | None]) -> LogEvent | None:
    """What is told of a row; None for one that is nobody's business. `asked_at`: when a prompt's row was written."""
    if row.kind != "decision" and row.kind not in EVENTS:
        return None
    try:
        if row.hash != row_hash(row):
            return _changed(row)
        body: Any = json.loads(row.body)
        if row.kind == "decision":
            return _decision(row, body, arguments)
        return None if body.get("carried") else _event(row, body, arguments, asked_at)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return _changed(row)


def _decision(row: Row, body: Mapping[str, Any], arguments: bool) -> LogEvent:
    receipt = body["receipt"]
    call, decided = receipt["call"], receipt["decision"]
    verdict, enforced = str(decided["verdict"]), body.get("enforced", True) is True
    severity = _GRAVITY[verdict]
    why = next((reason for reason in decided["reasons"] if reason["verdict"] == verdict), None)
    found: dict[str, Attribute | None] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": _named(call["tool"]),
        "gen_ai.tool.call.id": _named(body.get("attempt")),
        "gen_ai.conversation.id": _named(call["session"]),
        "gen_ai.agent.name": _named(call.get("agent_type") or call["host"]),
        "gen_ai.agent.id": _named(call["agent"]),
        "interlock.verdict": verdict,
        "interlock.effect": decided["effect"] or "none",
        "interlock.effects": tuple([str(effect) for effect in decided["effects"]]),
        "interlock.layer": None if why is None else str(why["layer"]),
        "interlock.rule": None if why is None else str(why["rule"]),
        "interlock.reasons": tuple([f"{reason['layer']}/{reason['rule']}" for reason in decided["reasons"]]),
        "interlock.receipt": row.key,
        "interlock.policy": str(receipt["policy"]),
        "interlock.approval": decided["approval"],
        "interlock.posture": str(decided["posture"]),
        "interlock.front": str(body.get("front") or ""),
        "interlock.host": _named(call["host"]),
        "interlock.enforced": enforced,
        "interlock.engine": str(receipt["engine"]),
        "error.type": "interlock.denied" if verdict == "deny" and enforced else None,
    }
    if arguments:
        found["gen_ai.tool.call.arguments"] = _cut(
            json.dumps(body.get("input"), ensure_ascii=False), _LONGEST_ARGUMENTS
        )
        found["interlock.says"] = _named(" ".join([str(reason["text"]) for reason in decided["reasons"]]))
    by = f" by {why['layer']}/{why['rule']}" if why is not None else ""
    text = f"{verdict} {found['gen_ai.tool.name']}{by}{'' if enforced else ' (observed)'}"
    return _told(row, "decision", severity, found, text)


def _event(row: Row, body: Mapping[str, Any], arguments: bool, asked_at: Callable[[int], int | None]) -> LogEvent:
    found: dict[str, Attribute | None] = {"gen_ai.conversation.id": _named(row.session)}
    for name in EVENTS[row.kind]:
        value = body.get(name)
        if isinstance(value, bool | int):
            found[f"interlock.{name}"] = value
        elif isinstance(value, str):
            found["gen_ai.tool.name" if name == "tool" else f"interlock.{name}"] = _named(value)
    if row.kind in _KEYS:
        found[f"interlock.{_KEYS[row.kind]}"] = _named(row.key)
    if row.kind == "answer":
        asked = asked_at(body["prompt"]) if type(body.get("prompt")) is int else None
        found["interlock.waited"] = None if asked is None else max(0.0, (row.at - asked) / 1000)
        if arguments:
            found["interlock.why"] = _named(body.get("why"))
    found["interlock.front"] = str(body.get("front") or "")
    said = [str(value) for name in EVENTS[row.kind] if (value := found.get(f"interlock.{name}")) not in (None, "")]
    subject = found.get("gen_ai.tool.name")
    text = " ".join([row.kind, *([str(subject)] if subject else []), *said])
    return _told(row, row.kind, _GRAVE.get(row.kind, "info"), found, text)


def _changed(row: Row) -> LogEvent:
    return LogEvent(
        name="interlock.changed",
        row=row.seq if type(row.seq) is int else 0,
        hash=str(row.hash)[:64],
        at=row.at if type(row.at) is int else 0,
        severity="error",
        attributes=FrozenMap({}),
        text=f"row {row.seq} of the ledger was changed; look at it with: interlock audit verify",
    )


def notice(name: str, text: str, *, row: int, at: int, severity: str = "warning") -> LogEvent:
    """Something that no row says: rows that are missing, say."""
    return LogEvent(
        name=f"interlock.{name}", row=row, hash="", at=at, severity=severity, attributes=FrozenMap({}), text=text
    )


def _told(row: Row, kind: str, severity: str, found: Mapping[str, Attribute | None], text: str) -> LogEvent:
    kept = {name: value for name, value in found.items() if value is not None and value != "" and value != ()}
    return LogEvent(
        name=f"interlock.{kind}",
        row=row.seq,
        hash=row.hash,
        at=row.at,
        severity=severity,
        attributes=FrozenMap(kept),
        text=_cut(text, _LONGEST),
    )


def _named(value: object) -> str | None:
    """Words that somebody else chose: bounded, without what a terminal obeys, and without secrets."""
    if not value:
        return None
    plain = "__".join([redact(part) for part in str(value).split("__")])  # the parts of an MCP tool's name
    return _cut(printable(plain), _LONGEST)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… [cut, {len(text)} characters]"
