"""The posture that a person set for a project, kept between sessions."""

from __future__ import annotations

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...model.posture import Posture
from ...value import TYPE_CHECKING
from .files import DISK, write_file

if TYPE_CHECKING:
    from .files import Disk
    from .folders import Folders

__all__ = ["keep_posture", "read_posture"]


def read_posture(folders: Folders, root: str, disk: Disk = DISK) -> Posture | None:
    """What was set for this project, if anything. StoreError where that cannot be told."""
    name = _read(folders, disk).get(root)
    if name is None:
        return None
    try:
        return Posture.of(name)
    except ValueError:
        raise StoreError(f"`{folders.postures}` holds an unknown posture for {root}") from None


def keep_posture(folders: Folders, root: str, posture: Posture) -> None:
    write_file(folders.postures, canonical({**_read(folders, DISK), root: posture.name}) + b"\n")


def _read(folders: Folders, disk: Disk) -> dict[str, str]:
    raw = disk.read(folders.postures, limit=MAX_STATE_BYTES)
    if raw is None:
        return {}
    try:
        kept = parse_object(raw, limit=MAX_STATE_BYTES)
    except InputError as error:
        raise StoreError(f"`{folders.postures}` could not be read: {error}") from None
    return {root: str(name) for root, name in kept.items()}
