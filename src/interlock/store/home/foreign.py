"""Which hosts a person leaves alone that call our hooks and that we have no file for.

`~/.local/state/interlock/foreign.json`, guarded as our own files are. A file that cannot be read leaves nobody alone.
"""

from __future__ import annotations

from ...bytes.canon import canonical, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...value import TYPE_CHECKING
from .files import read_file, write_file

if TYPE_CHECKING:
    from ..ledger.ledger import Turn
    from .folders import Folders

__all__ = ["foreign_file", "keep_call", "keep_left_alone", "left_alone"]


def foreign_file(folders: Folders) -> str:
    return folders.state + "/foreign.json"


def left_alone(folders: Folders) -> tuple[str, ...]:
    try:
        raw = read_file(foreign_file(folders), limit=MAX_STATE_BYTES)
        return () if raw is None else tuple([name for name, is_so in parse_object(raw).items() if is_so is True])
    except (InputError, StoreError, OSError):
        return ()


def keep_left_alone(folders: Folders, names: tuple[str, ...]) -> None:
    write_file(foreign_file(folders), canonical(dict.fromkeys(sorted(names), True)) + b"\n")


def keep_call(turn: Turn, *, caller: str, through: str, tool: str, raw: bytes, passes: bool) -> None:
    """One row for each call of such a host: that it was made, and not what is in it."""
    body = {
        "caller": caller,
        "digest": digest_of_bytes(raw),
        "says": "left alone" if passes else "foreign",
        "through": through,
        "tool": tool,
    }
    turn.append("watch", canonical(body), key=f"foreign:{caller}")
