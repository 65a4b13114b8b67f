"""The Nth open, write, fsync, truncate or rename of the ledger fails, for every N: reads pass, nothing is half done."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question
from sizes import how_many

ALONE = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
SOURCE = Path(__file__).with_name("failing.c")


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    library = tmp_path_factory.mktemp("shim") / "failing.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-w", "-O1", "-o", str(library), str(SOURCE), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"the shim cannot be built here: {done.stderr[:200]}")
    return library


STEP = how_many("INTERLOCK_WRITES", 3, quick=15)  # every so many of the writes fail; 1: each of them


def environment(library: Path, machine: Machine, at: int, error: int) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(library),
        "FAIL_UNDER": "/.local/state/interlock",
        "FAIL_AT": str(at),
        "FAIL_ERRNO": str(error),
        "FAIL_COUNT": str(machine.project / "count"),
    }


def attempts(machine: Machine) -> list[str]:
    return [row["attempt"] for row in machine.rows()]


@pytest.mark.parametrize(
    ("fresh", "error"), [(True, errno.ENOSPC), (False, errno.EIO)], ids=["first call", "later call"]
)
def test_whatever_fails_leaves_a_whole_ledger_and_no_unrecorded_action(
    fresh: bool, error: int, failing: Path, tmp_path: Path
) -> None:
    answers: dict[str, set[str]] = {"Read": set(), "Write": set()}
    machine = new_machine(tmp_path / "0", warm=True)
    total, at = 1, 0
    while at < total:
        at += STEP if at else 1
        if fresh:
            machine = new_machine(tmp_path / str(at), warm=True)
            (machine.home / ".local/state").mkdir(parents=True)
        elif at == 1:
            machine.call("Write")
        for tool in ("Write", "Read"):
            before = attempts(machine)
            event = json.dumps(machine.event(tool, tool_use_id=f"{tool}{at}")).encode()
            ran = machine.run(event, environment=environment(failing, machine, at, error))
            answers[tool].add(ran.taken)
            if tool == "Write":
                total = max(total, int((machine.project / "count").read_text()))
                # An action is allowed only where its row is kept; and no row is ever lost.
                new = attempts(machine)[len(before) :]
                assert attempts(machine)[: len(before)] == before
                assert ran.taken == DENY or len(new) == 1, at
            else:
                assert ran.taken == ALLOW, (at, ran)
        # As it is found by the next who looks; a ledger that was never made has nothing to verify.
        if machine.rows("policy") or machine.rows():
            damage = verify(folders_for(str(machine.home))).damage
            assert damage is None or (damage.kind, fresh) == ("state", True), (at, damage)
        assert machine.run(machine.event("Write", tool_use_id=f"after{at}")).taken == ALLOW, at
        assert verify(folders_for(str(machine.home))).damage is None, at
    assert total > 3
    assert answers == {"Read": {ALLOW}, "Write": {ALLOW, DENY}}


@pytest.mark.slow
def test_an_approval_that_is_used_while_the_disk_fails_fires_once_at_most(failing: Path, tmp_path: Path) -> None:
    """A use that was kept and could not be answered for is lost: the person is asked again, and nothing fires twice."""
    machine = new_machine(tmp_path, warm=True)
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    folders = folders_for(str(machine.home))
    event = machine.event("Bash", {"command": "git push --force origin main"}, tool_use_id=None)
    assert machine.run(event, environment=ALONE).taken == DENY
    fired: list[int] = []
    total, at = 1, 0
    while at < total:
        at += STEP if at else 1
        ledger = Ledger(folders.ledger)
        (asked,) = every_question(ledger)
        answered(ledger, asked, yes=True, by="a test", why="")
        ledger.close()
        before = len(machine.rows("redemption"))
        broken = {**ALONE, **environment(failing, machine, at, errno.EIO)}
        taken = [machine.run(event, environment=how).taken for how in (broken, ALONE)]
        total = max(total, int((machine.project / "count").read_text()))
        assert taken in ([ALLOW, DENY], [DENY, ALLOW], [DENY, DENY]), at
        assert len(machine.rows("redemption")) == before + 1, at
        fired.append(taken.count(ALLOW))
        if taken[1] == ALLOW:
            assert machine.run(event, environment=ALONE).taken == DENY, at  # and so it waits again
        assert verify(folders).damage is None, at
    assert total > 5
    assert set(fired) <= {0, 1}
    assert 1 in fired
