"""What a person does to the ledger as a whole: sign a checkpoint, prune old rows, start anew after damage."""

from __future__ import annotations

import os
import time
from typing import Any

from ..errors import InputError, StoreError
from ..limits import MAX_STATE_BYTES
from ..record.canon import canonical
from ..record.chain import Damage
from ..record.redact import redact
from ..record.strict import parse_object
from . import sql
from .approvers import KEYS
from .files import read_file, write_file
from .folders import Folders
from .heads import head_file, read_head, write_head
from .ledger import Ledger, Turn
from .signing import Signer
from .verify import checkpoints_file, verify, verify_but_for_head

__all__ = ["checkpoint", "prune", "restart", "restore_head"]

_FRONT = "cli:audit"
_MAY_GO_ON = 30 * 24 * 3600 * 1000  # a session that decided something since then may be resumed by its host


def checkpoint(folders: Folders) -> dict[str, Any]:
    """Signs the chain as it is now, as a row of it and as a line outside the database."""
    signer = Signer(folders)
    ledger = Ledger(folders.ledger, front=_FRONT)
    try:
        with ledger.deciding() as turn:
            if turn.seq == 0:
                raise InputError("the ledger is empty; there is nothing to sign")
            said = signer.signed(
                {"at": ledger.clock(), "front": _FRONT, "hash": turn.hash, "seq": turn.seq, "says": "checkpoint"}
            )
            turn.append("checkpoint", canonical(said), key=signer.id)
    finally:
        ledger.close()
    path = checkpoints_file(folders)
    write_file(path, (read_file(path, limit=MAX_STATE_BYTES) or b"") + canonical(said) + b"\n")
    return said


def prune(folders: Folders, *, keep: int | None = None, before: int | None = None) -> dict[str, Any] | None:
    """Removes the oldest rows and leaves a signed stub that says which; None where there was nothing to remove.

    The newest row stays, so do rows that a live grant or an open approval comes from, policies that later rows
    name, and what is kept of sessions that may go on. A ledger that does not verify is not touched: what is left of it
    is evidence.
    """
    walked = verify(folders)
    if walked.damage is not None:
        raise StoreError(f"nothing was removed: {_told(walked.damage)}")
    signer = Signer(folders)
    ledger = Ledger(folders.ledger, front=_FRONT)
    try:
        with ledger.deciding() as turn:
            first, last = _range(turn, keep, before)
            if last < first:
                return None
            stub = _stub(turn, signer, first, last, ledger.clock())
            for name, body in _policies_still_named(turn, last):
                turn.append("policy", body, key=name)
            _carry_sessions(turn, last)
            _carry_keys(turn, last)
            turn.append("pruned", canonical(stub), key=signer.id)
            turn.database.run("DELETE FROM sessions WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM grants WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM approvals WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM ledger WHERE seq <= ?", (last,))
        ledger.database.forget_deleted()
    finally:
        ledger.close()
    return stub


def _told(damage: Damage) -> str:
    where = f"the ledger is damaged at row {damage.seq} ({damage.kind}): " if damage.kind != "unavailable" else ""
    return where + damage.text


def _range(turn: Turn, keep: int | None, before: int | None) -> tuple[int, int]:
    database = turn.database
    first = (database.row("SELECT MIN(seq) FROM ledger") or (0,))[0] or 0
    last = turn.seq - 1
    if keep is not None:
        last = min(last, turn.seq - keep)
    if before is not None:
        young = database.row("SELECT MIN(seq) FROM ledger WHERE at >= ?", (before,))
        if young is not None and young[0] is not None:
            last = min(last, young[0] - 1)
    live = """SELECT MIN(seq) FROM grants
        WHERE ended = 0 AND (expires = 0 OR expires > ?) AND (uses = 0 OR used < uses)"""
    held = database.row(live, (turn.at,))
    if held is not None and held[0] is not None:
        last = min(last, held[0] - 1)
    waiting = """SELECT MIN(seq) FROM approvals
        WHERE status IN ('pending', 'approved') AND (expires = 0 OR expires > ?)"""
    asked = database.row(waiting, (turn.at,))
    if asked is not None and asked[0] is not None:
        last = min(last, asked[0] - 1)
    return (first, last) if first else (1, 0)


def _stub(turn: Turn, signer: Signer, first: int, last: int, at: int) -> dict[str, Any]:
    row = turn.database.row("SELECT hash FROM ledger WHERE seq = ?", (last,))
    if row is None:
        raise StoreError(f"row {last} is missing; nothing was removed")
    said = {
        "at": at,
        "count": last - first + 1,
        "from": first,
        "front": _FRONT,
        "last": row[0],
        "says": "pruned",
        "to": last,
    }
    return signer.signed(said)


