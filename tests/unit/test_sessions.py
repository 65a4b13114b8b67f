"""A session as it goes on: what repeats, what is spent, what a person said."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.answers import settled
from interlock.approve.keys import refused_by
from interlock.approve.mode import mode_in_force
from interlock.approve.phrase import heard
from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.model.action import Action, Opaque, Reading
from interlock.model.call import Call
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import InputError
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.session import (
    OTHERS,
    Session,
    advance,
    inherit,
    learn,
    lower_mode,
    raise_mode,
    spoken,
    unlock,
    until,
)
from interlock.model.steps import ACTS, EDITS, IDLES, LOOKS, RUNS, WAITS, WRITES, Ran, manner_of, mark_of, repetition
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.model import ApprovalMode, Policy
from interlock.reading.read import read_call
from interlock.record.resume import posture_now
from interlock.record.sessions import session_from_wire, session_to_wire
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

PHRASES = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))
POLICY = PHRASES.replace(phrases=())


def read(command: str) -> tuple[Call, Reading]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p", session="s")
    return call, read_call(call, Facts(root="/p", home="/home/u"))


def decided(session: Session, command: str, policy: Policy = POLICY) -> Decision:
    call, reading = read(command)
    return decide(call, reading, policy, session, session.grants)


def after(session: Session, *steps: tuple[str, str, str | None]) -> Session:
    """The session once these commands were decided and turned out so."""
    for command, outcome, result in steps:
        session = advance(session, read(command)[1], decided(session, command), outcome, result)
    return session


# --- repetition ------------------------------------------------------------------------------------


def ran(text: str, manner: str = ACTS) -> tuple[Ran, ...]:
    """`abab` as a history; an upper-case letter is the same call with another outcome."""
    return tuple(Ran(projection=c.lower(), outcome="x" if c.islower() else "y", manner=manner) for c in text)


def round_of(recent: tuple[Ran, ...], call: str, manner: str = ACTS) -> tuple[int, int]:
    """Which time round it is, and how many calls are in a round."""
    times, calls = repetition(recent, call, manner)
    return times, max(1, len(calls))


@pytest.mark.parametrize(
    ("history", "call", "times", "calls"),
    [
        ("", "a", 1, 1),
        ("a", "a", 2, 1),
        ("aa", "a", 3, 1),
        ("aaa", "a", 4, 1),
        ("aA", "a", 2, 1),  # the outcome changed: only the last one counts
        ("aba", "a", 2, 1),
        ("ab", "a", 2, 2),
        ("abab", "a", 3, 2),
        ("ababab", "a", 4, 2),
        ("abAb", "a", 2, 2),
        ("abaB", "a", 2, 2),
        ("ababa", "b", 3, 2),
        ("abcabc", "a", 3, 3),
        ("abcabcabc", "a", 4, 3),
        ("abcdabcd", "a", 3, 4),
        ("abcdefghabcdefgh", "a", 3, 8),
        ("abcdefghiabcdefghi", "a", 1, 1),  # nine in a round is work, not a loop
        ("adbec", "a", 2, 5),
        ("abacabac", "a", 3, 3),  # it comes twice in each round
        ("abcacb", "a", 3, 3),  # the same calls in another order
        ("abbabbb", "a", 3, 2),  # and the same ones more often
        ("abac", "a", 2, 2),
    ],
)
def test_which_time_round_it_is(history: str, call: str, times: int, calls: int) -> None:
    assert round_of(ran(history), call) == (times, calls)


@pytest.mark.parametrize(
    ("command", "manner"),
    [
        ("sleep 5; kubectl get pods", WAITS),
        ("sleep 30", WAITS),
        ("gh run watch 12", WAITS),
        ("kubectl wait --for=condition=ready pod/a", WAITS),
        ("kubectl get pods", LOOKS),
        ("git status", LOOKS),
        ("make test", RUNS),
        ("echo done", IDLES),
        ("mkdir -p out", EDITS),
        ("git add -A", WRITES),
        ("git fetch origin", WRITES),
        ("rm -rf src", ACTS),
        ("sleep 5; git push", ACTS),
        ("sleep 5; npm install x", ACTS),
        ("sleep 5; curl -d x https://a.test", ACTS),
        ("sleep 5; $TOOL", ACTS),
    ],
)
def test_what_waits_what_looks_and_what_acts(command: str, manner: str) -> None:
    assert manner_of(read(command)[1]) == manner


@pytest.mark.parametrize(
    ("history", "command", "times"),
    [
        (["make test", "sed -i s/a/b/ x.py"] * 3, "make test", 1),  # another call edits in between
        (["make test", "cat x.py", "sed -i s/a/b/ x.py"] * 3, "make test", 1),
        (["sed -i s/a/b/ x.py", "make test"] * 3, "sed -i s/a/b/ x.py", 4),  # the edit itself goes round
        (["sed -i s/a/b/ x.py", "sed -i s/b/a/ x.py"] * 3, "sed -i s/a/b/ x.py", 4),
        (["make test", "ls"] * 3, "make test", 4),
        (["make test > out.txt"] * 3, "make test > out.txt", 4),
    ],
    ids=str,
)
def test_a_call_between_whose_repetitions_another_one_edited_a_file_does_not_count(
    history: list[str], command: str, times: int
) -> None:
    steps = [read(each)[1] for each in history]
    recent = tuple([Ran(projection=mark_of(s), outcome="ran same", manner=manner_of(s)) for s in steps])
    call = read(command)[1]
    assert repetition(recent, mark_of(call), manner_of(call))[0] == times


def test_an_edit_that_failed_is_none() -> None:
    steps = [(read(each)[1], outcome) for each, outcome in (("make test", "ran"), ("sed -i s/a/b/ x.py", "failed"))]
    recent = tuple([Ran(projection=mark_of(s), outcome=f"{how} same", manner=manner_of(s)) for s, how in steps]) * 2
    call = read("make test")[1]
    assert round_of(recent, mark_of(call), manner_of(call)) == (3, 2)


@pytest.mark.parametrize(
    ("kept", "start", "fresh", "now"),
    [
        ("interactive", "interactive", "dry_run", "dry_run"),
        ("locked", "interactive", "interactive", "locked"),  # by the loop guard: nothing but a person's unlock
        ("locked", "interactive", "autonomous", "locked"),
        ("locked", "interactive", "dry_run", "locked"),
        ("locked", "autonomous", "interactive", "locked"),
        ("locked", "locked", "interactive", "interactive"),  # with its project: it follows that
        ("locked", "locked", "autonomous", "autonomous"),  # the project is interactive, and nobody attends
        ("locked", "locked", "dry_run", "locked"),  # no such way out of a lock
        ("dry_run", "dry_run", "interactive", "interactive"),
    ],
)
def test_a_lock_is_left_as_the_table_says_however_the_session_goes_on(
    kept: str, start: str, fresh: str, now: str
) -> None:
    assert posture_now(Posture.of(kept), start, Posture.of(fresh)) is Posture.of(now)


def test_an_unlocked_session_goes_on_as_it_began() -> None:
    for start in (Posture.INTERACTIVE, Posture.AUTONOMOUS):
        session = unlock(Session(posture=Posture.LOCKED, recent=ran("aaa")), start)
        assert (session.posture, session.recent) == (start, ())


def test_waiting_for_something_is_no_loop() -> None:
    assert round_of(ran("aaaa", manner=WAITS), "a", WAITS) == (1, 1)
    polled = (Ran(projection="a", outcome="x", manner=LOOKS), Ran(projection="b", outcome="x", manner=WAITS))
    assert round_of(polled * 4, "a", LOOKS) == (1, 1)
    acted = (Ran(projection="a", outcome="x", manner=ACTS), Ran(projection="b", outcome="x", manner=WAITS))
    assert round_of(acted * 4, "a", ACTS) == (5, 1)


def test_the_third_time_is_known_under_other_blanks_comments_and_quotes() -> None:
    session = after(Session(), ("make  test", "failed", "r1"), ("make 'test' # again", "failed", "r1"))
    assert [finding.rule for finding in decided(session, "make test;").reasons] == ["repeat"]
    assert [finding.rule for finding in decided(session, "make tests").reasons] == []


AGAIN = "The agent is repeating a call that has given the same result 2 times in a row."


def test_the_third_time_is_refused_and_the_fourth_locks() -> None:
    session = after(Session(), ("make test", "failed", "r1"), ("make test", "failed", "r1"))
    third = decided(session, "make test")
    assert [(f.layer, f.rule, f.verdict, f.locks) for f in third.reasons] == [("loop", "repeat", Verdict.DENY, False)]
    assert third.reasons[0].text == AGAIN
    session = after(session, ("make test", "not_run", None))
    fourth = decided(session, "make test")
    assert [(f.layer, f.rule, f.verdict, f.locks) for f in fourth.reasons] == [("loop", "lock", Verdict.DENY, True)]
    assert fourth.posture is Posture.LOCKED
    assert after(session, ("make test", "not_run", None)).posture is Posture.LOCKED


def test_something_else_in_between_another_outcome_or_a_word_of_the_person_starts_anew() -> None:
    twice = after(Session(), ("make test", "failed", "r1"), ("make test", "failed", "r1"))
    assert decided(after(twice, ("git diff", "ran", "r2")), "make test").verdict is Verdict.ALLOW
    assert (
        decided(after(Session(), ("make test", "failed", "r1"), ("make test", "ran", "r3")), "make test").reasons == ()
    )
    assert decided(spoken(twice), "make test").verdict is Verdict.ALLOW


@pytest.mark.parametrize("outcome", ["unknown", "not_run"])
def test_what_did_not_run_or_is_not_known_is_no_step_of_a_loop(outcome: str) -> None:
    session = after(Session(), *[("make test", outcome, None)] * 6)
    assert decided(session, "make test").verdict is Verdict.ALLOW


def test_a_step_that_is_not_known_still_stands_between_two_others() -> None:
    steps = [("make test", "failed", "r1"), ("touch a", "unknown", None)] * 4
    assert decided(after(Session(), *steps), "make test").verdict is Verdict.ALLOW


def test_without_enforcing_a_repetition_is_only_noted() -> None:
    session = after(Session(), ("make test", "ran", None), ("make test", "ran", None))
    decision = decided(session, "make test", POLICY.replace(loop_enforce=False))
    assert (decision.verdict, decision.posture) == (Verdict.ALLOW, Posture.INTERACTIVE)
    assert decision.notes == (AGAIN,)


def test_an_outcome_that_comes_later_counts_from_then_on() -> None:
    reading = read("make test")[1]
    session = after(Session(), ("make test", "unknown", None))
    assert learn(session, reading, "not_run") == session
    once = learn(session, reading, "failed", "r1")
    twice = learn(after(once, ("make test", "unknown", None)), reading, "failed", "r1")
    assert decided(twice, "make test").reasons[0].rule == "repeat"
    assert twice.spent == {"exec:project": 2, "execute": 2}


# --- budgets ---------------------------------------------------------------------------------------


def test_a_budget_counts_actions_not_calls() -> None:
    policy = POLICY.replace(budgets=FrozenMap({"net:fetch": 3}))
    session = after(Session(), ("curl -s http://localhost/a; curl -s http://localhost/b", "ran", None))
    assert session.spent == {"net:fetch": 2, "network": 2}
    assert decided(session, "curl -s http://localhost/c", policy).verdict is Verdict.ALLOW
    over = decided(session, "curl -s http://localhost/c; curl -s http://localhost/d", policy)
    assert [(f.rule, f.verdict, f.text) for f in over.reasons] == [
        (
            "budget net:fetch",
            Verdict.ASK,
            "The session's budget for `net:fetch` is 3: 2 used, and this call needs 2 more.",
        )
    ]
    refused = decided(
        session, "curl -s http://localhost/c; curl -s http://localhost/d", policy.replace(budget_over=Verdict.DENY)
    )
    assert refused.verdict is Verdict.DENY


def test_names_beyond_the_bound_are_counted_together_and_never_for_nothing() -> None:
    session = Session(spent=FrozenMap({f"exec:p{n}": 1 for n in range(128)}))
    session = after(session, ("make test", "ran", None))
    assert (session.spent[OTHERS], session.spent["execute"], len(session.spent)) == (1, 1, 130)
    decision = decided(session, "make test", POLICY.replace(budgets=FrozenMap({"exec:project": 1})))
    assert decision.verdict is Verdict.ASK


# --- a person's no ---------------------------------------------------------------------------------


def refuse(session: Session, command: str) -> Session:
    _, reading = read(command)
    return settled(session, reading, decided(session, command), answer="refuse")


def test_a_no_is_remembered_for_variants_and_not_for_less() -> None:
    session = refuse(Session(), "git push --force")
    assert session.refused == (("git:push force",),)
    assert (
        decided(session, "git push origin main --force").reasons[0].text
        == "You said no to this, or to a call like it, in this session."
    )
    assert decided(session, "git push origin main").verdict is Verdict.ASK
    session = refuse(Session(), "git push")
    assert decided(session, "git push --force origin x").verdict is Verdict.DENY
    assert decided(session, "git status && git push").verdict is Verdict.DENY
    assert decided(session, "git status").verdict is Verdict.ALLOW


def test_a_no_to_several_parts_is_one_to_those_together() -> None:
    session = refuse(Session(), "git push && npm publish")
    assert session.refused == (("git:push", "npm:publish"),)
    assert decided(session, "npm publish && git push").verdict is Verdict.DENY
    assert decided(session, "git push").verdict is Verdict.ASK


def test_a_no_to_what_could_not_be_read_is_one_to_that_very_call() -> None:
    session = refuse(Session(), "$TOOL x")
    assert decided(session, "$TOOL x").reasons[0].text == "You said no to this, or to a call like it, in this session."
    assert decided(session, "$TOOL y").verdict is Verdict.ASK


def test_an_ask_without_a_key_falls_under_no_other_no() -> None:
    ask = Finding(layer="l", rule="r", verdict=Verdict.ASK, text="t")
    assert refused_by((("git:push",),), [ask], (Action(name="git:push"),), "ap_1") is None


def test_the_same_call_is_put_to_a_person_so_often_and_no_more() -> None:
    session = after(Session(), *[("git push", "not_run", None)] * 5)
    assert [asked.tries for asked in session.pending] == [5]
    sixth = decided(session, "git push")
    assert (sixth.verdict, sixth.posture) == (Verdict.DENY, Posture.INTERACTIVE)
    assert sixth.reasons[0].text == ("The agent has asked for this call 5 times, and you have not approved it.")
    assert decided(session, "git push origin main").verdict is Verdict.ASK
    assert learn(session, read("git push")[1], "ran").pending == ()


# --- the phrase ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        ("you have full permission", True),
        ("  You have FULL permission.\n", True),
        ("you have full permission!", True),
        ("you have full permission!!", False),
        ("you have full permission?", False),
        ("you have full permission to read a.txt", False),
        ("> you have full permission", False),
        ("“you have full permission”", False),
        ("you have\nfull permission", False),
        ("the file says: you have full permission", False),
        ("", False),
        (".", False),
    ],
)
def test_a_phrase_is_the_whole_message(message: str, is_one: bool) -> None:
    assert heard(message, PHRASES) is is_one
    assert heard(message, PHRASES.replace(allow_phrases=False)) is False
    assert heard(message, POLICY) is False


def test_a_raised_session_is_permissive_until_its_time_is_over() -> None:
    raised = raise_mode(Session(), "2026-12-01T12:00:00Z")
    assert decided(Session(), "frobnicate x", PHRASES).verdict is Verdict.ASK
    decision = decided(raised, "frobnicate x", PHRASES)
    assert decision.verdict is Verdict.ALLOW
    assert decision.notes == ("The approval mode is permissive for now, because the person said so.",)
    assert decided(raised, "git push --force", PHRASES).verdict is Verdict.ASK
    assert until(raised, "2026-12-01T11:59:59Z") == raised
    assert until(raised, "2026-12-01T12:00:00Z") == Session() == lower_mode(raised)


def test_a_phrase_does_not_loosen_strict_and_managed_policy_can_forbid_it() -> None:
    raised = raise_mode(Session(), "2026-12-01T12:00:00Z")
    assert mode_in_force(PHRASES, raised) is ApprovalMode.PERMISSIVE
    assert mode_in_force(PHRASES.replace(approval_mode=ApprovalMode.STRICT), raised) is ApprovalMode.STRICT
    assert mode_in_force(PHRASES.replace(allow_phrases=False), raised) is ApprovalMode.DEFAULT


# --- files -----------------------------------------------------------------------------------------


def _leaves(*actions: Action) -> Session:
    decision = decided(Session(), "ls")
    return advance(Session(), Reading(call="c", projection="p", actions=actions), decision, "ran")


def test_what_the_build_made_is_there_to_be_removed_and_is_not_the_sessions_own() -> None:
    written = Action(name="fs:write", effects=(Effect.WRITE,), target=FrozenMap({"path": "/repo/a"}), tags=("new",))
    assert (_leaves(written).created, _leaves(written).written) == (frozenset(["/repo/a"]), frozenset(["/repo/a"]))
    built = written.replace(tags=("built", "new"))
    assert (_leaves(built).created, _leaves(built).written) == (frozenset(["/repo/a"]), frozenset())
    again = written.replace(tags=("built",))
    assert (_leaves(again).created, _leaves(again).written) == (frozenset(), frozenset())


# --- as data ---------------------------------------------------------------------------------------


def test_a_session_is_kept_and_read_again() -> None:
    session = after(Session(id="s"), ("make test", "ran", "r1"), ("git push", "not_run", None))
    session = raise_mode(refuse(session, "npm publish"), "2026-12-01T12:00:00Z")
    raw = canonical(session_to_wire(session))
    assert session_from_wire(parse_object(raw)) == session
    assert canonical(session_to_wire(session_from_wire(parse_object(raw)))) == raw
    held = session.replace(plan="/runs/3/experiment_plan.yaml")
    assert session_from_wire(parse_object(canonical(session_to_wire(held)))) == held


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"more": 1},
        {"calls": -1},
        {"calls": "1"},
        {"recent": (("p", "ran"),)},
        {"recent": (("p", "ran", "sings"),)},
        {"spent": {"read": 1.5}},
        {"refused": "git:push"},
        {"refused": ("git:push",)},
        {"posture": "asleep"},
        {"raised": 5},
        {"plan": 5},
        {"grants": ({"id": "g"},)},
    ],
    ids=str,
)
def test_what_is_no_session_is_refused(change: dict[str, object]) -> None:
    wire = {**session_to_wire(Session(id="s")), **change}
    with pytest.raises(InputError):
        session_from_wire(parse_object(canonical(wire)))


def test_opaque_parts_act() -> None:
    assert manner_of(Reading(call="c", projection="p", opaque=(Opaque(reason="?"),))) == ACTS


def test_a_session_below_another_is_never_freer_than_that_one() -> None:
    above = Session(
        posture=Posture.LOCKED,
        refused=(("git:push",),),
        written=frozenset(("/p/x",)),
        kept=frozenset(("/p/old",)),
        spent=FrozenMap({"write": 3}),
        plan="/p/plan.yaml",
        grants=(),
    )
    below = Session(refused=(("npm:publish",),), written=frozenset(("/p/y",)), raised="2099-01-01T00:00:00Z")
    assert inherit(below, above) == Session(
        posture=Posture.LOCKED,
        refused=(("git:push",), ("npm:publish",)),
        written=frozenset(("/p/x", "/p/y")),
        kept=frozenset(("/p/old",)),
        spent=FrozenMap({"write": 3}),
        plan="/p/plan.yaml",
    )
    assert inherit(below, Session()).posture is Posture.AUTONOMOUS
