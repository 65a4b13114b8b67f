"""An attempt that is made again does not use up a plan's markers: it finds the run as it stood the first time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from hook_process import ALLOW, Machine, made
from interlock.model.action import Line
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Run
from interlock.policy.plan import Enforcement, Planned
from interlock.store.home.runs import LOCK, LOG, enter_run, read_lock, release
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({"command": "./x # nous: ad-hoc"}), session="s")
MARKED = Line(arm="a", unplanned=("x",), marker=True)
PLANNED = Planned(enforcement=Enforcement.STRICT, file="plan.yaml", digest="sha256:0")
FACTS = Facts(root="/p", home="/h")


def entered(folder: Path, claim: str) -> Run:
    return enter_run(str(folder), CALL, MARKED, PLANNED, FACTS, idle=10, claim=claim)


def logged(folder: Path) -> int:
    return len((folder / LOG).read_text().splitlines())


def test_one_attempt_counts_once_and_sees_the_same_run_again(tmp_path: Path) -> None:
    assert [entered(tmp_path, claim).markers for claim in ("a", "a", "b", "a", "b")] == [0, 0, 1, 0, 1]
    assert (read_lock(str(tmp_path))["markers"], logged(tmp_path)) == (2, 2)


def test_attempts_without_a_name_count_each_time(tmp_path: Path) -> None:
    assert [entered(tmp_path, "").markers for _ in range(3)] == [0, 1, 2]


def test_the_lock_remembers_a_bounded_number_of_attempts(tmp_path: Path) -> None:
    for number in range(100):
        entered(tmp_path, f"attempt {number}")
    assert len(read_lock(str(tmp_path))["claims"]) == 32
    release(str(tmp_path))
    assert read_lock(str(tmp_path))["markers"] == 100
    assert "claims" not in json.loads((tmp_path / LOCK).read_bytes())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("times", [2, 6])
def test_many_hooks_about_one_attempt_count_its_marker_once(machine: Machine, times: int) -> None:
    folder = made(machine.project / "runs/3")
    (folder / "experiment_plan.yaml").write_text(
        "metadata: {iteration: 3, bundle_ref: b}\narms:\n  - arm_id: a\n    conditions:\n"
        "      - {name: n, cmd: ./sim run, output: out.log}\n"
    )
    machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n')
    warm = replace(machine, warm=True)  # six that start from nothing come to their deadline on a busy machine
    event = warm.event("Bash", {"command": "ls -l # nous: ad-hoc"})
    with ThreadPoolExecutor(times) as pool:
        taken = [ran.taken for ran in pool.map(lambda _: warm.run(event), range(times))]
    assert taken == [ALLOW] * times
    assert (read_lock(str(folder))["markers"], logged(folder)) == (1, 1)
