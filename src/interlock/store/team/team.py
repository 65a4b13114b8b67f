"""The team store: one PostgreSQL database that many machines ship their ledgers to, and take grants and answers from.

Its own ledger holds what is shared: grants, who used them, answers to prompts. Beside it lie the rows
of every machine's ledger, as they were at home. The head of the team's ledger is kept in each client's
own folder, so a server that was set back, or whose rows were rewritten, is noticed by every client.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from ...bytes.canon import digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import LOCK_WAIT_SECONDS, TEAM_WORK_SECONDS
from ...model.errors import InputError, StoreError
from ...policy.store_address import address_trouble
from ...record.chain import GENESIS, Damage, Row, Walked, walk
from ..home.folders import Folders
from ..ledger.heads import read_head
from ..ledger.ledger import Ledger
from ..ledger.postgres import Database
from ..ledger.verify import gap_in, statement_trouble, verify_database
from ..sql import team as sql
from ..sql.roles import UPGRADE, roles

__all__ = [
    "check_address",
    "check_roles",
    "keys_of",
    "make_roles",
    "make_team_store",
    "open_team",
    "origins",
    "passfile",
    "team_database",
    "verify_shipped",
    "verify_team_ledger",
]


def passfile(folders: Folders) -> str:
    """Where the password is, in the form of PostgreSQL's own password file."""
    return folders.config + "/store.pgpass"


def check_address(url: str) -> str:
    """The address, if it is one and holds no password: command lines and policies are read by others."""
    trouble = address_trouble(url)
    if trouble is not None:
        raise InputError(f"the team store needs {trouble}")
    return url


def team_database(
    url: str, folders: Folders, *, wait: float = LOCK_WAIT_SECONDS, work: float = TEAM_WORK_SECONDS
) -> Database:
    """Not yet connected. A password file that others can read is not used."""
    check_address(url)
    secret: str | None = passfile(folders)
    try:
        if os.stat(passfile(folders)).st_mode & 0o077:
            raise StoreError(f"`{secret}` can be read by others; make it yours alone: chmod 600 {secret}")
    except FileNotFoundError:
        secret = None
    os.makedirs(folders.state, mode=0o700, exist_ok=True)
    head = f"{folders.state}/team-{digest_of_bytes(url.encode())[len('sha256:') :][:12]}"
    return Database(url, head=head, passfile=secret, wait=wait, work=work)


def make_team_store(database: Database) -> bool:
    """Makes the tables where there are none, and brings older ones up to date; whether there were none."""
    ledger = Ledger.on(database)
    ledger.connect()
    database.begin()
    try:
        made = not database.has_team()
        if made:
            database.make(sql.TABLES)
        database.make_functions(UPGRADE)
        database.commit(durable=True)
    finally:
        database.rollback()
    return made


def make_roles(database: Database, agents: str, approvers: str) -> None:
    """Brings the store up to date and separates those who ask from those who answer, in one transaction."""
    check_roles(agents, approvers)
    make_team_store(database)
    database.begin()
    try:
        database.make_functions(roles(agents, approvers))
        database.commit(durable=True)
    finally:
        database.rollback()


def check_roles(agents: str, approvers: str) -> None:
    """The names go into statements as they are, so they are plain words."""
    for name in (agents, approvers):
        if not name.isascii() or not name.isidentifier() or len(name) > 63 or name.startswith("pg_"):
            raise InputError(f"`{name}` is not a name for a role: letters, digits and _ only, 63 at most")
    if agents == approvers:
        raise InputError("agents and approvers need two roles; one for both would separate nothing")


def open_team(
    url: str, folders: Folders, *, wait: float = LOCK_WAIT_SECONDS, work: float = TEAM_WORK_SECONDS
) -> Database:
    """Connected, with tables that are known to be there."""
    database = team_database(url, folders, wait=wait, work=work)
    database.open(create=False)
    if not database.has_team():
        database.close()
        raise StoreError(f"there is no team store at `{database.path}`; make it with: interlock store init")
    return database


def origins(database: Database) -> list[dict[str, Any]]:
    """The ledgers that were shipped, and how far."""
    names = ("id", "machine", "account", "seq", "hash", "at", "keys", "role")
    return [dict(zip(names, row, strict=True)) for row in database.rows(sql.ORIGINS)]


def verify_team_ledger(folders: Folders, database: Database) -> Walked:
    """The team's own chain: followed from its first row, and compared with the head in this client's folder.

    A client that never took anything from the store has no head of it, and nothing to compare with.
    """
    return verify_database(folders, database, seen=read_head(database.head + "-fetched") is not None)


def verify_shipped(database: Database, origin: dict[str, Any], known: dict[str, bytes] | None = None) -> Walked:
    """One machine's chain as it lies in the team store, to the end that its origin says.

    Signatures are checked with the keys that `known` gives, else with those the machine left when it shipped.
    """
    keys = known or keys_of(str(origin["keys"]))

    def look(row: Row) -> Damage | None:
        return statement_trouble(row, keys)

    database.snapshot()
    try:
        stubs = list(database.entries(sql.STUBS, (origin["id"],)))
        walked = _walked(database.entries(sql.SHIPPED, (origin["id"],)), stubs, keys, look)
    finally:
        database.rollback()
    if walked.damage is not None:
        return walked
    if walked.seq < origin["seq"]:
        text = f"rows {walked.seq + 1} to {origin['seq']} are missing"
        return walked.replace(damage=Damage(kind="truncation", seq=walked.seq + 1, text=text))
    if (walked.seq, walked.hash) != (origin["seq"], origin["hash"]):
        kind = "insertion" if walked.seq > origin["seq"] else "edit"
        return walked.replace(damage=Damage(kind=kind, seq=walked.seq, text="its origin does not know it"))
    return walked


def _walked(
    rows: Iterator[Row], stubs: list[Row], keys: dict[str, bytes], look: Callable[[Row], Damage | None]
) -> Walked:
    """A walk that goes on after rows which were pruned at home before they were shipped, if a signed stub says so."""
    after: list[Row] = []

    def stretch(seq: int) -> Iterator[Row]:
        for row in chain([after.pop()] if after else [], rows):
            if row.seq > seq + 1 and gap_in(row, seq, stubs, keys) is not None:
                after.append(row)
                return
            seq = row.seq
            yield row

    seq, prev, count = 0, GENESIS, 0
    while True:
        walked = walk(stretch(seq), seq=seq, prev=prev, look=look)
        count += walked.count
        if walked.damage is not None or not after:
            return walked.replace(count=count)
        seq, prev = after[0].seq - 1, after[0].prev


def keys_of(text: str) -> dict[str, bytes]:
    """The public keys that a machine left beside its origin."""
    try:
        return {name: bytes.fromhex(str(key)) for name, key in parse_object(text.encode()).items()}
    except (InputError, ValueError) as error:
        raise StoreError(f"an origin's keys cannot be read: {error}") from None
