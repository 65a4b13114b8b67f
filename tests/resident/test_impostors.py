"""Something of the same user stands in the service's place. What it is told, what it can do, and where it shows."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from hook_process import ALLOW, ASK
from host_process import Client
from interlock.hook.client import packed
from residing import Impostor, Residence

YES = b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\n'
PUSH = "git push --force origin main"


def says_yes(_question: list[bytes]) -> bytes:
    return packed(b"0", YES, b"")


@pytest.mark.slow
def test_it_is_told_no_secret_of_the_environment(residence: Residence) -> None:
    """Its client sends the variables that count, and of those that may hold a secret only that they are set."""
    secrets = {
        "AWS_SECRET_ACCESS_KEY": "hunter2a",
        "AWS_ACCESS_KEY_ID": "hunter2b",
        "GITHUB_TOKEN": "hunter2c",
        "npm_config__auth": "hunter2d",
        "GIT_CONFIG_VALUE_0": "hunter2e",
        "LD_AUDIT": "",
        "OPENAI_API_KEY": "hunter2f",
    }
    with Impostor(residence, lambda _: None) as impostor:
        residence.machine.run(residence.machine.event("Write"), environment={**secrets, "INTERLOCK_RUN": "nightly"})
    ((_, _, _, variables, _),) = impostor.heard
    assert b"hunter2" not in variables
    names = dict([one.split(b"=", 1) for one in variables.split(b"\0")])
    assert names[b"INTERLOCK_RUN"] == b"nightly"
    assert names[b"AWS_ACCESS_KEY_ID"] == names[b"npm_config__auth"] == b"set"
    assert b"GITHUB_TOKEN" not in names


def test_a_note_that_would_hide_variables_is_noticed_by_the_service(resident: Residence) -> None:
    """With a shorter list the client would not send what only tightens, such as a campaign or a plan."""
    note = resident.path / "note"
    lines = note.read_bytes().split(b"\n")
    with note.open("r+b") as file:  # the same file, as the service knows it
        file.truncate()
        file.write(b"\n".join([*lines[:3], b"HOME", *lines[4:]]))
    assert resident.machine.call("Write").taken == ALLOW
    assert resident.counts == (0, 1)


def test_what_follows_a_call_and_changed_settings_are_never_asked_of_it(residence: Residence) -> None:
    client = Client("claude-code", residence.machine.home.parent)
    events = [client.event(case, "followed") for case in client.payloads["followed"]]
    events.append(residence.machine.event(hook_event_name="ConfigChange", source="user_settings", file_path="/x"))
    assert len(events) >= 5
    with Impostor(residence, says_yes) as impostor:
        for event in events:
            client.send(event)
        assert impostor.connections == 0
        client.send(client.event(next(iter(client.payloads["proposed"]))))
        assert impostor.connections == 1


def test_a_call_that_it_let_through_is_reported_by_the_next_event(residence: Residence) -> None:
    """This is not prevented. It is as if hooks had been off for that call: the transcript has it, and no row does."""
    machine = residence.machine
    client = Client("claude-code", machine.home.parent)
    client.send(machine.event(hook_event_name="SessionStart", source="startup"))
    assert machine.call("Read").taken == ALLOW
    with Impostor(residence, says_yes):
        event = machine.event("Bash", {"command": PUSH})
        assert machine.run(event).taken == ALLOW
        assert len(machine.rows()) == 1  # of the read
        transcript = Path(event["transcript_path"])
        transcript.parent.mkdir(parents=True)
        transcript.write_text(_ran(event["tool_use_id"]))
        stopped, _ = client.send(machine.event(hook_event_name="Stop", stop_hook_active=False))
    assert "1 tool call of this session ran unseen" in stopped.answer["systemMessage"]
    (gap,) = machine.rows("gap")
    assert gap["body"]["calls"] == [{"id": event["tool_use_id"], "tool": ""}]


def _ran(call: str) -> str:
    """As the client writes it."""
    part = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    row = {
        "type": "user",
        "message": {"role": "user", "content": [part]},
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "permissionDecision": {"decision": "accept"},
    }
    return json.dumps(row) + "\n"


def test_once_it_is_gone_everything_is_as_before(residence: Residence) -> None:
    with Impostor(residence, says_yes):
        assert residence.machine.call("Bash", command=PUSH).taken == ALLOW
    assert residence.machine.call("Bash", command=PUSH).taken == ASK
