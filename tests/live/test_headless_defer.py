"""`[approvals] headless`: an unattended run of the real client that needs a person ends, and goes on once answered."""

from __future__ import annotations

from pathlib import Path

from live.client import Live, Run, needs_client
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_client

_CALL = ("Bash", {"command": "rm -rf ../precious", "description": "Clean up"})


def at(place: Path, headless: str) -> Live:
    live = Live.at(place)
    live.machine.user_policy.write_text(f"version = 1\n[approvals]\nby = ['terminal']\nheadless = '{headless}'\n")
    live.write(str(live.project.parent / "precious/a.txt"), "a")
    return live


def gone(live: Live) -> bool:
    return not (live.project.parent / "precious/a.txt").exists()


def approval(live: Live) -> str:
    found: str = live.rows()[-1]["body"]["receipt"]["decision"]["approval"]
    return found


def resumed(live: Live, first: Run, *steps: Step) -> Run:
    """The same session, without a message: the client takes the call up again that it put off."""
    return live.headless(["", *steps], prompt="", arguments=["--resume", first.result["session_id"]])


def test_deny_is_the_default_and_names_the_question(place: Path) -> None:
    live = at(place, "deny")
    run = live.headless([_CALL, "done"])
    assert run.result["terminal_reason"] == "completed"
    assert approval(live) in run.told(0)
    assert not gone(live)


def test_a_deferred_call_is_judged_anew_and_fires_once_after_a_yes(place: Path) -> None:
    live = at(place, "defer")
    first = live.headless([_CALL, "done"])
    assert (first.result["terminal_reason"], gone(live)) == ("tool_deferred", False)
    question = approval(live)
    assert resumed(live, first, "done").result["stop_reason"] == "tool_deferred"  # nobody has answered yet
    assert not gone(live)
    assert at_a_terminal(live.home, "approvals", "approve", question, "--yes").code == 0
    after = resumed(live, first, "all done")
    assert (after.result["result"], gone(live)) == ("all done", True)
    live.write(str(live.project.parent / "precious/a.txt"), "b")
    again = live.headless(["", "", _CALL, "done"], arguments=["--resume", first.result["session_id"]])
    assert (again.result["terminal_reason"], gone(live)) == ("tool_deferred", False)  # the yes was for once


def test_a_no_is_a_denial_when_the_run_is_resumed(place: Path) -> None:
    live = at(place, "defer")
    first = live.headless([_CALL, "done"])
    assert at_a_terminal(live.home, "approvals", "deny", approval(live), "--why", "keep it", "--yes").code == 0
    after = resumed(live, first, "all done")
    assert (after.result["result"], gone(live)) == ("all done", False)


def test_what_is_denied_and_what_a_sub_agent_does_is_not_put_off(place: Path) -> None:
    live = at(place, "defer")
    denied = live.headless([("Bash", {"command": "rm -rf ~", "description": "Clean up"}), "done"])
    assert denied.result["terminal_reason"] == "completed"
    ask = {"description": "look", "prompt": "ZEBRA", "subagent_type": "general-purpose", "run_in_background": False}
    run = live.headless([("Agent", ask), "done"], agents={"ZEBRA": [_CALL, "seen"]})
    assert (run.result["terminal_reason"], gone(live)) == ("completed", False)
