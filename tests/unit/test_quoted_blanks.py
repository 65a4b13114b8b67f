"""`"${PATH//:/$'\\n'}"` and `deactivate`: what bash takes, and what `activate` defines."""

from __future__ import annotations

import subprocess

import pytest

from shell_reading import reasons
from with_facts import verdict

SPLIT = [
    """x=a:b; echo "${x//:/$'\\n'}\"""",
    """x=a:b; echo "${x/:/$'\\t'}\"""",
    """x=$'a\\nb'; echo "${x//$'\\n'/ }\"""",
    """x=a; echo "${x%$'\\n'}\"""",
    """x=a; echo "${x#$'\\r\\n'}\"""",
]


@pytest.mark.parametrize("command", SPLIT)
def test_blanks_in_ansi_quotes_are_read_in_a_quoted_operand(command: str) -> None:
    assert not reasons(command)
    assert subprocess.run(["bash", "-nc", command], check=False).returncode == 0
    assert verdict(command) == "allow"


def test_they_mean_what_bash_says() -> None:
    code = """x='rm:-rf:~/notes'; eval "${x//:/$'\\t'}\""""
    assert verdict(code) != "allow"
    assert verdict(code.replace("rm:-rf", "ls:-l")) == verdict("x='ls -l ~/notes'; eval \"$x\"")


@pytest.mark.parametrize(
    "operand", ["//:/$'\\x72m'", "//:/$'rm'", "//:/$'\\n}'", "//:/$'\\n$(rm x)'", ":-$'\\n'", '//:/$"a"', "//:/$''"]
)
def test_anything_else_behind_a_dollar_is_in_doubt(operand: str) -> None:
    assert reasons('echo "${x' + operand + '}"')


def test_a_substitution_beside_them_is_found() -> None:
    assert verdict("""x=a:b; echo "${x//:/$'\\n'$(rm -rf ~/notes)}\"""") != "allow"


@pytest.mark.parametrize("command", ["source .venv/bin/activate && pytest; deactivate", "deactivate"])
def test_leaving_an_environment_is_free(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "deactivate() { rm -rf ~/notes; }; deactivate",
        "PATH=/tmp/x:$PATH; deactivate",
        "echo 'rm -rf ~/notes' > deactivate; bash deactivate",
        "echo 'deactivate() { rm -rf ~/notes; }' > a.sh; . ./a.sh; deactivate",
    ],
)
def test_another_program_of_that_name_is_not(command: str) -> None:
    assert verdict(command) != "allow"
