"""The real OpenCode: what runs, what does not, and what is recorded. Calls are tried without the plug-in first.

The plug-in alone, as a JavaScript engine runs it, is in `tests/hosts/test_opencode_plugin.py`, with more ways to break.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from live.opencode import OpenCode, needs_opencode
from live.test_gemini import SERVER
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_opencode

ASKED = "read TOOL < tool; $TOOL {}.txt"
MADE: Step = ("bash", {"command": "echo hello > made.txt", "description": "Make a file"})
SHELL: Step = ("bash", {"command": "echo $0 > made.txt", "description": "Which shell is it"})


def servers(folder: Path) -> dict[str, Any]:
    file = folder / "server.py"
    file.write_text(SERVER)
    return {"till": {"type": "local", "command": [sys.executable, str(file)], "enabled": True}}


def script(client: OpenCode) -> list[Step]:
    (client.project / "tool").write_text("touch\n")
    return [
        MADE,
        ("write", {"filePath": str(client.project / "written.txt"), "content": "hello\n"}),
        ("edit", {"filePath": str(client.project / "written.txt"), "oldString": "hello", "newString": "bye"}),
        ("bash", {"command": f"rm -f {client.plugin}", "description": "Remove"}),
        ("bash", {"command": ASKED.format("asked"), "description": "Run it"}),
        ("till_open", {}),
        ("task", {"description": "Go", "prompt": "HELPER go", "subagent_type": "general"}),
        "all done",
    ]


def helpers(client: OpenCode) -> dict[str, list[Step]]:
    """A sub-agent that makes a file, and one that it may not."""
    return {
        "HELPER": [
            ("bash", {"command": "echo hello > helped.txt", "description": "Make a file"}),
            ("write", {"filePath": str(client.project / "opencode.json"), "content": '{"plugin": []}'}),
            "helped",
        ]
    }


def left(client: OpenCode) -> set[str]:
    found = {path.name for path in client.project.iterdir()} - {"tool"}
    return found | ({"plug-in"} if client.plugin.exists() else set())


def patches() -> list[Step]:
    """A patch, and one of the client's own plug-ins with a patch beside it that the client does not take."""
    text = "*** Begin Patch\n*** Add File: {}\n+hello\n*** End Patch\n"
    return [
        ("apply_patch", {"patchText": text.format("patched.txt")}),
        ("apply_patch", {"patchText": text.format(".opencode/x.js"), "input": text.format("other.txt")}),
        ("apply_patch", {"patchText": text.format("\ufeffmarked.txt")}),
        "all done",
    ]


def test_the_client_takes_a_patch_from_one_field(place: Path) -> None:
    control = OpenCode(place / "control", guarded=False, model="gpt-5")
    control.plugin.write_text("export const Nothing = async () => ({})\n")
    run = control.headless(patches())
    assert {path.name for path in control.project.iterdir()} == {"patched.txt", ".opencode", "marked.txt"}, run


@pytest.mark.smoke
def test_of_a_patch_all_fields_are_read(place: Path) -> None:
    client = OpenCode(place / "guarded", model="gpt-5")
    run = client.headless(patches())
    assert {path.name for path in client.project.iterdir()} == {"patched.txt"}, run
    assert client.decided() == [("Patch", "allow"), ("Patch", "deny"), ("Patch", "deny")]  # nobody is there to be asked


def test_what_is_allowed_runs_and_what_is_denied_or_asked_about_does_not_also_in_a_sub_agent(place: Path) -> None:
    control = OpenCode(place / "control", guarded=False, servers=servers(place))
    control.plugin.write_text("export const Nothing = async () => ({})\n")
    run = control.headless(script(control), agents=helpers(control))
    everything = {"made.txt", "written.txt", "asked.txt", "opened.txt", "helped.txt", "opencode.json"}
    assert left(control) == everything, run

    client = OpenCode(place / "guarded", servers=servers(place))
    run = client.headless(script(client), agents=helpers(client))
    assert left(client) == {"made.txt", "written.txt", "helped.txt", "plug-in"}, run
    assert run.code == 0
    assert (client.project / "written.txt").read_text() == "bye\n"
    assert "Interlock: " in run.told(3)
    assert "Nobody can be asked about this now" in run.told(4)
    assert client.decided() == [
        ("Bash", "allow"),
        ("Write", "allow"),
        ("Edit", "allow"),
        ("Bash", "deny"),
        ("Bash", "deny"),
        ("till_open", "deny"),
        ("Task", "allow"),
        ("Bash", "allow"),
        ("Write", "deny"),
    ]
    outcomes = [(row["body"]["tool"], row["body"]["outcome"]) for row in client.rows("outcome")]
    assert outcomes == [("Bash", "ran"), ("Write", "ran"), ("Edit", "ran"), ("Bash", "ran"), ("Task", "ran")]
    calls = [row["body"]["receipt"]["call"] for row in client.rows()]
    assert len({call["session"] for call in calls}) == 1
    assert [bool(call["agent"]) for call in calls] == [False] * 7 + [True] * 2


