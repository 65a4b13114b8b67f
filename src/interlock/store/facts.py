"""Looks up what the reading is missing. Facts only grow; what cannot be had stays missing."""

from __future__ import annotations

from ..errors import StoreError
from ..limits import MAX_FACT_ROUNDS, MAX_SCRIPT_BYTES
from ..reading.read import read_parts, reading_of
from ..reading.tools import likely_missing
from ..value import TYPE_CHECKING, FrozenMap
from .files import read_file
from .links import follow

if TYPE_CHECKING:
    from ..action import Reading
    from ..call import Call
    from ..facts import Facts

__all__ = ["gather", "read_with_facts"]


def read_with_facts(call: Call, facts: Facts) -> Reading:
    """Read, gather what is missing, read again; at most a few rounds."""
    likely = likely_missing(call, facts)
    if likely:
        facts = gather(likely, facts) or facts
    part = read_parts(call, facts)
    for _ in range(MAX_FACT_ROUNDS):
        if not part[2]:
            break
        more = gather(part[2], facts)
        if more is None:
            break
        facts = more
        part = read_parts(call, facts)
    return reading_of(call, part, facts)


def gather(missing: tuple[str, ...], facts: Facts) -> Facts | None:
    """The facts with what could be found out added; None if that is nothing."""
    real: dict[str, str] = {}
    absent: set[str] = set()
    scripts: dict[str, str] = {}
    for want in missing:
        kind, _, path = want.partition(":")
        if kind == "script":
            text = _script(path)
            if text is not None:
                scripts[path] = text
            continue
        if kind != "real":
            continue
        try:
            real[path], there = follow(path)
        except (OSError, ValueError):
            continue
        if not there:
            absent.add(path)
    if not real and not scripts:
        return None
    return facts.replace(
        real=FrozenMap({**facts.real, **real} if facts.real else real),
        absent=facts.absent.union(absent) if absent else facts.absent,
        scripts=FrozenMap({**facts.scripts, **scripts}) if scripts else facts.scripts,
    )


def _script(path: str) -> str | None:
    """The text of a script, if it is a plain file of a bearable size and is text."""
    try:
        raw = read_file(path, limit=MAX_SCRIPT_BYTES)
        return None if raw is None or b"\0" in raw else raw.decode()
    except (StoreError, UnicodeDecodeError):
        return None
