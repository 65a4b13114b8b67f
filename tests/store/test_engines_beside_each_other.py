"""Several engines on one ledger, in one process and in many: each decides, and between them everything happens once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engines import ENGINES
from engines import Engine as Kept
from interlock.calls.world import Outcome
from interlock.engine import Engine
from interlock.model.call import Call
from interlock.model.events import Place, Proposed
from interlock.record.resume import opened
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.lending import Lending, ledgers_in_postgres
from interlock.store.people.answering import answered, every_question, one_question
from interlock.value import FrozenMap
from postgres_server import started_server
from racing import raced

PUSH = {"command": "git push --force origin main"}
HURRY = 120.0  # seconds: what is not about patience must not fail for want of it


class Desk:
    """A project whose questions are answered at a terminal, and engines that look after it."""

    def __init__(self, kept: Kept, folder: Path) -> None:
        self.kept = kept
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        Path(kept.folders.config).mkdir(parents=True)
        Path(kept.folders.user_policy).write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
        self.engines: list[Engine] = []

    def engine(self, *, connections: int = 4, patience: float = HURRY) -> Engine:
        made = Engine(
            self.kept.folders,
            front="cli:decide",
            watches=False,
            resident=True,
            ledger=self._makes(),
            connections=connections,
            patience=patience,
        )
        self.engines.append(made)
        return made

    def _makes(self) -> Callable[[str, float], Ledger] | None:
        return None if self.kept.url is None else ledgers_in_postgres(self.kept.url, self.kept.folders)

    def call(self, tool: str, given: dict[str, object], session: str = "s") -> Proposed:
        call = Call(tool=tool, input=FrozenMap(given), cwd=str(self.project), session=session)
        return Proposed(place=Place(host="", session=session, cwd=str(self.project), attended=False), call=call)

    def push(self, engine: Engine) -> Outcome:
        outcome = engine.propose(self.call("Bash", dict(PUSH)))
        assert outcome.trouble is None, outcome.trouble
        return outcome

    def read(self, engine: Engine, session: str = "s", name: str = "a.txt") -> Outcome:
        return engine.propose(self.call("Read", {"file_path": str(self.project / name)}, session))

    def approve(self, engine: Engine) -> str:
        with engine.lent() as ledger:
            (asked,) = every_question(ledger)
            answered(ledger, asked, yes=True, by="a test", why="")
            return asked.question.id

    def verify(self) -> None:
        assert self.kept.verify().damage is None


@pytest.fixture
def desk(engine: Kept, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(engine, tmp_path)
    yield made
    for one in made.engines:
        one.close()


def verdict(outcome: Outcome) -> str:
    return outcome.decision.verdict.name


def test_what_one_asks_another_sees_and_a_third_redeems(desk: Desk) -> None:
    one, two, three = desk.engine(), desk.engine(), desk.engine()
    asked = desk.push(one)
    assert (verdict(asked), asked.decision.approval is not None) == ("deny", True)
    assert desk.push(two).decision.approval == asked.decision.approval  # it is the same question
    assert desk.approve(two) == asked.decision.approval
    assert verdict(desk.push(three)) == "allow"
    again = desk.push(one)
    assert verdict(again) == "deny"
    assert again.decision.approval != asked.decision.approval
    desk.verify()
    assert [row["key"] for row in desk.kept.rows("redemption")] == [asked.decision.approval]


def test_a_question_is_found_by_its_id_and_by_the_beginning_of_it(desk: Desk) -> None:
    engine = desk.engine()
    id = str(desk.push(engine).decision.approval)
    with engine.lent() as ledger:
        assert one_question(ledger, id).question.id == id
        assert one_question(ledger, id[:9]).question.id == id
        for name in ("", "ap_zzz", id + "0", "ap_ä"):
            with pytest.raises(Exception, match="nobody has asked"):
                one_question(ledger, name)
        other = str(engine.propose(desk.call("refund", {"amount": 5})).decision.approval)
        with pytest.raises(Exception, match="the beginning of 2 approvals"):
            one_question(ledger, "ap_")
        assert [asked.question.id for asked in every_question(ledger)] == [id, other]


def test_a_ledger_that_nobody_made_has_no_questions(engine: Kept) -> None:
    with closing(engine.ledger()) as ledger:
        assert every_question(ledger) == []
        assert (ledger.database.connection is None) == (engine.url is None)  # no file is made by asking


def test_looking_at_questions_waits_for_nobody(desk: Desk) -> None:
    engine = desk.engine()
    id = str(desk.push(engine).decision.approval)
    with closing(desk.kept.ledger()) as other, other.deciding() as turn:  # somebody holds the lock for long
        assert turn.seq > 0
        with engine.lent() as ledger:
            assert [asked.question.id for asked in every_question(ledger)] == [id]
            assert one_question(ledger, id).is_open


@pytest.mark.sampled(3)
def test_of_many_processes_one_redeems_an_approval(desk: Desk) -> None:
    first = desk.engine()
    desk.push(first)
    desk.approve(first)
    first.close()
    assert sum(raced(lambda _: verdict(desk.push(desk.engine())) == "allow", 8)) == 1
    desk.verify()
    assert len(desk.kept.rows("redemption")) == 1


def test_a_fork_has_connections_of_its_own(desk: Desk) -> None:
    engine = desk.engine()  # made, and used, before the processes part
    assert verdict(desk.read(engine)) == "allow"
    assert raced(lambda number: verdict(desk.read(engine, f"child {number}")) == "allow", 4) == [True] * 4
    assert desk.read(engine).trouble is None
    desk.verify()
    assert len(desk.kept.rows("decision")) == 6


@pytest.mark.sampled(3)
def test_an_engine_that_is_killed_takes_nothing_with_it(desk: Desk) -> None:
    """It redeems at most once what it was told, whenever it dies, and the others go on."""
    other = desk.engine()
    for cycle in range(6):
        assert verdict(desk.push(other)) == "deny"
        desk.approve(other)
        told, tells = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(told)
                engine = desk.engine()
                while True:
                    os.write(tells, b"+" if verdict(desk.push(engine)) == "allow" else b"-")
            finally:
                os._exit(1)
        os.close(tells)
        time.sleep(0.01 + 0.03 * cycle)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = b""
        while chunk := os.read(told, 1 << 16):
            said += chunk
        os.close(told)
        fired = said.count(b"+") + (verdict(desk.push(other)) == "allow")
        used = len(desk.kept.rows("redemption"))
        assert fired <= 1, said
        assert used == cycle + 1  # a use that nobody was told of is lost, and never doubled
    desk.verify()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_server_that_comes_back_is_used_again(desk: Desk) -> None:
    engine = desk.engine(patience=4.0)
    assert desk.read(engine).trouble is None
    server = started_server()
    server.stop()
    server.start()
    assert desk.read(engine).trouble is None  # nobody called while it was away: nothing shows
    server.stop()
    try:
        reads = desk.read(engine)
        assert verdict(reads) == "allow"
        assert "cannot be reached" in str(reads.trouble) or "went away" in str(reads.trouble)
        writes = engine.propose(desk.call("Write", {"file_path": str(desk.project / "x"), "content": ""}))
        assert (verdict(writes), writes.trouble is None) == ("deny", False)
    finally:
        server.start()
    assert desk.read(engine).trouble is None
    desk.verify()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_many_threads_lose_nothing(desk: Desk) -> None:
    engine = desk.engine(connections=3)
    threads, calls = 8, 200 if desk.kept.url is None else 50
    desk.push(engine)
    approval = desk.approve(engine)
    fired: list[str] = []
    troubles: list[object] = []

    def work(number: int) -> None:
        try:
            for n in range(calls):
                session = "shared" if n % 2 else f"own {number}"
                outcome = desk.read(engine, session, f"{number}-{n}.txt")
                if outcome.trouble is not None or verdict(outcome) != "allow":
                    troubles.append((number, n, outcome.trouble, verdict(outcome)))
                if n % 40 == 7 and verdict(desk.push(engine)) == "allow":
                    fired.append(f"{number} {n}")
        except BaseException as error:
            troubles.append(error)
            raise

    running = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert troubles == []
    assert len(fired) == 1
    desk.verify()
    rows = desk.kept.rows("decision")
    reads = Counter(row["session"] for row in rows if row["session"] != "s")
    assert reads == {"shared": threads * calls // 2, **{f"own {n}": calls // 2 for n in range(threads)}}
    assert [row["key"] for row in desk.kept.rows("redemption")] == [approval]
    with engine.lent() as ledger:
        for session, count in reads.items():
            state = ledger.session(session)
            assert state is not None
            assert opened(state)[0].calls == count


def test_where_no_connection_gets_free_only_reads_pass(desk: Desk) -> None:
    engine = desk.engine(connections=1, patience=0.2)
    taken, done = threading.Event(), threading.Event()

    def keep() -> None:
        with engine.lent():
            taken.set()
            done.wait(60)

    other = threading.Thread(target=keep)
    other.start()
    taken.wait(60)
    try:
        reads = desk.read(engine)
        assert (verdict(reads), reads.trouble) == ("allow", "all 1 connections to the ledger were in use for 0.2 s")
        writes = engine.propose(desk.call("Write", {"file_path": str(desk.project / "x"), "content": ""}))
        assert (verdict(writes), writes.trouble is None) == ("deny", False)
    finally:
        done.set()
        other.join()
    assert desk.read(engine).trouble is None


def test_a_connection_that_cannot_be_made_does_not_use_one_up() -> None:
    tries = []

    def make() -> Ledger:
        tries.append(1)
        raise ValueError("not today")

    lending = Lending(make, most=1, patience=0.1)
    for _ in range(3):
        with pytest.raises(ValueError, match="not today"):
            lending.take()
    assert len(tries) == 3
    with pytest.raises(ValueError, match="at least one"):
        Lending(make, most=0, patience=0.1)
