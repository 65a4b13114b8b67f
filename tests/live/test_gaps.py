"""Calls that ran while no hook was called are found in the transcript; calls that the client refused do not count."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from live.client import Live, needs_client
from scripted_model import Step

pytestmark = needs_client

LOOK = {"description": "look", "prompt": "ZEBRA: look around", "subagent_type": "general-purpose"}


def bash(command: str) -> Step:
    return ("Bash", {"command": command, "description": "Go on"})


def verified(live: Live) -> subprocess.CompletedProcess[str]:
    command = [live.machine.python, "-m", "interlock.cli", "--home", str(live.home), "audit", "verify"]
    return subprocess.run(command, cwd=live.home, capture_output=True, text=True, check=False)


def test_what_ran_without_hooks_is_reported_when_they_are_back(place: Path) -> None:
    live = Live.at(place)
    guarded = live.settings.read_text()
    first = live.headless([bash("ls"), "done"])
    session = first.result["session_id"]
    live.settings.write_text("{}")
    live.headless([bash("ls"), "done", bash("touch unseen.txt"), "done"], arguments=["--resume", session])
    live.settings.write_text(guarded)
    script = [bash("ls"), "done", bash("touch unseen.txt"), "done", bash("pwd"), "done"]
    live.headless(script, arguments=["--resume", session])
    (gap,) = live.rows("gap")
    assert gap["body"]["calls"] == [{"id": "toolu_step_2", "tool": "Bash"}]
    assert gap["session"] == session


def test_a_person_at_the_terminal_is_told(place: Path) -> None:
    live = Live.at(place)
    guarded = live.settings.read_text()
    session = live.headless([bash("ls"), "done"]).result["session_id"]
    live.settings.write_text("{}")
    live.headless([bash("ls"), "done", bash("touch unseen.txt"), "done"], arguments=["--resume", session])
    live.settings.write_text(guarded)
    with live.terminal(["", "", "", "", "I am back"], mode="default", arguments=["--resume", session]) as (at, _):
        at.type("are you there")
        at.wait_for("I am back")
        shown = at.screen(history=True)
    assert "1 tool call of this session ran unseen (Bash)" in shown.replace("\n", " ")


def test_calls_that_the_client_refuses_are_no_gap(place: Path) -> None:
    live = Live.at(place)
    settings = json.loads(live.settings.read_text())
    settings["permissions"] = {"deny": ["Bash(cat:*)"], "ask": ["Bash(head:*)"]}
    live.settings.write_text(json.dumps(settings))
    live.write("a.txt", "x")
    refused = "<tool_use_error>Error: No such tool available: Nope</tool_use_error>"
    calls: list[Step] = [
        ("Nope", {"a": 1}),
        ("Read", {"wrong": 1}),
        ("Edit", {"file_path": str(live.project / "none.txt"), "old_string": "a", "new_string": "b"}),
        bash("cat a.txt"),
        bash("head a.txt"),
        bash(f"echo '{refused}'; false"),
        [bash("ls"), bash("pwd")],  # type: ignore[list-item]
        ("Agent", LOOK),
        bash("rm -rf ~"),
        "done",
    ]
    run = live.headless(calls, agents={"ZEBRA": [bash("ls"), ("Nope", {}), "seen"]})
    assert run.code == 0
    assert len(run.model.results) >= 10
    assert live.rows("gap") == []


def test_verify_finds_a_gap_that_no_later_event_could_report(place: Path) -> None:
    live = Live.at(place)
    session = live.headless([bash("ls"), "done"]).result["session_id"]
    assert verified(live).returncode == 0
    live.settings.write_text("{}")
    live.headless([bash("ls"), "done", bash("touch unseen.txt"), "done"], arguments=["--resume", session])
    done = verified(live)
    assert done.returncode == 3
    assert f"gap: session {session}: 1 tool call ran unseen: Bash toolu_step_2" in done.stdout
