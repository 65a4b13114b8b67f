"""The events of the real client, field by field, against the table that all other tests are held to."""

from __future__ import annotations

from pathlib import Path

from live.capture import captured, probed
from live.client import Live, needs_client
from wire import FIELDS, OPTIONAL

pytestmark = needs_client

LOOK = {"description": "look", "prompt": "ZEBRA: look around", "subagent_type": "general-purpose"}


def bash(command: str) -> tuple[str, dict[str, str]]:
    return ("Bash", {"command": command, "description": "Go on"})


def as_in_the_table(live: Live) -> set[str]:
    """The names of the events that came; each has the fields of the table."""
    for event in captured(live):
        name = event["hook_event_name"]
        if name in FIELDS:
            expected, optional = set(FIELDS[name].split()), set(OPTIONAL.get(name, "").split())
            assert expected - optional <= set(event) <= expected | optional, (name, sorted(event))
    return {event["hook_event_name"] for event in captured(live)}


def test_headless(place: Path) -> None:
    live = probed(place)
    settings = live.project / ".claude/settings.json"
    live.headless(
        [
            bash("ls"),
            bash("ls nothing-here"),
            ("Agent", {**LOOK, "run_in_background": False}),
            ("Write", {"file_path": str(settings), "content": "{}"}),
            bash("sleep 2"),
            "done",
        ],
        agents={"ZEBRA": [bash("pwd"), "seen"]},
    )
    names = as_in_the_table(live)
    assert names >= set(FIELDS) - {"PermissionRequest", "UserPromptExpansion"}
    inside = [event for event in captured(live, "PreToolUse") if "agent_id" in event]
    assert [event["agent_type"] for event in inside] == ["general-purpose"]
    # One write can be told twice: the client's watcher may see the file made and then filled.
    assert {(event["source"], event["file_path"]) for event in captured(live, "ConfigChange")} == {
        ("project_settings", str(settings))
    }


def test_at_a_terminal(place: Path) -> None:
    live = probed(place)
    live.write(".claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up\n---\nNothing to do.\n")
    with live.terminal([bash("touch b.txt"), "all done"], mode="default") as (at, _):
        at.type("please do it")
        at.answer("Do you want to", "Enter")
        at.wait_for("all done")
        at.type("/tidy")
        at.press("Enter")
        at.until(lambda: captured(live, "UserPromptExpansion"), "the expansion")
    assert as_in_the_table(live) >= {"PermissionRequest", "UserPromptExpansion", "UserPromptSubmit"}
    assert [event["prompt"] for event in captured(live, "UserPromptSubmit")] == ["please do it", "/tidy"]
    assert [event["command_name"] for event in captured(live, "UserPromptExpansion")] == ["tidy"]
