"""Each layer by itself: whose finding it is, what it is about, and what may lift it.

The words are held by told.yaml. Here it is the rest, because a finding that names another layer is told in the wrong
place, and one that is lifted by something else lets through what it should not.
"""

from __future__ import annotations

from typing import Any

import pytest

from interlock.layers.capability import capability
from interlock.layers.conformance import conformance
from interlock.layers.faults import faults
from interlock.layers.floor import floor
from interlock.layers.flow import flow
from interlock.layers.judge import judge
from interlock.layers.loop import counts_for, locked_by, loop, unlocking
from interlock.layers.manifest import manifest
from interlock.layers.obeyed import obeyed, told_of
from interlock.layers.risk import risk
from interlock.layers.rules import rules
from interlock.layers.unread import unread
from interlock.limits import MAX_NOTES
from interlock.model.action import Action, Broken, Judgement, Newly, Opaque, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.facts import DEFINITION, MALFORMED
from interlock.model.obeyed import REASONS
from interlock.model.origins import Origin
from interlock.model.session import OTHERS, Session
from interlock.model.steps import Ran
from interlock.model.verdict import Risk, Verdict
from interlock.policy.model import ApprovalMode, Policy, Rule, Tiers, ToolSpec, When
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")
ANY = ("once", "capability", "remembered")
EACH_TIME = ("once", "capability")


def action(name: str = "fs:write", *effects: Effect, tags: tuple[str, ...] = (), **target: Any) -> Action:
    return Action(name=name, target=FrozenMap(target), effects=effects or (Effect.WRITE,), tags=tags)


def reading(*actions: Action, **fields: Any) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions, **fields)


def found(
    layer: Any, what: Reading, policy: Policy | None = None, session: Session | None = None, call: Call = CALL
) -> list[Finding]:
    return list(layer(call, what, policy or Policy(), session or Session(), ()))


def brief(findings: list[Finding]) -> list[tuple[str, str, str, tuple[int, ...], tuple[str, ...]]]:
    return [(one.layer, one.rule, one.verdict.name, one.actions, one.lifted_by) for one in findings]


# the floor


@pytest.mark.parametrize(
    ("tags", "effect", "rule"),
    [
        (("root",), Effect.DESTRUCTIVE, "catastrophe"),
        (("home",), Effect.DESTRUCTIVE, "catastrophe"),
        (("device",), Effect.DESTRUCTIVE, "catastrophe"),
        (("fork-bomb",), Effect.SPAWN, "catastrophe"),
        (("guard",), Effect.WRITE, "guard-files"),
        (("own-secret",), Effect.READ, "guard-secrets"),
    ],
)
def test_nothing_lifts_the_floor(tags: tuple[str, ...], effect: Effect, rule: str) -> None:
    ordinary = action("fs:read", Effect.READ, path="/p/a")
    what = reading(ordinary, action("fs:write", effect, tags=tags, path="/p/x"))
    assert brief(found(floor, what)) == [("floor", rule, "deny", (1,), ())]


def test_a_root_that_is_only_looked_at_is_no_catastrophe() -> None:
    assert found(floor, reading(action("fs:read", Effect.READ, tags=("root",), path="/"))) == []


@pytest.mark.parametrize("who", ["", "a program that only this policy knows"])
def test_who_obeys_a_guarded_file_is_told(who: str) -> None:
    [one] = found(floor, reading(action(tags=("guard",), path="/p/x", obeyed=who)))
    assert (one.rule, one.verdict.name) == ("guard-files", "deny")
    assert who in one.text
    assert "?" not in one.why


# what could not be read, and a policy that cannot be used


def test_what_could_not_be_read_is_asked_about_once_for_each_part() -> None:
    parts = (
        Opaque(reason="a variable", field="command", span=(3, 5)),
        Opaque(reason="another", field=DEFINITION, span=(0, 0)),
    )
    findings = found(unread, reading(action(), opaque=parts))
    assert brief(findings) == [
        ("reading", "opaque", "ask", (), ("once",)),
        ("reading", "definition", "ask", (), ("once",)),
    ]
    assert [one.evidence for one in findings] == [("command", 3, 5), (DEFINITION, 0, 0)]


