"""The promises of the design, each under its own name. docs/promises.md points here."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from chance import flag, number, one_from, several, tried_on
from interlock.approve.approval import approval_for, asks_of, projection_of
from interlock.approve.grant import Grant
from interlock.decide import decide
from interlock.layers import LAYERS
from interlock.model.action import Action, Opaque
from interlock.model.call import Call
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.session import Session, advance
from interlock.model.verdict import Strength, Verdict, join
from interlock.policy.model import Policy, ToolSpec
from interlock.reading.read import read_call
from interlock.value import FrozenMap, freeze
from oracle import covers_slowly
from strategies import Case, a_case, a_case_without_an_approval, a_finding, json_data

FACTS = Facts(root="/p", home="/home/u")


def decided(case: Case, **changes: object) -> Decision:
    case = case.replace(**changes)
    return decide(case.call, case.reading, case.policy, case.session, case.grants)


@tried_on(a_case_without_an_approval, flag)
def test_not_understood_is_never_allowed(case: Case, nothing_read: bool) -> None:
    if nothing_read:
        reading = case.reading.replace(actions=(), opaque=())
    else:
        reading = case.reading.replace(opaque=case.reading.opaque or (Opaque(reason="not read"),))
    assert decided(case, reading=reading).verdict >= Verdict.ASK


@tried_on(several(a_finding, most=5), a_case)
def test_strictest_wins(found: list[Finding], case: Case) -> None:
    policy = case.policy.replace(strength=Strength.WEAK, strengths=FrozenMap({}))  # any yes does, so an ask stays one
    decision = decide(case.call, case.reading, policy, Session(), (), [lambda *_: found])
    assert decision.verdict is join(finding.verdict for finding in found)
    assert decision.verdict.rank == max([0, *(finding.verdict.rank for finding in found)])


def bound_by(case: Case) -> str:
    """The id of an approval of this very call, after as many questions about it as the session says."""
    call, closed = case.call, case.session.asked_before
    return approval_for(call, case.reading, case.policy, closed=closed).id


@tried_on(a_case_without_an_approval)
def test_a_question_stays_open(case: Case) -> None:
    """A yes covers the asks that were shown and no other, and a call that is held leaves no trace but a count."""
    before = decided(case)
    asks = asks_of(before.reasons)
    grant = Grant(
        id="once", kind="once", binds=bound_by(case), reach="once", strength=Strength.STRONG, persons=("a", "b")
    )
    shown = asks[: len(asks) // 2]
    after = decide(case.call, case.reading, case.policy, case.session, (*case.grants, grant.replace(asks=shown)))
    assert {ask for ask in asks_of(after.satisfied) if ask in asks} <= {*shown, *asks_of(before.satisfied)}
    every = decide(case.call, case.reading, case.policy, case.session, (*case.grants, grant.replace(asks=asks)))
    any_ask = decide(case.call, case.reading, case.policy, case.session, (*case.grants, grant))
    assert (every.verdict, every.reasons, every.satisfied) == (any_ask.verdict, any_ask.reasons, any_ask.satisfied)
    held = advance(case.session, case.reading, before, held=True)
    assert held.replace(calls=case.session.calls, posture=case.session.posture, lock=case.session.lock) == case.session


@tried_on(a_case)
def test_only_a_matching_grant_lowers_an_ask(case: Case) -> None:
    without, with_grants = decided(case, grants=()), decided(case)
    assert with_grants.verdict <= without.verdict
    locked = [f for f in without.reasons if f.verdict is Verdict.DENY and f.lifted_by]  # opened by capabilities alone
    assert {f.lifted_by for f in locked} <= {("capability",)}
    answers = (
        "posture",
        "answers",
        "strength",
    )  # what these deny is an ask that nobody will be asked; a grant answers it
    denies = [f for f in without.reasons if f.verdict is Verdict.DENY and f.layer not in answers and not f.lifted_by]
    still = [f for f in with_grants.reasons if f.verdict is Verdict.DENY and f.layer not in answers]
    assert [f for f in still if not f.lifted_by] == denies
    assert [f for f in still if f.lifted_by] == [f for f in locked if f not in with_grants.satisfied]
    approval = bound_by(case)
    for finding in with_grants.satisfied:
        assert finding.verdict is Verdict.ASK or finding in locked
        able = [grant for grant in with_grants.used if grant.kind in finding.lifted_by]
        assert any(grant.binds == approval for grant in able) or (
            bool(finding.actions)
            and all(any(covers_slowly(grant, case.reading.actions[at]) for grant in able) for at in finding.actions)
        )
    if with_grants.verdict < without.verdict:
        assert not denies
        held = [f for f in without.reasons if f.layer not in answers and f.verdict > with_grants.verdict]
        assert [f for f in held if f not in with_grants.satisfied] == []


@tried_on(a_case, flag)
def test_no_gated_action_without_a_capability(case: Case, named: bool) -> None:
    """With `enforce`, whatever else a person answered: a gated action runs only under a capability that covers it."""
    policy = case.policy.replace(enforce=True, gated=("mcp:*",) if named else ())
    decision = decided(case, policy=policy)
    if decision.verdict is Verdict.DENY:
        return
    keys = [grant for grant in decision.used if grant.kind == "capability"]
    for action in case.reading.actions:
        if "dryrun" in action.tags or not (action.name == "git:push" or (named and action.name.startswith("mcp:"))):
            continue
        assert any(covers_slowly(grant, action) for grant in keys)


@tried_on(a_case, one_from(Effect.members[1:]))
def test_nothing_lifts_the_floor(case: Case, effect: Effect) -> None:
    guarded = Action(name="fs:write", target=FrozenMap({"path": "/p/.claude"}), effects=(effect,), tags=("guard",))
    reading = case.reading.replace(actions=(*case.reading.actions, guarded))
    assert decided(case, reading=reading).verdict is Verdict.DENY


@tried_on(a_case_without_an_approval, number(0, len(LAYERS)))
def test_errors_never_loosen(case: Case, at: int) -> None:
    def broken(*_: object) -> list[Finding]:
        raise ZeroDivisionError

    def breaks_late(*_: object) -> list[Finding]:
        return (1 // 0 for _ in "x")  # type: ignore[return-value]

    for failing in (broken, breaks_late):
        more = (*LAYERS[:at], failing, *LAYERS[at:])
        decision = decide(case.call, case.reading, case.policy, case.session, case.grants, more)
        assert decision.verdict >= max(decided(case).verdict, Verdict.ASK)
        instead = (*LAYERS[:at], failing, *LAYERS[at + 1 :])
        replaced = decide(case.call, case.reading, case.policy, case.session, case.grants, instead)
        assert replaced.verdict >= Verdict.ASK


NO_TOOLS = Policy()


def approval_id(call: Call, policy: Policy = NO_TOOLS) -> str:
    return approval_for(call, read_call(call, FACTS), policy).id


values = st.sampled_from([None, True, 1, 1.5, 2**60, "", "ls", ["ls"], {"$integer": "1"}]) | json_data
inputs = st.fixed_dictionaries({}, optional={"command": values, "timeout": values, "x": values})


@given(
    st.sampled_from(["Bash", "Write", "mcp__a__b"]),
    inputs,
    st.sampled_from(["command", "run_in_background", "description", "timeout", "new"]),
    values,
)
def test_an_approval_signs_one_exact_call(tool: str, given: dict[str, object], field: str, value: object) -> None:
    call = Call(tool=tool, input=freeze(given), cwd="/p", session="s")  # type: ignore[arg-type]
    assert approval_id(call) == approval_id(call.replace(attempt="second try"))
    for change in (
        {"tool": tool + "2"},
        {"cwd": "/p/a"},
        {"session": "t"},
        {"agent": "sub"},
        {"host": "h"},
        {"state": FrozenMap({})},
    ):
        assert approval_id(call) != approval_id(call.replace(**change)), change
    row = Policy(tools=FrozenMap({call.tool: ToolSpec(name=call.tool)}))
    assert approval_id(call) != approval_id(call, row)
    assert approval_id(call) == approval_id(call, Policy(digest="sha256:another"))

    changed = call.replace(input=freeze({**given, field: value}))
    assume(changed.input.get(field, "absent") != call.input.get(field, "absent") or field not in call.input)
    cosmetic = tool == "Bash" and field in ("description", "timeout")
    assert (approval_id(changed) == approval_id(call)) is cosmetic
    removed = call.replace(input=freeze({key: item for key, item in given.items() if key != field}))
    assert (projection_of(removed) == projection_of(changed)) is cosmetic


@tried_on(a_case, one_from(Posture.members))
def test_the_posture_only_tightens(case: Case, posture: Posture) -> None:
    """Without tools and rules that name postures, none lets through what interactive does not."""
    tools = {name: spec.replace(postures=None) for name, spec in case.policy.tools.items()}
    rules = tuple(rule.replace(when=rule.when.replace(postures=())) for rule in case.policy.rules)
    case = case.replace(policy=case.policy.replace(tools=FrozenMap(tools), rules=rules))
    relaxed = decided(case, session=case.session.replace(posture=Posture.INTERACTIVE))
    decision = decided(case, session=case.session.replace(posture=posture))
    assert decision.verdict >= relaxed.verdict
    if posture is Posture.AUTONOMOUS:
        assert decision.verdict is not Verdict.ASK
    if posture in (Posture.DRY_RUN, Posture.LOCKED) and decision.verdict is not Verdict.DENY:
        assert set(decision.effects) <= {Effect.READ}
        assert not case.reading.opaque
