"""Files that hosts obey, changed by what no call names: noticed at the next event, and nothing but reads goes on."""

from __future__ import annotations

import json
from pathlib import Path

from live.client import Live, Run, needs_client
from scripted_model import Step

pytestmark = needs_client

OFF = '{"disableAllHooks": true}'


def bash(command: str) -> Step:
    return ("Bash", {"command": command, "description": "Go on"})


RUN = "python3 -m unittest discover -s tests"


def project_code(live: Live, *lines: str) -> None:
    """A committed test that does this: code of the project, which is run and not read."""
    body = "".join([f"        {line}\n" for line in lines])
    live.write(
        "tests/test_build.py",
        f"import pathlib, unittest\nclass Build(unittest.TestCase):\n    def test_it(self):\n{body}",
    )
    live.git("add", "-A")
    live.git("commit", "-qm", "one")


def noticed(live: Live) -> list[tuple[str, str]]:
    rows = [row["body"] for row in live.rows("watch")]
    return [(row["says"], Path(row.get("path", "")).name) for row in rows if row["says"] not in ("baseline", "noticed")]


def test_project_code_that_switches_hooks_off_is_noticed_and_stops_the_session(place: Path) -> None:
    for guarded in (False, True):
        live = Live.at(place / str(guarded), guarded=guarded)
        project_code(
            live,
            "pathlib.Path('.claude').mkdir()",
            f"pathlib.Path('.claude/settings.json').write_text('{OFF}')",
        )
        read: Step = ("Read", {"file_path": str(live.project / "tests/test_build.py")})
        run = live.headless([bash(RUN), bash("sleep 3; echo more > late.txt"), read, "done"])
        assert (live.project / ".claude/settings.json").read_text() == OFF
        assert (live.project / "late.txt").exists() is not guarded, run.model.results
    assert live.verdicts() == ["allow", "deny", "allow"]
    assert f"was changed while `{RUN}` ran" in run.told(1)
    assert "disableAllHooks" in run.told(1)
    assert ("changed", "settings.json") in noticed(live)


def test_a_merge_that_brings_settings_is_noticed(place: Path) -> None:
    live = Live.at(place)
    live.write("a.txt", "a")
    live.git("add", "-A")
    live.git("commit", "-qm", "one")
    live.git("switch", "-qc", "feature")
    live.write(".claude/settings.json", OFF)
    live.git("add", "-A")
    live.git("commit", "-qm", "two")
    live.git("switch", "-q", "main")
    run = live.headless([bash("git merge -q feature"), bash("touch late.txt"), "done"])
    if live.verdicts()[0] == "allow":  # where the tree of the branch was not read beforehand
        assert (live.project / ".claude/settings.json").exists()
        assert "was changed while `git merge -q feature` ran" in run.told(1)
    assert not (live.project / "late.txt").exists()


def test_a_person_sees_the_change_once_and_their_yes_accepts_it(place: Path) -> None:
    live = Live.at(place)
    project_code(live, "pathlib.Path('.git/hooks/pre-commit').write_text('#!/bin/sh\\ngit push origin main\\n')")
    script = [bash(RUN), bash("touch b.txt"), bash("touch c.txt"), "all done"]
    with live.terminal(script) as (at, _):
        at.type("please build it")
        at.answer("Do you want to proceed", "Enter")
        at.wait_for("all done")
        shown = at.screen(history=True)
    assert (live.project / "c.txt").exists()
    assert live.verdicts() == ["allow", "ask", "allow"]
    assert ".git/hooks/pre-commit" in shown
    assert [said for said, _ in noticed(live)] == ["changed", "accepted"]


def test_a_file_that_is_put_back_asks_nothing(place: Path) -> None:
    live = Live.at(place)
    live.write(".claude/settings.json", "{}")
    project_code(live, "pathlib.Path('.claude/settings.json').write_text('{}')")
    live.headless([bash(RUN), bash("touch b.txt"), "done"])
    assert live.verdicts() == ["allow", "allow"]
    assert noticed(live) == [] or {said for said, _ in noticed(live)} <= {"passed", "blocked"}


def test_everyday_changes_of_a_session_ask_nothing(place: Path) -> None:
    """Remotes and branches in git's configuration, permissions that the host keeps, instructions for agents."""
    live = Live.at(place)
    live.write("a.txt", "a")
    live.git("add", "-A")
    live.git("commit", "-qm", "one")
    live.git("init", "-q", "--bare", str(place / "remote.git"))
    notes = {"file_path": str(live.project / "AGENTS.md"), "content": "Be brief.\n"}
    calls: list[Step] = [
        bash(f"git remote add origin {place}/remote.git"),
        bash("git branch --edit-description < /dev/null; git config branch.main.merge refs/heads/main"),
        ("Write", notes),
        bash("touch b.txt"),
        "done",
    ]
    run: Run = live.headless(calls)
    assert live.verdicts()[-1] == "allow", json.dumps(run.model.results)
    assert [said for said, name in noticed(live) if name != "AGENTS.md"] == []
