"""What changed between two results: every case, and every figure, the worse ones first.

Worse is a case that lowers a figure which it did not lower before. A verdict that moved without touching a figure is
looser or stricter, and a reading that moved under the same verdict is told as that. Where one side is a baseline, its
rows have no ids and no readings: they are the other side's, at the same place of the same file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..value import Value
from .exact import PARTS
from .results import Classes, Kept, KeptRow

__all__ = ["KINDS", "Change", "Changes", "Moved", "changes_between", "changes_to_wire", "part_changes"]

# kind -> what it says, in the order in which they are shown
KINDS = {
    "worse": "lower a figure that they did not lower before",
    "looser": "have a looser verdict",
    "stricter": "have a stricter verdict",
    "better": "no longer lower a figure",
    "reading": "are read differently, with the same verdict",
    "wording": "only say differently why a part is opaque",
    "new": "are new",
    "gone": "are gone",
}
_ORDER = ("", "allow", "ask", "deny", "error")
_EPSILON = 1e-9


class Change(Value):
    """`before` and `after` are None where the case is new or gone."""

    kind: str
    file: str
    group: str
    id: str
    before: KeptRow | None
    after: KeptRow | None


class Moved(Value):
    """A figure, or the share of a class that lowers one."""

    name: str
    before: str
    after: str
    worse: bool


class Changes(Value):
    """`not_compared`: files that only one side has, or whose source is another one."""

    cases: tuple[Change, ...]
    figures: tuple[Moved, ...]
    classes: tuple[Moved, ...]
    not_compared: tuple[str, ...]

    @property
    def worse(self) -> bool:
        return any(change.kind == "worse" for change in self.cases) or any(
            moved.worse for moved in (*self.figures, *self.classes)
        )


def changes_between(before: Kept, after: Kept) -> Changes:
    cases: list[Change] = []
    classes: list[Moved] = []
    not_compared: list[str] = []
    for name in dict.fromkeys([*before.rows, *after.rows]):
        if name not in before.rows or name not in after.rows:
            not_compared.append(f"{name}: only {'after' if name in after.rows else 'before'}")
            continue
        one, two = before.rows[name], after.rows[name]
        if not _by_id(one) or not _by_id(two):
            if before.sources[name] != after.sources[name] or len(one) != len(two):
                not_compared.append(f"{name}: the file is not the one that the baseline was made from")
                continue
        cases += _cases(name, one, two)
        classes += _classes(name, before.classes[name], after.classes[name])
    order = list(KINDS)
    cases.sort(key=lambda change: order.index(change.kind))
    return Changes(
        cases=tuple(cases),
        figures=tuple(_figures(before, after)),
        classes=tuple(classes),
        not_compared=tuple(not_compared),
    )


def _by_id(rows: tuple[KeptRow, ...]) -> bool:
    return not rows or bool(rows[0].id)


def _cases(name: str, one: tuple[KeptRow, ...], two: tuple[KeptRow, ...]) -> Iterator[Change]:
    pairs: list[tuple[KeptRow | None, KeptRow | None]]
    if _by_id(one) and _by_id(two):
        old = {row.id: row for row in one}
        new = {row.id: row for row in two}
        pairs = [(old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    else:
        pairs = list(zip(one, two, strict=True))
    for was, now in pairs:
        kind = _kind(was, now)
        if kind is not None:
            named = now if now is not None and (now.id or was is None) else was
            assert named is not None  # noqa: S101 - a pair has at least one side
            yield Change(kind=kind, file=name, group=named.group, id=named.id, before=was, after=now)


def _kind(was: KeptRow | None, now: KeptRow | None) -> str | None:
    if was is None or now is None:
        return "new" if was is None else "gone"
    if _more(was, now):
        return "worse"
    if _more(now, was):
        return "better"
    if was.verdict != now.verdict:
        return "looser" if _ORDER.index(now.verdict) < _ORDER.index(was.verdict) else "stricter"
    if was.digest == now.digest:
        return None
    if was.lines is not None and now.lines is not None and _understood(was) == _understood(now):
        return "wording" if len(was.lines) == len(now.lines) else "reading"
    return "reading"


def _more(was: KeptRow, now: KeptRow) -> bool:
    """Whether it lowers a figure that it did not lower. A baseline knows only whether there was one."""
    if was.lines is None or now.lines is None:
        return bool(now.lowers) and not was.lowers
    return bool(set(now.lowers) - set(was.lowers))


def _understood(row: KeptRow) -> list[str]:
    return [line for line in row.lines or () if not line.startswith("opaque: ")]


def _figures(before: Kept, after: Kept) -> Iterator[Moved]:
    for key, was in before.figures.items():
        now = after.figures.get(key)
        if now is None or was.value is None or now.value is None or abs(was.value - now.value) < _EPSILON:
            continue
        worse = now.value < was.value if was.better == "higher" else now.value > was.value
        yield Moved(name=key, before=was.shown, after=now.shown, worse=worse)


def _classes(name: str, old: Classes, new: Classes) -> Iterator[Moved]:
    for group in old:
        was, now = old[group], new.get(group)
        if now is not None and was != now:
            worse = now["lower"] / now["cases"] > was["lower"] / was["cases"] + _EPSILON
            yield Moved(name=f"{name} · {group or '-'}", before=_counts(was), after=_counts(now), worse=worse)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {word}" for word, count in counts.items())


def part_changes(change: Change) -> list[str]:
    """What moved in the reading, as lines: `+` and `-` an action or opaque part, `~` parts of an action that stayed."""
    if change.before is None or change.after is None or change.before.lines is None or change.after.lines is None:
        return []
    gone = _without(change.before.lines, change.after.lines)
    come = _without(change.after.lines, change.before.lines)
    told = []
    for line in gone:
        name = _name(line)
        twin = next((other for other in come if _name(other) == name and not line.startswith("opaque: ")), None)
        if twin is None:
            told.append(f"- {line}")
            continue
        come.remove(twin)
        was, now = _parts(line), _parts(twin)
        left = " · ".join(part for part in was if part not in now) or "nothing"
        right = " · ".join(part for part in now if part not in was) or "nothing"
        told.append(f"~ {name}: {left} → {right}")
    return [*told, *(f"+ {line}" for line in come)]


def _without(lines: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    left = Counter(others)
    found = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            found.append(line)
    return found


def _name(line: str) -> str:
    return line.partition(PARTS)[0].partition(" ")[0]


def _parts(line: str) -> list[str]:
    head, *parts = line.split(PARTS)
    return [*head.split(" ")[1:], *parts]


def changes_to_wire(changes: Changes) -> dict[str, Any]:
    """`interlock eval diff --json`."""
    kinds = Counter(change.kind for change in changes.cases)
    return {
        "worse": changes.worse,
        "counts": {kind: kinds[kind] for kind in KINDS},
        "figures": [moved.as_dict() for moved in changes.figures],
        "classes": [moved.as_dict() for moved in changes.classes],
        "cases": [
            {
                "kind": change.kind,
                "file": change.file,
                "class": change.group,
                "id": change.id,
                "before": _side(change.before),
                "after": _side(change.after),
                "reading": part_changes(change),
            }
            for change in changes.cases
        ],
        "not_compared": list(changes.not_compared),
    }


def _side(row: KeptRow | None) -> dict[str, Any] | None:
    return None if row is None else {"verdict": row.verdict, "lowers": list(row.lowers), "digest": row.digest}