def test_nobody_can_say_yes_to_what_is_no_call_at_all() -> None:
    part = Opaque(reason="the name is there twice", field=MALFORMED, span=(0, 4))
    assert found(unread, reading(action(), opaque=(part,))) == [
        Finding(
            layer="reading",
            rule="malformed",
            verdict=Verdict.DENY,
            text="What the agent sent is not a call that can be read in one way: the name is there twice.",
            instead="Make the call again in another way.",
        )
    ]


def test_a_reading_without_a_word_is_asked_about_and_one_without_an_action_is_not() -> None:
    assert brief(found(unread, reading())) == [("reading", "empty", "ask", (), ("once",))]
    assert found(unread, reading(action())) == []
    assert [one.rule for one in found(unread, reading(opaque=(Opaque(reason="x", field="f", span=(0, 1)),)))] == [
        "opaque"
    ]


def test_with_a_broken_policy_only_reads_pass() -> None:
    policy = Policy(faults=("line 3 is wrong.", "what is line 4?"))
    findings = found(faults, reading(action()), policy)
    assert brief(findings) == [("policy", "broken", "deny", (), ())] * 2
    assert findings[0].text.startswith("The policy cannot be used: line 3 is wrong. Until")
    assert findings[1].text.startswith("The policy cannot be used: what is line 4?. Until")
    assert "line 4?. Until" in findings[1].instead
    assert found(faults, reading(action("fs:read", Effect.READ)), policy) == []
    assert found(faults, reading(action())) == []


# notes of contracts


def broken(count: int) -> tuple[Broken, ...]:
    return tuple(Broken(contract=f"c{n}", level="L1", text=f"text {n}") for n in range(count))


def test_contracts_and_doubts_are_notes() -> None:
    notes = found(conformance, reading(action(), broken=broken(1), doubts=("doubt",)))
    assert brief(notes) == [("conformance", "c0", "allow", (), ()), ("conformance", "consult", "allow", (), ())]
    assert [one.rule for one in found(conformance, reading(action(), doubts=("doubt",)))] == ["consult"]
    assert [one.rule for one in found(conformance, reading(action(), broken=broken(1)))] == ["c0"]
    assert found(conformance, reading(action())) == []


@pytest.mark.parametrize(("count", "more"), [(MAX_NOTES, False), (MAX_NOTES + 1, True)])
def test_so_many_notes_are_told_and_the_rest_is_counted(count: int, *, more: bool) -> None:
    notes = found(conformance, reading(action(), broken=broken(count)))
    assert (len(notes), notes[-1].rule == "more") == (MAX_NOTES + more, more)
    if more:
        assert notes[-1].text == "and 1 more that contracts prove wrong"


# judges


def said(*words: str) -> Reading:
    names = ("one", "two")
    return reading(
        action(),
        judged=tuple(Judgement(model=names[at], family="f", says=word, why="w") for at, word in enumerate(words)),
    )


@pytest.mark.parametrize(
    ("words", "rule"),
    [(("unsafe", "unsafe"), "unsafe"), (("safe", "unsafe"), "disagree"), (("unsafe", "abstain"), "one")],
)
def test_what_one_judge_calls_unsafe_is_asked_about(words: tuple[str, str], rule: str) -> None:
    [one] = found(judge, said(*words))
    assert (one.layer, one.rule, one.verdict.name, one.lifted_by, one.instead) == ("judge", rule, "ask", ("once",), "")


def test_judges_that_find_nothing_say_nothing() -> None:
    assert found(judge, said("safe", "abstain")) == []


# repetition and budgets


def again(times: int) -> Session:
    return Session(id="s", recent=tuple(Ran(projection="sha256:p", outcome="ran") for _ in range(times)))


def test_repetition_is_refused_then_locked() -> None:
    policy = Policy(loop_repeat=3, loop_lock=5)
    assert found(loop, reading(action()), policy, again(1)) == []
    assert brief(found(loop, reading(action()), policy, again(2))) == [("loop", "repeat", "deny", (), ())]
    locked = found(loop, reading(action()), policy, again(9))
    assert [(one.layer, one.rule, one.verdict.name, one.locks) for one in locked] == [("loop", "lock", "deny", True)]
    advised = found(loop, reading(action()), policy.replace(loop_enforce=False), again(9))
    assert brief(advised) == [("loop", "repeat", "allow", (), ())]


