"""A campaign with the real client: what is inside its limits happens, what is outside does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from live.client import CLIENT, Live, Run, needs_client
from person import at_a_terminal
from scripted_model import Step, scripted_model

pytestmark = needs_client

PLAN = "arms:\n- arm_id: a\n  conditions:\n  - {name: one, cmd: ./sim --rate 1, output: out.log}\n"
SIM = "#!/bin/sh\necho done > runs/3/out.log\n"


def interlock(
    live: Live, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(live.home), "campaign", *arguments],
        cwd=live.project,
        env={
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(live.home),
            **(environment or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def campaign(place: Path, *, guarded: bool = False, sim: str = SIM) -> Live:
    """A repository with a program, and a campaign in a folder of it."""
    live = Live.at(place, guarded=guarded)
    live.write("sim", sim).chmod(0o755)
    live.write("runs/3/experiment_plan.yaml", PLAN)
    live.git("add", "sim")
    live.git("commit", "-q", "-m", "sim")
    done = interlock(live, "init", "runs/3", "--repo", ".", "--plan", "runs/3/experiment_plan.yaml")
    assert done.returncode == 0, done.stderr
    return live


def run(live: Live, script: Sequence[Step], *arguments: str) -> Run:
    with scripted_model(script, {}) as model:
        words = ("run", "runs/3", "--client", str(CLIENT), "--", "--output-format", "json", *arguments, "go on")
        done = interlock(live, *words, environment=live.variables(model))
    return Run(done.returncode, done.stdout, done.stderr, model)


def bash(command: str) -> tuple[str, dict[str, str]]:
    return "Bash", {"command": command, "description": "Go on"}


def wrote(path: Path, content: str = "x\n") -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": str(path), "content": content}


def rules(live: Live) -> list[list[str]]:
    """The rules that each call was decided by."""
    found = []
    for row in live.rows():
        reasons = row["body"]["receipt"]["decision"]["reasons"]
        found.append(sorted({reason["rule"] for reason in reasons if reason["verdict"] == "deny"}))
    return found


def limits(place: Path, live: Live) -> list[Step]:
    """A call for each limit, and four that are inside of them."""
    return [
        wrote(live.project / "notes.txt"),
        wrote(place / "by-a-tool.txt"),
        wrote(Path(f"/tmp/{place.name}.txt")),
        bash("echo x > ../by-a-redirect.txt"),
        wrote(live.project / "x.sh", "echo x > ../by-a-script.txt\n"),
        bash("sh x.sh"),
        bash("curl -s https://example.com -o fetched.html"),
        ("WebFetch", {"url": "https://example.com", "prompt": "What is it?"}),
        bash("ls && git status --short"),
        bash("./sim --rate 2"),
        "done",
    ]


def only_the_inside_was_written(place: Path, live: Live) -> None:
    assert [path.name for path in place.glob("by-*")] == []
    assert not Path(f"/tmp/{place.name}.txt").exists()
    assert not (live.project / "fetched.html").exists()
    assert (live.project / "notes.txt").read_text() == "x\n"
    assert (live.project / "runs/3/out.log").read_text() == "done\n"


@pytest.mark.parametrize("guarded", [False, True], ids=["its hooks alone", "beside the person's own"])
def test_a_run_writes_inside_its_folders_and_nowhere_else(place: Path, guarded: bool) -> None:
    live = campaign(place, guarded=guarded)
    ran = run(live, limits(place, live))
    assert ran.code == 0, ran.err
    only_the_inside_was_written(place, live)


def test_the_hook_alone_holds_the_run_to_its_limits(place: Path) -> None:
    """As if the client knew none of its own: it is told to skip all permissions, and has the hooks and the variable."""
    live = campaign(place)
    settings = json.loads((live.project / "runs/3/.claude/settings.json").read_text())
    del settings["permissions"]
    file = live.write(str(place / "hooks-only.json"), json.dumps(settings))
    live.write(".claude/settings.json", '{"env": {"INTERLOCK_CAMPAIGN": ""}}')  # a project does not outrank it
    ran = live.headless(limits(place, live), arguments=["--settings", str(file)])
    assert rules(live) == [
        [],
        ["campaign-writes"],
        ["campaign-writes"],
        ["campaign-writes"],
        [],
        ["campaign-writes", "unplanned"],
        ["campaign-network", "unplanned"],
        ["campaign-network"],
        [],
        [],
    ], ran.told(2)
    only_the_inside_was_written(place, live)


def test_a_planned_program_that_was_rewritten_does_not_write_outside(place: Path) -> None:
    live = campaign(place)
    run(live, [wrote(live.project / "sim", "#!/bin/sh\necho x > ../outside.txt\n"), bash("./sim"), "", "done"])
    assert rules(live)[-1] == ["campaign-writes"]
    assert not (place / "outside.txt").exists()


# Four plans of the enforcer that plans come from, word for word; the last program is in no table and need not exist.
SHAPES = (
    "python run.py --seed 1",
    "./blis run --workload a",
    "./blis run --workload b",
    "./sim --batch=4",
    "/usr/bin/perf record -g ./sim",
    "/usr/local/bin/custom-bench --duration 60",
)


def test_a_plan_that_a_person_gave_runs_line_by_line_without_a_question(place: Path) -> None:
    live = Live.at(place, guarded=False)
    for name in ("sim", "blis", "run.py"):
        live.write(name, f"#!/usr/bin/env python3\nopen('{name}.ran', 'a')\n").chmod(0o755)
    live.write("runs/3/plan.yaml", "".join([f"- {json.dumps(line)}\n" for line in SHAPES]))
    live.git("add", ".")
    live.git("commit", "-q", "-m", "a plan")
    words = ("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml")
    done = at_a_terminal(live.home, *words, folder=live.project)
    assert done.code == 0, done.out
    other = "/usr/local/bin/custom-bench --duration 61"
    ran = run(live, [*[bash(line) for line in SHAPES], bash(other), bash("make all"), "done"])
    assert ran.code == 0, ran.err
    verdicts = [row["body"]["receipt"]["decision"]["verdict"] for row in live.rows()]
    assert verdicts == ["allow"] * len(SHAPES) + ["deny", "deny"], [ran.told(step) for step in range(len(verdicts))]
    assert {path.name for path in live.project.glob("*.ran")} >= {"sim.ran", "blis.ran"}
    assert "permission" not in " ".join([ran.told(step) for step in range(len(SHAPES))])


UNDOES = """#!/usr/bin/env perl
for my $file ("runs/3/.claude/settings.json", "runs/3/.interlock/campaign.toml") {
    open(my $out, ">", $file);
    print $out $file =~ /json/ ? '{"disableAllHooks": true}' : "version = 1\\n";
    close($out);
}
sleep(3);
"""


def test_a_run_stays_held_when_a_program_rewrites_its_limits(place: Path) -> None:
    live = campaign(place, sim=UNDOES)
    ran = run(live, [bash("./sim"), wrote(place / "outside.txt"), bash("mkdir made"), "", "done"])
    assert (live.project / "runs/3/.claude/settings.json").read_text() == '{"disableAllHooks": true}', ran.told(0)
    assert [path.name for path in place.glob("outside.txt")] == []
    assert not (live.project / "made").exists()
    assert all("not the policy that the campaign was started with" in ran.told(step) for step in (1, 2))


def test_what_the_client_makes_of_such_settings_by_itself(place: Path) -> None:
    """Why there is a policy: `allowOnly` does nothing, and its own switch holds file tools and not the shell."""
    seen = {}
    for name, more in {"allowOnly": {}, "switch": {"blockWritesOutsideWorkingDirectories": True}}.items():
        live = Live.at(place / name, guarded=False)
        settings = {"permissions": {"allowOnly": [str(live.project)], **more}}
        file = live.write(str(place / name / "settings.json"), json.dumps(settings))
        tool, shell = place / f"{name}-tool.txt", place / f"{name}-shell.txt"
        live.headless([wrote(tool), bash(f"echo x > {shell}"), "done"], arguments=["--settings", str(file)])
        seen[name] = (tool.exists(), shell.exists())
    assert seen == {"allowOnly": (True, True), "switch": (False, True)}
