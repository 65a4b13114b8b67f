"""Rows of the ledger for a person at a terminal. All text from outside is made harmless first."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.text import Text

from ..model.errors import InputError
from ..record.chain import DAMAGE, Walked
from .counted import counted
from .show import COLOURS, console, harmless

__all__ = ["decided", "moment", "parse_when", "show_row", "summary", "walked_data"]

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MAX = 100


def moment(at: int) -> str:
    """Milliseconds since 1970 as UTC."""
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return f"{at} ms"


def parse_when(text: str | None) -> int | None:
    """A day, a time (UTC unless it says otherwise) or how long ago, as milliseconds since 1970."""
    if text is None:
        return None
    try:
        if text[-1:] in _UNITS and text[:-1].isdigit():
            ago = timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
            return int((time.time() - ago.total_seconds()) * 1000)
        when = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise InputError(f"`{text[:40]}` is not a time; write 2026-12-01, 2026-12-01T10:00, 90m, 12h or 7d") from None
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


def summary(row: dict[str, Any]) -> str:
    """One line for one row."""
    return f"{row['seq']:>7}  {moment(row['at'])}  {row['kind']:10}  {harmless(_what(row))}"


def _what(row: dict[str, Any]) -> str:
    body = row["body"]
    try:
        return str(_SUMMARIES[row["kind"]](row, body))
    except (KeyError, TypeError, IndexError):
        return _cut(row["key"])


def decided(row: dict[str, Any]) -> dict[str, str]:
    """Verdict, tool and the text that says most about the call, whole; empty for a row of another kind."""
    try:
        receipt = row["body"]["receipt"]
        found = {"verdict": receipt["decision"]["verdict"], "tool": receipt["call"]["tool"]}
    except (KeyError, TypeError):
        return {}
    return {**found, "command": _subject(row["body"].get("input"))} if row["kind"] == "decision" else {}


def _decision(_row: dict[str, Any], body: dict[str, Any]) -> str:
    receipt = body["receipt"]
    decision = receipt["decision"]
    about = _subject(body.get("input"))
    why = f"  [{decision['reasons'][0]['layer']}/{decision['reasons'][0]['rule']}]" if decision["reasons"] else ""
    seen = "" if body.get("enforced", True) else "  (not enforced)"
    return f"{decision['verdict']:5}  {receipt['call']['tool']} {_cut(about)}{why}{seen}"


def _grant(row: dict[str, Any], body: dict[str, Any]) -> str:
    grant = body["grant"]
    scope = " ".join([f"{field}={pattern}" for field, pattern in grant["scope"].items()])
    return f"{row['key']}  {grant['action']} {_cut(scope)}  by {grant['by']}"


def _subject(given: Any) -> str:
    """The text of a call that says most about it."""
    if not isinstance(given, dict):
        return ""
    for name in ("command", "file_path", "path", "url", "notebook_path", "pattern", "query"):
        if isinstance(given.get(name), str):
            return str(given[name])
    return next((str(value) for value in given.values()), "")


_SUMMARIES: dict[str, Any] = {
    "decision": _decision,
    "answer": lambda row, body: (
        f"{row['key']}  {body['answer']} by {body['by']}" + (f": {body['why']}" if body.get("why") else "")
    ),
    "prompt": lambda row, body: f"{row['key']}  {body['tool']} {_cut(body['subject'])}",
    "reminder": lambda row, body: f"{row['key']}  reminder {body['count']}",
    "preview": lambda row, body: f"{body['says']:9}  {row['key']}  {_cut(body['command'])}",
    "posture": lambda row, body: f"{body['from']} → {body['to']}  {row['key']}  by {body['by']}",
    "policy": lambda row, body: f"{row['key'][:23]}…  first seen in {body['root']}",
    "session": lambda row, body: f"{row['key']}  {body['posture']}  in {body['root']}",
    "outcome": lambda row, body: f"{body['outcome']:7}  {body['tool']}  row {body['decision']}",
    "message": lambda row, body: (
        f"{body['characters']} characters"
        + (f"; permissive until {body['raised']}" if body["raised"] else "")
        + (f"; /{body['skill']}, {'loaded' if body['loaded'] else 'not loaded'}" if body.get("skill") else "")
    ),
    "checkpoint": lambda row, body: f"row {body['seq']} signed with key {body['key']}",
    "pruned": lambda row, body: f"rows {body['from']} to {body['to']} removed, signed with key {body['key']}",
    "grant": _grant,
    "redemption": lambda row, body: f"{row['key']}  for {body['receipt'][:23]}…",
    "revocation": lambda row, body: f"{row['key']}  by {body['by']}  {body['why']}".rstrip(),
    "gap": lambda row, body: f"{body['count']} tool calls ran unseen in {row['key']}",
    "undo": lambda row, body: f"{row['key'][:12]}  {counted(body['paths'], 'path')}  by {body['by']}",
    "watch": lambda row, body: f"{body['says']}  {_cut(body.get('path', row['key']))}",
    "override": lambda row, body: f"{row['key']}  {body['why']}",
}


def _cut(text: str) -> str:
    return text if len(text) <= _MAX else text[: _MAX - 1] + "…"


def show_row(row: dict[str, Any], *, same: int, undos: Sequence[tuple[str, str]] = ()) -> None:
    """The whole row, laid out for reading. `undos`: how each of its actions is taken back."""
    out = console()
    out.print(Text(f"row {row['seq']}  {row['kind']}  {moment(row['at'])}", style="bold"))
    for name in ("session", "key", "attempt", "proof", "prev", "hash"):
        if row[name]:
            out.print(Text(f"  {name:8} {harmless(row[name])}"))
    if same:
        out.print(Text(f"  {same} older row{'s' if same > 1 else ''} with the same id", style="dim"))
    verdict = row["body"].get("receipt", {}).get("decision", {}).get("verdict") if row["kind"] == "decision" else None
    if verdict in COLOURS:
        out.print(Text(f"  {verdict}", style=f"bold {COLOURS[verdict]}"))
    for name, undone in undos:
        out.print(Text(f"  undo of {harmless(name)}: {harmless(undone)}"))
    for line in json.dumps(row["body"], ensure_ascii=False, indent=2).splitlines():
        out.print(Text("  " + harmless(line)))


def walked_data(walked: Walked) -> dict[str, Any]:
    """How far a walk through a chain came, and what stopped it."""
    damage = walked.damage
    return {
        "ok": damage is None,
        "rows": walked.count,
        "last": walked.seq,
        "hash": walked.hash,
        "damage": None if damage is None else {**damage.as_dict(), "means": DAMAGE[damage.kind]},
    }
