"""The real Qwen Code: what runs, what does not, and what is recorded. Every call is tried without the guard first.

Without the guard all of them run in one session, so that a call that is prevented would have happened.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from live.qwen import Qwen, needs_qwen
from live.test_gemini import SERVER
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_qwen

POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n'


def servers(folder: Path) -> dict[str, Any]:
    """A tool server that the person trusts."""
    file = folder / "server.py"
    file.write_text(SERVER)
    return {"mcpServers": {"till": {"command": sys.executable, "args": [str(file)], "trust": True}}}


def shell(command: str, description: str = "Do it") -> Step:
    return ("run_shell_command", {"command": command, "description": description})


def asked(name: str, description: str = "Do it") -> Step:
    """A command that nobody can read: which program runs stands in a file."""
    return shell(f"read TOOL < tool; $TOOL {name}.txt", description)


def script(qwen: Qwen) -> list[Step]:
    (qwen.project / "tool").write_text("touch\n")
    return [
        shell("echo hello > made.txt"),
        ("tool_call", {"name": "mcp__till__open", "arguments": {}}),
        ("write_file", {"file_path": str(qwen.project / "written.txt"), "content": "hello"}),
        asked("asked"),
        ("agent", {"description": "Help", "prompt": "a sub-task", "subagent_type": "general-purpose"}),
        ("write_file", {"file_path": str(qwen.project / ".qwen/.env"), "content": "QWEN_CODE_SIMPLE=1"}),
        shell(f"rm -f {qwen.home}/.qwen/settings.json"),  # the last: the client watches it, and lets go of the server
        "all done",
    ]


def agents(qwen: Qwen) -> dict[str, list[Step]]:
    return {"a sub-task": [shell("echo hello > agent.txt"), asked("agent-asked"), "done"]}


def left(qwen: Qwen) -> set[str]:
    found = {path.name for path in (*qwen.project.glob("*.txt"), *qwen.project.glob(".qwen/.env"))}
    return found | ({"settings"} if qwen.settings.exists() else set())


def guarded(place: Path) -> Qwen:
    qwen = Qwen(place / "guarded", more=servers(place))
    policy = qwen.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(POLICY)
    return qwen


@pytest.mark.smoke
def test_what_is_allowed_runs_and_what_is_denied_or_asked_about_does_not(place: Path) -> None:
    qwen = guarded(place)
    run = qwen.headless(script(qwen), agents=agents(qwen))
    assert left(qwen) == {"made.txt", "written.txt", "agent.txt", "settings"}, run
    assert run.code == 0
    assert run.told(6).startswith('"Interlock: Refused: ')
    by_agent = [row for row in qwen.rows() if row["body"]["receipt"]["call"]["agent"]]
    alone = [row for row in qwen.rows() if row not in by_agent]
    tools = [(row["body"]["receipt"]["call"]["tool"], row["body"]["receipt"]["decision"]["verdict"]) for row in alone]
    assert tools == [
        ("Bash", "allow"),
        ("mcp__till__open", "deny"),
        ("Write", "allow"),
        ("Bash", "deny"),
        ("Agent", "allow"),
        ("Write", "deny"),
        ("Bash", "deny"),
    ]
    assert [row["body"]["receipt"]["decision"]["verdict"] for row in by_agent] == ["allow", "deny"]
    ran = {row["body"]["decision"]: row["body"]["outcome"] for row in qwen.rows("outcome")}
    allowed = [row["seq"] for row in qwen.rows() if row["body"]["receipt"]["decision"]["verdict"] == "allow"]
    assert ran == dict.fromkeys(allowed, "ran")


def test_without_the_guard_all_of_that_runs(place: Path) -> None:
    control = Qwen(place / "control", guarded=False, more=servers(place))
    run = control.headless(script(control), agents=agents(control))
    texts = {"made.txt", "written.txt", "asked.txt", "opened.txt", "agent.txt", "agent-asked.txt"}
    assert left(control) == {*texts, ".env"}, run


def test_what_was_asked_about_runs_once_it_is_approved(place: Path) -> None:
    qwen = guarded(place)
    (qwen.project / "tool").write_text("touch\n")
    run = qwen.headless([asked("asked", "Try it"), "all done"])
    assert "asked.txt" not in left(qwen), run
    (prompt,) = qwen.rows("prompt")
    approved = at_a_terminal(qwen.home, "approvals", "approve", prompt["key"], "--yes")
    assert approved.code == 0, approved.out
    run = qwen.headless([asked("asked", "Try it once more"), "all done"])
    assert "asked.txt" in left(qwen), run
    assert len({row["session"] for row in qwen.rows()}) == 2


# What a guard does in place of deciding, by a word in the call.
BROKEN = """import os, signal, sys, time
event = sys.stdin.read()
if "PreToolUse" not in event: sys.exit()
if "signal" in event: os.kill(os.getpid(), signal.SIGSEGV)
if "silent" in event: sys.exit(2)
if "hang" in event: time.sleep(60)
os.unlink(__file__)  # for the call that comes next
sys.exit(1)
"""
BLOCKED = "Interlock: No answer came, so this call is blocked."


def test_a_guard_that_breaks_hangs_or_is_gone_lets_nothing_run(place: Path) -> None:
    broken = place / "guard.py"
    broken.write_text(BROKEN)
    calls = [shell(f"echo hello > {how}.txt") for how in ("signal", "silent", "hang", "leaves", "gone")]
    qwen = Qwen(place / "guarded", guard=broken)
    run = qwen.headless([*calls, "all done"])
    assert left(qwen) == {"settings"}, run
    told = [run.told(step) for step in range(len(calls))]
    assert all(BLOCKED in text and "run `interlock install qwen-code`" in text for text in told), told
    assert not broken.exists()


def test_a_person_at_the_terminal_is_asked_and_what_they_say_is_done(place: Path) -> None:
    qwen = Qwen(place / "guarded")
    (qwen.project / "tool").write_text("touch\n")
    installs, again = shell("npm install left-pad"), shell("npm install --save-dev prettier")
    with qwen.terminal([asked("yes"), installs, again, "all done"]) as (terminal, model):
        terminal.type("please go on")
        for command, said, key in (
            ("$TOOL yes.txt", "Interlock: Run `$TOOL", "Enter"),
            ("npm install left-pad", "Interlock: Install", "Escape"),
        ):
            terminal.wait_for(command, seconds=60)
            terminal.wait_for("Do you want to proceed?")
            assert said in terminal.screen()
            time.sleep(1)  # a dialog that has just come up takes no keys
            terminal.press(key)
            terminal.until(lambda: "Do you want to proceed?" not in terminal.screen(), "the dialog to go")
        terminal.until(lambda: qwen.rows("dialog"), "the No to be told")
        terminal.type("try it once more")
        terminal.until(lambda: "toolu_step_2" in model.results, "the third call", 60)
    assert left(qwen) == {"settings", "yes.txt"}
    assert qwen.verdicts() == ["ask", "ask", "deny"]
    assert [row["body"].get("answer", row["body"].get("says")) for row in qwen.rows("dialog")] == ["no", "declined"]
    assert "The person said no to this, or to a call like it." in model.results["toolu_step_2"]
    assert [row["body"]["outcome"] for row in qwen.rows("outcome")] == ["ran"]


def test_what_install_writes_guards_the_client_and_uninstall_leaves_the_settings_as_they_were(place: Path) -> None:
    qwen = Qwen(place / "installed", guarded=False, more={"$version": 4})  # the client would put that into the file
    qwen.settle()
    before = qwen.settings.read_bytes()
    for command in (["install", "qwen-code", "--yes"], ["doctor", "qwen-code"]):
        done = at_a_terminal(qwen.home, *command, folder=qwen.project)
        assert done.code == 0, done.out
    installed = qwen.settings.read_bytes()
    assert "PreToolUse" in json.loads(installed)["hooks"]

    run = qwen.headless([shell(f"rm -f {qwen.settings}"), shell("echo hello > made.txt"), "all done"])
    assert left(qwen) == {"made.txt", "settings"}, run
    assert qwen.settings.read_bytes() == installed
    done = at_a_terminal(qwen.home, "uninstall", "qwen-code", "--yes", folder=qwen.project)
    assert (done.code, qwen.settings.read_bytes()) == (0, before), done.out
