"""Any text at all: `parse` returns, soon, and says what it did not understand."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.reading.shell import parse, walk
from interlock.reading.shell.walk import nodes
from shell_reading import reasons
from sizes import IS_QUICK

LARGE = 300_000  # characters; what costs their square takes hours
PIECES = [
    "a",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "(",
    ")",
    "{",
    "}",
    "'",
    '"',
    "`",
    "$",
    "$(",
    "${",
    "((",
    "))",
    "<<E",
    "\nE\n",
    "<",
    ">",
    "\\",
    "\\\n",
    "[[ ",
    " ]]",
    "if ",
    " then ",
    " fi",
    "case x in ",
    " esac",
    ";;",
    "=",
    "[",
    "]",
    "#",
    "~",
    "{a,b}",
    "!",
    "\t",
    "\r",
    "\0",
    "\ud800",
    "é",
    "for ",
    " do ",
    " done",
    "=~",
    "x=(",
    "$'",
    "..",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=300 if IS_QUICK else 1500, deadline=None)
def test_any_text_gives_a_script_with_spans_inside_it(text: str) -> None:
    script = parse(text)
    for node in nodes(script):
        assert 0 <= node.span[0] <= node.span[1] <= len(text)


@given(st.text(max_size=60))
@settings(max_examples=100 if IS_QUICK else 500, deadline=None)
def test_any_characters_at_all(text: str) -> None:
    parse(text)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(max_examples=100 if IS_QUICK else 500, deadline=None)
def test_words_cover_what_they_say(text: str) -> None:
    for command in walk(parse(text)):
        for word in command.words:
            assert word.span[0] < word.span[1]
            assert command.span[0] <= word.span[0]
            assert word.span[1] <= command.span[1]


@pytest.mark.parametrize("char", ["\r", "\x1b", "\x07", "\x7f", "\x85", "\ud800", "\x0b"])
def test_characters_that_nobody_sees_hide_their_command_only(char: str) -> None:
    script = parse(f"a\nb 'x{char}'\nc")
    assert [type(c).__name__ for c in script.commands] == ["Simple", "Opaque", "Simple"]
    assert [o.reason for o in script.opaque] == ["a control character"]


def test_a_control_character_in_a_here_document_hides_its_command() -> None:
    assert reasons("cat <<E\n\x1b\nE\n") == ["a control character"]
    assert reasons("ls # \x1b") == ["a control character"]
    assert reasons("# \x1b\nls") == ["a control character"]
    assert reasons("# \x1b") == ["a control character"]


def test_a_carriage_return_is_not_a_line_end() -> None:
    assert len(reasons("ls\r\nrm x\r\n")) == 2


def test_a_nul_makes_everything_opaque() -> None:
    script = parse("a\nb\0c\nd")
    assert [o.span for o in script.opaque] == [(0, 7)]


def test_what_came_before_a_broken_line_is_kept() -> None:
    script = parse("a\nb; c\nd )\ne")
    assert [type(c).__name__ for c in script.commands] == ["Simple", "Simple", "Simple", "Opaque"]
    assert script.opaque[0].span == (7, 12)


@pytest.mark.parametrize(
    "opening",
    [
        "(",
        "$(",
        "{ ",
        "((",
        "$((",
        "${a:-",
        '"$(',
        "`",
        "if ",
        "[[ (",
        "[[ ! ",
        "<(",
        "a=(",
        "a[",
        "{a,",
        "! ",
        "case x in a) ",
    ],
)
@pytest.mark.parametrize("times", [59, 100, 5000])
def test_nesting_is_bounded(opening: str, times: int) -> None:
    parse("echo " + opening * times)
    parse(opening * times)


def test_deep_nesting_is_opaque_and_shallow_nesting_is_not() -> None:
    assert reasons("$(" * 20 + "a" + ")" * 20) == []
    assert reasons("$(" * 200 + "a" + ")" * 200) == ["nested too deeply"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "text",
    [
        "a" * LARGE,
        "a " * (LARGE // 2),
        "'" + "x" * LARGE + "'",
        "cat <<E\n" + "line $x\n" * (LARGE // 8) + "E\n",
        "cat <<E\n" + "\\" * LARGE + "\nE\n",
        "(" * LARGE,
        "{" * (LARGE // 5) + "}" * (LARGE // 5),
        "a\\\nb" * (LARGE // 10),
        "a\n" * (LARGE // 3),
        '"' * LARGE,
        "`" * LARGE,
        "<<E " * (LARGE // 10),
        "\\`" * (LARGE // 3),
        "$((" * (LARGE // 3),
        "{a,b}" * (LARGE // 10),
        "~:" * (LARGE // 3),
    ],
    ids=range(16),
)
def test_large_texts_end_soon(text: str) -> None:
    begin = time.process_time()
    parse(text)
    assert time.process_time() - begin < 10


def test_only_cheap_modules_are_imported() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules);"
        "import interlock.reading.shell;"
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('interlock')))"
    )
    source = next(path for path in sys.path if path.endswith("src"))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, source], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__"]


def test_old_arithmetic_in_the_head_of_a_loop_is_not_read() -> None:
    """bash cuts the head at a semicolon inside `$[…]`, and refuses what is left."""
    assert reasons("for ((i=$[1;2];i<1;i++)); do :; done") == ["`$[` in the head of a loop"]
    assert reasons("for ((i=0;i<$((1+1));i++)); do ls; done") == []
