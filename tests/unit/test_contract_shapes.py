"""Texts that a grammar decides: patterns, dates, sizes and named formats."""

from __future__ import annotations

import pytest

from interlock.contracts.dates import moment_of, size_of
from interlock.contracts.formats import FORMATS, lacks_format
from interlock.contracts.patterns import search
from interlock.contracts.work import Work

# format -> texts that have it or may have it, texts that are proved not to
SHAPES = {
    "absolute-path": (
        ["/etc", "/", "~/x", "C:/x", "C:\\x", "\\\\server\\x", "$HOME/x"],
        ["x", "./x", "../x", "", "C:x"],
    ),
    "cron": (
        ["0 3 * * *", "*/5 0-6 1,15 jan-mar MON-FRI", "@daily", "59 23 31 12 7"],
        [
            "every night",
            "0 3 * *",
            "0 3 * * * *",
            "60 0 * * *",
            "0 0 32 * *",
            "0 0 * * 9",
            "0 0 * * 5-1",
            "*/0 * * * *",
            "@often",
        ],
    ),
    "date": (
        ["2026-11-15", "2024-02-29", "2000-02-29"],
        ["2026-02-29", "1900-02-29", "2026-13-01", "15.11.2026", "2026-1-1", ""],
    ),
    "date-time": (
        ["2026-11-15T09:30:00Z", "2026-11-15T09:30:00.5+01:00", "2026-11-15 09:30", "2016-12-31T23:59:60Z"],
        ["2026-11-15", "2026-11-15T25:00:00Z", "2026-11-15T09:30:00+1", "tomorrow at nine"],
    ),
    "email": (
        ["a@b.example", '"odd name"@b.example', "a+b@[10.0.0.1]"],
        ["a", "a@", "@b", "a b@c.example", "a@b@c", "a(at)b.example", "a@b..c"],
    ),
    "http-url": (["http://x.example", "HTTPS://x/y?z"], ["x.example", "ftp://x", "http://", "http:///x", "http://a b"]),
    "https-url": (["https://x.example/y"], ["http://x.example", "//x.example"]),
    "ipv4": (["10.0.0.1", "255.255.255.255"], ["10.0.0", "10.0.0.256", "10.0.0.01", "::1"]),
    "read-only-sql": (
        ["SELECT 1", "select 'a; drop table b'", "WITH x AS (SELECT 1) SELECT * FROM x", "EXPLAIN DELETE FROM t", ""],
        ["DROP TABLE t", "  update t set a = 1", "SELECT 1; DELETE FROM t", "truncate t"],
    ),
    "semver": (
        ["1.2.3", "1.0.0-rc.1+build.5", "0.0.0"],
        ["1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-rc..1", "1.2.3-01"],
    ),
    "size": (["512Mi", "10MB", "1.5 GiB", "1024"], ["big", "10 parsecs", "-1MB", ""]),
    "uuid": (["5d1c8a44-2f3e-4b65-8f05-6f1f1d0c7b90"], ["5d1c8a44", "5d1c8a44-2f3e-4b65-8f05-6f1f1d0c7bzz"]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_text_is_proved_not_to_have_the_shape_or_left_alone(name: str) -> None:
    may, cannot = SHAPES[name]
    assert [text for text in may if lacks_format(name, text)] == []
    assert [text for text in cannot if not lacks_format(name, text)] == []


def test_every_format_is_tried() -> None:
    assert set(SHAPES) == set(FORMATS)


def test_a_format_that_nobody_knows_and_a_text_beyond_bounds_are_left_open() -> None:
    assert not lacks_format("postcode", "x")
    assert not lacks_format("email", "x" * 20_000)


PATTERNS: list[tuple[str, str, bool | None]] = [
    ("abc", "xxabcxx", True),
    ("^abc$", "xabc", False),
    ("", "", True),
    ("^$", "x", False),
    ("a.c", "abc", True),
    ("^[a-z]+-[0-9]{2,3}$", "ab-123", True),
    ("^[a-z]+-[0-9]{2,3}$", "ab-1234", False),
    ("^[^0-9]*$", "a1", False),
    (r"^\d+\.\d+$", "1.25", True),
    (r"^\w+@\w+$", "a@b", True),
    (r"^(foo|ba[rz])?x$", "bazx", True),
    (r"^(?:ab)+$", "ababab", True),
    (r"^(?:ab)+$", "aba", False),
    (r"^a{3}$", "aa", False),
    (r"^a{2,}$", "aaaa", True),
    (r"^a*?b$", "aab", True),
    (r"^(a+)+$", "a" * 3000 + "b", False),  # exponential for an engine that goes back
    (r"^(.*,){11}P", "," * 1000, False),
    (r"^(.{1,20},){9}P", "," * 4000, None),
    ("(?=a)", "a", None),
    (r"(a)\1", "aa", None),
    (r"\ba", "a", None),
    (r"\p{L}", "a", None),
    ("[a", "a", None),
    ("a)", "a", None),
    ("a**", "a", None),
    ("a{5000}", "a", None),
    ("a{2,1}", "a", None),
    ("[z-a]", "a", None),
    ("[]a]", "a", None),
    ("*a", "a", None),
    ("^é$", "é", None),
    ("^a$", "é", None),
    ("^a$", "a\n", None),
    ("a" * 501, "a", None),
    ("a", "a" * 5000, None),
]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"), PATTERNS, ids=[f"{p[:20]}-{t[:10]!a}" for p, t, _ in PATTERNS]
)
def test_a_pattern_is_found_not_found_or_left_open(pattern: str, text: str, expected: bool | None) -> None:
    assert search(pattern, text, Work()) is expected


def test_moments_know_offsets_and_what_they_can_be_compared_with() -> None:
    assert moment_of("2026-03-01T10:00:00+02:00") == moment_of("2026-03-01T08:00:00Z") == moment_of("2026-03-01T08:00Z")
    assert moment_of("0001-01-02") == ("day", 367)
    local = moment_of("2026-03-01T10:00:00")
    assert local is not None
    assert local[0] == "local"


def test_sizes_are_bytes() -> None:
    assert [size_of(text) for text in ("1", "1k", "1Ki", "1.5MB", "2 GiB", "x")] == [1, 1000, 1024, 1.5e6, 2**31, None]
