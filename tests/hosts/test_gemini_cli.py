"""Gemini CLI: what only it does. What holds for every host is in `test_every_host.py`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, GUARD, OPEN, made
from host_process import Client, taken_from
from interlock.hosts import gemini_cli
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import HostError, InputError
from interlock.model.events import Block, Decided, Ended, EndTurn, Place, Said, Tell
from interlock.model.posture import Posture
from interlock.model.verdict import Verdict
from interlock.value import FrozenMap, freeze
from ledger_rows import ledger_rows

EVENT: dict[str, Any] = {
    "session_id": "s1",
    "transcript_path": "/home/ada/.gemini/tmp/shop/chats/session-s1.jsonl",
    "cwd": "/work/shop",
    "timestamp": "2026-11-15T19:34:15.847Z",
}


def event(name: str, **fields: Any) -> Any:
    return freeze({**EVENT, "hook_event_name": name, **fields})


def call(tool: str, **fields: Any) -> Any:
    return gemini_cli.event_from(event("BeforeTool", tool_name=tool, tool_input={}, **fields), {}, 0).call  # type: ignore[union-attr]


# --- names of tools -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "server", "tool", "ours"),
    [
        ("mcp_till_open", "till", "open", "mcp__till__open"),
        ("mcp_till_open_drawer", "till", "open_drawer", "mcp__till__open_drawer"),
        ("mcp_till_open_drawer", "till_open", "drawer", "mcp__till_open__drawer"),
        ("mcp_a__b_c", "a__b", "c", "mcp__a%5F%5Fb__c"),
        ("mcp_a__b_c", "a", "b__c", "mcp__a__b__c"),
        ("mcp_a__t", "a_", "t", "mcp__a%5F__t"),
        ("read_file", "till", "read_file", "mcp__till__read_file"),
    ],
)
def test_the_server_is_named_by_the_context_and_never_by_the_tools_name(
    named: str, server: str, tool: str, ours: str
) -> None:
    assert call(named, mcp_context={"server_name": server, "tool_name": tool}).tool == ours


@pytest.mark.parametrize(
    "context", ["till", {}, {"server_name": "till"}, {"server_name": "", "tool_name": "x"}, {"server_name": 1}], ids=str
)
def test_a_context_that_names_no_server_is_refused(context: Any) -> None:
    with pytest.raises(InputError):
        call("read_file", mcp_context=context)


def test_a_name_that_looks_like_ours_without_a_context_is_none_of_ours() -> None:
    assert call("mcp__till__open").tool == "mcp_%5Ftill__open"


def test_a_tool_that_is_not_known_keeps_its_name() -> None:
    assert call("discovered_tool_x").tool == "discovered_tool_x"


# --- other events -------------------------------------------------------------------------------


def ended(response: Any) -> tuple[str, Any]:
    data = event("AfterTool", tool_name="run_shell_command", tool_input={"command": "x"}, tool_response=response)
    found = gemini_cli.event_from(data, {}, 0)
    assert type(found) is Ended
    return found.outcome, found.result


@pytest.mark.parametrize(
    ("response", "outcome"),
    [
        ({"llmContent": "Output: a\nProcess Group PGID: 1", "returnDisplay": ["a"]}, ("ran", "Output: a")),
        ({"llmContent": "x", "error": {"message": "no"}}, ("failed", FrozenMap({"message": "no"}))),
        ({"llmContent": [{"text": "x"}]}, ("ran", (FrozenMap({"text": "x"}),))),
        (None, ("ran", None)),
    ],
)
def test_an_outcome_is_what_came_back_without_the_number_of_a_process(response: Any, outcome: tuple[str, Any]) -> None:
    assert ended(response) == outcome


@pytest.mark.parametrize(("text", "notice"), [("go on", False), ("Interlock: not yet.", True)])
def test_what_the_agent_is_told_that_may_not_stop_is_no_persons_message(text: str, notice: bool) -> None:
    place = Place(host="gemini-cli", session="s1", cwd="/work/shop", transcript=EVENT["transcript_path"])
    assert gemini_cli.event_from(event("BeforeAgent", prompt=text), {}, 0) == Said(
        place=place, prompt="", text=text, notice=notice
    )


def test_an_unknown_event_is_refused_and_gates() -> None:
    assert gemini_cli.gates(event("BeforeLunch"))
    with pytest.raises(HostError, match="BeforeLunch"):
        gemini_cli.event_from(event("BeforeLunch"), {}, 0)


def test_the_process_that_is_recorded_is_the_hosts_and_not_the_shells(tmp_path: Path) -> None:
    client = Client("gemini-cli", tmp_path)
    client.send(client.event("a file in the project"))
    (row,) = ledger_rows(client.home / ".local/state/interlock/ledger.db", "session")
    assert row["body"]["parent"][0] == client.process


# --- a yes at the host --------------------------------------------------------------------------


def installing(client: Client, name: str, **more: Any) -> dict[str, Any]:
    given = {"command": "npm install left-pad", "description": "Install it", "is_background": False}
    named = {"hook_event_name": name, "tool_name": "run_shell_command", "tool_input": given}
    return {**client.payloads["common"], **named, **more}


@pytest.mark.parametrize(
    ("response", "attended", "again"),
    [
        ({"llmContent": "Output: a"}, True, ALLOW),
        ({"llmContent": "Output: a", "error": {"message": "no"}}, True, ASK),
        ({"llmContent": "Output: a"}, False, ASK),
    ],
    ids=["it ran", "it failed", "nobody attended when it ran"],
)
def test_a_question_after_which_the_call_ran_was_answered_with_a_yes(
    response: Any, attended: bool, again: str, tmp_path: Path
) -> None:
    client = Client("gemini-cli", tmp_path)
    assert client.send(installing(client, "BeforeTool"))[1] == ASK
    ran, _ = client.send(installing(client, "AfterTool", tool_response=response), attended=attended)
    assert (ran.code, ran.err) == (0, b"")
    assert client.send(installing(client, "BeforeTool"))[1] == again


def test_a_question_after_which_nothing_came_is_asked_again(tmp_path: Path) -> None:
    client = Client("gemini-cli", tmp_path)
    assert [client.send(installing(client, "BeforeTool"))[1] for _ in range(2)] == [ASK, ASK]


def test_a_call_that_ran_although_it_was_denied_is_told(tmp_path: Path) -> None:
    client = Client("gemini-cli", tmp_path)
    event = client.event("the host's own settings")
    assert client.send(event)[1] == DENY
    ran, _ = client.send({**event, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "done"}})
    said = json.loads(ran.out)
    assert list(said) == ["systemMessage"]
    assert "`Write` ran although it was denied" in said["systemMessage"]


# --- answers ------------------------------------------------------------------------------------

FOUND = Finding(layer="rules", rule="no-prod", verdict=Verdict.ASK, text="this is production", instead="Use staging.")
PERSON, AGENT = "Edit `prod.yaml`: this is production.", "Use staging."


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


def said(reply: Any, name: str = "BeforeTool", tool: str = "run_shell_command") -> Any:
    data = event(name, tool_name=tool, tool_input={})
    spoken = gemini_cli.spoken(data, gemini_cli.event_from(data, {}, 0), reply)
    assert (spoken.stderr, spoken.code) == (b"", 0)
    return json.loads(spoken.stdout) if spoken.stdout else None


def test_a_question_shows_the_person_why() -> None:
    assert said(Decided(decision=decided(FOUND), person=PERSON, agent=AGENT)) == {
        "decision": "ask",
        "reason": f"Interlock: {AGENT}",
        "systemMessage": f"Interlock: {PERSON}",
    }


def test_a_question_about_a_tool_that_the_client_may_not_ask_about_is_a_deny() -> None:
    assert said(Decided(decision=decided(FOUND)), tool="invoke_agent")["decision"] == "deny"


def test_notes_for_the_agent_and_warnings_go_to_the_person() -> None:
    assert said(Decided(decision=decided(), notes=("Run the tests.",), warnings=("the policy is old",))) == {
        "decision": "allow",
        "systemMessage": "Interlock: Run the tests.\nthe policy is old",
    }


def test_a_locked_session_ends_the_turn() -> None:
    denied = FOUND.replace(verdict=Verdict.DENY, locks=True)
    assert said(Decided(decision=decided(denied), person=PERSON, agent=AGENT)) == {
        "decision": "deny",
        "reason": f"Interlock: {AGENT}",
        "continue": False,
        "stopReason": f"Interlock: {PERSON}",
    }


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Tell(), None),
        (Tell(person=("a", "b")), {"systemMessage": "Interlock: a\nb"}),
        (
            Tell(agent="c"),
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Interlock: c"}},
        ),
        (Block(reason="not yet"), {"decision": "block", "reason": "Interlock: not yet"}),
        (
            EndTurn(person=("x",)),
            {"continue": False, "stopReason": "Interlock: x", "systemMessage": "Interlock: x"},
        ),
    ],
    ids=str,
)
def test_what_decides_about_no_call_is_told_so(reply: Any, expected: Any) -> None:
    assert said(reply, "SessionStart") == expected


# --- the line in its settings -------------------------------------------------------------------


@pytest.mark.parametrize(
    "guard",
    ["import sys; sys.exit(0)", "import sys; sys.exit(2)", "import os; os.close(2); os._exit(2)"],
    ids=["it says nothing", "it leaves with 2 and says nothing", "its stderr is closed"],
)
def test_silence_denies_although_the_client_would_run_the_call(guard: str, tmp_path: Path) -> None:
    file = made(tmp_path / "hook") / "guard.py"
    file.write_text(guard)
    client = Client("gemini-cli", tmp_path, guard=str(file))
    ran, taken = client.send(client.event("a file in the project"))
    assert taken == DENY
    assert b"No answer came, so this call is blocked." in ran.err
    assert taken_from("gemini-cli", type(ran)(2, b"", b""), {}) == OPEN


@pytest.mark.parametrize("name", ["it's here", 'a "b" $HOME `id` $(id)', "new\nline"], ids=repr)
def test_the_line_holds_whatever_the_folders_are_called(name: str, tmp_path: Path) -> None:
    package = made(tmp_path / name) / "interlock"
    shutil.copytree(GUARD.parent.parent, package, ignore=shutil.ignore_patterns("__pycache__", "cli", "evals"))
    client = Client("gemini-cli", tmp_path, guard=str(package / "hook/guard.py"))
    ran, taken = client.send(client.event("a file in the project"))
    assert taken == ALLOW, ran
