"""What doctor, status and install say of code that runs inside Claude Code, with the real command."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from machine import Machine, Run


@pytest.fixture
def guarded(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.327 (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.defpath}")
    assert machine.run("install", "claude-code", "--yes").code == 0
    return machine


def make_mod(folder: Path, **hooks: Any) -> Path:
    for name, content in {
        ".claude-plugin/plugin.json": json.dumps({"name": "m"}),
        "hooks/hooks.json": json.dumps(hooks or {"modules": ["./register.js"]}),
        "hooks/register.js": "export const register = () => {}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.mark.parametrize("carries", ["hooks", "mcp", "bin"])
def test_a_project_s_plug_in_without_a_module_is_bad_only_where_no_shield_refuses_it(
    machine: Machine, carries: str
) -> None:
    assert machine.run("install", "claude-code", "--yes").code == 0
    folder = make_mod(machine.project / ".claude/skills/m", hooks={})
    if carries == "hooks":
        write(folder / "hooks/hooks.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    elif carries == "mcp":
        write(folder / ".mcp.json", {"mcpServers": {"s": {"command": "true"}}})
    else:
        (folder / "bin").mkdir()
        (folder / "bin/x").write_text("#!/bin/sh\n")
    found = [one for one in machine.run("doctor", "--json").json["findings"] if one["check"] == "mods"]
    told = f"{folder} is a plug-in (m), which loads from the skills folder of the project: "
    assert [(one["state"], one["text"].startswith(told)) for one in found] == [("bad", True)]
    assert found[0]["cure"] == f"rm -r {folder}"
    assert machine.run("status", "--json").json["hosts"]["claude-code"].startswith("guarded, but not")


@pytest.mark.parametrize(
    ("where", "head", "is_told"),
    [
        ("skills/a/SKILL.md", "name: a\nhooks:\n  PreToolUse: []", True),
        ("agents/b.md", "name: b\n'hooks' : {}", True),
        ("commands/c/d.md", "hooks: {}\r", True),
        ("skills/a/SKILL.md", "name: a\ndescription: about hooks", False),
        ("skills/a/notes.md", "---\nhooks: x", False),
    ],
)
def test_texts_that_bring_hooks_along_are_named(machine: Machine, where: str, head: str, is_told: bool) -> None:
    assert machine.run("install", "claude-code", "--yes").code == 0
    file = machine.project / ".claude" / where
    file.parent.mkdir(parents=True)
    file.write_text(f"---\n{head}\n---\nText.\nhooks: none\n")
    found = machine.run("status", "--json").json["findings"]
    assert is_told == any(one["text"].startswith(f"{file} brings hooks along") for one in found)


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def market(machine: Machine) -> Path:
    folder = make_mod(machine.project / "mk/m")
    write(
        machine.project / "mk/.claude-plugin/marketplace.json",
        {"name": "mk", "plugins": [{"name": "m", "source": "./m"}]},
    )
    source = {"source": {"source": "directory", "path": "mk"}}
    enabled = {"extraKnownMarketplaces": {"mk": source}, "enabledPlugins": {"m@mk": True}}
    write(machine.project / ".claude/settings.json", enabled)
    return folder


def told(done: Run, state: str) -> list[tuple[str, str | None]]:
    rows = [row for row in done.json["findings"] if row["check"] == "mods" and row["state"] == state]
    return [(row["text"], row["cure"]) for row in rows]


ABOVE = "its code runs inside the client, above every hook, and can switch Interlock off"
PLACES: dict[str, tuple[Callable[[Machine], Path], str]] = {
    "project": (lambda machine: make_mod(machine.project / ".claude/skills/m"), "the skills folder of the project"),
    "home": (lambda machine: make_mod(machine.home / ".claude/skills/m"), "the skills folder in your home"),
    "agents": (
        lambda machine: make_mod(machine.home / ".claude/dev-mods/s/m"),
        "the folder in which agents write mods",
    ),
    "market": (market, "the marketplace mk, enabled by the project"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_mod_is_bad_with_its_cure_and_status_does_not_say_guarded(guarded: Machine, place: str) -> None:
    put, where = PLACES[place]
    folder = put(guarded)
    done = guarded.run("doctor", "--json")
    cure = "take it out of `enabledPlugins` in the settings that enable it" if place == "market" else f"rm -r {folder}"
    assert (done.code, told(done, "bad")) == (
        1,
        [(f"{folder} is a mod (m), which loads from {where}: {ABOVE}", cure)],
    )
    assert (
        "Claude Code: guarded, but not against what is inside the client; see: interlock" in guarded.run("status").out
    )


def test_without_one_all_is_well(guarded: Machine) -> None:
    assert told(guarded.run("doctor", "--json"), "ok") == [("no foreign code runs inside the client", None)]
    assert guarded.run("status").out.startswith("Claude Code: guarded\n")


def test_plug_ins_without_code_inside_the_client_are_named_and_nothing_is_wrong(guarded: Machine) -> None:
    make_mod(guarded.home / ".claude/skills/m", hooks={"Stop": []})
    done = guarded.run("doctor", "--json")
    expected = "no foreign code runs inside the client; 1 plug-in with hooks, tool servers or programs: m"
    assert (done.code, told(done, "ok")) == (0, [(expected, None)])


def test_install_says_that_a_mod_stands_above_what_it_installs(machine: Machine) -> None:
    folder = make_mod(machine.project / ".claude/skills/m")
    done = machine.run("install", "claude-code", "--yes")
    assert done.code == 0
    assert f"BAD  {folder} is a mod (m), which loads from the skills folder of the project: {ABOVE}" in done.out
    assert f"cure: rm -r {folder}" in done.out


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"env": {"CLAUDE_CODE_SAFE_MODE": "1"}}, "it lets the client start without hooks, or with other settings"),
        ({"env": {"CLAUDE_CONFIG_DIR": "/x"}}, "it lets the client start without hooks, or with other settings"),
    ],
)
def test_a_switch_is_bad_with_its_cure(guarded: Machine, settings: Any, text: str) -> None:
    path = guarded.project / ".claude/settings.local.json"
    write(path, settings)
    ((said, cure),) = told(guarded.run("doctor", "--json"), "bad")
    assert (said.endswith(text), cure) == (True, f"take it out of {path}")


def test_hooks_that_are_all_switched_off_are_told_once(guarded: Machine) -> None:
    write(guarded.project / ".claude/settings.json", {"disableAllHooks": True})
    done = guarded.run("doctor", "--json")
    bad = [row["text"] for row in done.json["findings"] if row["state"] == "bad"]
    assert len([text for text in bad if "disableAllHooks" in text]) == 1


def test_a_variable_in_the_shell_is_bad(guarded: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SAFE_MODE", "1")
    assert [cure for _, cure in told(guarded.run("doctor", "--json"), "bad")] == ["unset CLAUDE_CODE_SAFE_MODE"]
