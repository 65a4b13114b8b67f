"""Rows of the ledger as a person follows them: a line for each decision and answer, the newest first.

What became of a call stands with its decision. Rows that only say the same again (the question of a decision, the use
of an approval) have no line of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...model.level import Level
from ...store import sql
from ...value import Value
from ...words.visible import FIRST

if TYPE_CHECKING:
    from ...record.chain import Row
    from ...store.ledger.ledger import View

__all__ = ["SINCE", "Entry", "Found", "Wanted", "entries", "entry_of", "just_before", "subject_of"]

_BATCH = 500
_MOST_READ = 20_000  # rows that one look goes through
_SUBJECT = 160  # characters
_JUST_BEFORE = 4  # lines
# what a person picks -> milliseconds
SINCE = {"1h": 3_600_000, "24h": 86_400_000, "7d": 7 * 86_400_000, "30d": 30 * 86_400_000}


class Entry(Value):
    """
    says     the first reason of a decision, or what else the row is about, in words
    outcome  what became of the call: ran, failed, …
    """

    seq: int
    at: int
    kind: str
    session: str
    verdict: str = ""
    tool: str = ""
    subject: str = ""
    says: str = ""
    outcome: str = ""
    effect: str = ""
    receipt: str = ""
    approval: str = ""
    enforced: bool = True


class Wanted(Value):
    """What is looked for; empty fits all. `since` is a key of SINCE."""

    verdict: str = ""
    tool: str = ""
    session: str = ""
    text: str = ""
    since: str = ""

    @property
    def calls_only(self) -> bool:
        return bool(self.verdict or self.tool)


class Found(Value):
    """`before` is where the next page begins; None: there is nothing older."""

    entries: tuple[Entry, ...]
    before: int | None
    looked: int


def entries(view: View, wanted: Wanted, *, before: int = 1 << 62, limit: int = 50) -> Found:
    since = view.at - SINCE[wanted.since] if wanted.since else 0
    needle = wanted.text.casefold()
    outcomes: dict[int, str] = {}
    found: list[Entry] = []
    looked = 0
    while looked < _MOST_READ:
        rows = _older(view, wanted.session, before)
        for row in rows:
            before, looked = row.seq, looked + 1
            if row.at < since:
                return Found(entries=tuple(found), before=None, looked=looked)
            entry = entry_of(row, outcomes)
            if entry is None or not _fits(entry, wanted) or (needle and needle not in _text(row, entry)):
                continue
            found.append(entry)
            if len(found) == limit:
                return Found(entries=tuple(found), before=before, looked=looked)
        if len(rows) < _BATCH:
            return Found(entries=tuple(found), before=None, looked=looked)
    return Found(entries=tuple(found), before=before, looked=looked)


def _older(view: View, session: str, before: int) -> list[Row]:
    if session:
        return list(view.database.entries(sql.OF_SESSION_BEFORE, (session, before, _BATCH)))
    return list(view.database.entries(sql.BEFORE, (before, _BATCH)))


def _fits(entry: Entry, wanted: Wanted) -> bool:
    if wanted.calls_only and entry.kind != "decision":
        return False
    return wanted.verdict in ("", entry.verdict) and wanted.tool in ("", entry.tool)


def _text(row: Row, entry: Entry) -> str:
    return f"{entry.session}\n{entry.receipt}\n{row.body.decode('utf-8', 'replace')}".casefold()


def just_before(view: View, session: str, seq: int) -> tuple[Entry, ...]:
    """What happened last in the session before a row, the oldest first."""
    if not session:
        return ()
    outcomes: dict[int, str] = {}
    found = []
    for row in view.database.entries(sql.OF_SESSION_BEFORE, (session, seq, 40)):
        entry = entry_of(row, outcomes)
        if entry is not None and entry.kind in ("decision", "answer"):
            found.append(entry)
    return tuple(found[:_JUST_BEFORE][::-1])


def entry_of(row: Row, outcomes: dict[int, str]) -> Entry | None:
    """A line for the row; None where it has none. `outcomes` takes what became of decisions that come later."""
    try:
        body = json.loads(row.body)
    except ValueError:
        return None
    if row.kind == "outcome":
        if type(body.get("decision")) is int:
            outcomes.setdefault(body["decision"], str(body.get("outcome", "")))
            return None
        return _plain(row, f"{body.get('tool', '')} {body.get('outcome', '')}, and nobody had asked about it")
    if row.kind == "decision":
        return _decision(row, body, outcomes.pop(row.seq, ""))
    words = _WORDS.get(row.kind)
    if words is None:
        return None
    try:
        entry = _plain(row, words(row, body))
    except (KeyError, TypeError):
        return None
    if row.kind == "answer":
        verdict = {"approved": "allow", "denied": "deny"}.get(str(body["answer"]), "")
        return entry.replace(approval=row.key, verdict=verdict)
    return entry


def _plain(row: Row, says: str) -> Entry:
    return Entry(seq=row.seq, at=row.at, kind=row.kind, session=row.session, says=says)


def _decision(row: Row, body: Mapping[str, Any], outcome: str) -> Entry:
    receipt = body["receipt"]
    decision = receipt["decision"]
    return Entry(
        seq=row.seq,
        at=row.at,
        kind="decision",
        session=row.session,
        verdict=str(decision["verdict"]),
        tool=str(receipt["call"]["tool"]),
        subject=subject_of(body.get("input")),
        says=str(decision["reasons"][0]["text"]) if decision["reasons"] else "",
        outcome=outcome,
        effect=decision["effect"] or "",
        receipt=row.key,
        approval=decision["approval"] or "",
        enforced=body.get("enforced", True) is not False,
    )


def subject_of(given: Any) -> str:
    """The text of a call that says most about it, as much of it as fits a line."""
    if not isinstance(given, Mapping):
        return ""
    for name in (*FIRST, "pattern", "query"):
        if isinstance(given.get(name), str):
            return _shortened(given[name])
    return _shortened(" ".join([f"{name}={value}" for name, value in given.items()]))


def _shortened(text: str) -> str:
    return text if len(text) <= _SUBJECT else f"{text[:_SUBJECT]}… ({len(text)} characters)"


def _grant(row: Row, body: Mapping[str, Any]) -> str:
    grant = body["grant"]
    scope = " ".join([f"{field}={pattern}" for field, pattern in grant["scope"].items()])
    return f"{grant['by']} granted {grant['action']} {scope}".rstrip()


def _answer(row: Row, body: Mapping[str, Any]) -> str:
    why = f": {body['why']}" if body.get("why") else ""
    where = f" on {body['surface']}" if body.get("surface") else ""
    return f"{body['answer']} by {body['by']}{where}{why}"


def _session(_row: Row, body: Mapping[str, Any]) -> str:
    level = Level.of(body["level"]).title if body.get("level") in Level.names() else ""
    return f"session began in {body['root']}, {body['posture']}" + (f", level {level}" if level else "")


# kind -> its line, in words
_WORDS: dict[str, Callable[[Row, Mapping[str, Any]], str]] = {
    "answer": _answer,
    "grant": _grant,
    "revocation": lambda row, body: f"{body['by']} took back {row.key}" + (f": {body['why']}" if body["why"] else ""),
    "posture": lambda row, body: f"posture {body['from']} → {body['to']}, by {body['by']}",
    "session": _session,
    "policy": lambda row, body: f"a policy came into force in {body['root']}",
    "watch": lambda row, body: f"{body['says']}: {body.get('path', row.key)}",
    "override": lambda row, body: f"a safeguard was passed: {row.key}",
    "gap": lambda row, body: f"{body['count']} tool calls ran unseen",
    "pruned": lambda row, body: f"rows {body['from']} to {body['to']} were removed, signed",
    "token": lambda row, body: f"{body['by']} {body['says']} a token of role {body['role']} for {body['name']}",
}
