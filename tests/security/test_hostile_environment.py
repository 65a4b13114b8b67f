"""Variables that a project can set for the hook's process change neither the answer nor whose policy counts."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from hook_process import ALLOW, ASK, DENY, PACKAGE, Machine, made

VARIABLES: dict[str, dict[str, str]] = {
    "inspect": {"PYTHONINSPECT": "1"},
    "interactive": {"PYTHONINSPECT": "1", "PYTHONSTARTUP": "/dev/stdin"},
    "warnings": {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"},
    "verbose": {"PYTHONVERBOSE": "3", "PYTHONDEBUG": "3", "PYTHONPROFILEIMPORTTIME": "1"},
    "optimised": {"PYTHONOPTIMIZE": "2"},
    "no bytecode": {"PYTHONDONTWRITEBYTECODE": "1"},
    "hash seed": {"PYTHONHASHSEED": "0"},
    "hash seed that is none": {"PYTHONHASHSEED": "x"},
    "not UTF-8": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-16", "PYTHONLEGACYWINDOWSFSENCODING": "1"},
    "C locale": {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0"},
    "a locale that is not there": {"LC_ALL": "xx_XX.KOI8-R"},
    "malloc": {"PYTHONMALLOC": "nonsense", "PYTHONMALLOCSTATS": "1"},
    "trace": {"PYTHONTRACEMALLOC": "25", "PYTHONFAULTHANDLER": "1", "PYTHONASYNCIODEBUG": "1"},
    "digits": {"PYTHONINTMAXSTRDIGITS": "0"},
    "safe path off": {"PYTHONSAFEPATH": "", "PYTHONNOUSERSITE": ""},
    "executable": {"PYTHONEXECUTABLE": "/bin/true", "__PYVENV_LAUNCHER__": "/bin/true"},
    "time zone": {"TZ": ":/dev/zero"},
    "paths": {"PATH": "/nonexistent", "TMPDIR": "/nonexistent", "PWD": "/", "OLDPWD": "/"},
    "attended": {"CLAUDE_CODE_SESSION_ATTENDED": "yes"},
    "project that is relative": {"CLAUDE_PROJECT_DIR": "."},
    "project that is empty": {"CLAUDE_PROJECT_DIR": ""},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", VARIABLES)
def test_a_variable_does_not_change_the_answer(case: str, machine: Machine) -> None:
    guarded = {"file_path": str(machine.home / ".claude/settings.json"), "content": "{}"}
    events = [machine.event("Write"), machine.event("Bash"), machine.event("Write", guarded)]
    runs = [machine.run(event, environment=VARIABLES[case]) for event in events]
    assert [(ran.taken, ran.code, ran.err) for ran in runs] == [(ALLOW, 0, b""), (ASK, 0, b""), (DENY, 0, b"")]


def test_no_environment_at_all_does_not_change_the_answer(machine: Machine) -> None:
    done = subprocess.run(machine.command(), input=b"{}", env={}, cwd=machine.project, capture_output=True, check=False)
    assert (done.returncode, b'"deny"' in done.stdout) == (0, True)


def test_a_policy_where_the_variables_point_is_not_believed(machine: Machine, tmp_path: Path) -> None:
    """Each of these folders holds a policy that would let an unknown tool through."""
    planted = tmp_path / "planted"
    for folder in (".config/interlock", "interlock", ".interlock"):
        (made(planted / folder) / "policy.toml").write_text('version = 1\n[risk]\nunregistered = "allow"\n')
    names = "HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_CONFIG_DIRS TMPDIR INTERLOCK_HOME"
    environment = {
        **dict.fromkeys(names.split(), str(planted)),
        "INTERLOCK_POLICY": str(planted / "interlock/policy.toml"),
    }
    assert machine.run(machine.event("mcp__x__y"), environment=environment).taken == ASK
    machine.user_policy.write_text((planted / "interlock/policy.toml").read_text())
    later = machine.event("mcp__x__y", session_id="a later session")  # this one would be asked about the change
    assert machine.run(later, environment=environment).taken == ALLOW


def test_a_project_named_by_a_variable_may_only_tighten(machine: Machine, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    policy = made(other / ".interlock") / "policy.toml"
    policy.write_text('version = 1\n[risk]\nunregistered = "allow"\n')
    assert machine.run(machine.event("mcp__x__y"), environment={"CLAUDE_PROJECT_DIR": str(other)}).taken == ASK


def test_the_home_comes_from_the_systems_user_table(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from interlock.store.home.folders import folders_for; print(folders_for().home)"],
        env={"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent), "USER": "x"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == pwd.getpwuid(os.getuid()).pw_dir
