"""Every front that stays, for a whole working day of one session: nothing wears out, and nothing is mistaken.

Most calls write a new file. Between them files are edited and read, people are asked and answer, and the world changes:
the policy is edited, a tool is declared, old rows are pruned, the clock is set, the disk is full and free again. What a
call gets as the tenth it gets as the last. 1,500 calls in CI; `INTERLOCK_CALLS=10000` in `make full`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from interlock.store.ledger.upkeep import prune
from interlock.store.ledger.verify import verify
from sizes import how_many
from soak.fronts import FRONTS, Front, opened
from soak.weather import built

CALLS = how_many("INTERLOCK_CALLS", 1500, quick=400)
MOST_STATE = 64 * 1024  # bytes of what the ledger keeps of one session, besides the names of its files


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("weather"))


class Looked:
    """How a front stands: memory in KiB, open files, threads; statements, and bytes read and written, so far."""

    def __init__(self, front: Front, calls: int) -> None:
        told = dict(
            line.split(":", 1) for line in Path(f"/proc/{front.pid}/status").read_text().splitlines() if ":" in line
        )
        done = dict(line.split(": ") for line in Path(f"/proc/{front.pid}/io").read_text().splitlines())
        self.calls = calls
        self.memory = int(told["VmRSS"].split()[0])
        self.files = len(os.listdir(f"/proc/{front.pid}/fd"))
        self.threads = int(told["Threads"])
        self.bytes = int(done["rchar"]) + int(done["wchar"])
        self.steps = front.steps()


class Day:
    """One session of one front."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.number = 0
        self.asked = 0
        self.amount = 1000

    def write(self) -> None:
        """A new file, which is really written once it is allowed."""
        self.number += 1
        path = self.front.project / f"module_{self.number}.py"
        self.expect("write", {self.front.path: str(path), "content": f"x = {self.number}\n"}, "allow")
        path.write_text(f"x = {self.number}\n")

    def edit(self) -> None:
        path = self.front.project / f"module_{1 + self.number // 2}.py"
        self.expect("write", {self.front.path: str(path), "content": f"y = {self.number}\n"}, "allow")

    def read(self) -> None:
        self.expect("read", {self.front.path: str(self.front.project / f"module_{self.number}.py")}, "allow")

    def ask(self) -> None:
        """A question, asked three times, and a yes, which fires once. What is asked after that waits for the next time,
        so that one question is open and not many.
        """
        self.asked += 1
        given: dict[str, object] = {"amount": self.amount}
        first = self.expect("pay", given, "ask")
        for _ in range(2):
            assert self.expect("pay", given, "ask") == first
        self.front.answer(first, yes=True)
        self.expect("pay", given, "allow")
        assert self.expect("pay", given, "ask") != first
        given = {"amount": self.asked}
        if self.asked == 1:  # a no stands for all that is like it
            self.front.answer(self.expect("give", given, "ask"), yes=False)
        self.expect("give", given, "deny")

    def expect(self, what: str, given: dict[str, object], verdict: str) -> str:
        """The approval that it waits for."""
        found = self.front.call(self.front.named[what], given)
        assert found.verdict == verdict, (self.number, what, found)
        return found.approval

    def shell(self, command: str, verdict: str) -> None:
        found = self.front.call("Bash", {"command": command})
        assert found.verdict == verdict, (self.number, command, found)

    def probe(self) -> dict[str, str]:
        """What the session's own things get: whatever it gets, it gets at any time."""
        project, path = self.front.project, self.front.path
        tried: dict[str, tuple[str, dict[str, object]]] = {
            "write": (self.front.named["write"], {path: str(project / "module_1.py"), "content": "x = 0\n"}),
            "outside": (self.front.named["write"], {path: f"/etc/made_{self.number}", "content": ""}),
            "read": (self.front.named["read"], {path: str(project / "module_2.py")}),
        }
        if self.front.has_shell:
            (project / "tool.sh").write_text("echo hi\n")
            self.expect("write", {path: str(project / "tool.sh"), "content": "echo hi\n"}, "allow")
            for name, command in {
                "look": "git status --short",
                "run": "bash tool.sh",
                "delete": f"rm {project}/module_{self.number}.py",
                "delete first": f"rm {project}/module_3.py",
            }.items():
                tried[name] = ("Bash", {"command": command})
        return {name: self.front.call(tool, given).verdict for name, (tool, given) in tried.items()}


