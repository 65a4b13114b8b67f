"""A registry with its settings and one call, through `interlock.checks`. What that records is thrown away."""

from __future__ import annotations

from contextlib import closing
from tempfile import TemporaryDirectory
from typing import Any

from ..checks import RiskTier, ToolCallInspectorCheck, ToolSpec

__all__ = ["inspected"]


def inspected(row: dict[str, Any]) -> tuple[Any, Any]:
    """Decision, and the metadata that the row asserts."""
    wanted: dict[str, Any] = row.get("metadata", {})
    chain = row.get("owner_approval_chain")
    if chain is None:  # where the row names only the approver, the chain is that one
        chain = [wanted["current_approver"]] if wanted.get("current_approver") else []
    with TemporaryDirectory(prefix="interlock-") as home, closing(_check(row, home)) as check:
        result = check.inspect(row["tool"], row.get("arguments"), approval_chain=chain)
    given = {key: result.metadata.get(key) for key in wanted}
    return (row["expected_decision"], wanted), (result.decision, given)


def _check(row: dict[str, Any], home: str) -> ToolCallInspectorCheck:
    settings = row["settings"]
    return ToolCallInspectorCheck(
        registry={
            name: ToolSpec(
                risk_tier=_tier(spec["risk_tier"]),
                irreversible=spec["irreversible"],
                dryrun_supported=spec["dryrun_supported"],
            )
            for name, spec in row["registry"].items()
        },
        max_allowed_tier=_tier(settings["max_allowed_tier"]),
        escalate_at_tier=_tier(settings["escalate_at_tier"]),
        allow_critical=settings["allow_critical"],
        allow_unregistered=settings["allow_unregistered"],
        root="/repo",
        home=home,
    )


def _tier(word: str) -> RiskTier:
    return RiskTier[word.upper()]
