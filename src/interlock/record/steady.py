"""What a failed call said, without what differs each time: how long it took, at which address, at what time of day.

A test run that fails the same way in 0.12 s and in 0.13 s has come to the same. Only failures are compared so: what a
call that succeeds prints may be all about such numbers.
"""

from __future__ import annotations

from ..limits import MAX_STEADY_CHARS

__all__ = ["steady"]

_VARIES = (
    r"\b\d+(?:\.\d+)?[ ]?(?:ns|us|\u00b5s|ms|s|secs?|seconds?)\b"  # it took
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"  # at
    r"|\b0x[0-9a-fA-F]{6,16}\b"  # an object's address
)


def steady(text: str) -> str:
    """The text to compare. One that is too long to look through stays as it is."""
    if len(text) > MAX_STEADY_CHARS:
        return text
    import re

    return re.sub(_VARIES, "#", text)
