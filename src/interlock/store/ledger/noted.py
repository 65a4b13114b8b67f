"""What a person changed beside the ledger, as a row of it: a posture that was set, a project that is trusted.

What loosens is written down before it holds, so that nothing holds of which no row tells. What tightens holds at
once, also where it cannot be written down: a damaged ledger must not keep a person from locking an agent out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...bytes.canon import canonical
from ...model.errors import StoreError
from ...model.essence import essence_of
from ..facts.watch import written_by_a_person
from ..home.folders import Folders
from .ledger import Ledger

if TYPE_CHECKING:
    from ..facts.watch import Describe

__all__ = ["changed_by_a_person"]


def changed_by_a_person(
    folders: Folders,
    kind: str,
    key: str,
    said: Mapping[str, Any],
    change: Callable[[], object],
    *,
    loosens: bool,
    files: tuple[str, ...] = (),
    describe: Describe = lambda path, raw: (essence_of(path, raw), {}),
) -> str | None:
    """Makes the change and keeps a row of it; why there is none, where what tightens could not be kept.

    `files` are what the change writes: sessions at work take their new contents as known. `describe` tells what of
    them counts, as a session's comparison does.
    """
    if loosens:
        _append(folders, kind, key, said)
        change()
    else:
        change()
        try:
            _append(folders, kind, key, said)
        except StoreError as error:
            return str(error)
    if files:
        with suppress(StoreError):  # without that row a session asks about the change
            _written(folders, files, describe)
    return None


def _written(folders: Folders, files: tuple[str, ...], describe: Describe) -> None:
    ledger = Ledger(folders.ledger, front="cli")
    try:
        with ledger.deciding() as turn:
            written_by_a_person(turn, files, describe)
    finally:
        ledger.close()


def _append(folders: Folders, kind: str, key: str, said: Mapping[str, Any]) -> None:
    ledger = Ledger(
        folders.ledger, front="cli:posture" if kind == "posture" else "cli:trust" if key == "trust" else "cli"
    )
    try:
        with ledger.deciding() as turn:
            turn.append(kind, canonical(said), key=key, durable=True)
    finally:
        ledger.close()
