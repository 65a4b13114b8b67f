"""`interlock.testing`, as people use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.call import Call
from interlock.model.errors import InputError, PolicyError
from interlock.testing import assert_allows, assert_asks, assert_denies, decide_call, policy_from_file, policy_from_text
from interlock.value import FrozenMap

POLICY = """version = 1
[[rules]]
id = "no-main"
when = { action = "git:push", target = { branch = "main" } }
verdict = "deny"
reason = "Nobody pushes to main."
"""


def test_calls_come_as_command_lines_mappings_or_calls() -> None:
    given: list[str | dict[str, object] | Call] = [
        "git status",
        {"tool": "Bash", "input": {"command": "git status"}},
        Call(tool="Bash", input=FrozenMap({"command": "git status"}), cwd="/repo"),
    ]
    assert [decide_call(call).verdict.name for call in given] == ["allow"] * 3
    with pytest.raises(InputError, match="the call has no `input`"):
        decide_call({"tool": "Bash"})


def test_policies_come_as_text_or_file(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    for policy in (policy_from_text(POLICY), policy_from_file(file), file, str(file)):
        assert_denies("git push origin main", policy=policy, rule="no-main")
        assert_asks("git push origin x", policy=policy)
    assert_asks("git push origin main")
    with pytest.raises(PolicyError):
        policy_from_text("version = 2")


def test_what_fails_says_what_was_decided_and_why() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_allows("git push origin main", policy=policy_from_text(POLICY))
    assert str(caught.value).startswith(
        "expected allow, got deny for 'git push origin main'\n  rules/no-main: Nobody pushes to main."
    )
    with pytest.raises(AssertionError, match="the rule `other` is not among the reasons"):
        assert_denies("git push origin main", policy=policy_from_text(POLICY), rule="other")


def test_posture_and_moment_can_be_given() -> None:
    assert_denies("npm install left-pad", posture="autonomous")
    policy = policy_from_text(
        'version = 1\n[[grants]]\nid = "g"\naction = "git:push"\nscope = { destination = "*" }\nexpires = 2026-12-01\n'
    )
    assert_allows("git push origin x", policy=policy, at="2026-12-01T12:00:00Z")
    assert_asks("git push origin x", policy=policy, at="2026-12-02T12:00:00Z")
    with pytest.raises(InputError, match="`at` must be a text with date"):
        decide_call("ls", at="noon")


def test_rules_about_contracts_can_be_tested(tmp_path: Path) -> None:
    rule = '[[rules]]\nid = "r"\nwhen = { contract = "*" }\nverdict = "deny"\nreason = "no"\n'
    policy = policy_from_text(f"version = 1\n{rule}")
    edit = {"file_path": "/repo/a.py", "old_string": "x", "new_string": "x"}
    assert_denies({"tool": "Edit", "input": edit}, policy=policy, rule="r")
    assert_allows({"tool": "Edit", "input": {**edit, "new_string": "y"}}, policy=policy)
    catalogue = tmp_path / "contracts.json"
    catalogue.write_text('{"ship": {"params": [{"name": "percent", "max": 10}]}}')
    assert_denies({"tool": "ship", "input": {"percent": 11}}, policy=policy, contracts=catalogue, rule="r")
    assert_asks({"tool": "ship", "input": {"percent": 10}}, policy=policy, contracts=catalogue)
    catalogue.write_text("{")
    with pytest.raises(InputError, match="no contracts of this file are checked"):
        decide_call({"tool": "ship", "input": {"percent": 11}}, policy=policy, contracts=catalogue)
