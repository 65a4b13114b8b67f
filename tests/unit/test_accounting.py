"""A word that names a guarded or secret file, the root or a home is accounted for, or the call is opaque there."""

from __future__ import annotations

import ast

import pytest

from interlock.reading.python.accounting import _strings
from interlock.testing import assert_allows, assert_asks, assert_denies, policy_from_text

UNSEEN = [
    "lpq ~/.ssh/id_ed25519",
    "docker rename --memory-swap ~/.ssh/id_ed25519",
    "pip cache purge --zz .env",
    "tic -e ~/.aws/credentials",
    "uname -v.env",
    "xinput -9~/.ssh/id_rsa",
    "clang-tidy --extra-arg=$HOME/.ssh/id_ed25519 a.c",
    "packer validate -var .env",
    "launchctl stop ~",
    "systemctl is-enabled /",
    "cd ~/.ssh && sox -r id_rsa",
    "cd ~/.aws && hwclock --date credentials",
    "env FOO=1 infocmp ~/.ssh/id_rsa",
    "timeout 5 nice pkg-config --variable=.env",
    "find . -maxdepth 1 -exec tty -f .env \\;",
    "echo x | xargs -I{} mpstat -t ~/.ssh/id_rsa",
    "mpstat file:///",
    "mpstat x=@.env",
]
GUARDED = [
    "lpq .claude/settings.json",
    "flux get --prune .claude/settings.json",
    "uname -v.claude/settings.json",
    "dbt deps --zz=.claude/settings.json",
    "nice infocmp ~/.config/interlock/ledger.key",
    "nobody-knows-it .claude/settings.json",
    "./tools/convert --into ~/.bashrc",
]


@pytest.mark.parametrize("command", UNSEEN)
def test_a_place_that_no_table_accounts_for_is_asked_about(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize("command", GUARDED)
def test_a_guarded_place_that_no_table_accounts_for_is_denied(command: str) -> None:
    assert_denies(command)


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m .env",
        "git commit -qm 'keep ~/.ssh out'",
        "git tag v1 -m '~/.ssh'",
        "git log -S .env --oneline",
        "git log --oneline .claude/settings.json",
        "git blame .claude/settings.json",
        "git check-ignore -v .env",
        "git ls-files .env",
        "git status -- .env",
        "git rm --cached .env",
        "git grep -n .env -- src",
        "git -C ~ status",
        "grep -rn .env src",
        "rg -n '/' src --glob '!.env'",
        "sed -n /x/p a.txt",
        "jq .a.b package.json",
        "tr / _",
        "cut -d/ -f2 a.txt",
        "sort -t / -k2 a.txt",
        "awk -F/ '{print $2}' a.txt",
        "paste -sd/ a.txt",
        "echo ~/.ssh/id_rsa",
        "basename ~/.ssh/id_rsa",
        "realpath ~",
        "find . -name .env -not -path './.claude/*'",
        "fd --exclude .env conf",
        "tar czf a.tgz --exclude .env --exclude=.claude src",
        "rsync -a --exclude .env src/ dst/",
        "zip -r a.zip src -x .env",
        "tree -I .env",
        "ls ~/.claude",
        "ls / ~",
        "du -sh ~",
        "cat .claude/settings.json",
        "wc -l .env",
        "test -f .env && echo there",
        "[ -d ~/.ssh ] && echo there",
        "node --env-file=.env app.js",
        "ruff check --exclude .claude .",
        "npx eslint . --ignore-pattern .claude",
        "npm run build -- --base=/",
        "docker exec web ls /",
        "docker compose run --rm -w / web ls",
    ],
)
def test_words_and_looks_stay_free(command: str) -> None:
    assert_allows(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat $(ls -A | grep -i ENV)",
        "ls -a | grep netrc | xargs head",
        "find . -name '*env*' -exec head {} +",
        "find . -type f | grep 'id_ed' | xargs cat",
    ],
)
def test_a_search_that_means_a_hidden_secret_reads_it(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls -A | grep env",
        "cat $(ls | grep env)",
        "find . -name '*env*'",
        "find . -type f | grep '[.]ts$' | xargs cat",
        "find . -type f | grep -v node_modules | xargs wc -l",
        "find . -name '*environment*' | xargs cat",
    ],
)
def test_other_searches_stay_free(command: str) -> None:
    assert_allows(command)


