"""Claude Code and contracts: a note beside the allow, a warning to the person, and never a block."""

from __future__ import annotations

import json

import pytest

from hook_process import ALLOW, ASK, DENY, Machine

NOTE = "`old_string` and `new_string` must differ, both are `same` (contract Edit.old-differs)"
RULE = 'version = 1\n[[rules]]\nid = "r"\nwhen = {{ contract = "{}" }}\nverdict = "{}"\nreason = "Look again."\n'


def test_the_agent_gets_the_note_beside_the_allow(machine: Machine) -> None:
    ran = machine.call("Edit", old_string="same", new_string="same")
    assert ran.answer == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "additionalContext": NOTE,
        }
    }


@pytest.mark.parametrize("tool", ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_an_everyday_call_gets_no_note(machine: Machine, tool: str) -> None:
    output = machine.call(tool).answer["hookSpecificOutput"]
    assert output == {"hookEventName": "PreToolUse", "permissionDecision": "allow"}


def test_a_contract_of_role_os_is_read_as_it_is(machine: Machine) -> None:
    file = machine.project / ".claude/role-os/tool-contracts.json"
    file.parent.mkdir(parents=True)
    entry = {
        "contract": "Content is at most five characters.",
        "params": [{"name": "file_path", "type": "string", "required": True}],
        "constraints": [
            {"kind": "cmp", "op": "le", "left": {"len": "content"}, "right": {"value": 5}},
            {"kind": "of a later version"},
        ],
    }
    file.write_text(json.dumps({"Write": entry}))
    ran = machine.call("Write", content="too long")
    assert ran.answer["hookSpecificOutput"]["additionalContext"] == (
        "the length of `content` must be at most `5`, it is `8` (contract Write.cmp-content)"
    )
    assert "systemMessage" not in ran.answer


def test_a_malformed_catalogue_is_a_warning_to_the_person(machine: Machine) -> None:
    (machine.project / ".interlock").mkdir()
    (machine.project / ".interlock/contracts.json").write_text('{"Write": {"params": {}}}')
    ran = machine.call("Write")
    assert ran.taken == ALLOW
    file = machine.project / ".interlock/contracts.json"
    assert ran.answer["systemMessage"] == f"Interlock: {file}: `Write` is not checked: `params` must be an array"
    assert "systemMessage" not in machine.call("Read").answer


@pytest.mark.parametrize(("verdict", "expected"), [("ask", ASK), ("deny", DENY)])
def test_a_rule_may_name_a_contract(machine: Machine, verdict: str, expected: str) -> None:
    machine.user_policy.write_text(RULE.format("Edit.*", verdict))
    assert machine.call("Edit", old_string="same", new_string="same").taken == expected
    assert machine.call("Edit").taken == ALLOW


def test_a_rule_on_a_contract_holds_where_the_project_adds_one(machine: Machine) -> None:
    """What a project says of a tool cannot take away what a rule relies on."""
    machine.user_policy.write_text(RULE.format("Edit.old-differs", "deny"))
    (machine.project / ".interlock").mkdir()
    (machine.project / ".interlock/contracts.json").write_text('{"Edit": {"constraints": []}}')
    assert machine.call("Edit", old_string="same", new_string="same").taken == DENY


def test_the_agent_cannot_write_the_catalogues(machine: Machine) -> None:
    for file in (".interlock/contracts.json", ".claude/role-os/tool-contracts.json"):
        assert machine.call("Write", file_path=str(machine.project / file)).taken == DENY


def test_a_catalogue_that_is_made_to_be_slow_blocks_nothing(machine: Machine) -> None:
    # Advice that used up the hook's time would be a deny.
    (machine.project / ".interlock").mkdir()
    nothing_again_and_again = "((((((){200}){200}){200}){200}){200}){200}"
    entry = {"params": [{"name": "content", "pattern": nothing_again_and_again}]}
    (machine.project / ".interlock/contracts.json").write_text(json.dumps({"Write": entry}))
    assert machine.call("Write").taken == ALLOW
