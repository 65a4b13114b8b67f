"""The policy of a campaign through the real hook: it is in force, it only tightens, and it cannot be swapped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, Machine, Ran, made

PLAN = "arms:\n- arm_id: a\n  conditions:\n  - {name: one, cmd: ./sim --rate 1}\n"
POLICY = """\
version = 1
[plan]
enforcement = "strict"
dir = "runs/3"
markers_per_run = 0
programs = ["ls"]
[[rules]]
id = "no-notes"
when = { effects = ["write"], target = { path = "*/notes.txt" } }
verdict = "deny"
reason = "No notes."
"""


def campaign(machine: Machine, text: str = POLICY) -> Path:
    (made(machine.project / "runs/3") / "experiment_plan.yaml").write_text(PLAN)
    file = made(machine.project / "runs/3/.interlock") / "campaign.toml"
    file.write_text(text)
    return file


def named(file: Path, text: str | None = None) -> str:
    raw = file.read_bytes() if text is None else text.encode()
    return f"sha256:{hashlib.sha256(raw).hexdigest()}:{file}"


def run(machine: Machine, tool: str, value: str, **arguments: str) -> Ran:
    event = machine.event(tool, {**machine.sample(tool), **arguments})
    return machine.run(event, environment={"INTERLOCK_CAMPAIGN": value})


def test_its_rules_and_its_plan_are_in_force(machine: Machine) -> None:
    value = named(campaign(machine))
    assert run(machine, "Write", value).taken == DENY
    assert machine.call("Write").taken == ALLOW  # a session that the campaign did not start
    assert run(machine, "Write", value, file_path=str(machine.project / "other.txt")).taken == ALLOW
    assert run(machine, "Bash", value, command="ls | sort").taken == DENY
    assert run(machine, "Bash", value, command="ls").taken == ALLOW
    assert run(machine, "Bash", value, command="sort x  # nous: ad-hoc").taken == DENY


def test_it_loosens_nothing(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n[risk]\nmax = 'low'\n[plan]\nenforcement = 'strict'\ndir = 'runs/2'\n")
    (made(machine.project / "runs/2") / "experiment_plan.yaml").write_text("- ./other\n")
    value = named(campaign(machine, POLICY + "[risk]\nmax = 'critical'\n[tools.Mine]\neffects = []\n"))
    assert run(machine, "Bash", value, command="ls").taken == DENY  # the person's plan, which has no such program
    assert run(machine, "Bash", value, command="./other").taken == ALLOW


def gone(file: Path) -> str:
    value = named(file)
    file.unlink()
    return value


def mistaken(file: Path) -> str:
    file.write_text("version = 9\n")
    return named(file)


CHANGED: dict[str, Callable[[Path], str]] = {
    "another content": lambda file: named(file, "version = 1\n"),
    "gone": gone,
    "a mistake": mistaken,
    "no path": lambda file: named(file)[:71],
    "no digest": str,
    "a relative path": lambda file: named(file)[:71] + ":campaign.toml",
    "nothing but a colon": lambda file: ":",
}


@pytest.mark.parametrize("how", CHANGED)
def test_a_policy_that_is_not_the_one_the_run_began_with_lets_only_reads_pass(machine: Machine, how: str) -> None:
    value = CHANGED[how](campaign(machine))
    assert run(machine, "Write", value, file_path=str(machine.project / "other.txt")).taken == DENY
    assert run(machine, "Read", value).taken == ALLOW