def _policies_still_named(turn: Turn, last: int) -> list[tuple[str, bytes]]:
    """Policies whose only row goes although a decision that stays names them."""
    going = "SELECT key, body FROM ledger WHERE kind = 'policy' AND seq <= ?"
    later = "SELECT key FROM ledger WHERE kind = 'policy' AND seq > ?"
    staying = {key for (key,) in turn.database.rows(later, (last,))}
    going_rows = {key: body for key, body in turn.database.rows(going, (last,)) if key not in staying}
    if not going_rows:
        return []
    bodies = turn.database.rows("SELECT body FROM ledger WHERE kind = 'decision' AND seq > ?", (last,))
    named = {key for (body,) in bodies for key in going_rows if key.encode() in body}
    return [(key, going_rows[key]) for key in sorted(named)]


def _carry_sessions(turn: Turn, last: int) -> None:
    """What a session that may go on has been denied, approved and spent is written once more, as a row of its own."""
    held = """SELECT sessions.id, sessions.state, ledger.at, ledger.seq FROM sessions
        JOIN ledger ON ledger.seq = sessions.seq WHERE sessions.seq <= ? ORDER BY sessions.seq"""
    for name, state, at, seq in list(turn.database.rows(held, (last,))):
        if at < turn.at - _MAY_GO_ON:
            continue
        began = turn.find(name, "session")
        said: dict[str, Any] = {} if began is None else dict(parse_object(began[8], limit=MAX_STATE_BYTES))
        turn.append("session", canonical({**said, "carried": seq}), key=name, session=name, state=state)


def restore_head(folders: Folders, why: str) -> int:
    """Writes a head that was lost, for a ledger that is whole without it; how many rows it now stands for.

    A head that can be read is left alone: one that does not fit says that rows were lost, and no new head brings those
    back. What was cut off the end together with the head shows only against a checkpoint, so a row tells of this.
    """
    path = head_file(folders.ledger)
    lost = f"`{path}` was missing"
    try:
        if read_head(folders.ledger) is not None:
            raise InputError(f"`{path}` is there; what is wrong with the ledger tells: interlock audit verify")
    except StoreError as error:
        lost = str(error)
    walked = verify_but_for_head(folders)
    if walked.damage is not None:
        raise StoreError(f"no head was written: {_told(walked.damage)}")
    if os.path.lexists(path):
        os.replace(path, f"{path}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
    write_head(folders.ledger, walked.seq, walked.hash)
    ledger = Ledger(folders.ledger, front=_FRONT)
    try:
        said = {"lost": lost, "rows": walked.seq, "says": "head restored", "why": redact(why)}
        with ledger.deciding() as turn:
            turn.append("override", canonical(said), key="head")
    finally:
        ledger.close()
    return walked.seq


def _carry_keys(turn: Turn, last: int) -> None:
    """Who may sign answers is written once more, from the first change on: each change follows the one before it."""
    bodies = [row[8] for row in turn.database.rows(sql.ALL_BY_KEY, (KEYS, "approver"))]
    going = turn.database.row("SELECT COUNT(*) FROM ledger WHERE kind = 'approver' AND seq <= ?", (last,))
    if going is not None and going[0]:
        for body in dict.fromkeys(bodies):
            turn.append("approver", body, key=KEYS)


def _keys_of(path: str) -> list[bytes]:
    """The changes of keys in a ledger that is set aside, as far as it can be read; their signatures tell which hold."""
    from .audit import open_for_reading

    try:
        database = open_for_reading(path)
    except StoreError:
        return []
    try:
        return list(dict.fromkeys([row[8] for row in database.rows(sql.ALL_BY_KEY, (KEYS, "approver"))]))
    except StoreError:
        return []
    finally:
        database.close()


def restart(folders: Folders, why: str) -> tuple[Damage | None, str]:
    """Begins a new chain after damage. What there was is kept aside; the first row says so."""
    damage = verify(folders).damage
    if damage is not None and damage.kind == "unavailable":
        raise StoreError(f"the ledger was left where it is: {_told(damage)}")
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    aside = f"{folders.ledger}.{stamp}"
    for ending in ("", "-wal", "-shm", ".head"):
        if os.path.lexists(folders.ledger + ending):
            os.replace(folders.ledger + ending, aside + ending)
    if os.path.lexists(checkpoints_file(folders)):
        os.replace(checkpoints_file(folders), f"{checkpoints_file(folders)}.{stamp}")
    ledger = Ledger(folders.ledger, front=_FRONT)
    try:
        said = {
            "aside": os.path.basename(aside),
            "damage": None if damage is None else damage.as_dict(),
            "says": "restarted",
            "why": redact(why),
        }
        with ledger.deciding() as turn:
            turn.append("override", canonical(said), key="restart")
            for body in _keys_of(aside):
                turn.append("approver", body, key=KEYS)
    finally:
        ledger.close()
    return damage, aside
