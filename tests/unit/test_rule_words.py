"""Rules that look at the words of a call: its arguments and its commands; and what `unless` takes out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import interlock.policy
from interlock.decide import decide
from interlock.model.call import Call
from interlock.model.errors import PolicyError
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.policy.rules import looks_for
from interlock.policy.toml import policy_to_toml
from interlock.policy.wire import compiled_lines, policy_from_lines, policy_from_wire, policy_to_wire
from interlock.reading.read import read_call
from interlock.value import freeze

DEFAULT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()
TOOLS = '[tools.refund]\neffects = ["read"]\n[tools.shop_run]\neffects = ["read"]\n'


def compiled(text: str, source: str = "user") -> Policy:
    return compile_policy((("default", "default.toml", DEFAULT), (source, "p.toml", text.encode())))


def rule(when: str, unless: str = "", source: str = "user") -> Policy:
    more = f"unless = {unless}\n" if unless else ""
    return compiled(
        f'version = 1\n{TOOLS}[[rules]]\nid = "own"\nwhen = {when}\n{more}verdict = "deny"\nreason = "because"\n',
        source,
    )


def fires(policy: Policy, tool: str, given: dict[str, Any]) -> bool:
    call = Call(tool=tool, input=freeze(given), cwd="/project")  # type: ignore[arg-type]
    facts = Facts(
        root="/project", home="/home/user", declared=declared_tool(policy, tool), looks=looks_for(policy, tool)
    )
    reading = read_call(call, facts)
    decision = decide(call, reading, policy, Session())
    return any(reason.rule == "own" for reason in decision.reasons)


# condition, inputs that it holds of, inputs that it does not hold of
CONDITIONS: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    ('{ amount = "> 1000" }', [{"amount": 1001}, {"amount": 1000.5}, {"amount": "2000"}], [{"amount": 1000}, {}]),
    ('{ amount = ">= 1000" }', [{"amount": 1000}], [{"amount": 999}]),
    ('{ amount = "< 0" }', [{"amount": -1}], [{"amount": 0}, {"amount": 3}]),
    ('{ amount = "<= 0" }', [{"amount": 0}], [{"amount": 1}]),
    # what cannot be compared may be anything
    ('{ amount = "> 1000" }', [{"amount": "a lot"}, {"amount": None}, {"amount": {"cents": 5}}, {"amount": True}], []),
    ('{ amount = "> 1000" }', [{"amount": [5, 5000]}], [{"amount": [5, 6]}, {"amount": []}]),
    ("{ count = 3 }", [{"count": 3}, {"count": 3.0}, {"count": "3"}], [{"count": 4}, {}]),
    ("{ force = true }", [{"force": True}], [{"force": False}, {}]),
    ('{ state = "= open" }', [{"state": "open"}], [{"state": "opened"}, {}]),
    ('{ state = "!= open" }', [{"state": "shut"}], [{"state": "open"}, {}]),
    ('{ to = "*@example.com" }', [{"to": "a@example.com"}, {"to": ["b@c.d", "a@example.com"]}], [{"to": "a@b.c"}]),
    ('{ note = "present" }', [{"note": ""}, {"note": None}, {"note": []}], [{}]),
    ('{ note = "absent" }', [{}], [{"note": ""}]),
    ('{ region = ["eu-*", "= us"] }', [{"region": "eu-1"}, {"region": "us"}], [{"region": "us-1"}]),
    ('{ who = { country = "DE" } }', [{"who": {"country": "DE"}}], [{"who": {"country": "FR"}}, {"who": "DE"}]),
    ('{ "who.country" = "DE" }', [{"who": {"country": "DE"}}, {"who.country": "DE"}], [{"who": {}}]),
    ('{ items.price = "> 10" }', [{"items": [{"price": 1}, {"price": 11}]}], [{"items": [{"price": 1}]}]),
    ('{ amount = "> 10", to = "x*" }', [{"amount": 11, "to": "xy"}], [{"amount": 11}, {"amount": 1, "to": "xy"}]),
]


@pytest.mark.parametrize(("condition", "of", "not_of"), CONDITIONS)
def test_a_rule_sees_arguments(condition: str, of: list[dict[str, Any]], not_of: list[dict[str, Any]]) -> None:
    policy = rule(f'{{ tool = "refund", input = {condition} }}')
    assert [given for given in of if not fires(policy, "refund", given)] == []
    assert [given for given in not_of if fires(policy, "refund", given)] == []
    assert not any(fires(policy, "shop_run", given) for given in of)


def test_an_exception_holds_only_where_all_of_it_is_so() -> None:
    policy = rule('{ tool = "refund" }', '{ input = { to = "*@example.com", amount = "<= 100" } }')
    taken_out: list[dict[str, Any]] = [
        {"to": "a@example.com", "amount": 1},
        {"to": ["a@example.com", "b@example.com"], "amount": "100"},
    ]
    meant: list[dict[str, Any]] = [
        {"to": "a@example.com", "amount": 101},
        {"to": ["a@example.com", "x@evil.example"], "amount": 1},
        {"to": "a@example.com", "amount": "a lot"},
        {"to": "a@example.com", "amount": None},
        {"to": [], "amount": 1},
        {"to": "a@example.com"},
    ]
    nested = rule('{ tool = "refund" }', '{ input = { items.price = "<= 10" } }')
    assert not fires(nested, "refund", {"items": [{"price": 1}, {"price": 2}]})
    assert fires(nested, "refund", {"items": [{"price": 1}, {"name": "x"}]})
    assert [given for given in taken_out if fires(policy, "refund", given)] == []
    assert [given for given in meant if not fires(policy, "refund", given)] == []


# when, unless, commands that the rule is about, commands that it is not about
EXCEPTIONS: list[tuple[str, str, list[str], list[str]]] = [
    (
        '{ action = "git:push" }',
        '{ target = { branch = "feature/*" } }',
        ["git push origin main", "git push origin feature/a main", "git push"],
        ["git push origin feature/a", "git push origin feature/a feature/b"],
    ),
    (
        '{ effects = ["write", "destructive"] }',
        '{ place = ["temp"] }',
        ["touch /project/x", "rm /tmp/x /project/y"],
        ["touch /tmp/x"],
    ),
    ('{ action = "fs:*" }', '{ effects = ["read"] }', ["touch x", "rm x"], ["cat x", "ls"]),
    ('{ action = "fs:delete" }', '{ command = "rm -i *" }', ["rm x", "rm -i x && rm y"], ["rm -i x"]),
    ('{ action = "fs:delete" }', '{ tool = "Delete" }', ["rm x"], []),
]


@pytest.mark.parametrize(("when", "unless", "of", "not_of"), EXCEPTIONS)
def test_unless_takes_actions_out_again(when: str, unless: str, of: list[str], not_of: list[str]) -> None:
    policy = rule(when, unless)
    assert [line for line in of if not fires(policy, "Bash", {"command": line})] == []
    assert [line for line in not_of if fires(policy, "Bash", {"command": line})] == []


# pattern, commands that it matches, commands that it does not match
COMMANDS: list[tuple[str, list[str], list[str]]] = [
    (
        "npm publish *",
        [
            *(
                "npm publish",
                "npm publish --tag next",
                "cd x && npm publish",
                "timeout 9 npm publish",
                "A=1 npm publish",
            ),
            *("bash -c 'npm publish'", "n''pm publish", "echo a | xargs npm publish", "x=publish; npm $x"),
            *("/usr/bin/npm publish", "python3 -c \"import os; os.system('npm publish')\"", "ls; npm  'publish' ."),
        ],
        ["npm publisher", "npm run publish", "echo npm publish", "ls npm publish"],
    ),
    ("npm publish:*", ["npm publish", "npm publish x"], ["npm publishx"]),
    ("npm run build", ["npm run build", "cd a; npm run build"], ["npm run build --prod", "npm run"]),
    ("git * main", ["git push origin main", "git checkout main"], ["git push origin maine", "git main"]),
    ("cd *", ["cd /x && ls"], ["ls"]),
    ('git commit -m "wip"', ["git commit -m wip", "git commit -m 'wip'"], ["git commit -m done"]),
    ("ls *.py", ["ls *.py", "cd x && ls *.py"], ["ls *.pyc"]),
    ("rm ?", ["rm ?"], ["rm x"]),
]


@pytest.mark.parametrize(("pattern", "of", "not_of"), COMMANDS)
def test_a_rule_sees_commands_by_their_words(pattern: str, of: list[str], not_of: list[str]) -> None:
    policy = rule(f"{{ command = {json.dumps(pattern)} }}")
    assert [line for line in of if not fires(policy, "Bash", {"command": line})] == []
    assert [line for line in not_of if fires(policy, "Bash", {"command": line})] == []
    assert not fires(policy, "refund", {"command": of[0]})


OF_CONDITIONS = "`input` must be a table of conditions"
WRONG = [
    ('{ tool = "t", input = { a = "> many" } }', f"{OF_CONDITIONS}, and `> many` compares with no number"),
    ('{ tool = "t", input = {} }', f'{OF_CONDITIONS}, such as {{ amount = "> 1000" }}'),
    ('{ tool = "t", input = { a = [] } }', f"{OF_CONDITIONS}: a text, a number, true, false, or a list of them"),
    ('{ tool = "t", input = { a = inf } }', f"{OF_CONDITIONS}, and that of `a` is not a finite number"),
    ("{ command = [] }", "`command` must be the words of a command, such as `npm publish *`, or a list of them"),
    (
        '{ contract = "Edit.*", input = { a = "b" } }',
        "`contract` says already what the arguments break; it does not go with `input` or `command`",
    ),
]


@pytest.mark.parametrize(("when", "problem"), WRONG)
def test_a_condition_that_cannot_be_meant_is_told(when: str, problem: str) -> None:
    with pytest.raises(PolicyError) as error:
        rule(when)
    assert [one.text for one in error.value.problems] == [problem]


@pytest.mark.parametrize("unless", ['{ risk = "low" }', '{ time = "Mon" }', '{ contract = "Edit.*" }'])
def test_an_exception_cannot_hang_on_risk_time_or_contracts(unless: str) -> None:
    with pytest.raises(PolicyError, match="unknown key"):
        rule('{ tool = "refund" }', unless, "project")


def test_an_empty_exception_is_told() -> None:
    with pytest.raises(PolicyError, match="`unless` is empty: the rule would match none"):
        rule('{ tool = "refund" }', "{}")


MANY = rule(
    '{ tool = "refund", input = { amount = "> 1000", "to.name" = ["a*", "absent"] } }',
    '{ command = ["ls *", "pwd"], target = { path = "/x/*" } }',
)


def test_a_policy_with_such_rules_survives_every_form_it_takes() -> None:
    lines = policy_from_lines(compiled_lines(MANY))
    assert (tuple(lines.rules), lines.looked, lines.digest) == (tuple(MANY.rules), ("refund",), MANY.digest)
    wire = policy_from_wire(freeze(json.loads(json.dumps(policy_to_wire(MANY), default=dict))), digest=MANY.digest)  # type: ignore[arg-type]
    assert (tuple(wire.rules), wire.looked) == (tuple(MANY.rules), ("refund",))
    assert compiled(policy_to_toml(MANY)).digest == MANY.digest


def test_conditions_are_part_of_the_digest() -> None:
    digests = {
        rule('{ tool = "refund" }').digest,
        rule('{ tool = "refund", input = { amount = "> 1" } }').digest,
        rule('{ tool = "refund", input = { amount = "> 2" } }').digest,
        rule('{ tool = "refund" }', '{ input = { amount = "> 1" } }').digest,
        rule('{ tool = "refund", command = "x" }').digest,
    }
    assert len(digests) == 5


def test_examples_of_such_rules_are_tried() -> None:
    text = (
        f'version = 1\n{TOOLS}[[rules]]\nid = "own"\nwhen = {{ tool = "refund", input = {{ amount = "> 10" }} }}\n'
        'unless = { input = { to = "me" } }\nverdict = "ask"\nreason = "r"\n'
        'matches = [{ tool = "refund", input = { amount = 11 } }]\n'
        'ignores = [{ tool = "refund", input = { amount = 9 } }, '
        '{ tool = "refund", input = { amount = 11, to = "me" } }]\n'
    )
    compiled(text)
    with pytest.raises(PolicyError, match="does not match this example; it was read as `tool:refund`"):
        compiled(text.replace("amount = 11 }", "amount = 5 }", 1))
