"""How strong a yes must be, and which files a granted publish may send: the small functions behind the decision."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.grant import Grant
from interlock.approve.senders import senders_of
from interlock.approve.strength import needed_by, needs_two, strength_of_off, strength_of_tier_3
from interlock.layers.strength import needed_for, strength_of_action, why_too_weak
from interlock.model.action import Action, Opaque, Reading
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.model.verdict import Strength, Verdict
from interlock.policy.model import Policy, Tiers
from interlock.value import FrozenMap

WEAK, MEDIUM, STRONG = Strength.WEAK, Strength.MEDIUM, Strength.STRONG
PUSH = Action(name="git:push", target=FrozenMap({}), effects=(Effect.NETWORK,))
LIST = Action(name="fs:list", target=FrozenMap({}), effects=(Effect.READ,))
TIERS = Tiers(actions=FrozenMap({"git:*": 3, "fs:*": 1}))
ASK = Finding(layer="rules", rule="r", verdict=Verdict.ASK, text="Why.", lifted_by=("once",))


def reading(*actions: Action, opaque: bool = False) -> Reading:
    parts = (Opaque(reason="x", field="f", span=(0, 1)),) if opaque else ()
    return Reading(call="sha256:c", projection="sha256:p", actions=actions, opaque=parts)


def policy(**fields: Any) -> Policy:
    return Policy(tiers=TIERS, **fields)


@pytest.mark.parametrize(
    ("least", "signing", "needed"),
    [
        (WEAK, "", WEAK),
        (WEAK, "medium", MEDIUM),
        (MEDIUM, "", MEDIUM),
        (STRONG, "", STRONG),
        (STRONG, "medium", STRONG),
    ],
)
def test_tier_3_needs_a_signature_once_a_key_can_sign(least: Strength, signing: str, needed: Strength) -> None:
    given = policy(strength=least)
    assert strength_of_tier_3(given, signing) is needed
    assert strength_of_action(PUSH, given, Session(signing=signing)) is needed
    assert strength_of_action(LIST, given, Session(signing=signing)) is WEAK


def test_a_table_of_the_policy_names_actions_that_need_more() -> None:
    given = policy(strengths=FrozenMap({"fs:*": MEDIUM, "fs:l*": STRONG}))
    assert strength_of_action(LIST, given, Session()) is STRONG
    assert strength_of_action(PUSH, given, Session()) is WEAK


def test_switching_off_needs_what_any_action_needs() -> None:
    assert strength_of_off(Policy(), "") is WEAK
    assert strength_of_off(Policy(), "medium") is MEDIUM
    assert strength_of_off(Policy(strengths=FrozenMap({"fs:*": STRONG, "git:*": MEDIUM})), "") is STRONG


@pytest.mark.parametrize(
    ("finding", "what", "needed"),
    [
        (ASK.replace(actions=(0,)), reading(PUSH, LIST), MEDIUM),
        (ASK.replace(actions=(1,)), reading(PUSH, LIST), WEAK),
        (ASK.replace(actions=(1, 0)), reading(PUSH, LIST), MEDIUM),
        (ASK, reading(LIST, PUSH), MEDIUM),  # about no action: what the gravest of them needs
        (ASK, reading(LIST), WEAK),
        (ASK, reading(LIST, opaque=True), MEDIUM),  # what could not be read may be anything
        (ASK.replace(actions=(0,)), reading(LIST, opaque=True), WEAK),
        (ASK.replace(layer="two", actions=(0,)), reading(LIST), MEDIUM),
    ],
)
def test_what_a_finding_needs(finding: Finding, what: Reading, needed: Strength) -> None:
    assert needed_for(finding, what, policy(strength=MEDIUM), Session()) is needed
    assert needed_for(finding, what, policy(), Session(signing="medium")) is needed


def test_where_nothing_asks_for_more_any_yes_is_enough() -> None:
    assert needed_for(ASK, reading(PUSH, opaque=True), policy(), Session()) is WEAK
    assert needed_for(ASK.replace(layer="two"), reading(PUSH), policy(), Session()) is MEDIUM
    named = policy(strengths=FrozenMap({"git:*": STRONG}))
    assert needed_for(ASK, reading(PUSH), named, Session()) is STRONG


@pytest.mark.parametrize(
    ("strength", "reach", "needed", "enough"),
    [
        (WEAK, "once", WEAK, True),
        (WEAK, "session", WEAK, True),
        (WEAK, "folder", WEAK, False),
        (WEAK, "everywhere", WEAK, False),
        (MEDIUM, "everywhere", WEAK, True),
        (MEDIUM, "once", STRONG, False),
        (STRONG, "everywhere", STRONG, True),
        (WEAK, "session", MEDIUM, False),
    ],
)
def test_a_weak_yes_reaches_no_further_than_the_session(
    strength: Strength, reach: str, needed: Strength, *, enough: bool
) -> None:
    grant = Grant(id="g", kind="capability", strength=strength, reach=reach)
    assert (why_too_weak(grant, needed, policy(strength=MEDIUM), Session()) is None) == enough


def test_why_a_yes_is_too_weak_is_told() -> None:
    grant = Grant(id="g", kind="once", reach="once", strength=WEAK)
    told = why_too_weak(grant, MEDIUM, Policy(), Session())
    assert told == "it was given without a signature, and this needs a signed one"
    told = why_too_weak(grant.replace(strength=MEDIUM), STRONG, Policy(), Session())
    assert (
        told == "it was given with a key that is not in hardware, and this needs one that is signed with a hardware key"
    )
    assert (
        why_too_weak(grant.replace(strength=MEDIUM, reach="everywhere"), MEDIUM, policy(strength=STRONG), Session())
        is None
    )


def test_what_a_decision_waits_for_is_read_from_it() -> None:
    strong = ASK.replace(layer="strength", rule="strong", verdict=Verdict.DENY)
    decision = Decision(
        verdict=Verdict.DENY,
        effect=None,
        effects=(),
        reasons=(ASK, strong),
        satisfied=(),
        used=(),
        near_misses=(),
        notes=(),
        posture=Posture.INTERACTIVE,
        approval=None,
    )
    assert needed_by(decision) is STRONG
    assert needed_by(decision.replace(reasons=(ASK,))) is WEAK


def test_one_finding_of_two_persons_is_enough_to_need_two() -> None:
    assert needs_two([ASK, ASK.replace(layer="two")])
    assert not needs_two([ASK])
    assert not needs_two([])


# what a granted publish may send

SENDS = Action(name="npm:publish", target=FrozenMap({}), effects=(Effect.NETWORK,), tags=("external", "sends"))
FILE = Action(name="fs:read", target=FrozenMap({}), effects=(Effect.READ,), tags=("sends",))
TIER = ASK.replace(layer="tiers", actions=(0,), lifted_by=("once", "remembered"))


def senders(finding: Finding = TIER, file: Action = FILE, *others: Action) -> list[Action]:
    return senders_of(finding, 0, reading(file, *(others or (SENDS,))))


def test_the_senders_of_an_ordinary_file_are_those_that_send() -> None:
    assert senders() == [SENDS]
    assert senders(TIER, FILE, SENDS, PUSH) == [SENDS]
    assert senders(TIER, FILE, SENDS, SENDS.replace(tags=("external",))) == [SENDS]


@pytest.mark.parametrize("tag", ["regenerable", "created", "new", "built", "temp"])
def test_marks_of_ordinary_files(tag: str) -> None:
    assert senders(TIER, FILE.replace(tags=("sends", tag))) == [SENDS]


@pytest.mark.parametrize(
    ("finding", "file"),
    [
        (TIER.replace(layer="rules"), FILE),
        (TIER.replace(lifted_by=("once",)), FILE),
        (TIER, FILE.replace(name="fs:write")),
        (TIER, FILE.replace(tags=())),
        (TIER, FILE.replace(tags=("built",))),
        (TIER, FILE.replace(tags=("sends", "secret"))),
        (TIER, FILE.replace(tags=("sends", "outside"))),
    ],
)
def test_what_is_a_question_of_its_own_has_no_senders(finding: Finding, file: Action) -> None:
    assert senders(finding, file) == []
