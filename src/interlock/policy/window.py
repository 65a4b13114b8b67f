"""A time window in words: `Mon-Fri 09:00-17:00 Europe/Berlin`.

Days, hours and a zone, in this order; days or hours may be left out, and without a zone it is
UTC. Hours that end before they begin run past midnight and belong to the day on which they
began. This module knows the words and no clock: what time it is, and what a zone's name
means today, is for the store to say.
"""

from __future__ import annotations

from ..value import Value

__all__ = ["DAYS", "Window", "is_open", "parse_window"]

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY = 24 * 60
_EXAMPLE = "Mon-Fri 09:00-17:00 Europe/Berlin"


class Window(Value):
    """
    days    the days on which it opens, Monday is 0
    hours   when it opens and closes, in minutes since midnight; beyond a day: past midnight
    zone    `UTC`, minutes east of it as `+120`, or the name of a zone
    """

    days: tuple[int, ...]
    hours: tuple[tuple[int, int], ...]
    zone: str

    @property
    def offset(self) -> int | None:
        """Minutes east of UTC, where the words alone say it."""
        if self.zone == "UTC":
            return 0
        return int(self.zone) if self.zone[0] in "+-" else None


def parse_window(text: str) -> Window:
    """ValueError with what would be right."""
    words = text.split()
    days: tuple[int, ...] | None = None
    hours: tuple[tuple[int, int], ...] | None = None
    zone: str | None = None
    for word in words:
        if word[0].isdigit() and hours is None and zone is None:
            hours = tuple([_hours(part) for part in word.split(",")])
        elif word[:3].title() in DAYS and "/" not in word and days is None and hours is None and zone is None:
            days = tuple(sorted({day for part in word.split(",") for day in _days(part)}))
        elif zone is None:
            zone = _zone(word)
        else:
            raise ValueError(f"`{word}` stands where nothing is expected; such as `{_EXAMPLE}`")
    if days is None and hours is None:
        raise ValueError(f"days or hours are missing; such as `{_EXAMPLE}`")
    everyday = tuple(range(len(DAYS)))
    return Window(days=days or everyday, hours=hours or ((0, _DAY),), zone=zone or "UTC")


def is_open(window: Window, day: int, minute: int) -> bool:
    """Whether it is open on this day of the week, at this minute since midnight, in its own zone."""
    yesterday = (day - 1) % len(DAYS)
    return any(
        (day in window.days and begins <= minute < ends) or (yesterday in window.days and minute < ends - _DAY)
        for begins, ends in window.hours
    )


def _days(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    if first.title() not in DAYS or (dash and last.title() not in DAYS):
        raise ValueError(f"`{text}` is no day and no range of days; days are {', '.join(DAYS)}")
    start = DAYS.index(first.title())
    count = (DAYS.index(last.title()) - start) % len(DAYS) if dash else 0
    return [(start + at) % len(DAYS) for at in range(count + 1)]


def _hours(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    begins, ends = _minutes(first), _minutes(last)
    if not dash or begins is None or ends is None or begins == _DAY:
        raise ValueError(f"`{text}` is no range of hours, such as `09:00-17:00`")
    if begins == ends:
        raise ValueError(f"`{text}` begins when it ends; for a whole day leave the hours out")
    return begins, ends if ends > begins else ends + _DAY


def _minutes(text: str) -> int | None:
    hour, colon, minute = text.partition(":")
    if not colon or len(hour) not in (1, 2) or len(minute) != 2 or not _digits(hour + minute):
        return None
    total = int(hour) * 60 + int(minute)
    return total if int(minute) < 60 and total <= _DAY else None


def _zone(word: str) -> str:
    if word in ("UTC", "Z"):
        return "UTC"
    if word[0] in "+-":
        minutes = _minutes(word[1:])
        if minutes is None or minutes >= 15 * 60:
            raise ValueError(f"`{word}` is no offset from UTC, such as `+02:00`")
        return f"{word[0]}{minutes}"
    parts = word.split("/")
    if not all(_is_name(part) for part in parts) or not word[0].isalpha():
        raise ValueError(f"`{word}` is no zone: UTC, an offset such as `+02:00`, or a name such as `Europe/Berlin`")
    return word


def _is_name(part: str) -> bool:
    return bool(part) and part.isascii() and all(char.isalnum() or char in "_+-" for char in part)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
