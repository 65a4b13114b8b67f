"""The real GitHub Copilot CLI: what runs, what does not, what is recorded. Calls are tried without the guard first."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import made
from live.copilot import Copilot, needs_copilot
from live.test_gemini import SERVER
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_copilot

ASKED = "read TOOL < tool; $TOOL {}.txt"
MADE: Step = ("bash", {"command": "echo hello > made.txt", "description": "Make a file"})


def servers(folder: Path) -> dict[str, Any]:
    file = folder / "server.py"
    file.write_text(SERVER)
    return {"till": {"type": "local", "command": sys.executable, "args": [str(file)], "tools": ["*"]}}


def script(copilot: Copilot) -> list[Step]:
    (copilot.project / "tool").write_text("touch\n")
    return [
        MADE,
        ("create", {"path": str(copilot.project / "written.txt"), "file_text": "hello\n"}),
        ("edit", {"path": str(copilot.project / "written.txt"), "old_str": "hello", "new_str": "bye"}),
        ("bash", {"command": f"rm -f {copilot.hooks}", "description": "Remove"}),
        ("bash", {"command": ASKED.format("asked"), "description": "Run it"}),
        ("till-open", {}),
        ("task", {"description": "Go", "prompt": "HELPER go", "agent_type": "general-purpose", "name": "x"}),
        "all done",
    ]


def helpers(copilot: Copilot) -> dict[str, list[Step]]:
    """A sub-agent that makes a file, and one that it may not."""
    switch = str(made(copilot.project / ".github/copilot") / "settings.json")
    return {
        "HELPER": [
            ("bash", {"command": "echo hello > helped.txt", "description": "Make a file"}),
            ("create", {"path": switch, "file_text": json.dumps({"disableAllHooks": True})}),
            "helped",
        ]
    }


def left(copilot: Copilot) -> set[str]:
    found = {path.name for path in copilot.project.glob("*.txt")}
    switched = (copilot.project / ".github/copilot/settings.json").exists()
    return found | ({"hooks"} if copilot.hooks.exists() else set()) | ({"switched off"} if switched else set())


@pytest.mark.smoke
def test_what_is_allowed_runs_and_what_is_denied_or_asked_about_does_not_also_in_a_sub_agent(place: Path) -> None:
    control = Copilot(place / "control", guarded=False, servers=servers(place))
    control.hooks.write_text('{"version": 1, "hooks": {}}')
    run = control.headless(script(control), agents=helpers(control))
    everything = {"made.txt", "written.txt", "asked.txt", "opened.txt", "helped.txt", "switched off"}
    assert left(control) == everything, run

    copilot = Copilot(place / "guarded", servers=servers(place))
    run = copilot.headless(script(copilot), agents=helpers(copilot))
    assert left(copilot) == {"made.txt", "written.txt", "helped.txt", "hooks"}, run
    assert run.code == 0
    assert (copilot.project / "written.txt").read_text() == "bye\n"
    assert "Denied by preToolUse hook: Interlock: " in run.told(3)
    assert "Nobody can be asked about this now" in run.told(4)
    decided = [
        (row["body"]["receipt"]["call"]["tool"], verdict)
        for row, verdict in zip(copilot.rows(), copilot.verdicts(), strict=True)
    ]
    assert decided == [
        ("Bash", "allow"),
        ("Write", "allow"),
        ("Edit", "allow"),
        ("Bash", "deny"),
        ("Bash", "deny"),
        ("till-open", "deny"),
        ("Task", "allow"),
        ("Bash", "allow"),
        ("Write", "deny"),
    ]
    outcomes = [(row["body"]["tool"], row["body"]["outcome"]) for row in copilot.rows("outcome")]
    assert outcomes == [("Bash", "ran"), ("Write", "ran"), ("Edit", "ran"), ("Bash", "ran"), ("Task", "ran")]
    assert len({row["body"]["receipt"]["call"]["session"] for row in copilot.rows()}) == 1


def test_an_allow_lifts_the_clients_own_question(place: Path) -> None:
    control = Copilot(place / "control", guarded=False)
    control.headless([MADE, "all done"], approves=False)
    assert left(control) == set()
    copilot = Copilot(place / "guarded")
    run = copilot.headless([MADE, "all done"], approves=False)
    assert left(copilot) == {"made.txt", "hooks"}, run


def test_what_is_only_observed_or_was_not_read_in_full_is_left_to_the_clients_own_question(place: Path) -> None:
    copilot = Copilot(place / "guarded")
    (copilot.project / "Makefile").write_text("test:\n\t./check > made.txt\n")
    check = copilot.project / "check"
    check.write_bytes(b"\x7fELF")
    run = copilot.headless([("bash", {"command": "make test", "description": "Test"}), "all done"], approves=False)
    assert (left(copilot), copilot.verdicts()) == ({"hooks"}, ["allow"]), run
    assert "no interactive user response" in run.told(0)
    until = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 2 * 86_400))
    copilot.policy(f"version = 1\n[hook]\nobserve = {{ until = {until} }}\n")
    (copilot.project / "tool").write_text("touch\n")
    asked: Step = ("bash", {"command": ASKED.format("asked"), "description": "Run it"})
    run = copilot.headless([asked, "all done"], approves=False)
    assert (left(copilot), len(copilot.verdicts())) == ({"hooks"}, 2), run
    assert "no interactive user response" in run.told(0)


# What stands in place of the guard; None: there is no such program.
BROKEN = {
    "it hangs": "import sys, time; '--no-gate' in sys.argv or time.sleep(40)",
    "it dies of a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "it says nothing": "",
    "it is gone": None,
    "it leaves with 1": "import sys; sys.exit(1)",
    "it says something else": "print('allow')",
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_guard_that_breaks_lets_nothing_run(what: str, place: Path) -> None:
    broken = place / "guard.py"
    text = BROKEN[what]
    if text is not None:
        broken.write_text(text)
    copilot = Copilot(place / "guarded", guard=broken)
    run = copilot.headless([MADE, "all done"])
    assert left(copilot) == {"hooks"}, run
    assert "No answer came, so this call is blocked." in run.told(0)


def test_what_nobody_could_be_asked_about_runs_once_it_was_approved(place: Path) -> None:
    copilot = Copilot(place / "guarded")
    copilot.policy('version = 1\n[approvals]\nby = ["terminal"]\n')
    (copilot.project / "tool").write_text("touch\n")

    def attempt(description: str) -> str:
        run = copilot.headless([("bash", {"command": ASKED.format("asked"), "description": description}), "all done"])
        return run.told(0)

    told = attempt("Run it")
    (asked,) = [row["key"] for row in copilot.rows("prompt")]
    assert f"interlock approvals approve {asked}" in told
    assert left(copilot) == {"hooks"}
    done = at_a_terminal(copilot.home, "approvals", "approve", asked, "--yes")
    assert done.code == 0, done.out
    told = attempt("Run it again")
    assert left(copilot) == {"hooks", "asked.txt"}, told


def test_a_person_at_the_terminal_is_asked_and_what_they_say_is_done(place: Path) -> None:
    copilot = Copilot(place / "guarded")
    (copilot.project / "tool").write_text("touch\n")
    asked: list[Step] = [("bash", {"command": ASKED.format(name), "description": "x"}) for name in ("yes", "no")]
    with copilot.terminal([*asked, "all done"]) as (terminal, _):
        terminal.type("please go on")
        terminal.wait_for("$TOOL yes.txt", seconds=60)
        terminal.wait_for("Hook permission request")
        assert "Interlock: Run `$TOOL" in terminal.screen()
        terminal.until(lambda: "1. Yes" in terminal.screen(), "the dialog")
        terminal.press("Enter")
        terminal.wait_for("$TOOL no.txt", seconds=60)
        terminal.wait_for("Hook permission request")
        terminal.press("Escape")
        terminal.wait_for("Denied by user via preToolUse hook prompt")
    assert left(copilot) == {"hooks", "yes.txt"}
    assert copilot.verdicts() == ["ask", "ask"]
    assert [row["body"]["outcome"] for row in copilot.rows("outcome")] == ["ran"]


def test_it_is_installed_tried_and_taken_out_and_what_was_there_is_as_before(place: Path) -> None:
    copilot = Copilot(place / "installed", guarded=False)
    others = copilot.hooks.parent / "mine.json"
    others.write_text('{"version":1,"hooks":{}}')
    for arguments, said in (
        (("install", "copilot-cli", "--yes"), "installed in"),
        (("doctor", "copilot-cli"), "a call that must be denied was denied, through its own settings"),
    ):
        done = at_a_terminal(copilot.home, *arguments, folder=copilot.project)
        assert (done.code, said in done.out) == (0, True), done.out
    run = copilot.headless([MADE, ("bash", {"command": f"rm {copilot.hooks}", "description": "Remove"}), "all done"])
    assert left(copilot) == {"made.txt", "hooks"}, run
    done = at_a_terminal(copilot.home, "uninstall", "copilot-cli", "--yes", folder=copilot.project)
    assert (done.code, "is as it was before" in done.out) == (0, True), done.out
    assert [path.name for path in others.parent.iterdir()] == ["mine.json"]
    assert others.read_text() == '{"version":1,"hooks":{}}'
