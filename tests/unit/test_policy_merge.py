"""Merging policy files, one direction at a time."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.model.effects import Effect
from interlock.model.errors import PolicyError
from interlock.model.posture import Posture
from interlock.model.toolnames import declared_tool
from interlock.model.verdict import Risk, Verdict
from interlock.policy.compile import broken_policy, compile_policy
from interlock.policy.model import ALWAYS, ApprovalMode, Policy, PolicyGrant, Rule, ToolSpec, When
from interlock.policy.plan import Enforcement, Matching, PlanSettings
from interlock.policy.wire import policy_from_wire, policy_to_wire
from interlock.value import FrozenMap

DEFAULT = """version = 1
posture = "autonomous"
approval_mode = "default"
[risk]
max = "high"
allow_critical = true
ask_at = "high"
unregistered = "ask"
[loop]
enforce = true
repeat = 3
lock = 4
pace = 10
polls = 200
pending = 5
[budget]
over = "ask"
network = 9
[approvals]
phrases = ["carry on", "go ahead"]
phrase_minutes = 60
allow_phrases = true
[tools.mail]
effects = ["network"]
risk = "medium"
irreversible = false
dryrun = false
postures = ["interactive", "autonomous"]
confirm = ["outside"]
"""


def merged(*, managed: str = "", user: str = "", project: str = "", trusted: bool = False) -> Policy:
    files = [("default", "default.toml", DEFAULT.encode())]
    for name, text in (("managed", managed), ("user", user), ("project", project)):
        if text:
            files.append((name, f"{name}.toml", b"version = 1\n" + text.encode()))
    return compile_policy(tuple(files), project_trusted=trusted)


def value_of(policy: Policy, where: str) -> Any:
    for part in where.split("."):
        policy = policy[part] if hasattr(policy, "items") else getattr(policy, part)  # type: ignore[index]
    return policy


# text, where its value lands, before, looser or other value given, tighter value given -> result of each for an
# untrusted project, and what a user's file makes of it
DIRECTIONS: list[tuple[str, str, str, Any, Any]] = [
    ("posture = {}", "posture", '"interactive"', Posture.AUTONOMOUS, Posture.INTERACTIVE),
    ("posture = {}", "posture", '"locked"', Posture.LOCKED, Posture.LOCKED),
    ("approval_mode = {}", "approval_mode", '"permissive"', ApprovalMode.DEFAULT, ApprovalMode.PERMISSIVE),
    ("approval_mode = {}", "approval_mode", '"strict"', ApprovalMode.STRICT, ApprovalMode.STRICT),
    ("risk.max = {}", "risk_max", '"critical"', Risk.HIGH, Risk.CRITICAL),
    ("risk.max = {}", "risk_max", '"low"', Risk.LOW, Risk.LOW),
    ("loop.enforce = {}", "loop_enforce", "false", True, False),
    ("loop.repeat = {}", "loop_repeat", "5", 3, 5),
    ("loop.repeat = {}", "loop_repeat", "2", 2, 2),
    ("loop.lock = {}", "loop_lock", "6", 4, 6),
    ("loop.pace = {}", "loop_pace", "1", 10, 1),
    ("loop.pace = {}", "loop_pace", "60", 60, 60),
    ("loop.polls = {}", "loop_polls", "900", 200, 900),
    ("loop.polls = {}", "loop_polls", "5", 5, 5),
    ("loop.pending = {}", "loop_pending", "9", 5, 9),
    ("loop.pending = {}", "loop_pending", "1", 1, 1),
    ("budget.network = {}", "budgets", "20", FrozenMap({"network": 9}), FrozenMap({"network": 20})),
    ("budget.network = {}", "budgets", "0", FrozenMap({"network": 0}), FrozenMap({"network": 0})),
    *[
        ('budget."git:*" = {}', "budgets", "2", both, both)  # a new one only tightens
        for both in [FrozenMap({"git:*": 2, "network": 9})]
    ],
    ("budget.over = {}", "budget_over", '"deny"', Verdict.DENY, Verdict.DENY),
    ("approvals.phrases = {}", "phrases", '["go ahead", "mine"]', ("go ahead",), ("go ahead", "mine")),
    ("approvals.phrases = {}", "phrases", "[]", (), ()),
    ("approvals.phrase_minutes = {}", "phrase_minutes", "90", 60, 90),
    ("approvals.allow_phrases = {}", "allow_phrases", "false", False, False),
    ("risk.allow_critical = {}", "allow_critical", "true", True, True),
    ("risk.allow_critical = {}", "allow_critical", "false", False, False),
    ("risk.ask_at = {}", "ask_at", '"critical"', Risk.HIGH, Risk.CRITICAL),
    ("risk.ask_at = {}", "ask_at", '"low"', Risk.LOW, Risk.LOW),
    ("risk.unregistered = {}", "unregistered", '"allow"', Verdict.ASK, Verdict.ALLOW),
    ("risk.unregistered = {}", "unregistered", '"deny"', Verdict.DENY, Verdict.DENY),
    ("tools.mail.effects = {}", "tools.mail.effects", '["read"]', (Effect.NETWORK,), (Effect.READ,)),
    ("tools.mail.risk = {}", "tools.mail.risk", '"low"', Risk.MEDIUM, Risk.LOW),
    ("tools.mail.risk = {}", "tools.mail.risk", '"high"', Risk.HIGH, Risk.HIGH),
    ("tools.mail.irreversible = {}", "tools.mail.irreversible", "true", True, True),
    ("tools.mail.dryrun = {}", "tools.mail.dryrun", "true", False, True),
    (
        "tools.mail.postures = {}",
        "tools.mail.postures",
        '["interactive", "locked"]',
        (Posture.INTERACTIVE,),
        (Posture.INTERACTIVE, Posture.LOCKED),
    ),
    ("tools.mail.confirm = {}", "tools.mail.confirm", '["secret"]', ("outside", "secret"), ("secret",)),
    ("tools.mail.confirm = {}", "tools.mail.confirm", "false", ("outside",), ()),
    ("tools.mail.confirm = {}", "tools.mail.confirm", "true", ("*", "outside"), ("*",)),
]


@pytest.mark.parametrize(("text", "where", "given", "tightened", "loosened"), DIRECTIONS)
def test_each_setting_joins_in_its_own_direction(
    text: str, where: str, given: str, tightened: Any, loosened: Any
) -> None:
    line = text.format(given)
    assert value_of(merged(project=line), where) == tightened
    assert value_of(merged(project=line, trusted=True), where) == loosened
    assert value_of(merged(user=line), where) == loosened
    assert value_of(merged(managed=line), where) == loosened
    pin = text.removesuffix(" = {}").replace('"', "")
    assert value_of(merged(managed=f'pin = ["{pin}"]', user=line), where) == tightened


def test_managed_policy_can_forbid_phrases_and_cap_budgets() -> None:
    policy = merged(
        managed="[approvals]\nallow_phrases = false\n[budget]\nnetwork = 5\n",
        user='[approvals]\nallow_phrases = true\nphrases = ["mine"]\n[budget]\nnetwork = 50\nwrite = 3\n',
    )
    assert (policy.allow_phrases, policy.phrases, policy.budgets) == (False, ("mine",), {"network": 5, "write": 3})
    none = merged(managed="[approvals]\nphrases = []\n", user='[approvals]\nphrases = ["mine"]\n')
    assert none.phrases == ()


def test_what_managed_policy_sets_is_pinned_without_saying_so() -> None:
    policy = merged(managed='risk.max = "medium"', user='risk.max = "critical"\nrisk.ask_at = "critical"')
    assert (policy.risk_max, policy.ask_at) == (Risk.MEDIUM, Risk.CRITICAL)
    assert policy.notices == ("user.toml: managed policy holds back risk.max",)


@pytest.mark.parametrize(
    ("managed", "floor"),
    [
        ("", Posture.INTERACTIVE),
        ('risk.max = "low"', Posture.INTERACTIVE),
        ('posture = "dry_run"', Posture.DRY_RUN),
        ('pin = ["posture"]', Posture.AUTONOMOUS),
    ],
)
def test_a_posture_that_managed_policy_set_or_pinned_is_a_floor(managed: str, floor: Posture) -> None:
    assert merged(managed=managed, user='posture = "locked"').posture_floor is floor
    assert merged(managed=managed, user='posture = "interactive"').posture_floor is floor


def test_a_pin_reaches_everything_below_it() -> None:
    grant = '[[grants]]\nid = "g"\naction = "*"\nscope = { destination = "*" }\n'
    line = f'risk.max = "critical"\n[tools.mail]\nrisk = "low"\n{grant}'
    free = merged(user=line)
    assert (free.risk_max, free.tools["mail"].risk, len(free.grants)) == (Risk.CRITICAL, Risk.LOW, 1)
    for pin, expected in {
        "risk": (Risk.HIGH, Risk.LOW, 1),
        "tools": (Risk.CRITICAL, Risk.MEDIUM, 1),
        "tools.mail": (Risk.CRITICAL, Risk.MEDIUM, 1),
        "tools.mail.risk": (Risk.CRITICAL, Risk.MEDIUM, 1),
        "tools.mai": (Risk.CRITICAL, Risk.LOW, 1),
        "grants": (Risk.CRITICAL, Risk.LOW, 0),
    }.items():
        pinned = merged(managed=f'pin = ["{pin}"]', user=line)
        assert (pinned.risk_max, pinned.tools["mail"].risk, len(pinned.grants)) == expected, pin
        trusted = merged(managed=f'pin = ["{pin}"]', project=line, trusted=True)
        assert (trusted.risk_max, trusted.tools["mail"].risk, len(trusted.grants)) == expected, pin


def test_an_untrusted_project_adds_rules_and_no_grants_and_says_what_it_left_out() -> None:
    project = (
        'risk.max = "critical"\n[tools.new]\neffects = ["read"]\nrisk = "high"\n'
        '[[rules]]\nid = "r"\nwhen.action = "fs:*"\nverdict = "deny"\nreason = "no"\n'
        '[[grants]]\nid = "g"\naction = "*"\nscope = { destination = "*" }\nexpires = 2026-12-01\nwhy = "so"\n'
    )
    rule = Rule(id="r", when=When(action="fs:*"), verdict=Verdict.DENY, reason="no")
    held = merged(project=project)
    assert (held.rules, held.grants, held.risk_max) == ((rule,), (), Risk.HIGH)
    assert held.tools["new"] == ToolSpec(name="new", effects=(Effect.READ,), risk=Risk.HIGH, registered=False)
    assert declared_tool(held, "new") is None
    assert held.notices == (
        "project.toml is not trusted, so it only tightens; left out: risk.max, tools.new (new), grant g. "
        "To trust it as it is now, run: interlock trust",
    )
    trusted = merged(project=project, trusted=True)
    anywhere = FrozenMap({"destination": "*"})
    ends = "2026-12-01T23:59:59Z"
    assert trusted.grants == (PolicyGrant(id="g", action="*", scope=anywhere, expires=ends, why="so"),)
    assert (trusted.rules, trusted.risk_max, trusted.notices) == ((rule,), Risk.CRITICAL, ())
    assert declared_tool(trusted, "new") == ToolSpec(name="new", effects=(Effect.READ,), risk=Risk.HIGH)


def test_a_user_who_declares_a_tool_again_changes_only_what_is_given() -> None:
    assert merged(user='tools.mail.risk = "high"').tools["mail"] == ToolSpec(
        name="mail",
        effects=(Effect.NETWORK,),
        risk=Risk.HIGH,
        postures=(Posture.INTERACTIVE, Posture.AUTONOMOUS),
        confirm=("outside",),
    )


def test_a_project_may_limit_a_tool_that_ran_in_every_posture() -> None:
    user = '[tools.chat]\neffects = ["network"]\n'
    assert merged(user=user).tools["chat"].postures is None
    limited = merged(user=user, project='tools.chat.postures = ["interactive"]')
    assert limited.tools["chat"].postures == (Posture.INTERACTIVE,)
    assert limited.notices == ()


def test_the_digest_is_of_what_bears_on_a_decision() -> None:
    assert merged().digest == merged(user="# a comment\n").digest
    assert merged().digest != merged(user='risk.max = "low"').digest
    assert merged(project='risk.max = "critical"').digest == merged().digest  # held back: nothing has changed


@pytest.mark.parametrize(
    ("expires", "last"),
    [
        ("2026-12-01", "2026-12-01T23:59:59Z"),
        ("2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"),
        ("2026-12-01T10:00:00.9+02:00", "2026-12-01T08:00:00Z"),
    ],
)
def test_a_grant_ends_at_a_moment_in_utc(expires: str, last: str) -> None:
    (grant,) = merged(
        user=f'[[grants]]\nid = "g"\naction = "*"\nscope = {{ destination = "*" }}\nexpires = {expires}'
    ).grants
    assert grant.expires == last


def test_a_broken_file_does_not_lift_what_the_sound_ones_say_of_reads() -> None:
    user = b'version = 1\n[[rules]]\nid = "hr"\nwhen.target.path = "/srv/hr/*"\nverdict = "deny"\nreason = "private"\n'
    files = (
        ("default", "default.toml", DEFAULT.encode()),
        ("user", "user.toml", user),
        ("project", "project.toml", b"version = 9"),
    )
    policy = broken_policy(files, ("project.toml:1:1: no",))
    assert policy.faults == ("project.toml:1:1: no",)
    rule = Rule(id="hr", when=When(target=FrozenMap({"path": "/srv/hr/*"})), verdict=Verdict.DENY, reason="private")
    assert policy.rules == (rule,)
    assert policy.digest not in (merged().digest, "")
    with pytest.raises(PolicyError):
        broken_policy((("default", "default.toml", b"version = 9"),), ())


def test_a_rule_of_the_default_is_replaced_by_its_name_and_only_tightened_by_a_project() -> None:
    built_in = """
