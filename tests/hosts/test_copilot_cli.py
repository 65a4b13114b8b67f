"""GitHub Copilot CLI: what only it does. What holds for every host is in `test_every_host.py`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.hosts import copilot_cli, copilot_install, copilot_settings
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import HostError, InputError
from interlock.model.events import Block, Decided, Ended, EndTurn, Passing, Place, Said, Tell
from interlock.model.posture import Posture
from interlock.model.verdict import Verdict
from interlock.reading.tools.tools import TOOLS
from interlock.value import FrozenMap, freeze

EVENT: dict[str, Any] = {"sessionId": "s1", "timestamp": 1794889668655, "cwd": "/work/shop"}
AGENT = {"sessionId": "a1", "agentId": "a1", "agentType": "explore", "parentAgentId": "s1"}


def event(**fields: Any) -> Any:
    return freeze({**EVENT, **fields})


def call(tool: str, given: Any = None, **fields: Any) -> Any:
    return copilot_cli.event_from(event(toolName=tool, toolArgs=given or {}, **fields), {}, 0).call  # type: ignore[union-attr]


# --- names and inputs of tools ------------------------------------------------------------------


@pytest.mark.parametrize("ours", sorted(TOOLS))
def test_a_tool_that_only_has_one_of_our_names_is_none_of_ours(ours: str) -> None:
    found = call(ours)
    assert (found.tool in TOOLS, found.named) == (False, ours)


@pytest.mark.parametrize("name", ["till-open", "write_bash", "powershell", "mcp__till__open"])
def test_a_tool_that_is_not_known_is_not_taken_for_one_that_is(name: str) -> None:
    found = call(name)
    assert found.tool not in TOOLS
    assert not found.tool.startswith("mcp__")


def test_the_text_of_a_patch_is_its_input() -> None:
    patch = "*** Begin Patch\n*** Add File: p.txt\n+hello\n*** End Patch\n"
    found = call("apply_patch", patch)
    assert (found.tool, found.input) == ("Patch", FrozenMap({"input": patch}))


@pytest.mark.parametrize("given", ["ls", ["ls"], 1, True], ids=str)
def test_an_input_that_is_no_object_is_refused(given: Any) -> None:
    with pytest.raises(InputError):
        call("bash", given)


def test_a_sub_agents_call_is_of_the_session_that_started_it() -> None:
    found = call("bash", {"command": "ls"}, **AGENT)
    assert (found.session, found.agent, found.agent_type) == ("s1", "a1", "explore")


# --- which event it is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"toolName": "bash"},
        {"toolName": "bash", "toolInput": {"command": "ls"}},
        {"toolName": "bash", "toolArgs": {}, "toolInput": {}},
        {"message": "x"},
    ],
    ids=str,
)
def test_an_event_that_is_not_known_gates_and_is_refused(fields: Any) -> None:
    assert copilot_cli.gates(event(**fields))
    with pytest.raises(HostError):
        copilot_cli.event_from(event(**fields), {}, 0)


@pytest.mark.parametrize(
    ("text", "more", "notice"),
    [
        ("go on", {}, False),
        ("Interlock: not yet.", {}, True),
        ('<system_notification>\nAgent "x" has finished.\n</system_notification>', {}, True),
        ("look around", AGENT, True),
    ],
    ids=str,
)
def test_what_an_agent_or_the_client_says_is_no_persons_message(text: str, more: Any, notice: bool) -> None:
    place = Place(host="copilot-cli", session="s1", cwd="/work/shop")
    found = copilot_cli.event_from(event(prompt=text, **more), {}, 0)
    assert found == Said(place=place, prompt="", text=text, notice=notice)


@pytest.mark.parametrize("fields", [{"agentName": "explore", **AGENT}, {"reason": "complete"}], ids=str)
def test_what_nothing_follows_from_passes(fields: Any) -> None:
    assert type(copilot_cli.event_from(event(**fields), {}, 0)) is Passing


# --- outcomes -----------------------------------------------------------------------------------


def ended(tool: str = "bash", **fields: Any) -> tuple[str, Any]:
    found = copilot_cli.event_from(event(toolName=tool, toolArgs={"command": "x"}, **fields), {}, 0)
    assert type(found) is Ended
    return found.outcome, found.result


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("hi\n<shellId: 7 completed with exit code 0>", ("ran", "hi\nexit code 0")),
        ("\n<shellId: 7 completed with exit code 1>", ("failed", "\nexit code 1")),
        ("<command started in background with shellId: s1>", ("unknown", ...)),
        ("<shellId: 0 completed with exit code 0>\n<shellId: 1 completed with exit code 2>", ("failed", ...)),
    ],
    ids=str,
)
def test_how_a_command_ended_stands_in_its_last_line(told: str, expected: tuple[str, Any]) -> None:
    outcome, result = ended(toolResult={"resultType": "success", "textResultForLlm": told})
    assert outcome == expected[0]
    assert expected[1] is ... or result == expected[1]


def test_a_call_that_failed_is_told_as_such() -> None:
    assert ended("edit", error="ENOENT") == ("failed", "ENOENT")
    assert ended("view", toolResult={"resultType": "failure", "textResultForLlm": "no"}) == ("failed", "no")
    assert ended("view", toolResult={"resultType": "success", "textResultForLlm": "text"}) == ("ran", "text")


# --- answers ------------------------------------------------------------------------------------

FOUND = Finding(
    layer="rules", rule="no-prod", verdict=Verdict.ASK, text="this is production", instead="Use staging.", remedy="do x"
)
PERSON, TO_AGENT = "Edit `prod.yaml`: this is production.", "Use staging."


def decided(*reasons: Finding) -> Decision:
    return Decision(
        verdict=max((finding.verdict for finding in reasons), default=Verdict.ALLOW),
        effect=Effect.WRITE,
        effects=(Effect.WRITE,),
        reasons=reasons,
        satisfied=(),
        used=(),
        near_misses=(),
        notes=(),
        posture=Posture.INTERACTIVE,
        approval=None,
    )


def said(reply: Any) -> Any:
    data = event(toolName="bash", toolArgs={"command": "x"})
    spoken = copilot_cli.spoken(data, copilot_cli.event_from(data, {}, 0), reply)
    assert (spoken.stderr, spoken.code) == (b"", 0)
    return json.loads(spoken.stdout) if spoken.stdout else None


def test_a_question_shows_the_person_why_and_their_warnings() -> None:
    assert said(Decided(decision=decided(FOUND), person=PERSON, agent=TO_AGENT, warnings=("the policy is old",))) == {
        "permissionDecision": "ask",
        "permissionDecisionReason": f"Interlock: {PERSON}\nthe policy is old",
    }


def test_a_deny_says_what_the_person_can_do_since_nothing_else_is_shown_to_them() -> None:
    denied = FOUND.replace(verdict=Verdict.DENY)
    assert said(Decided(decision=decided(denied), person=PERSON, agent=TO_AGENT)) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": f"Interlock: {TO_AGENT}\n"
        "To permit it, in a terminal of your own or in your policy:\ndo x",
    }


def test_notes_and_warnings_of_a_call_that_runs_go_to_the_agent() -> None:
    assert said(Decided(decision=decided(), notes=("Run the tests.",), warnings=("the policy is old",))) == {
        "permissionDecision": "allow",
        "additionalContext": "Interlock: Run the tests.\nTell the person: the policy is old",
    }


def test_a_call_that_is_left_to_the_client_gets_an_answer_without_a_decision() -> None:
    """An allow would lift the client's own question, and no answer at all is blocked by the line in the settings."""
    assert said(Decided(decision=decided(), silent=True)) == {}
    assert said(Decided(decision=decided(), silent=True, warnings=("it is old",))) == {
        "additionalContext": "Interlock: Tell the person: it is old"
    }


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Tell(), None),
        (Tell(person=("a", "b")), {"additionalContext": "Interlock: Tell the person: a\nb"}),
        (Tell(agent="c"), {"additionalContext": "Interlock: c"}),
        (Block(reason="not yet"), {"decision": "block", "reason": "Interlock: not yet"}),
        (EndTurn(person=("x",)), {"additionalContext": "Interlock: Tell the person: x"}),
    ],
    ids=str,
)
def test_what_decides_about_no_call_is_told_so(reply: Any, expected: Any) -> None:
    assert said(reply) == expected


