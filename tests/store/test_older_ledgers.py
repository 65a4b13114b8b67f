"""Ledgers that older versions wrote: they open, verify, replay, and can be gone on with."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hook_process import Machine as Hook
from hook_process import new_machine
from interlock import __version__
from interlock.bytes.canon import canonical
from interlock.record.resume import opened
from interlock.store import sql
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.postgres import Database as PostgresDatabase
from interlock.store.ledger.sqlite import Database
from interlock.store.ledger.verify import verify
from interlock.store.sql import schema
from interlock.store.team.shared import redeem_shared
from interlock.store.team.sync import Syncing
from interlock.store.team.team import open_team, origins, verify_shipped, verify_team_ledger
from ledger_rows import change, ledger_rows
from machine import Machine
from person import at_a_terminal
from postgres_server import started_server

KEPT = Path(__file__).parents[1] / "fixtures/ledgers"
PROJECT = "/srv/demo"
# folder -> rows that are there, their last number, decisions, grants that are live, approvals that wait
LEDGERS = {
    "1ac629d": (12, 12, 9, 0, 0),
    "50f1e09": (19, 19, 11, 1, 0),
    "f2d62f7": (31, 39, 11, 1, 4),
    "2d70556": (31, 39, 11, 1, 4),
    "12679c5": (31, 40, 11, 1, 4),
    "69b9d72": (31, 40, 11, 1, 4),
}
NEWEST = "69b9d72"
LAST = LEDGERS[NEWEST][1]
ASKED_BY = {"12679c5": "0.3.0", "69b9d72": "0.4.0"}  # since then questions name the engine that asked,
NAMES_DESTINATIONS = ("12679c5", "69b9d72")  # and grants the destination of a push


def put_back(name: str, home: Path) -> Folders:
    folders = folders_for(str(home))
    for folder, files in ((folders.state, ("ledger.db", "ledger.db.head")), (folders.config, ("*.json", "*.jsonl"))):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path in [path for pattern in files for path in (KEPT / name).glob(pattern)]:
            shutil.copy(path, folder)
    return folders


@pytest.fixture(params=LEDGERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(name: str, tmp_path: Path) -> Machine:
    desk = Machine(tmp_path)
    put_back(name, desk.home)
    return desk


def test_every_ledger_that_is_kept_is_tested() -> None:
    assert sorted(path.parent.name for path in KEPT.glob("*/ledger.db")) == sorted(LEDGERS)


def test_it_verifies(name: str, desk: Machine) -> None:
    rows, last, *_ = LEDGERS[name]
    told = desk.run("audit", "verify")
    assert (told.code, told.out.split(" with ")[0]) == (0, f"whole: {rows} rows, the last is row {last}")


def test_it_is_shown_and_exported(name: str, desk: Machine) -> None:
    rows, last, decisions, *_ = LEDGERS[name]
    assert len(desk.run("audit", "tail", "-n", "100").out.splitlines()) == rows
    assert len(desk.run("audit", "search", "--kind", "decision", "--json").lines) == decisions
    exported = desk.run("audit", "export").out
    assert len(exported.splitlines()) == rows
    assert desk.run("audit", "show", str(last)).code == 0
    assert desk.run("replay", "-", "--quiet", stdin=exported).code == 0


def test_it_replays_from_what_was_recorded(name: str, desk: Machine) -> None:
    decisions = LEDGERS[name][2]
    told = desk.run("replay", "--quiet")
    assert told.code == 0, told.out
    assert told.out == f"{decisions} of {decisions} receipts hold\n" + (
        ""
        if ASKED_BY.get(name) == __version__
        else f"{decisions} of them by another version: verified, and joined again from what it recorded\n"
    )


def test_a_forged_receipt_of_an_older_version_does_not_hold(name: str, desk: Machine) -> None:
    lines = desk.run("audit", "export").out.splitlines()
    found = next(n for n, line in enumerate(lines) if '"verdict":"deny"' in line and '"kind":"decision"' in line)
    lines[found] = lines[found].replace('"verdict":"deny"', '"verdict":"allow"', 1)
    told = desk.run("replay", "-", "--quiet", stdin="\n".join(lines) + "\n")
    assert told.code == 1


def test_it_is_simulated_under_another_policy(name: str, desk: Machine) -> None:
    new = desk.home / "new.toml"
    new.write_text('version = 1\napproval_mode = "strict"\n')
    told = desk.run("simulate", "--policy", str(new), "--json")
    assert told.code == 0
    assert told.json["calls"] == LEDGERS[name][2]


def event(hook: Hook, command: str, session: str = "s1") -> dict[str, Any]:
    return hook.event("Bash", {"command": command}, session_id=session, cwd=PROJECT)


@pytest.mark.sampled(3)
def test_the_hook_goes_on_with_it(name: str, tmp_path: Path) -> None:
    """The session is what it was, and so is the chain. An older grant names no destination, so it covers no push."""
    hook = new_machine(tmp_path)
    put_back(name, hook.home)
    rows, last, *_ = LEDGERS[name]
    covers = name in NAMES_DESTINATIONS  # one use of the grant was left
    assert hook.run(event(hook, "git status")).taken == "allow"
    pushed = [hook.run(event(hook, "git push origin feature/z")).taken for _ in range(2)]
    assert pushed == (["allow", "ask"] if covers else ["ask", "ask"])
    added = ledger_rows(Path(folders_for(str(hook.home)).ledger))[rows:]
    kinds = [row["kind"] for row in added if row["kind"] not in ("prompt", "watch")]
    assert kinds == ["policy", "decision", *(["redemption"] if covers else []), "decision", "decision"]
    assert added[0]["seq"] == last + 1
    assert [row["body"]["receipt"]["engine"] for row in added if row["kind"] == "decision"] == [__version__] * 3
    assert verify(folders_for(str(hook.home))).damage is None


@pytest.mark.sampled(3)
def test_a_session_that_an_older_version_kept_is_resumed(name: str, tmp_path: Path) -> None:
    """It wrote a file then, so running it now is running what nobody has read."""
    hook = new_machine(tmp_path)
    folders = put_back(name, hook.home)
    with closing(sqlite3.connect(folders.ledger)) as database:
        ((state,),) = database.execute("SELECT state FROM sessions WHERE id = 's1'").fetchall()
    assert f"{PROJECT}/src/app.py" in opened(state)[0].written
    hook.run(event(hook, "git status"))
    with closing(sqlite3.connect(folders.ledger)) as database:
        ((state,),) = database.execute("SELECT state FROM sessions WHERE id = 's1'").fetchall()
    assert f"{PROJECT}/src/app.py" in opened(state)[0].written


@pytest.mark.sampled(3)
def test_its_grants_are_listed_and_taken_back(name: str, desk: Machine) -> None:
    live = LEDGERS[name][3]
    found = desk.run("grants", "list", "--json").json
    grants = [one for one in (found["grants"] if isinstance(found, dict) else found) if one["state"] == "live"]
    assert len(grants) == live
    for one in grants:
        assert at_a_terminal(desk.home, "grants", "revoke", one["id"], "--yes").code == 0
    assert desk.run("audit", "verify").code == 0


@pytest.mark.sampled(3)
def test_its_approvals_are_dead_and_say_so(name: str, desk: Machine) -> None:
    """Another engine may read the same call differently, so nothing that was asked then fires now."""
    waiting = LEDGERS[name][4]
    found = desk.run("approvals", "list", "--all", "--json").json
    dead = [one for one in found if one["dead"]]
    if ASKED_BY.get(name) == __version__:
        waits = [one["id"] for one in found if one["status"] == "pending"]
        assert (len(dead), len(waits)) == (0, waiting)
        assert [at_a_terminal(desk.home, "approvals", "deny", one, "--yes").code for one in waits] == [0] * waiting
    else:
        assert len(dead) == waiting
    for one in dead:
        asked_by = ASKED_BY.get(name, "before 0.3.0")
        assert one["dead"] == f"it was asked by Interlock {asked_by}, and this is {__version__}"
        assert one["dead"] in desk.run("approvals", "show", one["id"]).out
        for answer in ("approve", "deny"):
            done = at_a_terminal(desk.home, "approvals", answer, one["id"], "--yes")
            assert (done.code, "can no longer fire" in done.out) == (1, True)
    assert desk.run("audit", "verify").code == 0


@pytest.mark.sampled(3)
def test_it_is_signed_and_pruned(name: str, desk: Machine) -> None:
    assert desk.run("audit", "checkpoint").code == 0
    assert at_a_terminal(desk.home, "audit", "prune", "--keep", "5", "--yes").code == 0
    assert desk.run("audit", "verify").code == 0


# --- the tables -----------------------------------------------------------------------------------------------------


def test_the_tables_of_a_version_never_change() -> None:
    """Who changes a step that ledgers were made with, instead of adding one, fails here."""
    assert len(schema.MIGRATIONS) == sql.VERSION
    for name in LEDGERS:
        with closing(sqlite3.connect(f"file:{KEPT / name}/ledger.db?immutable=1", uri=True)) as database:
            ((version,),) = database.execute("SELECT version FROM tip").fetchall()
            made = [
                text
                for (text,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
            ]
        assert made == Database.wanted_tables(version), name


def next_version(monkeypatch: pytest.MonkeyPatch) -> int:
    """As if this version knew one step more."""
    step = (
        "CREATE TABLE more (id TEXT PRIMARY KEY, seq {integer} NOT NULL)",
        "ALTER TABLE grants ADD COLUMN note TEXT",
        "INSERT INTO more (id, seq) VALUES ('a', 1)",
    )
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    monkeypatch.setattr("interlock.store.ledger.verify.MIGRATIONS", schema.MIGRATIONS)
    monkeypatch.setattr(sql, "VERSION", sql.VERSION + 1)
    return sql.VERSION


def test_a_ledger_with_older_tables_verifies_as_it_is_and_is_brought_up_to_date(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = put_back(name, tmp_path)
    version = next_version(monkeypatch)
    assert verify(folders).damage is None
    ledger = Ledger(folders.ledger)
    with ledger.deciding("s1") as turn:
        turn.append("decision", canonical({"n": 1}), key="k")
    ledger.close()
    assert verify(folders).damage is None
    with closing(sqlite3.connect(folders.ledger)) as database:
        assert database.execute("SELECT version FROM tip").fetchall() == [(version,)]
        assert database.execute("SELECT id FROM more").fetchall() == [("a",)]


def test_tables_that_claim_another_version_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = put_back(NEWEST, tmp_path)
    for claimed, words in ((7, "they were made by a newer Interlock (tables 7, this one knows 1)"), (0, None)):
        change(Path(folders.ledger), f"UPDATE tip SET version = {claimed}")
        damage = verify(folders).damage
        assert damage is not None
        assert damage.kind == "schema"
        assert words in (None, damage.text)
    change(Path(folders.ledger), "UPDATE tip SET version = 1")
    next_version(monkeypatch)
    change(Path(folders.ledger), "UPDATE tip SET version = 2")
    damage = verify(folders).damage
    assert damage is not None
    assert damage.kind == "schema"


# --- the team store ---------------------------------------------------------------------------------------------------


@pytest.fixture
def team(tmp_path: Path) -> tuple[str, Folders]:
    """The team store as the older version left it, and the ledger that was shipped to it."""
    import psycopg

    url = started_server().new_database()
    with psycopg.connect(url) as connection:
        connection.execute((KEPT / NEWEST / "team.sql").read_bytes())
    return url, put_back(NEWEST, tmp_path)


def whole(url: str, folders: Folders) -> list[tuple[int, bool]]:
    """Each chain of the store: its last row, and whether it is whole."""
    head = folders.state + "/team-look"
    own = verify_team_ledger(folders, PostgresDatabase(url, head=head))
    database = open_team(url, folders)
    try:
        chains = [own, *[verify_shipped(database, origin) for origin in origins(database)]]
    finally:
        database.close()
    return [(chain.seq, chain.damage is None) for chain in chains]


@pytest.mark.slow
def test_a_team_store_verifies_and_is_used_on(team: tuple[str, Folders]) -> None:
    url, folders = team
    assert whole(url, folders) == [(1, True), (LAST, True)]
    database = open_team(url, folders)
    ((grant,),) = list(database.rows("SELECT id FROM grants"))
    database.close()
    found = [redeem_shared(grant, canonical({"receipt": "r"}), url, folders) for _ in range(3)]
    assert found == [None, None, "it was used up, taken back or has expired in the team store"]
    with Ledger(folders.ledger).deciding("s1") as turn:
        turn.append("decision", canonical({"n": 1}), key="k")
    syncing = Syncing(folders, url)
    done = syncing.once()
    syncing.close()
    # what was fetched already came with the ledger; the two uses came since
    assert (done.shipped, done.seq) == (1, LAST + 1)
    assert whole(url, folders) == [(3, True), (LAST + 1, True)]


def test_a_team_store_with_older_tables_is_brought_up_to_date(
    team: tuple[str, Folders], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folders = team
    version = next_version(monkeypatch)
    assert whole(url, folders) == [(1, True), (LAST, True)]
    database = open_team(url, folders)
    with Ledger.on(database).deciding() as turn:
        turn.append("override", canonical({"n": 1}), key="k")
    assert database.row("SELECT version FROM tip") == (version,)
    database.close()
    assert whole(url, folders) == [(2, True), (LAST, True)]