@pytest.mark.parametrize(
    ("session", "told"),
    [
        ("", "interlock posture unlock"),
        ("s-1_a.b", "interlock posture unlock s-1_a.b"),
        ("a;b", "interlock posture unlock"),
        ("a b", "interlock posture unlock"),
        ("a?b", "interlock posture unlock"),
        ("$(x)", "interlock posture unlock"),
    ],
)
def test_only_a_plain_name_goes_into_a_command_that_a_person_types(session: str, told: str) -> None:
    assert unlocking(CALL.replace(session=session)) == told


def test_what_was_refused_again_and_again_locks() -> None:
    one = locked_by("denied", CALL, times=3)
    assert (one.layer, one.rule, one.verdict.name, one.locks) == ("loop", "denied", "deny", True)
    assert "refused 3 times" in one.text


@pytest.mark.parametrize(("over", "lifted_by"), [(Verdict.ASK, ("once",)), (Verdict.DENY, ())])
def test_a_budget_that_is_used_up(over: Verdict, lifted_by: tuple[str, ...]) -> None:
    policy = Policy(budgets=FrozenMap({"network": 1, "git:*": 2, "write": 5}), budget_over=over)
    what = reading(action("git:push", Effect.NETWORK))
    spent = Session(spent=FrozenMap({"network": 1, "git:fetch": 1}))
    assert brief(found(loop, what, policy, spent)) == [("loop", "budget network", over.name, (), lifted_by)]
    assert found(loop, what, policy) == []
    overspent = Session(spent=FrozenMap({"network": 9}))
    assert found(loop, reading(action("fs:write", Effect.WRITE)), policy, overspent) == [], "it spends nothing of that"


@pytest.mark.parametrize(
    ("budget", "count"),
    [("network", 3), ("git:*", 5 + 7), ("git:push", 2 + 7), ("*", 2 + 3 + 4 + 7), ("none:*", 7), ("spawn", 0)],
)
def test_what_counts_for_a_budget(budget: str, count: int) -> None:
    counts = {"network": 3, "git:push": 2, "git:fetch": 3, "fs:write": 4, OTHERS: 7}
    assert counts_for(budget, counts) == count


def test_what_is_not_counted_yet_counts_as_nothing() -> None:
    assert counts_for("network", {}) == 0
    assert counts_for("git:*", {}) == 0


# a new host after a secret


def test_a_new_host_is_asked_about_once_a_secret_was_read() -> None:
    fetch = action("net:fetch", Effect.NETWORK, host="new.example")
    secret = Session(secret=True)
    findings = found(flow, reading(fetch), session=secret)
    assert brief(findings) == [("flow", "new-host", "ask", (0,), ANY)]
    assert findings[0].grant is not None
    assert found(flow, reading(fetch)) == []
    assert found(flow, reading(fetch), session=secret.replace(hosts=frozenset({"new.example"}))) == []
    assert found(flow, reading(action("net:fetch", Effect.READ, host="new.example")), session=secret) == []
    assert found(flow, reading(action("net:fetch", Effect.NETWORK, host=7)), session=secret) == []
    assert found(flow, reading(action("net:fetch", Effect.NETWORK, host="localhost")), session=secret) == []


@pytest.mark.parametrize(("permissive", "asks"), [(1, True), (2, True), (3, False)])
def test_permissive_asks_about_a_new_host_unless_it_lets_all_through(permissive: int, *, asks: bool) -> None:
    policy = Policy(approval_mode=ApprovalMode.PERMISSIVE, tiers=Tiers(permissive=permissive))
    fetch = reading(action("net:fetch", Effect.NETWORK, host="new.example"))
    assert bool(found(flow, fetch, policy, Session(secret=True))) == asks


def test_a_host_that_everybody_knows_is_no_new_one() -> None:
    fetch = reading(action("net:fetch", Effect.NETWORK, host="github.com"))
    assert found(flow, fetch, session=Session(secret=True)) == []


@pytest.mark.parametrize("actions", [(), (action("tool:send", Effect.NETWORK),)])
def test_a_value_that_came_out_of_a_result_is_asked_about(actions: tuple[Action, ...]) -> None:
    origin = Origin(argument="to", role="recipient", value="eve@x.example", source="read_mail")
    [one] = found(flow, reading(*actions, origins=(origin,)))
    assert brief([one]) == [("flow", "from-result", "ask", tuple(range(len(actions))), ("once",))]
    assert one.text.startswith("The recipient") == (not actions)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("recipient", "the recipient"),
        ("link", "the address"),
        ("object", "the object"),
        ("credential", "the new password or key"),
        ("message", "in the text, the address"),
        ("day", "the day"),
    ],
)
def test_what_came_from_elsewhere_is_called_by_what_it_is(role: str, told: str) -> None:
    [one] = found(flow, reading(action(), origins=(Origin(argument="a", role=role, value="v"),)))
    assert (one.rule, one.why.startswith(told)) == ("from-nowhere", True)


