"""`interlock undo` and `interlock checkpoints`, as a person and as an agent runs them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from machine import Machine
from made_trees import picture


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    project = machine.project
    (project / "notes.txt").write_text("one\ntwo\n")
    (project / "src/deep").mkdir(parents=True)
    (project / "src/app.py").write_text("print()\n")
    (project / "src/deep/data").write_bytes(bytes(range(256)))
    return machine


def lose(machine: Machine, command: str, session: str = "s1") -> str:
    """Decided as the hook decides it, then run; the receipt."""
    call = {"tool": "Bash", "input": {"command": command}, "cwd": str(machine.project), "session": session}
    done = machine.run("decide", "--record", "--json", stdin=call)
    assert done.json["verdict"] == "allow", done.out
    subprocess.run(["bash", "-c", command], cwd=machine.project, check=True)
    return str(done.json["receipt"])


def test_the_last_change_comes_back_and_can_be_lost_again(machine: Machine) -> None:
    before = picture(machine.project)
    lose(machine, "rm -rf src notes.txt")
    after = picture(machine.project)
    shown = machine.run("undo", "--dry-run")
    assert "+one" in shown.out
    assert "+ src/app.py" in shown.out
    assert picture(machine.project) == after
    done = machine.run("undo", "--yes", "--json")
    assert sorted(done.json["restored"]) == ["notes.txt", "src", "src/app.py", "src/deep", "src/deep/data"]
    assert picture(machine.project) == before
    assert machine.run("undo", "--yes").code != 0  # nothing is left to undo
    again = machine.run("undo", done.json["undone_by"], "--yes", "--json")
    assert again.code == 0, again.err
    assert picture(machine.project) == after
    assert machine.run("undo", "--yes").code == 0
    assert picture(machine.project) == before
    assert len(machine.rows("undo")) == 3
    assert machine.run("audit", "verify").code == 0


def test_a_receipt_names_its_checkpoint(machine: Machine) -> None:
    first = lose(machine, "rm notes.txt")
    lose(machine, "rm -rf src")
    assert machine.run("undo", first, "--yes").code == 0
    assert sorted(os.listdir(machine.project)) == [".git", "notes.txt"]
    assert "no receipt" in machine.run("undo", "sha256:ffffff", "--yes").err


def test_what_is_not_held_is_made_good_by_its_compensator(machine: Machine) -> None:
    call = {"tool": "Bash", "input": {"command": "docker rmi app:1"}, "cwd": str(machine.project), "session": "s1"}
    receipt = machine.run("decide", "--record", "--json", stdin=call).json["receipt"]
    [told] = machine.run("undo", receipt, "--json").json["compensators"]
    assert told["action"] == "docker:rmi"
    assert told["compensator"].startswith("docker pull")
    assert "docker pull" in machine.run("undo", receipt).out
    machine.user_policy('version = 1\n[undo]\nowners = { "docker:*" = "anyone", "docker:rm*" = "the platform team" }\n')
    [told] = machine.run("undo", receipt, "--json").json["compensators"]
    assert told["owner"] == "the platform team"
    assert "(ask the platform team)" in machine.run("undo", receipt).out


def test_a_whole_session_comes_back(machine: Machine) -> None:
    before = picture(machine.project)
    lose(machine, "rm notes.txt")
    lose(machine, "rm -rf src/deep")
    lose(machine, "rm -rf src")
    lose(machine, "rm -rf nothing", session="other")
    done = machine.run("undo", "--session", "s1", "--yes")
    assert done.code == 0, done.err
    assert picture(machine.project, times=False) == {path: (row[0], 0, *row[2:]) for path, row in before.items()}


def test_where_somebody_has_been_since_nothing_is_overwritten(machine: Machine) -> None:
    lose(machine, "rm -rf src notes.txt")
    (machine.project / "notes.txt").write_text("mine now\n")
    refused = machine.run("undo", "--yes")
    assert refused.code != 0
    assert "--skip, --beside or --force" in refused.err
    assert not (machine.project / "src").exists()
    assert machine.run("undo", "--yes", "--beside").code == 0
    assert (machine.project / "notes.txt").read_text() == "mine now\n"
    assert (machine.project / "notes.txt.restored").read_text() == "one\ntwo\n"


def test_what_was_forced_away_can_be_had_back(machine: Machine) -> None:
    lose(machine, "rm notes.txt")
    (machine.project / "notes.txt").write_text("mine now\n")
    done = machine.run("undo", "--yes", "--force", "--json")
    assert (machine.project / "notes.txt").read_text() == "one\ntwo\n"
    machine.run("undo", done.json["undone_by"], "--yes")
    assert (machine.project / "notes.txt").read_text() == "mine now\n"


def test_a_person_is_asked(machine: Machine) -> None:
    lose(machine, "rm notes.txt")
    assert "--yes" in machine.run("undo").err
    assert not (machine.project / "notes.txt").exists()


def test_checkpoints_are_listed_and_shown(machine: Machine) -> None:
    receipt = lose(machine, "rm notes.txt")
    [one] = machine.run("checkpoints", "list", "--json").json
    assert (one["paths"], one["root"]) == (["notes.txt"], str(machine.project))
    assert "notes.txt" in machine.run("checkpoints", "list").out
    shown = machine.run("checkpoints", "show", receipt, "--json").json
    assert (shown["id"], shown["steps"][0]["how"]) == (one["id"], "new")


def test_only_a_person_removes_a_young_one(machine: Machine) -> None:
    lose(machine, "rm notes.txt")
    [one] = machine.run("checkpoints", "list", "--json").json
    assert machine.run("checkpoints", "prune").out.startswith("removed 0")
    refused = machine.run("checkpoints", "prune", one["id"], "--yes")
    assert refused.code != 0
    assert "person" in refused.err
    path = next((machine.home / ".local/state/interlock/undo").glob("*.undo"))
    old = time.time() - 8 * 86_400
    os.utime(path, (old, old))
    assert machine.run("checkpoints", "prune", "--dry-run").out.startswith("would remove 1")
    assert machine.run("checkpoints", "prune", "--yes").out.startswith("removed 1")
    assert machine.run("checkpoints", "list", "--json").json == []


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("interlock undo --last", "allow"),
        ("interlock undo --dry-run", "allow"),
        ("interlock undo --force", "deny"),
        ("interlock undo --session s1 --yes", "deny"),
        ("interlock checkpoints list", "allow"),
        ("interlock checkpoints prune --yes", "deny"),
        ("rm -rf ~/.local/state/interlock/undo", "deny"),
    ],
)
def test_what_an_agent_may_ask_of_it(machine: Machine, command: str, verdict: str) -> None:
    command = command.replace("~", str(machine.home))
    call = {"tool": "Bash", "input": {"command": command}, "cwd": str(machine.project)}
    assert machine.run("decide", "--json", stdin=call).json["verdict"] == verdict


def test_an_agent_of_an_unknown_session_undoes_nothing(machine: Machine) -> None:
    lose(machine, "rm notes.txt")
    done = subprocess.run(
        machine.command("undo", "--yes"),
        cwd=machine.project,
        env={**os.environ, "CLAUDECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "only a person" in done.stderr
    assert not (machine.project / "notes.txt").exists()


@pytest.mark.slow
def test_a_restore_that_is_killed_is_finished_by_the_next(machine: Machine) -> None:
    for at in range(300):
        (machine.project / f"src/{at}").write_text(f"{at}" * 100)
    before = picture(machine.project)
    lose(machine, "rm -rf src notes.txt")
    for wait in (0.35, 0.45, 0.55, 0.7):
        with subprocess.Popen(
            machine.command("undo", "--yes"), cwd=machine.project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        now = {path: row for path, row in picture(machine.project).items() if not path.startswith(".interlock-undo-")}
        for path, row in now.items():  # what is there is whole
            if path in before and row[3] is not None:
                assert row[3] == before[path][3]
    [first, *_] = machine.run("checkpoints", "list", "--json").json
    assert machine.run("undo", first["id"], "--yes").code == 0
    assert picture(machine.project) == before


_WITH_LITTLE_ROOM = """
import resource, signal, sys
from interlock.store.undo.restore import restore, steps_of
from interlock.store.undo.shelf import Shelf

resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
shelf = Shelf(sys.argv[1])
with shelf.open(shelf.kept()[0]) as opened:
    restore(opened, steps_of(opened), {})
"""


def test_a_full_disk_restores_nothing(machine: Machine) -> None:
    lose(machine, "rm -rf src notes.txt")
    words = [sys.executable, "-c", _WITH_LITTLE_ROOM, str(machine.home / ".local/state/interlock/undo")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "nothing was restored" in done.stderr
    assert sorted(os.listdir(machine.project)) == [".git"]
    assert machine.run("undo", "--yes").code == 0
    assert (machine.project / "src/deep/data").read_bytes() == bytes(range(256))


def test_a_folder_that_cannot_be_written_restores_nothing(machine: Machine) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    lose(machine, "rm -rf src/deep notes.txt")
    (machine.project / "src").chmod(0o555)
    assert machine.run("undo", "--yes").code != 0
    assert not (machine.project / "notes.txt").exists()
    (machine.project / "src").chmod(0o755)
    shutil.rmtree(machine.project / "src")
