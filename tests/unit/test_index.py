"""Where patterns lie and where they are looked for: shelves, marks, and the order in which rows are found."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.index import Index, family_of, heads_of, mark_of, marks_in, texts_in
from interlock.value import FrozenMap

Mark = tuple[str, str]


@pytest.mark.parametrize(
    ("pattern", "shelf"),
    [
        (None, "*"),
        ("*", "*"),
        ("git:push", "git:push"),
        ("git:*", "git:"),
        ("git:?ush", "git:"),
        ("mcp:mail:*", "mcp:"),
        ("gi*:push", "*"),
        ("gi?:push", "*"),
        ("ls", "ls"),
        ("", ""),
    ],
)
def test_a_pattern_lies_on_one_shelf(pattern: str | None, shelf: str) -> None:
    assert family_of(pattern) == shelf


@pytest.mark.parametrize(
    ("name", "shelves"),
    [
        ("git:push", ("git:push", "git:", "*")),
        ("mcp:mail:send", ("mcp:mail:send", "mcp:", "*")),
        ("ls", ("ls", "*")),
    ],
)
def test_an_action_is_looked_for_on_these_shelves(name: str, shelves: tuple[str, ...]) -> None:
    assert heads_of(name) == shelves


MARKS: list[tuple[dict[str, str], Mark]] = [
    ({}, ("", "")),
    ({"branch": "main"}, ("branch", "=main")),
    ({"branch": "feature/*"}, ("branch", "^feature/")),
    ({"branch": "feature/x*"}, ("branch", "^feature/")),
    ({"branch": "fix-12?"}, ("branch", "^fix-")),
    ({"branch": "main*"}, ("", "")),  # no edge: any text may go on from there
    ({"branch": "*"}, ("", "")),
    ({"branch": ""}, ("branch", "=")),
    ({"path": "/srv/my-data/a*"}, ("path", "^/srv/my-data/")),
    ({"path": "/srv/*/a"}, ("path", "^/srv/")),
    ({"path": "/srv/my-data*"}, ("path", "^/srv/")),
    ({"host": "a.b?c*"}, ("host", "^a.")),
    # a whole value tells more than a beginning, and a long text more than a short one
    ({"a": "x", "b": "/srv/long/*"}, ("a", "=x")),
    ({"b": "/srv/long/*", "a": "x"}, ("a", "=x")),
    ({"a": "xy", "b": "x"}, ("a", "=xy")),
    ({"a": "x", "b": "xy"}, ("b", "=xy")),
    ({"a": "x", "b": "y"}, ("b", "=y")),
    # several values: none of them is in every call
    ({"a": "x\ny"}, ("", "")),
    ({"a": "x\ny", "b": "z"}, ("b", "=z")),
]


@pytest.mark.parametrize(("scope", "mark"), MARKS)
def test_a_scope_lies_under_what_tells_most_of_it(scope: dict[str, str], mark: Mark) -> None:
    assert mark_of(scope) == mark


TARGETS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"branch": "main"}, ["branch=main"]),
    ({"branch": ""}, ["branch="]),
    ({"branch": "a-b/c/d"}, ["branch=a-b/c/d", "branch^a-", "branch^a-b/", "branch^a-b/c/"]),
    ({"path": "/a/b"}, ["path=/a/b", "path^/", "path^/a/"]),
    ({"path": "a//b"}, ["path=a//b", "path^a/", "path^a//"]),
    ({"force": True, "count": 3}, ["force=true", "count=3"]),
    ({"branch": ("a", "b")}, ["branch=a", "branch=b"]),
    ({"real": "/b"}, ["real=/b", "path=/b", "real^/", "path^/"]),
]


@pytest.mark.parametrize(("target", "marks"), TARGETS)
def test_a_target_is_looked_for_under_these_marks(target: dict[str, Any], marks: list[str]) -> None:
    assert list(marks_in(FrozenMap(target))) == marks


def test_a_path_is_where_it_says_and_where_it_leads() -> None:
    target = FrozenMap({"path": "/a", "real": "/b", "all": False, "n": (1, True)})
    assert texts_in(target, "path") == ["/a", "/b"]
    assert texts_in(target, "real") == ["/b"]
    assert texts_in(target, "all") == ["false"]
    assert texts_in(target, "n") == ["1", "true"]
    assert texts_in(target, "host") == []


@pytest.mark.parametrize("text", ["/a" * 100, "-" * 100, "-" * 64 + "/a/b"])
def test_of_a_very_long_value_the_first_64_beginnings_are_looked_up(text: str) -> None:
    marks = list(marks_in(FrozenMap({"path": text})))
    assert len(marks) == 1 + 64
    assert all(text.startswith(mark.removeprefix("path^")) for mark in marks[1:])
    assert mark_of({"path": text + "*"})[1] == marks[-1].removeprefix("path")


# --- rows ---------------------------------------------------------------------------------------------------------


def index_of(*rows: tuple[str, Mark]) -> Index:
    """Each row is its own place."""
    index = Index()
    for at, (head, mark) in enumerate(rows):
        index.add(at, head, mark, f"row {at}")
    return index


def places(rows: list[tuple[int, Any]]) -> list[int]:
    assert all(item == f"row {at}" for at, item in rows)
    return [at for at, _ in rows]


ROWS = index_of(
    ("*", ("", "")),
    ("git:push", ("branch", "=main")),
    ("git:push", ("branch", "^fix-")),
    ("git:push", ("", "")),
    ("git:", ("branch", "=main")),
    ("git:push", ("path", "^/srv/")),
    ("git:push", ("branch", "=")),
)
HEADS = heads_of("git:push")


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ({}, [0, 3]),
        ({"branch": "main"}, [0, 1, 3, 4]),
        ({"branch": ("main", "fix-1")}, [0, 1, 2, 3, 4]),
        ({"branch": ""}, [0, 3, 6]),
        ({"branch": "other"}, [0, 3]),
        ({"path": "/a", "real": "/srv/a"}, [0, 3, 5]),
    ],
)
def test_rows_are_found_by_shelf_and_mark_in_the_order_of_all(target: dict[str, Any], found: list[int]) -> None:
    assert places(ROWS.find(HEADS, FrozenMap(target))) == found


def test_where_nothing_lies_nothing_is_found() -> None:
    assert Index().find(HEADS, FrozenMap({"branch": "main"})) == []
    assert ROWS.find(("npm:publish",), FrozenMap({})) == []
    assert Index().first(HEADS) == []


def test_the_first_three_rows_of_each_shelf_are_at_hand() -> None:
    assert places(ROWS.first(HEADS)) == [1, 2, 3, 4, 0]
    assert places(ROWS.first(("npm:publish", "*"))) == [0]


def test_rows_that_are_to_come_are_fetched_before_they_are_looked_for() -> None:
    index = Index()
    index.expect("git:push", ("branch",))
    fetched: list[tuple[str, str]] = []

    def fetch(head: str, mark: str) -> None:
        fetched.append((head, mark))
        if (head, mark) == ("git:push", "branch=main"):
            index.add(7, head, ("branch", "=main"), "found")
        if (head, mark) == ("git:", ""):
            index.add(2, head, ("", ""), "plain")

    target = FrozenMap({"branch": "main", "host": "a.test"})
    assert index.find(("git:push", "git:"), target, fetch) == [(2, "plain"), (7, "found")]
    assert fetched == [("git:push", ""), ("git:push", "branch=main"), ("git:", "")]


def test_expecting_more_takes_nothing_away() -> None:
    index = index_of(("git:push", ("branch", "=main")))
    index.expect("git:push", ("branch", "host"))
    assert places(index.find(HEADS, FrozenMap({"branch": "main"}))) == [0]