# files that others obey


def test_a_file_that_others_obey() -> None:
    asked = action(tags=("obeyed", "obeyed-asked"), path="/p/a", obeyed="make")
    noted = action(tags=("obeyed", "obeyed-noted"), path="/p/b", obeyed="agents")
    fetch = action("net:fetch", Effect.NETWORK, host="h")
    assert brief(found(obeyed, reading(asked.replace(newly=())))) == [("obeyed", "asked", "ask", (0,), ANY)]
    assert brief(found(obeyed, reading(noted))) == [("obeyed", "noted", "allow", (), ())]
    assert brief(found(obeyed, reading(fetch, noted))) == [("obeyed", "asked", "ask", (1,), EACH_TIME)]
    assert found(obeyed, reading(action(tags=("obeyed-asked",), path="/p/a"))) == []
    assert found(obeyed, reading(action(tags=("obeyed",), path="/p/a"))) == []
    assert found(obeyed, reading(fetch, action(tags=("obeyed",), path="/p/a"))) == []
    assert [told_of(reading(one)) != [] for one in (asked, noted)] == [False, True]


@pytest.mark.parametrize("who", ["git", "agents' settings"])
def test_what_git_and_agents_obey_is_asked_about_each_time(who: str) -> None:
    asked = action(tags=("obeyed", "obeyed-asked"), path="/p/a", obeyed=who)
    assert brief(found(obeyed, reading(asked))) == [("obeyed", "asked", "ask", (0,), EACH_TIME)]
    noted = action(tags=("obeyed", "obeyed-noted"), path="/p/a", obeyed=who)
    fetch = action("net:fetch", Effect.NETWORK, host="h")
    assert brief(found(obeyed, reading(fetch, noted))) == [("obeyed", "asked", "ask", (1,), EACH_TIME)]


def test_a_change_is_asked_about_each_time_where_it_is_not_understood() -> None:
    by_name = {
        name: brief(found(obeyed, reading(action(name, tags=("obeyed", "obeyed-asked"), path="/p/a", obeyed="make"))))
        for name in ("fs:write", "fs:move", "fs:link", "fs:delete", "fs:chmod")
    }
    once = {name: lifted == EACH_TIME for name, [(*_, lifted)] in by_name.items()}
    assert once == {"fs:write": True, "fs:move": True, "fs:link": True, "fs:delete": False, "fs:chmod": False}


def test_what_a_file_newly_makes_run_is_told_with_the_time_at_which_it_runs() -> None:
    def told(path: str, who: str, *runs: str) -> str:
        newly = tuple([Newly(runs=run) for run in runs])
        act = action(tags=("obeyed", "obeyed-asked"), path=path, obeyed=who).replace(newly=newly)
        [one] = found(obeyed, reading(act))
        return one.why

    assert told("/p/.husky/pre-push", "git's hooks", "make") == "after it, `make` runs before each push"
    assert told("/p/.husky/post-merge", "git's hooks", "a", "b") == "after it, `a` and `b` run after each merge"
    assert told("/p/.husky/common", "git's hooks", "make") == "after it, `make` runs as a hook of git"
    assert told("/p/x.md", "Cursor", "make") == "after it, `make` runs when the file is used"
    assert told("/p/x.yml", "GitHub Actions", "make").endswith("runs on the next push, with the repository's secrets")


@pytest.mark.parametrize(
    ("who", "permissive", "verdict"),
    [("make", 1, "ask"), ("make", 2, "allow"), ("git", 2, "ask"), ("git", 3, "allow"), ("agents' settings", 2, "ask")],
)
def test_permissive_lets_pass_what_its_tier_lets_pass(who: str, permissive: int, verdict: str) -> None:
    policy = Policy(approval_mode=ApprovalMode.PERMISSIVE, tiers=Tiers(permissive=permissive))
    [one] = found(obeyed, reading(action(tags=("obeyed", "obeyed-asked"), path="/p/a", obeyed=who)), policy)
    assert one.verdict.name == verdict