# What stands in place of the guard; None: there is no such program.
BROKEN = {
    "it hangs": "import sys, time; '--no-gate' in sys.argv or time.sleep(40)",
    "it dies of a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "it is gone": None,
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_guard_that_breaks_lets_nothing_run(what: str, place: Path) -> None:
    broken = place / "guard.py"
    text = BROKEN[what]
    if text is not None:
        broken.write_text(text)
    client = OpenCode(place / "guarded", guard=broken)
    run = client.headless([MADE, "all done"])
    assert left(client) == {"plug-in"}, run
    assert "No answer came, so this call is blocked." in run.told(0)


POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n'


def asked(client: OpenCode) -> str:
    client.policy(POLICY)
    (client.project / "tool").write_text("touch\n")
    return ASKED.format("asked")


def approve(client: OpenCode, told: str) -> None:
    (id,) = [row["key"] for row in client.rows("prompt")]
    assert f"interlock approvals approve {id}" in told
    done = at_a_terminal(client.home, "approvals", "approve", id, "--yes")
    assert done.code == 0, done.out


def test_what_nobody_could_be_asked_about_runs_once_it_was_approved(place: Path) -> None:
    client = OpenCode(place / "guarded")
    command = asked(client)

    def attempt(description: str) -> str:
        return client.headless([("bash", {"command": command, "description": description}), "all done"]).told(0)

    told = attempt("Run it")
    assert left(client) == {"plug-in"}
    approve(client, told)
    told = attempt("Run it again")
    assert left(client) == {"plug-in", "asked.txt"}, told


WITH_TERMINAL = pytest.mark.skipif(os.environ.get("INTERLOCK_LIVE") != "all", reason="INTERLOCK_LIVE=all tries it")


@WITH_TERMINAL
def test_a_person_at_the_clients_terminal_approves_in_another_and_it_runs(place: Path) -> None:
    client = OpenCode(place / "guarded")
    command = asked(client)
    calls: list[Step] = [("bash", {"command": command, "description": text}) for text in ("Run it", "Again")]
    with client.terminal([calls[0], "it was denied", calls[1], "all done"]) as (terminal, model):
        terminal.type("please go on")
        terminal.wait_for("it was denied", seconds=120)
        approve(client, model.results["toolu_step_0"])
        terminal.type("try it again")
        terminal.wait_for("all done", seconds=120)
    assert left(client) == {"plug-in", "asked.txt"}
    # Somebody attends, so it is a question; the client can put none before them, so it was told a deny.
    assert client.decided() == [("Bash", "ask"), ("Bash", "allow")]


def test_it_is_installed_tried_and_taken_out_and_nothing_else_is_touched(place: Path) -> None:
    client = OpenCode(place / "installed", guarded=False)
    other = client.plugin.parent / "mine.js"
    other.write_text("export const Mine = async () => ({})\n")
    for arguments, said in (
        (("install", "opencode", "--yes"), "installed in"),
        (("doctor", "opencode"), "a call that must be denied was denied, through its own settings"),
    ):
        done = at_a_terminal(client.home, *arguments, folder=client.project)
        assert (done.code, said in done.out) == (0, True), done.out
    run = client.headless([SHELL, ("bash", {"command": f"rm {client.plugin}", "description": "Remove"}), "all done"])
    assert left(client) == {"made.txt", "plug-in"}, run
    assert (client.project / "made.txt").read_text() == "/bin/bash\n"  # and not /bin/sh, which SHELL names
    done = at_a_terminal(client.home, "uninstall", "opencode", "--yes", folder=client.project)
    assert (done.code, "is as it was before" in done.out) == (0, True), done.out
    assert [path.name for path in other.parent.iterdir()] == ["mine.js"]
    assert other.read_text() == "export const Mine = async () => ({})\n"
