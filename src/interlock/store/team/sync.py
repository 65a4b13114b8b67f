"""Between this machine's ledger and the team store: rows go there, shared grants and answers come here.

Rows are shipped as they are, in batches that are kept whole or not at all, after a check that they continue the
chain that the team store has of this ledger. Nothing remembers how far it came but the team store itself, so
a lost answer, a kill or a server that was away costs a repetition and no row. What comes back is
followed along the team's own chain before anything of it is believed.
"""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Callable
from typing import Any

from ...bytes.canon import canonical
from ...model.errors import ApprovalError, StoreError
from ...record.chain import ANNOUNCED, GENESIS, Damage, Row, walk
from ...value import TYPE_CHECKING, Value, lazy
from .. import sql as own
from ..home.folders import Folders
from ..ledger.audit import SELECT, open_for_reading
from ..ledger.heads import read_head, write_head
from ..ledger.ledger import Ledger, Turn
from ..ledger.postgres import Database
from ..ledger.verify import gap_in, statement_trouble, verify
from ..people.answering import Asked, answered, one_question
from ..people.approvers import approvers_at
from ..people.signing import known_keys
from ..sql import team as sql
from ..sql.roles import BEGIN_ORIGIN, MOVE_ORIGIN_AS
from .shared import copy_grant
from .team import open_team
from .team_answers import TeamAnswer, team_answer
from .team_ledger import Standing, standing_of
from .team_uses import note_uses

if TYPE_CHECKING:
    from ...policy.people import person_of
    from ...record.approvers import check_signature
    from ..home.policies import load_policy
else:
    person_of = lazy(globals(), "...policy.people", "person_of")
    check_signature = lazy(globals(), "...record.approvers", "check_signature")
    load_policy = lazy(globals(), "..home.policies", "load_policy")

__all__ = ["BATCH", "Synced", "Syncing"]

BATCH = 500
_Tell = Callable[[int, int], None]  # how many rows of how many


class Synced(Value):
    """What one round did: rows shipped, what was fetched, and how far the ledger is in the team store now."""

    origin: str = ""
    shipped: int = 0
    seq: int = 0
    grants: int = 0
    revoked: int = 0
    answers: int = 0