def test_the_reason_is_that_of_who_obeys_it_and_how() -> None:
    by_owner: dict[str, dict[str, str]] = {}
    for (who, level), reason in REASONS.items():
        by_owner.setdefault(who, {})[level] = reason
    for who, reasons in by_owner.items():
        for level in ("asked", "noted"):
            [one] = found(obeyed, reading(action(tags=("obeyed", f"obeyed-{level}"), path="/p/a", obeyed=who)))
            assert reasons.get(level, next(iter(reasons.values()))) in one.text, (who, level)


def test_who_obeys_a_file_is_named_where_no_reason_is_known() -> None:
    [one] = found(
        obeyed, reading(action(tags=("obeyed", "obeyed-asked"), path="/p/a", obeyed="somebody else").replace(newly=()))
    )
    assert one.why == "somebody else follows what it says"
    [other] = found(obeyed, reading(action(tags=("obeyed", "obeyed-asked"), path="/p/a").replace(newly=())))
    assert other.why == "other programs follows what it says"


# capabilities


def test_what_the_policy_gates_itself_needs_a_capability_where_nothing_else_does() -> None:
    push = reading(action("git:push", Effect.NETWORK, tags=("external",), destination="h/x"))
    own = Policy(enforce=False, gated=("git:push",))
    assert brief(found(capability, push, own)) == [("capability", "git:push", "deny", (0,), ("capability",))]
    assert found(capability, push, Policy(enforce=False)) == []


# rules, risk, the manifest


def test_a_rule_about_the_words_of_a_call_is_lifted_by_a_yes_to_that_call_alone() -> None:
    when = When(tool="Bash", input=FrozenMap({"command": ("*x*",)}))
    for verdict, lifted_by in ((Verdict.ASK, ("once",)), (Verdict.DENY, ())):
        rule = Rule(id="r", when=when, verdict=verdict, reason="Why.")
        assert [one.lifted_by for one in _findings_of(rule)] == [lifted_by]
    of_action = Rule(id="r", when=When(action="fs:*"), verdict=Verdict.ASK, reason="Why.")
    assert [(one.lifted_by, one.actions) for one in _findings_of(of_action)] == [(ANY, (0,))]
    of_contract = Rule(id="r", when=When(contract="Edit.*"), verdict=Verdict.ASK, reason="Why.")
    assert [(one.lifted_by, one.grant) for one in _findings_of(of_contract)] == [(("once",), None)]


def _findings_of(rule: Rule) -> list[Finding]:
    from interlock.layers.rules import _findings

    return list(_findings(rule, (0,), reading(action(path="/p/a")), "/p"))


def test_rules_are_found_by_what_they_look_for() -> None:
    rule = Rule(id="r", when=When(action="fs:write"), verdict=Verdict.ASK, reason="Why.")
    assert [one.layer for one in found(rules, reading(action(path="/p/a")), Policy(rules=(rule,)))] == ["rules"]


@pytest.mark.parametrize("dryrun", [None, False, True])
def test_risk_is_lifted_by_a_yes_or_a_capability(dryrun: bool | None) -> None:
    tools = {} if dryrun is None else {"Bash": ToolSpec(name="Bash", effects=(Effect.DESTRUCTIVE,), dryrun=dryrun)}
    grave = action("db:drop", Effect.DESTRUCTIVE).replace(irreversible=True, risk=Risk.HIGH)
    [one] = found(risk, reading(grave), Policy(tools=FrozenMap(tools)))
    assert brief([one]) == [("risk", "irreversible", "ask", (0,), ("once", "capability"))]
    [over] = found(risk, reading(grave.replace(irreversible=False)), Policy(risk_max=Risk.LOW))
    assert brief([over]) == [("risk", "ceiling", "deny", (0,), ())]


def test_an_unknown_tool_is_asked_about_by_the_key_of_what_it_does() -> None:
    call = CALL.replace(tool="unheard-of")
    [one] = found(manifest, reading(action("tool:unheard-of")), Policy(unregistered=Verdict.ASK), call=call)
    assert brief([one]) == [("manifest", "unregistered", "ask", (0,), ANY)]
    assert one.grant is not None
    [bare] = found(manifest, reading(), Policy(unregistered=Verdict.ASK), call=call)
    assert (bare.grant, bare.actions) == (None, ())
    [denied] = found(manifest, reading(action("tool:unheard-of")), Policy(unregistered=Verdict.DENY), call=call)
    assert denied.lifted_by == ()
