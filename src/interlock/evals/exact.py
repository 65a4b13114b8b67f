"""A reading as lines of text, with everything in it that a verdict can depend on: one line an action or opaque part.

Two readings are equal if their lines are. Tests keep the lines of every case, a baseline keeps a short digest of them,
and `interlock eval diff` compares them part by part. Spans are left out: where a word stands changes the evidence, not
what would happen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ..model.action import Action, Broken, Opaque
from ..model.effects import effect_names
from ..model.verdict import Risk

__all__ = ["PARTS", "action_line", "reading_lines", "short_digest"]

PARTS = " · "  # between the parts of a line
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@~+%,*")


def reading_lines(
    actions: Iterable[Action], opaque: Iterable[Opaque], broken: Iterable[Broken] = ()
) -> tuple[str, ...]:
    """The actions in their order, then what was not understood, then what contracts prove."""
    return (
        *[action_line(action) for action in actions],
        *[f"opaque: {_on_one_line(part.reason)}" for part in opaque],
        *[f"broken: {part.contract} {part.level}: {_on_one_line(part.text)}" for part in broken],
    )


def action_line(action: Action) -> str:
    """`git:push remote=origin · effects network · tags external sends`; what is low, empty or no is left out."""
    parts = [" ".join([action.name, *(f"{field}={_value(value)}" for field, value in action.target.items())])]
    if action.effects:
        parts.append(" ".join(["effects", *effect_names(action.effects)]))
    if action.tags:
        parts.append(" ".join(["tags", *sorted(action.tags)]))
    if action.risk is not Risk.LOW:
        parts.append(f"risk {action.risk.name}")
    if action.irreversible:
        parts.append("irreversible")
    if action.compensator is not None:
        parts.append(f"undone by {_on_one_line(action.compensator)}")
    return PARTS.join(parts)


def short_digest(lines: Iterable[str]) -> str:
    """Six hexadecimal digits: two readings that differ have the same ones once in 16 million times."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _value(value: Any) -> str:
    if isinstance(value, str) and value and _PLAIN.issuperset(value):
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _on_one_line(text: str) -> str:
    return text.replace("\n", "\\n").replace("\r", "\\r")