def test_a_link_out_of_a_regenerable_folder_is_not_regenerable() -> None:
    assert_asks("ln -s ../src build/x && rm -rf build/x/*")
    assert_asks("ln -s ../src build/x && find build/x/ -delete")
    assert_allows("rm -rf build/x/*")


PYTHON_UNSEEN = [
    "import foo; foo.bar('/home/user/.ssh/id_rsa')",
    "import foo; p = '/home/user/.ssh/id_rsa'; foo.bar(p)",
    "import foo; from pathlib import Path; p = Path('.env'); foo.bar(p)",
    "import foo; [foo.bar(f) for f in ['a', '.env']]",
    "import configparser; c = configparser.ConfigParser(); c.read('/home/user/.aws/credentials')",
]
PYTHON_SEEN = [
    "print('.env')",
    "names = ['.env', 'id_rsa']; import os; print([f for f in os.listdir('.') if f in names])",
    "import os; print(os.path.exists('.env'))",
    "import json; print(json.load(open('.claude/settings.json')))",
    "import sys; print(sys.argv, 'see ~/.ssh/config')",
]


@pytest.mark.parametrize("code", PYTHON_UNSEEN)
def test_a_string_of_python_that_names_a_secret_is_accounted_for(code: str) -> None:
    assert_asks(f'python3 -c "{code}"')


@pytest.mark.parametrize("code", PYTHON_SEEN)
def test_a_string_of_python_that_is_only_looked_at_stays_free(code: str) -> None:
    assert_allows(f'python3 -c "{code}"')


def test_a_string_of_python_that_names_a_guarded_file_is_denied() -> None:
    assert_denies("python3 -c \"import foo; foo.bar('.claude/settings.json')\"")


DECLARED = policy_from_text(
    'version = 1\n[tools.put]\neffects = ["write"]\n[tools.note]\neffects = ["write"]\nargs = { line = "text" }\n'
    '[tiers.actions]\n"tool:*" = 1\n'
)


def test_a_field_of_a_declared_tool_without_a_role_is_accounted_for() -> None:
    assert_denies({"tool": "put", "input": {"where": {"at": [".claude/settings.json"]}}}, policy=DECLARED)
    assert_asks({"tool": "put", "input": {"where": "~/.ssh/id_rsa"}}, policy=DECLARED)
    assert_allows({"tool": "put", "input": {"where": "notes.txt", "message": ".env"}}, policy=DECLARED)
    assert_allows({"tool": "note", "input": {"line": ".env"}}, policy=DECLARED)


def test_a_field_of_an_unknown_tool_that_names_a_guarded_file_is_denied() -> None:
    assert_denies({"tool": "mcp__box__put", "input": {"target": ".claude/settings.json"}})
    assert_asks({"tool": "mcp__box__list", "input": {"target": ".claude/settings.json"}})


EVERY_STRING = """
@decorated("a", key="b")
class C(Base, metaclass=of("c")):
    \"\"\"d\"\"\"
    field: "e" = "f"

async def run(x, /, y="g", *rest, z: "h" = "i", **more) -> "j":
    global state
    async with opened("k") as one, opened("l"):
        yield {"m": "n", **other["o"]}, ["p" for q in "r" if q != "s"], {*"t"}
    try:
        value = f"u{x!r:{'v'}}w" + (lambda a="x": a + "y")() if "z" else -1
    except (KeyError, named("A")) as error:
        raise Wrong("B") from error
    match value:
        case {"C": "D", **others} | [Point(x="E"), *_]:
            del place["F"]["G":"H"]
        case _ if (found := "I"):
            assert "J" in found, "K"
    x += "L"
    return await call(*["M"], **{"N": "O"})
"""


def test_no_string_of_python_code_is_passed_over_and_their_order_is_that_of_the_tree() -> None:
    tree = ast.parse(EVERY_STRING)
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [name for _, name in _strings(tree)] == found
    assert {"a", "d", "e", "h", "j", "v", "w", "y", "A", "B", "C", "E", "H", "K", "O"} <= {*found}
