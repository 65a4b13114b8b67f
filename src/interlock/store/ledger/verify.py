"""Is the ledger whole? Walks the chain, and compares its end with everything that is kept outside it.

The first damage is named by row and kind. Checked in this order: the file and its tables, the chain
from its beginning (or from a signed stub), signed statements in it, the tip, the head beside the
database, checkpoints beside it, and what is kept beside the rows (sessions, grants).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...bytes.canon import digest_of_bytes
from ...limits import MAX_STATE_BYTES
from ...model.errors import StoreError
from ...record.chain import DAMAGE, GENESIS, Damage, Row, Walked, walk
from ..home.files import read_file
from ..home.folders import Folders
from ..people.keys_beside import trouble_with_copy
from ..people.signing import known_keys, trouble_with
from ..sql import TIP
from ..sql.schema import MIGRATIONS
from .audit import SELECT, open_for_reading
from .heads import head_file, keys_file, read_head
from .sqlite import DamagedError, NothingYetError

if TYPE_CHECKING:
    from .ledger import AnyDatabase

__all__ = [
    "checkpoints_file",
    "gap_in",
    "never_begun",
    "statement_trouble",
    "verify",
    "verify_but_for_head",
    "verify_database",
]

_SIGNED = ("checkpoint", "pruned")
_TRIES = 5
_Head = tuple[int, str] | StoreError | None


def checkpoints_file(folders: Folders) -> str:
    return folders.config + "/checkpoints.jsonl"


def verify(folders: Folders, *, deep: bool = True) -> Walked:
    """The whole check. `deep` lets SQLite examine its file as well."""
    path = folders.ledger
    try:
        database = open_for_reading(path)
    except StoreError as error:
        return _stopped(_absent(folders, error) or _unread(error))
    try:
        return _verified(folders, database, deep)
    except StoreError as error:
        return _stopped(_unread(error))
    finally:
        database.close()


def verify_database(folders: Folders, database: AnyDatabase, *, seen: bool = True) -> Walked:
    """The same for a ledger in another database, which this connects to and closes. Its head is where the database
    says, and need not be there for one that was not `seen` before; checkpoints in the person's folder are about the
    ledger of this machine, and left out.
    """
    try:
        database.open(create=False)
        return _verified(folders, database, deep=False, checkpoints=False, seen=seen)
    except StoreError as error:
        head = read_head(database.head)
        if head is not None and database.fresh:
            return _stopped(Damage(kind="missing", seq=head[0], text=f"its head says that it had {head[0]} rows"))
        return _stopped(_unread(error))
    finally:
        database.close()


def verify_but_for_head(folders: Folders) -> Walked:
    """The same check as if nothing were known of a head: what a person relies on who lets a new one be written."""
    database = open_for_reading(folders.ledger)
    try:
        return _walked(folders, database, None, True, checkpoints=True, with_head=False)
    finally:
        database.close()


def _unread(error: StoreError) -> Damage:
    """INVARIANT: a ledger that nobody could look at is not called damaged."""
    if isinstance(error, NothingYetError):
        return Damage(kind="schema", seq=0, text=DAMAGE["schema"])
    return Damage(kind="unreadable" if isinstance(error, DamagedError) else "unavailable", seq=0, text=str(error))


def _stopped(damage: Damage) -> Walked:
    return Walked(seq=0, hash=GENESIS, count=0, damage=damage)


def never_begun(folders: Folders) -> bool:
    """Whether there is neither a ledger nor anything that tells of one."""
    return not any(
        os.path.lexists(path)
        for path in (folders.ledger, head_file(folders.ledger), keys_file(folders.ledger), checkpoints_file(folders))
    )


def _absent(folders: Folders, error: StoreError) -> Damage | None:
    """The damage, where the database is gone or empty although a head, a checkpoint or a key tells of it."""
    path = folders.ledger
    if os.path.exists(path) and os.path.getsize(path) > 0 and not isinstance(error, NothingYetError):
        return None
    try:
        head = read_head(path)
    except StoreError:
        return None
    if head is not None and head[0] > 0:
        return Damage(kind="missing", seq=head[0], text=f"its head says that it had {head[0]} rows")
    for where, said in reversed(list(_signed_outside(folders))):
        if said is not None:
            return Damage(
                kind="missing", seq=said["seq"], text=f"{where} was signed when there were {said['seq']} rows"
            )
    if os.path.lexists(keys_file(path)):
        return Damage(kind="missing", seq=0, text=f"`{keys_file(path)}` tells of keys that were enrolled in it")
    return None


def _verified(
    folders: Folders, database: AnyDatabase, deep: bool, *, checkpoints: bool = True, seen: bool = True
) -> Walked:
    """What is found while the head moves is looked at again: a head that is read while it is written may be neither."""
    for _ in range(_TRIES):
        head = _head(database)
        walked = _walked(folders, database, head, deep, checkpoints=checkpoints, with_head=seen or head is not None)
        if walked.damage is None or str(_head(database)) == str(head):
            break
        database.rollback()
    return walked


def _walked(
    folders: Folders, database: AnyDatabase, head: _Head, deep: bool, *, checkpoints: bool, with_head: bool = True
) -> Walked:
    """`head` was read before anything else: it is written after the rows, so it names none that is not there yet."""
    damage = _schema(database)
    if damage is not None:
        return _stopped(damage)
    database.snapshot()
    tip = database.row("SELECT seq, hash FROM tip WHERE one = 1") or (0, GENESIS)
    known = known_keys(folders)
    seq, prev, damage = _beginning(database, known)
    if damage is not None:
        return _stopped(damage)

    def look(row: Row) -> Damage | None:
        return statement_trouble(row, known)

    walked = walk(database.entries(f"{SELECT} ORDER BY seq"), seq=seq, prev=prev, look=look)
    found = (
        walked.damage
        or _end(database, walked, tip)
        or (_at_head(database, walked, head) if with_head else None)
        or (_outside(folders, database, walked, known) if checkpoints else None)
        or _beside(database)
        or _keys_beside(database, walked)
        or (_file(database) if deep else None)
    )
    return walked.replace(damage=found)


def _schema(database: AnyDatabase) -> Damage | None:
    """The tables against what their own version has: those that an older Interlock made are whole as they are."""
    known = len(MIGRATIONS)
    try:
        tip = database.row(TIP)
    except DamagedError:
        raise
    except StoreError:
        return Damage(kind="schema", seq=0, text=DAMAGE["schema"])
    version = known if tip is None else tip[3]
    if type(version) is int and version > known:
        text = f"they were made by a newer Interlock (tables {version}, this one knows {known})"
        return Damage(kind="schema", seq=0, text=text)
    if type(version) is not int or version < 1 or database.tables() != database.wanted_tables(version):
        return Damage(kind="schema", seq=0, text=DAMAGE["schema"])
    return None


def _beginning(database: AnyDatabase, known: dict[str, bytes]) -> tuple[int, str, Damage | None]:
    """Where the chain starts: at its first row, or after the rows that a signed stub says were removed."""
    first = database.entry(f"{SELECT} ORDER BY seq LIMIT 1")
    stub = database.entry(f"{SELECT} WHERE kind = 'pruned' ORDER BY seq DESC LIMIT 1")
    if first is None or first.seq == 1 or stub is None:
        return 0, GENESIS, None
    said = _body(stub.body)
    trouble = None if said is None else trouble_with(said, known)
    if said is None or trouble is not None:
        kind, text = trouble or ("malformed", "it cannot be read")
        return 0, GENESIS, Damage(kind=kind, seq=stub.seq, text=text)
    if first.seq != said.get("to", 0) + 1:
        text = f"rows up to {said.get('to')} were removed on purpose, row {first.seq} is the first that is left"
        return 0, GENESIS, Damage(kind="deletion", seq=int(said.get("to", 0)) + 1, text=text)
    return int(said["to"]), str(said["last"]), None


def _body(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, TypeError):
        return None
    return found if isinstance(found, dict) else None


def gap_in(row: Row, seq: int, stubs: list[Row], known: dict[str, bytes]) -> tuple[int, str] | None:
    """Where a chain goes on, if a signed stub says that the rows from `seq` to this one were removed on purpose."""
    for stub in stubs:
        said = _body(stub.body)
        if said is None or trouble_with(said, known) is not None or said.get("to") != row.seq - 1:
            continue
        if isinstance(said.get("from"), int) and (seq == 0 or said["from"] <= seq + 1) and said.get("last") == row.prev:
            return row.seq - 1, str(row.prev)
    return None


def statement_trouble(row: Row, known: dict[str, bytes]) -> Damage | None:
    """What is wrong with a signed statement; rows of other kinds are not looked at."""
    if row.kind not in _SIGNED:
        return None
    said = _body(row.body)
    if said is None:
        return Damage(kind="malformed", seq=row.seq, text="it cannot be read")
    trouble = trouble_with(said, known)
    if trouble is not None:
        return Damage(kind=trouble[0], seq=row.seq, text=trouble[1])
    if row.kind == "checkpoint" and (said.get("seq"), said.get("hash")) != (row.seq - 1, row.prev):
        return Damage(kind="signature", seq=row.seq, text="it is a statement about another place of the chain")
    return None


def _head(database: AnyDatabase) -> _Head:
    try:
        return read_head(database.head)
    except StoreError as error:
        return error


def _end(database: AnyDatabase, walked: Walked, tip: tuple[Any, ...]) -> Damage | None:
    """The tip against where the chain really ends."""
    if tip[0] > walked.seq:
        return Damage(kind="truncation", seq=walked.seq + 1, text=f"rows {walked.seq + 1} to {tip[0]} are missing")
    if tip != (walked.seq, walked.hash):
        kind = "insertion" if tip[0] < walked.seq else "edit"
        return Damage(kind=kind, seq=walked.seq, text="the tip does not know it")
    return None


def _at_head(database: AnyDatabase, walked: Walked, head: _Head) -> Damage | None:
    """The head beside the database against the rows."""
    if isinstance(head, StoreError):
        return Damage(kind="head", seq=walked.seq, text=str(head))
    if head is None:
        if walked.seq == 0:
            return None
        return Damage(kind="head", seq=walked.seq, text=f"`{head_file(database.head)}` is missing")
    if head[0] > walked.seq:
        text = f"the head beside the database says {head[0]} rows, the database has {walked.seq}"
        return Damage(kind="rollback", seq=walked.seq + 1, text=text)
    known = (GENESIS,) if head[0] == 0 else database.row("SELECT hash FROM ledger WHERE seq = ?", (head[0],))
    if known is not None and known[0] != head[1]:
        return Damage(kind="edit", seq=head[0], text="the head beside the database knows another row here")
    return None


def _outside(folders: Folders, database: AnyDatabase, walked: Walked, known: dict[str, bytes]) -> Damage | None:
    """The checkpoints that are kept outside the database."""
    for where, said in _signed_outside(folders):
        if said is None:
            return Damage(kind="malformed", seq=0, text=f"{where} is not a checkpoint")
        seq = int(said["seq"])
        trouble = trouble_with(said, known)
        if trouble is not None:
            return Damage(kind=trouble[0], seq=seq, text=f"{where}: {trouble[1]}")
        if seq > walked.seq:
            return Damage(kind="rollback", seq=walked.seq + 1, text=f"{where} was signed when there were {seq} rows")
        row = database.row("SELECT hash FROM ledger WHERE seq = ?", (seq,))
        if row is not None and row[0] != said.get("hash"):
            return Damage(kind="edit", seq=seq, text=f"{where} signed another row here")
    return None


def _signed_outside(folders: Folders) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Where each checkpoint beside the policy stands, and what it says; None where it is none."""
    raw = read_file(checkpoints_file(folders), limit=MAX_STATE_BYTES) or b""
    for number, line in enumerate(raw.splitlines(), start=1):
        said = _body(line)
        is_one = said is not None and isinstance(said.get("seq"), int)
        yield f"line {number} of `{checkpoints_file(folders)}`", said if is_one else None


