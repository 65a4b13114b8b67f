"""What a session believes of the person in front of the host: a yes, a no, a phrase, each by its evidence."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from claude_rows import PROMPT, Transcript
from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from person import at_a_terminal

INSTALL = "npm install left-pad"
LOCAL = "frobnicate a"  # a phrase frees what stays here
AGAIN = "npm i left-pad"
UNATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
BELIEVES = "version = 1\n[approvals]\nbelieve_transcript = true\n"
PHRASE = "You have full permission."


class Client:
    """The host in front of one session: it sends the events, and writes the transcript a moment later."""

    def __init__(self, machine: Machine, *, environment: dict[str, str] | None = None, **fields: Any) -> None:
        self.machine, self.environment, self.fields = machine, environment, fields
        self.transcript = Transcript(machine.home / ".claude/projects/-project/3d0d2c1e.jsonl")
        self.event("SessionStart", source="startup")

    def event(self, name: str, **more: Any) -> Ran:
        kept = {} if name == "SessionStart" else self.fields
        event = self.machine.event(hook_event_name=name, **{**kept, **more})
        return self.machine.run(event, environment=self.environment)

    def proposes(self, command: str, attempt: str) -> str:
        return self.answered(command, attempt).taken

    def answered(self, command: str, attempt: str) -> Ran:
        return self.event("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=attempt)

    def shows(self, command: str) -> Ran:
        return self.event("PermissionRequest", tool_name="Bash", tool_input={"command": command})

    def ran(self, command: str, attempt: str) -> Ran:
        told: dict[str, Any] = {"tool_response": {"stdout": "same", "stderr": ""}, "duration_ms": 3}
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": attempt}
        return self.event("PostToolUse", **given, **told)

    def says(self, text: str, prompt: str = PROMPT) -> Ran:
        return self.event("UserPromptSubmit", prompt=text, prompt_id=prompt)

    def state(self) -> dict[str, Any]:
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(self.machine.ledger)) as database:
            (state,) = database.execute("SELECT state FROM sessions").fetchone()
        return dict(json.loads(state)["session"])


def dialogs(machine: Machine) -> list[dict[str, Any]]:
    rows = [row["body"] for row in machine.rows("dialog")]
    return [{key: value for key, value in row.items() if key != "front"} for row in rows]


# --- a yes -------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"])
def test_a_yes_to_a_question_that_was_put_up_is_remembered_in_every_mode(machine: Machine, mode: str) -> None:
    client = Client(machine, permission_mode=mode)
    assert client.proposes(INSTALL, "a") == ASK
    assert client.shows(INSTALL) == Ran(0, b"", b"")
    client.ran(INSTALL, "a")
    (row,) = machine.rows("outcome")
    kept = {key: row["body"][key] for key in ("approved", "evidence", "inferred", "strength", "surface")}
    assert kept == {
        "approved": ["remembered:pkg:install package=left-pad collection=node"],
        "evidence": ["PermissionRequest", "PostToolUse"],
        "inferred": True,
        "strength": "weak",
        "surface": "host",
    }
    client.transcript.yes("a")
    # While the client plans, an allow would lift its own prompt: nothing is said there.
    assert client.proposes(AGAIN, "b") == (NO_OPINION if mode == "plan" else ALLOW)
    assert client.state().get("questions", []) == []


def test_a_yes_goes_no_further_than_the_session_and_tier_2(machine: Machine) -> None:
    client = Client(machine, permission_mode="auto")
    for attempt, command in (("a", INSTALL), ("b", "npm publish")):
        assert client.proposes(command, attempt) == ASK
        client.shows(command)
        client.ran(command, attempt)
        client.transcript.yes(attempt)
    assert client.proposes("npm publish", "c") == ASK
    assert client.proposes("npm install right-pad", "d") == ASK
    other = machine.event("Bash", {"command": INSTALL}, session_id="another", permission_mode="auto")
    assert machine.run(other).taken == ASK


def test_a_call_that_ran_without_a_sign_of_a_person_teaches_nothing(machine: Machine) -> None:
    """The event after the call alone does not say that anybody was asked."""
    client = Client(machine, permission_mode="auto")
    client.proposes(INSTALL, "a")
    client.ran(INSTALL, "a")
    assert client.proposes(AGAIN, "b") == ASK
    assert machine.rows("outcome")[0]["body"]["approved"] == []


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
def test_with_older_settings_a_mode_that_asks_tells_the_yes_and_the_transcript_may_take_it_back(
    machine: Machine, mode: str
) -> None:
    client = Client(machine, permission_mode=mode)
    client.proposes(INSTALL, "a")
    client.ran(INSTALL, "a")
    assert machine.rows("outcome")[0]["body"]["evidence"] == ["permission_mode", "PostToolUse"]
    assert client.proposes(AGAIN, "b") == ALLOW
    client.transcript.yes("a", source="hook")
    assert client.proposes(AGAIN, "c") == ASK


def test_without_the_hook_for_dialogs_the_transcript_tells_the_yes(machine: Machine) -> None:
    client = Client(machine, permission_mode="auto")
    client.proposes(INSTALL, "a")
    client.ran(INSTALL, "a")
    client.transcript.yes("a")
    assert client.proposes(AGAIN, "b") == ALLOW
    assert dialogs(machine) == [
        {
            "answer": "yes",
            "approved": ["remembered:pkg:install package=left-pad collection=node"],
            "decision": machine.rows()[0]["seq"],
            "evidence": ["transcript"],
            "inferred": True,
            "strength": "weak",
            "surface": "host",
        }
    ]


@pytest.mark.parametrize("source", ["hook", "config", "classifier"])
def test_a_yes_that_another_hook_or_a_rule_gave_is_taken_back(machine: Machine, source: str) -> None:
    client = Client(machine)
    client.proposes(INSTALL, "a")
    client.shows(INSTALL)
    client.ran(INSTALL, "a")
    client.transcript.yes("a", source=source)
    answered = client.answered(AGAIN, "b")
    assert answered.taken == ASK
    assert "another hook or a rule of the host answered" in answered.answer["systemMessage"]
    assert [row.get("withdrawn") for row in dialogs(machine)] == [
        None,
        ["remembered:pkg:install package=left-pad collection=node"],
    ]


def test_a_row_of_the_transcript_about_a_call_that_did_not_run_loosens_nothing(machine: Machine) -> None:
    client = Client(machine)
    client.proposes(INSTALL, "a")
    client.transcript.yes("a")
    assert client.proposes(INSTALL, "b") == ASK


def test_of_two_rows_about_one_question_the_stricter_counts(machine: Machine) -> None:
    client = Client(machine)
    client.proposes(INSTALL, "a")
    client.ran(INSTALL, "a")
    client.transcript.yes("a", source="hook").yes("a")
    assert client.proposes(AGAIN, "b") == ASK


@pytest.mark.parametrize("environment", [UNATTENDED, None], ids=["unattended", "attended"])
def test_where_nobody_attends_nobody_has_said_yes(machine: Machine, environment: dict[str, str] | None) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    client = Client(machine, environment=environment)
    taken = client.proposes(INSTALL, "a")
    client.shows(INSTALL)
    client.ran(INSTALL, "a")
    client.transcript.yes("a")
    assert (taken, client.proposes(AGAIN, "b")) == ((DENY, DENY) if environment else (ASK, ALLOW))


# --- a no --------------------------------------------------------------------------------------------


def test_a_no_in_the_transcript_is_learnt_before_the_next_call(machine: Machine) -> None:
    client = Client(machine, permission_mode="auto")
    assert client.proposes(INSTALL, "a") == ASK
    client.shows(INSTALL)
    client.transcript.no("a")
    again = client.answered("npm install --save-dev prettier", "b")
    assert (again.taken, "The person said no to this, or to a call like it." in again.reason) == (DENY, True)
    assert client.proposes("git status", "c") == ALLOW
    assert dialogs(machine)[-1] == {
        "answer": "no",
        "decision": machine.rows()[0]["seq"],
        "evidence": ["transcript"],
        "inferred": True,
        "refused": [["pkg:install"]],
        "strength": "weak",
        "surface": "host",
    }


def test_a_no_is_learnt_as_well_where_a_message_comes_before_the_next_call(machine: Machine) -> None:
    client = Client(machine)
    client.proposes(INSTALL, "a")
    client.transcript.no("a")
    client.says("do something else", prompt="7d0e")
    assert client.proposes(INSTALL, "b") == DENY
    assert client.state()["refused"] == [["pkg:install"]]


def test_a_no_closes_the_question_that_waits_elsewhere(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    client = Client(machine)
    assert client.proposes("git push origin main", "a") == ASK
    client.transcript.no("a")
    client.proposes("ls", "b")
    (answer,) = machine.rows("answer")
    assert (answer["body"]["answer"], answer["body"]["by"]) == ("closed", "host")


# --- a phrase ----------------------------------------------------------------------------------------


def test_a_phrase_counts_once_the_transcript_says_that_a_person_typed_it(machine: Machine) -> None:
    machine.user_policy.write_text(BELIEVES)
    client = Client(machine)
    client.says(PHRASE)
    assert client.proposes(LOCAL, "a") == ASK  # the row is not there yet
    client.transcript.message(PHRASE)
    assert client.proposes(LOCAL, "b") == ALLOW
    assert client.proposes("npm publish", "c") == ASK
    (heard,) = dialogs(machine)
    ends = heard.pop("until")
    assert heard == {
        "answer": "phrase",
        "believed": True,
        "evidence": ["transcript"],
        "inferred": True,
        "strength": "weak",
    }
    assert client.state()["raised"] == ends
    other = machine.event("Bash", {"command": LOCAL}, session_id="another")
    assert machine.run(other).taken == ASK


def test_without_the_setting_no_phrase_is_heard(machine: Machine) -> None:
    client = Client(machine)
    client.says(PHRASE)
    client.transcript.message(PHRASE)
    assert [client.proposes(INSTALL, attempt) for attempt in "ab"] == [ASK, ASK]
    assert dialogs(machine) == []


def test_a_project_cannot_have_the_transcript_believed_even_if_it_is_trusted(machine: Machine) -> None:
    machine.project_policy.write_text(BELIEVES)
    assert at_a_terminal(machine.home, "trust", "--root", str(machine.project), "--yes").code == 0
    client = Client(machine)
    client.says(PHRASE)
    client.transcript.message(PHRASE)
    assert [client.proposes(INSTALL, attempt) for attempt in "ab"] == [ASK, ASK]


def wrong_rows(transcript: Transcript, kind: str) -> None:
    match kind:
        case "a wake-up":
            transcript.message(PHRASE, kind="schedule", source="system")
        case "a program of the SDK":
            transcript.message(PHRASE, source="sdk")
        case "two rows":
            transcript.message(PHRASE, kind="schedule", source="system").message(PHRASE)
        case "two rows, the forged one first":
            transcript.message(PHRASE).message(PHRASE, kind="schedule", source="system")
        case "another text":
            transcript.message("go on")
        case "another message":
            transcript.message(PHRASE, prompt="7d0e")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kind",
    [
        "a wake-up",
        "a program of the SDK",
        "two rows",
        "two rows, the forged one first",
        "another text",
        "another message",
    ],
)
def test_what_the_transcript_does_not_say_of_a_person_is_no_phrase(machine: Machine, kind: str) -> None:
    machine.user_policy.write_text(BELIEVES)
    client = Client(machine)
    client.says(PHRASE)
    wrong_rows(client.transcript, kind)
    assert [client.proposes(INSTALL, attempt) for attempt in "ab"] == [ASK, ASK]


def test_a_second_row_or_a_changed_one_ends_a_phrase_that_was_believed(machine: Machine) -> None:
    machine.user_policy.write_text(BELIEVES)
    client = Client(machine)
    client.says(PHRASE)
    client.transcript.message(PHRASE)
    assert client.proposes(LOCAL, "a") == ALLOW
    client.transcript.message(PHRASE, kind="schedule", source="system")
    ended = client.answered(LOCAL, "b")
    assert (ended.taken, "two rows of that message" in ended.answer["systemMessage"]) == (ASK, True)

    client.says(PHRASE, prompt="7d0e")
    client.transcript.message(PHRASE, prompt="7d0e")
    assert client.proposes(LOCAL, "c") == ALLOW
    text = client.transcript.path.read_text()
    client.transcript.path.write_text(text[::-1].replace('"human"'[::-1], '"robot"'[::-1], 1)[::-1])
    ended = client.answered(LOCAL, "d")
    assert (ended.taken, "was changed" in ended.answer["systemMessage"]) == (ASK, True)


def test_a_phrase_in_a_session_that_an_agent_started_is_not_heard(machine: Machine) -> None:
    """The host of the nested session is below a process that is known as the host of another one."""
    machine = replace(machine, warm=False)
    machine.user_policy.write_text(BELIEVES)
    assert machine.call("Read").taken == ALLOW  # this very process is the host of a session now
    name = "5e55-nested"
    path = machine.home / ".claude/projects/-project/nested.jsonl"
    transcript = Transcript(path)

    def nested(event: str, **more: Any) -> str:
        whole = machine.event(hook_event_name=event, session_id=name, transcript_path=str(path), **more)
        script = "import json, subprocess, sys; sys.exit(subprocess.run(json.loads(sys.argv[1])).returncode)"
        done = subprocess.run(
            [machine.python, "-c", script, json.dumps(machine.command())],
            input=json.dumps(whole).encode(),
            env=machine.environment(),
            cwd=machine.project,
            capture_output=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr).taken

    nested("SessionStart", source="startup")
    nested("UserPromptSubmit", prompt=PHRASE, prompt_id=PROMPT)
    transcript.message(PHRASE)
    bash = {"tool_name": "Bash", "tool_input": {"command": INSTALL}}
    assert [nested("PreToolUse", **bash, tool_use_id=attempt) for attempt in "ab"] == [DENY, DENY]
    assert machine.rows("session")[-1]["body"]["nested"]


def test_the_ledger_of_all_that_is_whole(machine: Machine) -> None:
    machine.user_policy.write_text(BELIEVES)
    client = Client(machine)
    client.says(PHRASE)
    client.transcript.message(PHRASE)
    client.proposes(INSTALL, "a")
    client.proposes("npm publish", "b")
    client.transcript.no("b")
    client.proposes("npm publish", "c")
    assert verify(folders_for(str(machine.home))).damage is None
