"""Many who ask at the same time are decided together, and each is answered for itself."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from interlock.model.errors import InputError
from interlock.serve.batches import Batches, Waiting
from interlock.serve.callers import Caller
from interlock.serve.errors import RefusedError
from interlock.store.ledger.verify import verify
from ledger_rows import ledger_rows
from serving import Serving

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY) as found:
        yield found


class Held:
    """Nothing is decided before it is let go, so that all who came by then wait together."""

    def __init__(self, service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
        assert service.api is not None
        self.go = threading.Event()
        self.sizes: list[int] = []
        engine = service.api.service.engine
        real = engine.propose_together

        def held(events: Any) -> Any:
            assert self.go.wait(20)
            self.sizes.append(len(events))
            return real(events)

        monkeypatch.setattr(engine, "propose_together", held)


def asks(service: Serving, text: str, body: Any) -> httpx.Response:
    head = {"authorization": f"Bearer {text}", "content-type": "application/json"}
    return httpx.post(f"{service.url}/v1/decisions", headers=head, json=body, timeout=40)


def test_each_of_those_who_wait_gets_an_answer_of_its_own(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    good, revoked, person = service.token("a", "agent"), service.token("b", "agent"), service.token("c", "approver")
    service.revoke("b")
    held = Held(service, monkeypatch)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(asks, service, good, service.call("lookup", {"id": 0}))
        time.sleep(0.05)
        sent = [
            (good, service.call("lookup", {"id": 1})),
            (good, service.call("wire_money", {"amount": 1})),
            (good, service.call("refund", {"amount": 1})),
            (revoked, service.call("lookup", {"id": 1})),
            (person, service.call("lookup", {"id": 1})),
            (good, {"tool": 7}),
            (good, service.call("lookup", {"id": 2}, cwd="not/absolute")),
        ]
        rest = [pool.submit(asks, service, *each) for each in sent]
        time.sleep(0.5)
        held.go.set()
        statuses = [each.result().status_code for each in (first, *rest)]
    assert statuses == [200, 200, 403, 202, 401, 403, 400, 400]
    assert verify(service.folders).damage is None


def test_a_batch_that_takes_long_is_passed(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes behind one that hangs is decided by another thread, also if nobody comes after them."""
    assert service.api is not None
    engine, hangs = service.api.service.engine, threading.Event()
    real, calls = engine.propose_together, []

    def slow(events: Any) -> Any:
        calls.append(len(events))
        if len(calls) == 1:
            hangs.wait(20)
        return real(events)

    monkeypatch.setattr(engine, "propose_together", slow)
    text = service.token("a", "agent")
    with ThreadPoolExecutor(2) as pool:
        stuck = pool.submit(asks, service, text, service.call("lookup", {"id": 0}))
        while not calls:
            time.sleep(0.01)
        began = time.monotonic()
        assert asks(service, text, service.call("lookup", {"id": 1})).status_code == 200
        assert time.monotonic() - began < 10
        hangs.set()
        assert stuck.result().status_code == 200


def test_what_a_batch_could_not_keep_is_decided_one_by_one(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    assert service.api is not None
    monkeypatch.setattr(service.api.service.engine, "propose_together", lambda events: [None] * len(events))
    text = service.token("a", "agent")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: asks(service, text, service.call("lookup", {"id": n})), range(16)))
    assert {answer.status_code for answer in answers} == {200}
    receipts = [row["key"] for row in ledger_rows(Path(service.folders.ledger)) if row["kind"] == "decision"]
    assert sorted(receipts) == sorted(answer.json()["receipt"] for answer in answers)


def test_a_token_that_is_revoked_is_refused_at_once(service: Serving) -> None:
    text = service.token("a", "agent")
    assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 200
    service.revoke("a")
    assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 401
    assert asks(service, text[:-1] + "x", service.call("lookup", {"id": 0})).status_code == 401


@pytest.mark.slow
def test_an_approval_fires_once_however_many_redeem_it_together(service: Serving) -> None:
    text = service.token("a", "agent")
    for amount in range(5):
        call = service.call("refund", {"amount": amount}, session=f"s{amount}")
        asked = asks(service, text, call)
        assert asked.status_code == 202
        answer = service.approver.post(f"/v1/approvals/{asked.json()['approval_id']}", json={"answer": "approve"})
        assert answer.status_code == 200
        with ThreadPoolExecutor(12) as pool:
            sent = [pool.submit(asks, service, text, call) for _ in range(12)]
            found = Counter(each.result().status_code for each in sent)
        assert found[200] == 1
        assert set(found) <= {200, 202, 403}  # the same call again and again is a loop
    redeemed = [row["key"] for row in ledger_rows(Path(service.folders.ledger)) if row["kind"] == "redemption"]
    assert len(redeemed) == len(set(redeemed)) == 5
    assert verify(service.folders).damage is None


@pytest.mark.slow
def test_a_question_that_ends_by_itself_releases_who_waits_for_it(service: Serving) -> None:
    """Also where it ends long before anybody would look again."""
    asked = service.agent.post("/v1/decisions", json=service.call("refund", {"amount": 3})).json()["approval_id"]
    with sqlite3.connect(service.folders.ledger) as database:
        database.execute("UPDATE approvals SET expires = ?", (int(time.time() * 1000) + 1500,))
    began = time.monotonic()
    answer = service.approver.get(f"/v1/approvals/{asked}?wait=25")
    assert time.monotonic() - began < 15
    assert answer.json()["status"] != "pending"


@pytest.mark.slow
def test_a_yes_is_not_used_up_for_whoever_has_left(service: Serving) -> None:
    text, call = service.token("a", "agent"), service.call("refund", {"amount": 4})
    head = {"authorization": f"Bearer {text}"}
    with pytest.raises(httpx.TimeoutException):
        httpx.post(f"{service.url}/v1/decisions?wait=30", headers=head, json=call, timeout=0.7)
    end = time.monotonic() + 30
    while not (waits := service.approver.get("/v1/approvals").json()["approvals"]):  # a busy machine asks later
        assert time.monotonic() < end
        time.sleep(0.05)
    (asked,) = waits
    assert service.approver.post(f"/v1/approvals/{asked['id']}", json={"answer": "approve"}).status_code == 200
    time.sleep(1)
    assert service.approver.get(f"/v1/approvals/{asked['id']}").json()["status"] == "approved"
    assert asks(service, text, call).status_code == 200


def test_a_refusal_leaves_nothing_to_the_collector(service: Serving) -> None:
    """Its body may be large, and the collector comes seldom."""
    assert service.api is not None
    text = service.token("a", "agent")
    gone: list[weakref.ref[Any]] = []
    threads = ThreadPoolExecutor(1)
    batches = Batches(service.api.service, threads, service.api.budgets)

    class Body(dict[str, Any]): ...

    async def refused(kind: Callable[[], Exception]) -> None:
        body = Body()
        gone.append(weakref.ref(body))

        def prepare(_caller: Caller) -> Any:
            body["read"] = True
            raise kind()

        try:
            await batches.decided(Waiting(text, frozenset({"agent"}), prepare))
        except (RefusedError, InputError):
            body["refused"] = True

    async def both() -> None:
        await refused(lambda: RefusedError("bad_request", "no"))
        await refused(lambda: InputError("no"))

    gc.disable()
    try:
        asyncio.run(both())
    finally:
        gc.enable()
        threads.shutdown()
    assert [ref() for ref in gone] == [None, None]
