"""Fifty processes and forty grants for one use each: forty win, whoever comes first, on both engines."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from engines import ENGINES, Engine
from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.errors import StoreError
from interlock.model.session import Session
from interlock.policy.ahead import permitted_ahead
from interlock.runtime import judge
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.grants import GivenGrant, give
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.value import FrozenMap
from ledger_rows import ledger_rows
from postgres_server import started_server
from racing import RACERS, RACES, let_go, raced, said, without_hurry

SHARED = 40


def offered(engine: Engine, run: int) -> list[str]:
    """New grants for one use each."""
    names = [f"{run}-{n}" for n in range(SHARED)]
    ledger = engine.ledger()
    with ledger.deciding() as turn:
        for name in names:
            turn.grant(name, b"{}", key="k", uses=1)
    ledger.close()
    return names


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ENGINES)
def test_of_fifty_who_race_for_forty_single_use_grants_forty_win(name: str, tmp_path: Path) -> None:
    engine = Engine(name, tmp_path)
    given: list[str] = []
    for run in range(RACES):
        names = offered(engine, run)

        ledger = without_hurry(engine.ledger())

        def wins(number: int, ledger: Ledger = ledger, names: list[str] = names) -> bool:
            with ledger.deciding() as turn:
                return any(turn.redeem(name, b"{}") for name in names)

        def connects(ledger: Ledger = ledger) -> None:
            """A server that is slow to take in fifty at once is no part of the race."""
            end = time.monotonic() + 300
            while ledger.database.connection is None:
                try:
                    ledger.connect()
                except StoreError:
                    assert time.monotonic() < end

        assert Counter(raced(wins, first=connects)) == {True: SHARED, False: RACERS - SHARED}, f"run {run}"
        given += names
    assert sorted(row["key"] for row in engine.rows("redemption")) == sorted(given)
    assert engine.verify().damage is None


@pytest.mark.slow
def test_of_fifty_calls_that_forty_grants_would_lift_forty_are_allowed(tmp_path: Path) -> None:
    folders, root = folders_for(str(tmp_path / "home")), tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    policy = load_policy(folders, str(root))

    def allowed(number: int) -> bool:
        ledger = without_hurry(Ledger(folders.ledger))
        world = World(folders=folders, root=str(root), policy=policy, ledger=ledger, resumes=True)
        session = f"s{number % 5}"  # ten calls of each of five sessions
        given = FrozenMap({"command": "git push origin feature/x"})
        outcome = judge(Call(tool="Bash", input=given, cwd=str(root), session=session), world, Session(id=session))
        ledger.close()
        assert outcome.trouble is None, outcome.trouble
        return outcome.decision.verdict.name == "allow"

    assert not allowed(0)
    for run in range(RACES):
        ledger = Ledger(folders.ledger)
        grant = permitted_ahead("git push", {"destination": "*"}, by="me").replace(reach="everywhere")
        with ledger.deciding() as turn:
            for n in range(SHARED):
                give(turn, GivenGrant(grant=grant, holder="", uses=1, words=str(n)))
        ledger.close()
        assert Counter(raced(allowed)) == {True: SHARED, False: RACERS - SHARED}, f"run {run}"
    used = Counter(row["key"] for row in ledger_rows(Path(folders.ledger), "redemption"))
    assert set(used.values()) == {1}
    assert len(used) == SHARED * RACES
    assert verify(folders).damage is None


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_double_when_the_server_falls_in_the_middle(tmp_path: Path) -> None:
    """Eight redeem, and say which they were told they had won. One whose answer was lost on the way counts as won by
    nobody, and is used up all the same.
    """
    engine = Engine("postgres", tmp_path)
    won, writing = os.pipe()
    told: list[str] = []
    dice = random.Random(5)
    for run in range(RACES):
        names = offered(engine, run)

        def redeems(number: int, names: list[str] = names) -> bool:
            ledger = without_hurry(engine.ledger())
            left = names[number:] + names[:number]
            while left:
                try:
                    with ledger.deciding() as turn:
                        got = turn.redeem(left[0], b"{}")
                except StoreError:  # it is away; what became of this one is not known
                    ledger.close()
                    time.sleep(0.01)
                    continue
                if got:
                    os.write(writing, f"{left[0]}\n".encode())
                del left[0]
            return True

        redeeming = let_go(redeems, 8)
        time.sleep(dice.random() * 0.1)
        started_server().stop()
        started_server()
        assert all(said(redeeming))
        os.set_blocking(won, False)
        told += os.read(won, 1 << 16).decode().split()
    redeemed = [row["key"] for row in engine.rows("redemption")]
    assert len(told) == len(set(told))
    assert len(redeemed) == len(set(redeemed)) == SHARED * RACES
    assert set(told) <= set(redeemed)
    assert engine.verify().damage is None
