"""A question stays open: retries are free, a yes is to what was shown, and nothing but a new ask voids it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import interlock
from interlock.gate.checked import Checked
from interlock.record.receipt import decision_from_wire
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.rows import open_decision
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question, one_question

POLICY = """version = 1
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.drop_all]
effects = ["destructive"]
risk = "critical"
"""
RULE = """
[[rules]]
id = "look"
when = { tool = "refund" }
verdict = "ask"
reason = "Look at the order first."
"""


class Desk:
    """One gate, the policy that it reads, and a person at a terminal."""

    def __init__(self, home: Path) -> None:
        self.folders = folders_for(str(home))
        self.policy = Path(self.folders.user_policy)
        self.policy.parent.mkdir(parents=True)
        self.policy.write_text(POLICY)
        self.gate = interlock.Gate(home=home, root=home / "project", deadline=60)

    def check(self, tool: str = "refund", session: str = "s", **given: Any) -> Checked:
        return self.gate.check(tool, given or {"amount": 5}, session=session)

    def answer(self, approval: str, *, yes: bool = True, why: str = "") -> None:
        with self.ledger() as ledger:
            answered(ledger, one_question(ledger, approval), yes=yes, by="ann", why=why)

    def reasons(self, approval: str) -> list[str]:
        with self.ledger() as ledger:
            return list(one_question(ledger, approval).body["reasons"])

    def open(self) -> list[str]:
        with self.ledger() as ledger:
            return [asked.question.id for asked in every_question(ledger) if asked.is_open]

    def ledger(self) -> Any:
        from contextlib import closing

        return closing(Ledger(self.folders.ledger, front="cli:approvals"))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "project").mkdir()
    made = Desk(tmp_path)
    yield made
    made.gate.close()


def test_a_retry_of_an_open_question_is_free_and_names_the_same_one(desk: Desk) -> None:
    first = desk.check()
    assert first.verdict == "ask"
    assert {(again.verdict, again.approval) for again in (desk.check() for _ in range(40))} == {("ask", first.approval)}
    assert desk.open() == [first.approval]
    desk.answer(first.approval)
    assert desk.check().verdict == "allow"
    assert desk.check().approval not in ("", first.approval)  # the next one is another
    assert desk.check("note", text="x").verdict == "ask"  # and the session is not locked
    assert verify(desk.folders).damage is None


def test_a_no_is_told_each_time_with_the_persons_words_and_locks_nothing(desk: Desk) -> None:
    first = desk.check()
    desk.answer(first.approval, yes=False, why="it is Friday")
    for _ in range(20):
        again = desk.check()
        assert (again.verdict, again.approval) == ("deny", "")
        assert "it is Friday" in again.agent
    assert desk.check("note", text="x").verdict == "ask"


Change = Callable[[Desk], None]


def declares_a_tool(desk: Desk) -> None:
    desk.gate.declare("another", effects=["read"])


def adds_a_tool_to_the_policy(desk: Desk) -> None:
    desk.policy.write_text(POLICY + '[tools.another]\neffects = ["read"]\n')


def adds_a_rule_about_something_else(desk: Desk) -> None:
    desk.policy.write_text(POLICY + RULE.replace("refund", "other"))


@pytest.mark.parametrize("change", [declares_a_tool, adds_a_tool_to_the_policy, adds_a_rule_about_something_else])
@pytest.mark.parametrize("answered_first", [False, True], ids=["open", "approved"])
def test_what_has_nothing_to_do_with_a_question_does_not_void_it(
    desk: Desk, change: Change, answered_first: bool
) -> None:
    first = desk.check()
    if answered_first:
        desk.answer(first.approval)
    change(desk)
    if not answered_first:
        assert desk.check().approval == first.approval
        desk.answer(first.approval)
    assert desk.check().verdict == "allow"


@pytest.mark.parametrize("answered_first", [False, True], ids=["open", "approved"])
def test_a_rule_that_was_added_since_asks_and_says_what_is_new(desk: Desk, answered_first: bool) -> None:
    first = desk.check()
    if answered_first:
        desk.answer(first.approval)
    desk.policy.write_text(POLICY + RULE)
    second = desk.check()
    assert (second.verdict, desk.open()) == ("ask", [second.approval])
    assert second.approval != first.approval
    new = "New since this was last asked: Look at the order first."
    assert new in desk.reasons(second.approval)
    desk.answer(second.approval)
    assert desk.check().verdict == "allow"


def test_a_rule_that_was_changed_since_is_another_rule(desk: Desk) -> None:
    desk.policy.write_text(POLICY + RULE)
    first = desk.check()
    desk.answer(first.approval)
    desk.policy.write_text(POLICY + RULE.replace("the order", "the customer"))
    assert desk.check().approval not in ("", first.approval)


def test_a_rule_that_is_gone_leaves_the_yes_as_it_is(desk: Desk) -> None:
    desk.policy.write_text(POLICY + RULE)
    first = desk.check()
    desk.policy.write_text(POLICY)
    assert desk.check().approval == first.approval
    desk.answer(first.approval)
    assert desk.check().verdict == "allow"


def test_a_yes_from_where_the_policy_takes_none_any_more_is_asked_for_again(desk: Desk) -> None:
    desk.policy.write_text(POLICY + '[approvals]\nby = ["terminal", "http"]\n')
    first = desk.check()
    desk.answer(first.approval)
    desk.policy.write_text(POLICY + '[approvals]\nby = ["http"]\n')
    assert desk.check().approval not in ("", first.approval)


def test_another_entry_of_its_own_tool_is_another_question(desk: Desk) -> None:
    first = desk.check()
    desk.answer(first.approval)
    desk.policy.write_text(POLICY.replace('effects = ["network"]', 'effects = ["network", "write"]'))
    assert desk.check().approval not in ("", first.approval)


def test_a_yes_that_fires_ends_a_lock_that_retries_caused(desk: Desk) -> None:
    waits = desk.check().approval
    while desk.check("Bash", command="rm -rf /").agent.count("locked") == 0:
        pass
    assert "locked" in desk.check("note", text="x").agent
    held = desk.check()
    assert (held.verdict, held.approval) == ("ask", waits)
    desk.answer(waits)
    fired = desk.check()
    assert fired.verdict == "allow"
    assert desk.check("note", text="x").verdict == "ask"
    assert verify(desk.folders).damage is None


def test_a_yes_does_not_end_a_lock_that_a_person_set(desk: Desk) -> None:
    from interlock.model.posture import Posture
    from interlock.store.home.postures import keep_posture

    waits = desk.check().approval
    desk.answer(waits)
    keep_posture(desk.folders, str(desk.gate.backend.engine.worlds.given.root), Posture.LOCKED)  # type: ignore[attr-defined]
    assert desk.check().verdict == "deny"


def test_the_receipt_names_the_asks_that_the_yes_covered(desk: Desk) -> None:
    desk.answer(desk.check().approval)
    receipt = desk.check().receipt
    with desk.ledger() as ledger, ledger.looking() as view:
        body = open_decision(view.find(receipt, "decision"))[1]
    (grant,) = decision_from_wire(body).used
    assert grant.asks
    assert all(ask.count("/") >= 1 for ask in grant.asks)


def test_one_too_many_is_not_asked_and_says_so(desk: Desk) -> None:
    desk.policy.write_text(POLICY + "[approvals]\nmax_pending = 2\n")
    for amount in (1, 2):
        assert desk.check(amount=amount).verdict == "ask"
    for _ in range(20):
        third = desk.check(amount=3)
        assert (third.verdict, third.approval) == ("deny", "")
        assert "wait for an approval already" in third.agent
    desk.answer(desk.open()[0])
    assert desk.check(amount=1).verdict == "allow"
    assert desk.check(amount=3).verdict == "ask"
