"""What was decided in a while, and what would have been: prompts, denials, and the reasons that come up most.

In observe mode nobody is asked, so nothing is remembered, and the same question comes up again and again. It is counted
as often as a person would have seen it: once in a session, where a yes to it would have been remembered.
"""

from __future__ import annotations

from ..bytes.redact import redact
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from .recorded import reason_for_people, subject_of
from .simulate import keys_of, redecide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..model.decision import Decision
    from ..policy.model import Policy
    from .recorded import Recorded
    from .simulate import Closed, Live

__all__ = ["summed_up"]

_CUT = 120
_VERDICTS = ("allow", "ask", "deny")


def summed_up(
    rows: Iterable[Recorded],
    policy: Policy,
    *,
    live: Live,
    closed: Closed,
    top: int = 5,
    tick: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """As plain data. `policy` tells which questions would have been remembered."""
    counts = {enforced: dict.fromkeys(_VERDICTS, 0) for enforced in (True, False)}
    prompts = {True: 0, False: 0}
    reasons: dict[tuple[str, str, bool], dict[str, Any]] = {}
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        tick()
        verdict = row.decision.verdict.name
        counts[row.enforced][verdict] += 1
        if row.decision.verdict is Verdict.ALLOW:
            continue
        if row.decision.verdict is Verdict.ASK and (row.enforced or _is_new(row, policy, live, closed, seen)):
            prompts[row.enforced] += 1
        first = row.decision.reasons[0]
        rule = f"{first.layer}/{first.rule}"
        # A question is known by what a yes to it would be remembered as, a refusal by its rule.
        key = redact(" + ".join(keys_of(row.decision.reasons))) if verdict == "ask" else rule
        found = reasons.setdefault(
            (verdict, key, row.enforced),
            {
                "verdict": verdict,
                "key": key,
                "rule": rule,
                "enforced": row.enforced,
                "count": 0,
                "why": reason_for_people(first.text),
                "example": _short(subject_of(row.call.tool, row.given)),
            },
        )
        found["count"] += 1
    calls = {enforced: sum(of.values()) for enforced, of in counts.items()}
    total = sum(calls.values())
    most = sorted(reasons.values(), key=lambda one: (-one["count"], one["key"], one["enforced"]))
    return {
        "calls": total,
        "enforced": {"calls": calls[True], **counts[True], "prompts": prompts[True]},
        "observed": {"calls": calls[False], **counts[False], "prompts": prompts[False]},
        "prompts_per_100": round(100 * sum(prompts.values()) / total, 1) if total else 0.0,
        "asks": [one for one in most if one["verdict"] == "ask"][:top],
        "denies": [one for one in most if one["verdict"] == "deny"][:top],
    }


def _is_new(row: Recorded, policy: Policy, live: Live, closed: Closed, seen: set[tuple[str, ...]]) -> bool:
    """Whether a person would have been asked: this session has not asked it, or a yes to it is not remembered."""
    decision = redecide(row, policy, live(policy, row.at, row.reading), closed(row, policy))
    if not _is_remembered(decision):
        return True
    key = (row.call.host, row.call.session, *keys_of(row.decision.reasons))
    if key in seen:
        return False
    seen.add(key)
    return True


def _is_remembered(decision: Decision) -> bool:
    asks = [found for found in decision.reasons if found.verdict is Verdict.ASK]
    return decision.verdict is Verdict.ASK and all(
        "remembered" in found.lifted_by or found.layer == "watch" for found in asks
    )


def _short(text: str) -> str:
    clean = redact(text)
    return clean if len(clean) <= _CUT else clean[: _CUT - 1] + "…"
