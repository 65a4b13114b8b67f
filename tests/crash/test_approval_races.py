"""Many processes and one approval: exactly one of them fires, and exactly one answer counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.errors import ApprovalError
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.policy.parse import parse_policy
from interlock.runtime import judge
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question
from interlock.value import FrozenMap
from racing import RACES, raced, without_hurry


def desk(folder: Path) -> tuple[Folders, Callable[[int], bool]]:
    folders = folders_for(str(folder / "home"))
    project = folder / "project"
    project.mkdir()
    Path(folders.config).mkdir(parents=True)
    text = 'version = 1\n[approvals]\nby = ["terminal"]\n'
    parse_policy(text.encode(), name="user", file="policy.toml")
    Path(folders.user_policy).write_text(text)
    policy = load_policy(folders, str(project))

    def fires(number: int) -> bool:
        call = Call(
            tool="Bash",
            input=FrozenMap({"command": "git push --force origin main"}),
            cwd=str(project),
            session="s",
            attempt=f"toolu_{number}" if number % 2 else "toolu_same",
        )
        ledger = without_hurry(Ledger(folders.ledger))
        world = World(folders=folders, root=str(project), policy=policy, ledger=ledger, resumes=True)
        outcome = judge(call, world, Session(id="s", posture=Posture.AUTONOMOUS))
        ledger.close()
        assert outcome.trouble is None, outcome.trouble
        return outcome.decision.verdict.name == "allow"

    return folders, fires


@pytest.mark.slow
def test_of_many_who_redeem_one_approval_one_fires(tmp_path: Path) -> None:
    folders, fires = desk(tmp_path)
    for number in range(RACES):
        assert not fires(0)
        (asked,) = every_question(Ledger(folders.ledger))
        answered(Ledger(folders.ledger), asked, yes=True, by="a test", why="")
        assert sum(raced(fires)) == 1, f"round {number}"
    assert verify(folders).damage is None


def test_of_many_answers_one_counts(tmp_path: Path) -> None:
    folders, fires = desk(tmp_path)
    assert not fires(0)
    (asked,) = every_question(Ledger(folders.ledger))

    def answers(number: int) -> bool:
        try:
            answered(Ledger(folders.ledger), asked, yes=number % 2 == 0, by=f"person {number}", why="")
        except ApprovalError:
            return False
        return True

    assert sum(raced(answers, 20)) == 1
    assert verify(folders).damage is None


def test_an_answer_at_the_moment_of_the_timeout_is_an_answer_or_told_to_be_late(tmp_path: Path) -> None:
    folders, fires = desk(tmp_path)
    assert not fires(0)
    (asked,) = every_question(Ledger(folders.ledger))
    end = asked.question.expires

    def answers(number: int) -> bool:
        ledger = Ledger(folders.ledger, clock=lambda: end - 5 + number)
        try:
            answered(ledger, asked, yes=True, by="a test", why="")
        except ApprovalError:
            return False
        return True

    got_through = sum(raced(answers, 10))
    (now,) = every_question(Ledger(folders.ledger), over=True)
    assert (got_through, now.question.status) in ((1, "approved"), (0, "expired"))
