"""The real Claude Code with the settings that we print, driven by a model that plays a script on this machine.

Runs where the client is: `INTERLOCK_CLAUDE` names it, or `claude` is on the path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hook_process import Machine, made
from interlock.hosts import claude_events
from scripted_model import Model, Step, scripted_model

CLIENT = os.environ.get("INTERLOCK_CLAUDE") or shutil.which("claude")

pytestmark = pytest.mark.skipif(
    CLIENT is None, reason="Claude Code is not here: put `claude` on the path or name it in INTERLOCK_CLAUDE"
)


def drive(machine: Machine, script: Sequence[Step]) -> Model:
    """One headless run of the client in bypass mode, hooked as `--print-settings` says."""
    settings = claude_events.settings(machine.python, str(machine.guard), ("--home", str(machine.home)))
    (made(machine.home / ".claude") / "settings.json").write_text(json.dumps(settings))
    with scripted_model(script) as model:
        done = subprocess.run(
            [str(CLIENT), "-p", "please go on", "--output-format", "json", "--dangerously-skip-permissions"],
            cwd=machine.project,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(machine.home),
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "none",
                "IS_SANDBOX": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done
    return model


def verdicts(machine: Machine) -> list[str]:
    return [row["body"]["receipt"]["decision"]["verdict"] for row in machine.rows()]


def test_a_file_that_the_session_made_is_removed_without_a_question(machine: Machine) -> None:
    path = machine.project / "scratch.txt"
    drive(
        machine,
        [
            ("Write", {"file_path": str(path), "content": "hello\n"}),
            ("Bash", {"command": f"rm {path}", "description": "Remove it"}),
            "done",
        ],
    )
    assert verdicts(machine) == ["allow", "allow"]
    assert [row["body"]["outcome"] for row in machine.rows("outcome")] == ["ran", "ran"]
    assert [row["body"]["decision"] for row in machine.rows("outcome")] == [row["seq"] for row in machine.rows()]
    assert not path.exists()
    (began,) = machine.rows("session")
    assert began["body"]["source"] == "startup"


def test_the_same_failing_call_is_refused_the_third_time(machine: Machine) -> None:
    failing: Step = ("Bash", {"command": "ls nothing-here", "description": "Look"})
    model = drive(machine, [failing, failing, failing, "done"])
    assert verdicts(machine) == ["allow", "allow", "deny"]
    assert [row["body"]["outcome"] for row in machine.rows("outcome")] == ["failed", "failed"]
    assert "this call comes for the third time" in model.results["toolu_step_2"]


def test_the_agent_is_kept_until_the_plan_is_done_and_then_once(machine: Machine) -> None:
    run = made(machine.project / "runs/3")
    (run / "experiment_plan.yaml").write_text(
        "arms:\n  - arm_id: main\n    conditions:\n      - name: base\n        cmd: ls\n        output: out.log\n"
    )
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    model = drive(machine, ["I am done", ("Write", {"file_path": str(run / "out.log"), "content": "1\n"}), "done"])
    asked = json.dumps(model.requests[1]["messages"])
    assert "1 of its outputs are missing" in asked
    assert Path(run / "out.log").exists()
