"""The policy of a campaign through the real hook: it is in force, it only tightens, and it cannot be swapped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, NO_OPINION, Machine, Ran, made
from interlock.install.campaign import Campaign, policy_text

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
    assert run(machine, "Bash", value, command="./other").taken == NO_OPINION  # planned, and not read


def test_nobody_only_observes_a_campaign(machine: Machine) -> None:
    value = named(campaign(machine))
    until = (datetime.now(UTC) + timedelta(days=3)).date()
    machine.user_policy.write_text(f"version = 1\n[hook]\nobserve = {{ until = {until} }}\n")
    assert run(machine, "Write", value).taken == DENY


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


# --- what `interlock campaign init` renders ---------------------------------------------------------

ANY_PROGRAM = (("sim", ("./sim", "--rate", "1")), ("curl", ("curl", "localhost:8080")))
INTERPRETED = (("python", ("python", "run.py")),)


def rendered(machine: Machine, planned: tuple[tuple[str, tuple[str | None, ...]], ...]) -> str:
    root = str(machine.project)
    plan = f"{root}/runs/3/experiment_plan.yaml"
    file = campaign(machine)
    Path(plan).write_text("".join([f"- {' '.join(map(str, words))}\n" for _, words in planned]))
    for name in ("run.py", "other.py"):
        (machine.project / name).write_text("print(1)\n")
    (machine.project / "sim").write_text("#!/bin/sh\ndate > runs/3/out.log\n")
    inputs = Campaign(folder=f"{root}/runs/3", repo=root, plan=plan, home=str(machine.home), planned=planned)
    file.write_text(policy_text(inputs))
    return named(file)


COMMANDS: dict[str, tuple[tuple[tuple[str, tuple[str | None, ...]], ...], str]] = {
    "./sim --rate 9": (ANY_PROGRAM, ALLOW),
    "ls && git status": (ANY_PROGRAM, ALLOW),
    "cp sim runs/3/sim.bak": (ANY_PROGRAM, ALLOW),
    "timeout 9 ./sim": (ANY_PROGRAM, ALLOW),
    "echo x > runs/3/note.txt": (ANY_PROGRAM, ALLOW),
    "curl http://localhost:8080/metrics": (ANY_PROGRAM, ALLOW),
    "curl https://example.com": (ANY_PROGRAM, DENY),
    "git push": (ANY_PROGRAM, DENY),
    "pip install requests": (ANY_PROGRAM, DENY),
    "./sim; make": (ANY_PROGRAM, DENY),
    "make  # nous: ad-hoc": (ANY_PROGRAM, DENY),
    "bash -c make": (ANY_PROGRAM, DENY),
    "cp sim /tmp/sim": (ANY_PROGRAM, DENY),
    "echo x > ../outside.txt": (ANY_PROGRAM, DENY),
    "echo x > runs/3/.interlock/campaign.toml": (ANY_PROGRAM, DENY),
    "echo x > runs/3/.claude/settings.json": (ANY_PROGRAM, DENY),
    "echo x > runs/3/experiment_plan.yaml": (ANY_PROGRAM, DENY),
    "mv runs/3/.interlock runs/3/old": (ANY_PROGRAM, DENY),
    "mv runs/3 runs/4": (ANY_PROGRAM, DENY),
    "git mv runs/3 runs/4": (ANY_PROGRAM, DENY),
    "ln -s / out": (ANY_PROGRAM, DENY),
    "python run.py --seed 2": (INTERPRETED, ALLOW),
    "python other.py": (INTERPRETED, DENY),
    "python -c 'print(1)'": (INTERPRETED, DENY),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_rendered_policy_decides(machine: Machine, command: str) -> None:
    planned, expected = COMMANDS[command]
    ran = run(machine, "Bash", rendered(machine, planned), command=command)
    assert ran.taken == expected, ran.out


PLACES = {
    "{project}/a.txt": ALLOW,
    "{project}/runs/3/a.txt": ALLOW,
    "{project}/out/a.txt": DENY,  # a link to the folder beside it
    "{project}-2/a.txt": DENY,
    "{project}/../a.txt": DENY,
    "/tmp/a.txt": DENY,
    "{home}/a.txt": DENY,
}


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("elsewhere", [False, True], ids=["in the repository", "started elsewhere"])
def test_files_are_written_in_the_folders_only(machine: Machine, path: str, elsewhere: bool) -> None:
    value = rendered(machine, ANY_PROGRAM)
    beside = made(Path(f"{machine.project}-2"))
    (machine.project / "out").symlink_to(beside)
    arguments = {"file_path": path.format(project=machine.project, home=machine.home), "content": "x"}
    event = machine.event("Write", arguments, cwd=str(beside if elsewhere else machine.project))
    ran = machine.run(event, environment={"INTERLOCK_CAMPAIGN": value})
    assert ran.taken == PLACES[path], ran.out


def test_the_plan_is_in_force_wherever_the_client_is_started(machine: Machine) -> None:
    value = rendered(machine, ANY_PROGRAM)
    event = machine.event("Bash", {"command": "make"}, cwd=str(made(Path(f"{machine.project}-2"))))
    ran = machine.run(event, environment={"INTERLOCK_CAMPAIGN": value})
    assert (ran.taken, "is not in the plan" in ran.reason) == (DENY, True)


def test_what_names_the_whole_folder_is_inside(machine: Machine) -> None:
    value = rendered(machine, (("ruff", ("ruff", "format", ".")),))
    assert run(machine, "Bash", value, command="ruff format .").taken == ALLOW


def test_a_tool_that_no_policy_declares_is_denied(machine: Machine) -> None:
    assert run(machine, "mcp__mail__send", rendered(machine, ANY_PROGRAM)).taken == DENY
