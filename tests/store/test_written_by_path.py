"""Which files any session has written is asked by path, and a session that wrote very many changes it for no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import ENGINES, Engine
from interlock.limits import MAX_SESSION_PATH_CHARS, MAX_SESSION_PATHS
from interlock.model.posture import Posture
from interlock.model.session import Session, inherit
from interlock.model.touched import bounded
from interlock.record.resume import resumed, state_of
from interlock.store.ledger import written
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.lending import ledgers_in_postgres
from interlock.store.ledger.postgres import Database as PostgresDatabase
from interlock.store.ledger.upkeep import prune


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    return Engine(request.param, tmp_path / "home")


def staying(engine: Engine) -> Ledger:
    ledger = engine.ledger()
    return Ledger.on(ledger.database, stays=True)


def save(ledger: Ledger, name: str, *paths: str, kept: frozenset[str] = frozenset()) -> None:
    session = Session(id=name, written=kept | frozenset(paths))
    with ledger.deciding(name) as turn:
        turn.append("session", b"{}", key=name, state=state_of(session, Posture.INTERACTIVE))


def everywhere(engine: Engine, stays: Ledger, path: str) -> bool:
    """The same by a process that stays and by one that does not."""
    plain = engine.ledger()
    found = plain.wrote(path)
    plain.close()
    assert stays.wrote(path) == found
    return found


def test_a_path_is_found_whoever_wrote_it_and_whenever(engine: Engine) -> None:
    ledger = staying(engine)
    save(ledger, "a", "/p/a.sh", "/p/fetched/", '/p/ö "x".sh')
    save(ledger, "plain", "/p/ö x,[1].sh", "/p/:/", "/p/{}/a:b")
    for path in ("/p/ö x,[1].sh", "/p/:/deep", "/p/{}/a:b"):
        assert everywhere(engine, ledger, path)
    assert everywhere(engine, ledger, "/p/a.sh")
    assert everywhere(engine, ledger, "/p/fetched/deep/run.js")
    assert everywhere(engine, ledger, '/p/ö "x".sh')
    for path in ("/p/b.sh", "/p/a.sh2", "/p/a", "/p", "/q/p/a.sh", "/p/fetched"):
        assert not everywhere(engine, ledger, path)
    other = engine.ledger()  # another process
    save(other, "b", "/p/b.sh")
    save(other, "a", "/p/a.sh", "/p/c.sh")
    other.close()
    for path in ("/p/a.sh", "/p/b.sh", "/p/c.sh"):
        assert everywhere(engine, ledger, path)
    assert not everywhere(engine, ledger, "/p/fetched/deep/run.js")  # the session does not say so any more
    ledger.close()


def test_a_session_that_wrote_more_than_it_knows_by_name_changes_nothing_for_others(engine: Engine) -> None:
    ledger = staying(engine)
    save(ledger, "old", "/")  # as an older version kept it
    many = bounded(frozenset(), {f"/p/gen/{number}" for number in range(MAX_SESSION_PATHS + 9)})
    assert "/" in many
    save(ledger, "many", kept=many)
    known = next(iter(many - {"/"}))
    assert everywhere(engine, ledger, known)
    assert not everywhere(engine, ledger, "/p/run.sh")
    assert not everywhere(engine, ledger, "/tmp/somebody-elses.txt")
    ledger.close()


def test_only_what_was_saved_since_is_read_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = staying(engine)
    for number in range(30):
        save(ledger, f"s{number}", f"/p/{number}.sh")
    assert not ledger.wrote("/p/none.sh")
    read: list[str] = []

    def counted(state: bytes) -> frozenset[bytes] | None:
        read.append(str(len(state)))
        return paths_of(state)

    paths_of = written._paths_of
    monkeypatch.setattr(written, "_paths_of", counted)
    assert not ledger.wrote("/p/none.sh")
    assert len(read) == 0
    save(ledger, "s3", "/p/3.sh", "/p/more.sh")
    assert not ledger.wrote("/p/none.sh")
    assert len(read) == 1
    assert ledger.wrote("/p/more.sh")
    ledger.close()


def test_a_process_that_stays_takes_no_state_apart_to_begin_with(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = staying(engine)
    save(ledger, "a", "/p/a.sh")
    monkeypatch.setattr(written, "opened", None)
    assert ledger.wrote("/p/a.sh")
    assert not ledger.wrote("/p/b.sh")
    ledger.close()


def test_a_process_that_stays_on_postgres_asks_by_path_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine("postgres", tmp_path / "home")
    assert engine.url is not None
    ledger = ledgers_in_postgres(engine.url, engine.folders)("", 5.0)
    save(ledger, "a", "/p/a.sh")
    assert ledger.wrote("/p/a.sh")
    monkeypatch.setattr(PostgresDatabase, "states_that_hold", None)
    assert not ledger.wrote("/p/b.sh")
    save(ledger, "b", "/p/c.sh")
    assert not ledger.wrote("/p/b.sh")
    ledger.close()


def test_it_is_right_after_a_prune(tmp_path: Path) -> None:
    engine = Engine("sqlite", tmp_path / "home")
    ledger = staying(engine)
    for number in range(5):
        save(ledger, f"s{number}", f"/p/{number}.sh")
    assert everywhere(engine, ledger, "/p/0.sh")
    ledger.close()
    assert prune(engine.folders, keep=1) is not None
    ledger = staying(engine)
    save(ledger, "later", "/p/later.sh")
    for path in ("/p/0.sh", "/p/4.sh", "/p/later.sh"):
        assert everywhere(engine, ledger, path)
    assert not everywhere(engine, ledger, "/p/none.sh")
    ledger.close()


def test_a_state_that_cannot_be_read_stops_no_other_session(engine: Engine) -> None:
    ledger = staying(engine)
    save(ledger, "a", "/p/a.sh")
    with ledger.deciding("odd") as turn:
        turn.append("session", b"{}", key="odd", state=b'{"of":"a later version","written":["/p/odd.sh"]}')
    assert everywhere(engine, ledger, "/p/a.sh")
    assert everywhere(engine, ledger, "/p/odd.sh")
    assert not everywhere(engine, ledger, "/p/none.sh")
    ledger.close()


def test_a_session_below_one_that_wrote_too_much_is_strict_by_itself() -> None:
    above = Session(id="above", written=frozenset(("/", "/p/a.sh")))
    below = inherit(Session(id="below", parent="above", written=frozenset(("/p/b.sh",))), above)
    assert below.written == {"/", "/p/a.sh", "/p/b.sh"}
    again = resumed(state_of(below, below.posture), Session(id="below", parent="above", written=above.written))
    assert again.written == below.written


def test_what_is_known_by_name_stays_so_beyond_the_limit() -> None:
    first = frozenset(f"/p/{number:05}" for number in range(MAX_SESSION_PATHS - 1))
    assert bounded(first, {"/p/a"}) == first | {"/p/a"}
    assert bounded(first, {"/p/a", "/p/b"}) == first | {"/p/a", "/"}
    full = bounded(first, {"/p/a", "/p/b"})
    assert bounded(full, {"/p/c"}) == full
    assert bounded(frozenset(("/p/a",)), {"/"}) == {"/p/a", "/"}


def test_long_names_are_no_more_than_many_short_ones() -> None:
    """Else a session of long names had a state that no call could read any more."""
    known = frozenset[str]()
    for number in range(900):
        known = bounded(known, {f"/{number:04}" + "x" * 4000})
    assert "/" in known
    assert MAX_SESSION_PATH_CHARS - 4096 < sum(map(len, known)) <= MAX_SESSION_PATH_CHARS
    assert bounded(known, {"/another"}) == known
    assert len(state_of(Session(id="s", written=known, created=known - {"/"}), Posture.INTERACTIVE)) < 5 * 1024 * 1024
