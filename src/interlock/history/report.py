"""What Interlock would have done: the sum over the calls of imported transcripts, for people and as plain data."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..bytes.redact import redact
from ..value import TYPE_CHECKING, Value
from .recorded import reason_for_people, subject_of
from .simulate import keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.decision import Decision
    from ..value import Json
    from .told import PastCall, Transcript

__all__ = ["TOP", "WORLD", "Report", "day_of"]

TOP = 10
_CUT = 160
WORLD = (
    "the transcripts are all that was looked at: no file of this machine, and no answer that nobody gave",
    "a call that ran is taken as approved by a person, and the approval as remembered in its session",
    "after another answer the agent might have gone on differently",
)
_EPOCH = datetime(1970, 1, 1)


class _Counts(Value):
    calls: int = 0
    allow: int = 0
    ask: int = 0
    deny: int = 0

    def plus(self, verdict: str) -> _Counts:
        return self.replace(calls=self.calls + 1, **{verdict: getattr(self, verdict) + 1})


def day_of(at: int | None) -> str:
    """The day in UTC; nothing where it is not known."""
    try:
        return "" if at is None else (_EPOCH + timedelta(milliseconds=at)).date().isoformat()
    except OverflowError:
        return ""


class Report:
    """Filled call by call, so that no transcript has to be kept in memory for it."""

    def __init__(self) -> None:
        self.files = self.lines = 0
        self.skipped: dict[str, int] = {}
        self.total = _Counts()
        self.asks: dict[str, dict[str, Any]] = {}
        self.denies: list[dict[str, Any]] = []
        self.sessions: dict[tuple[str, str], _Counts] = {}
        self.first: dict[tuple[str, str], str] = {}
        self.days: dict[str, _Counts] = {}

    def read(self, transcript: Transcript) -> None:
        self.files += 1
        self.lines += transcript.lines
        for why, count in transcript.skipped.items():
            self.skipped[why] = self.skipped.get(why, 0) + count

    def add(self, told: PastCall, given: Mapping[str, Json], decision: Decision) -> None:
        verdict, day = decision.verdict.name, day_of(told.at)
        self.total = self.total.plus(verdict)
        self.days[day] = self.days.get(day, _Counts()).plus(verdict)
        owner = (told.host, told.session)
        self.sessions[owner] = self.sessions.get(owner, _Counts()).plus(verdict)
        self.first.setdefault(owner, day)
        if verdict == "allow":
            return
        subject = _short(subject_of(told.tool, given))
        reason = decision.reasons[0]
        if verdict == "deny":
            self.denies.append(
                {"day": day, "session": told.session, "call": subject, "rule": f"{reason.layer}/{reason.rule}",
                 "why": reason_for_people(reason.text)}
            )  # fmt: skip
            return
        key = redact(" + ".join(keys_of(decision.reasons)))
        row = self.asks.setdefault(
            key, {"key": key, "count": 0, "why": reason_for_people(reason.text), "example": subject}
        )
        row["count"] += 1

    def as_data(self) -> dict[str, Any]:
        asks = sorted(self.asks.values(), key=lambda row: (-row["count"], row["key"]))
        total = self.total
        return {
            "files": self.files,
            "lines": self.lines,
            "skipped": dict(sorted(self.skipped.items())),
            "calls": total.calls,
            "verdicts": {"allow": total.allow, "ask": total.ask, "deny": total.deny},
            "prompts_per_100": round(100 * total.ask / total.calls, 1) if total.calls else 0.0,
            "asks": asks[:TOP],
            "other_asks": sum(row["count"] for row in asks[TOP:]),
            "denies": self.denies,
            "days": [{"day": day, **self.days[day].as_dict()} for day in sorted(self.days)],
            "sessions": [
                {"host": owner[0], "session": owner[1], "day": self.first[owner], **self.sessions[owner].as_dict()}
                for owner in sorted(self.sessions, key=lambda owner: (self.first[owner], owner))
            ],
            "notes": list(WORLD),
        }


def _short(text: str) -> str:
    clean = redact(text)
    return clean if len(clean) <= _CUT else clean[: _CUT - 1] + "…"
