"""The real Claude Code while the hook holds a call: it goes on at once after an answer, and a time-out blocks."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

from live.client import Live, needs_client
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_client

ASKED: Step = ("Bash", {"command": "read TOOL < tool; $TOOL held.txt", "description": "Run it"})


def settled(place: Path) -> Live:
    live = Live.at(place)
    live.write("tool", "touch\n")
    live.machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\nwait = "60s"\n')
    assert at_a_terminal(live.home, "install", "claude-code", "--yes").code == 0
    return live


def question(live: Live) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rows = live.rows("prompt") if live.machine.ledger.exists() else []
        if rows:
            return str(rows[-1]["key"])
        time.sleep(0.1)
    raise AssertionError("no question came")


def test_a_held_call_runs_as_soon_as_it_is_approved(place: Path) -> None:
    live = settled(place)

    def approve() -> None:
        id = question(live)
        time.sleep(12)  # longer than the time-out of settings without a wait
        at_a_terminal(live.home, "approvals", "approve", id, "--yes")

    person = threading.Thread(target=approve)
    person.start()
    live.headless([ASKED, "done"])
    person.join()
    assert (live.project / "held.txt").exists()
    assert live.verdicts() == ["deny", "allow"]


def test_a_client_that_does_not_wait_so_long_blocks_the_call(place: Path) -> None:
    live = settled(place)
    settings = json.loads(live.settings.read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 3
    live.settings.write_text(json.dumps(settings))
    live.headless([ASKED, "done"])
    assert not (live.project / "held.txt").exists()
    assert live.verdicts() == ["deny"]
    assert at_a_terminal(live.home, "approvals", "approve", question(live), "--yes").code == 0  # it is still there
