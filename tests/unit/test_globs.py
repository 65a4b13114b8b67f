"""Globs against their definition, tried on every short pattern: what one matches, and whether two can meet."""

from __future__ import annotations

from itertools import product

import pytest

from interlock.approve.glob import is_plain, is_within, matches, may_meet, text_of


def every(letters: str, longest: int) -> list[str]:
    return ["".join(word) for size in range(longest + 1) for word in product(letters, repeat=size)]


def means(pattern: str, text: str) -> bool:
    """The definition: a star is any run, a question mark one character, all else itself."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(means(pattern[1:], text[at:]) for at in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and means(pattern[1:], text[1:])


PATTERNS = every("ab*?", 3)
TEXTS = every("ab", 6)
MEANT = {pattern: frozenset([text for text in TEXTS if means(pattern, text)]) for pattern in PATTERNS}


def test_a_pattern_matches_what_its_definition_says() -> None:
    found = {pattern: frozenset([text for text in TEXTS if matches(pattern, text)]) for pattern in PATTERNS}
    assert found == MEANT


def test_two_patterns_may_meet_where_some_text_matches_both() -> None:
    """A text that both match need not be longer than the two together."""
    wrong = [
        (one, other)
        for one, other in product(PATTERNS, repeat=2)
        if may_meet(one, other) is not bool(MEANT[one] & MEANT[other])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [("", True), ("a[b]", True), ("*", False), ("?", False), ("a*b", False), ("a?b", False), ("a?*", False)],
)
def test_a_text_with_a_wildcard_is_no_plain_one(text: str, *, plain: bool) -> None:
    assert is_plain(text) is plain


@pytest.mark.parametrize(
    ("pattern", "text", "within"),
    [
        ("/p/*", "/p/a", True),
        ("/p/*", "/p/*", True),
        ("/p/*", "/q/a", False),
        ("/p/?", "/p/a", True),
        ("/p/?", "/p/?", True),
        ("/p/?", "/p/*", False),  # one character, and the call means many
        ("/p/?*", "/p/a*", False),
        ("/p/a", "/p/a", True),
        ("/p/a", "/p/b", False),
        ("a\nb", "a", True),
        ("a\nb", "b", True),
        ("a\nb", "c", False),
        ("a\nb", "a\nb", False),
        ("a*\nb", "ab", False),  # those plain texts, and no patterns
        ("a*\nb", "a*", True),
    ],
)
def test_all_that_a_text_may_stand_for_must_be_in_the_pattern(pattern: str, text: str, *, within: bool) -> None:
    assert is_within(pattern, text) is within


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (3, "3"), ("True", "True"), (None, "None")]
)
def test_a_value_is_compared_as_this_text(value: object, text: str) -> None:
    assert text_of(value) == text
