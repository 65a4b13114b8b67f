"""Looks up what the reading is missing. Facts only grow; what cannot be had stays missing."""

from __future__ import annotations

import os

from ..limits import MAX_FACT_ROUNDS
from ..reading.read import read_call
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from ..action import Reading
    from ..call import Call
    from ..facts import Facts

__all__ = ["gather", "read_with_facts"]


def read_with_facts(call: Call, facts: Facts) -> Reading:
    """Read, gather what is missing, read again; at most a few rounds."""
    reading = read_call(call, facts)
    for _ in range(MAX_FACT_ROUNDS):
        if not reading.missing:
            break
        more = gather(reading.missing, facts)
        if more == facts:
            break
        facts = more
        reading = read_call(call, facts)
    return reading


def gather(missing: tuple[str, ...], facts: Facts) -> Facts:
    real = dict(facts.real)
    absent = set(facts.absent)
    for want in missing:
        kind, _, path = want.partition(":")
        if kind != "real":
            continue
        try:
            real[path] = os.path.realpath(path)
            os.lstat(real[path])
        except (FileNotFoundError, NotADirectoryError):
            absent.add(path)
        except (OSError, ValueError):
            real.pop(path, None)
    return facts.replace(real=FrozenMap(real), absent=frozenset(absent))
