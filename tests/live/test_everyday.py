"""Everyday work through the settings that we print: files of the session, loops, plans."""

from __future__ import annotations

import json
from pathlib import Path

from hook_process import made
from live.client import Live, needs_client
from scripted_model import Step

pytestmark = needs_client


def test_a_file_that_the_session_made_is_removed_without_a_question(place: Path) -> None:
    live = Live.at(place)
    path = live.project / "scratch.txt"
    live.headless(
        [
            ("Write", {"file_path": str(path), "content": "hello\n"}),
            ("Bash", {"command": f"rm {path}", "description": "Remove it"}),
            "done",
        ],
    )
    assert live.verdicts() == ["allow", "allow"]
    assert [row["body"]["outcome"] for row in live.rows("outcome")] == ["ran", "ran"]
    assert [row["body"]["decision"] for row in live.rows("outcome")] == [row["seq"] for row in live.rows()]
    assert not path.exists()
    (began,) = live.rows("session")
    assert began["body"]["source"] == "startup"


def test_the_same_failing_call_is_refused_the_third_time(place: Path) -> None:
    live = Live.at(place)
    failing: Step = ("Bash", {"command": "ls nothing-here", "description": "Look"})
    run = live.headless([failing, failing, failing, "done"])
    assert live.verdicts() == ["allow", "allow", "deny"]
    assert [row["body"]["outcome"] for row in live.rows("outcome")] == ["failed", "failed"]
    assert "You have this result already" in run.told(2)


def test_the_agent_is_kept_until_the_plan_is_done_and_then_once(place: Path) -> None:
    live = Live.at(place)
    folder = made(live.project / "runs/3")
    (folder / "experiment_plan.yaml").write_text(
        "arms:\n  - arm_id: main\n    conditions:\n      - name: base\n        cmd: ls\n        output: out.log\n"
    )
    live.machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    run = live.headless(["I am done", ("Write", {"file_path": str(folder / "out.log"), "content": "1\n"}), "done"])
    assert "1 of its outputs are missing or empty" in json.dumps(run.model.requests[1]["messages"])
    assert (folder / "out.log").exists()
