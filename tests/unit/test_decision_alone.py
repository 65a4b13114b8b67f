"""What the decision makes of findings: whose yes counts, how strong it must be, who can wait, and what a posture adds.

A layer of the tests' own finds exactly what a test needs, so that nothing else stands in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from interlock.approve.approval import approval_of
from interlock.approve.grant import Grant
from interlock.decide import decide
from interlock.layers import LAYERS
from interlock.layers.conformance import conformance
from interlock.layers.floor import floor
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Decision, Finding, NearMiss
from interlock.model.effects import Effect
from interlock.model.posture import Posture
from interlock.model.session import DENIED, Pending, Session
from interlock.model.verdict import Strength, Verdict
from interlock.policy.model import ApprovalMode, Policy, Tiers
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")
PUSH = Action(
    name="git:push",
    target=FrozenMap({"destination": "h/x"}),
    effects=(Effect.NETWORK, Effect.DESTRUCTIVE),
    tags=("external",),
)
OTHER = Action(name="npm:publish", target=FrozenMap({"destination": "h/y"}), effects=(Effect.NETWORK,))
LOOK = Action(name="fs:read", target=FrozenMap({"path": "/p/a"}), effects=(Effect.READ,))
ASK = Finding(
    layer="rules", rule="r", verdict=Verdict.ASK, text="Why.", instead="Else.", actions=(0,), lifted_by=("once",)
)
Layer = Callable[..., Sequence[Finding]]


def finds(*findings: Finding) -> tuple[Layer, ...]:
    def layer(*_: object) -> Sequence[Finding]:
        return findings

    return (layer,)


def reading(*actions: Action) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions)


def decided(
    *findings: Finding,
    actions: tuple[Action, ...] = (PUSH,),
    policy: Policy | None = None,
    session: Session | None = None,
    grants: Sequence[Grant] = (),
) -> Decision:
    return decide(CALL, reading(*actions), policy or Policy(), session or Session(), grants, finds(*findings))


def rules_of(decision: Decision) -> list[tuple[str, str, str]]:
    return [(found.layer, found.rule, found.verdict.name) for found in decision.reasons]


def once(**fields: Any) -> Grant:
    """A yes to this very call."""
    bound = approval_of(CALL, reading(PUSH), Policy(), Session())
    return Grant(id="g", kind="once", binds=bound.id, reach="once", **fields)


# whose yes counts


def test_a_once_yes_satisfies_an_ask_that_takes_one() -> None:
    decision = decided(ASK, grants=[once()])
    assert (decision.verdict.name, decision.satisfied, [grant.id for grant in decision.used]) == (
        "allow",
        (ASK,),
        ["g"],
    )


@pytest.mark.parametrize("kind", ["remembered", "capability"])
def test_a_bound_grant_of_another_kind_is_no_once_yes(kind: str) -> None:
    assert decided(ASK, grants=[once().replace(kind=kind)]).verdict is Verdict.ASK


def test_a_once_yes_does_not_satisfy_an_ask_that_takes_none() -> None:
    assert decided(ASK.replace(lifted_by=("remembered",)), grants=[once()]).verdict is Verdict.ASK


@pytest.mark.parametrize(("kind", "verdict"), [("capability", "allow"), ("remembered", "deny"), ("once", "deny")])
def test_only_a_capability_lifts_a_deny(kind: str, verdict: str) -> None:
    denied = ASK.replace(verdict=Verdict.DENY, lifted_by=("once", "remembered", "capability"))
    grant = (
        once() if kind == "once" else Grant(id="g", kind=kind, action="git:push", scope=FrozenMap({"destination": "*"}))
    )
    assert decided(denied, grants=[grant]).verdict.name == verdict


def test_in_strict_mode_nothing_remembered_counts() -> None:
    grant = Grant(id="g", kind="remembered", action="git:push", scope=FrozenMap({"destination": "*"}))
    found = ASK.replace(lifted_by=("once", "remembered"))
    assert decided(found, grants=[grant]).verdict is Verdict.ALLOW
    strict = decided(found, grants=[grant], policy=Policy(approval_mode=ApprovalMode.STRICT))
    assert strict.verdict is Verdict.ASK


def test_each_action_needs_a_grant_of_its_own() -> None:
    found = ASK.replace(actions=(0, 1), lifted_by=("capability",))
    push = Grant(id="p", kind="capability", action="git:push", scope=FrozenMap({"destination": "*"}))
    publish = Grant(id="n", kind="capability", action="npm:publish", scope=FrozenMap({"destination": "*"}))
    assert decided(found, actions=(PUSH, OTHER), grants=[push]).verdict is Verdict.ASK
    both = decided(found, actions=(PUSH, OTHER), grants=[publish, push])
    assert (both.verdict.name, [grant.id for grant in both.used]) == ("allow", ["n", "p"])


def test_a_grant_that_does_not_cover_it_is_a_near_miss_with_the_reason() -> None:
    grant = Grant(id="g", kind="capability", action="git:push", scope=FrozenMap({"destination": "elsewhere/*"}))
    decision = decided(ASK.replace(lifted_by=("capability",)), grants=[grant])
    [missed] = decision.near_misses
    assert (missed.grant, missed.rule) == ("g", "r")
    assert missed.why.strip("?")
    assert decision.verdict is Verdict.ASK


def test_a_grant_that_covers_it_but_is_too_weak_says_so() -> None:
    grant = Grant(
        id="g", kind="capability", action="git:push", scope=FrozenMap({"destination": "*"}), reach="everywhere"
    )
    decision = decided(ASK.replace(lifted_by=("capability",)), grants=[grant], policy=Policy(strength=Strength.MEDIUM))
    why = "it was given without a signature, and this needs a signed one"
    assert decision.near_misses == (NearMiss(grant="g", rule="r", why=why),)


def test_a_grant_for_a_push_does_not_cover_a_forced_one() -> None:
    forced = PUSH.replace(target=FrozenMap({"destination": "h/x", "force": True}))
    grant = Grant(id="g", kind="capability", action="git:push", scope=FrozenMap({"destination": "*"}))
    decision = decided(ASK.replace(lifted_by=("capability",)), actions=(forced,), grants=[grant])
    assert (decision.verdict.name, [missed.grant for missed in decision.near_misses]) == ("ask", ["g"])


# a file that is read to be sent

FILE = Action(
    name="fs:read",
    target=FrozenMap({"path": "/p/dist/x"}),
    effects=(Effect.READ, Effect.NETWORK),
    tags=("sends", "built"),
)
SEND = Action(
    name="npm:publish",
    target=FrozenMap({"destination": "registry/x"}),
    effects=(Effect.NETWORK,),
    tags=("external", "sends"),
)
READS = Finding(
    layer="tiers",
    rule="tier-2",
    verdict=Verdict.ASK,
    text="Why.",
    instead="Else.",
    actions=(0,),
    lifted_by=("once", "remembered"),
)
PUBLISH = Grant(id="g", kind="capability", action="npm:publish", scope=FrozenMap({"destination": "*"}))


def test_whoever_permits_to_publish_permits_to_read_what_is_published() -> None:
    decision = decided(READS, actions=(FILE, SEND), grants=[PUBLISH])
    assert (decision.verdict.name, [grant.id for grant in decision.used]) == ("allow", ["g"])


@pytest.mark.parametrize(
    "grant",
    [
        PUBLISH.replace(kind="remembered"),
        PUBLISH.replace(scope=FrozenMap({"destination": "elsewhere/*"})),
        PUBLISH.replace(action="git:push"),
    ],
)
def test_no_other_grant_permits_that(grant: Grant) -> None:
    assert decided(READS, actions=(FILE, SEND), grants=[grant]).verdict is Verdict.ASK


def test_a_grant_that_is_too_weak_permits_to_send_nothing() -> None:
    weak = PUBLISH.replace(reach="everywhere")
    policy = Policy(strength=Strength.MEDIUM)
    assert decided(READS, actions=(FILE, SEND), grants=[weak], policy=policy).verdict is not Verdict.ALLOW
    signed = weak.replace(strength=Strength.MEDIUM)
    assert decided(READS, actions=(FILE, SEND), grants=[signed], policy=policy).verdict is Verdict.ALLOW


def test_a_grant_permits_no_more_of_a_sender_than_of_the_action_itself() -> None:
    forced = SEND.replace(target=FrozenMap({"destination": "registry/x", "force": True}))
    assert decided(READS, actions=(FILE, forced), grants=[PUBLISH]).verdict is Verdict.ASK


def test_every_sender_must_be_permitted() -> None:
    other = SEND.replace(name="gh:release", target=FrozenMap({"destination": "h/x"}))
    assert decided(READS, actions=(FILE, SEND, other), grants=[PUBLISH]).verdict is Verdict.ASK


def test_a_file_that_is_not_sent_needs_a_grant_of_its_own() -> None:
    assert decided(READS, actions=(FILE.replace(tags=("built",)), SEND), grants=[PUBLISH]).verdict is Verdict.ASK


# how strong a yes must be

SIGNED = Policy(strengths=FrozenMap({"git:*": Strength.MEDIUM}))
TIER_3 = Tiers(actions=FrozenMap({"git:*": 3}))


@pytest.mark.parametrize(
    ("strength", "verdict"), [(Strength.WEAK, "ask"), (Strength.MEDIUM, "allow"), (Strength.STRONG, "allow")]
)
def test_a_yes_must_be_as_strong_as_the_policy_says(strength: Strength, verdict: str) -> None:
    bound = approval_of(CALL, reading(PUSH), SIGNED, Session(signing="medium"))
    grant = Grant(id="g", kind="once", binds=bound.id, reach="once", strength=strength)
    decision = decided(ASK, policy=SIGNED, session=Session(signing="medium"), grants=[grant])
    assert (decision.verdict is Verdict.ALLOW) == (verdict == "allow")


def test_a_weak_yes_is_enough_where_nothing_else_is_asked_for() -> None:
    assert decided(ASK, grants=[once(strength=Strength.WEAK)]).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("policy", "signing", "enough"),
    [
        (Policy(tiers=TIER_3), "", True),
        (Policy(tiers=TIER_3), "medium", False),  # once a key can sign, tier 3 needs a signature
        (Policy(tiers=TIER_3, strength=Strength.MEDIUM), "", False),
        (Policy(strength=Strength.MEDIUM), "", True),
        (SIGNED, "", False),
        (SIGNED, "medium", False),
    ],
)
def test_when_a_weak_yes_is_enough(policy: Policy, signing: str, *, enough: bool) -> None:
    session = Session(signing=signing)
    bound = approval_of(CALL, reading(PUSH), policy, session)
    grant = Grant(id="g", kind="once", binds=bound.id, reach="once")
    assert (decided(ASK, policy=policy, session=session, grants=[grant]).verdict is Verdict.ALLOW) == enough


@pytest.mark.parametrize(("reach", "enough"), [("session", True), ("folder", False), ("everywhere", False)])
def test_a_weak_grant_counts_for_one_session_where_signatures_can_be_had(reach: str, *, enough: bool) -> None:
    anywhere = FrozenMap({"destination": "*"})
    grant = Grant(id="g", kind="capability", action="git:push", scope=anywhere, reach=reach)
    found = ASK.replace(lifted_by=("capability",))
    assert (decided(found, session=Session(signing="medium"), grants=[grant]).verdict is Verdict.ALLOW) == enough
    assert decided(found, grants=[grant]).verdict is Verdict.ALLOW


def test_two_persons_are_two() -> None:
    found = ASK.replace(layer="two", rule="two")
    policy, session = Policy(two_for=("git:*",)), Session(signing="medium")
    bound = approval_of(CALL, reading(PUSH), policy, session)
    grant = Grant(id="g", kind="once", binds=bound.id, reach="once", strength=Strength.MEDIUM)

    def verdict(**fields: Any) -> str:
        return decided(found, policy=policy, session=session, grants=[grant.replace(**fields)]).verdict.name

    assert verdict(persons=("ada", "bob")) == "allow"
    assert verdict(persons=("ada",)) != "allow"
    assert verdict(persons=("ada", "bob"), strength=Strength.WEAK) != "allow"


def test_what_needs_a_signature_waits_for_one_where_a_key_can_give_it() -> None:
    decision = decided(ASK, policy=SIGNED, session=Session(signing="medium"))
    assert (decision.verdict.name, rules_of(decision)[0]) == ("deny", ("strength", "medium", "deny"))
    assert decision.approval is not None
    [told] = [found for found in decision.reasons if found.layer == "strength"]
    assert told.remedy == f"interlock approvals approve {decision.approval}"
    assert told.text == (f"This needs a signed yes (strength medium or more), and waits for it as {decision.approval}.")


def test_two_persons_are_waited_for_as_two() -> None:
    found = ASK.replace(layer="two", rule="two")
    decision = decided(found, policy=Policy(two_for=("git:*",)), session=Session(signing="medium"))
    [told] = [found for found in decision.reasons if found.layer == "strength"]
    assert told.text.startswith("This needs the signed yes of two persons")


@pytest.mark.parametrize("signing", ["", "medium"])
def test_without_a_key_that_is_strong_enough_nobody_waits(signing: str) -> None:
    decision = decided(
        ASK, policy=Policy(strengths=FrozenMap({"git:*": Strength.STRONG})), session=Session(signing=signing)
    )
    [told] = [found for found in decision.reasons if found.layer == "strength"]
    assert (decision.approval, told.remedy) == (None, "interlock approver enrol --help")
    assert told.text == "This needs a signed yes (strength strong or more), and no key on this machine can give one."


def test_where_nobody_is_asked_the_reason_is_told() -> None:
    session = Session(signing="medium", asking="crowded")
    decision = decided(ASK, policy=SIGNED, session=session)
    [told] = [found for found in decision.reasons if found.layer == "strength"]
    assert (decision.approval, told.remedy) == (None, "")
    assert told.text == (
        "This needs a signed yes (strength medium or more), and too many calls of this session wait for an approval "
        "already."
    )


@pytest.mark.parametrize("posture", [Posture.DRY_RUN, Posture.LOCKED])
def test_where_only_reads_pass_no_signature_is_asked_for(posture: Posture) -> None:
    session = Session(signing="medium", posture=posture)
    decision = decided(ASK, policy=SIGNED, session=session)
    assert ("strength", "medium", "deny") not in rules_of(decision)
    assert ("posture", posture.name, "deny") in rules_of(decision)


def test_a_deny_needs_no_signature() -> None:
    denied = ASK.replace(verdict=Verdict.DENY, lifted_by=())
    decision = decided(denied, policy=SIGNED, session=Session(signing="medium"))
    assert (rules_of(decision), decision.approval) == ([("rules", "r", "deny")], None)


# who can wait


def waits(policy: Policy | None = None, **session: Any) -> Decision:
    return decided(ASK, policy=policy, session=Session(**session))


def test_a_person_in_front_of_the_host_is_asked_there() -> None:
    decision = waits(Policy(approvers=("page",)))
    assert (decision.verdict.name, rules_of(decision)) == ("ask", [("rules", "r", "ask")])
    assert decision.approval is not None


def test_with_nobody_in_front_it_waits_for_who_is_elsewhere() -> None:
    decision = waits(Policy(approvers=("page",)), posture=Posture.AUTONOMOUS)
    [told] = [found for found in decision.reasons if found.layer == "posture"]
    assert (decision.verdict.name, told.remedy) == ("deny", f"interlock approvals approve {decision.approval}")
    assert f"waits for your approval as {decision.approval}" in told.text


@pytest.mark.parametrize(
    ("policy", "session", "why"),
    [
        (Policy(), {}, "no approver is configured"),
        (
            Policy(approvers=("page",)),
            {"asking": "unanswered"},
            "nobody answered in time when this call was asked about",
        ),
        (
            Policy(approvers=("page",), strengths=FrozenMap({"git:*": Strength.STRONG})),
            {"signing": "medium"},
            "nobody can give the signed yes that this needs",
        ),
    ],
)
def test_with_nobody_anywhere_it_is_a_deny_with_the_reason(policy: Policy, session: dict[str, Any], why: str) -> None:
    decision = waits(policy, posture=Posture.AUTONOMOUS, **session)
    [told] = [found for found in decision.reasons if found.layer == "posture"]
    assert (decision.verdict.name, decision.approval, told.remedy) == ("deny", None, "")
    assert told.text == f"Nobody is in front of this session to be asked, and {why}."


def test_a_deny_waits_for_nobody() -> None:
    denied = ASK.replace(verdict=Verdict.DENY, lifted_by=())
    session = Session(posture=Posture.AUTONOMOUS)
    decision = decided(denied, policy=Policy(approvers=("page",)), session=session)
    assert (rules_of(decision), decision.approval) == ([("rules", "r", "deny")], None)


@pytest.mark.parametrize(("posture", "remedy"), [(Posture.DRY_RUN, False), (Posture.LOCKED, True)])
def test_only_a_lock_has_a_way_out_that_is_told(posture: Posture, *, remedy: bool) -> None:
    decision = decided(ASK, session=Session(posture=posture), policy=Policy(approvers=("page",)))
    [told] = [found for found in decision.reasons if found.layer == "posture"]
    assert (bool(told.remedy), decision.approval) == (remedy, None)


@pytest.mark.parametrize("posture", [Posture.DRY_RUN, Posture.LOCKED])
def test_a_read_that_nobody_minds_passes_in_every_posture(posture: Posture) -> None:
    assert decided(actions=(LOOK,), session=Session(posture=posture)).verdict is Verdict.ALLOW
    assert decided(actions=(PUSH,), session=Session(posture=posture)).verdict is Verdict.DENY


# what was answered before, and what comes again and again


def denied_so_often(tries: int) -> Session:
    return Session(id="s", pending=(Pending(approval=DENIED, projection="sha256:p", tries=tries),))


DENY = ASK.replace(verdict=Verdict.DENY, lifted_by=())


@pytest.mark.parametrize(("tries", "posture"), [(4, Posture.INTERACTIVE), (5, Posture.LOCKED), (6, Posture.LOCKED)])
def test_what_is_denied_again_and_again_locks_the_session(tries: int, posture: Posture) -> None:
    decision = decided(DENY, session=denied_so_often(tries), policy=Policy(loop_pending=5))
    assert decision.posture is posture
    assert (("loop", "denied", "deny") in rules_of(decision)) == (posture is Posture.LOCKED)


def test_nothing_is_locked_where_the_policy_does_not_enforce_it() -> None:
    decision = decided(DENY, session=denied_so_often(9), policy=Policy(loop_pending=5, loop_enforce=False))
    assert (decision.posture, rules_of(decision)) == (Posture.INTERACTIVE, [("rules", "r", "deny")])


def test_nothing_is_locked_that_is_asked_about_or_only_tried() -> None:
    assert decided(ASK, session=denied_so_often(9), policy=Policy(loop_pending=5)).posture is Posture.INTERACTIVE
    dry = denied_so_often(9).replace(posture=Posture.DRY_RUN)
    assert decided(DENY, session=dry, policy=Policy(loop_pending=5)).posture is Posture.DRY_RUN


def test_what_waits_for_somebody_elsewhere_is_no_loop() -> None:
    session = denied_so_often(9).replace(posture=Posture.AUTONOMOUS)
    decision = decided(ASK, session=session, policy=Policy(loop_pending=5, approvers=("page",)))
    assert (decision.posture, decision.approval is None) == (Posture.AUTONOMOUS, False)


def test_what_was_applied_from_a_preview_does_not_run_as_well() -> None:
    decision = decided(ASK, session=Session(applied="Two files were changed."))
    [told] = [found for found in decision.reasons if found.layer == "answers"]
    assert (decision.verdict.name, told.rule) == ("deny", "applied")
    assert told.instead.endswith("Two files were changed.")


def test_a_deny_is_not_told_as_something_that_was_answered() -> None:
    assert rules_of(decided(DENY, session=Session(applied="Two files were changed."))) == [("rules", "r", "deny")]


@pytest.mark.parametrize("posture", [Posture.DRY_RUN, Posture.LOCKED])
def test_a_read_that_has_to_be_asked_about_does_not_pass_where_nobody_is_asked(posture: Posture) -> None:
    decision = decided(ASK, actions=(LOOK,), session=Session(posture=posture))
    assert (decision.verdict.name, ("posture", posture.name, "deny") in rules_of(decision)) == ("deny", True)


def test_a_key_that_could_sign_does_not_help_where_nobody_is_told_of_the_question() -> None:
    decision = waits(SIGNED, posture=Posture.AUTONOMOUS, signing="medium")
    [told] = [found for found in decision.reasons if found.layer == "posture"]
    assert told.text == "Nobody is in front of this session to be asked, and no approver is configured."


# switched off, locking, and notes


def test_switched_off_only_what_is_built_in_holds() -> None:
    """Each of the layers finds nothing here but the one that is given; whether it stays on is told by its name."""
    wipe = Action(name="fs:delete", target=FrozenMap({"path": "/"}), effects=(Effect.DESTRUCTIVE,), tags=("fork-bomb",))
    off = Session(off=True)
    decision = decide(CALL, reading(PUSH), Policy(), off, (), finds(ASK))
    assert (decision.verdict.name, decision.reasons, decision.satisfied) == ("allow", (), (ASK,))
    assert "The person has switched Interlock off for a while; only its built-in refusals apply." in decision.notes
    assert decide(CALL, reading(wipe), Policy(), off, (), (floor,)).verdict is Verdict.DENY
    on = decide(CALL, reading(PUSH), Policy(), Session(), (), finds(ASK))
    assert not [note for note in on.notes if "switched Interlock off" in note]


@pytest.mark.parametrize("verdict", list(Verdict.members))
def test_a_finding_may_lock_whatever_its_verdict_is(verdict: Verdict) -> None:
    found = ASK.replace(verdict=verdict, locks=True)
    assert decided(found).posture is Posture.LOCKED
    assert decided(found, ASK).posture is Posture.LOCKED, "a later finding does not unlock it"
    assert decided(found, session=Session(off=True)).posture is Posture.INTERACTIVE


def test_advice_neither_blocks_nor_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    def advises(*_: object) -> Sequence[Finding]:
        return [ASK.replace(locks=True), ASK.replace(verdict=Verdict.ALLOW, text="A note.")]

    monkeypatch.setattr("interlock.decide.ADVISORY", (advises,))
    decision = decide(CALL, reading(PUSH), Policy(), Session(), (), (advises,))
    assert (decision.verdict, decision.posture, decision.notes) == (Verdict.ALLOW, Posture.INTERACTIVE, ("A note.",))
    assert conformance in LAYERS


def test_what_a_rule_brings_in_is_shown_on_one_line() -> None:
    [shown] = decided(ASK.replace(text="a\nb", instead="c\rd", rule="e\x1b", why="f\tg")).reasons
    assert (shown.text + shown.instead + shown.rule + shown.why).isprintable()
    [same] = decided(ASK).reasons
    assert same is ASK, "what is printable is left as it is"


def test_a_mode_that_a_person_raised_is_told_for_what_is_no_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.decide.mode_in_force", lambda *_: ApprovalMode.PERMISSIVE)
    note = "The approval mode is permissive for now, because the person said so."
    assert decided(actions=(PUSH,)).notes == (note,)
    assert decided(actions=(LOOK,)).notes == ()
