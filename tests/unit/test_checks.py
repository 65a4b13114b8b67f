"""The registry in Python: a gate with all layers, in the words of an inspector."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interlock.checks import CheckResult, RiskTier, ToolCallInspectorCheck, ToolSpec
from interlock.model.errors import InputError
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question, one_question

MAIL = ToolSpec(risk_tier=RiskTier.HIGH, irreversible=True)


@pytest.fixture
def check(tmp_path: Path) -> Iterator[Any]:
    made = []
    (tmp_path / "project").mkdir()

    def make(**more: Any) -> ToolCallInspectorCheck:
        registry = {
            "search": ToolSpec(),
            "shell": ToolSpec(risk_tier=RiskTier.LOW),
            "mail": MAIL,
            "refund": ToolSpec(risk_tier=RiskTier.CRITICAL, irreversible=True, dryrun_supported=True),
        }
        given = {"registry": registry, "root": tmp_path / "project", "home": tmp_path, **more}
        made.append(ToolCallInspectorCheck(**given))
        made[-1].gate.deadline = 60
        return made[-1]

    yield make
    for each in made:
        each.close()


def person(home: Path, *, yes: bool) -> None:
    """Somebody answers what is open, at a terminal."""
    folders = folders_for(str(home))
    ledger = Ledger(folders.ledger, front="cli:approvals")
    found = [one for one in every_question(ledger) if one.is_open]
    assert found
    for asked in found:
        answered(ledger, one_question(ledger, asked.question.id), yes=yes, by="ann", why="")
    ledger.close()


def cli(home: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(home), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def reasons(result: CheckResult) -> list[str]:
    assert result.decided is not None
    return [finding.rule for finding in result.decided.reasons]


def test_tiers_are_numbers_and_compare() -> None:
    assert [int(tier) for tier in RiskTier] == [0, 1, 2, 3]
    assert RiskTier.LOW < RiskTier.MEDIUM < RiskTier.HIGH < RiskTier.CRITICAL


@pytest.mark.parametrize("high", [RiskTier.HIGH, "high", "HIGH", " High ", 2])
def test_a_tier_is_written_as_itself_a_word_or_a_number_and_fields_by_position(high: Any) -> None:
    assert ToolSpec(high, True) == ToolSpec(risk_tier=RiskTier.HIGH, irreversible=True, dryrun_supported=False)
    assert ToolSpec(high).as_metadata() == {"risk_tier": "high", "irreversible": False, "dryrun_supported": False}


@pytest.mark.parametrize("wrong", ["hihg", "", 4, None, 1.5])
def test_a_tier_that_there_is_not_is_an_error(wrong: Any) -> None:
    with pytest.raises(InputError, match="the tiers are low, medium, high and critical"):
        ToolSpec(wrong)


def test_what_is_true_or_false_is_nothing_else() -> None:
    with pytest.raises(InputError, match="`irreversible` is true or false, not 'no'"):
        ToolSpec("high", "no")  # type: ignore[arg-type]


def test_a_check_takes_words_and_positions_also_after_an_engine_was_made(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(ToolCallInspectorCheck({"mail": ToolSpec("high", True)}, "high", "high", home=tmp_path)) as made:
            made.gate.deadline = 60
            assert made.inspect("mail").decision == "escalate"


def test_without_a_registry_every_tool_is_unknown(tmp_path: Path) -> None:
    with closing(ToolCallInspectorCheck(home=tmp_path)) as made:
        made.gate.deadline = 60
        assert made.inspect("mail").decision == "block"


def test_a_row_of_an_unknown_tool(check: Any) -> None:
    assert check().inspect("format_disk").audit_row() == {
        "check_name": "tool_call_inspector",
        "decision": "block",
        "reason": "Use the tool `format_disk`: your policy does not declare the tool `format_disk`, so Interlock "
        "cannot tell all that it does.",
        "metadata": {"tool": "format_disk"},
    }


def test_every_ground_that_applies_is_told(check: Any) -> None:
    result = check().inspect("refund", {"amount": 5})
    assert result.decision == "block"
    assert result.metadata == {"tool": "refund", "tier": "CRITICAL"}
    assert reasons(result) == ["critical", "ceiling", "irreversible"]
    assert result.reason == " ".join(finding.text for finding in result.decided.reasons)


def test_an_escalation_names_what_a_person_needs(check: Any) -> None:
    result = check().inspect("mail", {"to": "a@example.com"}, approval_chain=["ann", "bo"])
    assert result.decision == "escalate"
    assert dict(result.metadata) == {
        "tool": "mail",
        "tier": "HIGH",
        "audit_entry_id": result.receipt,
        "approval_id": result.checked.approval,
        "tool_name": "mail",
        "risk_tier": "HIGH",
        "irreversible": True,
        "dryrun_supported": False,
        "requires_approval_from": ["ann", "bo"],
        "current_approver": "ann",
    }
    assert result.receipt.startswith("sha256:")
    assert result.checked.approval.startswith("ap_")


def test_a_yes_lets_the_same_call_through_once(check: Any, tmp_path: Path) -> None:
    made = check()
    assert made.inspect("mail", {"to": "a"}).decision == "escalate"
    person(tmp_path, yes=True)
    assert made.inspect("mail", {"to": "b"}).decision == "escalate"
    assert made.inspect("mail", {"to": "a"}).decision == "allow"
    assert made.inspect("mail", {"to": "a"}).decision == "escalate"


def test_a_no_blocks_the_call(check: Any, tmp_path: Path) -> None:
    made = check()
    made.inspect("mail", {"to": "a"}, session="s1")
    person(tmp_path, yes=False)
    assert made.inspect("mail", {"to": "a"}, session="s1").decision == "block"


def test_a_yes_counts_while_the_entry_of_its_tool_is_the_same(check: Any, tmp_path: Path) -> None:
    check().inspect("mail", {"to": "a"})
    person(tmp_path, yes=True)
    other = {"mail": MAIL, "one more": ToolSpec()}
    assert check(registry=other).inspect("mail", {"to": "a"}).decision == "allow"
    check().inspect("mail", {"to": "b"})
    person(tmp_path, yes=True)
    graver = ToolSpec(risk_tier=RiskTier.CRITICAL, irreversible=True)
    assert check(registry={"mail": graver}, max_allowed_tier=RiskTier.CRITICAL, allow_critical=True).inspect(
        "mail", {"to": "b"}
    ).decision in ("escalate", "block")


@pytest.mark.slow
def test_whoever_answers_finds_the_registry_as_a_policy(check: Any, tmp_path: Path) -> None:
    asked = check().inspect("mail", {"to": "a"}).metadata["approval_id"]
    shown = json.loads(cli(tmp_path, "approvals", "show", asked, "--json"))
    assert shown["id"] == asked
    assert "no longer" not in json.dumps(shown)
    (file,) = (tmp_path / ".local/state/interlock/registries").iterdir()
    cli(tmp_path, "policy", "check", str(file))


def test_a_call_is_recorded_and_replayed_by_its_audit_id(check: Any, tmp_path: Path) -> None:
    made = check()
    made.inspect("search", {"text": "x"})
    audit_id = made.inspect("mail", {"to": "a"}).metadata["audit_entry_id"]
    with sqlite3.connect(folders_for(str(tmp_path)).ledger) as database:
        assert database.execute("SELECT count(*) FROM ledger WHERE kind = 'decision'").fetchone() == (2,)
    assert verify(folders_for(str(tmp_path))).damage is None
    assert cli(tmp_path, "replay", audit_id).endswith("1 of 1 receipts hold\n")


def test_what_was_made_of_the_file_does_not_outlive_the_next_start(check: Any, tmp_path: Path) -> None:
    check().close()
    (file,) = (tmp_path / ".local/state/interlock/registries").iterdir()
    file.write_text("version = 1\n")
    assert check().inspect("format_disk").decision == "block"


@pytest.mark.parametrize(
    ("command", "decision", "tier"),
    [
        ("ls -l", "allow", "LOW"),
        ("git push --force origin main", "escalate", "HIGH"),
        ("npm publish", "escalate", "HIGH"),
        ("rm -rf /", "block", "LOW"),
    ],
)
def test_arguments_raise_what_the_registry_declares(check: Any, command: str, decision: str, tier: str) -> None:
    result = check().inspect("shell", {"command": command})
    assert (result.decision, result.metadata["tier"]) == (decision, tier)


def test_reading_never_lowers_a_tier(check: Any) -> None:
    high = check(registry={"shell": ToolSpec(risk_tier=RiskTier.HIGH)}, max_allowed_tier=RiskTier.MEDIUM)
    assert high.inspect("shell", {"command": "true"}).decision == "block"


@pytest.mark.parametrize(
    ("settings", "tool", "decision"),
    [
        ({"allow_unregistered": True}, "anything", "allow"),
        ({"allow_critical": True}, "refund", "block"),
        ({"allow_critical": True, "max_allowed_tier": RiskTier.CRITICAL}, "refund", "escalate"),
        ({"max_allowed_tier": RiskTier.CRITICAL}, "refund", "block"),
        ({"escalation_threshold": RiskTier.CRITICAL}, "mail", "allow"),
        ({"escalate_at_tier": RiskTier.CRITICAL}, "mail", "allow"),
        ({"max_allowed_tier": RiskTier.MEDIUM}, "mail", "block"),
        ({}, "search", "allow"),
    ],
)
def test_settings(check: Any, settings: dict[str, Any], tool: str, decision: str) -> None:
    assert check(**settings).inspect(tool).decision == decision


def test_the_same_setting_twice_must_agree(check: Any) -> None:
    with pytest.raises(InputError, match="are the same setting"):
        check(escalation_threshold=RiskTier.LOW, escalate_at_tier=RiskTier.HIGH)


def test_a_registry_names_tools_and_no_patterns(check: Any) -> None:
    with pytest.raises(InputError, match="pattern"):
        check(registry={"send_*": ToolSpec()})


def test_awaited_it_says_the_same(check: Any) -> None:
    awaited = asyncio.run(check().inspect_tool_call("mail", {"to": "a"}))
    assert awaited.audit_row() == check().inspect("mail", {"to": "a"}).audit_row()


def test_arguments_that_are_no_json_are_refused(check: Any) -> None:
    with pytest.raises(InputError):
        check().inspect("mail", {"to": object()})


def test_a_check_that_breaks_blocks(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = check()
    monkeypatch.setattr(made.gate.backend, "decide", lambda call: None)
    result = made.inspect("search", {"text": "x"})
    assert (result.decision, dict(result.metadata), result.decided) == ("block", {"tool": "search"}, None)
    assert result.reason


@pytest.mark.parametrize("tool", ["read_file", "write_file", "list_files", "shell", "fetch"])
def test_a_call_without_arguments_is_what_the_registry_says_of_the_tool(check: Any, tool: str) -> None:
    # Also where the name is that of a tool whose arguments we would read.
    row = check(registry={tool: ToolSpec(risk_tier=RiskTier.MEDIUM)}).inspect(tool).audit_row()
    assert (row["decision"], row["metadata"]) == ("allow", {"tool": tool, "tier": "MEDIUM"})


def test_the_page_for_those_who_come_from_signet_is_true(
    check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs/coming-from-signet.md").read_text()
    define, go_on = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setattr("interlock.checks.folders_for", lambda _home: folders_for(str(tmp_path)))
    monkeypatch.setattr("interlock.gate.local.folders_for", lambda _home: folders_for(str(tmp_path)))
    exec(compile(define, "coming-from-signet.md", "exec"), names)
    person(tmp_path, yes=True)
    exec(compile(go_on, "coming-from-signet.md", "exec"), names)
    names["check"].close()
