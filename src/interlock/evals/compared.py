"""Other gates' own expectations, row by row against the one layer of ours that does the same.

Here a row is not a call under the shipped policy: it brings a registry or a manifest of its own. So it is decided by
the public facade or by an imported policy, and compared; words for a reason are not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from ..model.errors import InputError
from ..value import Value
from .inspector import inspected
from .manifests import classified, moved

__all__ = ["COMPARED", "Comparison", "Row", "compare"]

Row = dict[str, Any]

# file -> figure, title, what is expected and what came out for one row
COMPARED: Mapping[str, tuple[str, str, Callable[[Row], tuple[Any, Any]]]] = {
    "signet_tool_call_inspector.jsonl": ("signet.inspector", "signet's inspector, decisions equal", inspected),
    "spine_lite_decisions.jsonl": ("spine.decisions", "spine's manifests, decisions equal", classified),
    "spine_lite_posture_transitions.jsonl": ("spine.postures", "spine's posture moves equal", moved),
}


class Comparison(Value):
    line: int
    equal: bool
    shown: str  # where they differ: what was expected, and what came out


def compare(path: str) -> tuple[Comparison, ...]:
    """Every row of the file. One that cannot be taken differs: nothing is left out."""
    judge = COMPARED[os.path.basename(path)][2]
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"`{path}` could not be read: {error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            expected, got = judge(json.loads(line))
        except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
            expected, got = "a row of this file", f"{type(error).__name__}: {error}"
        found.append(Comparison(line=number, equal=expected == got, shown=f"{expected} expected, {got} given"))
    return tuple(found)
