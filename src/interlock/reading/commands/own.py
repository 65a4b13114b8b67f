"""Programs that the user describes in `[commands.NAME]`, in the words of the built-in tables.

An entry for a program that we know stands in place of our own row, but for the floor: nothing lifts that, and so not
an entry that says of `rm` or `sudo` that it does nothing.
"""

from __future__ import annotations

from ...action import changes_guard, is_catastrophe, reads_guard_secret
from ...effects import Effect
from ...value import TYPE_CHECKING
from ...verdict import Risk
from .options import compiled
from .spec import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..evaluate.state import Found

__all__ = ["only_floor", "own_row", "own_rows"]


def own_row(name: str, entry: Mapping[str, Any]) -> Program:
    """A row; ValueError with what is wrong where the words make none."""
    if not name.strip() or "/" in name or any(char.isspace() for char in name):
        raise ValueError("a program is named without blanks and slashes")
    row = Program(
        name=name,
        operands=entry.get("operands", "text*"),
        options=entry.get("options", ""),
        action=entry.get("action", f"exec:{name}"),
        effects=tuple([Effect.of(effect) for effect in entry.get("effects", ())]),
        tags=tuple(entry.get("tags", ())),
        risk=Risk.of(entry.get("risk", "low")),
        irreversible=entry.get("irreversible", False),
        compensator=entry.get("compensator"),
        dryrun=entry.get("dryrun", ""),
    )
    for option in row.options.split():
        if not option.startswith("-"):
            raise ValueError(f"`{option[:40]}` in `options` does not begin with a dash")
    compiled(row)
    return row


def own_rows(commands: Mapping[str, Mapping[str, Any]]) -> dict[str, Program]:
    return {name: own_row(name, entry) for name, entry in commands.items()}


def only_floor(found: Found, follow: Callable[..., object], *what: object) -> None:
    """Follows a program by our own row, and keeps of it what the floor looks at."""
    actions, opaque, blamed = len(found.actions), len(found.opaque), len(found.blamed)
    programs = 0 if found.programs is None else len(found.programs)
    follow(*what)
    floor = (changes_guard, is_catastrophe, reads_guard_secret)
    kept = [action for action in found.actions[actions:] if any(test(action) for test in floor)]
    found.actions[actions:] = kept
    del found.opaque[opaque:], found.blamed[blamed:]
    if found.programs is not None:
        del found.programs[programs:]
