"""`[commands.NAME]`: a program in the user's own words, as plain data that makes a row of a table.

Checked word by word, and each problem told at its own key: a role or a tag that nobody knows would otherwise be taken
for data, and what the program does would go unseen. The examples of an entry are tried when the file is loaded.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value
from .schema import Field

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Path = tuple[str | int, ...]

__all__ = ["COMMAND", "SWITCH", "Trial", "command_entry"]

_ADDED = (
    Field(key="action", kind="text", tighter="", doc="The name of what it does, such as `deploy:site`."),
    Field(key="tags", kind="texts", tighter="", doc="Tags, such as `external` or `sends`."),
    Field(key="risk", kind="risk", tighter="", doc="Its risk."),
    Field(key="irreversible", kind="boolean", tighter="", doc="What it does cannot be taken back."),
)

COMMAND = (
    Field(
        key="effects", kind="effects", tighter="", doc="What a run of it does. Beside `commands`: without any of them.",
        required=True,
    ),
    Field(key="operands", kind="text", tighter="", doc="Roles of the operands in order, such as `read+ write`."),
    Field(key="options", kind="text", tighter="", doc="Its options, such as `-n -o|--output:write --host:host`."),
    *_ADDED,
    Field(key="compensator", kind="text", tighter="", doc="How to undo it, in words."),
    Field(key="dryrun", kind="text", tighter="", doc="Switches with which it only shows what it would do."),
    Field(
        key="stdin",
        kind="text",
        tighter="",
        doc="What becomes of standard input: `read` (default), `send`, or it is run: `code.sh`, `code.py`, …",
    ),
    Field(key="switches", kind="named tables", tighter="", doc="What an option adds when it is given, by its name."),
    Field(key="commands", kind="named tables", tighter="", doc="Sub-commands, each described like a program."),
    Field(
        key="matches",
        kind="command lines",
        tighter="",
        doc="Command lines that must be read as this entry says, with nothing left unread. Checked on loading.",
    ),
)  # fmt: skip

SWITCH = (
    Field(key="effects", kind="effects", tighter="", doc="What it does besides."),
    *_ADDED,
    Field(key="opaque", kind="text", tighter="", doc="Why nobody can tell what happens with it. It is asked about."),
)


class Trial(Value):
    """An example: where it stands, and the sub-commands of the entry that it is about."""

    path: Path
    words: tuple[str, ...]
    line: str


def command_entry(
    path: Path, entry: Any, table: Callable[[Path, Any, tuple[Field, ...]], dict[str, Any]], trials: list[Trial]
) -> dict[str, Any]:
    """The entry as plain data. `table` checks keys and kinds, and tells what is wrong."""
    done = {key: _plain(key, value) for key, value in table(path, entry, COMMAND).items()}
    words = (*[str(word) for word in path[1::2]],)
    for position, line in enumerate(done.pop("matches", ())):
        trials.append(Trial(path=(*path, "matches", position), words=words, line=line))
    for key, inside in (("switches", SWITCH), ("commands", None)):
        if key not in done:
            continue
        below: dict[str, Any] = {}
        for name, given in done[key].items():
            at = (*path, key, name)
            if inside is None:
                below[name] = FrozenMap(command_entry(at, given, table, trials))
            else:
                below[name] = FrozenMap({k: _plain(k, v) for k, v in table(at, given, inside).items()})
        done[key] = FrozenMap(below)
    return done


def _plain(key: str, value: Any) -> Any:
    return tuple(effect.name for effect in value) if key == "effects" else getattr(value, "name", value)
