"""An ask of the real client with nobody in front of it: it waits, a person approves, the retry fires once."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.client import Live, needs_client
from person import at_a_terminal
from scripted_model import Step

pytestmark = needs_client

PUSH = {"command": "git push origin main", "description": "Push it"}
FIRST: list[Step] = ["asked", "denied"]  # what a resumed conversation holds already
POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n'


@pytest.fixture
def live(place: Path) -> Live:
    """A project with one commit, and a remote beside it."""
    live = Live.at(place)
    live.machine.user_policy.write_text(POLICY)
    live.git("init", "-q", "--bare", str(place / "remote.git"))
    live.git("remote", "add", "origin", str(place / "remote.git"))
    live.git("commit", "-q", "--allow-empty", "-m", "one")
    return live


def pushed(live: Live) -> str:
    """The commit that the remote has on main."""
    return live.git("ls-remote", "origin", "main").split("\t")[0]


def head(live: Live) -> str:
    return live.git("rev-parse", "HEAD").strip()


def goes_on(
    live: Live, script: list[Step], session: str | None = None, agents: dict[str, list[Step]] | None = None
) -> str:
    """A headless run, or one that resumes a session; the id of its session."""
    arguments = [] if session is None else ["--resume", session]
    run = live.headless(script, arguments=arguments, agents=agents)
    assert run.code == 0, run.err
    return str(run.result["session_id"])


def asked(live: Live) -> list[str]:
    return [row["key"] for row in live.rows("prompt")]


def approve(live: Live, id: str) -> None:
    done = at_a_terminal(live.home, "approvals", "approve", id, "--yes")
    assert done.code == 0, done.out


def test_a_headless_run_is_approved_and_its_retry_fires_once(live: Live) -> None:
    run = live.headless([("Bash", PUSH), "done"])
    session = str(run.result["session_id"])
    (id,) = asked(live)
    assert id in run.told(0)
    assert (pushed(live), live.verdicts()) == ("", ["deny"])

    approve(live, id)
    goes_on(live, [*FIRST, ("Bash", PUSH), ("Bash", PUSH), "done"], session)

    assert pushed(live) == head(live)
    assert live.verdicts() == ["deny", "allow", "deny"]
    assert [row["key"] for row in live.rows("redemption")] == [id]
    assert len(set(asked(live))) == 2  # the second try is a new question


def test_a_commit_after_the_yes_is_asked_about_anew(live: Live) -> None:
    run = live.headless([("Bash", PUSH), "done"])
    (id,) = asked(live)
    approve(live, id)
    live.git("commit", "-q", "--allow-empty", "-m", "not seen by anybody")
    goes_on(live, [*FIRST, ("Bash", PUSH), "done"], str(run.result["session_id"]))
    assert pushed(live) == ""
    assert len(set(asked(live))) == 2
    sends = [row["body"]["sends"][0] for row in live.rows("prompt")]
    assert sends == [f"refs/heads/main {live.git('rev-parse', rev).strip()}" for rev in ("HEAD~1", "HEAD")]


def test_in_a_sub_agent_the_yes_is_for_its_type(live: Live) -> None:
    """The client gives each sub-agent a new id; the type is what it was started as."""
    start = {
        "description": "push",
        "prompt": "ZEBRA: push it",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    agents: dict[str, list[Step]] = {"ZEBRA": [("Bash", PUSH), "tried"]}
    session = goes_on(live, [("Agent", start), "done"], agents=agents)
    (id,) = asked(live)
    (prompt,) = live.rows("prompt")
    assert prompt["body"]["agent_type"] == "general-purpose"
    assert pushed(live) == ""

    approve(live, id)
    goes_on(live, [*FIRST, ("Agent", start), "done"], session, agents)

    assert pushed(live) == head(live)
    calls = [row["body"]["receipt"]["call"] for row in live.rows() if row["body"]["receipt"]["call"]["tool"] == "Bash"]
    assert {call["agent_type"] for call in calls} == {"general-purpose"}
    assert len({call["agent"] for call in calls}) == len(calls) == 2
    assert [row["key"] for row in live.rows("redemption")] == [id]


def test_a_yes_in_the_clients_own_dialog_closes_the_question(live: Live) -> None:
    with live.terminal([("Bash", PUSH), "all done"], mode="default") as (at, _):
        at.type("please push it")
        at.answer("Do you want to", "Enter")
        at.wait_for("all done")
    assert pushed(live) == head(live)
    (id,) = asked(live)
    (answer,) = live.rows("answer")
    assert (answer["key"], answer["body"]["answer"], answer["body"]["by"]) == (id, "closed", "host")
    late = at_a_terminal(live.home, "approvals", "approve", id, "--yes")
    assert (late.code, "is closed already" in late.out) == (1, True)
