"""Every manifest in every posture: imported as a person imports it, decided by the hook.

`wanted` writes the order of the rules down once more, by hand. `UNLIKE` lists every kind of cell that is stricter here,
with its reason; nothing is looser.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import machine as commands
from hook_process import NO_OPINION, Machine

POSTURES = ("interactive", "autonomous", "dry_run", "locked")
EFFECTS = ("read", "write", "network", "execute", "spawn", "destructive")
SETS = [*((effect,) for effect in EFFECTS), *(("read", effect) for effect in EFFECTS[1:]), EFFECTS[:3], EFFECTS]
PERMITTED = (None, *((posture,) for posture in POSTURES), POSTURES)

UNLIKE = {
    "confirmed read": "where only reads run nobody is asked, and what needs a yes stands back",
    "beyond the manifest": "arguments are read: an effect that the manifest does not declare asks",
    "secret": "a tool named like one that hosts have keeps its confirmations, such as for a private key",
}


def wanted(tool: Mapping[str, Any] | None, posture: str) -> str:
    if tool is None:
        return "deny"
    permitted = tool.get("permitted_postures")
    if permitted is not None and posture not in permitted:
        return "deny"
    if posture in ("dry_run", "locked"):
        return "allow" if tool["effects"] == ["read"] else "deny"
    if tool.get("require_confirmation"):
        return "ask" if posture == "interactive" else "deny"
    return "allow"


def stricter(tool: Mapping[str, Any], posture: str) -> str:
    """The row of `UNLIKE` for what the manifest itself says; empty where the cell is equal."""
    confirmed = tool.get("require_confirmation", False) and tool["effects"] == ["read"]
    permitted = tool.get("permitted_postures")
    here = posture in ("dry_run", "locked") and (permitted is None or posture in permitted)
    return "confirmed read" if confirmed and here else ""


def hooked(folder: Path, manifest: Mapping[str, Any], posture: str) -> Machine:
    """A machine whose person imported the manifest, and set the posture."""
    made = commands.Machine(folder)
    policy = made.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    imported = made.run("policy", "import", "-", "-o", str(policy), stdin=dict(manifest))
    assert imported.code == 0, imported.err
    if posture != "interactive":
        assert made.run("posture", "set", posture).code == 0
    return Machine(home=made.home, project=made.project, warm=True)


def verdict(machine: Machine, tool: str, arguments: Mapping[str, Any], session: str) -> str:
    said = machine.run(machine.event(tool, arguments, session_id=session), odd=True).taken
    return "allow" if said == NO_OPINION else said


@pytest.mark.sampled(3)
@pytest.mark.parametrize("posture", POSTURES)
@pytest.mark.parametrize("permitted", PERMITTED, ids=str)
def test_every_set_of_effects_confirmed_or_not(permitted: tuple[str, ...] | None, posture: str, tmp_path: Path) -> None:
    tools = {
        f"{'sure_' if confirmed else ''}{'_'.join(effects)}": {
            "effects": list(effects),
            "permitted_postures": None if permitted is None else list(permitted),
            "require_confirmation": confirmed,
        }
        for effects, confirmed in product(SETS, (False, True))
    }
    machine = hooked(tmp_path, {"tools": tools}, posture)
    given = {tool: verdict(machine, tool, {"job": "a"}, tool) for tool in (*tools, "undeclared")}
    expected = {tool: wanted(tools.get(tool), posture) for tool in given}
    unlike = {tool: stricter(tools[tool], posture) for tool in tools if given[tool] != expected[tool]}
    assert {tool: given[tool] for tool in given if tool not in unlike} == {
        tool: expected[tool] for tool in given if tool not in unlike
    }
    assert {(given[tool], expected[tool], row) for tool, row in unlike.items()} <= {("deny", "allow", "confirmed read")}


TOOLS: dict[str, dict[str, Any]] = {
    "read_file": {"effects": ["read"]},
    "write_file": {"effects": ["write"]},
    "replace": {"effects": ["read", "write"]},
    "fetch_url": {"effects": ["read", "network"]},
    "run_shell_command": {"effects": ["execute"], "permitted_postures": ["interactive", "autonomous"]},
    "start_service": {"effects": ["spawn"], "permitted_postures": ["interactive"], "require_confirmation": True},
    "force_push": {"effects": ["network", "destructive"], "require_confirmation": True},
}
CALLS: list[tuple[str, dict[str, str], str]] = [
    ("read_file", {"path": "notes.txt"}, ""),
    ("read_file", {}, ""),
    ("write_file", {"path": "notes.txt", "content": "x"}, ""),
    ("write_file", {"file_path": "notes.txt", "content": "x"}, ""),
    ("replace", {"file_path": "notes.txt", "old_string": "a", "new_string": "b"}, ""),
    ("fetch_url", {"url": "https://docs.example/a"}, ""),
    ("run_shell_command", {"command": "ls -la"}, ""),
    ("run_shell_command", {"command": "true"}, ""),
    ("run_shell_command", {"command": "git push origin main"}, "beyond the manifest"),
    ("run_shell_command", {"command": "rm -r out"}, "beyond the manifest"),
    ("start_service", {"name": "cache"}, ""),
    ("force_push", {"remote": "origin", "branch": "main"}, ""),
    ("undeclared", {"path": "notes.txt"}, ""),
    ("Bash", {"command": "ls"}, ""),
    ("Read", {"file_path": "notes.txt"}, ""),
]


@pytest.mark.parametrize("posture", POSTURES)
def test_a_manifest_with_the_names_that_hosts_have_and_the_arguments_that_calls_have(
    posture: str, tmp_path: Path
) -> None:
    machine = hooked(tmp_path, {"tools": TOOLS}, posture)
    given, expected = {}, {}
    for number, (tool, arguments, unlike) in enumerate(CALLS):
        cell = (tool, *arguments.values())
        given[cell] = verdict(machine, tool, arguments, f"s{number}")
        expected[cell] = wanted(TOOLS.get(tool), posture)
        if unlike and expected[cell] == "allow":
            expected[cell] = "ask" if posture == "interactive" else "deny"
    assert given == expected


def test_the_private_key_of_a_person_is_asked_about_all_the_same(tmp_path: Path) -> None:
    machine = hooked(tmp_path, {"tools": {"Read": {"effects": ["read"]}}}, "interactive")
    key = machine.home / ".ssh/id_ed25519"
    assert verdict(machine, "Read", {"file_path": str(key)}, "s") == "ask", UNLIKE["secret"]
    assert verdict(machine, "Read", {"file_path": "notes.txt"}, "t") == "allow"


@pytest.mark.parametrize(("here", "there"), [*product(POSTURES, POSTURES)])
def test_postures_move_as_they_do_there(here: str, there: str, tmp_path: Path) -> None:
    moves = {
        "interactive": POSTURES,
        "autonomous": ("interactive", "locked"),
        "dry_run": ("interactive", "locked"),
        "locked": ("interactive",),
    }
    made = commands.Machine(tmp_path)
    assert here == "interactive" or made.run("posture", "set", here).code == 0
    assert (made.run("posture", "set", there).code == 0) == (there == here or there in moves[here])
