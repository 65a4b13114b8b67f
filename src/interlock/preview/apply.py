"""Applying a preview: nothing below has changed, every path is judged as a write, then all of it or nothing.

The judgement is the engine's, as for any call: `calls_for` makes the calls, whose receipts bind the digest of the
changes. An approval of such a call can be redeemed by applying alone, because nobody else makes that call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..bytes.canon import canonical
from ..bytes.redact import redact
from ..model.call import Call
from ..model.errors import ApprovalError, StoreError
from ..store.home.folders import Folders
from ..value import FrozenMap
from .below import marks_below, names_that_changed
from .changes import Change
from .commit import commit, finish
from .journal import Journal, journals_left
from .kept import Preview, forget

if TYPE_CHECKING:
    from ..store.ledger.ledger import Ledger

__all__ = ["calls_for", "discard", "finish_all", "put_in_place", "record", "why_not_applied"]

_AT_ONCE = 500  # paths that one call names
_SHOWN = 5
_HEADERS = {"added": "Add", "removed": "Delete", "changed": "Update", "mode": "Update"}


def why_not_applied(preview: Preview) -> str | None:
    """Why it cannot be applied, whatever is decided about it; None where it can."""
    if preview.found.hindrances:
        return "; ".join(preview.found.hindrances[:_SHOWN])
    moved = names_that_changed(preview.below, marks_below(preview.order.root))
    if moved:
        names = ", ".join(f"`{ascii(name)[1:-1] or '.'}`" for name in moved[:_SHOWN])
        more = f" and {len(moved) - _SHOWN} more" if len(moved) > _SHOWN else ""
        return f"the project has changed since the command ran: {names}{more}; preview it again"
    return None


def calls_for(preview: Preview) -> list[Call]:
    """Each changed path, as the writes and deletes of patches."""
    changes = preview.found.changes
    parts = [changes[at : at + _AT_ONCE] for at in range(0, len(changes), _AT_ONCE)]
    return [
        Call(
            tool="Patch",
            input=FrozenMap({"patch": "\n".join(["*** Begin Patch", *_lines(part), "*** End Patch"])}),
            cwd=preview.order.root,
            preview=preview.found.digest,
        )
        for part in parts
    ]


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        yield f"*** {_HEADERS[change.kind]} File: {change.path}"
        if change.after is not None:
            after = change.after
            yield f"+{after.kind} {after.mode:04o} {after.digest or ascii(after.target)}".rstrip()


def put_in_place(preview: Preview, folders: Folders) -> None:
    """StoreError where nothing was applied. Whoever calls this has asked the engine."""
    why = why_not_applied(preview)
    if why is not None:
        raise ApprovalError(why)
    journal = Journal(f"{folders.state}/previews/{preview.id}.journal")
    commit(preview.order.root, preview.found.changes, preview.below, preview.stage, journal)


def finish_all(folders: Folders) -> list[str]:
    """What a killed process has left half done, brought to its end. What to tell the person."""
    said = []
    for journal in journals_left(f"{folders.state}/previews"):
        try:
            ended = finish(journal)
        except (StoreError, OSError) as error:
            said.append(f"an apply that was interrupted could not be finished: {error}")
            continue
        said.append(f"an apply that was interrupted has been {ended}")
    return said


def discard(preview: Preview) -> None:
    forget(preview)


def record(ledger: Ledger, preview: Preview, says: str, more: dict[str, Any]) -> None:
    """`says`: ran, applied, denied, discarded."""
    body = {
        "changes": len(preview.found.changes),
        "command": redact(preview.order.command)[:2000],
        "digest": preview.found.digest,
        "exit": preview.told.get("exit"),
        "root": preview.order.root,
        "says": says,
        **({"approval": preview.approval} if preview.approval else {}),
        **more,
    }
    with ledger.deciding() as turn:
        turn.append("preview", canonical(body), key=preview.id, session="")
