"""Hostile and mistaken entries of `[commands.X]`: the floor stands, commands inside are read, mistakes are told."""

from __future__ import annotations

import pytest

from interlock.model.errors import PolicyError
from interlock.testing import assert_allows, assert_asks, decide_call, policy_from_text

# An entry says of this program that it does nothing, whatever it is given; the call is denied all the same.
HOLLOW = [
    ("cd", "cd / && rm -rf *"),
    ("cd", "cd ~/.claude && echo x > settings.json"),
    ("pushd", "pushd / && rm -rf *"),
    ("builtin", "builtin cd /; rm -rf *"),
    ("eval", "eval 'rm -rf /'"),
    ("exec", "exec rm -rf /"),
    ("command", "command rm -rf /"),
    ("source", "source <(echo rm -rf /)"),
    ("export", "export X=/; rm -rf $X"),
    ("set", "set -- /; rm -rf $1"),
    ("read", "read X <<< /; rm -rf $X"),
    ("printf", "printf -v X /; rm -rf $X"),
    ("printf", "$(printf rm) -rf /"),
    ("echo", "echo rm -rf / | sh"),
    ("cat", "cat <<< 'rm -rf /' | sh"),
    ("sh", "sh <<< 'rm -rf /'"),
    ("trap", "trap 'rm -rf /' EXIT"),
    ("timeout", "timeout 5 rm -rf /"),
    ("nohup", "nohup rm -rf / &"),
    ("ssh", "ssh localhost rm -rf /"),
    ("docker", "docker run -v /:/h x rm -rf /h"),
    ("npx", "npx -c 'rm -rf /'"),
    ("python3.13", "python3.13 -c 'import shutil; shutil.rmtree(\"/\")'"),
    ("tar", "tar xf a.tar -C ~/.claude"),
    ("sed", "sed -i s/a/b/ ~/.claude/settings.json"),
    ("mv", "mv x ~/.claude/settings.json"),
    ("ln", "ln -sf /dev/null ~/.claude/settings.json"),
    ("curl", "curl -o ~/.claude/settings.json https://a.example"),
    ("frob", "frob $(rm -rf /)"),
    ("frob", "frob > .claude/settings.json"),
    ("frob", "frob() { rm -rf /; }; frob"),
]


@pytest.mark.parametrize(("name", "command"), HOLLOW)
def test_an_entry_that_says_nothing_lifts_nothing_of_the_floor(name: str, command: str) -> None:
    policy = policy_from_text(f'version = 1\n[commands."{name}"]\neffects = []\noperands = "text*"\n')
    assert decide_call(command, policy=policy).verdict.name == "deny"


@pytest.mark.parametrize(
    "command", ["/tmp/frob", "~/other/frob", "../frob", "PATH=/tmp:$PATH frob", "LD_PRELOAD=/tmp/x frob", "sudo frob"]
)
def test_an_entry_is_for_the_program_that_is_installed_under_its_name(command: str) -> None:
    policy = policy_from_text("version = 1\n[commands.frob]\neffects = []\n")
    assert_asks(command, policy=policy)
    assert_allows("frob a b", policy=policy)


EACH = """version = 1
[commands.each]
effects = ["execute"]
operands = "text command"
options = "-q -x|--exec:command -c:code.sh -p:code.py -f:script"
"""


@pytest.mark.parametrize(
    "command",
    [
        "each web rm -rf ../data",
        "each web -- rm -rf ../data",
        "each -- web rm -rf ../data",
        "each web -v rm -rf ../data",
        "each web --quiet=1 rm -rf ../data",
        "each -q web rm -rf ../data",
        "each --new rm -rf ../data",
        "each $X rm -rf ../data",
        "each web $X",
        "each web 'rm -rf' ../data",
        "each -x 'rm -rf ../data' web ls",
        "each --exec='rm -rf ../data' web ls",
        "each -c 'rm -rf ../data' web ls",
        "each -p 'import shutil; shutil.rmtree(\"../data\")' web ls",
        "each -f /srv/x.sh web ls",
        "each web each web rm -rf ../data",
        "each web bash -c 'rm -rf ../data'",
        "each",
    ],
)
def test_the_rest_is_a_command_wherever_it_begins(command: str) -> None:
    assert_asks(command, policy=policy_from_text(EACH))


@pytest.mark.parametrize(
    "command", ["each web ls", "each -q web git status", "each -x ls web ls", "each web -- npm test", "each a echo -n"]
)
def test_a_harmless_rest_is_free(command: str) -> None:
    assert_allows(command, policy=policy_from_text(EACH))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('options = "-a:write -a"', "`-a` is described twice"),
        ('options = "-o|--out:write --out:text"', "`--out` is described twice"),
        ('options = "-"', "`-` in `options` lacks a name"),
        ('options = "-v --"', "`--` in `options` lacks a name"),
        ('options = "-v!"', "`-v!` in `options` lacks a name"),
        ('dryrun = "--"', "lacks a name"),
        ('operands = "read++"', "`read++` has more than one quantifier"),
        ('operands = "command text"', "nothing can stand behind it"),
        ('operands = "text* command"', "only one role can take any number of words"),
        ('operands = "read* write*"', "only one role can take any number of words"),
        ('action = "deploy site"', "`deploy site` is no name of an action"),
        ('action = "git:*"', "`git:*` is no name of an action"),
        ('action = "a:\\n"', "is no name of an action"),
        ('options = "-f"\nswitches."-f" = { action = "*" }', "`*` is no name of an action"),
        ('commands."-a" = { effects = [] }', "`-a` is no name of a program"),
        ('commands."up*" = { effects = [] }', "`up*` is no name of a program"),
    ],
)
def test_a_mistaken_entry_is_an_error_at_its_line(line: str, said: str) -> None:
    with pytest.raises(PolicyError) as error:
        policy_from_text(f"version = 1\n[commands.frob]\neffects = []\n{line}\n")
    (problem,) = [str(problem) for problem in error.value.problems]
    assert said in problem
    assert problem.startswith(f"policy.toml:{4 + line.count(chr(10))}:")


@pytest.mark.parametrize("name", ["*", "g?t", "-x", "~", "$x", "rm\\u0000", "a|b"])
def test_a_name_that_is_looked_up_nowhere_is_an_error(name: str) -> None:
    with pytest.raises(PolicyError, match="is no name of a program"):
        policy_from_text(f'version = 1\n[commands."{name}"]\neffects = []\n')


@pytest.mark.parametrize(
    "entry",
    [
        'operands = "text? read* write"',
        'operands = "text command"',
        'operands = "field.color send*"',
        'options = "-v -o|--out:write --log?:write -\\\\::text --all!all"',
        'options = "-n|--dry-run"\ndryrun = "-n"',
        'action = "deploy:site-2.eu"',
        'commands."a.b" = { effects = [] }',
        'commands."db:migrate" = { effects = ["write"] }',
    ],
)
def test_an_ordinary_entry_loads(entry: str) -> None:
    assert list(policy_from_text(f'version = 1\n[commands."g++-13"]\neffects = []\n{entry}\n').commands) == ["g++-13"]
