"""Numbers that the shell works out: `$((n + 10))`, `$(seq 3)`. What is not a plain number stays as it was."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.facts import Facts
from interlock.reading import follow
from interlock.reading.evaluate.state import Found, Shell
from interlock.reading.evaluate.sums import worked_out
from interlock.reading.evaluate.words import NUL, Arg
from with_facts import verdict


def shell_with(**variables: str) -> Shell:
    shell = Shell(Found(Facts(root="/p", home="/home/a"), "command", follow=follow), ("/p",))
    shell.variables.update({name: [Arg(text, (0, 0))] for name, text in variables.items()})
    return shell


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1+2", "3"),
        (" n + 10 ", "15"),
        ("n*(n-1)/2", "10"),
        ("-n", "-5"),
        ("-7/2", "-3"),
        ("-7%3", "-1"),
        ("7%-3", "1"),
        ("n - -2", "7"),
        ("m+1", "-3"),
    ],
)
def test_plain_sums_are_worked_out(text: str, number: str) -> None:
    assert worked_out(text, shell_with(n="5", m="-4")) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", "010", "0x10", "1/0", "1%0", "n++", "++n", "n--", "2**3", "n=7", "n+=1", "n<3", "n?1:2", "a[0]"),
        "a[$(id)]",
        *("unset+1", "x+1", "RANDOM", "SECONDS+1", "1,2", "(1", "1)", "1 2", "9999999999999999", "1" + "0" * 300, "٣"),
        *("999999999999999*999999999999999", NUL, "n+", "~1", "!1", "1&2"),
    ],
)
def test_anything_else_is_not(text: str) -> None:
    shell = shell_with(n="5", x="a[$(id)]", RANDOM="5", SECONDS="5", zero="010")
    assert worked_out(text, shell) is None
    assert worked_out("zero", shell) is None


SUMS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "%"]), inner).map(" ".join).map("({})".format),
    max_leaves=8,
)


@given(st.lists(SUMS, min_size=20, max_size=20))
@pytest.mark.slow
def test_bash_says_the_same(sums: list[str]) -> None:
    script = "\n".join(f'echo "$(( {text} ))"' for text in sums if worked_out(text, shell_with()) is not None)
    told = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False).stdout.split()
    assert told == [found for text in sums if (found := worked_out(text, shell_with())) is not None]


@pytest.mark.parametrize(
    "command",
    [
        'n=5; sed -n "$n,$((n+10))p" f',
        'for i in $(seq 3); do sed -n "${i}p" f; done',
        'for i in {1..3}; do sed -n "$((i*2))p" f; done',
        'n=3; awk "NR==$((n+1))" f',
        'python3 -c "print($((1+2)))"',
        "for i in $(seq 1 2 9); do echo $i; done",
        "seq 10 | while read i; do curl -s localhost:3000/$i; done",
        "for i in $(seq 1 500); do curl -s localhost:3000/$i; done",
    ],
)
def test_a_number_is_no_command(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "x='a[$(rm -rf ~/notes)]'; echo $((x))",
        "echo $((a[$(rm -rf ~/notes)]))",
        'n=$(cat f); sed -n "$n,5p" f',
        'n=5; sed "$((n))e rm -rf ~/notes" f',
        'n=5; sed "$((n))w /etc/x" f',
        "for i in $(seq 3); do rm -rf ~/notes$i; done",
        "for i in $(seq -f 'rm -rf ~/notes' 1); do $i; done",
        "for i in $(seq -s ';rm -rf ~/notes;' 3); do eval $i; done",
        "python3 -c \"import os; os.system(chr($((100+14)))+chr($((100+9)))+' -rf ~/notes')\"",
        'python3 -c "import os; os.system(chr($((x+14)))+chr($((x+9))))"',
        "kill $(seq 1 3)",
        "RANDOM=1; rm -rf ~/notes$((RANDOM))",
    ],
)
def test_what_a_number_is_used_for_counts_as_before(command: str) -> None:
    assert verdict(command) != "allow"
