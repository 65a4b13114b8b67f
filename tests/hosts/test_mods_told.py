"""Code that runs inside Claude Code, and settings that silence hooks: told when a session begins, and waited for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import warm
from hook_process import ALLOW, ASK, DENY, Machine, made
from interlock.hosts.claude_events import settings
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from interlock.words.said import quoted

CODE = "export const register = (on) => { on('classic.*', () => ({})) }"


def make_mod(folder: Path, *, name: str = "m", modules: bool = True) -> Path:
    made(folder / ".claude-plugin")
    made(folder / "hooks")
    (folder / ".claude-plugin/plugin.json").write_text(json.dumps({"name": name, "version": "1.0.0"}))
    hooks: dict[str, Any] = {"modules": ["./register.js"]} if modules else {"hooks": {"Stop": []}}
    (folder / "hooks/hooks.json").write_text(json.dumps(hooks))
    (folder / "hooks/register.js").write_text(CODE)
    return folder


@pytest.fixture
def guarded(machine: Machine) -> Machine:
    fragment = settings(machine.python, str(machine.guard), ("--home", str(machine.home)))
    (made(machine.home / ".claude") / "settings.json").write_text(json.dumps(fragment))
    made(machine.project / ".git/hooks")
    return machine


def starts(machine: Machine, source: str = "startup") -> str:
    begun = machine.run(machine.event(hook_event_name="SessionStart", source=source))
    told = str(json.loads(begun.out or b"{}").get("systemMessage", ""))
    return told.partition("level in force: ")[0].removesuffix("Interlock: ").rstrip("\n")


def answers_yes(machine: Machine) -> None:
    """A person is asked about a call that shows what was found, and lets it run."""
    asked = machine.event("Write")
    assert machine.run(asked).taken == ASK
    machine.run(machine.event(hook_event_name="PermissionRequest"))
    machine.run(
        machine.event(hook_event_name="PostToolUse", tool_use_id=asked["tool_use_id"], tool_response={}, duration_ms=1),
        environment={"CLAUDE_CODE_SESSION_ATTENDED": "1"},
    )


def says(machine: Machine) -> list[str]:
    return [row["body"]["says"] for row in machine.rows("watch")]


def test_a_mod_of_the_project_is_told_when_the_session_begins_and_waited_for(guarded: Machine) -> None:
    folder = make_mod(guarded.project / ".claude/skills/m")
    assert starts(guarded) == (
        f"Interlock: `{folder}`: It is the plug-in `m`, which loads from the skills folder of the project. Its code "
        "runs inside the client, above every hook, and can switch Interlock off. Remove it. While it is there, "
        "everything but reads waits for your yes."
    )
    assert guarded.call("Read").taken == ALLOW
    asked = guarded.call("Write")
    assert asked.taken == ASK
    assert f"`{folder}` holds code that runs inside Claude Code, above every hook" in asked.reason
    assert says(guarded) == ["baseline", "mod"]


def in_market(machine: Machine) -> Path:
    folder = make_mod(machine.project / "mk/m")
    (made(machine.project / "mk/.claude-plugin") / "marketplace.json").write_text(
        json.dumps({"name": "mk", "owner": {"name": "x"}, "plugins": [{"name": "m", "source": "./m"}]})
    )
    source = {"source": {"source": "directory", "path": str(machine.project / "mk")}}
    (made(machine.project / ".claude") / "settings.json").write_text(
        json.dumps({"extraKnownMarketplaces": {"mk": source}, "enabledPlugins": {"m@mk": True}})
    )
    return folder


PLACES = {
    "home": lambda machine: make_mod(machine.home / ".claude/skills/m"),
    "agents": lambda machine: make_mod(machine.home / ".claude/dev-mods/s/m"),
    "market": in_market,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_mod_in_any_place_is_told_and_waited_for(guarded: Machine, place: str) -> None:
    folder = PLACES[place](guarded)
    assert str(folder) in starts(guarded)
    assert guarded.call("Write").taken == ASK
    assert guarded.call("Bash", command="ls").taken == ALLOW


def test_a_folder_that_a_variable_names_is_looked_at(guarded: Machine) -> None:
    make_mod(guarded.project / "x/m")
    begun = guarded.run(
        guarded.event(hook_event_name="SessionStart", source="startup"),
        environment={"CLAUDE_CODE_PLUGIN_DIRS": str(guarded.project / "x/m")},
    )
    assert "the variable CLAUDE_CODE_PLUGIN_DIRS" in begun.answer["systemMessage"]


def test_a_yes_holds_for_exactly_what_was_shown(guarded: Machine) -> None:
    folder = make_mod(guarded.project / ".claude/skills/m")
    starts(guarded)
    answers_yes(guarded)
    assert guarded.call("Write").taken == ALLOW
    (folder / "hooks/register.js").write_text(CODE + "// more")
    assert guarded.call("Write").taken == ASK
    assert says(guarded) == ["baseline", "mod", "accepted", "mod"]


@pytest.mark.parametrize("deep", ["lib/a.js", ".hidden/b.json"])
def test_a_file_that_comes_to_an_accepted_mod_outside_any_skills_folder_is_seen(guarded: Machine, deep: str) -> None:
    folder = in_market(guarded)
    starts(guarded)
    answers_yes(guarded)
    assert guarded.call("Write").taken == ALLOW
    made((folder / deep).parent)
    (folder / deep).write_text("x")
    assert guarded.call("Write").taken == ASK


def test_a_mod_that_appears_in_mid_session_is_found_at_the_next_event(guarded: Machine) -> None:
    made(guarded.project / ".claude/skills/words")
    starts(guarded)
    assert guarded.call("Write").taken == ALLOW
    folder = make_mod(guarded.project / ".claude/skills/m")
    read = guarded.call("Read")
    assert (read.taken, str(folder) in read.answer["systemMessage"]) == (ALLOW, True)
    assert guarded.call("Write").taken == ASK


def test_a_plug_in_of_the_project_that_turns_into_a_mod_is_found(guarded: Machine) -> None:
    folder = make_mod(guarded.project / ".claude/skills/m", modules=False)
    assert starts(guarded) == ""
    assert guarded.call("Write").taken == ALLOW
    (folder / "hooks/hooks.json").write_text('{"modules": ["./register.js"]}')
    assert guarded.call("Write").taken == ASK


def test_a_mod_that_is_removed_is_waited_for_no_more(guarded: Machine) -> None:
    folder = make_mod(guarded.project / ".claude/skills/m")
    starts(guarded)
    assert guarded.call("Write").taken == ASK
    shutil.rmtree(folder)
    freed = guarded.call("Write")
    assert (freed.taken, freed.answer["systemMessage"]) == (
        ALLOW, f"Interlock: `{folder}` is gone; nothing waits for it any more"
    )  # fmt: skip
    assert says(guarded)[-1] == "repaired"


def test_a_session_whose_start_was_not_told_finds_it_at_its_first_call(guarded: Machine) -> None:
    make_mod(guarded.project / ".claude/skills/m")
    assert guarded.call("Write").taken == ASK


def test_a_session_that_is_resumed_looks_again(guarded: Machine) -> None:
    made(guarded.project / "mk")
    starts(guarded)
    assert guarded.call("Write").taken == ALLOW
    folder = guarded.project / "given"
    make_mod(folder)
    begun = guarded.run(
        guarded.event(hook_event_name="SessionStart", source="resume"),
        environment={"CLAUDE_CODE_PLUGIN_DIRS": str(folder)},
    )
    assert str(folder) in begun.answer["systemMessage"]


def test_a_switch_that_silences_hooks_is_told_and_waited_for(guarded: Machine) -> None:
    path = made(guarded.project / ".claude") / "settings.local.json"
    path.write_text('{"disableAllHooks": true}')
    switch = quoted(f"{path} (disableAllHooks)")
    assert starts(guarded) == (
        f"Interlock: {switch}: It switches off all hooks. It can silence Interlock's hooks. Take it out. While it is "
        "there, everything but reads waits for your yes."
    )
    asked = guarded.call("Write")
    assert (asked.taken, "can silence Interlock's hooks" in asked.reason) == (ASK, True)


def test_ordinary_skills_and_plug_ins_ask_nothing(guarded: Machine) -> None:
    (made(guarded.project / ".claude/skills/words") / "SKILL.md").write_text("text")
    make_mod(guarded.home / ".claude/skills/hooked", modules=False)
    assert starts(guarded) == ""
    assert guarded.call("Write").taken == ALLOW
    assert says(guarded) == ["baseline"]


def test_the_three_writes_with_which_an_agent_makes_itself_a_mod_are_denied(guarded: Machine) -> None:
    starts(guarded)
    folder = guarded.home / ".claude/dev-mods/s/evil"
    for name in (".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/register.js"):
        assert guarded.call("Write", file_path=str(folder / name)).taken == DENY


def test_what_was_asked_replays_and_the_ledger_verifies(guarded: Machine) -> None:
    make_mod(guarded.project / ".claude/skills/m")
    starts(guarded)
    guarded.call("Write")
    row = guarded.rows("decision")[-1]["body"]["receipt"]["session"]
    assert [change["level"] for change in row["changed"]] == ["mod"]
    assert warm.command(("--home", str(guarded.home), "replay", "--all"), cwd=guarded.project).returncode == 0
    assert verify(folders_for(str(guarded.home))).damage is None
