"""The floor: the guard's files and every host's settings are read freely and changed by nobody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, DENY, PACKAGE, Machine, Ran, copy_of_the_package, made, new_machine
from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.session import Session
from interlock.policy.model import Policy
from interlock.reading.places.place_folders import GUARDED, GUARDED_ROOTS
from interlock.reading.places.places import is_secret
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.value import FrozenMap

WRITING = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}

# One path for each row: what it guards, below a project, below the home, and anywhere else.
SETTINGS = [
    pattern.replace("/**/*", "/anything/x").replace("**", "anything/at/all.sh").replace("*", "any")
    for pattern in GUARDED
]
ROOTS = [f"{root}/settings.json" for root in GUARDED_ROOTS]


class Desk:
    """Judges without a process, for tables too long to start one for each row. The disk is real."""

    def __init__(self, machine: Machine) -> None:
        self.folders = folders_for(str(machine.home))
        self.project = str(machine.project)
        self.policy: Policy = load_policy(self.folders, self.project)

    def decide(self, tool: str, **arguments: Any) -> Decision:
        call = Call(tool=tool, input=FrozenMap(arguments), cwd=self.project, host="claude-code", session="s1")
        return judge(call, World(folders=self.folders, root=self.project, policy=self.policy), Session()).decision

    def on_the_floor(self, tool: str, **arguments: Any) -> bool:
        found = self.decide(tool, **arguments)
        return str(found.verdict) == DENY and any(finding.layer == "floor" for finding in found.reasons)


@pytest.fixture
def desk(machine: Machine) -> Desk:
    return Desk(machine)


@pytest.mark.parametrize("tool", WRITING)
def test_every_hosts_settings_are_changed_by_no_tool(tool: str, desk: Desk, machine: Machine) -> None:
    paths = [f"{base}/{row}" for row in SETTINGS for base in (machine.project, machine.home, "/srv/elsewhere")]
    open_ones = [path for path in paths + ROOTS if not desk.on_the_floor(tool, **{WRITING[tool]: path})]
    assert open_ones == []


def test_every_hosts_settings_may_be_read(desk: Desk, machine: Machine) -> None:
    paths = [
        f"{base}/{row}" for row in SETTINGS for base in (machine.project, machine.home) if not is_secret(f"/{row}")
    ]
    assert [path for path in paths if str(desk.decide("Read", file_path=path).verdict) != ALLOW] == []


@pytest.mark.parametrize("row", [".claude/settings.json", ".interlock/policy.toml", ".codex/hooks.json"])
def test_the_hook_says_whose_file_it_is_and_what_to_do(row: str, machine: Machine) -> None:
    path = machine.home / row
    assert machine.call("Write", file_path=str(path)).answer == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"Interlock: Refused: change `{path}`. Leave it alone, and tell the person "
            "what you wanted to change.",
        }
    }
    assert machine.call("Read", file_path=str(path)).taken == ALLOW


def test_nothing_in_a_policy_lifts_the_floor(machine: Machine) -> None:
    machine.user_policy.write_text(
        'version = 1\napproval_mode = "permissive"\n'
        '[risk]\nmax = "critical"\nallow_critical = true\nunregistered = "allow"\n'
        "[tools.Write]\nconfirm = false\n"
        '[[grants]]\nid = "all"\naction = "*"\nscope = { destination = "*" }\nexpires = 2999-01-01\n'
    )
    assert machine.call("Write", file_path=str(machine.home / "elsewhere.txt")).taken == ALLOW
    assert machine.call("Write", file_path=str(machine.home / ".claude/settings.json")).taken == DENY
    assert machine.call("Write", file_path=str(machine.user_policy)).taken == DENY


BESIDE = PACKAGE.parents[1] / "README.md"


@pytest.mark.parametrize(
    "path", ["hook/guard.py", "decide.py", "policy/default.toml", "hook/__pycache__/run.cpython-311.pyc", "new.py"]
)
def test_the_package_itself_is_changed_by_nobody(path: str, machine: Machine) -> None:
    assert machine.call("Write", file_path=str(PACKAGE / path)).taken == DENY
    # In another user's home folder, where a working copy may lie, every file asks.
    assert (
        machine.call("Read", file_path=str(PACKAGE / path)).taken == machine.call("Read", file_path=str(BESIDE)).taken
    )


def test_what_we_keep_is_changed_by_nobody(desk: Desk, machine: Machine) -> None:
    kept = [
        ".config/interlock/trust.json",
        ".config/interlock/policy.toml",
        ".local/state/interlock/receipts.jsonl",
        ".local/state/interlock/postures.json",
        ".local/state/interlock/policies/0.json",
        ".cache/interlock/policy-0.json",
    ]
    assert [row for row in kept if not desk.on_the_floor("Edit", file_path=f"{machine.home}/{row}")] == []


# --- the guard installed inside the project it guards -------------------------------------------


@pytest.fixture
def inside(tmp_path: Path, machine: Machine) -> Machine:
    """The hook runs from a virtual environment below the project, as `uv add --dev` makes it."""
    venv = machine.project / ".venv"
    subprocess.run([machine.python, "-m", "venv", "--without-pip", "--symlinks", str(venv)], check=True)
    (packages,) = venv.glob("lib/python3.*/site-packages")
    return new_machine(tmp_path, guard=copy_of_the_package(packages), python=str(venv / "bin/python"))


def test_the_interpreter_of_the_hook_is_guarded_like_the_hook(inside: Machine) -> None:
    """Who writes `home = …` into pyvenv.cfg chooses the standard library that the guard runs on."""
    venv = inside.project / ".venv"
    package = inside.guard.parents[1]
    real = os.path.realpath(venv / "bin/python")
    library = os.path.dirname(os.__file__)
    guarded = [
        venv / "pyvenv.cfg",
        venv / "bin/pyvenv.cfg",  # looked for here first
        venv / "bin/python",
        venv / "bin/python3",
        package / "decide.py",
        package / "__init__.py",
        real,
        f"{library}/os.py",
        f"{library}/lib-dynload/_json.so",
    ]
    assert {str(path): inside.call("Write", file_path=str(path)).taken for path in guarded} == {
        str(path): DENY for path in guarded
    }
    assert inside.call("Write").taken == ALLOW


def test_a_planted_pyvenv_cfg_would_have_taken_over(inside: Machine, tmp_path: Path) -> None:
    """Why those rows are there: what the write would have done, had it been allowed."""
    version = "python" + ".".join(map(str, sys.version_info[:2]))
    library = made(tmp_path / "evil/lib" / version)
    made(library / "lib-dynload")
    (library / "os.py").write_text("")
    (made(library / "encodings") / "__init__.py").write_text("import posix\nposix._exit(0)\n")
    (inside.project / ".venv/pyvenv.cfg").write_text(f"home = {made(tmp_path / 'evil/bin')}\n")
    assert inside.call("Bash") == Ran(0, b"", b"")


def test_links_from_a_dotfiles_repository_are_seen_through(tmp_path: Path) -> None:
    """`~/.config/interlock` is often a link into a repository, and the agent works in that repository."""
    machine = new_machine(tmp_path, project=made(tmp_path / "home/dotfiles"))
    for ours in (".config", ".local/state", ".cache"):
        real = made(machine.project / "kept" / ours / "ours")
        (made(machine.home / ours) / "interlock").symlink_to(real)
    for real in (machine.project / "kept").glob("**/ours"):
        assert machine.call("Write", file_path=str(real / "policy.toml")).taken == DENY
    assert machine.call("Write").taken == ALLOW


def test_a_package_that_is_reached_through_a_link_is_guarded_where_it_really_is(tmp_path: Path) -> None:
    machine = new_machine(tmp_path)
    guard = copy_of_the_package(made(machine.project / "vendor"))
    (tmp_path / "installed").symlink_to(machine.project / "vendor")
    linked = new_machine(tmp_path, guard=tmp_path / "installed/interlock/hook/guard.py")
    assert linked.call("Write", file_path=str(guard)).taken == DENY
    assert linked.call("Write", file_path=str(linked.guard)).taken == DENY
    shutil.rmtree(machine.project / "vendor")
    assert linked.call("Write").taken == DENY  # and gone is a deny, too


def test_settings_of_a_host_that_are_a_link_into_the_project_are_guarded_where_they_are(tmp_path: Path) -> None:
    """`~/.claude/settings.json -> ~/dotfiles/claude.json`, and the agent works in `~/dotfiles`."""
    machine = new_machine(tmp_path, project=made(tmp_path / "home/dotfiles"))
    (machine.project / "claude.json").write_text("{}")
    (made(machine.home / ".claude") / "settings.json").symlink_to("../dotfiles/claude.json")
    assert machine.call("Write", file_path=str(machine.project / "claude.json")).taken == DENY


@pytest.mark.parametrize("tool", WRITING)
def test_a_file_tool_does_not_tell_git_what_to_run_without_a_person(tool: str, machine: Machine) -> None:
    """`core.fsmonitor` in it is run by `git status`, which nobody would be asked about."""
    desk = Desk(machine)
    settings = desk.decide(tool, **{WRITING[tool]: f"{desk.project}/.git/config"})
    assert [(reason.rule, reason.text) for reason in settings.reasons] == [
        (
            "asked",
            f"Change `{desk.project}/.git/config`: it names programs that git runs, and where git fetches from and "
            "pushes to.",
        )
    ]