class Syncing:
    """One connection to the team store, opened when it is first needed and again after it was lost."""

    def __init__(self, folders: Folders, url: str) -> None:
        self.folders = folders
        self.url = url
        self.database: Database | None = None
        self.whole = False  # this ledger was verified from its first row
        self.stopping = False

    def close(self) -> None:
        if self.database is not None:
            self.database.close()
            self.database = None

    def once(self, tell: _Tell = lambda done, of: None) -> Synced:
        try:
            team = self.connected()
            return self._fetch(team, self._ship(team, tell))
        except BaseException:
            self.close()
            raise

    def connected(self) -> Database:
        if self.database is None:
            self.database = open_team(self.url, self.folders)
            self.database.listen()
        return self.database

    def wait(self, seconds: float) -> bool:
        """Until something is announced or the time is over; whether something was."""
        return bool(self.connected().heard(seconds))

    # --- there ---------------------------------------------------------------------------------------------

    def _ship(self, team: Database, tell: _Tell) -> Synced:
        if not os.path.lexists(self.folders.ledger):
            return Synced()
        if not self.whole:
            damage = verify(self.folders, deep=False).damage
            if damage is not None:
                where = f"{damage.kind} at row {damage.seq}: {damage.text}"
                raise StoreError(f"the ledger is damaged ({where}); nothing was shipped")
            self.whole = True
        local = open_for_reading(self.folders.ledger)
        try:
            return self._ship_rows(team, local, tell)
        finally:
            local.close()

    def _ship_rows(self, team: Database, local: Any, tell: _Tell) -> Synced:
        first = local.entry(f"{SELECT} ORDER BY seq LIMIT 1")
        if first is None:
            return Synced()
        known = known_keys(self.folders)
        keys = canonical({name: key.hex() for name, key in known.items()}).decode()
        standing = standing_of(team)
        origin, seq, prev = _origin(team, local, first, keys, standing)
        (last,) = local.row("SELECT seq FROM tip WHERE one = 1")
        start, shipped = seq, 0
        stubs = list(local.entries(f"{SELECT} WHERE kind = 'pruned' ORDER BY seq"))
        while not self.stopping:
            rows = list(local.entries(f"{SELECT} WHERE seq > ? ORDER BY seq LIMIT {BATCH}", (seq,)))
            if not rows:
                break
            walked_from = gap_in(rows[0], seq, stubs, known) if rows[0].seq != seq + 1 else (seq, prev)
            if walked_from is None:
                raise StoreError(
                    f"rows {seq + 1} to {rows[0].seq - 1} are missing in the ledger; nothing more was shipped"
                )
            walked = walk(rows, seq=walked_from[0], prev=walked_from[1], look=lambda row: statement_trouble(row, known))
            if walked.damage is not None:
                raise StoreError(f"the ledger is damaged at row {walked.damage.seq}; nothing more was shipped")
            _put(team, origin, (seq, prev), rows, keys, writes_all=standing.writes_all)
            seq, prev = rows[-1].seq, rows[-1].hash
            write_head(team.head + "-shipped", seq, prev)
            shipped += len(rows)
            tell(seq - start, max(last, seq) - start)
        return Synced(origin=origin, shipped=shipped, seq=seq)

    # --- here ----------------------------------------------------------------------------------------------

    def _fetch(self, team: Database, synced: Synced) -> Synced:
        cursor = team.head + "-fetched"
        seq, prev = read_head(cursor) or (0, GENESIS)
        team.snapshot()
        try:
            head = read_head(team.head)
            tip = team.row(own.TIP) or (0, GENESIS)
            rows = list(team.entries(f"{SELECT} WHERE seq > ? ORDER BY seq", (seq,)))
            note_uses(team, time.time_ns() // 1_000_000)
            used_up = {name for (name,) in team.rows("SELECT id FROM grants WHERE uses > 0 AND used >= uses")}
            kept = None if head is None else team.entry(own.BY_SEQ, (head[0],))
        finally:
            team.rollback()
        if head is not None and (kept is None or kept.hash != head[1]):
            raise StoreError(
                f"`{team.path}` is not the team store that was used before: its row {head[0]} is another or gone"
            )
        walked = walk(rows, seq=seq, prev=prev)
        damage = walked.damage
        if damage is None and (walked.seq, walked.hash) != (tip[0], tip[1]):
            damage = Damage(kind="truncation", seq=walked.seq + 1, text="its end is not where its tip says")
        if damage is not None:
            raise StoreError(f"the team's ledger is damaged ({damage.kind} at row {damage.seq}: {damage.text})")
        if not rows:
            return synced
        found = {"answers": 0, "grants": 0, "revoked": 0}
        ledger = Ledger(self.folders.ledger, front="cli:store")
        try:
            with ledger.deciding() as turn:
                for row in rows:
                    what = _TAKEN.get(row.kind, _nothing)(turn, row, used_up)
                    if what:
                        found[what] += 1
            answers = [row for row in rows if row.kind == "answer"]
            found["answers"] = sum(_answer(ledger, row, synced.origin, self.folders) for row in answers)
        finally:
            ledger.close()
        write_head(team.head, walked.seq, walked.hash)
        write_head(cursor, walked.seq, walked.hash)
        return synced.replace(**found)


def _origin(team: Database, local: Any, first: Row, keys: str, standing: Standing) -> tuple[str, int, str]:
    """Under which name this ledger is shipped, and how far it is already. Its hashes say which it is.

    Where the last row that was shipped is pruned here, what was noted when it was shipped says so. An account with the
    role of an agent sees and continues only what it shipped itself; the server names that.
    """
    machine = os.uname().nodename
    name = f"{machine}:{first.hash[:16]}"
    noted = read_head(team.head + "-shipped")
    taken = False
    for found, _, _, seq, hashed, _, _, role in list(team.rows(sql.ORIGINS)):
        if not standing.writes_all and role != standing.account:
            continue
        if seq > 0:
            row = local.entry(own.BY_SEQ, (seq,))
            if (row is not None and row.hash == hashed) or (seq < first.seq and noted == (seq, hashed)):
                return str(found), int(seq), str(hashed)
        taken = taken or (found in (name, f"{standing.account}:{first.hash[:16]}") and seq > 0)
    if taken:
        raise StoreError(
            f"the team store holds another continuation of this ledger under `{name}`; nothing was shipped"
        )
    account = pwd.getpwuid(os.getuid()).pw_name
    if standing.writes_all:
        team.run(sql.ADD_ORIGIN, (name, machine, account, 0, GENESIS, 0, keys))
    else:
        (name,) = team.row(BEGIN_ORIGIN, (first.hash[:16], machine, account, keys)) or ("",)
    return name, 0, GENESIS


def _put(team: Database, origin: str, after: tuple[int, str], rows: list[Row], keys: str, *, writes_all: bool) -> None:
    """One batch, in one transaction, if the team store still is where we believe it is."""
    end = (rows[-1].seq, rows[-1].hash, rows[-1].at, keys)
    team.run("BEGIN")
    try:
        if writes_all:
            is_there = team.row(sql.ORIGIN, (origin,)) == after
        else:
            is_there = team.row(MOVE_ORIGIN_AS, (origin, *after, *end)) == (True,)
        if not is_there:
            raise StoreError(f"`{origin}` was shipped by another process meanwhile; it goes on with the next round")
        team.run_many(sql.SHIP, [(origin, *row) for row in rows])
        if writes_all:
            team.run(sql.MOVE_ORIGIN, (*end, origin))
        for row in rows:
            if row.kind in ANNOUNCED:
                team.announce(row.kind, row.key)
        team.run("COMMIT")
    finally:
        team.rollback()


def _answer(ledger: Ledger, row: Row, origin: str, folders: Folders) -> bool:
    """Answers a question that this ledger asked, if it is the one that was answered and is still open."""
    said = team_answer(row)
    if said is None or said.origin != origin:
        return False
    try:
        asked = one_question(ledger, row.key)
        if asked.question.seq != said.prompt or not asked.is_open:
            return False
        account = f", account {row.session}" if row.session else ""  # PostgreSQL noted it, where the store has roles
        by = f"team: {said.by}{account}"[:200]
        signed = None if said.signature is None or not said.yes else _signed(ledger, asked, said, folders)
        person = "" if asked.needs_two and said.yes else _person(asked, said, signed, folders)
        why, where = said.why[:2000], said.surface
        # Whoever answered was asked about what is hidden there.
        answered(ledger, asked, yes=said.yes, by=by, person=person, why=why, where=where, signed=signed, unseen=True)
    except ApprovalError:
        return False  # it was answered here already, or not from a surface that may
    return True


def _person(asked: Asked, said: TeamAnswer, signed: dict[str, Any] | None, folders: Folders) -> str:
    """Who answered: whose key it is, where that is declared here; else who they said they are."""
    if signed is not None:
        policy = load_policy(folders, str(asked.body.get("root") or "") or None)
        name = person_of(policy, "signer", str(signed["signer"]))
        if name in policy.people:
            return name
    return f"team:{said.by}"[:200]


def _signed(ledger: Ledger, asked: Asked, said: TeamAnswer, folders: Folders) -> dict[str, Any]:
    """What the signature of an answer is worth here, by the keys of this machine; the hook checks it once more."""
    policy = load_policy(folders, str(asked.body.get("root") or "") or None)
    with ledger.deciding() as turn:
        known = approvers_at(turn.database, policy, turn.at)
    by = check_signature(known, asked.statement(expires=said.expires), str(said.signature))
    strength = by.strength(known.at).name
    return {"expires": said.expires, "signature": said.signature, "signer": by.name, "strength": strength}


# --- what each kind of the team's rows does here: (turn, row, grants that are used up) -> what is counted ----------


def _grant(turn: Turn, row: Row, used_up: set[str]) -> str:
    return "grants" if row.key not in used_up and copy_grant(turn, row) else ""


def _revocation(turn: Turn, row: Row, used_up: set[str]) -> str:
    return "revoked" if turn.revoke(row.key, row.body) else ""


def _redemption(turn: Turn, row: Row, used_up: set[str]) -> str:
    """Used up by whoever: a copy that nobody can redeem any more is not offered to a decision again."""
    if row.key not in used_up:
        return ""
    return "revoked" if turn.revoke(row.key, canonical({"why": "it is used up in the team store"})) else ""


def _nothing(turn: Turn, row: Row, used_up: set[str]) -> str:
    return ""


_TAKEN: dict[str, Callable[[Turn, Row, set[str]], str]] = {
    "grant": _grant,
    "redemption": _redemption,
    "revocation": _revocation,
}
