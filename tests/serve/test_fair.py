"""One token cannot stall another: what it may take is counted as it comes, and everybody is decided in turn."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from interlock.serve.answers import answer_to
from interlock.serve.batches import _Lane
from interlock.serve.budgets import Buckets
from interlock.serve.errors import RefusedError
from interlock.serve.parameters import is_large
from interlock.serve.turns import Turns
from raw_http import connected, head, said
from serve_process import ServeProcess
from serving import Serving

POLICY = """version = 1
profile = "serve"
[tools.lookup]
effects = ["read"]
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY) as found:
        yield found


def asks(service: Serving, text: str, body: Any, path: str = "/v1/decisions") -> httpx.Response:
    bearer = {"authorization": f"Bearer {text}", "content-type": "application/json"}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.post(f"{service.url}{path}", headers=bearer, content=raw, timeout=60)


# --- turns --------------------------------------------------------------------------------------------------------


def test_one_of_each_flow_comes_before_the_second_of_any() -> None:
    turns: Turns[str] = Turns()
    for number in range(1000):
        turns.put("busy", f"busy-{number}")
    assert turns.take(1, 1) == ["busy-0"]
    turns.put("quiet", "quiet-0")
    turns.put("third", "third-0")
    assert turns.take(4, 2) == ["busy-1", "quiet-0", "third-0", "busy-2"]
    turns.put("quiet", "quiet-1")
    assert [turns.take(1, 1)[0].split("-")[0] for _ in range(3)] == ["busy", "quiet", "busy"]
    while turns:
        assert len(turns.take(16, 8)) <= 8


def test_one_token_fills_a_batch_only_while_nobody_else_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("interlock.serve.batches.time.monotonic", lambda: now[0])
    lane = _Lane(16, 0.1, 4, 2, {}, Counter())

    def comes(flow: str, count: int) -> list[str]:
        for _ in range(count):
            lane.put(SimpleNamespace(flow=flow))  # type: ignore[arg-type]
        batch = lane.take()
        lane.done(batch)
        return [waiting.flow for waiting in batch]

    assert comes("busy", 20) == ["busy"] * 8
    assert comes("quiet", 1) == ["busy", "quiet", "busy"]
    assert comes("busy", 1) == ["busy"] * 2
    now[0] += 2
    assert comes("busy", 1) == ["busy"] * 8


