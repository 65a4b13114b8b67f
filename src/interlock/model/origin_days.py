"""Days in texts: what a person calls `May 1st` is the `2026-05-01` of a call.

Only the month and the day are compared: a person seldom says the year. A day in relative words (`tomorrow`, `on
Friday`) is not worked out; where somebody spoke so, any day may be the one that they meant.
"""

from __future__ import annotations

__all__ = ["ANY_DAY", "days_in", "days_meant"]

ANY_DAY = "any day"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT = {"sept": 9, **{name: number for number, name in enumerate(_MONTHS, start=1)}}
_NUMBER_OF = {**_SHORT, **{name: number for number, name in enumerate(_LONG, start=1)}}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE = frozenset(
    (
        *("today", "tonight", "tomorrow", "overmorrow", "weekend", "daily", "weekly", "monthly"),
        *_WEEKDAYS,
        *[f"{name}s" for name in _WEEKDAYS],
        *("mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri"),
    )
)
_UNITS = frozenset(("day", "days", "week", "weeks", "month", "months", "year", "years", "evening", "morning"))
_BEFORE_UNITS = frozenset(("next", "this", "same", "following", "coming", "every", "each"))


def days_in(words: list[str]) -> list[str]:
    """Every day that is named, as `05-01`: `may 1st`, `1 may`, `1st to 5th of may`, `2026-05-01`, `5/1/2026`."""
    found: list[str] = []
    numbered = [number for word in words if _is_ordinal(word) and (number := _number(word))]
    for at, word in enumerate(words):
        found += _in_digits(word)
        month = _NUMBER_OF.get(word)
        if month is not None:
            beside = [words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""]
            found += [_day(month, number) for number in (*map(_number, beside), *numbered)]
    return list(dict.fromkeys([day for day in found if day]))


def days_meant(words: list[str]) -> list[str]:
    """The days that a person named; ANY_DAY among them if they spoke of one in relative words, or without a month."""
    found = days_in(words)
    return [*found, ANY_DAY] if _is_relative(words) or (not found and any(map(_is_ordinal, words))) else found


def _is_relative(words: list[str]) -> bool:
    for at, word in enumerate(words):
        after, later = (*words[at + 1 : at + 3], "", "")[:2]
        if word in _RELATIVE or (word in _BEFORE_UNITS and after in _UNITS) or (word == "in" and later in _UNITS):
            return True
    return False


def _in_digits(word: str) -> list[str]:
    date = word.partition("t")[0] if word[:4].isdigit() else word
    for mark in "-/.":
        parts = date.split(mark)
        if not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
            continue
        numbers = [int(part) for part in parts]
        if len(parts) == 3 and len(parts[0]) == 4:
            return [_day(numbers[1], numbers[2])]
        if (len(parts) == 3 and len(parts[2]) in (2, 4)) or (len(parts) == 2 and mark == "/"):
            return [_day(numbers[0], numbers[1]), _day(numbers[1], numbers[0])]
    return []


def _is_ordinal(word: str) -> bool:
    return word[:1].isdigit() and word[-2:] in ("st", "nd", "rd", "th")


def _number(word: str) -> int:
    plain = word[:-2] if _is_ordinal(word) else word
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 2 else 0


def _day(month: int, day: int) -> str:
    return f"{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""
