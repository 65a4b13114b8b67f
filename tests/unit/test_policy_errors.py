"""A policy file that is wrong: every problem at once, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import interlock.policy
from interlock.limits import MAX_POLICY_BYTES
from interlock.model.errors import PolicyError, Problem, lacking
from interlock.policy.compile import compile_policy
from interlock.policy.parse import parse_policy
from interlock.store.home.policies import default_file

DEFAULT = (Path(interlock.policy.__file__).parent / "default.toml").read_bytes()


def problems(text: str | bytes, name: str = "project") -> list[str]:
    raw = text.encode() if isinstance(text, str) else text
    with pytest.raises(PolicyError) as error:
        parse_policy(raw, name=name, file="p.toml")
    return [str(problem) for problem in error.value.problems]


EFFECTS = "a list of read, write, network, execute, spawn, destructive"
RISKS = "one of low, medium, high, critical"
POSTURES = "interactive, autonomous, dry_run, locked"

JUDGE = """[judge]
[judge.first]
endpoint = "https://a.example/v1"
model = "m1"
family = "a"
api = "openai"
key = "JUDGE_KEY"
[judge.second]
endpoint = "https://b.example/v1"
model = "m2"
family = "b"
"""

WRONG: list[tuple[str, list[str]]] = [
    ("", ["p.toml:1:1: `version` is missing"]),
    ("version = 2", ["p.toml:1:1: `version` must be 1; this version of Interlock knows no other"]),
    ("version = true", ["p.toml:1:1: `version` must be 1; this version of Interlock knows no other"]),
    ('version = 1\nposture = "open"', [f"p.toml:2:1: `posture` must be one of {POSTURES}"]),
    ("version = 1\n[undo]\ndays = 0", ["p.toml:3:1: `days` must be a number of days, from 1 to 365"]),
    (
        'version = 1\n[undo]\nbytes = "2GB"',
        ["p.toml:3:1: `bytes` must be a number of bytes, from 67108864 (64 MB) to 1099511627776 (1 TB)"],
    ),
    (
        'version = 1\n[undo]\nowners = ["me"]',
        ['p.toml:3:1: `owners` must be a table of texts by action, such as { "npm:*" = "release team" }'],
    ),
    ("version = 1\n[undo]\nday = 3", ["p.toml:3:1: unknown key `day`; did you mean `days`?"]),
    ("version = 1\nposture = 1", [f"p.toml:2:1: `posture` must be one of {POSTURES}"]),
    ('version = 1\n  postrue = "locked"', ["p.toml:2:3: unknown key `postrue`; did you mean `posture`?"]),
    (
        "version = 1\nzzz = 1",
        [
            "p.toml:2:1: unknown key `zzz`; known here: version, min_engine, posture, approval_mode, profile, pin, "
            "risk, tiers, plan, capability, obeyed, loop, undo, preview, budget, approvals, hook, people, tools, "
            "commands, consult, judge, store, evidence, rules, grants"
        ],
    ),
    *[
        (f"version = 1\n{JUDGE}".replace(good, bad), [f"p.toml:{told}"])
        for good, bad, told in (
            (
                '"b"',
                '" A"',
                "12:1: `first` and `second` are of the same family: models of one family share their mistakes",
            ),
            (
                "https://b",
                "http://b",
                "10:1: `endpoint` must be an address such as "
                "`https://HOST/v1/chat/completions` (http:// goes to this machine only)",
            ),
            (
                "https://b",
                "https://u:p@b",
                "10:1: `endpoint` must be an address with a host, and without a name or a password in it",
            ),
            (
                "JUDGE_KEY",
                "sk-abc",
                "8:1: `key` must be the name of an environment variable, such as "
                "`OPENAI_API_KEY`, and never the key itself",
            ),
            ('"openai"', '"gemini"', "7:1: `api` must be one of openai, anthropic"),
            ("[judge]", "[judge]\nmin_precision = 0.1", "3:1: `min_precision` must be a share from 0.5 to 1"),
        )
    ],
    ("version = 1\n[loop]\nrepeat = 1", ["p.toml:3:1: `repeat` must be a number from 2 to 6"]),
    ("version = 1\n[loop]\npending = true", ["p.toml:3:1: `pending` must be a number from 0 to a million"]),
    ("version = 1\n[budget]\nnetwork = -1", ["p.toml:3:1: `network` must be a number from 0 to a million"]),
    (
        "version = 1\n[budget]\nnetwrk = 1",
        [
            "p.toml:3:1: `netwrk` must be the name of an effect (read, write, network, execute, spawn, destructive) or "
            "of actions (`git:push`, `mcp:*`)"
        ],
    ),
    ('version = 1\n[budget]\nover = "allow"', ["p.toml:3:1: `over` must be one of ask, deny"]),
    ("version = 1\nbudget = 3", ["p.toml:2:1: `budget` must be a table"]),
    (
        "version = 1\n[approvals]\nphrase_minutes = 0",
        ["p.toml:3:1: `phrase_minutes` must be a number of minutes, at most 1440"],
    ),
    ('version = 1\n[approvals]\nphrases = ["  "]', ["p.toml:3:1: `phrases` must be a list of texts"]),
    ('version = 1\npin = ["risk"]', ["p.toml:2:1: `pin` is for managed policy only"]),
    ("version = 1\nrisk = 5", ["p.toml:2:1: `risk` must be a table"]),
    ('version = 1\n[risk]\nmax = "huge"', [f"p.toml:3:1: `max` must be {RISKS}"]),
    ('version = 1\nrisk.allow_critical = "yes"', ["p.toml:2:6: `allow_critical` must be true or false"]),
    ('version = 1\nrisk = { ask_at = "never" }', [f"p.toml:2:10: `ask_at` must be {RISKS}"]),
    ('version = 1\n[risk]\nunregistered = "maybe"', ["p.toml:3:1: `unregistered` must be one of allow, ask, deny"]),
    ("version = 1\ntools = []", ["p.toml:2:1: `tools` must hold tables"]),
    ("version = 1\n[tools]\nRead = 1", ["p.toml:3:1: `tools.Read` must be a table"]),
    ('version = 1\n[tools.x]\neffects = ["delete"]', [f"p.toml:3:1: `effects` must be {EFFECTS}"]),
    ('version = 1\n[tools.x]\neffects = "read"', [f"p.toml:3:1: `effects` must be {EFFECTS}"]),
    ("version = 1\n[tools.x]\npostures = []", ["p.toml:3:1: `postures` must be a list with at least one entry"]),
    ("version = 1\n[tools.x]\nconfirm = []", ["p.toml:3:1: `confirm` must be true, false or a list of marks"]),
    ('version = 1\n[tools.x]\nconfirm = [" "]', ["p.toml:3:1: `confirm` must be a list of texts"]),
    ("version = 1\n[tools.x]\nirreversible = 1", ["p.toml:3:1: `irreversible` must be true or false"]),
    ("version = 1\n[rules]\nid = 1", ["p.toml:2:1: `rules` must be written as `[[rules]]`"]),
    ("version = 1\n[rules.first]\nid = 1", ["p.toml:2:1: `rules` must be written as `[[rules]]`"]),
    ("version = 1\nrules = [1]", ["p.toml:2:10: `rules.0` must be a table"]),
    (
        "version = 1\n[[rules]]",
        [f"p.toml:2:1: `{key}` is missing in `rules.0`" for key in ("id", "reason", "verdict", "when")],
    ),
    (
        'version = 1\n[[rules]]\nid = "r"\nwhen = {}\nverdict = "allow"\nreason = " "',
        [
            "p.toml:4:1: `when` is empty: the rule would match every call",
            "p.toml:5:1: `verdict` must be one of ask, deny",
            "p.toml:6:1: `reason` must be a text that is not empty",
        ],
    ),
    (
        'version = 1\n[[rules]]\nid = "r"\nwhen = { actoin = "x", target = 1 }\nverdict = "ask"\nreason = "x"',
        [
            "p.toml:4:10: unknown key `actoin`; did you mean `action`?",
            'p.toml:4:24: `target` must be a table of globs, such as { branch = "feature/*" }',
        ],
    ),
    (
        'version = 1\n[[rules]]\nid = "r"\nverdict = "ask"\nreason = "x"\nwhen.action = "x"\n'
        'matches = [{ tool = "x" }]\nignores = [{ tool = "x", input = { at = 2020-01-01 } }]',
        [
            "p.toml:7:1: `matches` must be a list of command lines, or of tables with `tool` and `input`",
            "p.toml:8:1: `ignores` must be examples of calls, which hold no dates and no infinite or endless numbers",
        ],
    ),
    (
        'version = 1\n[[grants]]\nid = "g"\naction = "x"\nexpires = 2026-01-01T00:00:00',
        ["p.toml:5:1: `expires` must be a date, or a date and time with an offset such as Z"],
    ),
    (
        'version = 1\n[[grants]]\nid = "g"\naction = "x"\n[[grants]]\naction = "y"\nid = "g"',
        ["p.toml:7:1: the id `g` is used twice"],
    ),
    ("version = 1\nversion = 1", ["p.toml:2:12: not TOML: Cannot overwrite a value"]),
    ('version = 1\nx = "', ["p.toml:2:6: not TOML: Unterminated string"]),
    ("version", ["p.toml:1:8: not TOML: Expected '=' after a key in a key/value pair"]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[text[12:60] or text for text, _ in WRONG])
def test_what_is_wrong_is_told_with_its_place(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


def test_what_a_terminal_would_obey_is_not_passed_on() -> None:
    (told,) = problems('version = 1\n"\\u001B[31mé" = 1')
    assert told.startswith("p.toml:2:1: unknown key `\\x1b[31m\\xe9`; known here: ")
    (told,) = problems('version = 1\n[tools]\n"\\u009B" = 1')
    assert told == "p.toml:3:1: `tools.\\x9b` must be a table"


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    text = 'posture = "open"\n[tools.x]\nrisk = "huge"\n[risk]\nmax = 1\n[[rules]]\nid = ""\n'
    assert problems(text) == [
        "p.toml:1:1: `posture` must be one of interactive, autonomous, dry_run, locked",
        "p.toml:1:1: `version` is missing",
        f"p.toml:3:1: `risk` must be {RISKS}",
        f"p.toml:5:1: `max` must be {RISKS}",
        "p.toml:6:1: `reason` is missing in `rules.0`",
        "p.toml:6:1: `verdict` is missing in `rules.0`",
        "p.toml:6:1: `when` is missing in `rules.0`",
        "p.toml:7:1: `id` must be a text that is not empty",
    ]


def test_a_person_is_told_how_many_and_that_nothing_was_applied() -> None:
    two = PolicyError(
        [Problem(file="p", line=1, column=2, text="this"), Problem(file="p", line=3, column=4, text="that")]
    )
    assert two.for_people() == "2 problems in the policy; nothing of it was applied\n  p:1:2: this\n  p:3:4: that"
    assert str(two) == "p:1:2: this; p:3:4: that"
    one = PolicyError(two.problems[:1])
    assert one.for_people() == "1 problem in the policy; nothing of it was applied\n  p:1:2: this"


BYTES: list[tuple[bytes, list[str]]] = [
    (b"version = 1\n# \xff", ["p.toml:2:3: this is not UTF-8"]),
    (b"x" * (MAX_POLICY_BYTES + 1), [f"p.toml:1:1: the file is larger than {MAX_POLICY_BYTES} bytes"]),
    (b"x = " + b"[" * 5000, ["p.toml:1:1: the file is nested deeper than 100 levels"]),
    (b"x = " + b"[" * 101 + b"]" * 101, ["p.toml:1:1: the file is nested deeper than 100 levels"]),
    (b"x." * 1500 + b"x = 1", ["p.toml:1:1: the file is nested deeper than 100 levels"]),
]


@pytest.mark.parametrize(("raw", "expected"), BYTES, ids=[raw[:16].hex() for raw, _ in BYTES])
def test_bytes_that_are_no_policy_at_all(raw: bytes, expected: list[str]) -> None:
    assert problems(raw) == expected


def test_an_example_of_a_call_can_be_deep_and_is_then_refused_and_not_a_crash() -> None:
    deep = ".".join("a" * 900)
    text = f'version = 1\n[[rules]]\nid = "r"\nmatches = [{{ tool = "x", input = {{ {deep} = 1 }} }}]'
    assert problems(text) == ["p.toml:1:1: the file is nested deeper than 100 levels"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "0x" + "f" * 5000])
def test_an_example_with_a_number_that_no_call_can_hold_is_refused(number: str) -> None:
    text = (
        'version = 1\n[[rules]]\nid = "r"\nwhen.action = "x"\nverdict = "ask"\nreason = "x"\n'
        f'matches = [{{ tool = "x", input = {{ n = {number} }} }}]'
    )
    assert problems(text) == [
        "p.toml:7:1: `matches` must be examples of calls, which hold no dates and no infinite or endless numbers"
    ]


# --- examples of rules -----------------------------------------------------------------------------

RULE = """version = 1
[[rules]]
id = "no-prod"
when = { action = "fs:write", target = { path = "/project/prod/*" }, host = "claude-*", postures = ["locked"] }
verdict = "deny"
reason = "Not here."
"""


def compiled_problems(text: str) -> list[str]:
    with pytest.raises(PolicyError) as error:
        compile_policy((("default", "default.toml", DEFAULT), ("user", "p.toml", text.encode())))
    return [str(problem) for problem in error.value.problems]


def test_good_examples_are_accepted() -> None:
    text = RULE + (
        'matches = [{ tool = "Write", input = { file_path = "prod/x" } }]\n'
        'ignores = [{ tool = "Read", input = { file_path = "prod/x" } }, "ls prod"]\n'
    )
    *_, rule = compile_policy((("default", "default.toml", DEFAULT), ("user", "p.toml", text.encode()))).rules
    assert rule.id == "no-prod"


@pytest.mark.parametrize("source", ["user", "project"])
def test_examples_may_run_the_programs_that_the_same_file_describes(source: str) -> None:
    # That of a project is left out until it is trusted; its file is sound all the same.
    text = (
        'version = 1\n[commands.ship]\neffects = ["network"]\naction = "ship:site"\n'
        '[[rules]]\nid = "no-ship"\nwhen = { action = "ship:*" }\nverdict = "deny"\nreason = "r"\n'
        'matches = ["ship prod"]\nignores = ["ls"]\n'
    )
    compile_policy((("default", "default.toml", DEFAULT), (source, "p.toml", text.encode())))
    with pytest.raises(PolicyError, match="the rule `no-ship` matches this example"):
        compile_policy((("default", "d", DEFAULT), (source, "p", text.replace('["ls"]', '["ship x"]').encode())))


def test_each_bad_example_is_told_with_its_place() -> None:
    text = RULE + (
        'matches = [\n  { tool = "Write", input = { file_path = "prod/x" } },\n'
        '  { tool = "Write", input = { file_path = "dev/x" } },\n  "rm -r prod",\n]\n'
        'ignores = [{ tool = "Edit", input = { file_path = "/project/prod/x" } }]\n'
    )
    assert compiled_problems(text) == [
        "p.toml:9:3: the rule `no-prod` does not match this example; it was read as `fs:write path=/project/dev/x`",
        "p.toml:10:3: the rule `no-prod` does not match this example; it was read as `fs:delete path=/project/prod`",
        "p.toml:12:12: the rule `no-prod` matches this example; it was read as `fs:write path=/project/prod/x`",
    ]


def test_a_new_tool_must_declare_its_effects() -> None:
    assert compiled_problems('version = 1\n[tools.mail]\nrisk = "high"\n') == [
        "p.toml:2:1: `tools.mail` declares no `effects`"
    ]


def test_problems_of_several_files_are_told_together() -> None:
    with pytest.raises(PolicyError) as error:
        compile_policy((("default", "d.toml", DEFAULT), ("user", "u.toml", b"x = 1"), ("project", "p.toml", b"")))
    assert {problem.file for problem in error.value.problems} == {"u.toml", "p.toml"}


ESCAPE = r"\u001b[0m"
MISLEADING = {
    "a budget": f'[budget]\n"{ESCAPE}" = 1',
    "a key": f'[tools.Read]\n"{ESCAPE}" = 1',
    "a tool without effects": f'[tools."{ESCAPE}"]\nrisk = "low"',
    "the id of a rule": f'[[rules]]\nid = "{ESCAPE}"\nwhen.action = "a:b"\nverdict = "deny"\n'
    'reason = "r"\nmatches = ["ls"]',
    "a window": f'[[rules]]\nid = "r"\nwhen.time = "Mon 01:00-02:00 {ESCAPE}"\nverdict = "deny"\nreason = "r"',
}


@pytest.mark.parametrize("text", MISLEADING.values(), ids=MISLEADING)
def test_a_file_cannot_speak_to_the_terminal_through_its_errors(text: str) -> None:
    with pytest.raises(PolicyError) as error:
        compile_policy((("default", "d.toml", DEFAULT), ("project", "p.toml", f"version = 1\n{text}\n".encode())))
    assert "\x1b" not in str(error.value) + error.value.for_people()
    assert r"\x1b[0m" in str(error.value)


def test_a_project_cannot_speak_to_the_terminal_through_what_is_left_out_of_it() -> None:
    text = f'version = 1\n[tools."{ESCAPE}"]\neffects = ["read"]\n'
    policy = compile_policy((("default", "d.toml", DEFAULT), ("project", "p.toml", text.encode())))
    assert [notice.isprintable() for notice in policy.notices] == [True]
    assert r"tools.\x1b[0m (new)" in policy.notices[0]


@pytest.mark.parametrize("part", ["a.", "'a' . ", '"a".'])
def test_a_key_of_many_parts_is_refused_before_it_is_parsed(part: str) -> None:
    """Parsing it would take the square of its length, and whoever wrote the file would stop every call."""
    assert problems(f"version = 1\n{part * 100_000}a = 1\n") == [
        "p.toml:1:1: the file is nested deeper than 100 levels"
    ]


def test_the_examples_of_a_project_are_bounded() -> None:
    example = "; ".join(["echo x"] * 2000)
    head = '[[rules]]\nid = "r"\nwhen = { action = "exec:*" }\nverdict = "ask"\nreason = "x"\n'
    rule = f"{head}ignores = {[example] * 10}\n"
    with open(default_file(), "rb") as file:
        default = ("default", "default.toml", file.read())
    with pytest.raises(PolicyError, match="the examples of all rules and commands have more than 131072 characters"):
        compile_policy((default, ("project", "p.toml", f"version = 1\n{rule}".encode())))


def test_a_missing_part_names_the_interpreter_that_lacks_it() -> None:
    said = lacking("the service", "serve", "starlette", "/opt/tool/bin/python").for_people()
    added = "/opt/tool/bin/python -m pip install 'interlock[serve]'"
    assert said == f"the service needs the package starlette; add it with: {added}"
