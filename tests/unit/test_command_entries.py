"""`[commands.NAME]`: words are closed sets, entries say what built-in rows say, and examples are tried on loading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.action import Action
from interlock.model.errors import PolicyError
from interlock.model.facts import Facts
from interlock.policy.compile import compile_policy
from interlock.policy.entry import entry_to_paste
from interlock.policy.parse import parse_policy
from interlock.policy.toml import policy_to_toml
from interlock.policy.wire import compiled_lines, policy_from_lines
from interlock.reading.bash import follow_bash
from interlock.store.home.files import read_file
from interlock.store.home.policies import default_file
from interlock.testing import assert_allows, assert_asks, decide_call, policy_from_text

ENTRY = 'version = 1\n[commands.frob]\neffects = ["write"]\n'


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyError) as error:
        policy_from_text(text)
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('options = "-v --log:wirte"', "`--log:wirte`: unknown role `wirte`; did you mean `write`?"),
        ('operands = "raed+ write"', "unknown role `raed`; did you mean `read`?"),
        ('operands = "color*"', "data that shows in the target is `field.color`"),
        ('operands = "archive"', "unknown role `archive`"),  # only tar's own function knows what that is
        ('options = "--log:"', "a role is missing after `:`"),
        ('options = "--log?"', "takes a value, and its role is missing"),
        ('options = "-a|log:write"', "does not begin with a dash"),
        ('dryrun = "check"', "does not begin with a dash"),
        ('tags = ["exernal"]', "unknown tag `exernal`; did you mean `external`?"),
        ('tags = ["created"]', "unknown tag `created`"),  # only the reading can tell
        ('risk = "hgih"', "`risk` must be one of low, medium, high, critical"),
        ('stdin = "code.shell"', "unknown use `code.shell` of standard input; did you mean `code.sh`?"),
        ('stdin = "sql.psql"', "unknown use `sql.psql`"),
        ('options = "-f"\nswitches."--force" = { tags = ["force"] }', "`--force` is no switch of `options`"),
        ('options = "-f"\nswitches."-f" = { tags = ["froce"] }', "unknown tag `froce`; did you mean `force`?"),
        ('options = "-f"\nswitches."-f" = { efects = [] }', "unknown key `efects`; did you mean `effects`?"),
        ('commands.up = { effects = [], operands = "wirte" }', "unknown role `wirte`"),
        ("commands.up = { risk = 'low' }", "`effects` is missing in `commands.frob.commands.up`"),
        ("commands.up = 1", "`commands.frob.commands.up` must be a table"),
        ('matches = ["ls"]', "this example is not read as `exec:frob`, but as exec:ls"),
        ('operands = "write"\nmatches = ["frob $X"]', "this example is not understood"),
    ],
)
def test_a_mistyped_word_is_an_error_at_its_line(line: str, said: str) -> None:
    (problem,) = problems(ENTRY + line + "\n")
    assert said in problem
    assert problem.startswith(f"policy.toml:{4 + line.count(chr(10))}:")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[rules]]\nid = "r"\nverdict = "deny"\nreason = "r"\nwhen = { tags = ["exernal"] }',
            "did you mean `external`?",
        ),
        ("[tiers.marks]\ninstal = 3", "did you mean `install`?"),
        ('[tools.Write]\neffects = ["write"]\nconfirm = ["outsde"]', "did you mean `outside`?"),
    ],
)
def test_a_mark_that_there_is_not_is_an_error_wherever_a_policy_names_one(text: str, said: str) -> None:
    (problem,) = problems(f"version = 1\n{text}\n")
    assert said in problem


SHIP = """version = 1
[commands.ship]
effects = ["read"]
options = "-v --host:host"
matches = ["ship -v status"]

[commands.ship.commands.status]
effects = ["read"]

[commands.ship.commands.release]
effects = ["network"]
action = "ship:release"
operands = "field.color send*"
options = "-f|--force!force --notes:read"
dryrun = "--plan"
matches = ["ship release green dist/a.tar"]
[commands.ship.commands.release.switches."--force"]
effects = ["destructive"]
tags = ["external", "history"]
risk = "high"
irreversible = true

[commands.ship.commands.each]
effects = ["execute"]
operands = "text command"
matches = ["ship each web ls"]

[commands.ship.commands.eval]
effects = ["execute"]
operands = "code.ruby"
matches = ["ship eval 'load 1'"]

[commands.ship.commands.shell]
effects = ["execute"]
stdin = "code.sh"

[commands.ship.commands.push]
effects = ["read"]
stdin = "send"
"""


def read(command: str) -> dict[str, Action]:
    facts = Facts(root="/repo", home="/home/user", commands=policy_from_text(SHIP).commands)
    return {action.name: action for action in follow_bash(command, cwd="/repo", facts=facts).actions}


def test_an_entry_says_what_a_built_in_row_says() -> None:
    policy = policy_from_text(SHIP)
    assert_allows("ship status", policy=policy)
    assert dict(read("ship release green a.tar")["ship:release"].target) == {"color": "green"}
    forced = read("ship release -f green")["ship:release"]
    assert (forced.tags, forced.irreversible, forced.risk.name) == (("external", "history"), True, "high")
    assert "dryrun" in read("ship release --plan -f green")["ship:release"].tags
    assert "fs:read" in read("ship release green a.tar")  # what it sends, it reads
    assert_asks("ship frobnicate", policy=policy)  # a sub-command that the entry does not have


def test_the_rest_can_be_a_command_code_or_what_comes_in() -> None:
    policy = policy_from_text(SHIP)
    assert "fs:delete" in read("ship each web rm -rf src")
    assert decide_call("ship each web rm -rf /", policy=policy).verdict.name == "deny"
    assert_asks("ship eval 'load 1'", policy=policy)  # Ruby is not read
    assert "fs:delete" in read("echo rm -rf src | ship shell")
    assert "sends" in read("cat notes.txt | ship push")["exec:ship-push"].tags


def test_it_comes_through_the_compiled_cache_and_is_shown_as_it_was_written() -> None:
    policy = policy_from_text(SHIP)
    assert policy_from_lines(compiled_lines(policy)).commands == policy.commands
    assert policy_from_text(policy_to_toml(policy)).commands == policy.commands


@given(
    name=st.text(min_size=1, max_size=12),
    line=st.lists(st.text(max_size=10), max_size=6).map(" ".join),
)
def test_an_entry_to_paste_always_loads(name: str, line: str) -> None:
    entry = entry_to_paste(name, f"{name} {line}")
    if entry:
        assert list(parse_policy(f"version = 1\n{entry}".encode(), name="user", file="p").commands) == [name]
    else:
        assert not name.isidentifier() or not name.isascii()


def test_an_entry_to_paste_carries_its_call_and_loosens_nothing_by_itself() -> None:
    entry = entry_to_paste("frob", "frob --out=x -v a/b.txt")
    assert 'options = "--out:text -v"' in entry
    assert 'matches = ["frob --out=x -v a/b.txt"]' in entry
    policy = policy_from_text(f"version = 1\n{entry}")
    assert_asks("frob --out=x -v a/b.txt", policy=policy)
    assert_allows("frob -v a/b.txt", policy=policy_from_text(f"version = 1\n{entry}".replace('"unknown"', "")))


def test_a_project_has_only_so_many_examples() -> None:
    text = ENTRY + f'matches = ["frob {"x" * (1 << 18)}"]\n'
    default = read_file(default_file(), limit=1 << 20) or b""
    with pytest.raises(PolicyError, match="characters"):
        compile_policy((("default", "d", default), ("project", "p.toml", text.encode())))
