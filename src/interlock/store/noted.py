"""What a person changed beside the ledger, as a row of it: a posture that was set, a project that is trusted.

What loosens is written down before it holds, so that nothing holds of which no row tells. What tightens holds at
once, also where it cannot be written down: a damaged ledger must not keep a person from locking an agent out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import StoreError
from ..record.canon import canonical
from .folders import Folders
from .ledger import Ledger

__all__ = ["changed_by_a_person"]


def changed_by_a_person(
    folders: Folders, kind: str, key: str, said: Mapping[str, Any], change: Callable[[], object], *, loosens: bool
) -> str | None:
    """Makes the change and keeps a row of it; why there is none, where what tightens could not be kept."""
    if loosens:
        _append(folders, kind, key, said)
        change()
        return None
    change()
    try:
        _append(folders, kind, key, said)
    except StoreError as error:
        return str(error)
    return None


def _append(folders: Folders, kind: str, key: str, said: Mapping[str, Any]) -> None:
    ledger = Ledger(folders.ledger)
    try:
        with ledger.deciding() as turn:
            turn.append(kind, canonical(said), key=key, durable=True)
    finally:
        ledger.close()
