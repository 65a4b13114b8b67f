"""The harness itself: what it drives is the real client, and what it sees is what happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.client import Live, needs_client

pytestmark = needs_client


@pytest.mark.smoke
def test_without_the_guard_a_call_runs_and_with_it_a_dangerous_one_does_not(place: Path) -> None:
    for guarded in (False, True):
        live = Live.at(place / str(guarded), guarded=guarded)
        live.write("keep/a.txt", "a")
        run = live.headless([("Bash", {"command": "rm -rf keep ~/none", "description": "Clean up"}), "done"])
        assert (run.code, (live.project / "keep/a.txt").exists()) == (0, guarded)
        assert live.verdicts() == (["deny"] if guarded else [])


@pytest.mark.smoke
def test_a_person_at_the_terminal_is_asked_and_says_yes(place: Path) -> None:
    live = Live.at(place)
    out = place / "elsewhere.txt"
    with live.terminal([("Write", {"file_path": str(out), "content": "x"}), "all done"], mode="default") as (at, _):
        at.type("please write it")
        at.answer("Do you want to", "Enter")
        at.wait_for("all done")
    assert out.read_text() == "x"
    assert live.verdicts() == ["ask"]


def test_a_sub_agent_has_a_script_of_its_own(place: Path) -> None:
    live = Live.at(place)
    ask = {"description": "look", "prompt": "ZEBRA: look around", "subagent_type": "general-purpose"}
    run = live.headless(
        [("Agent", ask), "done"], agents={"ZEBRA": [("Bash", {"command": "ls", "description": "List"}), "seen"]}
    )
    assert run.code == 0
    tools = [(row["body"]["receipt"]["call"]["tool"], row["body"]["receipt"]["call"]["agent"]) for row in live.rows()]
    assert [tool for tool, _ in tools] == ["Agent", "Bash"]
    assert [agent != "" for _, agent in tools] == [False, True]
