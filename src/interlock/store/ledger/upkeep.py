"""What a person does to the ledger as a whole: sign a checkpoint, prune old rows, start anew after damage."""

from __future__ import annotations

import os
import time
from typing import Any

from ...bytes.canon import canonical
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, InterlockError, StoreError
from ...record.chain import Damage
from .. import sql
from ..home.files import read_file, write_file
from ..home.folders import Folders
from ..people.approvers import KEYS
from ..people.keys_beside import KeysLeft, changes_of, copy_keys, keys_left
from ..people.signing import Signer
from ..people.switch import OFF, keep_on
from .heads import head_file, keys_file, read_head, write_head
from .identity import ledger_names
from .ledger import Ledger, Turn
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
    name, what is kept of sessions that may go on, who may sign, and which signed grants are over. What was switched off
    is on again. A ledger that does not verify is not touched: what is left of it
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
            _carry_ends(turn, last)
            _carry_tokens(turn, last)
            _end_off(turn, last)
            turn.append("pruned", canonical(stub), key=signer.id)
            turn.database.run("DELETE FROM sessions WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM grants WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM approvals WHERE seq <= ?", (last,))
            turn.database.run("DELETE FROM ledger WHERE seq <= ?", (last,))
        ledger.database.forget_deleted()
        copy_keys(ledger)
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
        WHERE status IN ('pending', 'halfway', 'approved') AND (expires = 0 OR expires > ?)"""
    asked = database.row(waiting, (turn.at,))
    if asked is not None and asked[0] is not None:
        last = min(last, asked[0] - 1)
    return (first, last) if first else (1, 0)


def _stub(turn: Turn, signer: Signer, first: int, last: int, at: int) -> dict[str, Any]:
    row = turn.database.row("SELECT hash FROM ledger WHERE seq = ?", (last,))
    if row is None:
        raise StoreError(f"row {last} is missing; nothing was removed")
    name, *before = ledger_names(turn.database)
    said = {
        "at": at,
        "before": before,
        "count": last - first + 1,
        "from": first,
        "front": _FRONT,
        "last": row[0],
        "ledger": name,
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


def _carry_tokens(turn: Turn, last: int) -> None:
    """Tokens of the HTTP service that still open something are written once more, and whose the sessions are that go
    on: a name that is free again could be claimed by another token.
    """
    for kind in ("token", "owner"):
        newest = "SELECT key, MAX(seq) FROM ledger WHERE kind = ? GROUP BY key"
        for key, seq in list(turn.database.rows(newest, (kind,))):
            if seq > last:
                continue
            row = turn.find(key, kind)
            body = {} if row is None else parse_object(row.body, limit=MAX_STATE_BYTES)
            if kind == "token" and (body.get("says") != "created" or _is_past(body.get("expires"), turn.at)):
                continue
            if kind == "owner" and turn.database.row(sql.SESSION, (key,)) is None:
                continue
            turn.append(kind, canonical(body), key=key, session=key if kind == "owner" else None)


def _is_past(moment: object, at: int) -> bool:
    return type(moment) is int and 0 < moment <= at


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
    going = turn.database.row("SELECT COUNT(*) FROM ledger WHERE kind = 'approver' AND seq <= ?", (last,))
    if going is not None and going[0]:
        for body in changes_of(turn.database):
            turn.append("approver", body, key=KEYS)


def _carry_ends(turn: Turn, last: int) -> None:
    """Which signed grants are over is written once more, while they could be given again: a row that was pruned must
    not make a signature good that a person has taken back or that is used up.
    """
    over: dict[str, int] = {}
    ends = "SELECT key, kind, body FROM ledger WHERE kind IN ('grant', 'revocation') AND seq <= ? ORDER BY seq"
    for name, kind, body in list(turn.database.rows(ends, (last,))):
        try:
            said: Any = parse_object(body, limit=MAX_STATE_BYTES)
            if ("signature" if kind == "grant" else "carried") in said:
                over[name] = int(said["expires"])
        except (InterlockError, KeyError, TypeError, ValueError):
            continue  # it is no signed grant
    # INVARIANT: a grant whose row goes is over or expired: the row of a live one stays, and so does all after it.
    for name, expires in sorted(over.items()):
        if expires == 0 or expires > turn.at:
            said = {"carried": True, "expires": expires, "why": "it was over when its rows were pruned"}
            turn.append("revocation", canonical(said), key=name)


def _end_off(turn: Turn, last: int) -> None:
    """Each switching names the one before it. Where that goes, nothing stays off, and nothing is put in force again."""
    switched = turn.find(OFF, "override")
    if switched is not None and switched[0] <= last:
        keep_on(turn, "", {"why": "rows were pruned"})


def restart(folders: Folders, why: str, *, without_keys: bool = False) -> tuple[Damage | None, str, int]:
    """Begins a new chain after damage; what was wrong, where the old one is kept, how many changes of keys came along.

    What there was is kept aside; the first row says so. Enrolled keys are taken along. InputError where it cannot be
    told which there were, unless the person goes on `without_keys`.
    """
    damage = verify(folders).damage
    if damage is not None and damage.kind == "unavailable":
        raise StoreError(f"the ledger was left where it is: {_told(damage)}")
    left = KeysLeft() if without_keys else keys_left(folders.ledger)
    if not left.known:
        raise InputError(
            f"nothing was changed: the database cannot be read and `{keys_file(folders.ledger)}` is not there, so it "
            "cannot be told which keys were enrolled. Put one of them back from a copy. If no key was enrolled, or you "
            "will enrol yours again, add --without-keys; until a key counts, tier 3 takes answers without a signature"
        )
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    aside = f"{folders.ledger}.{stamp}"
    for ending in ("", "-wal", "-shm", ".head", *((".keys",) if without_keys else ())):
        if os.path.lexists(folders.ledger + ending):
            os.replace(folders.ledger + ending, aside + ending)
    if os.path.lexists(checkpoints_file(folders)):
        os.replace(checkpoints_file(folders), f"{checkpoints_file(folders)}.{stamp}")
    ledger = Ledger(folders.ledger, front=_FRONT, anew=True)
    try:
        said = {
            "aside": os.path.basename(aside),
            "before": left.names,
            "damage": None if damage is None else damage.as_dict(),
            "keys": "left behind" if without_keys else len(left.changes),
            "says": "restarted",
            "why": redact(why),
        }
        with ledger.deciding() as turn:
            turn.append("override", canonical(said), key="restart")
            for body in left.changes:
                turn.append("approver", body, key=KEYS)
        copy_keys(ledger)
    finally:
        ledger.close()
    return damage, aside, len(left.changes)
