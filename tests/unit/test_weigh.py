"""The weighing of a call, as a table: what the ledger holds on it, and what comes of that. Nothing here is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.grant import Grant
from interlock.approve.lifecycle import APPROVED, CLOSED, DENIED, EDGES, EXPIRED, PENDING, REDEEMED, Question, asked_at
from interlock.approve.standing import Ask, Asked, Case, Deny, Fire, Snapshot, Standing, Ticket
from interlock.approve.weigh import is_same, plainly, weigh
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.model.verdict import Strength
from interlock.policy.model import OnTimeout
from interlock.reading.read import read_call
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.value import FrozenMap

NOW = 1_000_000
MINUTE = 60_000


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """A push that cannot be taken back, with nobody in front of the host."""
    call = Call(
        tool="Bash", input=FrozenMap({"command": "git push --force origin main"}), cwd="/p", session="s", host="h"
    )
    policy = load_policy(folders_for(str(tmp_path)), str(tmp_path))
    policy = policy.replace(approvers=("terminal",), on_timeout=OnTimeout.DENY, timeout=10, max_pending=3)
    session = Session(id="s", posture=Posture.AUTONOMOUS)
    return Case(call=call, reading=read_call(call, Facts(root="/p", home="/h")), policy=policy, session=session)


def question(status: str, **changes: object) -> Question:
    fields = {"id": "ap_1", "seq": 7, "holder": "h:s", "status": status, "proof": None, "asked": NOW, "expires": 0}
    return Question(**{**fields, **changes})  # type: ignore[arg-type]


def held(asked: Asked | None = None, **standing: object) -> Snapshot:
    return Snapshot(standing=Standing(asked=asked or Asked(), **standing))  # type: ignore[arg-type]


def edges(found: Fire | Ask | Deny) -> list[tuple[str, str]]:
    moves = [*found.moves, *([found.redeems] if isinstance(found, Fire) and found.redeems else [])]
    return [(move.before.status, move.after.status) for move in moves]


def rules(found: Fire | Ask | Deny) -> set[str]:
    return {reason.rule for reason in found.decision.reasons}


def test_what_was_never_asked_about_is_asked_and_waits_for_as_long_as_the_policy_says(case: Case) -> None:
    found = weigh(case, held(), NOW)
    assert isinstance(found, Deny)
    assert found.is_new
    assert found.question is not None
    assert (found.question.status, found.question.asked, found.question.expires) == (PENDING, NOW, NOW + 10 * MINUTE)
    assert found.question.id == found.decision.approval
    later = asked_at(found.question, NOW + 5)
    assert (later.asked, later.expires) == (NOW + 5, NOW + 5 + 10 * MINUTE)


def test_a_yes_lets_the_call_through_once_by_the_table_alone(case: Case) -> None:
    live = question(APPROVED, id=weigh(case, held(), NOW).decision.approval)
    found = weigh(case, held(Asked(live=live, by="ann")), NOW)
    assert isinstance(found, Fire)
    assert found.redeems is not None
    assert (found.redeems.before, found.redeems.after) == (live, live.replace(status=REDEEMED))
    assert [(grant.kind, grant.by) for grant in found.decision.used] == [("once", "ann")]
    assert (found.uses, found.moves) == ((), ())


WAITING = {
    "it waits already": (Asked(live=question(PENDING)), [], ""),
    "it waits with another secret": (Asked(live=question(PENDING, proof="x")), [], "differs"),
    "a yes with another secret": (Asked(live=question(APPROVED, proof="x")), [], "differs"),
    "a yes whose time is over": (Asked(live=question(APPROVED, expires=NOW)), [], ""),
    "a no in this session": (Asked(last=question(DENIED), last_of="h:s", closed=1), [], "refused"),
    "nobody answered": (Asked(last=question(EXPIRED), last_of="h:s", closed=1), [], "unanswered"),
    "the time runs out now": (
        Asked(over=question(PENDING, expires=NOW), last=question(EXPIRED, expires=NOW), last_of="h:s", closed=1),
        [(PENDING, EXPIRED)],
        "unanswered",
    ),
    "too many wait": (Asked(waiting=3), [], "crowded"),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_stands_against_asking_keeps_no_new_question(case: Case, name: str) -> None:
    asked, moves, why = WAITING[name]
    found = weigh(case, held(asked), NOW)
    assert isinstance(found, Deny)
    assert (found.is_new, edges(found)) == (False, moves)
    assert found.session.asking == (why if why != "refused" else "")
    assert bool(found.session.refused) == (why == "refused")


def test_a_no_in_another_session_is_asked_about_under_a_new_id(case: Case) -> None:
    found = weigh(case, held(Asked(last=question(DENIED), last_of="h:other", closed=2)), NOW)
    assert isinstance(found, Deny)
    assert found.is_new
    assert found.question is not None
    assert found.session.asked_before == 2
    assert found.question.id != weigh(case, held(), NOW).decision.approval


def test_a_yes_that_is_too_weak_by_now_is_closed_and_asked_for_again(case: Case) -> None:
    asked = Asked(live=question(APPROVED), strength=Strength.WEAK, why="it is not signed")
    found = weigh(case, held(asked, signing="medium"), NOW)
    assert isinstance(found, Deny)
    assert edges(found) == [(APPROVED, CLOSED)]
    assert found.moves[0].how == {"by": "strength", "why": "the yes is too weak: it is not signed"}
    assert found.is_new
    assert found.question is not None
    assert found.session.asked_before == 1


def test_a_person_is_reminded_once_for_each_time_it_is_due(case: Case) -> None:
    case = case.replace(policy=case.policy.replace(on_timeout=OnTimeout.REMIND))
    live = question(PENDING)
    for known, expected in ((0, 2), (1, 2), (2, None)):
        found = weigh(case, held(Asked(live=live, reminded=known)), NOW + 25 * MINUTE)
        assert isinstance(found, Deny)
        assert (found.reminds and found.reminds.count) == expected


def test_every_move_is_an_edge_of_the_table(case: Case) -> None:
    seen = [weigh(case, held(asked), NOW) for asked, _, _ in WAITING.values()]
    assert all(after in EDGES[before] for found in seen for before, after in edges(found))


def test_a_grant_of_the_ledger_is_used_only_where_it_lifts_something(case: Case) -> None:
    call = case.call.replace(input=FrozenMap({"command": "npm install left-pad"}))
    case = case.replace(call=call, reading=read_call(call, Facts(root="/p", home="/h")))
    scope = {name: str(value) for name, value in case.reading.actions[0].target.items() if type(value) is str}
    grant = Grant(id="gr_1", kind="capability", action="pkg:install", reach="everywhere", by="ann")
    grant = grant.replace(scope=FrozenMap(scope))
    other = Ticket(grant=grant.replace(id="gr_2", action="npm:publish"), name="gr_2")
    mine = Ticket(grant=grant, name="gr_1")
    found = weigh(case.replace(session=Session(id="s")), held(tickets=(other, mine)), NOW)
    used = found.uses if isinstance(found, Fire) else ()
    assert (type(found), used) == (Fire, (mine,))


def test_the_policy_alone_decides_what_it_plainly_allows(case: Case) -> None:
    first = plainly(case, 0)
    assert not isinstance(first, Fire)
    assert weigh(case, held(), NOW, first) == weigh(case, held(), NOW)
    call = case.call.replace(input=FrozenMap({"command": "ls"}))
    plain = case.replace(call=call, reading=read_call(call, Facts(root="/p", home="/h")))
    found = plainly(plain, 0)
    assert isinstance(found, Fire)
    assert found.decision == weigh(plain, held(), NOW).decision


def test_a_case_is_the_same_until_what_it_hangs_on_changes(case: Case) -> None:
    assert is_same(case, case.replace(moment="2026-12-01T00:00:00Z"))
    assert is_same(case, case.replace(session=case.session.replace(watch="stamp key", since="2026")))
    assert not is_same(case, case.replace(session=case.session.replace(posture=Posture.INTERACTIVE)))
    assert not is_same(case, case.replace(closed=frozenset({"nights"})))
    assert not is_same(case, case.replace(proof="x"))
