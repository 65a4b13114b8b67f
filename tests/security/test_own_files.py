"""Removing what the session made is free. What was there before must not come along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from machine import Machine


def verdicts(folder: Path, commands: list[str]) -> list[str]:
    """What a stream of calls of one session gets, in a project with `README.md`, `notes.txt` and `src/`."""
    machine = Machine(folder)
    (machine.project / "src").mkdir()
    for name in ("README.md", "notes.txt", "src/app.py"):
        (machine.project / name).write_text("mine")
    (machine.project / "link").symlink_to(machine.project / "src")
    lines = [
        json.dumps({"tool": "Bash", "input": {"command": c}, "cwd": str(machine.project), "session": "s"})
        for c in commands
    ]
    return [answer["verdict"] for answer in machine.run("decide", "--jsonl", stdin="\n".join(lines)).lines]


@pytest.mark.parametrize(
    ("commands", "last"),
    [
        (["echo x > new.txt", "rm new.txt"], "allow"),
        (["echo x > new.txt && rm new.txt"], "allow"),
        (["mkdir d && touch d/a && rm -rf d"], "allow"),
        (["mkdir d", "cp -r src d/", "rm -rf d"], "allow"),
        (["touch a b", "mv a c", "rm b c"], "allow"),
        (["touch README.md && rm README.md"], "ask"),
        (["touch README.md", "rm README.md"], "ask"),
        (["echo x >> README.md; rm README.md"], "ask"),
        (["sed -i s/a/b/ README.md; rm README.md"], "ask"),
        (["mkdir -p src", "rm -rf src"], "ask"),
        (["mkdir d && mv src d/ && rm -rf d"], "ask"),
        (["mkdir d", "mv src d/", "rm -rf d"], "ask"),
        (["mkdir d", "mv -t d src", "rm -rf d"], "ask"),
        (["touch n", "mv notes.txt n", "rm n"], "ask"),
        (["mkdir -p build", "mv src build/", "rm -rf build"], "ask"),
        (["mv src /tmp/scratch-of-a-test; rm -rf /tmp/scratch-of-a-test"], "ask"),
        (["mkdir d", "python3 -c \"import shutil; shutil.move('src', 'd')\"", "rm -rf d"], "ask"),
        (["rm -rf link/"], "ask"),
        (["cat new.txt", "rm new.txt"], "ask"),  # asking for it does not make it ours
    ],
)
def test_only_what_the_session_made_is_free_to_remove(tmp_path: Path, commands: list[str], last: str) -> None:
    *before, after = verdicts(tmp_path, commands)
    assert set(before) <= {"allow"}
    assert after == last


def test_a_script_that_was_overwritten_is_not_the_projects_own(tmp_path: Path) -> None:
    """Its text is read; where it cannot be, it is opaque, as if it were new."""
    assert verdicts(tmp_path, ["node src/app.js"]) == ["allow"]
    machine = tmp_path / "again"
    machine.mkdir()
    assert verdicts(machine, ["cp notes.txt src/app.js", "node src/app.js"]) == ["allow", "ask"]
