"""After a person's yes: what may differ in the call that comes, what may not, and that no clock brings a yes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question
from interlock.value import FrozenMap
from ledger_rows import ledger_rows

MINUTE, HOUR, YEAR = 60_000, 3_600_000, 365 * 24 * 3_600_000
BEGIN = 1_800_000_000_000
PUSH = "git push --force origin caf\u00e9"


class Desk:
    """A ledger whose clock the test sets; each call opens it anew, as a process that was just started does."""

    def __init__(self, folder: Path) -> None:
        self.folders = folders_for(str(folder / "home"))
        self.root = folder / "project"
        self.root.mkdir()
        Path(self.folders.config).mkdir(parents=True)
        self.policy(timeout=60)
        self.now = BEGIN

    def policy(self, timeout: int) -> None:
        text = f'version = 1\n[approvals]\nby = ["terminal"]\ntimeout = {timeout}\n'
        Path(self.folders.user_policy).write_text(text)

    def fires(self, *, run: str = "", **changes: Any) -> bool:
        ledger = Ledger(self.folders.ledger, clock=lambda: self.now)
        policy = load_policy(self.folders, str(self.root))
        world = World(folders=self.folders, root=str(self.root), policy=policy, ledger=ledger, resumes=True)
        given = {"command": PUSH, "description": "Push it", **changes.pop("input", {})}
        call = Call(
            **{"tool": "Bash", "input": FrozenMap(given), "cwd": str(self.root), "session": "s", "host": "h", **changes}
        )
        session = Session(id=call.session, posture=Posture.AUTONOMOUS, label=run)
        outcome = judge(call, world, session)
        ledger.close()
        assert outcome.trouble is None
        return outcome.decision.verdict.name == "allow"

    def approve(self, **changes: Any) -> None:
        assert not self.fires(**changes)
        ledger = Ledger(self.folders.ledger, clock=lambda: self.now)
        (asked,) = every_question(ledger)
        answered(ledger, asked, yes=True, by="a test", why="")
        ledger.close()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"input": {"command": "git push --force origin main"}},
        {"input": {"command": PUSH + " "}},
        {"input": {"command": "git push --force origin cafe\u0301"}},  # looks the same
        {"input": {"run_in_background": True}},
        {"cwd": "/tmp"},
        {"session": "another"},
        {"run": "nightly"},
        {"agent": "sub"},
        {"host": "another"},
    ],
    ids=str,
)
def test_what_is_bound_may_not_differ(changes: dict[str, Any], desk: Desk) -> None:
    desk.approve()
    assert not desk.fires(**changes)
    assert desk.fires()  # the yes is still there for what it was given for


def test_what_is_said_about_the_call_may_differ(desk: Desk) -> None:
    desk.approve()
    assert desk.fires(input={"description": "Now then", "timeout": 5})


def test_a_policy_that_asks_nothing_more_leaves_the_yes_as_it_is(desk: Desk) -> None:
    desk.approve()
    desk.policy(timeout=61)
    assert desk.fires()


@pytest.mark.parametrize("shift", [0, -HOUR, -BEGIN, YEAR], ids=["restarted", "an hour back", "1970", "a year on"])
def test_a_yes_that_was_used_is_used_whatever_the_clock_says(shift: int, desk: Desk) -> None:
    desk.approve()
    assert desk.fires()
    desk.now += shift
    assert not desk.fires()
    desk.now = BEGIN
    assert not desk.fires()
    assert len(ledger_rows(Path(desk.folders.ledger), "redemption")) == 1
    assert verify(desk.folders).damage is None


@pytest.mark.parametrize("late", [61 * MINUTE, YEAR], ids=["an hour on", "a year on"])
def test_a_yes_whose_time_was_over_is_not_brought_back_by_the_clock(late: int, desk: Desk) -> None:
    desk.approve()
    desk.now += late
    assert not desk.fires()
    for now in (BEGIN, BEGIN - HOUR, 0):
        desk.now = now
        assert not desk.fires(), now
    assert ledger_rows(Path(desk.folders.ledger), "redemption") == []


def test_a_clock_that_is_set_back_gives_a_yes_no_longer_life(desk: Desk) -> None:
    desk.approve()
    desk.now -= HOUR
    assert not desk.fires(session="another")  # a row that is written by the wrong clock
    desk.now = BEGIN + 61 * MINUTE
    assert not desk.fires()