[[rules]]
id = "no-mail"
when = { action = "mail:*" }
verdict = "deny"
reason = "no mail"
"""
    softer = built_in.replace('"deny"', '"ask"')

    def verdicts(**files: str) -> list[str]:
        given = [("default", "default.toml", (DEFAULT + built_in).encode())]
        given += [(name, f"{name}.toml", b"version = 1\n" + text.encode()) for name, text in files.items()]
        return [rule.verdict.name for rule in compile_policy(tuple(given)).rules]

    assert verdicts() == ["deny"]
    assert verdicts(user=softer) == ["ask"]
    assert verdicts(managed=softer) == ["ask"]
    assert verdicts(project=softer) == ["deny", "ask"]
    assert verdicts(managed='pin = ["rules.no-mail"]', user=softer) == ["deny", "ask"]


PLANS: list[tuple[str, str, bool, PlanSettings | None]] = [
    ("", "", False, None),
    ("[plan]", "", False, PlanSettings()),
    ("", '[plan]\ndir = "r"\nfile = "p.yml"', False, PlanSettings(dir="r", file="p.yml")),
    (
        "",
        '[plan]\nenforcement = "strict"\nmatch = "exact"\nmarkers_per_run = 3\nidle = 60',
        False,
        PlanSettings(enforcement=Enforcement.STRICT, match=Matching.EXACT, markers_per_run=3, idle=60),
    ),
    (
        "",
        '[plan]\nmarker = "# x y"\nidle = 1\nrequire_outputs = false',
        False,
        PlanSettings(),
    ),
    (
        '[plan]\nenforcement = "strict"\ndir = "mine"\nmarkers_per_run = 2',
        '[plan]\nenforcement = "warn"\ndir = "r"\nfile = "easy.yml"\nmarkers_per_run = 9',
        False,
        PlanSettings(enforcement=Enforcement.STRICT, dir="mine", markers_per_run=2),
    ),
    (
        '[plan]\nenforcement = "strict"\nmarkers_per_run = 2',
        '[plan]\ndir = "r"\nmarkers_per_run = 1',
        False,
        PlanSettings(enforcement=Enforcement.STRICT, dir="r", markers_per_run=1),
    ),
    (
        '[plan]\nenforcement = "strict"\ndir = "mine"',
        '[plan]\nenforcement = "warn"\ndir = "r"\nmarker = "# x y"',
        True,
        PlanSettings(dir="r", marker="# x y"),
    ),
]


@pytest.mark.parametrize(("user", "project", "trusted", "expected"), PLANS)
def test_a_project_may_name_a_plan_and_only_tighten_it(
    user: str, project: str, trusted: bool, expected: PlanSettings | None
) -> None:
    assert merged(user=user, project=project, trusted=trusted).plan == expected


def test_a_plan_of_managed_policy_is_not_loosened_by_the_user() -> None:
    managed = '[plan]\nenforcement = "strict"\ndir = "m"'
    loosened = merged(managed=managed, user='[plan]\nenforcement = "warn"\ndir = "u"\nidle = 0\nmarker = "# x y"')
    assert loosened.plan == PlanSettings(enforcement=Enforcement.STRICT, dir="m")


def test_under_another_hosts_name_a_tool_is_still_the_one_that_the_policy_holds() -> None:
    held = '[tools.Bash]\neffects = ["execute"]\nconfirm = true\nrisk = "high"\n'
    loose = '[tools.shell]\neffects = ["execute", "network"]\nrisk = "low"\nconfirm = false\n'
    free = ToolSpec(name="shell", effects=(Effect.EXECUTE, Effect.NETWORK), registered=True)
    as_held = ToolSpec(name="shell", effects=(Effect.EXECUTE,), risk=Risk.HIGH, confirm=(ALWAYS,), registered=True)
    by_project = merged(user=held, project=loose).tools["shell"]
    by_user = merged(managed=held, user=loose).tools["shell"]
    own = merged(user=held + loose).tools["shell"]
    unknown = as_held.replace(registered=False)  # that name is no better known by it
    assert (by_project, by_user, own) == (unknown, unknown, free)


def test_a_pin_on_one_key_of_a_tool_holds_under_its_other_names() -> None:
    managed = 'pin = ["tools.Bash.risk"]\n'
    user = '[tools.Bash]\neffects = ["execute"]\nrisk = "low"\n[tools.bash]\neffects = ["execute"]\nrisk = "low"\n'
    declared = DEFAULT + '[tools.Bash]\neffects = ["execute"]\nrisk = "high"\n'
    files = (("default", "d", declared.encode()), ("managed", "m", f"version = 1\n{managed}".encode()),
             ("user", "u", f"version = 1\n{user}".encode()))  # fmt: skip
    tools = compile_policy(files).tools
    assert (tools["Bash"].risk, tools["bash"].risk) == (Risk.HIGH, Risk.HIGH)


def test_a_rule_that_managed_policy_put_in_place_of_a_built_in_one_is_not_replaced_again() -> None:
    def rule(verdict: str) -> str:
        return f'[[rules]]\nid = "r"\nwhen = {{ tool = "mail" }}\nverdict = "{verdict}"\nreason = "x"\n'

    files = [("default", "d", (DEFAULT + rule("deny")).encode())]
    files += [
        (name, name, ("version = 1\n" + rule(verdict)).encode())
        for name, verdict in (("managed", "deny"), ("user", "ask"))
    ]
    assert [rule.verdict for rule in compile_policy(tuple(files)).rules] == [Verdict.DENY, Verdict.ASK]


@pytest.mark.parametrize("folder", ["/var/runs", "~/runs", "../other", "a/../../b"])
def test_a_project_without_trust_keeps_its_runs_inside(folder: str) -> None:
    text = f'[plan]\ndir = "{folder}"\n'
    assert [merged(project=text).plan, merged(project=text, trusted=True).plan] == [
        PlanSettings(),
        PlanSettings(dir=folder),
    ]


def two_models(name: str, unsafe: str = "ask") -> str:
    first, second = [f'endpoint = "https://{name}.example/v1"\nmodel = "{m}"\nfamily = "{m}"\n' for m in ("m1", "m2")]
    return f'[judge]\nunsafe = "{unsafe}"\n[judge.first]\n{first}[judge.second]\n{second}'


def judged_at(policy: Policy) -> str:
    return "" if policy.judge is None else policy.judge.first.endpoint


def test_judges_are_the_persons_own_and_managed_policy_has_the_last_word() -> None:
    mine, theirs, boss = two_models("mine"), two_models("theirs", "deny"), two_models("boss", "deny")
    assert judged_at(merged(user=mine)) == "https://mine.example/v1"
    for trusted in (False, True):
        assert judged_at(merged(project=theirs, trusted=trusted)) == ""
        policy = merged(user=mine, project=theirs, trusted=trusted)
        assert (judged_at(policy), policy.judge and policy.judge.unsafe) == ("https://mine.example/v1", Verdict.ASK)
    held = merged(managed=boss, user=mine)
    assert (judged_at(held), held.judge and held.judge.unsafe) == ("https://boss.example/v1", Verdict.DENY)
    assert held.notices == ("user.toml: managed policy holds back judge",)
    assert policy_from_wire(policy_to_wire(held), digest=held.digest).judge == held.judge
    assert "judge" not in policy_to_wire(merged())
