"""Qwen Code: what only it does. What holds for every host is in `test_every_host.py`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY
from host_process import Client
from interlock.hosts import qwen_code
from interlock.hosts.qwen_settings import settings_files, unhooks
from interlock.limits import HOOK_DEADLINE_SECONDS, HOST_TIMEOUT_SECONDS
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import HostError
from interlock.model.events import Block, Decided, Ended, EndTurn, Said, Tell
from interlock.model.posture import Posture
from interlock.model.verdict import Verdict
from interlock.value import freeze
from ledger_rows import ledger_rows

EVENT: dict[str, Any] = {"session_id": "s1", "transcript_path": "/home/ada/.qwen/chats/s1.jsonl", "cwd": "/work/shop"}


def event(name: str, **fields: Any) -> Any:
    return freeze({**EVENT, "hook_event_name": name, **fields})


def taken(name: str, **fields: Any) -> Any:
    return qwen_code.event_from(event(name, **fields), {}, 0)


# --- events -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "ours"),
    [
        ("mcp__till__open", "mcp__till__open"),
        ("mcp__till__open_drawer", "mcp__till__open_drawer"),
        ("mcp__till_1__open", "mcp__till_1__open"),
        ("mcp__till__open__now", "mcp_%5Ftill__open__now"),
        ("mcp__till___open", "mcp_%5Ftill___open"),
        ("mcp____open", "mcp_%5F__open"),
        ("mcp__till", "mcp__till"),
        ("replace", "replace"),
    ],
)
def test_a_tool_of_which_the_server_is_unclear_has_none(named: str, ours: str) -> None:
    call = taken("PreToolUse", tool_name=named, tool_input={}, tool_use_id="toolu_1").call
    assert (call.tool, call.named) == (ours, "" if ours == named else named)


@pytest.mark.parametrize(
    ("id", "kind"), [("general-purpose-toolu_step_2", "general-purpose"), ("Explore-call_1", "Explore"), ("odd", "")]
)
def test_a_call_of_a_sub_agent_has_its_id_and_its_type(id: str, kind: str) -> None:
    given = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
    call = taken("PreToolUse", **given, agent_id=id).call
    assert (call.agent, call.agent_type, call.attempt) == (id, kind, "toolu_1")


RAN = "Command: ls\nExit Code: 0\nProcess Group PGID: 4711"


@pytest.mark.parametrize(
    ("name", "fields", "outcome"),
    [
        ("PostToolUse", {"tool_response": {"llmContent": RAN}}, ("ran", "Command: ls\nExit Code: 0")),
        ("PostToolUse", {"tool_response": {"llmContent": [{"text": "opened"}]}}, ("ran", freeze([{"text": "opened"}]))),
        ("PostToolUseFailure", {"error": RAN, "is_interrupt": False}, ("failed", "Command: ls\nExit Code: 0")),
        ("PostToolUseFailure", {"error": "stopped", "is_interrupt": True}, ("unknown", "stopped")),
    ],
)
def test_an_outcome_is_what_came_back_without_the_number_of_a_process(
    name: str, fields: dict[str, Any], outcome: tuple[str, Any]
) -> None:
    found = taken(name, tool_name="run_shell_command", tool_input={"command": "ls"}, **fields)
    assert type(found) is Ended
    assert (found.outcome, found.result) == outcome


@pytest.mark.parametrize(
    ("fields", "notice"),
    [
        ({"prompt": "go on", "submitted_prompt": "go on"}, False),
        ({"prompt": ""}, True),  # a result goes back to the model
        ({"prompt": "Interlock: not yet"}, True),  # the agent may not stop
    ],
)
def test_only_what_was_submitted_is_a_persons_message(fields: dict[str, str], notice: bool) -> None:
    found = taken("UserPromptSubmit", **fields)
    assert type(found) is Said
    assert (found.text, found.notice) == (fields["prompt"], notice)


def test_an_unknown_event_is_refused_and_gates() -> None:
    assert qwen_code.gates(event("BeforeLunch"))
    with pytest.raises(HostError, match="BeforeLunch"):
        taken("BeforeLunch")


# --- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Tell(), None),
        (Tell(person=("look",)), {"systemMessage": "Interlock: look"}),
        (Block(reason="not yet"), {"decision": "block", "reason": "Interlock: not yet"}),
        (
            EndTurn(person=("over",)),
            {"continue": False, "stopReason": "Interlock: over", "systemMessage": "Interlock: over"},
        ),
    ],
)
def test_what_decides_about_no_call_is_told_as_claude_code_is(reply: Any, said: Any) -> None:
    spoken = qwen_code.spoken(event("Stop"), None, reply)
    assert (json.loads(spoken.stdout) if spoken.stdout else None, spoken.code) == (said, 0)


def test_a_question_says_to_an_agent_in_the_background_that_nobody_is_asked(tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    whole = []
    for case in ("a command that cannot be read", "a question of a sub-agent"):
        ran, answer = client.send(client.event(case))
        assert answer == ASK
        whole.append(json.loads(ran.out)["hookSpecificOutput"]["permissionDecisionReason"])
    question, of_agent = whole
    told = "If this agent works in the background, nobody is asked, and this did not run. Tell the main agent."
    assert of_agent == f"{question}\n{told}"


def test_a_warning_is_shown_with_the_question_and_commands_no_terminal() -> None:
    found = Finding(layer="rules", rule="no-prod", verdict=Verdict.ASK, text="it is production", instead="Use staging.")
    decision = Decision(
        verdict=Verdict.ASK,
        effect=Effect.WRITE,
        effects=(Effect.WRITE,),
        reasons=(found,),
        satisfied=(),
        used=(),
        near_misses=(),
        notes=(),
        posture=Posture.INTERACTIVE,
        approval=None,
    )
    reply = Decided(decision=decision, person="Deploy it?", warnings=("a file\x1b[2J was changed",))
    said = json.loads(qwen_code.spoken(event("PreToolUse"), None, reply).stdout)
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == (
        "Interlock: Deploy it?\na file\\x1b[2J was changed"
    )


def test_a_yes_at_the_terminal_is_remembered_for_the_session(tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    given: dict[str, Any] = {"tool_name": "run_shell_command", "tool_input": {"command": "npm install left-pad"}}
    asked = client.event("a look at a folder") | given
    assert client.send(asked)[1] == ASK
    ran = {"hook_event_name": "PostToolUse", "tool_use_id": asked["tool_use_id"], "tool_response": {"llmContent": "ok"}}
    client.send({**asked, **ran})
    again = asked | {
        "tool_use_id": "toolu_2",
        "tool_input": {"command": "npm install left-pad", "description": "Again"},
    }
    assert client.send(again)[1] == ALLOW


def batch(client: Client, command: str, **changes: Any) -> dict[str, Any]:
    """The client's event after a No, about this command. Ids in it are the model's."""
    sent = client.event("a No in the dialog", "followed")
    (call,) = sent["tool_calls"]
    call |= {"tool_input": {"command": command, "description": "Do it"}, **changes}
    return sent


def asked_about(client: Client, command: str, attempt: str) -> str:
    given = {"tool_name": "run_shell_command", "tool_input": {"command": command, "description": "Do it"}}
    return client.send(client.event("a look at a folder") | given | {"tool_use_id": attempt})[1]


def test_a_no_at_the_terminal_is_remembered_for_the_session_and_variants_are_denied(tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    assert asked_about(client, "git push origin main", "toolu_1") == ASK
    client.send(batch(client, "git push origin main"))
    assert asked_about(client, "git push -f origin main", "toolu_2") == DENY
    assert asked_about(client, "npm install left-pad", "toolu_3") == ASK
    ledger = client.home / ".local/state/interlock/ledger.db"
    told, says = [row["body"] for row in ledger_rows(ledger, "dialog")]
    assert (told["answer"], told["evidence"], told["inferred"], told["strength"]) == (
        *("no", ["PostToolBatch"], True, "weak"),
    )
    assert (says["says"], says["event"]) == ("declined", "PostToolBatch")


STOPPED = {"response_parts": [{"functionResponse": {"response": {"error": "Tool call cancelled by user."}}}]}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("git push origin other", {}),  # which was never asked about
        ("git push origin main", {"status": "error"}),
        ("git push origin main", {"status": "success"}),
        ("git push origin main", {"tool_response": {**STOPPED, "execution_status": "not_started"}}),
        ("git push origin main", {"tool_response": None}),
    ],
    ids=["another call", "it failed", "it ran", "the turn was stopped", "nothing told"],
)
def test_what_is_no_no_of_a_person_is_not_taken_for_one(command: str, changes: dict[str, Any], tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    assert asked_about(client, "git push origin main", "toolu_1") == ASK
    ran, _ = client.send(batch(client, command, **changes))
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert ledger_rows(client.home / ".local/state/interlock/ledger.db", "dialog") == []
    assert asked_about(client, "git push -f origin main", "toolu_2") == ASK


# --- settings -----------------------------------------------------------------------------------


def test_the_process_that_is_recorded_is_the_hosts_and_not_the_shells(tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    client.send(client.event("a file in the project"))
    (row,) = ledger_rows(client.home / ".local/state/interlock/ledger.db", "session")
    assert row["body"]["parent"][0] == client.process


def test_a_guard_that_hangs_is_ended_after_its_own_deadline_and_before_the_host_goes_on(tmp_path: Path) -> None:
    line = Client("qwen-code", tmp_path).handler("PreToolUse")["command"]
    seconds = int(line.partition("/usr/bin/timeout -k 1 ")[2].partition('"')[0])
    assert HOOK_DEADLINE_SECONDS < seconds < seconds + 1 < HOST_TIMEOUT_SECONDS


def test_variables_of_a_project_do_not_keep_the_line_from_running(tmp_path: Path) -> None:
    client = Client("qwen-code", tmp_path)
    handler = client.handler("PreToolUse")
    given = json.dumps(client.event("its own settings")).encode()
    env = {"SHELLOPTS": "noexec", **handler["env"]}
    done = subprocess.run(["bash", "-c", handler["command"]], input=given, capture_output=True, env=env, check=False)
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == DENY


MANAGED = "/etc/qwen-code/settings.json"
PROJECT = "/work/shop/.qwen/settings.json"
OWN = "/home/ada/.qwen/settings.json"
ENV = "/work/shop/.env"
OFF, ON, BARE = '{"disableAllHooks": true}', '{"disableAllHooks": false}', '{"env": {"QWEN_CODE_SIMPLE": "1"}}'

SWITCHES_OFF = "`{}` switches off all hooks (`disableAllHooks`)"
NO_HOOK = "`{}` sets `{}`, with which no hook is called"
LOADS = "`{}` sets `{}`, which loads code into every program, this hook among them"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({PROJECT: OFF}, SWITCHES_OFF.format(PROJECT)),
        ({MANAGED: OFF, PROJECT: ON}, SWITCHES_OFF.format(MANAGED)),
        ({MANAGED: ON, PROJECT: OFF}, None),  # what is managed comes before the rest
        ({PROJECT: BARE}, NO_HOOK.format(PROJECT, "QWEN_CODE_SIMPLE")),
        ({MANAGED: ON, PROJECT: BARE}, NO_HOOK.format(PROJECT, "QWEN_CODE_SIMPLE")),
        ({ENV: "A=1\nexport QWEN_CODE_SAFE_MODE = 'yes'\n"}, NO_HOOK.format(ENV, "QWEN_CODE_SAFE_MODE")),
        ({ENV: "QWEN_CODE_SIMPLE: true\n"}, NO_HOOK.format(ENV, "QWEN_CODE_SIMPLE")),
        ({ENV: "LD_LIBRARY_PATH=lib\n"}, LOADS.format(ENV, "LD_LIBRARY_PATH")),
        ({OWN: "[]"}, f"`{OWN}` cannot be read as settings (expected a JSON object, got an array)"),
        ({PROJECT: BARE.replace("1", "0"), ENV: "QWEN_CODE_SIMPLE=0\n"}, None),
        ({PROJECT: "", ENV: "# QWEN_CODE_SIMPLE=1\n"}, None),
    ],
)
def test_what_unhooks_us(files: dict[str, str], why: str | None) -> None:
    assert unhooks({path: text.encode() for path, text in files.items()}, {}) == ([] if why is None else [why])


def test_the_files_that_the_client_looks_at() -> None:
    assert settings_files("/work/shop", "/home/ada", {"/moved": ".qwen"}) == (
        MANAGED,
        "/etc/qwen-code/system-defaults.json",
        PROJECT,
        OWN,
        "/moved/settings.json",
        "/work/shop/.qwen/.env",
        ENV,
        "/home/ada/.qwen/.env",
        "/moved/.env",
        "/home/ada/.env",
    )
