"""The registry in Python: the same layers as everywhere, in the words of an inspector."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from interlock.checks import RiskTier, ToolCallInspectorCheck, ToolSpec
from interlock.errors import InputError

MAIL = ToolSpec(risk_tier=RiskTier.HIGH, irreversible=True)


def check(**more: Any) -> ToolCallInspectorCheck:
    registry = {
        "search": ToolSpec(),
        "shell": ToolSpec(risk_tier=RiskTier.LOW),
        "mail": MAIL,
        "refund": ToolSpec(risk_tier=RiskTier.CRITICAL, irreversible=True, dryrun_supported=True),
    }
    return ToolCallInspectorCheck(**{"registry": registry, **more})


def test_tiers_are_numbers_and_compare() -> None:
    assert [int(tier) for tier in RiskTier] == [0, 1, 2, 3]
    assert RiskTier.LOW < RiskTier.MEDIUM < RiskTier.HIGH < RiskTier.CRITICAL


def test_a_row_of_an_unknown_tool() -> None:
    assert check().inspect("format_disk").audit_row() == {
        "check_name": "tool_call_inspector",
        "decision": "block",
        "reason": "Use the tool `format_disk`: your policy does not declare the tool `format_disk`, so Interlock "
        "cannot tell all that it does.",
        "metadata": {"tool": "format_disk"},
    }


def test_every_ground_that_applies_is_told() -> None:
    result = check().inspect("refund", {"amount": 5})
    assert result.decision == "block"
    assert result.metadata == {"tool": "refund", "tier": "CRITICAL"}
    assert [finding.rule for finding in result.decided.reasons] == ["critical", "ceiling", "irreversible"]
    assert result.reason == " ".join(finding.text for finding in result.decided.reasons)


def test_an_escalation_names_what_a_person_needs() -> None:
    result = check().inspect("mail", {"to": "a@example.com"}, approval_chain=["ann", "bo"])
    assert result.decision == "escalate"
    assert dict(result.metadata) == {
        "tool": "mail",
        "tier": "HIGH",
        "audit_entry_id": result.receipt,
        "approval_id": result.decided.approval,
        "tool_name": "mail",
        "risk_tier": "HIGH",
        "irreversible": True,
        "dryrun_supported": False,
        "requires_approval_from": ["ann", "bo"],
        "current_approver": "ann",
    }


def test_an_approval_counts_for_the_same_call_alone() -> None:
    approved = check().inspect("mail", {"to": "a"}).metadata["approval_id"]
    assert check().inspect("mail", {"to": "a"}, approved=approved).decision == "allow"
    assert check().inspect("mail", {"to": "b"}, approved=approved).decision == "escalate"


@pytest.mark.parametrize(
    ("command", "decision", "tier"),
    [
        ("ls -l", "allow", "LOW"),
        ("git push --force origin main", "escalate", "HIGH"),
        ("npm publish", "escalate", "HIGH"),
        ("rm -rf /", "block", "LOW"),
    ],
)
def test_arguments_raise_what_the_registry_declares(command: str, decision: str, tier: str, tmp_path: Path) -> None:
    result = check(root=str(tmp_path)).inspect("shell", {"command": command})
    assert (result.decision, result.metadata["tier"]) == (decision, tier)


def test_reading_never_lowers_a_tier(tmp_path: Path) -> None:
    high = check(registry={"shell": ToolSpec(risk_tier=RiskTier.HIGH)}, max_allowed_tier=RiskTier.MEDIUM)
    assert high.inspect("shell", {"command": "true"}).decision == "block"


@pytest.mark.parametrize(
    ("settings", "tool", "decision"),
    [
        ({"allow_unregistered": True}, "anything", "allow"),
        ({"allow_critical": True}, "refund", "escalate"),
        ({"max_allowed_tier": RiskTier.CRITICAL}, "refund", "block"),
        ({"escalation_threshold": RiskTier.CRITICAL}, "mail", "allow"),
        ({"escalate_at_tier": RiskTier.CRITICAL}, "mail", "allow"),
        ({"max_allowed_tier": RiskTier.MEDIUM}, "mail", "block"),
        ({}, "search", "allow"),
    ],
)
def test_settings(settings: dict[str, Any], tool: str, decision: str) -> None:
    assert check(**settings).inspect(tool).decision == decision


def test_the_same_setting_twice_must_agree() -> None:
    with pytest.raises(InputError, match="are the same setting"):
        check(escalation_threshold=RiskTier.LOW, escalate_at_tier=RiskTier.HIGH)


def test_awaited_it_says_the_same() -> None:
    assert asyncio.run(check().inspect_tool_call("mail", {"to": "a"})) == check().inspect("mail", {"to": "a"})


def test_arguments_that_are_no_json_are_refused() -> None:
    with pytest.raises((InputError, TypeError)):
        check().inspect("mail", {"to": object()})


@pytest.mark.parametrize("tool", ["read_file", "write_file", "list_files", "shell", "fetch"])
def test_a_call_without_arguments_is_what_the_registry_says_of_the_tool(tool: str) -> None:
    # Also where the name is that of a tool whose arguments we would read.
    row = ToolCallInspectorCheck({tool: ToolSpec(risk_tier=RiskTier.MEDIUM)}).inspect(tool).audit_row()
    assert (row["decision"], row["metadata"]) == ("allow", {"tool": tool, "tier": "MEDIUM"})
