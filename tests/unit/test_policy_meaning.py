"""What a sound policy file says without meaning anything is pointed out, with its place and the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

import interlock.policy
from interlock.model.errors import InputError
from interlock.policy.ahead import permitted_ahead
from interlock.policy.compile import compile_policy
from interlock.policy.meaning import doubts_of
from interlock.policy.parse import parse_policy

DEFAULT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()
NOW = "2026-11-16T12:00:00Z"
RULE = '[[rules]]\nid = "r"\nverdict = "ask"\nreason = "why"\n'


def pointed_out(text: str, name: str = "user") -> tuple[list[str], list[str]]:
    raw = f"version = 1\n{text}".encode()
    policy = compile_policy((("default", "default.toml", DEFAULT), (name, "p.toml", raw)))
    found = doubts_of(parse_policy(raw, name=name, file="p.toml"), policy, NOW)
    return [str(one) for one in found.mistakes], [str(one) for one in found.doubts]


MISTAKES = [
    (f'{RULE}when = {{ action = "git:pusch" }}', "6:10: no action is called `git:pusch`; did you mean `git:push`?"),
    (f'{RULE}when = {{ action = "gti:push" }}', "6:10: no action is called `gti:push`; did you mean `git:push`?"),
    ('[capability]\nactions = ["npm:publsh"]', "3:1: no action is called `npm:publsh`; did you mean `npm:publish`?"),
    ('[tiers.actions]\n"docker:psh" = 1', "3:1: no action is called `docker:psh`; did you mean `docker:push`?"),
    ("[tiers.effects]\nnetwrk = 2", "3:1: no effect is called `netwrk`; did you mean `network`?"),
    ('[budget]\n"git:psh" = 2', "3:1: no action is called `git:psh`; did you mean `git:push`?"),
    (
        f'{RULE}when = {{ action = "npm:publish", target = {{ pakage = "x" }} }}',
        "6:45: `npm:publish` has no `pakage`; it may be all, all-tags, delete, destination, folder, force, mirror, "
        "no-verify, package, path, protected, prune, push-option, registry, submodules, tag, tags, via, workspace",
    ),
    (
        '[[grants]]\nid = "g"\naction = "git:push"\nscope = { destination = "*", branch = "!feature/*" }',
        "5:30: `!feature/*`: a pattern cannot say what it does not match; a rule has `unless` for that",
    ),
    (
        f'{RULE}when = {{ tool = "!Bash" }}',
        "6:10: `!Bash`: a pattern cannot say what it does not match; a rule has `unless` for that",
    ),
]


@pytest.mark.parametrize(("text", "mistake"), MISTAKES)
def test_a_name_that_nothing_has_is_a_mistake(text: str, mistake: str) -> None:
    assert pointed_out(text)[0] == [f"p.toml:{mistake}"]


UNTRIED = "2:1: the rule `r` has no `matches`, so nothing shows that it matches what is meant"
DOUBTS = [
    (f'{RULE}when = {{ action = "git:push" }}', [UNTRIED]),
    (f'{RULE}when = {{ action = "git:push" }}\nmatches = ["git push"]', []),
    (
        f'{RULE}when = {{ tool = "Bahs" }}',
        ["6:10: no tool that is known here is called `Bahs`; did you mean `Bash`?", UNTRIED],
    ),
    (f'{RULE}when = {{ tool = "mcp__mail__*" }}', [UNTRIED]),
    (
        f'{RULE}when = {{ action = "fs:write", target = {{ pth = "x" }} }}',
        ["6:42: no target has `pth`; did you mean `path`?", UNTRIED],
    ),
    (
        f'{RULE}when = {{ action = "git:push" }}\nunless = {{ action = "git:*" }}',
        ["7:1: the rule `r` is dead: `unless` takes out all that `when` matches", UNTRIED],
    ),
    (
        f'{RULE}when = {{ tool = "Bash" }}\n' + RULE.replace('"r"', '"again"') + 'when = { tool = "Bash" }',
        [
            UNTRIED,
            "7:1: the rule `again` is dead: `r` says the same, and no less strictly",
            UNTRIED.replace("2:1", "7:1").replace("`r`", "`again`"),
        ],
    ),
    (
        "[approvals]\nallow_phrases = false\nphrase_minutes = 5",
        ["4:1: `phrase_minutes` has no effect: `allow_phrases` is false"],
    ),
    ("[loop]\nrepeat = 5\nlock = 4", ["3:1: `repeat` has no effect: `lock` comes first, or at the same time"]),
    ('[risk]\nmax = "low"\nask_at = "high"', ["4:1: `ask_at` has no effect: what is above `max` is denied already"]),
    (
        '[risk]\nmax = "high"\nallow_critical = true',
        ["4:1: `allow_critical` has no effect: what is above `max` is denied, and `max` is high"],
    ),
    ('[risk]\nmax = "critical"', ["3:1: critical stays denied: `allow_critical` is false"]),
    ('[risk]\nmax = "critical"\nallow_critical = true', []),
    (
        '[[grants]]\nid = "old"\naction = "git:push"\nscope = { destination = "*" }\nexpires = 2020-01-01',
        ["6:1: the grant `old` has ended and covers nothing"],
    ),
]


@pytest.mark.parametrize(("text", "doubts"), DOUBTS)
def test_what_may_be_meant_is_a_doubt(text: str, doubts: list[str]) -> None:
    assert pointed_out(text) == ([], [f"p.toml:{doubt}" for doubt in doubts])


def test_a_pin_that_names_nothing_is_a_doubt() -> None:
    text = 'pin = ["risk.maxx", "risk.max", "tools.Bash", "grants"]'
    assert pointed_out(text, "managed") == (
        [],
        ["p.toml:2:1: there is no setting `risk.maxx`; did you mean `risk.max`?"],
    )


def test_names_of_the_policys_own_programs_are_known() -> None:
    text = (
        '[commands.ship]\neffects = ["network"]\naction = "ship:it"\noperands = "field.harbor"\noptions = "-f!fast"\n'
        f'{RULE}when = {{ action = "ship:it", target = {{ harbor = "x", fast = "true" }} }}\nmatches = ["ship -f x"]'
    )
    assert pointed_out(text) == ([], [])


@pytest.mark.parametrize(
    "action", ["aws:s3:rm", "gh:skyline", "mcp:mail:send", "tool:x", "sql:drop", "kubectl:*", "*", "exec:make"]
)
def test_names_that_programs_make_are_no_mistakes(action: str) -> None:
    assert pointed_out(f'{RULE}when = {{ action = "{action}" }}')[0] == []


@pytest.mark.parametrize(
    ("what", "scope", "why"),
    [
        ("git:pusch", {}, "no action is called `git:pusch`; did you mean `git:push`?"),
        ("git push", {"brnch": "x"}, "`git:push` has no `brnch`"),
        ("git push", {"branch": "!main"}, "a pattern cannot say what it does not match"),
    ],
)
def test_a_grant_for_what_nothing_has_is_refused(what: str, scope: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        permitted_ahead(what, scope, by="ada")