def _policy_is_edited(day: Day) -> None:
    """While a question is open, and has nothing to do with it."""
    waits = day.expect("pay", {"amount": 1}, "ask")
    day.front.says('[tools."other"]\neffects = ["read"]\n')
    assert day.expect("pay", {"amount": 1}, "ask") == waits
    day.front.answer(waits, yes=True)
    day.front.says('[tools."another"]\neffects = ["read"]\n')
    day.expect("pay", {"amount": 1}, "allow")


def _tool_is_declared(day: Day) -> None:
    """The same, with a yes to use."""
    waits = day.expect("pay", {"amount": 2}, "ask")
    day.front.answer(waits, yes=True)
    day.front.declare(day.front.named["extra"])
    day.expect("pay", {"amount": 2}, "allow")
    day.expect("extra", {"path": "x"}, "allow")


def _ledger_is_pruned(day: Day) -> None:
    if not getattr(day.front, "database", ""):
        assert prune(day.front.folders, keep=20) is not None
    day.write()


def _clock_is_set(day: Day) -> None:
    """By more than a question waits: the one that is open has run out of time, and a no may stand for it."""
    day.amount += 1
    for hours in (30.0, -30.0, 0.0):
        day.front.weather.clock(hours)
        day.write()
        day.read()


def _disk_is_full(day: Day) -> None:
    """Nothing is done that cannot be recorded, reads pass, and once there is room again all is as before."""
    if getattr(day.front, "database", ""):
        return
    day.front.weather.disk(full=True)
    path = str(day.front.project / "full.py")
    day.expect("write", {day.front.path: path, "content": ""}, "deny")
    if day.front.reads_unrecorded:
        day.read()
    day.front.weather.disk(full=False)
    day.expect("write", {day.front.path: path, "content": ""}, "allow")
    day.write()


HAPPENS: dict[int, Callable[[Day], None]] = {  # in which tenth of the day
    2: _policy_is_edited,
    3: _tool_is_declared,
    4: _ledger_is_pruned,
    5: _clock_is_set,
    6: _disk_is_full,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FRONTS)
def test_a_long_session(name: str, tmp_path: Path, library: Path) -> None:
    with opened(FRONTS[name], tmp_path, library) as front:
        day, looks = Day(front), []
        for at in range(CALLS):
            if at == 12:
                first = day.probe()
            if at % (CALLS // 20) == 0:
                looks.append(Looked(front, at))
            if at % (CALLS // 10) == 0 and at * 10 // CALLS in HAPPENS:
                HAPPENS[at * 10 // CALLS](day)
            {7: day.edit, 11: day.read, 15: day.ask}.get(at % 20, day.write)()
        assert day.probe() == first
        looks.append(Looked(front, CALLS))
        with front.ledger() as ledger:
            ((size,),) = ledger.connect().rows("SELECT max(length(state)) FROM sessions")
        assert size <= MOST_STATE + CALLS * 2 * len(f'"{front.project}/module_{CALLS}.py",')  # written, and made by it
    if not getattr(front, "database", ""):
        assert verify(front.folders).damage is None
    _stays(looks, size, front)


def _stays(looks: list[Looked], size: int, front: Front) -> None:
    """The end of the day needs no more than its beginning."""
    begin, end = looks[2:7], looks[-5:]
    for what, share, more in (("memory", 1.15, 16 * 1024), ("files", 1, 8), ("threads", 1, 8)):
        most = median(getattr(look, what) for look in begin) * share + more
        assert median(getattr(look, what) for look in end) <= most, (what, [getattr(look, what) for look in looks])

    def each(what: str, some: list[Looked]) -> float:
        """For each call between the first and the last of these looks."""
        return float((getattr(some[-1], what) - getattr(some[0], what)) / (some[-1].calls - some[0].calls))

    assert each("steps", end) <= each("steps", begin) * front.more_steps, [look.steps for look in looks]
    # What is kept of the session is read and written with each call; `MOST_STATE` bounds that.
    assert each("bytes", end) <= 256 * 1024 + 16 * size, [look.bytes for look in looks]
