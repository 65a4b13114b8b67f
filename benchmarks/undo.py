"""What a checkpoint costs: ten files beside bare copies, a thousand small ones beside `cp -a`, and a call without one.

    python benchmarks/undo.py [--rounds 15] [--json]

Time that the disk takes to make things durable is told apart: it is the disk's, and `cp` does not wait for it. The bars
are those of the project: 3 ms over the bare copies for ten files, 1.3 times `cp -a --reflink=auto` for a thousand, and
nothing of it loaded for a call that needs none. The exit code is 1 where one is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interlock.model.facts import Facts
from interlock.store.undo.holding import refusing
from interlock.store.undo.keep import Wanted, keep
from interlock.store.undo.shelf import Shelf

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

OVER_COPIES, OVER_CP = 3.0, 1.3
_NONE = """
import sys
from interlock.model.call import Call
from interlock.engine import Engine
from interlock.model.events import Place, Proposed
from interlock.store.home.folders import folders_for
from interlock.value import FrozenMap
engine = Engine(folders_for(sys.argv[1]), front="hook:claude-code", undo="holds")
for command in ("ls", "pytest -q", "git push --force origin main", "cat a > b"):
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=sys.argv[2], session="s")
    engine.propose(Proposed(place=Place(cwd=sys.argv[2], session="s"), call=call))
print(len([name for name in sys.modules if name.startswith(("interlock.store.undo", "interlock.calls.undoing"))]))
"""


class Syncs:
    """Counts and times what is forced to the disk."""

    def __init__(self) -> None:
        self.count, self.seconds, self._real = 0, 0.0, os.fsync

    def __enter__(self) -> Syncs:
        def timed(fd: int) -> None:
            began = time.perf_counter()
            self._real(fd)
            self.seconds += time.perf_counter() - began
            self.count += 1

        os.fsync = timed  # type: ignore[assignment]
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync = self._real


def made(folder: Path, count: int, size: int) -> None:
    folder.mkdir()
    for at in range(count):
        (folder / f"file-{at}").write_bytes(os.urandom(size))


def held(root: Path, shelf: Shelf, round_: int) -> tuple[float, float, int]:
    """Seconds without the disk's, the disk's, and how often it was asked."""
    with Syncs() as syncs:
        began = time.perf_counter()
        refuses = refusing(str(root), Facts(root=str(root), home="/home/none"))
        keep(shelf, str(root), [Wanted(path="x")], session=f"s{round_}", call="c", refuses=refuses)
        whole = time.perf_counter() - began
    shutil.rmtree(shelf.folder)
    return whole - syncs.seconds, syncs.seconds, syncs.count


def copied(root: Path, into: Path) -> float:
    into.mkdir()
    began = time.perf_counter()
    for name in os.listdir(root / "x"):
        raw = (root / "x" / name).read_bytes()
        (into / name).write_bytes(raw)
    seconds = time.perf_counter() - began
    shutil.rmtree(into)
    return seconds


def by_cp(root: Path, into: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["cp", "-a", "--reflink=auto", str(root / "x"), str(into)], check=True)
    seconds = time.perf_counter() - began
    shutil.rmtree(into)
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interlock-undo-") as folder:
        base = Path(folder)
        shelf = Shelf(str(base / "shelf"))
        for name, count in (("ten", 10), ("thousand", 1000)):
            (base / name).mkdir()
            made(base / name / "x", count, 2000)
        few, bare, small, cp, synced, syncs = [], [], [], [], [], 0
        for round_ in range(given.rounds + 1):  # the first warms everything up
            seconds, disk, syncs = held(base / "ten", shelf, round_)
            few.append(seconds)
            synced.append(disk)
            bare.append(copied(base / "ten", base / "copy"))
            small.append(held(base / "thousand", shelf, round_)[0])
            cp.append(by_cp(base / "thousand", base / "copy"))
        (base / "home").mkdir()
        (base / "project/.hg").mkdir(parents=True)
        words = [sys.executable, "-c", _NONE, str(base / "home"), str(base / "project")]
        loaded = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    middle = {
        name: statistics.median(values[1:])
        for name, values in (("few", few), ("bare", bare), ("small", small), ("cp", cp), ("synced", synced))
    }
    over = (middle["few"] - middle["bare"]) * 1000
    ratio = middle["small"] / middle["cp"]
    synced_ms = middle["synced"] * 1000
    figures = [
        Figure("10 files, over bare copies", over, "ms", bar=f"at most {OVER_COPIES:g} ms", met=over <= OVER_COPIES),
        Figure("10 files, made durable", synced_ms, "ms", note=f"{syncs} × fsync: the disk's time"),
        Figure("1,000 files, beside cp -a", ratio, "×", bar=f"at most {OVER_CP:g} ×", met=ratio <= OVER_CP),
        Figure("modules loaded by calls without one", loaded, "modules", bar="none", met=loaded == 0),
    ]
    return ended("undo", figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
