"""How long something is permitted, as a person writes it: `30m`, `2h`, `7d`, `until 2026-12-01` or `ever`."""

from __future__ import annotations

import datetime

from ..model.errors import InputError

__all__ = ["end_of", "milliseconds"]

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def milliseconds(lasting: str) -> int:
    """From now on; 0: without an end."""
    end = end_of(lasting)
    return max(1, end - int(datetime.datetime.now(datetime.UTC).timestamp() * 1000)) if end else 0


def end_of(lasting: str) -> int:
    """The moment in milliseconds since 1970; 0: none."""
    if lasting == "ever":
        return 0
    now = datetime.datetime.now(datetime.UTC)
    number, unit = lasting[:-1], _UNITS.get(lasting[-1:])
    if unit is not None and number.isascii() and number.isdigit() and 0 < int(number) <= 9999:
        return int((now + datetime.timedelta(**{unit: int(number)})).timestamp() * 1000)
    try:
        text = lasting.removeprefix("until ").strip()
        end = datetime.datetime.fromisoformat(text)
        if len(text) == len("2026-12-01"):
            end = end.replace(hour=23, minute=59, second=59)
        end = end if end.tzinfo else end.replace(tzinfo=datetime.UTC)
    except ValueError:
        raise InputError(f"`{lasting}` is not a time; write 30m, 2h, 7d, 'until 2026-12-01' or ever") from None
    if end <= now:
        raise InputError(f"`{lasting}` is over already")
    return int(end.timestamp() * 1000)