# --- its settings -------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["project", "managed"])
def test_there_is_no_file_for_a_project_or_for_everybody(scope: str) -> None:
    with pytest.raises(HostError, match="use --user"):
        copilot_install.settings_file(scope, "/work/shop", "/home/ada", {})


@pytest.mark.parametrize(
    ("code", "stdout", "denied"),
    [
        (0, b'{"permissionDecision":"deny"}\n', True),
        (2, b"", True),
        (1, b'{"permissionDecision":"allow"}\n', True),
        (0, b'{"permissionDecision":"allow"}\n', False),
        (0, b'{"hookSpecificOutput":{"permissionDecision":"deny"}}', False),
        (0, b"", False),
        (0, b"deny", False),
    ],
)
def test_what_the_client_takes_as_a_block(code: int, stdout: bytes, denied: bool) -> None:
    assert copilot_install.is_denied(code, stdout) is denied


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("/work/shop/.github/copilot/settings.json", '{"disableAllHooks": true}', "switches off all hooks"),
        ("/work/shop/.claude/settings.local.json", '{"disableAllHooks": true}', "switches off all hooks"),
        ("/work/shop/.claude/settings.json", '{"disableAllHooks": "no"}', "switches off all hooks"),
        ("/work/shop/.claude/settings.json", "{", "cannot be read as settings"),
        ("/work/shop/.claude/settings.json", '{"disableAllHooks": false}', ""),
        ("/work/shop/.github/hooks/a.json", '{"version": 1, "disableAllHooks": true, "hooks": {}}', ""),
    ],
)
def test_what_switches_hooks_off_is_found(path: str, text: str, why: str) -> None:
    found = copilot_settings.unhooks({path: text.encode()}, {})
    assert [why in line for line in found] == ([True] if why else [])
