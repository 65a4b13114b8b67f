"""ISO 8601 dates and moments, and sizes such as `512Mi`: as numbers that can be compared, or None."""

from __future__ import annotations

__all__ = ["TICKS", "days_of", "moment_of", "size_of"]

_DIGITS = 20  # of a second; a moment of 40 characters has no more
TICKS: int = 10**_DIGITS  # in a second

_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SIZES = {
    "": 1, "b": 1,
    "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12,
    "p": 10**15, "pb": 10**15, "e": 10**18, "eb": 10**18,
    "ki": 2**10, "kib": 2**10, "mi": 2**20, "mib": 2**20, "gi": 2**30, "gib": 2**30, "ti": 2**40, "tib": 2**40,
    "pi": 2**50, "pib": 2**50, "ei": 2**60, "eib": 2**60,
}  # fmt: skip


def days_of(text: str) -> int | None:
    """Days since the year 0 of a date such as `2026-11-15`; None if it is none."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return None
    year, month, day = text[:4], text[5:7], text[8:]
    if not (year + month + day).isdigit() or not 1 <= int(month) <= 12:
        return None
    y, m, d = int(year), int(month), int(day)
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    if not 1 <= d <= _MONTHS[m - 1] + (m == 2 and leap):
        return None
    before = y - 1
    return 365 * y + before // 4 - before // 100 + before // 400 + sum(_MONTHS[: m - 1]) + (m > 2 and leap) + d


def moment_of(text: str) -> tuple[str, int] | None:
    """What kind of moment it is, and its number: only moments of one kind can be compared.

    `day`: a date alone, in days. `zoned`: with an offset, in ticks UTC. `local`: without one.
    """
    days = days_of(text[:10])
    if days is None or len(text) > 40:
        return None
    if len(text) == 10:
        return "day", days
    if text[10] not in "Tt ":
        return None
    clock, kind, offset = _zone(text[11:])
    ticks = _clock(clock)
    if ticks is None or offset is None:
        return None
    return kind, (days * 86_400 - offset * 60) * TICKS + ticks


def _zone(text: str) -> tuple[str, str, int | None]:
    """The clock, the kind, and the offset in minutes."""
    if text[-1:] in ("Z", "z"):
        return text[:-1], "zoned", 0
    for sign in "+-":
        clock, mark, offset = text.partition(sign)
        if mark:
            hours, _, minutes = offset.partition(":")
            if not (len(hours) == len(minutes) == 2 and (hours + minutes).isdigit() and offset.isascii()):
                return clock, "zoned", None
            if int(hours) > 23 or int(minutes) > 59:
                return clock, "zoned", None
            return clock, "zoned", (int(hours) * 60 + int(minutes)) * (1 if sign == "+" else -1)
    return text, "local", 0


def _clock(text: str) -> int | None:
    whole, dot, fraction = text.partition(".")
    parts = whole.split(":")
    if len(parts) not in (2, 3) or any(len(part) != 2 or not part.isdigit() for part in parts) or not text.isascii():
        return None
    hours, minutes, seconds = (*map(int, parts), 0)[:3]
    if hours > 23 or minutes > 59 or seconds > 59 or (dot and (len(parts) == 2 or not fraction.isdigit())):
        return None
    return ((hours * 60 + minutes) * 60 + seconds) * TICKS + int(fraction.ljust(_DIGITS, "0") if dot else 0)


def size_of(text: str) -> int | float | None:
    """The bytes in `10`, `10MB`, `512Mi`, `1.5 GiB`; None if it is no size."""
    text = text.strip()
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = _SIZES.get(text[len(number) :].strip().lower())
    whole, dot, fraction = number.partition(".")
    if unit is None or not whole.isdigit() or not number.isascii() or len(number) > 20:
        return None
    if dot and not fraction.isdigit():
        return None
    return float(number) * unit if dot else int(whole) * unit
