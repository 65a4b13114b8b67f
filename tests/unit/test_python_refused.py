"""Python that no Python runs is told from Python that some Python may run; where versions differ, nothing is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.python.refused import why_refused

UNCLOSED = "a text that is not closed on its line"
BRACKETS = "brackets that do not match"
MIDDLE = "a line that ends in the middle"
REFUSED = {
    "print('one\ntwo')": UNCLOSED,
    'x = "one': UNCLOSED,
    'x = """one\ntwo"': UNCLOSED,
    "x = b'one\n'": UNCLOSED,
    "print((1)": BRACKETS,
    "print(1))": BRACKETS,
    "x = [1)": BRACKETS,
    "try: import x; print(1); except: pass": "`except` in the middle of a line",
    "try: x; finally: y": "`finally` in the middle of a line",
    "if a: b; elif c: d": "`elif` in the middle of a line",
    "import os; for f in os.listdir(): print(f)": "`for` after a `;`",
    "import os; with open('x') as f: pass": "`with` after a `;`",
    "for a in b: if a: print(a)": "`if` after a `:`",
    "model =\nload('x')": MIDDLE,
    "from\na.b import c": MIDDLE,
    "x = a and\nb": MIDDLE,
    "x = 1 +": MIDDLE,
    "print(f'{a} and {b:>3}'); x = 'a": UNCLOSED,
    "x = f'{a}'\nif x: try: pass": "`try` after a `:`",
}
PERHAPS = [
    "print(1)",
    "print 'two'",
    "exec 'x = 1'",
    "print `x`",
    "x = 'a\\\nb'",
    "x = [1,\n2]",
    "f(a,  # )\n  b)",
    "from x import *",
    "x = ...",
    "x = 1,",
    "raise",
    "a <> b",
    "try:\n  x\nexcept: pass",
    "if a: b\nelse: c",
    "x = lambda: 0",
    "d = {1: [2, 3][0:]}",
    "x = 1if y else 2",
    "x = 1 \\\n  + 2",
    "x = f\"{a['b']}\"\ny = 'a",
    "x = f'{a['b']}'\ny = 'a",
    "x = t'{a}'; y = 'a",
    "x = 'ä\nb'",
    "x =\t\n3",
    "x = 'a\x0cb\n'",
    "# -*- coding: rot13 -*-\nx = (",
    "import os; !rm x",
]


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_what_every_python_refuses_is_known_as_that(text: str, why: str) -> None:
    assert why_refused(text) == why
    with pytest.raises(SyntaxError):
        compile(text, "text", "exec")


@pytest.mark.parametrize("text", PERHAPS)
def test_what_some_python_may_run_is_left_open(text: str) -> None:
    assert why_refused(text) is None


SOUP = (
    "x 1 0xf ( ) [ ] { } : ; = + * . ... if else elif try except finally for in while with def class lambda import "
    "from not is and or as \" ' \"\"\" ''' f\" f' rb\" u' # {x} {{ }} ! != \\ print pass return yield -> < > <> ` "
    "@ & , 1if match case async := ** //".split()
)


@pytest.mark.filterwarnings("ignore")
@given(st.lists(st.sampled_from([*SOUP, "\n", "\n  ", " "]), max_size=12), st.sampled_from(["", " "]))
def test_nothing_that_this_python_takes_is_said_to_be_refused(parts: list[str], between: str) -> None:
    text = between.join(parts)
    if why_refused(text) is not None:
        with pytest.raises((SyntaxError, ValueError)):
            compile(text, "text", "exec")


class Everywhere(dict[str, str]):
    """Every path leads where it says."""

    def get(self, path: str, default: object = None) -> str:
        return path.replace("/./", "/")


FACTS = Facts(root="/repo", home="/home/user")
BROKEN = "import os; for f in x: print(f)"


@pytest.mark.parametrize(
    "command",
    [f'python3 -c "{BROKEN}"', f"python - <<'EOF'\n{BROKEN}\nEOF", f'timeout 5 python3.12 -Bc "{BROKEN}"'],
)
def test_a_text_that_python_refuses_does_nothing(command: str) -> None:
    found = follow_bash(command, cwd="/repo", facts=FACTS)
    assert not found.opaque
    assert [(action.effects, dict(action.target)) for action in found.actions if action.name == "exec:python"] == [
        ((), {"refused": "`for` after a `;`"})
    ]


@pytest.mark.parametrize("command", ["python3 -Wignore run.py < data.txt", "echo x | python3 -c 'print(1)' -i"])
def test_what_is_fed_to_a_program_is_its_input(command: str) -> None:
    assert not follow_bash(command, cwd="/repo", facts=FACTS.replace(real=Everywhere())).opaque


@pytest.mark.parametrize(
    "command",
    [
        f'ipython -c "{BROKEN}"',
        f'PYTHONSTARTUP=x.py python3 -c "{BROKEN}"',
        f"printf '{BROKEN}\\n1\\n' | python3 -i",
        "echo 'import os' | python3 -i -c pass",
        "echo 'import os' | python3 -ic pass",
        "echo 'import os' | python3 -W ignore -Xdev -i -c pass",
        "python3 -x run.py",
        "python3 -m code <<'E'\nprint(1)\nE",
        "python3 -m asyncio < x.txt",
        "echo '!ls' | python3 -m IPython",
        f"script -qc python3 /dev/null <<'E'\n{BROKEN}\nE",
        f"unbuffer -p python3 <<'E'\n{BROKEN}\nE",
    ],
)
def test_where_more_than_one_whole_text_is_run_it_is_not_clear(command: str) -> None:
    assert follow_bash(command, cwd="/repo", facts=FACTS).opaque
