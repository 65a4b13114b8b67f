"""What the ledger holds on a call, and what follows: under a policy of two rules, so that nothing else has a say."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import approval_for
from interlock.approve.grant import Grant
from interlock.approve.lifecycle import APPLIED, APPROVED, CLOSED, DENIED, EXPIRED, HALFWAY, PENDING, REDEEMED, Question
from interlock.approve.standing import Ask, Asked, Case, Deny, Fire, Move, Reminder, Snapshot, Standing, Ticket
from interlock.approve.weigh import as_seen, is_same, plainly, weigh
from interlock.model import heard
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.origins import Known
from interlock.model.posture import Posture
from interlock.model.session import Pending, Session
from interlock.model.steps import Ran
from interlock.model.verdict import Strength, Verdict
from interlock.policy.model import OnTimeout, Policy, Rule, Tiers, ToolSpec, When
from interlock.value import FrozenMap

NOW, MINUTE = 1_000_000, 60_000
BY_RULE = Rule(id="pushes", when=When(action="git:push"), verdict=Verdict.ASK, reason="Why.")
NEVER = Rule(id="never", when=When(action="git:push"), verdict=Verdict.DENY, reason="No.")
POLICY = Policy(
    tools=FrozenMap({"Git": ToolSpec(name="Git", effects=(Effect.NETWORK, Effect.READ))}),
    rules=(BY_RULE,),
    tiers=Tiers(actions=FrozenMap({"git:push": 3})),
    on_timeout=OnTimeout.DENY,
    timeout=10,
    max_pending=3,
    digest="sha256:d",
)
CALL = Call(tool="Git", input=FrozenMap({}), cwd="/p", session="s", host="h")
PUSH = Action(name="git:push", target=FrozenMap({"branch": "main"}), effects=(Effect.NETWORK,))
PULL = Action(name="git:pull", effects=(Effect.NETWORK,))
PERMITS = Grant(id="gr_1", kind="capability", action="git:push", reach="session", by="ann")
TICKET = Ticket(grant=PERMITS, name="gr_1")


def reading(*actions: Action) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions)


def a_case(
    *actions: Action, policy: Policy = POLICY, session: Session | None = None, call: Call = CALL, **more: Any
) -> Case:
    """A push with a person in front of the host, unless told otherwise."""
    read = reading(*(actions or (PUSH,)))
    return Case(call=call, reading=read, policy=policy, session=session or Session(id="s"), **more)


APPROVERS = POLICY.replace(approvers=("terminal",))
ALONE = Session(id="s", posture=Posture.AUTONOMOUS)
UNATTENDED = a_case(policy=APPROVERS, session=ALONE)


def id_of(case: Case, closed: int = 0) -> str:
    """Of the question about this call, after so many that are closed."""
    return approval_for(case.call, case.reading, case.policy, run=case.session.label, closed=closed).id


def question(status: str, case: Case = UNATTENDED, *, closed: int = 0, **changes: Any) -> Question:
    made = Question(
        id=id_of(case, closed), seq=7, holder="h:s", status=status, proof=None, asked=NOW, expires=NOW + 10 * MINUTE
    )
    return made.replace(**changes)


def holds(asked: Asked | None = None, **standing: Any) -> Snapshot:
    return Snapshot(standing=Standing(asked=asked or Asked(), **standing))


def told(found: Fire | Ask | Deny) -> list[tuple[str, str]]:
    return [(reason.layer, reason.rule) for reason in found.decision.reasons]


def asks_of(found: Fire | Ask | Deny) -> Question | None:
    assert not isinstance(found, Fire)
    return found.question if found.is_new else None


def redeems_of(found: Fire | Ask | Deny) -> Move | None:
    assert isinstance(found, Fire)
    return found.redeems


# --- the policy alone ---------------------------------------------------------------------------------------------


def test_what_nothing_is_found_about_is_plainly_allowed() -> None:
    found = plainly(a_case(PULL), 0)
    assert isinstance(found, Fire)
    assert (found.decision.verdict, found.session, found.uses, found.redeems) == (
        Verdict.ALLOW,
        Session(id="s"),
        (),
        None,
    )


def test_what_a_grant_lifts_is_not_plainly_allowed() -> None:
    found = plainly(a_case(grants=(PERMITS,)), 0)
    assert not isinstance(found, Fire)
    assert (found[1].verdict, found[1].used) == (Verdict.ALLOW, (PERMITS,))


def test_while_interlock_is_off_the_session_and_the_agent_are_told_so() -> None:
    found = plainly(a_case(PULL), NOW)
    assert isinstance(found, Fire)
    assert found.session == Session(id="s", off=True)
    off = "The person has switched Interlock off for a while; only its built-in refusals apply."
    assert found.decision.notes == (off,)


def test_what_the_policy_alone_says_is_looked_at_again_with_grants_and_keys_of_the_ledger() -> None:
    case = a_case()
    first = plainly(case, 0)
    assert not isinstance(first, Fire)
    granted = weigh(case, Snapshot(standing=Standing(tickets=(TICKET,))), NOW, first)
    assert isinstance(granted, Fire)
    assert granted.uses == (TICKET,)
    signed = weigh(case, Snapshot(standing=Standing(signing="medium")), NOW, first)
    assert told(signed) == [("strength", "medium"), ("rules", "pushes")]


# --- what the layers see of a session -----------------------------------------------------------------------------

OTHER: dict[str, dict[str, Any]] = {
    "calls that happened": {"recent": (Ran(projection="sha256:q", outcome="ran"),)},
    "what was spent": {"spent": FrozenMap({"fs:write": 3})},
    "a no to something else": {"refused": (("npm:publish",),)},
    "questions about something else": {"pending": (Pending(approval="ap_2", projection="sha256:q"),)},
}


@pytest.mark.parametrize("name", OTHER)
def test_what_does_not_bear_on_the_call_is_left_out_of_its_receipt(name: str) -> None:
    assert as_seen(a_case(), Session(id="s", **OTHER[name])) == Session(id="s")


def test_of_a_mode_that_a_phrase_raised_only_whether_it_is_in_force_is_seen() -> None:
    case, session = a_case(moment="2026-06-01T12:00:00Z"), Session(id="s")
    raised = session.replace(raised="2026-06-01T13:00:00Z")
    assert as_seen(case, raised) == session.replace(raised="in force")
    assert as_seen(case.replace(moment="2026-06-01T13:00:00Z"), raised) == session


def test_closed_windows_of_time_are_seen_where_a_rule_names_one() -> None:
    closed = frozenset({"Mon"})
    named = a_case(policy=POLICY.replace(windows=("Mon",)), closed=closed)
    assert as_seen(named, named.session) == Session(id="s", closed=closed)
    assert as_seen(a_case(closed=closed), Session(id="s")) == Session(id="s")


# --- the same case ------------------------------------------------------------------------------------------------


def test_a_call_that_reads_otherwise_by_now_is_weighed_anew() -> None:
    case = a_case()
    assert is_same(case, case.replace(reading=reading(PUSH)))
    assert not is_same(case, case.replace(reading=reading(PUSH, PULL)))
    assert not is_same(case, case.replace(grants=(PERMITS,)))


def test_a_mode_that_runs_out_in_between_makes_another_case() -> None:
    case = a_case(session=Session(id="s", raised="2026-06-01T13:00:00Z"), moment="2026-06-01T12:00:00Z")
    assert is_same(case, case.replace(moment="2026-06-01T12:30:00Z"))
    assert not is_same(case, case.replace(moment="2026-06-01T13:00:00Z"))


UNWEIGHED: dict[str, Any] = {
    "watch": "stamp key",
    "heard": FrozenMap({"t.jsonl": 7}),
    "since": "2026",
    "told": frozenset({"notice"}),
    "questions": (heard.Question(attempt="t1", projection="sha256:p"),),
    "phrase": heard.Phrase(prompt="m1", digest="hmac-sha256:1", until="2026"),
    "values": Known(said=("a",)),
}


@pytest.mark.parametrize("field", UNWEIGHED)
def test_what_no_layer_looks_at_makes_no_other_case(field: str) -> None:
    case = a_case()
    assert is_same(case, case.replace(session=case.session.replace(**{field: UNWEIGHED[field]})))


# --- signatures ---------------------------------------------------------------------------------------------------


def test_the_receipt_of_a_plainly_allowed_call_does_not_say_who_could_sign() -> None:
    assert weigh(a_case(PULL), Snapshot(standing=Standing(signing="medium")), NOW).session.signing == ""


def test_a_grant_that_is_too_weak_by_now_lifts_nothing() -> None:
    case = a_case(grants=(PERMITS.replace(reach="everywhere"),))
    assert isinstance(weigh(case, Snapshot(), NOW), Fire)
    found = weigh(case, Snapshot(standing=Standing(signing="medium")), NOW)
    assert (type(found), found.session.signing) == (Deny, "medium")
    assert told(found) == [("strength", "medium"), ("rules", "pushes")]


def test_a_grant_of_the_ledger_is_not_used_up_where_those_of_the_policy_do() -> None:
    """Whoever may send a file may read it: the grant for reading is not needed."""
    file = Action(
        name="fs:read",
        target=FrozenMap({"path": "/p/a"}),
        effects=(Effect.READ,),
        tags=("sends",),
        field="command",
    )
    send = Action(
        name="net:send",
        target=FrozenMap({"destination": "a.test"}),
        effects=(Effect.NETWORK,),
        tags=("external", "sends"),
    )
    sends = PERMITS.replace(action="net:send", scope=FrozenMap({"destination": "*"}))
    reads = Ticket(grant=PERMITS.replace(action="fs:read"), name="gr_2")
    policy = POLICY.replace(tiers=Tiers(marks=FrozenMap({"sends": 2})))
    found = weigh(a_case(file, send, policy=policy, grants=(sends,)), holds(tickets=(reads,)), NOW)
    assert isinstance(found, Fire)
    assert (found.decision.used, found.uses) == ((sends,), ())


# --- whether a question is kept -----------------------------------------------------------------------------------

CODEX = CALL.replace(host="codex")
KEPT: dict[str, tuple[Case, str, bool]] = {
    "the host asks the person in front of it": (a_case(), "", False),
    "the host can ask nobody": (a_case(call=CODEX), "", True),
    "questions are answered elsewhere": (a_case(elsewhere=True), "", True),
    "somebody else may approve it": (a_case(policy=APPROVERS), "", True),
    "only a signature counts": (a_case(), "medium", True),
    "nobody is there, and somebody may approve it": (UNATTENDED, "", True),
    "nobody is there, and nobody may approve it": (a_case(session=ALONE), "", False),
    "a rule denies it as well": (a_case(policy=APPROVERS.replace(rules=(BY_RULE, NEVER))), "", False),
    "a rule denies it": (a_case(policy=APPROVERS.replace(rules=(NEVER,))), "", False),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_question_is_kept_where_somebody_can_answer_it_elsewhere(name: str) -> None:
    case, signing, kept = KEPT[name]
    found = weigh(case, holds(signing=signing), NOW)
    asked = Question(
        id=id_of(case),
        seq=0,
        holder=case.call.kept_session,
        status=PENDING,
        proof=None,
        asked=NOW,
        expires=NOW + 10 * MINUTE,
    )
    assert asks_of(found) == (asked if kept else None)
    assert asks_of(weigh(case, Snapshot(standing=Standing(signing=signing)), NOW)) is None, "no questions are kept"


@pytest.mark.parametrize(
    "case",
    [
        a_case(session=ALONE),
        a_case(session=ALONE, elsewhere=True),
        a_case(session=ALONE, call=CODEX),
        a_case(policy=APPROVERS.replace(rules=(NEVER,))),
    ],
)
def test_where_no_answer_would_count_questions_are_left_as_they_are(case: Case) -> None:
    over = question(PENDING, case, expires=NOW)
    found = weigh(case, holds(Asked(over=over, last=over.replace(status=EXPIRED), closed=1)), NOW)
    assert (type(found), found.moves) == (Deny, ())


def test_a_question_is_held_by_the_run_where_it_has_a_label() -> None:
    case = UNATTENDED.replace(session=ALONE.replace(label="nightly"), proof="hmac-sha256:1")
    asked = asks_of(weigh(case, holds(), NOW))
    assert asked is not None
    assert (asked.holder, asked.proof, asked.id) == ("nightly", "hmac-sha256:1", id_of(case))


def test_where_a_person_is_reminded_the_question_waits_without_end() -> None:
    case = UNATTENDED.replace(policy=APPROVERS.replace(on_timeout=OnTimeout.REMIND))
    assert asks_of(weigh(case, holds(), NOW)) == question(PENDING, case, seq=0, expires=0)


def test_too_many_questions_of_a_session_are_not_asked() -> None:
    assert asks_of(weigh(UNATTENDED, holds(Asked(waiting=2)), NOW)) is not None
    assert asks_of(weigh(UNATTENDED, holds(Asked(waiting=3)), NOW)) is None


# --- what was said ------------------------------------------------------------------------------------------------


def test_a_yes_fires_as_a_grant_for_this_one_call() -> None:
    live = question(APPROVED)
    asked = Asked(live=live, by="ann", strength=Strength.MEDIUM, persons=("ann",))
    found = weigh(UNATTENDED, holds(asked), NOW)
    assert redeems_of(found) == Move(before=live, after=live.replace(status=REDEEMED))
    once = Grant(
        id=live.id,
        kind="once",
        binds=live.id,
        reach="once",
        by="ann",
        strength=Strength.MEDIUM,
        persons=("ann",),
    )
    assert found.decision.used == (once,)


def test_a_yes_does_not_fire_past_a_rule_that_denies() -> None:
    case = UNATTENDED.replace(policy=APPROVERS.replace(rules=(BY_RULE, NEVER)))
    found = weigh(case, holds(Asked(live=question(APPROVED, case))), NOW)
    assert (type(found), found.moves) == (Deny, ())
    assert told(found) == [("rules", "never"), ("rules", "pushes")]


@pytest.mark.parametrize("closed", [0, 2])
def test_a_yes_to_this_very_call_is_used_up_before_a_grant_that_covers_it_as_well(closed: int) -> None:
    case = a_case(grants=(PERMITS,))
    live = question(APPROVED, case, closed=closed)
    found = weigh(case, holds(Asked(live=live, closed=closed)), NOW)
    assert redeems_of(found) == Move(before=live, after=live.replace(status=REDEEMED))
    assert [grant.kind for grant in found.decision.used] == ["once"]
    assert found.session.asked_before == closed


UNUSED: dict[str, tuple[Case, Asked | None]] = {
    "no questions are kept": (a_case(grants=(PERMITS,)), None),
    "nothing was asked": (a_case(grants=(PERMITS,)), Asked()),
    "nobody has answered": (a_case(grants=(PERMITS,)), Asked(live=question(PENDING, a_case()))),
    "the call needs no yes by now": (a_case(PULL), Asked(live=question(APPROVED, a_case(PULL)))),
    "a yes does not open the gate": (
        a_case(policy=POLICY.replace(rules=(), gated=("git:push",)), grants=(PERMITS,)),
        Asked(live=question(APPROVED, a_case())),
    ),
}


@pytest.mark.parametrize("name", UNUSED)
def test_a_yes_that_is_not_what_lets_the_call_through_stays(name: str) -> None:
    case, asked = UNUSED[name]
    found = weigh(case, Snapshot(standing=Standing(asked=asked)), NOW)
    assert redeems_of(found) is None
    assert found.decision.used == case.grants


def test_where_the_host_asks_a_yes_from_elsewhere_is_left_alone() -> None:
    tags = Rule(id="tags", when=When(action="git:tag"), verdict=Verdict.ASK, reason="Why.")
    policy = POLICY.replace(rules=(BY_RULE, tags))
    case = a_case(PUSH, PUSH.replace(name="git:tag"), policy=policy, grants=(PERMITS,))
    found = weigh(case, holds(Asked(live=question(APPROVED, case))), NOW)
    assert (type(found), told(found)) == (Ask, [("rules", "tags")])


AGAINST = {
    "differs": "the same call with another secret waits for an approval already",
    "unanswered": "nobody answered in time when this call was asked about",
    "crowded": "too many calls of this session wait for an approval already",
}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Asked(live=question(PENDING, proof="x")), "differs"),
        (Asked(last=question(EXPIRED), last_of="h:s", closed=1), "unanswered"),
        (Asked(waiting=3), "crowded"),
    ],
)
def test_the_person_is_told_why_nobody_is_asked(asked: Asked, why: str) -> None:
    found = weigh(UNATTENDED, holds(asked), NOW)
    assert [(reason.layer, reason.text) for reason in found.decision.reasons] == [
        ("posture", f"Nobody is in front of this session to be asked, and {AGAINST[why]}."),
        ("rules", "Why."),
    ]


def test_a_question_whose_time_runs_out_now_is_moved_by_the_clock() -> None:
    over = question(PENDING, expires=NOW)
    expired = over.replace(status=EXPIRED)
    found = weigh(UNATTENDED, holds(Asked(over=over, last=expired, last_of="h:s", closed=1)), NOW)
    assert found.moves == (Move(before=over, after=expired, how=FrozenMap({"by": "timeout"})),)


@pytest.mark.parametrize("status", [REDEEMED, CLOSED])
def test_what_is_over_is_asked_about_again(status: str) -> None:
    found = weigh(UNATTENDED, holds(Asked(last=question(status), last_of="h:s", closed=1)), NOW)
    assert asks_of(found) == question(PENDING, closed=1, seq=0)


def test_with_a_person_in_front_what_nobody_answered_is_asked_again() -> None:
    case = a_case(policy=APPROVERS)
    found = weigh(case, holds(Asked(last=question(EXPIRED, case), last_of="h:s", closed=1)), NOW)
    assert asks_of(found) == question(PENDING, case, closed=1, seq=0)


def test_a_no_counts_in_the_session_in_which_it_was_said() -> None:
    no = Asked(last=question(DENIED), last_of="h:s", closed=1)
    found = weigh(UNATTENDED, holds(no), NOW)
    assert ("answers", "refused") in told(found)
    assert ("answers", "refused") not in told(weigh(UNATTENDED, holds(no.replace(last_of="h:t")), NOW))
    nameless = a_case(policy=APPROVERS, session=ALONE, call=CALL.replace(session=""))
    found = weigh(nameless, holds(Asked(last=question(DENIED, nameless), closed=1)), NOW)
    assert asks_of(found) == question(PENDING, nameless, closed=1, seq=0, holder="")


def test_a_question_that_waits_comes_before_a_no_of_earlier() -> None:
    asked = Asked(live=question(PENDING), last=question(DENIED), last_of="h:s")
    assert told(weigh(UNATTENDED, holds(asked), NOW)) == [("posture", "autonomous"), ("rules", "pushes")]


@pytest.mark.parametrize(("said", "kept"), [("Two files changed.", "Two files changed."), ("", "applied")])
def test_of_a_preview_that_was_applied_the_agent_is_told_and_the_call_does_not_run(said: str, kept: str) -> None:
    last = question(APPLIED)
    found = weigh(UNATTENDED, holds(Asked(last=last, last_of="h:s", closed=1, applied=said)), NOW)
    assert (type(found), asks_of(found), found.session.applied) == (Deny, None, kept)
    how = FrozenMap({"by": "the agent was told"})
    assert found.moves == (Move(before=last, after=last.replace(status=CLOSED), how=how),)
    (instead,) = [reason.instead for reason in found.decision.reasons if reason.layer == "answers"]
    assert instead == (f"The person has run this in a preview and applied its changes. Do not run it again. {kept}")


# --- how strong a yes is ------------------------------------------------------------------------------------------

TWO = UNATTENDED.replace(policy=APPROVERS.replace(two_for=("git:push",)))


def test_a_question_that_waits_is_not_closed_because_nobody_has_signed_it_yet() -> None:
    found = weigh(UNATTENDED, holds(Asked(live=question(PENDING)), signing="medium"), NOW)
    assert (type(found), found.moves, asks_of(found)) == (Deny, (), None)


def test_a_yes_of_one_person_where_two_are_needed_is_closed_and_asked_for_again() -> None:
    live = question(APPROVED, TWO)
    asked = Asked(live=live, strength=Strength.MEDIUM, persons=("ann",))
    found = weigh(TWO, holds(asked, signing="medium"), NOW)
    how = FrozenMap({"by": "strength", "why": "it takes the signed yes of two persons"})
    assert found.moves == (Move(before=live, after=live.replace(status=CLOSED), how=how),)
    assert asks_of(found) == question(PENDING, TWO, closed=1, seq=0)


def test_a_yes_of_two_persons_fires_and_with_another_secret_waits_on() -> None:
    live = question(APPROVED, TWO)
    asked = Asked(live=live, strength=Strength.MEDIUM, persons=("ann", "bob"))
    assert redeems_of(weigh(TWO, holds(asked, signing="medium"), NOW)) is not None
    other = weigh(TWO.replace(proof="x"), holds(asked, signing="medium"), NOW)
    assert (type(other), other.moves, other.session.asking) == (Deny, (), "differs")


# --- reminders ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "on_timeout", "count"),
    [(PENDING, OnTimeout.REMIND, 2), (HALFWAY, OnTimeout.REMIND, 2), (PENDING, OnTimeout.DENY, 0)],
)
def test_a_person_is_reminded_only_where_the_policy_says_so(status: str, on_timeout: OnTimeout, count: int) -> None:
    case = UNATTENDED.replace(policy=APPROVERS.replace(on_timeout=on_timeout))
    live = question(status, expires=0)
    found = weigh(case, holds(Asked(live=live)), NOW + 25 * MINUTE)
    assert not isinstance(found, Fire)
    assert found.reminds == (Reminder(question=live, count=count) if count else None)
