"""Where a page of a list ends, as a text that is handed back for the next page. What it holds is ours to change."""

from __future__ import annotations

import base64
import re

from .errors import RefusedError

__all__ = ["cursor_of", "place_in"]

_SHAPE = re.compile(r"([a-z]+):(\d{1,18}):(\d{1,18})")


def cursor_of(list: str, place: tuple[int, int]) -> str:
    """`place` is the last one on the page, by what the list is sorted by."""
    return base64.urlsafe_b64encode(f"{list}:{place[0]}:{place[1]}".encode()).decode().rstrip("=")


def place_in(cursor: str, list: str) -> tuple[int, int]:
    """RefusedError for a text that is no cursor of this list."""
    try:
        found = _SHAPE.fullmatch(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii"))
    except ValueError:
        found = None
    if found is not None and found[1] == list:
        place = int(found[2]), int(found[3])
        if cursor == cursor_of(list, place):
            return place
    raise RefusedError("bad_request", "`cursor` is none that this list gave; begin again without it")