def _beside(database: AnyDatabase) -> Damage | None:
    """Sessions and grants against the rows that they come from."""
    joined = "SELECT sessions.id, sessions.seq, sessions.state, ledger.state FROM sessions LEFT JOIN ledger USING (seq)"
    for name, seq, state, recorded in database.rows(joined):
        if type(state) is not bytes or digest_of_bytes(state) != recorded:
            text = f"the state of session `{str(name)[:60]}` is not what it recorded"
            return Damage(kind="state", seq=seq, text=text)
    return _beside_grants(database)


def _keys_beside(database: AnyDatabase, walked: Walked) -> Damage | None:
    """The copy of the keys against the rows: a new beginning would take its keys from there."""
    told = None if database.shares else trouble_with_copy(database)
    return None if told is None else Damage(kind="state", seq=walked.seq, text=told)


def _beside_grants(database: AnyDatabase) -> Damage | None:
    """INVARIANT: no edit of the table brings a grant back, makes it last, or gives it to somebody else."""
    counted = """SELECT grants.id, grants.seq, grants.used, ledger.kind, ledger.key,
        (SELECT COUNT(*) FROM ledger AS uses WHERE uses.key = grants.id AND uses.kind = 'redemption'),
        (SELECT COUNT(*) FROM ledger AS ends WHERE ends.key = grants.id AND ends.kind = 'revocation'),
        grants.ended, grants.expires, grants.uses, grants.holder, ledger.body
        FROM grants LEFT JOIN ledger ON ledger.seq = grants.seq"""
    for name, seq, used, kind, key, count, ends, ended, expires, uses, holder, body in database.rows(counted):
        if (kind, key) != ("grant", name):
            return Damage(kind="state", seq=seq, text=f"no row gave the grant `{str(name)[:60]}`")
        if used != count:
            text = f"the grant `{str(name)[:60]}` was used {count} times by its rows, {used} times by its count"
            return Damage(kind="state", seq=seq, text=text)
        said = _body(body) or {}
        kept = {"expires": expires, "uses": uses, "holder": holder}
        if bool(ends) != bool(ended) or any(said.get(field, value) != value for field, value in kept.items()):
            return Damage(kind="state", seq=seq, text=f"the grant `{str(name)[:60]}` is not kept as its rows say")
    return _approvals(database)


def _approvals(database: AnyDatabase) -> Damage | None:
    """How each approval stands against the last row that says something of it."""
    last = "SELECT kind, body FROM ledger WHERE key = ? AND seq > ? AND kind IN ('answer', 'redemption') ORDER BY seq"
    for name, seq, status, proof in list(database.rows("SELECT id, seq, status, proof FROM approvals ORDER BY seq")):
        asked = database.row("SELECT kind, key, proof FROM ledger WHERE seq = ?", (seq,))
        if asked != ("prompt", name, proof):
            return Damage(kind="state", seq=seq, text=f"no row asked for the approval `{str(name)[:60]}`")
        stands = "pending"
        for kind, body in database.rows(last, (name, seq)):
            said = _body(body) or {}
            stands = "redeemed" if kind == "redemption" else str(said.get("answer"))
        if stands != status:
            text = f"the approval `{str(name)[:60]}` is {stands} by its rows, {str(status)[:20]} by its table"
            return Damage(kind="state", seq=seq, text=text)
    return None


def _file(database: AnyDatabase) -> Damage | None:
    complaints = database.complaints()
    return Damage(kind="unreadable", seq=0, text=f"SQLite says: {complaints[0][:200]}") if complaints else None
