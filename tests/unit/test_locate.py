"""Where the keys of oddly written TOML stand."""

from __future__ import annotations

import tomllib

import pytest

from interlock.policy.locate import locate, nearest

Path = tuple[str | int, ...]

ODD: list[tuple[str, dict[Path, tuple[int, int]]]] = [
    ("", {}),
    ("# only a comment", {}),
    ("a = 1", {("a",): (1, 1)}),
    ("\r\n  a = 1\r\nb=2", {("a",): (2, 3), ("b",): (3, 1)}),
    ("a.b . c = 1", {("a",): (1, 1), ("a", "b"): (1, 3), ("a", "b", "c"): (1, 7)}),
    ("\"a.b\".'c' = 1", {("a.b",): (1, 1), ("a.b", "c"): (1, 7)}),
    ('"q\\"]" = "]#"  # b = 1\nc = 2', {('q"]',): (1, 1), ("c",): (2, 1)}),
    ("'' = 1\n\"\\u00e9\" = 2", {("",): (1, 1), ("é",): (2, 1)}),
    ('[ a . "b]" ]\nc = 1', {("a",): (1, 1), ("a", "b]"): (1, 1), ("a", "b]", "c"): (2, 1)}),
    (
        "a = { b = 1, c.d = [2, 3] }",
        {
            ("a",): (1, 1),
            ("a", "b"): (1, 7),
            ("a", "c"): (1, 14),
            ("a", "c", "d"): (1, 16),
            ("a", "c", "d", 0): (1, 21),
            ("a", "c", "d", 1): (1, 24),
        },
    ),
    (
        'a = """x\n]=\\"" """\nb = \'\'\'\'y\'\'\'\'\'\nc = """"""',
        {("a",): (1, 1), ("b",): (3, 1), ("c",): (4, 1)},
    ),
    (
        "a = [ # one ]\n  [1, 2],\n  { b = [] },\n]\nc = 1979-05-27 07:32:00 # when",
        {
            ("a",): (1, 1),
            ("a", 0): (2, 3),
            ("a", 0, 0): (2, 4),
            ("a", 0, 1): (2, 7),
            ("a", 1): (3, 3),
            ("a", 1, "b"): (3, 5),
            ("c",): (5, 1),
        },
    ),
    (
        "[[a]]\nx = 1\n[[a.b]]\n[[a.b]]\ny = 2\n[a.b.c]\nz = 3\n[[a]]\n[[a.b]]\ny = 4\n[a.d]",
        {
            ("a",): (1, 1),
            ("a", 0): (1, 1),
            ("a", 0, "x"): (2, 1),
            ("a", 0, "b"): (3, 1),
            ("a", 0, "b", 0): (3, 1),
            ("a", 0, "b", 1): (4, 1),
            ("a", 0, "b", 1, "y"): (5, 1),
            ("a", 0, "b", 1, "c"): (6, 1),
            ("a", 0, "b", 1, "c", "z"): (7, 1),
            ("a", 1): (8, 1),
            ("a", 1, "b"): (9, 1),
            ("a", 1, "b", 0): (9, 1),
            ("a", 1, "b", 0, "y"): (10, 1),
            ("a", 1, "d"): (11, 1),
        },
    ),
    (
        "a = true# no blank\nb = [1,2,]#\nc = 0x1F",
        {
            ("a",): (1, 1),
            ("b",): (2, 1),
            ("b", 0): (2, 6),
            ("b", 1): (2, 8),
            ("c",): (3, 1),
        },
    ),
]


@pytest.mark.parametrize(("text", "places"), ODD, ids=[text[:24] for text, _ in ODD])
def test_every_key_is_found_where_it_stands(text: str, places: dict[Path, tuple[int, int]]) -> None:
    tomllib.loads(text)
    assert locate(text) == places


def test_what_is_not_there_is_placed_at_what_is_around_it() -> None:
    places = locate("\n[tools.x]\nrisk = 1")
    assert nearest(places, ("tools", "x", "risk", 0, "deep")) == (3, 1)
    assert nearest(places, ("tools", "x", "effects")) == (2, 1)
    assert nearest(places, ("tools", "y")) == (2, 1)
    assert nearest(places, ("version",)) == (1, 1)
