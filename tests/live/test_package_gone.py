"""The package or its Python is moved away while a session runs: calls are refused, and the person is still heard."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from hook_process import copy_of_the_package, made
from installed import Installed
from live.client import Live, needs_client

pytestmark = needs_client


def _own_python(folder: Path) -> Path:
    """A Python that can be taken away without breaking the one that runs the tests."""
    python = made(folder) / "python3"
    python.symlink_to(os.path.realpath(sys.executable))
    return python


def test_without_the_package_calls_are_refused_and_messages_and_stops_pass(place: Path) -> None:
    guard = copy_of_the_package(made(place / "lib"))
    live = Live.at(place, guard=guard)
    write = {"file_path": str(live.project / "made.txt"), "content": "x"}
    with live.terminal(["I am here", "still here", ("Write", write), "all done"]) as (at, model):
        at.type("are you there")
        at.wait_for("I am here")
        shutil.move(place / "lib/interlock", place / "lib/moved")
        at.type("second message")
        at.wait_for("still here")
        at.type("third message")
        at.wait_for("all done")
        shown = at.screen(history=True)
    sent = json.dumps(model.requests[-1]["messages"])
    assert "second message" in sent
    assert "third message" in sent
    assert not (live.project / "made.txt").exists()
    assert "Interlock: the package is not where your settings say" in model.results["toolu_step_2"]
    assert "interlock install claude-code" in model.results["toolu_step_2"]
    assert "Interlock: the package is not where your settings say" in shown


def test_a_changed_copy_is_named_to_the_agent_and_on_the_persons_screen(place: Path) -> None:
    installed = Installed(made(place / "own"))
    assert installed.command("install", "claude-code", "--yes").code == 0
    live = Live.at(place, guard=installed.launcher)
    write = {"file_path": str(live.project / "made.txt"), "content": "x"}
    with live.terminal(["I am here", ("Write", write), "all done"]) as (at, model):
        at.type("are you there")
        at.wait_for("I am here")
        (installed.copy / "value.py").unlink()
        at.type("second message")
        at.wait_for("all done")
        shown = " ".join(at.screen(history=True).split())
    assert not (live.project / "made.txt").exists()
    assert "was changed or removed; to put it back, run interlock" in model.results["toolu_step_1"]
    assert "every call is blocked, because the copy of Interlock that you confirmed" in shown
    assert "is not where your settings say" not in shown


def test_without_its_python_calls_are_refused_and_messages_and_stops_pass(place: Path) -> None:
    python = _own_python(place / "bin")
    live = Live.at(place, python=str(python))
    write = {"file_path": str(live.project / "made.txt"), "content": "x"}
    with live.terminal(["I am here", ("Write", write), "all done"]) as (at, model):
        at.type("are you there")
        at.wait_for("I am here")
        python.unlink()
        at.type("second message")
        at.wait_for("all done")
    assert "second message" in json.dumps(model.requests[-1]["messages"])
    assert not (live.project / "made.txt").exists()
    assert "Interlock: Python is not where your settings say" in model.results["toolu_step_1"]


def test_a_run_that_begins_without_the_package_ends_by_itself(place: Path) -> None:
    live = Live.at(place, guard=place / "gone/hook/guard.py")
    run = live.headless([("Bash", {"command": "touch made.txt", "description": "Make it"}), "done"])
    assert (run.code, (live.project / "made.txt").exists()) == (0, False)
    assert "please go on" in json.dumps(run.model.requests[0]["messages"])
    assert "Interlock: the package is not where your settings say" in run.told(0)
