"""The service on PostgreSQL: two of them on one database, and behind a pooler."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path

import pytest

from interlock.model.errors import InputError, StoreError
from interlock.serve.config import not_a_team_store
from interlock.serve.settings import settings_from
from interlock.store.ledger.lending import ledgers_in_postgres
from interlock.store.ledger.postgres import Database
from interlock.store.sql import OF_SESSION
from interlock.store.team.team import make_team_store
from machine import Machine
from pooler import Pooler
from postgres_server import started_server
from serve_process import ServeProcess
from serving import Serving
from two_services import POLICY, Two, refund, two_services


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    with two_services(tmp_path_factory.mktemp("direct"), started_server().new_database()) as found:
        yield found


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    server = started_server()
    with ExitStack() as stack:
        pooler = stack.enter_context(Pooler(server))
        url = pooler.url(server.new_database())
        yield stack.enter_context(two_services(tmp_path_factory.mktemp("pooled"), url))


@pytest.fixture(params=["direct", "pooled"])
def two(request: pytest.FixtureRequest) -> Two:
    found: Two = request.getfixturevalue(request.param)
    return found


@pytest.mark.slow
def test_the_option_of_the_command_puts_the_ledger_there(tmp_path: Path) -> None:
    """`interlock serve --database URL`, as a process of its own: started anew it goes on, and nothing is kept here."""
    url = started_server().new_database()
    service = ServeProcess(tmp_path, policy=POLICY, options={"database": url}, settings={"database": url})
    try:
        service.start()
        asked = refund(service.agent, 1, "kept-there")
        assert asked.status_code == 202
        service.kill()
        service.start()
        answer = service.approver.post(f"/v1/approvals/{asked.json()['approval_id']}", json={"answer": "approve"})
        assert answer.status_code == 200
        assert refund(service.agent, 1, "kept-there").status_code == 200
    finally:
        for client in service.clients.values():
            client.close()
        service.stop()
    assert not Path(service.folders.ledger).exists()
    with closing(service.ledger()) as ledger:
        assert [row.kind for row in ledger.connect().entries(OF_SESSION, ("kept-there", 100))].count("decision") == 2


@pytest.mark.parametrize("url", ["mysql://db.example/x", "ledger.db"])
def test_a_database_of_another_kind_is_refused_before_it_listens(tmp_path: Path, url: str) -> None:
    found = Machine(tmp_path).run("serve", "--port", "1", "--database", url)
    assert found.code != 0
    assert "interlock listens" not in found.err
    assert "postgresql://" in found.err


def test_it_says_whether_it_is_told_or_polls(direct: Two, pooled: Two) -> None:
    assert direct.one.agent.get("/readyz").json() == {
        "ready": True,
        "ledger": "ok",
        "policy": "ok",
        "waiting": "told",
    }
    assert pooled.one.agent.get("/readyz").json()["waiting"] == "polls"


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "within"), [("direct", 1.0), ("pooled", 2.0)])
def test_an_answer_at_one_releases_who_waits_at_the_other(
    kind: str, within: float, request: pytest.FixtureRequest
) -> None:
    two: Two = request.getfixturevalue(kind)
    asked = refund(two.one.agent, 1, "waits")
    assert asked.status_code == 202
    agent = two.at_two("robot", "agent")
    agent.get("/healthz")
    done: list[tuple[float, int]] = []

    def waits() -> None:
        status = refund(agent, 1, "waits", wait=30).status_code
        done.append((time.monotonic(), status))

    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(1.0)
    assert not done
    answer = two.one.approver.post(asked.headers["location"], json={"answer": "approve"})
    given = time.monotonic()
    assert answer.status_code == 200
    thread.join(20)
    ((at, status),) = done
    assert status == 200
    assert at - given <= within


@pytest.mark.slow
def test_one_yes_is_redeemed_once_whoever_comes_first(two: Two) -> None:
    agent = two.at_two("robot", "agent")
    for number in range(5):
        asked = refund(two.one.agent, number, f"once{number}")
        two.one.approver.post(asked.headers["location"], json={"answer": "approve"})
        with ThreadPoolExecutor(8) as pool:
            tries = [pool.submit(refund, client, number, f"once{number}") for client in [two.one.agent, agent] * 4]
        codes = [one.result().status_code for one in tries]
        assert codes.count(200) == 1, codes
        # Asked again and again without an answer, it is refused: the person has been reminded often enough.
        assert set(codes) <= {200, 202, 403}, codes


def test_a_session_of_one_token_is_no_other_tokens_at_the_other_service(two: Two) -> None:
    call = {"tool": "lookup", "input": {}, "session": "mine", "cwd": "/"}
    assert two.one.agent.post("/v1/decisions", json=call).status_code == 200
    assert two.at_two("other-robot", "agent").post("/v1/decisions", json=call).status_code == 403
    assert two.at_two("robot", "agent").post("/v1/decisions", json=call).status_code == 200


def test_a_revoked_token_is_good_at_neither(two: Two) -> None:
    two.one.client("leaver", "agent")
    agent = two.at_two("leaver", "agent")
    assert agent.get("/v1/approvals").status_code == 200
    two.one.revoke("leaver")
    assert agent.get("/v1/approvals").status_code == 401


@pytest.mark.sampled(3)
def test_many_calls_at_once_leave_one_whole_chain(two: Two) -> None:
    agent = two.at_two("robot", "agent")

    def looked(number: int) -> int:
        call = {"tool": "lookup", "input": {"id": number}, "session": f"many{number % 7}", "cwd": "/"}
        client = (two.one.agent, agent)[number % 2]
        return client.post("/v1/decisions", json=call).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(looked, range(60))) == {200}
    with closing(two.one.ledger()) as ledger:
        rows = list(ledger.connect().entries("SELECT * FROM ledger ORDER BY seq"))
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert all(row.prev == before.hash for before, row in pairwise(rows))


def test_a_pooled_connection_keeps_no_setting_of_ours(pooled: Two) -> None:
    """Whoever is lent the connection next would look for its tables in ours, and be cut off by our limits."""
    import psycopg

    refund(pooled.one.agent, 3, "clean")
    for _ in range(6):
        with psycopg.connect(pooled.one.settings.database, autocommit=True, prepare_threshold=None) as other:
            told = other.execute(
                "SELECT current_setting('search_path'), current_setting('lock_timeout'),"
                " current_setting('statement_timeout'), (SELECT count(*) FROM pg_listening_channels()),"
                " (SELECT count(*) FROM pg_prepared_statements)"
            ).fetchone()
        assert told == ('"$user", public', "0", "0", 0, 0)


def test_a_pooler_is_noticed_and_the_server_alone_is_not(direct: Two, pooled: Two) -> None:
    for two, expected in ((direct, False), (pooled, True)):
        with closing(two.one.ledger()) as ledger:
            database = ledger.connect()
            assert isinstance(database, Database)
            assert database.pooled is expected
            assert database.can_listen() is not expected


@pytest.mark.slow
def test_a_lock_behind_a_pooler_is_not_waited_for_forever(pooled: Two, tmp_path: Path) -> None:
    makes = ledgers_in_postgres(pooled.one.settings.database, pooled.one.folders)
    with closing(pooled.one.ledger()) as slow, closing(makes("serve", 0.2)) as quick:
        turn = quick.deciding()
        with slow.deciding(), pytest.raises(StoreError, match=r"another writer holds its lock|took too long"):
            turn.__enter__()
        with quick.deciding():
            pass


def test_a_team_store_is_not_a_services_ledger(tmp_path: Path) -> None:
    url = started_server().new_database()
    service = Serving(tmp_path, policy=POLICY, settings={"database": url})
    with closing(service.ledger()) as ledger:
        not_a_team_store(ledger)
        database = ledger.connect()
        assert isinstance(database, Database)
        make_team_store(database)
        with pytest.raises(StoreError, match="a database of its own"):
            not_a_team_store(ledger)


@pytest.mark.parametrize("url", ["mysql://db/x", "postgresql://me:secret@db/x", "postgresql://db/x?password=x"])
def test_an_address_with_a_password_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InputError, match="`database` must be") as refused:
        settings_from(f'database = "{url}"', "serve.toml", {})
    assert "secret" not in str(refused.value)
