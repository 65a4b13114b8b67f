"""The real client with code of others inside it: told when a session begins, and no agent puts any there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import warm
from live.attempt import Attempt, tried
from live.client import Live, needs_client
from scripted_model import Step

pytestmark = needs_client

PASSES = "export const register = (on) => { on('tool.call', ($, e, next) => next(e)) }"
SESSION = "11111111-2222-4333-8444-555555555555"
FILES = {
    ".claude-plugin/plugin.json": json.dumps({"name": "m", "version": "1.0.0", "description": "d"}),
    "hooks/hooks.json": json.dumps({"description": "d", "modules": ["./register.js"]}),
    "hooks/register.js": PASSES,
}


def make_mod(live: Live, folder: Path) -> Path:
    for name, text in FILES.items():
        live.write(str(folder / name), text)
    return folder


def market(live: Live) -> Path:
    listed = {"name": "mk", "owner": {"name": "x"}, "plugins": [{"name": "m", "source": "./m"}]}
    live.write("mk/.claude-plugin/marketplace.json", json.dumps(listed))
    source = {"source": {"source": "directory", "path": str(live.project / "mk")}}
    enabled = {"extraKnownMarketplaces": {"mk": source}, "enabledPlugins": {"m@mk": True}}
    live.write(".claude/settings.json", json.dumps(enabled))
    return make_mod(live, live.project / "mk/m")


def linked(live: Live) -> Path:
    (live.home / ".claude/skills").mkdir(parents=True)
    (live.home / ".claude/skills/m").symlink_to(make_mod(live, live.home / "elsewhere"))
    return live.home / ".claude/skills/m"


PLACES: dict[str, Callable[[Live], Path]] = {
    "project": lambda live: make_mod(live, live.project / ".claude/skills/m"),
    "home": lambda live: make_mod(live, live.home / ".claude/skills/m"),
    "market": market,
    "variable": lambda live: make_mod(live, live.project / "x"),
    "option": lambda live: make_mod(live, live.project / "x"),
    "link": linked,
}


@pytest.mark.parametrize("where", PLACES)
def test_a_mod_that_the_client_loads_is_told_and_everything_but_reads_waits(place: Path, where: str) -> None:
    live = Live.at(place)
    folder = PLACES[where](live)
    log = place / "debug.log"
    variables: Mapping[str, str] = {"CLAUDE_CODE_PLUGIN_DIRS": str(folder)} if where == "variable" else {}
    options = ["--plugin-dir", str(folder)] if where == "option" else []
    script: list[Step] = [
        ("Read", {"file_path": str(live.settings)}),
        ("Write", {"file_path": str(live.project / "made.txt"), "content": "x"}),
        "done",
    ]
    live.headless(script, environment=variables, arguments=["--debug-file", str(log), *options])
    assert "hooks module m@" in log.read_text()  # the client did load it
    told = [row["body"] for row in live.rows("watch") if row["body"]["says"] == "mod"]
    assert [one["path"] for one in told] == [str(folder)]
    assert live.verdicts() == ["allow", "deny"]  # nobody is there to ask
    asked = live.rows()[-1]["body"]["receipt"]["decision"]["reasons"]
    assert ("watch", "mod") in [(one["layer"], one["rule"]) for one in asked]
    assert not (live.project / "made.txt").exists()


def test_the_person_sees_it_when_the_session_begins(place: Path) -> None:
    live = Live.at(place)
    folder = make_mod(live, live.project / ".claude/skills/m")
    with live.terminal(["done"]) as (terminal, _):
        screen = " ".join(terminal.wait_for("everything but reads").split())
    assert "runs inside the client, above every hook" in screen
    done = warm.command(("--home", str(live.home), "doctor", "--json"), cwd=live.project)
    bad = [row["text"] for row in json.loads(done.stdout)["findings"] if row["check"] == "mods"]
    assert bad[0].startswith(f"{folder} is a mod (m), which loads from the skills folder of the project")


def own_mod(live: Live) -> list[Step]:
    folder = live.home / ".claude/dev-mods" / SESSION / "m"
    writes: list[Any] = [("Write", {"file_path": str(folder / name), "content": text}) for name, text in FILES.items()]
    return [("Skill", {"skill": "plugin-authoring"}), *writes, "done"]


def test_an_agent_does_not_make_itself_a_mod(place: Path) -> None:
    attempt = Attempt(
        "a mod of the agent's own",
        own_mod,
        lambda live: any((live.home / ".claude/dev-mods").rglob("*.js")),
        options={"arguments": ("--session-id", SESSION)},
    )
    live, _ = tried(attempt, place)
    assert live.verdicts() == ["deny", "deny", "deny", "deny"]  # the first: nobody is there to ask
    assert "above every hook, this guard included" in json.dumps(live.rows()[0]["body"])
    assert list((live.home / ".claude").rglob("register.js")) == []
