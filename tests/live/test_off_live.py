"""The real client while a person has switched Interlock off: it passes, it is told, the floor holds."""

from __future__ import annotations

from pathlib import Path

from live.client import Live, needs_client
from person import at_a_terminal

pytestmark = needs_client


def test_off_for_a_while_is_for_the_person_and_not_for_the_agent(place: Path) -> None:
    live = Live.at(place)
    outside = place / "outside.txt"
    write = ("Write", {"file_path": str(outside), "content": "x"})
    itself = ("Bash", {"command": "interlock off --for 10m --yes", "description": "Switch it off"})
    run = live.headless([itself, write, "done"])
    assert not outside.exists()
    assert live.verdicts()[0] == "deny"
    assert live.rows("override") == []

    assert at_a_terminal(live.home, "off", "--for", "10m", "--yes").code == 0
    settings = live.settings.read_text()
    wipe = ("Write", {"file_path": str(live.settings), "content": "{}"})
    run = live.headless([write, wipe, "done"])
    assert outside.read_text() == "x"
    assert live.settings.read_text() == settings, run.told(1)

    at_a_terminal(live.home, "on")
    outside.unlink()
    live.headless([write, "done"])
    assert not outside.exists()
    assert [row["key"] for row in live.rows("override")] == ["off", "off"]
