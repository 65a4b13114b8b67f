"""The three verdicts and the four risks, each a closed scale whose join is `max`."""

from __future__ import annotations

from .value import TYPE_CHECKING, Scale

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

__all__ = ["Risk", "Verdict", "join"]


class Verdict(Scale, words="allow ask deny"):
    __slots__ = ()
    if TYPE_CHECKING:
        ALLOW: ClassVar[Verdict]
        ASK: ClassVar[Verdict]
        DENY: ClassVar[Verdict]


class Risk(Scale, words="low medium high critical"):
    __slots__ = ()
    if TYPE_CHECKING:
        LOW: ClassVar[Risk]
        MEDIUM: ClassVar[Risk]
        HIGH: ClassVar[Risk]
        CRITICAL: ClassVar[Risk]


def join(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest wins; nothing to say is `allow`. Order and duplicates do not matter."""
    return max(verdicts, default=Verdict.ALLOW)
