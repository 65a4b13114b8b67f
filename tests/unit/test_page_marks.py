"""A call on the page: all of it, in order, with the marks on the characters that were read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.serve.page.cookies import local_path
from interlock.serve.page.drawn import session_path
from interlock.serve.page.marked import Line, Mark, Part, lines_of


def mark(start: int, end: int, kind: str = "asked", number: int = 1) -> Mark:
    return Mark(field="command", start=start, end=end, kind=kind, number=number)


def test_a_mark_takes_just_its_characters() -> None:
    assert lines_of("ls; git push -f; ls", [mark(4, 15, "grave", 2)]) == (
        Line(number=1, parts=(Part(text="ls; "), Part(text="git push -f", kind="grave", number=2), Part(text="; ls"))),
    )


def test_of_two_marks_over_each_other_the_graver_is_shown() -> None:
    (line,) = lines_of("rm -rf $X", [mark(0, 9, "grave", 1), mark(7, 9, "unread", 0)])
    assert [(part.text, part.kind) for part in line.parts] == [("rm -rf ", "grave"), ("$X", "unread")]


def test_a_mark_over_lines_has_its_number_at_its_end() -> None:
    first, second = lines_of("cat <<E\nhi\n", [mark(0, 10)])[:2]
    assert [(part.text, part.number) for part in (*first.parts, *second.parts)] == [("cat <<E", 0), ("hi", 1)]


@pytest.mark.parametrize("text", ["export T=[redacted:token]; git push", "cat x… [cut, 9000 characters]"])
def test_what_has_holes_is_not_marked(text: str) -> None:
    assert lines_of(text, [mark(0, 6)]) == (Line(number=1, parts=(Part(text=text),)),)


def test_many_empty_lines_are_counted() -> None:
    assert lines_of("a\n\n\n\n\n\nb") == (
        Line(number=1, parts=(Part(text="a"),)),
        Line(number=2, empty=5),
        Line(number=7, parts=(Part(text="b"),)),
    )


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["asked", "grave", "unread"])))


@given(st.text(st.characters(codec="utf-8"), max_size=60), spans)
def test_no_character_is_lost_or_added(text: str, drawn: list[tuple[int, int, str]]) -> None:
    lines = lines_of(text, [mark(start, end, kind) for start, end, kind in drawn])
    rows: list[str] = []
    for line in lines:
        rows += [""] * line.empty if line.empty else ["".join(part.text for part in line.parts)]
    # Lines of blanks alone count as empty: on the page both are the same.
    assert rows == [row if row.strip(" ") or "\n" not in text else "" for row in text.split("\n")]


@given(st.text(st.characters(codec="utf-8")))
def test_every_session_has_an_address_that_no_guard_refuses(session: str) -> None:
    path = session_path(session)
    assert path.startswith("/sessions/")
    assert path.isascii()
    assert not any(refused in path.lower() for refused in ("..", "\\", "%2e", "%2f", "//", "?", "#"))


@given(st.text())
def test_nobody_is_sent_elsewhere(text: str) -> None:
    path = local_path(text)
    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))
