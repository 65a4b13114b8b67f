"""A call as a person sees it: all of it, and nothing in it that hides."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.words.question import beginning, in_a_line
from interlock.words.whole_call import call_lines, fitted, shortened, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("git push origin main", "git push origin main"),
        ("a\tb\x1b[2Jc\r", r"a\tb\x1b[2Jc\r"),
        ("rm \u202egpj.x\u202c", r"rm \u202egpj.x\u202c"),  # a text that runs to the left
        ("a\u200bb\u200d\ufeff\u2060", r"a\u200bb\u200d\ufeff\u2060"),
        ("a\u00a0b\u3000c\u2028d", r"a\xa0b\u3000c\u2028d"),  # blanks that are no blanks
        ("x\u3164y\u2800z\u115f\uffa0", r"x\u3164y\u2800z\u115f\uffa0"),  # no ink
        ("a\ufe0fb\U000e0101", r"a\ufe0fb\U000e0101"),
        ("cafe\u0301", "cafe\u0301"),
        ("e\u0301\u0302\u0303 \u0301", "e\u0301\\u0302\\u0303 \\u0301"),
        ("a" + " " * 11 + "b", "a" + " " * 11 + "b"),
        ("a" + " " * 500 + "b", "a⟨500 blanks⟩b"),
        (" " * 500, "⟨500 blanks⟩"),
        ("日本語", "日本語"),
    ],
)
def test_what_hides_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Zl", "Zp", "Cs") for char in visible(text))


@given(st.text(), st.integers(2, 90))
def test_no_line_is_wider_than_the_window_and_nothing_is_lost(text: str, columns: int) -> None:
    shown = visible(text)
    pieces = fitted(shown, columns)
    assert "".join(pieces) == shown
    assert all(sum(1 if char.isascii() else 2 for char in piece) <= columns for piece in pieces)


def test_a_cut_says_how_long_the_text_is() -> None:
    assert shortened("x" * 10_000, 40).endswith("… +10000 characters in all")
    assert len(shortened("x" * 10_000, 40)) <= 40


def test_every_field_and_every_line_is_there() -> None:
    command = "\n".join(["echo one", *[""] * 300, "echo " + "x" * 200])
    lines = call_lines("Bash", {"description": "d", "command": command, "run_in_background": True}, 80)
    assert lines == [
        "Bash, the whole call:",
        f"command: {len(command)} characters",
        "  1 │ echo one",
        "    │ ⟨300 empty lines⟩",
        f"302 │ echo {'x' * 68}",
        f"    ┆ {'x' * 73}",
        f"    ┆ {'x' * 59}",
        "description: 1 character",
        "1 │ d",
        "run_in_background:",
        "1 │ true",
    ]


def test_a_call_in_a_line_shows_every_argument_and_none_passes_for_another() -> None:
    assert in_a_line("refund", {"order": "7", "amount": 50}) == "refund: amount=50 order=7"
    given = {
        "path": "a.txt",
        "order": "7 amount=1",
        "b=1 c": None,
        "mark": "\u202ea",
        "long": "x" * 4000,
        "amount": 5000,
    }
    assert in_a_line("tool", given) == (
        'tool: path=a.txt amount=5000 "b=1 c"=null '
        f'long={"x" * 94}… +4000 characters in all mark="\\u202ea" order="7 amount=1"'
    )
    assert in_a_line("now", {}) == "now"


def test_a_list_of_questions_shows_the_field_that_says_most_or_all_of_them() -> None:
    refund = {"tool": "refund", "subject": "7", "input": {"order": "7", "amount": 50}}
    assert beginning(refund) == "refund: amount=50 order=7"
    assert beginning({"tool": "Bash", "subject": "ls", "input": {"command": "ls", "timeout": 5}}) == "Bash: ls"
    assert beginning({"tool": "lookup", "subject": "7", "input": {"order": "7"}}) == "lookup: 7"
    assert beginning({"tool": "refund", "subject": "7", "input": None}) == "refund: 7"
