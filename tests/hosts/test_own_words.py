"""A question in our own words: the person's answer in the host's dialog, what it means, and who cannot give it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import AF_UNIX, SOCK_STREAM, socket
from typing import Any

import pytest

from dialogs import Client, hook_words, server_words
from hook_process import ALLOW, ASK, DENY, Machine, ended, new_machine
from live.place import place
from person import at_a_terminal
from residing import Residence

__all__ = ["place"]

UNKNOWN = {"command": "read TOOL < tool; $TOOL held.txt"}
ONCE, SESSION, NO = "Allow once", "Allow for this session", "Deny"


@pytest.fixture
def machine(place: Path) -> Machine:
    found = new_machine(place)
    (found.project / "tool").write_text("touch\n")
    return found


def note(machine: Machine, name: str) -> str:
    return str(machine.home.parent / f"notes/{name}")


def answers(machine: Machine) -> list[dict[str, Any]]:
    return [row["body"] for row in machine.rows("answer")]


def waiting(machine: Machine) -> list[Any]:
    found: list[Any] = json.loads(at_a_terminal(machine.home, "approvals", "list", "--json").out)
    return found


@pytest.mark.slow
def test_a_yes_lets_the_one_call_run_and_is_asked_again(machine: Machine) -> None:
    with Client(machine) as client:
        ran, question = client.call("Bash", ONCE, **UNKNOWN)
        field = question["params"]["requestedSchema"]["properties"]["answer"]
        assert (field["enum"], question["params"]["requestedSchema"]["required"]) == ([NO, ONCE], ["answer"])
        assert question["params"]["message"].startswith("Run `$TOOL held.txt`: ")
        assert ran.taken == ALLOW
        (said,) = answers(machine)
        assert (said["answer"], said["by"], said["strength"], said["surface"]) == (
            *("approved", "a dialog of Claude Code", "weak", "host"),
        )
        again, _ = client.call("Bash", NO, **UNKNOWN)
        assert (again.taken, "The person said no" in again.reason) == (DENY, True)
        assert client.run("Bash", **UNKNOWN).taken == DENY  # a no is remembered, and not asked about once more
    assert [row["body"]["receipt"]["decision"]["verdict"] for row in machine.rows()] == [
        *("ask", "allow", "ask", "deny", "deny"),
    ]


@pytest.mark.slow
def test_a_resident_service_leaves_the_question_to_the_hook(machine: Machine) -> None:
    with Residence(machine) as residence, Client(machine) as client:
        residence.on()
        assert client.run("Read").taken == ALLOW
        ran, _ = client.call("Bash", ONCE, **UNKNOWN)
        assert (ran.taken, residence.counts) == (ALLOW, (1, 1))


@pytest.mark.slow
def test_a_yes_for_the_session_covers_what_it_said_in_this_session_and_no_more(machine: Machine) -> None:
    with Client(machine) as client:
        first, question = client.call("Write", SESSION, file_path=note(machine, "a"), content="x")
        covered = f"Allow for this session: also other changes to `{machine.home.parent}/notes/a`."
        assert " ".join(question["params"]["message"].split()).endswith(covered)
        assert first.taken == ALLOW
        assert client.run("Write", file_path=note(machine, "a"), content="y").taken == ALLOW
        other, _ = client.call("Write", NO, file_path=note(machine, "c"), content="x", session="another")
        outside, _ = client.call("Write", NO, file_path=str(machine.home.parent / "others/d"), content="x")
        assert (other.taken, outside.taken) == (DENY, DENY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "choice"), [("cancel", ""), ("accept", ""), ("accept", "Allow everything"), ("accept", SESSION)]
)
def test_what_is_no_answer_leaves_the_question_to_the_host(machine: Machine, action: str, choice: str) -> None:
    """A choice that was not offered is none: this call can be allowed once, and not for the session."""
    with Client(machine) as client:
        ran, _ = client.call("Bash", choice, action, **UNKNOWN)
    assert (ran.taken, waiting(machine)) == (ASK, [])


@pytest.mark.slow
def test_a_person_who_declines_says_no(machine: Machine) -> None:
    with Client(machine) as client:
        ran, _ = client.call("Bash", action="decline", **UNKNOWN)
    assert (ran.taken, [said["answer"] for said in answers(machine)]) == (DENY, ["denied"])


@pytest.mark.slow
def test_a_hook_that_is_killed_takes_its_dialog_with_it(machine: Machine) -> None:
    with Client(machine) as client:
        hook = client.start("Bash", **UNKNOWN)
        question = client.hear()
        hook.kill()
        hook.communicate()
        gone = client.hear()
        assert (gone["method"], gone["params"]["requestId"]) == ("notifications/cancelled", question["id"])
        client.answer(question, ONCE)  # too late: it is nobody's
        ran, again = client.call("Bash", NO, **UNKNOWN)
        assert (ran.taken, again["id"] != question["id"]) == (DENY, True)


HOOK = {"hooks": [{"type": "command", "command": "true"}]}
# who else could answer -> a file of the project that brings it
OTHERS = {
    "settings": (".claude/settings.json", json.dumps({"hooks": {"Elicitation": [HOOK]}})),
    "local settings": (".claude/settings.local.json", json.dumps({"hooks": {"ElicitationResult": [HOOK]}})),
    "settings that cannot be read": (".claude/settings.json", "{"),
    "a skill": (".claude/skills/x/SKILL.md", "---\nname: x\nhooks:\n  Elicitation:\n    - command: true\n---\n"),
    "an agent": (".claude/agents/team/x.md", "---\nname: x\nhooks: {Elicitation: []}\n---\n"),
    "a plug-in": (".claude/skills/m/.claude-plugin/plugin.json", '{"name": "m", "hooks": {"Stop": []}}'),
    "a mod": (".claude/skills/m/.claude-plugin/plugin.json", '{"name": "m", "hooks": {"modules": ["./m.js"]}}'),
}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("who", OTHERS)
def test_where_something_else_could_answer_nobody_is_asked_here(machine: Machine, who: str) -> None:
    name, text = OTHERS[who]
    file = machine.project / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with Client(machine) as client:
        assert client.run("Bash", **UNKNOWN).taken == ASK
    assert (answers(machine)[0]["answer"], waiting(machine)) == ("closed", [])


@pytest.mark.slow
def test_a_client_that_cannot_ask_is_not_asked(machine: Machine) -> None:
    with Client(machine, can={}) as client:
        assert client.run("Bash", **UNKNOWN).taken == ASK
    assert answers(machine) == []


@pytest.mark.slow
def test_a_question_that_is_not_shown_whole_is_not_asked(machine: Machine) -> None:
    command = f"read TOOL < tool; $TOOL {' '.join([f'a-long-argument-{number}' for number in range(40)])}"
    with Client(machine) as client:
        assert client.run("Bash", command=command).taken == ASK
        assert client.run("Bash", command="read TOOL < tool; $TOOL https://ann:hunter2secret@example.org").taken == ASK


@pytest.mark.slow
def test_a_server_that_began_after_a_call_of_the_agent_is_not_asked(machine: Machine) -> None:
    """Whatever the call was, it may have started it."""
    assert machine.call("Read").taken == ALLOW
    with Client(machine) as client:
        assert client.run("Bash", **UNKNOWN).taken == ASK


@contextmanager
def open_both(fifos: list[Path]) -> Iterator[tuple[Any, Any]]:
    with fifos[0].open("w") as to, fifos[1].open() as came:
        yield to, came


@pytest.mark.slow
@pytest.mark.parametrize("how", ["below a shell of the agent", "with pipes of the agent", "with a name of its own"])
def test_a_server_that_a_program_of_the_agent_runs_answers_nothing(machine: Machine, how: str) -> None:
    """It stands below the host as well; what it does not have is the host itself at the other end of its streams."""
    start: dict[str, Any] = {"capabilities": {"elicitation": {}}, "protocolVersion": "2025-11-25"}
    lines: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": start},
        {"method": "notifications/initialized"},
        {"id": 1},
    ]
    asked = "".join([json.dumps({"jsonrpc": "2.0", "method": "ping", **line}) + "\n" for line in lines])
    fifos = [machine.home / name for name in ("in", "out")]
    for fifo in fifos:
        os.mkfifo(fifo)
    words = server_words(machine)
    run = {"below a shell of the agent": ["sh", "-c", '"$@" <"$0/in" >"$0/out"; :', str(machine.home), *words]}
    command = run.get(how, ["sh", "-c", 'exec "$@" <"$0/in" >"$0/out"', str(machine.home), *words])
    impostor = socket(AF_UNIX, SOCK_STREAM)
    with subprocess.Popen(command, cwd=machine.project) as server, open_both(fifos) as (to, came), impostor:
        to.write(asked)
        to.flush()
        assert [json.loads(came.readline())["id"] for _ in range(2)] == [0, 1]
        folder = machine.state / "ask"
        assert not folder.exists() or not list(folder.iterdir())
        if how == "with a name of its own":  # and somebody listens in its place
            folder.mkdir(mode=0o700, exist_ok=True)
            impostor.bind(str(folder / f"{os.getpid()}-{server.pid}"))
            impostor.listen()
        hook = subprocess.Popen(
            hook_words(machine), cwd=machine.project, env=machine.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        event = json.dumps(machine.event("Bash", UNKNOWN)).encode()
        assert ended(hook, event, patience=60).taken == ASK
    assert "approved" not in [said["answer"] for said in answers(machine)]