def test_a_thousand_that_wait_delay_another_token_by_one(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    assert service.api is not None
    engine, go, order = service.api.service.engine, threading.Event(), []
    came: list[str] = []
    real, lanes = engine.propose_together, service.api.batches._lanes.values()

    def until(count: int, session: str = "") -> None:
        """So many wait or are under way, and one of that session is among them."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            waiting = [one for lane in lanes for flow in list(lane.waiting._flows.values()) for one in list(flow)]
            if len(waiting) + len(came) >= count and (not session or session in came or len(waiting) + len(came) > 60):
                return
            time.sleep(0.02)
        raise AssertionError("they did not come")

    def held(events: Any) -> Any:
        came.extend([event.call.session for event in events])
        assert go.wait(20)
        order.append([event.call.session for event in events])
        return real(events)

    busy, quiet = service.token("busy", "agent"), service.token("quiet", "agent")
    for text, name in ((busy, "busy"), (quiet, "quiet")):
        assert asks(service, text, service.call("lookup", {"id": 0}, session=name)).status_code == 200
    monkeypatch.setattr(engine, "propose_together", held)
    with ThreadPoolExecutor(61) as pool:
        sent = [pool.submit(asks, service, busy, service.call("lookup", {"id": n}, session="busy")) for n in range(60)]
        until(60)
        sent.append(pool.submit(asks, service, quiet, service.call("lookup", {"id": 1}, session="quiet")))
        until(61, "quiet")
        go.set()
        assert {each.result().status_code for each in sent} == {200}
    # Those that were under way when it came are over first; of the next batch it is the first or the second.
    at = next(at for at, batch in enumerate(order) if "quiet" in batch)
    assert order[at].index("quiet") <= 1
    assert any(order[at + 1 :])  # threads that took a later batch may have been quicker


# --- budgets ------------------------------------------------------------------------------------------------------


def test_a_bucket_says_truly_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("interlock.serve.budgets.time.monotonic", lambda: now[0])
    bucket = Buckets(2, 4, "many requests")
    for _ in range(4):
        bucket.take("one")
    bucket.take("two")
    with pytest.raises(RefusedError) as refused:
        bucket.take("one", 4)
    assert refused.value.headers == {"retry-after": "2"}
    now[0] += 2
    bucket.take("one", 4)
    bucket.owe("one", 10)
    with pytest.raises(RefusedError) as refused:
        bucket.take("one", 0)
    now[0] += float(refused.value.headers["retry-after"])
    bucket.take("one", 0)


def test_requests_at_once_are_counted_when_they_come(tmp_path: Path) -> None:
    with Serving(tmp_path, policy=POLICY, settings={"rate": 1, "burst": 20}) as service:
        text = service.token("busy", "agent")
        other = service.token("quiet", "agent")
        began = time.monotonic()
        with ThreadPoolExecutor(60) as pool:
            bodies = [service.call("lookup", {"id": number}) for number in range(120)]
            found = list(pool.map(lambda body: asks(service, text, body), bodies))
        statuses = Counter(answer.status_code for answer in found)
        refused = [answer for answer in found if answer.status_code == 429]
        # The first of all may come before the token is known, and count for its text.
        assert statuses[200] <= 2 * 20 + (time.monotonic() - began) + 1
        assert statuses[200] + statuses[429] == 120
        assert {answer.json()["error"]["code"] for answer in refused} == {"rate_limited"}
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
        assert asks(service, other, service.call("lookup", {"id": 1}, session="quiet")).status_code == 200


def test_who_asks_again_at_once_is_refused_ever_more_slowly(tmp_path: Path) -> None:
    """Otherwise the service has nothing to do but refuse, and everybody else waits for that."""
    with Serving(tmp_path, policy=POLICY, settings={"rate": 1, "burst": 1}) as service:
        busy, quiet = service.token("busy", "agent"), service.token("quiet", "agent")
        body = json.dumps(service.call("lookup", {"id": 0})).encode()
        while asks(service, busy, body).status_code == 200:  # the first comes before the token is known
            pass
        began = time.monotonic()
        assert asks(service, busy, body).status_code == 429
        assert time.monotonic() - began < 1  # one by itself is told at once
        end = time.monotonic() + 2

        def hammer(_: int) -> int:
            count = 0
            bearer = {"authorization": f"Bearer {busy}", "content-type": "application/json"}
            with httpx.Client(base_url=service.url, headers=bearer, timeout=20) as client:
                while time.monotonic() < end:
                    count += client.post("/v1/decisions", content=body).status_code == 429
            return count

        with ThreadPoolExecutor(24) as pool:
            refused = list(pool.map(hammer, range(24)))
            assert asks(service, quiet, service.call("lookup", {"id": 1}, session="quiet")).status_code == 200

        assert 0 < sum(refused) <= 24 + 3 * 20


def test_bytes_are_counted_before_they_are_read(tmp_path: Path) -> None:
    settings = {"body": 64 * 1024, "traffic": 64 * 1024}
    with Serving(tmp_path, policy=POLICY, settings=settings) as service:
        text, other = service.token("robot", "agent"), service.token("quiet", "agent")
        service.client("root", "admin")
        assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 200
        peers = []
        codes = []
        for _ in range(5):  # none of them sends its body
            peer = connected(service.settings.port)
            peer.sendall(head(service, "POST /v1/decisions HTTP/1.1", "Content-Length: 60000", token="robot"))
            peers.append(peer)
        for peer in peers[2:]:
            found = said(peer)
            codes.append((found.status, found.code))
            assert int(found.headers["retry-after"]) >= 1
        assert codes == [(429, "rate_limited")] * 3
        assert asks(service, other, service.call("lookup", {"id": 1}, session="quiet")).status_code == 200
        for peer in peers:
            peer.close()


def test_a_body_in_pieces_is_counted_as_it_comes(tmp_path: Path) -> None:
    settings = {"body": 64 * 1024, "traffic": 64 * 1024}
    with Serving(tmp_path, policy=POLICY, settings=settings) as service:
        text = service.token("robot", "agent")
        assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 200
        raw = json.dumps(service.call("lookup", {"id": "x" * 60_000})).encode()
        lines = ("Content-Type: application/json", "Transfer-Encoding: chunked")
        statuses = []
        for _ in range(4):
            with connected(service.settings.port) as peer:
                first = head(service, "POST /v1/decisions HTTP/1.1", *lines, token="robot")
                peer.sendall(first + b"%x\r\n%s\r\n0\r\n\r\n" % (len(raw), raw))
                statuses.append(said(peer).status)
        assert statuses[:2] == [200, 200]
        assert 429 in statuses


def test_the_processors_time_is_owed(service: Serving) -> None:
    assert service.api is not None
    text, other = service.token("robot", "agent"), service.token("quiet", "agent")
    assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 200
    service.api.budgets.spent(service.ids["robot"], 60)
    refused = asks(service, text, service.call("lookup", {"id": 1}))
    assert (refused.status_code, refused.json()["error"]["message"]) == (429, "too much work; wait a little")
    assert 100 <= int(refused.headers["retry-after"]) <= 120
    assert asks(service, other, service.call("lookup", {"id": 1}, session="quiet")).status_code == 200


def test_a_name_that_is_made_up_takes_from_no_token(tmp_path: Path) -> None:
    """The id of a token is no secret: naming it must not use up what its holder may take."""
    with Serving(tmp_path, policy=POLICY, settings={"rate": 1, "burst": 5}) as service:
        text = service.token("robot", "agent")
        assert asks(service, text, service.call("lookup", {"id": 0})).status_code == 200
        guess = text[:-4] + "wxyz"
        assert {asks(service, guess, service.call("lookup", {"id": 1})).status_code for _ in range(12)} == {401, 429}
        assert asks(service, text, service.call("lookup", {"id": 2})).status_code == 200


def test_many_small_values_are_too_large_and_a_long_text_is_not(service: Serving) -> None:
    text = service.token("robot", "agent")
    dense = service.call("lookup", {"id": [1] * 200_000})
    for path in ("/v1/decisions", "/v1/decisions?mode=preview", "/v1/outcomes"):
        found = asks(service, text, dense, path)
        assert (found.status_code, found.json()["error"]["code"]) == (413, "too_large")
    long = service.call("lookup", {"id": '1,[{",\\' * 100_000})
    assert asks(service, text, long).status_code == 200


def test_what_a_large_call_is_told_is_not_worked_out_by_the_loop(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[str, bool] = {}
    loops: list[threading.Thread] = []

    def told(outcome: Any, *, verbose: bool) -> Any:
        threads[outcome.call.session] = threading.current_thread() in loops
        return answer_to(outcome, verbose=verbose)

    def large(request: Any) -> bool:
        loops.append(threading.current_thread())
        return is_large(request)

    monkeypatch.setattr("interlock.serve.deciding.answer_to", told)
    monkeypatch.setattr("interlock.serve.deciding.is_large", large)
    text = service.token("robot", "agent")
    for session, size in (("small", 10), ("large", 5000)):
        call = service.call("lookup", {"id": "x" * size}, session=session)
        assert asks(service, text, call).status_code == 200
    assert threads == {"small": True, "large": False}


def test_a_large_call_is_decided_apart(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided together holds no large call, and the loop that listens reads none."""
    assert service.api is not None
    from interlock.bytes import strict
    from interlock.serve import parameters

    where: dict[int, bool] = {}
    real = strict.parse_object

    def parsed(raw: bytes) -> Any:
        try:
            asyncio.get_running_loop()
            where[len(raw)] = True
        except RuntimeError:
            where[len(raw)] = False
        return real(raw)

    monkeypatch.setattr(parameters, "parse_object", parsed)
    engine, sizes = service.api.service.engine, []
    together = engine.propose_together

    def seen(events: Any) -> Any:
        sizes.append([len(str(event.call.input.get("id"))) for event in events])
        return together(events)

    monkeypatch.setattr(engine, "propose_together", seen)
    text = service.token("robot", "agent")
    bodies = [service.call("lookup", {"id": "x" * (200_000 if n % 4 == 0 else n)}) for n in range(24)]
    with ThreadPoolExecutor(12) as pool:
        assert {each.status_code for each in pool.map(lambda body: asks(service, text, body), bodies)} == {200}
        more = [{**body, "outcome": "ran"} for body in bodies[:4]]
        found = list(pool.map(lambda body: asks(service, text, body, "/v1/outcomes"), more))
        assert {each.status_code for each in found} == {200}
    assert where
    assert not any(where.values())
    assert all(len(batch) == 1 for batch in sizes if max(batch) >= 200_000)


@pytest.mark.slow
def test_an_honest_agent_is_answered_beside_large_bodies(tmp_path: Path) -> None:
    """As it is installed: five bodies of seven megabytes held another agent up for sixteen seconds."""
    service = ServeProcess(tmp_path, policy=POLICY)
    service.start()
    try:
        hostile, honest = service.token("hostile", "agent"), service.token("honest", "agent")
        large = json.dumps(service.call("lookup", {"id": [1] * 2_300_000}, session="large")).encode()
        with ThreadPoolExecutor(5) as pool:
            sent = [pool.submit(asks, service, hostile, large) for _ in range(5)]
            done = 0
            while not all(each.done() for each in sent) or done < 5:
                body = service.call("lookup", {"id": done}, session="honest")
                assert asks(service, honest, body).status_code == 200
                done += 1
            assert {each.result().status_code for each in sent} <= {413, 429}
    finally:
        service.stop()


# --- lanes --------------------------------------------------------------------------------------------------------


def lane_of(service: Serving, flow: str, *, short: bool = True, large: bool = False) -> str:
    assert service.api is not None
    waiting = SimpleNamespace(flow=flow, short=short, large=large)
    return service.api.batches._lane_of(waiting)  # type: ignore[arg-type]


def test_heavy_calls_keep_a_token_apart_however_many_light_ones_it_makes(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is usual said nothing: twelve light calls hid the heavy one that came with the next batch."""
    assert service.api is not None
    now = [1000.0]
    monkeypatch.setattr("interlock.serve.budgets.time.monotonic", lambda: now[0])
    budgets = service.api.budgets
    budgets.measured("sly", 0.25, large=False)
    assert lane_of(service, "sly") == "quick"  # it may have loaded what all need
    for seconds in (0.25, *[0.001] * 50):
        budgets.measured("sly", seconds, large=False)
    assert lane_of(service, "sly") == "heavy"
    now[0] += 200
    assert lane_of(service, "sly") == "quick"


def test_who_was_not_measured_is_decided_alone_while_others_call(service: Serving) -> None:
    assert service.api is not None
    budgets, quick = service.api.budgets, service.api.batches._lanes["quick"]
    assert lane_of(service, "new") == "quick"
    quick.called["quiet"] = time.monotonic() + 60
    assert (lane_of(service, "new"), lane_of(service, "new", short=False)) == ("apart", "apart")
    budgets.measured("new", 0.001, large=False)
    assert (lane_of(service, "new"), lane_of(service, "new", short=False)) == ("quick", "apart")
    for _ in range(2):
        budgets.measured("new", 0.5, large=True)
    assert (lane_of(service, "new"), lane_of(service, "new", short=False)) == ("quick", "heavy")
    budgets.doubted("new")
    assert lane_of(service, "new") == "apart"


def test_what_is_decided_of_a_token_counts_for_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = _Lane(16, 0.1, 4, 2, {}, Counter())
    for flow in ("busy", "quiet", "busy", "busy", "quiet"):
        lane.put(SimpleNamespace(flow=flow))  # type: ignore[arg-type]
    first = lane.take()
    assert [one.flow for one in first] == ["busy", "quiet", "busy", "quiet"]
    lane.put(SimpleNamespace(flow="third"))  # type: ignore[arg-type]
    assert [one.flow for one in lane.take()] == ["third"]
    lane.done(first)
    assert [one.flow for one in lane.take()] == ["busy"]
