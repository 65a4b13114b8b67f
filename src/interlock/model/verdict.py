"""The three verdicts, the four risks and the three strengths, each a closed scale whose join is `max`."""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

__all__ = ["Risk", "Strength", "Verdict", "join"]


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


class Strength(Scale, words="weak medium strong"):
    """How sure it is that a person said it (docs/approvers.md).

    weak    a program of the agent's user could have said it: a terminal, the host's dialog
    medium  signed with a key on this machine that has a passphrase
    strong  signed with a key that the agent's user cannot use: one in hardware
    """

    __slots__ = ()
    if TYPE_CHECKING:
        WEAK: ClassVar[Strength]
        MEDIUM: ClassVar[Strength]
        STRONG: ClassVar[Strength]


def join(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest wins; nothing to say is `allow`. Order and duplicates do not matter."""
    return max(verdicts, default=Verdict.ALLOW)
