"""Through the real hook: a loss that is held is not asked about, and nothing else becomes free by it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, Machine
from interlock.store.home.folders import folders_for
from interlock.store.undo.holding import shelf_of
from interlock.store.undo.shelf import Kept


def kept(machine: Machine) -> list[Kept]:
    return shelf_of(folders_for(str(machine.home))).kept()


def run(machine: Machine, command: str, **changes: Any) -> str:
    return machine.run(machine.event("Bash", {"command": command}, **changes)).taken


@pytest.fixture
def project(machine: Machine) -> Path:
    project = machine.project
    (project / "notes.txt").write_text("my notes")
    (project / "Makefile").write_text("all:\n\techo hi\n")
    (project / "src").mkdir()
    (project / "src/app.py").write_text("print()\n")
    return project


def test_a_delete_inside_the_project_is_held_and_not_asked_about(machine: Machine, project: Path) -> None:
    machine.user_policy.write_text("version = 1\n[undo]\nlowers = false\n")
    assert run(machine, "rm notes.txt") == ASK
    assert kept(machine) == []
    machine.user_policy.unlink()
    assert run(machine, "rm notes.txt", session_id="another") == ALLOW
    [one] = kept(machine)
    with shelf_of(folders_for(str(machine.home))).open(one) as opened:
        assert [(node.path, node.kind) for node in opened.checkpoint.nodes] == [("notes.txt", "file")]
        assert opened.checkpoint.root == str(project)


HELD = (
    "rm notes.txt",
    "rm -rf src",
    "rm -rf src notes.txt",
    "rm *.txt",
    "find . -name '*.txt' -delete",
    "echo hi; rm notes.txt",
    "cd src && rm -r ../notes.txt",
    "for f in notes.txt src; do rm -rf $f; done",
    "rm notes.txt && make",
    "rm -rf src; curl https://example.com",
    "shred -u notes.txt",
    "unlink notes.txt",
    "mv notes.txt old.txt && rm old.txt",
    "python3 -c \"import os; os.remove('notes.txt')\"",
    "echo 'read, wait and sleep' && rm notes.txt",
    "rm -rf src; sleep 0; ls",
    "tail -n 3 notes.txt; rm notes.txt",
    "f() { rm notes.txt; make; }; f",
    "if [ -f notes.txt ]; then rm notes.txt; fi; make",
)


@pytest.mark.parametrize("command", HELD)
def test_it_is_held(command: str, machine: Machine, project: Path) -> None:
    assert run(machine, command) == ALLOW
    assert len(kept(machine)) == 1


ASKED = (
    ("curl https://example.com -o x; rm notes.txt", "the network comes first"),
    ("make && rm notes.txt", "project code runs first"),
    ("sleep 5; rm notes.txt", "time passes first"),
    ("read x; rm notes.txt", "it waits first"),
    ("tail -f notes.txt; rm notes.txt", "it waits first"),
    ("for i in 1 2; do rm -rf src; make; done", "the second round comes after code that ran"),
    ("f() { rm notes.txt; }; make; f", "the body stands before what runs first"),
    ("rm notes.txt &", "it runs in the background"),
    ("rm notes.txt | make", "both run at the same time"),
    ("cat <(make); rm notes.txt", "code of the project runs beside it"),
    ("find . -name notes.txt -exec rm {} + -exec make \\;", "the second round comes after code that ran"),
    ("while make; do rm notes.txt; done", "it is run again and again"),
    ("trap make EXIT; rm notes.txt", "it is not told when that runs"),
    ("if make; then rm notes.txt; fi", "project code runs first"),
    ("./rm src; rm notes.txt", "a program of the project runs first"),
    ("c='rm -rf src'; $c", "the program is not spelt out"),
    ("select x in a; do rm notes.txt; done", "it waits for a choice"),
    ("sleep 1 & rm notes.txt", "something is in the background"),
    ("npx dotenv-cli -e .env -- rm -rf src", "a package is fetched and run first"),
    ("npm exec -c 'rm -rf src'", "npm runs first"),
    ("zip -q x.zip notes.txt -T -TT 'rm -rf src #'", "zip runs it"),
    ("script -qec 'rm -rf src' /dev/null", "another program runs it"),
    ("git rebase -x 'rm -rf src' HEAD~1", "git changes files first"),
    ("rm .env", "secrets are not copied"),
    ("rm -rf conf", "a secret lies in the folder"),
    ("rm -rf .git", "git's own folder"),
    ("rm -rf inner", "a repository of its own"),
    ("rm -rf .", "the project itself"),
    ("rm -rf ./*", "a repository is among it"),
    ("rm /opt/elsewhere.txt", "outside the project"),
    ("rm -rf link/", "it leads elsewhere"),
    ("rm link/far.txt", "it leads elsewhere"),
    ("sudo rm notes.txt", "other rights"),
    ("rm notes.txt; git push --force", "asked about for another reason"),
    ("rm notes.txt; mail -s hi bob@example.com < src/app.py", "asked about for another reason"),
    ('rm "$X"', "which file is not known"),
    ("rm CLAUDE.md", "an agent obeys it"),
    ("rm -rf docs", "what an agent obeys lies in the folder"),
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("command", "why"), ASKED, ids=[command for command, _ in ASKED])
def test_it_is_asked_about_as_before(command: str, why: str, machine: Machine, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".env").write_text("PASSWORD=hunter2hunter2\n")
    (project / "conf").mkdir()
    (project / "conf/.env").write_text("PASSWORD=hunter2hunter2\n")
    (project / "inner/.git").mkdir(parents=True)
    (project / "docs").mkdir()
    for path in ("CLAUDE.md", "docs/CLAUDE.md"):
        (project / path).write_text("be good\n")
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "far.txt").write_text("far")
    (project / "link").symlink_to(outside)
    assert run(machine, command) in (ASK, DENY), why
    assert kept(machine) == [], why


def test_a_rule_of_the_person_stays(machine: Machine, project: Path) -> None:
    rule = '[[rules]]\nid = "no-loss"\nverdict = "ask"\nreason = "mine"\nwhen = { effect = "destructive" }\n'
    machine.user_policy.write_text("version = 1\n" + rule)
    assert run(machine, "rm notes.txt") == ASK
    assert kept(machine) == []


def test_strict_does_not_lower(machine: Machine, project: Path) -> None:
    machine.user_policy.write_text('version = 1\napproval_mode = "strict"\n')
    assert run(machine, "rm notes.txt") == DENY
    assert kept(machine) == []


def test_a_project_cannot_switch_it_on(machine: Machine, project: Path) -> None:
    machine.user_policy.write_text("version = 1\n[undo]\nlowers = false\n")
    machine.project_policy.write_text("version = 1\n[undo]\nlowers = true\n")
    assert run(machine, "rm notes.txt") == ASK


def test_a_project_can_switch_it_off(machine: Machine, project: Path) -> None:
    machine.project_policy.write_text("version = 1\n[undo]\nlowers = false\n")
    assert run(machine, "rm notes.txt") == ASK


def test_budgets_come_from_the_policy_of_the_person(machine: Machine, project: Path) -> None:
    assert run(machine, "rm src/app.py") == ALLOW
    [one] = kept(machine)
    os.utime(one.path, (time.time() - 20 * 86_400,) * 2)
    machine.user_policy.write_text("version = 1\n[undo]\ndays = 30\n")
    machine.project_policy.write_text("version = 1\n[undo]\ndays = 1\nbytes = 67108864\n")
    assert run(machine, "rm notes.txt", session_id="second") == ALLOW
    assert len(kept(machine)) == 2
    machine.user_policy.write_text("version = 1\n[undo]\ndays = 10\n")
    assert run(machine, "rm Makefile", session_id="third") == ALLOW
    assert one.id not in [left.id for left in kept(machine)]


def test_where_it_cannot_be_written_it_is_asked(machine: Machine, project: Path) -> None:
    (machine.state / "undo").write_text("no folder")
    assert run(machine, "rm notes.txt") == ASK


def test_a_call_in_flight_keeps_the_question(machine: Machine, project: Path) -> None:
    first = machine.event("Bash", {"command": "touch made.txt"})
    assert machine.run(first).taken != ASK
    after = {**first, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": ""}}
    machine.run(after, odd=True)
    assert run(machine, "make") != ASK  # nobody says what became of it
    assert run(machine, "rm notes.txt") == ASK
    assert kept(machine) == []


def test_it_is_replayed_from_its_receipt(machine: Machine, project: Path) -> None:
    assert run(machine, "rm notes.txt") == ALLOW
    os.unlink(project / "notes.txt")
    words = [str(Path(machine.python).parent / "interlock"), "--home", str(machine.home), "replay"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "1 of 1 receipts hold" in done.stdout


@pytest.mark.slow
def test_an_agent_takes_back_the_last_change_of_its_own_session(machine: Machine, project: Path) -> None:
    machine = Machine(machine.home, project)  # in a process of its own, whose parent is this one
    undo = [str(Path(machine.python).parent / "interlock"), "--home", str(machine.home), "undo"]
    assert run(machine, "rm notes.txt") == ALLOW
    os.unlink(project / "notes.txt")
    assert run(machine, "rm src/app.py") == ALLOW
    os.unlink(project / "src/app.py")
    first, last = kept(machine)

    def tried(*words: str) -> tuple[bool, str]:
        done = subprocess.run([*undo, *words], cwd=project, capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stderr

    assert tried(first.id)[0] is False
    assert tried("--force")[0] is False
    assert tried("--session", "another")[0] is False
    (project / "src/app.py").write_text("somebody's work")
    assert "only a person" in tried("--last")[1]
    os.unlink(project / "src/app.py")
    assert tried(last.id) == (True, "")
    assert (project / "src/app.py").read_text() == "print()\n"
    assert tried("--last") == (True, "")
    assert (project / "notes.txt").read_text() == "my notes"
