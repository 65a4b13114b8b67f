"""The real client, started by an agent of the real client: it inherits what the one above is held to."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from live.client import CLIENT, Live, needs_client
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_client

_POLICY = "version = 1\n[tiers.marks]\nnested = 1\n[approvals]\nby = ['terminal']\n"


def nested(before: str = "", after: str = "") -> tuple[str, dict[str, Any]]:
    """A call that starts the client in the client, with a prompt that its own script answers to."""
    started = f"{before}claude -p ZEBRA --permission-mode bypassPermissions{after}"
    return ("Bash", {"command": started, "description": "Ask another agent", "timeout": 60000})


def on_path(live: Live) -> dict[str, str]:
    """The client under the name by which people call it."""
    named = live.home / "bin/claude"
    if not named.exists():
        named.parent.mkdir(parents=True)
        named.symlink_to(CLIENT)
    return {"PATH": f"{named.parent}:{os.environ['PATH']}"}


def inner(*steps: Step) -> dict[str, list[Step]]:
    return {"ZEBRA": [*steps, "inner done"]}


def sessions(live: Live) -> list[dict[str, Any]]:
    return live.rows("session")


def decided(live: Live, command: str) -> list[dict[str, Any]]:
    """The receipts of decisions about this command."""
    return [row["body"]["receipt"] for row in live.rows() if row["body"]["input"].get("command") == command]


def test_a_nested_session_is_recorded_with_the_one_above_and_is_never_attended(place: Path) -> None:
    live = Live.at(place)
    live.machine.user_policy.write_text(_POLICY)
    run = live.headless(
        [nested(), "done"], agents=inner(("Bash", {"command": "ls", "description": "d"})), environment=on_path(live)
    )
    assert "inner done" in run.told(0)
    outer, below = sessions(live)
    assert (outer["body"].get("nested"), below["body"]["nested"]) == (None, outer["key"])
    assert below["body"]["posture"] == "autonomous"


def test_a_lock_that_comes_while_the_nested_agent_runs_holds_it_too(place: Path) -> None:
    live = Live.at(place)
    live.machine.user_policy.write_text(_POLICY)
    other = live.project.parent / "other"
    other.mkdir()
    lock = " ".join(["touch", str(other / "before")])
    steps = inner(
        ("Bash", {"command": lock, "description": "d"}),
        ("Bash", {"command": "sleep 6", "description": "Wait"}),
        ("Write", {"file_path": str(other / "after"), "content": "x"}),
    )

    def person() -> None:
        end = time.monotonic() + 60
        while not (other / "before").exists() and time.monotonic() < end:
            time.sleep(0.1)
        assert at_a_terminal(live.home, "posture", "set", "locked", "--root", str(live.project)).code == 0

    watcher = threading.Thread(target=person)
    watcher.start()
    live.headless([nested(f"cd {other} && "), "done"], agents=steps, environment=on_path(live))
    watcher.join()
    assert (other / "before").exists()
    assert not (other / "after").exists()
    last = live.rows()[-1]["body"]["receipt"]
    assert (last["decision"]["verdict"], last["session"]["posture"]) == ("deny", "locked")


def test_what_a_person_refused_above_is_refused_below(place: Path) -> None:
    live = Live.at(place)
    live.machine.user_policy.write_text(_POLICY)
    push = "git push --force origin main"
    first = live.headless([("Bash", {"command": push, "description": "Push"}), "waiting"])
    question = decided(live, push)[0]["decision"]["approval"]
    assert at_a_terminal(live.home, "approvals", "deny", question, "--why", "no", "--yes").code == 0
    session = first.result["session_id"]
    again = inner(("Bash", {"command": push, "description": "Push"}))
    # the agent goes on in the session in which it was refused, and has another agent try
    resumed = ["--resume", session]
    live.headless(["", "", nested(), "done"], agents=again, arguments=resumed, environment=on_path(live))
    rules = [reason["rule"] for reason in decided(live, push)[-1]["decision"]["reasons"]]
    assert len(sessions(live)) == 3
    assert "refused" in rules


def test_without_its_guard_another_agent_is_not_started_unasked(place: Path) -> None:
    for guarded in (False, True):
        live = Live.at(place / str(guarded), guarded=guarded)
        bare = inner(("Bash", {"command": "touch made", "description": "Make it"}))
        live.headless([nested("", " --bare"), "done"], agents=bare, environment=on_path(live))
        assert (live.project / "made").exists() is not guarded
    receipt = live.rows()[0]["body"]["receipt"]
    assert [action["tags"] for action in receipt["reading"]["actions"]] == [["nested", "unguarded"]]
    assert [reason["rule"] for reason in receipt["decision"]["reasons"]] == ["autonomous", "tier-3"]
