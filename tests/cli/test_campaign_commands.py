"""`interlock campaign`: the real command, real files, and a client that only says how it was started."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.hosts.claude_events import EVENTS
from machine import Machine, Run

PLAN = "arms:\n- arm_id: a\n  conditions:\n  - {name: one, cmd: ./sim --rate 1 | tee out.log, output: out.log}\n"
CLIENT = '#!/bin/sh\npwd\nprintf \'%s\\n\' "$INTERLOCK_CAMPAIGN" "$INTERLOCK_RUN" "$@"\nexit 7\n'


@pytest.fixture
def folder(machine: Machine) -> Path:
    """A work folder with a plan, inside the project."""
    place = machine.project / "runs/3"
    place.mkdir(parents=True)
    (place / "plan.yaml").write_text(PLAN)
    return place


def init(machine: Machine, *arguments: str) -> Run:
    return machine.run("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml", *arguments)


def run(machine: Machine, *arguments: str, client: str = CLIENT) -> Run:
    program = machine.home / "client"
    program.write_text(client)
    program.chmod(0o755)
    return machine.run("campaign", "run", "runs/3", "--client", str(program), *arguments)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- init -------------------------------------------------------------------------------------------


def test_it_writes_settings_policy_and_launcher(machine: Machine, folder: Path) -> None:
    done = init(machine, "--allow-bin", "pytest", "--json")
    assert (done.code, done.json) == (
        0,
        {
            "files": [
                {"file": f"{folder}/.claude/settings.json", "result": "written"},
                {"file": f"{folder}/.interlock/campaign.toml", "result": "written"},
            ],
            "folder": str(machine.project),
            "lines": [{"arm": "a", "line": "./sim --rate 1 | tee out.log", "reasons": [], "verdict": "runs"}],
            "planned": ["sim", "tee"],
        },
    ), done.err
    settings = json.loads((folder / ".claude/settings.json").read_bytes())
    assert {*settings["hooks"]} == {*EVENTS}
    words = settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"]
    launcher = machine.home / ".local/share/interlock/hook/guard.py"
    assert str(launcher) in words
    assert launcher.exists()
    assert "Bash(pytest:*)" in settings["permissions"]["allow"]
    assert sorted(files(folder)) == [
        ".claude/settings.json",
        ".interlock/campaign.json",
        ".interlock/campaign.toml",
        "plan.yaml",
    ]


def test_again_with_the_same_inputs_nothing_changes(machine: Machine, folder: Path) -> None:
    init(machine)
    before = files(folder)
    done = init(machine)
    assert (done.code, files(folder)) == (0, before), done.err
    assert done.out.count("nothing to do") == 2


def test_a_changed_plan_brings_the_files_up_to_date(machine: Machine, folder: Path) -> None:
    init(machine)
    (folder / "plan.yaml").write_text(PLAN + "  - {name: two, cmd: ./other}\n")
    done = init(machine)
    assert (done.code, "Bash(other:*)" in done.out) == (0, True), done.err
    assert b"Bash(./other:*)" in (folder / ".claude/settings.json").read_bytes()


@pytest.mark.parametrize("name", [".claude/settings.json", ".interlock/campaign.toml"])
def test_a_file_that_was_edited_by_hand_stays_as_it_is(machine: Machine, folder: Path, name: str) -> None:
    init(machine)
    file = folder / name
    file.write_bytes(file.read_bytes().replace(b"deny", b"ask"))
    before = files(folder)
    done = init(machine, "--allow-bin", "pytest")
    assert (done.code, files(folder)) == (64, before)
    assert f"`{file}` was edited since it was written" in done.err
    assert ('-    "ask"' in done.err or '"ask": [' in done.err or 'verdict = "ask"' in done.err) is True


def test_settings_of_somebody_else_stay_as_they_are(machine: Machine, folder: Path) -> None:
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text('{"model": "opus"}\n')
    done = init(machine)
    assert (done.code, (folder / ".claude/settings.json").read_text()) == (64, '{"model": "opus"}\n')
    assert not (folder / ".interlock").exists()


def test_a_dry_run_writes_nothing(machine: Machine, folder: Path) -> None:
    done = init(machine, "--dry-run")
    assert (done.code, sorted(files(folder))) == (0, ["plan.yaml"]), done.err
    assert '+    "allowOnly": [' in done.out
    assert not (machine.home / ".local/share/interlock").exists()


REFUSED: dict[tuple[str, ...], str] = {
    ("--allow-bin", "bash"): "`bash` runs whatever it is given",
    ("--allow-bin", "/usr/bin/python3"): "`python3` runs whatever it is given",
    ("--allow-bin", "*"): "`*` is not the name of a program",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_would_be_no_limit_is_refused(machine: Machine, folder: Path, arguments: tuple[str, ...]) -> None:
    done = init(machine, *arguments)
    assert (done.code, sorted(files(folder))) == (64, ["plan.yaml"])
    assert REFUSED[arguments] in done.err


def test_a_plan_that_is_none_is_refused(machine: Machine, folder: Path) -> None:
    (folder / "plan.yaml").write_text("arms: 3\n")
    done = init(machine)
    assert (done.code, f"`{folder}/plan.yaml`: arms must be a list" in done.err) == (64, True), done.err


# --- run --------------------------------------------------------------------------------------------


def test_the_client_is_started_in_the_repository_with_the_settings(machine: Machine, folder: Path) -> None:
    init(machine)
    done = run(machine, "--", "--model", "opus", "go on")
    value = json.loads((folder / ".claude/settings.json").read_bytes())["env"]["INTERLOCK_CAMPAIGN"]
    assert (done.code, done.out.splitlines()) == (
        7,
        [
            str(machine.project),
            value,
            str(folder),
            "-p",
            "--settings",
            f"{folder}/.claude/settings.json",
            "--model",
            "opus",
            "go on",
        ],
    ), done.err


def edited(**changes: Any) -> Callable[[Machine, Path], object]:
    def edit(machine: Machine, folder: Path) -> None:
        file = folder / ".claude/settings.json"
        found = json.loads(file.read_bytes())
        for key, value in changes.items():
            found.pop(key, None) if value is None else found.update({key: value})
        file.write_text(json.dumps(found))

    return edit


def written(path: str, text: str) -> Callable[[Machine, Path], object]:
    def write(machine: Machine, folder: Path) -> None:
        file = Path(path.format(home=machine.home, project=machine.project, folder=folder))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    return write


def removed(path: str) -> Callable[[Machine, Path], object]:
    return lambda machine, folder: os.unlink(path.format(home=machine.home, folder=folder))


WEAK: dict[str, tuple[Callable[[Machine, Path], object], str]] = {
    "no settings": (removed("{folder}/.claude/settings.json"), "settings.json` is missing"),
    "no policy": (removed("{folder}/.interlock/campaign.toml"), "campaign.toml` is missing"),
    "no record": (removed("{folder}/.interlock/campaign.json"), "there is no campaign in"),
    "no launcher": (removed("{home}/.local/share/interlock/hook/guard.py"), "is gone"),
    "no hooks": (edited(hooks=None), "the hook for PreToolUse is missing"),
    "no JSON": (written("{folder}/.claude/settings.json", "{"), "is not JSON"),
    "hooks off": (edited(disableAllHooks=True), "`disableAllHooks` is not false"),
    "another policy": (
        written("{folder}/.interlock/campaign.toml", "version = 1\n"),
        "is not what would be written now",
    ),
    "a project that switches hooks off": (
        written("{project}/.claude/settings.json", '{"disableAllHooks": true}'),
        "switches off all hooks",
    ),
    "another plan of the person": (
        written("{home}/.config/interlock/policy.toml", "version = 1\n[plan]\ndir = 'x'\n"),
        "another policy names another plan",
    ),
    "a changed plan": (
        written("{folder}/plan.yaml", PLAN.replace("tee", "cat")),
        "run `interlock campaign init` again",
    ),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("how", WEAK)
def test_it_does_not_start_where_the_limits_are_missing_or_weak(machine: Machine, folder: Path, how: str) -> None:
    init(machine)
    change, why = WEAK[how]
    change(machine, folder)
    done = run(machine, "--", "go on")
    assert (done.code, done.out) == (64, "")
    assert why in done.err


def test_stricter_settings_are_taken(machine: Machine, folder: Path) -> None:
    init(machine)
    edited(model="opus")(machine, folder)
    assert run(machine, "--", "go on").code == 7


def test_an_argument_that_leaves_the_limits_out_is_refused(machine: Machine, folder: Path) -> None:
    init(machine)
    done = run(machine, "--", "--dangerously-skip-permissions", "go on")
    assert (done.code, done.out) == (64, "")
    assert "`--dangerously-skip-permissions`: it skips all permissions" in done.err


def test_a_dry_run_prints_the_command(machine: Machine, folder: Path) -> None:
    init(machine)
    done = run(machine, "--dry-run", "--", "go on")
    assert done.code == 0
    assert done.out.endswith(f" -p --settings {folder}/.claude/settings.json 'go on'\n")


def test_the_guide_shows_what_happens(machine: Machine) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/headless.md").read_text()
    blocks = dict(re.findall(r"```(yaml|)\n(.*?)```", guide, re.DOTALL))
    place = machine.project / "runs/3"
    place.mkdir(parents=True)
    (place / "experiment_plan.yaml").write_text(blocks["yaml"])
    command, _, shown = blocks[""].partition("\n")
    done = machine.run(*command.removeprefix("$ interlock ").split())
    said = done.out.replace(str(machine.project), "/work/app").replace(f" --home {machine.home}", "")
    assert (done.code, said) == (0, shown), done.err
    assert run(machine, "--", "Work through the plan.").code == 7
    more = re.findall(r"^    interlock (campaign init .*)$", guide, re.MULTILINE)
    assert [machine.run(*line.split()).code for line in more] == [0, 0]


def test_a_campaign_needs_no_plan(machine: Machine, folder: Path) -> None:
    done = machine.run("campaign", "init", "runs/3", "--repo", ".")
    assert (done.code, "of the plan" in done.out) == (0, False), done.err
    assert "[plan]" not in (folder / ".interlock/campaign.toml").read_text()
    assert run(machine, "--", "go on").code == 7
    assert machine.run("campaign", "init", "runs/3", "--repo", ".", "--allow-bin", "pytest").code == 64
