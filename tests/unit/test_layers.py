"""Each layer by itself, then what the decision makes of them, then the session afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import approval_for
from interlock.approve.grant import Grant
from interlock.decide import decide
from interlock.layers import ADVISORY, FAIL_CLOSED, LAYERS, STAY_ON
from interlock.layers.faults import faults
from interlock.layers.floor import floor
from interlock.layers.manifest import manifest
from interlock.layers.risk import risk
from interlock.layers.rules import rules
from interlock.layers.unread import unread
from interlock.limits import MAX_SESSION_PATHS
from interlock.model.action import Action, Opaque, Reading, effects_of, is_read_only
from interlock.model.call import Call
from interlock.model.decision import Decision, Finding, NearMiss
from interlock.model.effects import Effect
from interlock.model.posture import Posture
from interlock.model.session import Session, advance
from interlock.model.verdict import Risk, Verdict
from interlock.policy.facts import facts_under
from interlock.policy.model import ApprovalMode, Policy, Rule, ToolSpec, When
from interlock.value import FrozenMap

CALL = Call(tool="Write", input=FrozenMap({}), cwd="/p", session="s")
WRITE = Action(name="fs:write", target=FrozenMap({"path": "/p/a"}), effects=(Effect.WRITE,))
READ = Action(name="fs:read", target=FrozenMap({"path": "/p/a"}), effects=(Effect.READ,))


def reading(*actions: Action, opaque: tuple[Opaque, ...] = ()) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions, opaque=opaque)


def policy(**fields: Any) -> Policy:
    spec = fields.pop("spec", ToolSpec(name="Write", effects=(Effect.WRITE, Effect.READ)))
    tools = {} if spec is None else {"Write": spec}
    return Policy(tools=FrozenMap(tools), **fields)


def spec(**fields: Any) -> ToolSpec:
    return ToolSpec(name="Write", effects=(Effect.WRITE, Effect.READ)).replace(**fields)


def brief(found: Any) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.verdict.name, finding.text) for finding in found]


def names(layers: Any) -> str:
    return " ".join([layer.__name__ for layer in layers])


def test_the_layers_are_these() -> None:
    assert names(LAYERS) == (
        "floor obeyed faults watch unread manifest risk capability two rules tiers flow plan loop judge conformance"
    )
    assert names(ADVISORY) == "conformance"


def test_which_layers_deny_when_they_fail_and_which_hold_while_the_rest_is_off() -> None:
    assert names(FAIL_CLOSED) == "floor capability two"
    assert names(STAY_ON) == "floor faults two"


def test_the_floor_denies_changing_what_guards() -> None:
    guarded = WRITE.replace(tags=("guard",), target=FrozenMap({"path": "/p/.claude/settings.json"}))
    assert floor(CALL, reading(READ, guarded), Policy(), Session(), ()) == [
        Finding(
            layer="floor",
            rule="guard-files",
            verdict=Verdict.DENY,
            text="Change `/p/.claude/settings.json`: it belongs to Interlock or to an agent's settings, which only you "
            "may change, in your own editor.",
            instead="Leave it alone, and tell the person what you wanted to change.",
            actions=(1,),
            why="it belongs to Interlock or to an agent's settings, which only you may change, in your own editor",
        )
    ]
    assert floor(CALL, reading(READ.replace(tags=("guard",))), Policy(), Session(), ()) == []
    for effect in Effect.members[1:]:
        assert len(floor(CALL, reading(guarded.replace(effects=(Effect.READ, effect))), Policy(), Session(), ())) == 1


UNTIL = "Until you fix it, only read-only calls are allowed."


def test_a_broken_policy_lets_only_reads_pass() -> None:
    broken = Policy(faults=("user.toml:1:1: no", "user.toml:2:1: no"))
    assert brief(faults(CALL, reading(WRITE), broken, Session(), ())) == [
        ("broken", "deny", f"The policy cannot be used: user.toml:{line}:1: no. {UNTIL}") for line in (1, 2)
    ]
    assert faults(CALL, reading(READ), broken, Session(), ()) == ()
    assert brief(faults(CALL, reading(READ, opaque=(Opaque(reason="x"),)), broken, Session(), ()))
    assert faults(CALL, reading(WRITE), Policy(), Session(), ()) == ()


def test_each_part_that_was_not_read_asks_for_this_call_alone() -> None:
    found = unread(CALL, reading(READ, opaque=(Opaque(reason="one"), Opaque(reason="two"))), Policy(), Session(), ())
    said = "Interlock could not read all of it"
    assert brief(found) == [("opaque", "ask", f"{said}: one."), ("opaque", "ask", f"{said}: two.")]
    assert {finding.lifted_by for finding in found} == {("once",)}
    nothing = unread(CALL, reading(), Policy(), Session(), ())
    assert brief(nothing) == [("empty", "ask", "Interlock could not read this call at all.")]
    assert unread(CALL, reading(READ), Policy(), Session(), ()) == []


@pytest.mark.parametrize("verdict", Verdict.members, ids=str)
def test_a_tool_that_nobody_declared_gets_what_the_policy_says(verdict: Verdict) -> None:
    for without in (policy(spec=None, unregistered=verdict), policy(spec=spec(registered=False), unregistered=verdict)):
        found = manifest(CALL, reading(WRITE), without, Session(), ())
        text = (
            "Change `/p/a`: your policy does not declare the tool `Write`, so Interlock cannot tell all that it does."
        )
        expected = [("unregistered", verdict.name, text)]
        assert brief(found) == ([] if verdict is Verdict.ALLOW else expected)


def test_an_effect_beyond_what_was_declared_asks_each_time() -> None:
    more = WRITE.replace(effects=(Effect.DESTRUCTIVE, Effect.WRITE))
    (found,) = manifest(CALL, reading(WRITE, more), policy(), Session(), ())
    assert found == Finding(
        layer="manifest",
        rule="effects",
        verdict=Verdict.ASK,
        text="Change `/p/a`: the tool `Write` is declared without the effect destructive.",
        why="the tool `Write` is declared without the effect destructive",
        instead="Use a tool that is declared for this.",
        actions=(1,),
        grant="fs:write path=/p/a",
        lifted_by=("once", "capability"),
    )


CONFIRMS: list[tuple[tuple[str, ...], tuple[str, ...], list[tuple[str, tuple[str, ...]]]]] = [
    ((), ("secret", "outside"), []),
    (("secret",), (), []),
    (("secret",), ("secret",), [("Change `/p/a`: passwords or keys are kept there.", ("once", "capability"))]),
    (("outside",), ("outside",), [("Change `/p/a`: it is outside the project.", ("once", "capability", "remembered"))]),
    (
        ("outside", "secret"),
        ("outside", "secret"),
        [("Change `/p/a`: passwords or keys are kept there; it is outside the project.", ("once", "capability"))],
    ),
    (
        ("new",),
        ("new",),
        [("Change `/p/a`: your policy asks about what is marked `new`.", ("once", "capability", "remembered"))],
    ),
    (("*",), (), [("Change `/p/a`: your policy asks about this tool each time.", ("once", "capability"))]),
]


@pytest.mark.parametrize(("confirm", "tags", "expected"), CONFIRMS)
def test_confirm_asks_always_or_at_a_mark(
    confirm: tuple[str, ...], tags: tuple[str, ...], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    found = manifest(CALL, reading(WRITE.replace(tags=tags)), policy(spec=spec(confirm=confirm)), Session(), ())
    assert [(finding.text, finding.lifted_by) for finding in found] == expected


def test_a_tool_runs_only_in_its_postures() -> None:
    only = policy(spec=spec(postures=(Posture.INTERACTIVE, Posture.DRY_RUN)))
    assert manifest(CALL, reading(WRITE), only, Session(), ()) == []
    assert brief(manifest(CALL, reading(WRITE), only, Session(posture=Posture.LOCKED), ())) == [
        (
            "postures",
            "deny",
            "Use the tool `Write`: your policy allows it only in the posture interactive or dry_run; this session is "
            "locked.",
        )
    ]
    never = policy(spec=spec(postures=()))
    assert brief(manifest(CALL, reading(WRITE), never, Session(), ())) == [
        (
            "postures",
            "deny",
            "Use the tool `Write`: your policy allows it only in the posture (none); this session is interactive.",
        )
    ]


# declared, read, irreversible, max, allow_critical, ask_at -> rules that speak
RISKS: list[tuple[str, str, bool, str, bool, str, list[str]]] = [
    ("low", "low", False, "high", False, "high", []),
    ("low", "high", True, "high", False, "high", ["irreversible"]),
    ("high", "low", True, "high", False, "high", ["irreversible"]),
    ("low", "medium", True, "high", False, "high", []),
    ("low", "high", False, "high", False, "high", []),
    ("low", "high", False, "medium", False, "high", ["ceiling"]),
    ("medium", "low", True, "low", False, "low", ["ceiling", "irreversible"]),
    ("low", "critical", False, "critical", False, "high", ["critical"]),
    ("low", "critical", False, "high", False, "high", ["critical", "ceiling"]),
    ("low", "critical", False, "high", True, "high", ["ceiling"]),  # the opt-in does not move the ceiling
    ("low", "critical", False, "critical", True, "high", []),
    ("low", "critical", True, "critical", True, "high", ["irreversible"]),
]


@pytest.mark.parametrize(("declared", "level", "irreversible", "ceiling", "critical", "ask_at", "expected"), RISKS)
def test_risk(
    declared: str, level: str, irreversible: bool, ceiling: str, critical: bool, ask_at: str, expected: list[str]
) -> None:
    found = risk(
        CALL,
        reading(WRITE.replace(risk=Risk.of(level), irreversible=irreversible)),
        policy(
            spec=spec(risk=Risk.of(declared)),
            risk_max=Risk.of(ceiling),
            allow_critical=critical,
            ask_at=Risk.of(ask_at),
        ),
        Session(),
        (),
    )
    assert [finding.rule for finding in found] == expected


def test_a_tool_that_is_declared_irreversible_is() -> None:
    declared = policy(spec=spec(irreversible=True, risk=Risk.HIGH))
    assert brief(risk(CALL, reading(WRITE), declared, Session(), ())) == [
        ("irreversible", "ask", "Change `/p/a`: it cannot be undone.")
    ]


WHENS: list[tuple[dict[str, Any], bool]] = [
    ({"tool": "Wri*"}, True),
    ({"tool": "Read"}, False),
    ({"action": "fs:*"}, True),
    ({"action": "git:*"}, False),
    ({"target": FrozenMap({"path": "/p/*"})}, True),
    ({"target": FrozenMap({"path": "/etc/*"})}, True),  # where the link leads
    ({"target": FrozenMap({"path": "/q/*"})}, False),
    ({"target": FrozenMap({"path": "/p/*", "branch": "*"})}, False),
    ({"target": FrozenMap({"force": "true"})}, True),
    ({"target": FrozenMap({"force": "True"})}, False),
    ({"target": FrozenMap({"many": "b"})}, True),
    ({"target": FrozenMap({"many": "c"})}, False),
    ({"target": FrozenMap({"count": "3"})}, True),
    ({"effects": (Effect.WRITE, Effect.SPAWN)}, True),
    ({"effects": (Effect.SPAWN,)}, False),
    ({"tags": ("new", "secret")}, True),
    ({"tags": ("secret",)}, False),
    ({"risk": Risk.MEDIUM}, True),
    ({"risk": Risk.HIGH}, False),
    ({"host": "claude-*"}, True),
    ({"host": "codex"}, False),
    ({"agent": "sub"}, True),
    ({"agent": "Explore"}, True),
    ({"agent": "explore"}, False),
    ({"agent": ""}, False),
    ({"postures": (Posture.INTERACTIVE,)}, True),
    ({"postures": (Posture.LOCKED,)}, False),
    ({"tool": "Write", "action": "git:*"}, False),
]


@pytest.mark.parametrize(("when", "expected"), WHENS, ids=[str(when) for when, _ in WHENS])
def test_a_rule_matches_when_all_that_it_names_is_so(when: dict[str, Any], expected: bool) -> None:
    rule = Rule(id="r", when=When(**when), verdict=Verdict.ASK, reason="because", instead="other")
    target = {"path": "/p/a", "real": "/etc/passwd", "force": True, "many": ("a", "b"), "count": 3}
    action = WRITE.replace(target=FrozenMap(target), tags=("new", "outside"), risk=Risk.MEDIUM)
    call = CALL.replace(host="claude-code", agent="sub", agent_type="Explore")
    found = rules(call, reading(action), Policy(rules=(rule,)), Session(), ())
    assert found == (
        [
            Finding(
                layer="rules",
                rule="r",
                verdict=Verdict.ASK,
                text="because",
                instead="other",
                actions=(0,),
                grant="fs:write path=/p/a real=/etc/passwd force",
                lifted_by=("once", "capability", "remembered"),
                binds=rule.digest,
            )
        ]
        if expected
        else []
    )


# --- the decision ----------------------------------------------------------------------------------

ASK_RULE = Rule(id="look", when=When(action="fs:write"), verdict=Verdict.ASK, reason="Look first.")
ASKED = Finding(
    layer="rules",
    rule="look",
    verdict=Verdict.ASK,
    text="Look first.",
    actions=(0,),
    grant="fs:write path=/p/a",
    lifted_by=("once", "capability", "remembered"),
    binds=ASK_RULE.digest,
)
APPROVAL = approval_for(CALL, reading(WRITE), policy()).id


def decided(*grants: Grant, posture: Posture = Posture.INTERACTIVE, **fields: Any) -> Decision:
    in_force = policy(rules=(ASK_RULE,), digest="sha256:d", **fields)
    return decide(CALL, reading(WRITE), in_force, Session(posture=posture), grants)


def outcome(verdict: Verdict, **fields: Any) -> Decision:
    blank = Decision(
        verdict=verdict,
        effect=Effect.WRITE,
        effects=(Effect.WRITE,),
        reasons=(),
        satisfied=(),
        used=(),
        near_misses=(),
        notes=(),
        posture=Posture.INTERACTIVE,
        approval=None,
    )
    return blank.replace(**fields)


def test_an_ask_stands_and_names_its_approval() -> None:
    assert decided() == outcome(Verdict.ASK, reasons=(ASKED,), approval=APPROVAL)


@pytest.mark.parametrize(
    "grant",
    [
        Grant(id="g", kind="once", binds=APPROVAL),
        Grant(id="g", kind="capability", action="fs:*"),
        Grant(id="g", kind="remembered", action="fs:write"),
    ],
    ids=lambda grant: grant.kind,
)
def test_a_grant_that_fits_satisfies_it(grant: Grant) -> None:
    assert decided(grant) == outcome(Verdict.ALLOW, satisfied=(ASKED,), used=(grant,))


def test_an_approval_of_another_call_satisfies_nothing() -> None:
    assert decided(Grant(id="g", kind="once", binds="ap_other")).verdict is Verdict.ASK


def test_in_strict_mode_nothing_is_remembered() -> None:
    kept = Grant(id="g", kind="remembered", action="fs:write")
    assert decided(kept, approval_mode=ApprovalMode.STRICT).verdict is Verdict.ASK
    assert decided(kept, approval_mode=ApprovalMode.PERMISSIVE).verdict is Verdict.ALLOW


def test_a_grant_that_almost_fits_is_told_as_a_near_miss() -> None:
    grant = Grant(id="g", kind="capability", action="fs:write", scope=FrozenMap({"path": "/q/*"}))
    miss = NearMiss(grant="g", rule="look", why="its scope is path = /q/*, the call's is /p/a")
    assert decided(grant) == outcome(Verdict.ASK, reasons=(ASKED,), near_misses=(miss,), approval=APPROVAL)


def test_a_deny_is_not_lifted_by_what_would_have_lifted_an_ask() -> None:
    everything = [Grant(id=kind, kind=kind, action="*") for kind in ("capability", "remembered")]
    decision = decided(*everything, Grant(id="o", kind="once", binds=APPROVAL), spec=None, unregistered=Verdict.DENY)
    assert [(finding.rule, finding.verdict) for finding in decision.reasons] == [("unregistered", Verdict.DENY)]


def test_every_action_of_an_ask_must_be_covered() -> None:
    in_force = policy(spec=None, unregistered=Verdict.ASK)
    grants = [Grant(id="w", kind="capability", action="fs:write"), Grant(id="r", kind="capability", action="fs:read")]
    both = reading(WRITE, READ)
    assert decide(CALL, both, in_force, Session(), grants[:1]).verdict is Verdict.ASK
    assert decide(CALL, both, in_force, Session(), grants[1:]).verdict is Verdict.ASK
    assert decide(CALL, both, in_force, Session(), grants).used == tuple(grants)


def test_nobody_can_be_asked_while_autonomous() -> None:
    decision = decided(posture=Posture.AUTONOMOUS)
    assert decision.verdict is Verdict.DENY
    assert brief(decision.reasons) == [
        (
            "autonomous",
            "deny",
            "Nobody is in front of this session to be asked, and no approver is configured.",
        ),
        ("look", "ask", "Look first."),
    ]
    kept = Grant(id="g", kind="capability", action="fs:write")
    assert decided(kept, posture=Posture.AUTONOMOUS).verdict is Verdict.ALLOW


@pytest.mark.parametrize("posture", [Posture.DRY_RUN, Posture.LOCKED], ids=str)
def test_only_reads_happen_while_locked_or_dry(posture: Posture) -> None:
    kept = Grant(id="g", kind="capability", action="*")
    decision = decided(kept, posture=posture)
    kind = {"dry_run": "a dry run", "locked": "locked"}[posture.name]
    text = f"This session is {kind}: only read-only calls are allowed."
    assert brief(decision.reasons) == [(posture.name, "deny", text)]
    assert decide(CALL, reading(READ), policy(), Session(posture=posture)).verdict is Verdict.ALLOW


def test_grants_are_used_in_the_order_in_which_they_were_given() -> None:
    """A replay knows only the used ones; in any other order it could pick another than was picked."""
    kept = Grant(id="kept", kind="remembered", action="*")
    ahead = Grant(id="ahead", kind="capability", action="*")
    strong = spec(confirm=("*",))  # asks for the capability first, the rule then takes what was remembered
    decision = decided(kept, ahead, spec=strong)
    assert decision.used == (kept, ahead)
    assert decided(*decision.used, spec=strong) == decision


def test_a_layer_that_locks_moves_the_posture_whatever_the_verdict() -> None:
    note = Finding(layer="loop", rule="again", verdict=Verdict.ALLOW, text="again", locks=True)
    decision = decide(CALL, reading(WRITE), policy(), Session(), (), [lambda *_: [note]])
    assert (decision.verdict, decision.posture) == (Verdict.ALLOW, Posture.LOCKED)


def test_a_layer_that_fails_asks_and_says_which() -> None:
    def brittle(*_: object) -> list[Finding]:
        raise KeyError("x")

    decision = decide(CALL, reading(WRITE), policy(), Session(), (), [brittle])
    assert brief(decision.reasons) == [
        ("failed", "ask", "Interlock could not check this call: its brittle check failed (KeyError).")
    ]
    assert decision.reasons[0].lifted_by == ("once",)


def test_a_floor_that_fails_denies_and_no_approval_lifts_it() -> None:
    broken = reading(WRITE.replace(tags=None))  # no reading looks like this; the floor cannot look into it
    grants = [Grant(id="o", kind="once", binds=APPROVAL), Grant(id="c", kind="capability", action="*")]
    decision = decide(CALL, broken, policy(digest="sha256:d"), Session(), grants)
    assert brief(decision.reasons) == [
        ("failed", "deny", "Interlock could not check this call: its floor check failed (TypeError).")
    ]


# --- readings and sessions -------------------------------------------------------------------------


def test_a_reading_knows_its_effects_and_whether_it_only_reads() -> None:
    assert effects_of(reading(READ, WRITE, READ)) == (Effect.WRITE, Effect.READ)
    assert effects_of(reading()) == ()
    assert is_read_only(reading(READ))
    assert is_read_only(reading(Action(name="agent:note")))
    assert not is_read_only(reading(READ, WRITE))
    assert not is_read_only(reading(READ, opaque=(Opaque(reason="x"),)))


@pytest.mark.parametrize(
    ("verdict", "result", "created", "written"),
    [
        (Verdict.ALLOW, "ran", {"/p/a"}, {"/p/a", "/p/edited", "/p/old"}),
        (Verdict.ALLOW, "unknown", {"/p/a"}, {"/p/a", "/p/edited", "/p/old"}),
        (Verdict.ALLOW, "failed", set(), {"/p/a", "/p/edited", "/p/old"}),  # it may have written before it failed
        (Verdict.ALLOW, "not_run", set(), set()),
        (Verdict.ASK, "ran", {"/p/a"}, {"/p/a", "/p/edited", "/p/old"}),  # a person said yes
        (Verdict.ASK, "unknown", set(), {"/p/a", "/p/edited", "/p/old"}),
        (Verdict.ASK, "not_run", set(), set()),
        (Verdict.DENY, "unknown", set(), set()),
    ],
)
def test_a_session_remembers_what_it_wrote(verdict: Verdict, result: str, created: set[str], written: set[str]) -> None:
    made = reading(
        WRITE.replace(tags=("new",)),
        WRITE.replace(target=FrozenMap({"path": "/p/old"})),
        WRITE.replace(target=FrozenMap({"path": "/p/edited"}), effects=(Effect.WRITE, Effect.READ), tags=("new",)),
        READ.replace(target=FrozenMap({"path": "/p/none"}), tags=("new",)),
    )
    before = Session(id="s", created=frozenset({"/p/x"}), written=frozenset({"/p/x"}), calls=4)
    after = advance(before, made, outcome(verdict), result)
    assert (after.created, after.written, after.calls) == (
        frozenset({"/p/x", *created}),
        frozenset({"/p/x", *written}),
        5,
    )


def test_what_was_moved_somewhere_is_not_the_sessions_own() -> None:
    dest = WRITE.replace(tags=("moved", "new"), target=FrozenMap({"path": "/p/d"}))
    after = advance(Session(), reading(dest), outcome(Verdict.ALLOW), "ran")
    assert (after.created, after.written, after.kept) == (
        frozenset(),
        frozenset({"/p/d"}),
        frozenset({"/p/d"}),
    )


def test_too_many_files_make_everything_doubtful_and_nothing_free() -> None:
    many = [WRITE.replace(tags=("new",), target=FrozenMap({"path": f"/p/{n}"})) for n in range(MAX_SESSION_PATHS + 1)]
    after = advance(Session(), reading(*many), outcome(Verdict.ALLOW), "ran")
    assert "/" in after.written
    assert len(after.written) == MAX_SESSION_PATHS + 1
    known = facts_under(Policy(), CALL, root="/p", home="/h", session=after)
    assert known.created == after.written - {"/"}  # nothing is taken for the project's build
    older = after.replace(written=frozenset(("/",)))  # as an older version kept it
    assert facts_under(Policy(), CALL, root="/p", home="/h", session=older).created == frozenset()


def test_a_session_is_locked_by_a_decision_and_knows_its_outcomes() -> None:
    after = advance(Session(), reading(READ), outcome(Verdict.ALLOW, posture=Posture.LOCKED))
    assert (after.calls, after.posture) == (1, Posture.LOCKED)
    with pytest.raises(ValueError, match="`maybe` is not one of ran, failed, not_run, unknown"):
        advance(Session(), reading(READ), outcome(Verdict.ALLOW), "maybe")
