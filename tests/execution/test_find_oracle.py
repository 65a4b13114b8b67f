"""`find` runs expressions made by chance in a folder of its own: whatever it deleted or made must have been read.

INTERLOCK_EXECUTIONS says how many programs of all small languages together; a tenth of them are these.
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from execution.filter_world import PROJECT, read_there
from sizes import how_many

EXPRESSIONS = how_many("INTERLOCK_EXECUTIONS", 2000, quick=400) // 5
FILES = ("a.txt", "b.log", "sub/c.txt", "sub/deep/d.md", ".hid/e.txt", "own/f", "own/g.txt")
_PLACES = ("", ".", "sub", "./sub own", "sub/deep", "./", ".hid", "a.txt", "sub/..")
_TESTS = (
    "-name '*.txt'", "-name 'a*'", "-iname '*.LOG'", "-type f", "-type d", "-path '*deep*'", "-path './sub/*'",
    "-maxdepth 1", "-mindepth 1", "-empty", "-size -2", "-mtime -1", "-newer a.txt", "-regex '.*/d.*'", "-true",
    "-false", "-depth", "-perm -u+r", "-prune", "-name sub -prune", "-samefile a.txt", "-links 1", "-readable",
)  # fmt: skip
_ACTIONS = (
    "-delete", "-exec rm {} \\;", "-exec rm -f {} +", "-exec touch {}.new \\;", "-execdir touch made-{} \\;",
    "-execdir rm {} \\;", "-fprint listed", "-fprintf listed '%p'", "-fls sub/listed", "-ok rm {} \\;", "-print",
    "-exec cp {} copied \\;", "-exec mv {} moved \\;", "-exec sh -c 'rm \"$1\"' x {} \\;", "-okdir rm {} \\;",
    "-exec sh -c 'touch \"$0.n\"' {} \\;", "-print0", "-printf '%f'", "-quit", "-exec touch sub/m + {} \\;",
    "-fprint0 own/listed", "-exec true {} \\;", "-exec false \\;", "-exec rm -r {} +",
)  # fmt: skip
_JOINTS = ("", "", "", "-a", "-o", "-o", ",", "!", "-not", "-and", "-or")


def expressions(count: int) -> list[str]:
    chance = random.Random(50)

    def part(depth: int) -> str:
        pick = chance.random()
        if depth and pick < 0.2:
            inner = " ".join(filter(None, (part(depth - 1), chance.choice(_JOINTS[:6]), part(depth - 1))))
            return f"\\( {inner} \\)"
        return chance.choice(_ACTIONS if pick > 0.6 else _TESTS)

    made = []
    for _ in range(count):
        words = [chance.choice(("find", "find", "find -L", "find -P")), chance.choice(_PLACES), part(2)]
        for _ in range(chance.randrange(3)):
            words += [chance.choice(_JOINTS), part(2)]
        made.append(" ".join(filter(None, words)))
    return list(dict.fromkeys(made))


def ran(command: str, folder: Path) -> tuple[set[str], set[str]]:
    """The files that are gone, and those that are there now and were not."""
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x" if name != "own/f" else "")
    before = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    subprocess.run(
        shlex.split(command), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=5
    )
    after = {str(path.relative_to(folder)) for path in folder.rglob("*")} if folder.exists() else set()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    return before - after, after - before


def missed(command: str, gone: set[str], made: set[str]) -> str:
    found = read_there(command)
    if found.opaque:
        return ""
    for names, kinds in ((gone, ("fs:delete", "fs:move", "fs:wipe")), (made, ("fs:write", "fs:move"))):
        patterns = [str(action.target["path"]) for action in found.actions if action.name in kinds]
        for name in sorted(names):
            if not any(_fits(pattern, f"{PROJECT}/{name}") for pattern in patterns):
                return f"{kinds[0]} {name}: {patterns}"
    return ""


def _fits(pattern: str, path: str) -> bool:
    """Whether an action on the pattern is one on the path, or on a folder that holds it."""
    said = re.escape(pattern).replace(r"/\*\*", "(?:/.*)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.fullmatch(f"{said}(?:/.*)?", path) is not None


def test_find_does_nothing_that_was_not_read(tmp_path: Path) -> None:
    if shutil.which("find") is None:
        pytest.skip("there is no find here")
    tried = [(command, *ran(command, tmp_path / "w")) for command in expressions(EXPRESSIONS)]
    acted = [(command, gone, made) for command, gone, made in tried if gone or made]
    wrong = [(command, why) for command, gone, made in acted if (why := missed(command, gone, made))]
    wrong.sort(key=lambda case: len(case[0]))
    assert not wrong, f"{len(wrong)} of {len(acted)}:\n" + "\n".join(map(repr, wrong[:30]))
    assert len(acted) > 0.2 * len(tried), "too few of these expressions do anything"
    unread = [command for command, _, _ in acted if read_there(command).opaque]
    assert len(unread) < 0.3 * len(acted), unread[:10]
