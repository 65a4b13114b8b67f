"""Contracts in policies: rules that name one, and the consult's table."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import approval_for
from interlock.approve.grant import Grant
from interlock.decide import decide
from interlock.layers.conformance import conformance
from interlock.layers.rules import rules
from interlock.model.action import Action, Broken, Opaque, Reading
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.errors import PolicyError
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.merge import merge
from interlock.policy.model import Consult, Policy, Rule, When
from interlock.policy.parse import parse_policy
from interlock.policy.wire import policy_from_wire, policy_to_wire
from interlock.value import FrozenMap

SAME = Broken(contract="Edit.old-differs", level="L4", text="both are `x`")
WRITE = Action(name="fs:write", effects=(Effect.WRITE,), target=FrozenMap({"path": "/p/a"}))
CALL = Call(tool="Edit", input=FrozenMap({}), cwd="/p")


def reading(*actions: Action, broken: tuple[Broken, ...] = (SAME,), **more: Any) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions, broken=broken, **more)


def policy(verdict: Verdict = Verdict.ASK, **when: Any) -> Policy:
    return Policy(rules=(Rule(id="r", when=When(**when), verdict=verdict, reason="Look again."),))


WHENS: list[tuple[dict[str, Any], tuple[Action, ...], bool]] = [
    ({"contract": "Edit.*"}, (WRITE,), True),
    ({"contract": "Edit.old-differs"}, (WRITE,), True),
    ({"contract": "*"}, (), True),
    ({"contract": "Edit"}, (WRITE,), False),
    ({"contract": "Write.*"}, (WRITE,), False),
    ({"contract": "Edit.*", "tool": "Edit"}, (), True),
    ({"contract": "Edit.*", "tool": "Write"}, (WRITE,), False),
    ({"contract": "Edit.*", "action": "fs:*"}, (WRITE,), True),
    ({"contract": "Edit.*", "action": "net:*"}, (WRITE,), False),
    ({"contract": "Edit.*", "action": "fs:*"}, (), False),
    ({"contract": "Edit.*", "target": FrozenMap({"path": "/p/*"})}, (WRITE,), True),
]


@pytest.mark.parametrize(("when", "actions", "expected"), WHENS)
def test_a_rule_looks_at_what_is_broken(when: dict[str, Any], actions: tuple[Action, ...], expected: bool) -> None:
    found = rules(CALL, reading(*actions), policy(**when), Session(), ())
    assert [finding.rule for finding in found] == (["r"] if expected else [])
    assert rules(CALL, reading(*actions, broken=()), policy(**when), Session(), ()) == []


def test_it_is_told_once_for_several_actions_and_only_this_call_can_be_approved() -> None:
    read = reading(WRITE, WRITE.replace(target=FrozenMap({"path": "/p/b"})))
    (finding,) = rules(CALL, read, policy(contract="*"), Session(), ())
    assert (finding.actions, finding.grant, finding.lifted_by) == ((0, 1), None, ("once",))
    (finding,) = rules(CALL, read, policy(Verdict.DENY, contract="*"), Session(), ())
    assert finding.lifted_by == ()


def test_a_remembered_grant_does_not_lift_it_and_an_approval_of_the_call_does() -> None:
    asking = policy(contract="*")
    remembered = Grant(id="g", kind="remembered", action="fs:write", effects=(Effect.WRITE,))
    once = Grant(id="o", kind="once", binds=approval_for(CALL, reading(WRITE), asking).id)

    def verdict(*grants: Grant) -> Verdict:
        return decide(CALL, reading(WRITE), asking, Session(), grants, (rules,)).verdict

    assert [verdict(), verdict(remembered), verdict(once)] == [Verdict.ASK, Verdict.ASK, Verdict.ALLOW]


def test_notes_are_told_once_however_many_catalogues_say_so() -> None:
    twin = Broken(contract="Edit.cmp-old_string-new_string", level="L4", text="both are `x`")
    read = reading(WRITE, broken=(SAME, twin), doubts=("hm",), opaque=(Opaque(reason="x"),))
    found = conformance(CALL, read, Policy(), Session(), ())
    assert [(finding.rule, finding.verdict, finding.text) for finding in found] == [
        ("Edit.old-differs", Verdict.ALLOW, "both are `x` (contract Edit.old-differs)"),
        ("consult", Verdict.ALLOW, "hm"),
    ]


def test_a_call_that_breaks_everything_gets_so_many_notes_and_a_count() -> None:
    broken = tuple(Broken(contract=f"T.p{at}.required", level="L2", text=f"`p{at}` is missing") for at in range(33))
    found = conformance(CALL, reading(WRITE, broken=broken), Policy(), Session(), ())
    assert len(found) == 21
    assert found[-1].text == "and 13 more that contracts prove wrong"


# --- files ----------------------------------------------------------------------------------------

RULE = '[[rules]]\nid = "r"\nwhen = { contract = "Edit.*" }\nverdict = "ask"\nreason = "x"\n'
CONSULT = '[consult]\nendpoint = "http://127.0.0.1:1/v1"\nmodel = "m"\nfamily = "qwen"\nagent_family = "claude"\n'
DEFAULT = b'version = 1\n[risk]\nmax = "high"\nallow_critical = false\nask_at = "high"\nunregistered = "ask"\n'


def compiled(text: str, source: str = "user") -> Policy:
    return compile_policy((("default", "d.toml", DEFAULT), (source, "p.toml", b"version = 1\n" + text.encode())))


def test_a_policy_keeps_both_through_its_cache() -> None:
    whole = compiled(CONSULT + RULE)
    assert whole.rules[0].when == When(contract="Edit.*")
    assert whole.consult == Consult(
        endpoint="http://127.0.0.1:1/v1", model="m", family="qwen", agent_family="claude", timeout=2.0
    )
    assert policy_from_wire(policy_to_wire(whole), digest=whole.digest) == whole
    assert compiled(CONSULT).digest != compiled("").digest


WRONG = [
    (CONSULT.replace("claude", " Qwen "), "p.toml:5:1: `family` and `agent_family` are the same"),
    (CONSULT.replace("http://", "file://"), "p.toml:3:1: `endpoint` must be a plain http or https address"),
    (CONSULT.replace("http://", "http://me:secret@"), "p.toml:3:1: `endpoint` must be a plain http or https address"),
    (CONSULT + "timeout = 4\n", "p.toml:7:1: `timeout` must be a number of seconds from 0.1 to 3"),
    (CONSULT + "timeout = true\n", "p.toml:7:1: `timeout` must be a number of seconds from 0.1 to 3"),
    (CONSULT + "secret = 'x'\n", "p.toml:7:1: unknown key `secret`"),
    ("[consult]\nmodel = 'm'\n", "p.toml:2:1: `endpoint` is missing in `consult`"),
    ("consult = 7\n", "p.toml:2:1: `consult` must be a table"),
    (
        RULE + 'matches = ["ls"]\n',
        "p.toml:7:12: a rule with `contract` has no examples; try it with: interlock policy test",
    ),
]


@pytest.mark.parametrize(("text", "problem"), WRONG, ids=[row[1][12:50] for row in WRONG])
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(PolicyError) as caught:
        compiled(text, "project")
    assert any(str(one).startswith(problem) for one in caught.value.problems), caught.value.problems


def test_only_a_source_that_may_loosen_can_switch_the_consult_on() -> None:
    def source(name: str, text: str = "") -> Any:
        raw = DEFAULT if name == "default" else b"version = 1\n" + text.encode()
        return parse_policy(raw, name=name, file=f"{name}.toml")

    project = source("project", CONSULT)
    base = source("default")
    assert merge(base, project=project).consult is None
    assert "consult" in merge(base, project=project).notices[0]
    assert merge(base, project=project, project_trusted=True).consult is not None
    assert merge(base, user=source("user", CONSULT)).consult is not None
    assert merge(base, managed=source("managed", 'pin = ["consult"]\n'), user=source("user", CONSULT)).consult is None
    other = source("user", CONSULT.replace('"m"', '"other"'))
    kept = merge(base, managed=source("managed", CONSULT), user=other).consult
    assert kept is not None
    assert kept.model == "m"
