"""Rows with a registry or a manifest of their own are decided by that layer alone, and none is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.evals.compared import Comparison, compare

TOOL = {"risk_tier": "high", "irreversible": True, "dryrun_supported": True}
SETTINGS = {
    "max_allowed_tier": "high",
    "escalate_at_tier": "high",
    "allow_critical": False,
    "allow_unregistered": False,
}


def rows(folder: Path, name: str, *given: Any) -> tuple[Comparison, ...]:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) if isinstance(row, dict) else row for row in given))
    return compare(str(path))


def test_an_inspector_row_compares_decision_and_metadata(tmp_path: Path) -> None:
    row = {"registry": {"pay": TOOL}, "settings": SETTINGS, "tool": "pay", "expected_decision": "escalate"}
    found = rows(
        tmp_path,
        "signet_tool_call_inspector.jsonl",
        {**row, "metadata": {"dryrun_supported": True}},
        {**row, "metadata": {"dryrun_supported": False}},
        {**row, "expected_decision": "allow"},
        {**row, "owner_approval_chain": ["ann", "bo"], "metadata": {"current_approver": "ann"}},
    )
    assert [comparison.equal for comparison in found] == [True, False, False, True]


@pytest.mark.parametrize(
    ("tool", "posture", "expected"),
    [
        ("look", "locked", {"disposition": "allow", "exit": 0, "dominant_effect": "read"}),
        ("wipe", "interactive", {"disposition": "escalate", "exit": 2, "effects": ["destructive", "network"]}),
        ("wipe", "autonomous", {"disposition": "deny", "exit": 1}),
        ("wipe", "dry_run", {"disposition": "deny", "exit": 1}),
        ("nobody", None, {"error": "ManifestError", "exit": 65}),
    ],
)
def test_a_manifest_row_compares_what_it_asserts(
    tmp_path: Path, tool: str, posture: str | None, expected: dict[str, Any]
) -> None:
    tools = {
        "look": {"effects": ["read"]},
        "wipe": {"effects": ["network", "destructive"], "require_confirmation": True},
    }
    names = {"disposition": "expected_disposition", "exit": "expected_exit"}
    row = {
        "manifest": {"tools": tools},
        "call": {"tool": tool},
        "posture": posture,
        "asserted": list(expected),
        **{names.get(key, key): value for key, value in expected.items()},
    }
    assert [comparison.equal for comparison in rows(tmp_path, "spine_lite_decisions.jsonl", row)] == [True]


def test_moves_between_postures(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        "spine_lite_posture_transitions.jsonl",
        {"from": "locked", "to": "interactive", "expected": "allowed"},
        {"from": "locked", "to": "autonomous", "expected": "PostureError"},
        {"from": "locked", "to": "autonomous", "expected": "allowed"},
    )
    assert [comparison.equal for comparison in found] == [True, True, False]


def test_a_row_that_cannot_be_taken_differs(tmp_path: Path) -> None:
    assert [comparison.equal for comparison in rows(tmp_path, "spine_lite_decisions.jsonl", "{", "{}")] == [False] * 2
