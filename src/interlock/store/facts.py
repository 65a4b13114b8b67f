"""Looks up what the reading is missing. Facts only grow; what cannot be had stays missing."""

from __future__ import annotations

from ..limits import MAX_FACT_ROUNDS
from ..reading.read import read_parts, reading_of
from ..value import TYPE_CHECKING, FrozenMap
from .links import follow

if TYPE_CHECKING:
    from ..action import Reading
    from ..call import Call
    from ..facts import Facts

__all__ = ["gather", "read_with_facts"]


def read_with_facts(call: Call, facts: Facts) -> Reading:
    """Read, gather what is missing, read again; at most a few rounds."""
    part = read_parts(call, facts)
    for _ in range(MAX_FACT_ROUNDS):
        if not part[2]:
            break
        more = gather(part[2], facts)
        if more is None:
            break
        facts = more
        part = read_parts(call, facts)
    return reading_of(call, part)


def gather(missing: tuple[str, ...], facts: Facts) -> Facts | None:
    """The facts with what could be found out added; None if that is nothing."""
    real: dict[str, str] = {}
    absent: set[str] = set()
    for want in missing:
        kind, _, path = want.partition(":")
        if kind != "real":
            continue
        try:
            real[path], there = follow(path)
        except (OSError, ValueError):
            continue
        if not there:
            absent.add(path)
    if not real:
        return None
    return facts.replace(real=FrozenMap({**facts.real, **real}), absent=facts.absent.union(absent))
