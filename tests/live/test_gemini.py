"""The real Gemini CLI: what runs, what does not, and what is recorded. Every call is tried without the guard first.

Without the guard all of them run in one session, so that a call that is prevented would have happened.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from live.gemini import Gemini, needs_gemini
from scripted_model import Step

pytestmark = needs_gemini

SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    method, result = asked["method"], {}
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        info = {"name": "till", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        result = {"tools": [{"name": "open", "description": "opens", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        open("opened.txt", "w").close()
        result = {"content": [{"type": "text", "text": "opened"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def servers(folder: Path) -> dict[str, Any]:
    """One that the person trusts: the client puts no question about it before anybody, whatever a hook says."""
    file = folder / "server.py"
    file.write_text(SERVER)
    return {"till": {"command": sys.executable, "args": [str(file)], "trust": True}}


def script(gemini: Gemini) -> list[Step]:
    (gemini.project / "tool").write_text("touch\n")
    return [
        ("run_shell_command", {"command": "echo hello > made.txt", "description": "Make a file"}),
        ("write_file", {"file_path": str(gemini.project / "written.txt"), "content": "hello"}),
        ("run_shell_command", {"command": f"rm -f {gemini.home}/.gemini/settings.json", "description": "Remove"}),
        ("run_shell_command", {"command": "read TOOL < tool; $TOOL asked.txt", "description": "Run it"}),
        ("mcp_till_open", {}),
        "all done",
    ]


def left(gemini: Gemini) -> set[str]:
    found = {path.name for path in gemini.project.glob("*.txt")}
    return found | ({"settings"} if gemini.settings.exists() else set())


@pytest.mark.smoke
def test_what_is_allowed_runs_and_what_is_denied_or_asked_about_does_not(place: Path) -> None:
    control = Gemini(place / "control", guarded=False, servers=servers(place))
    run = control.headless(script(control))
    assert left(control) == {"made.txt", "written.txt", "asked.txt", "opened.txt"}, run

    gemini = Gemini(place / "guarded", servers=servers(place))
    run = gemini.headless(script(gemini))
    assert left(gemini) == {"made.txt", "written.txt", "settings"}, run
    assert run.code == 0
    assert "Tool execution blocked: Interlock: " in run.told(2)
    assert "Nobody can be asked about this now" in run.told(3)
    assert "Gemini CLI may run a call of this tool without putting a question about it" in run.told(4)
    assert gemini.verdicts() == ["allow", "allow", "deny", "deny", "deny"]
    assert [row["body"]["receipt"]["call"]["tool"] for row in gemini.rows()] == [
        *("Bash", "Write", "Bash", "Bash", "mcp__till__open"),
    ]
    assert [(row["body"]["tool"], row["body"]["outcome"]) for row in gemini.rows("outcome")] == [
        ("Bash", "ran"),
        ("Write", "ran"),
    ]
    assert [row["body"]["decision"] for row in gemini.rows("outcome")] == [row["seq"] for row in gemini.rows()][:2]


@pytest.mark.parametrize(
    "guard",
    ["import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "import sys; sys.exit(1)"],
    ids=["a signal", "exit code 1"],
)
def test_a_guard_that_breaks_lets_nothing_run(guard: str, place: Path) -> None:
    broken = place / "guard.py"
    broken.write_text(guard)
    gemini = Gemini(place / "guarded", guard=broken)
    run = gemini.headless([("run_shell_command", {"command": "echo hello > made.txt", "description": "x"}), "all done"])
    assert left(gemini) == {"settings"}, run
    assert "No answer came, so this call is blocked." in run.told(0)


def test_variables_of_the_project_do_not_silence_the_hook(place: Path) -> None:
    gemini = Gemini(place / "guarded")
    (gemini.project / ".env").write_text("SHELLOPTS=noexec\n")
    target = gemini.project / ".gemini/settings.json"
    run = gemini.headless([("write_file", {"file_path": str(target), "content": "{}"}), "all done"])
    assert not target.exists(), run
    assert gemini.verdicts() == ["deny"]


def test_a_person_at_the_terminal_is_asked_and_what_they_say_is_done(place: Path) -> None:
    gemini = Gemini(place / "guarded")
    (gemini.project / "tool").write_text("touch\n")
    asked: list[Step] = [
        ("run_shell_command", {"command": f"read TOOL < tool; $TOOL {name}.txt", "description": "x"})
        for name in ("yes", "no")
    ]
    with gemini.terminal([*asked, "all done"]) as (terminal, _):
        terminal.type("please go on")
        terminal.wait_for("$TOOL yes.txt", seconds=60)
        terminal.wait_for("Allow execution of")
        assert "Interlock: Run `$TOOL" in terminal.screen()
        time.sleep(1)  # a dialog that has just come up takes no keys
        terminal.press("Enter")
        terminal.wait_for("$TOOL no.txt", seconds=60)
        terminal.wait_for("Allow execution of")
        time.sleep(1)
        terminal.press("Escape")
        terminal.until(lambda: "Allow execution of" not in terminal.screen(), "the dialog to go")
    assert left(gemini) == {"settings", "yes.txt"}
    assert gemini.verdicts() == ["ask", "ask"]
    assert [row["body"]["outcome"] for row in gemini.rows("outcome")] == ["ran"]
