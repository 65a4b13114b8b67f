"""The Python client against the real service: every method, both kinds, and what it does when the service is gone."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from certificates import certificate
from interlock.client import AsyncClient, Client, Decided
from interlock.model.errors import ApprovalError, InputError, ServiceError
from serve_process import ServeProcess
from serving import Serving, free_port

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("client"), policy=POLICY) as found:
        for name, role in (("robot", "agent"), ("ann", "approver")):
            found.token(name, role)
        yield found


class Both:
    """A client whose methods are called the same way, whichever kind it is."""

    def __init__(self, kind: str, url: str, token: str, **more: Any) -> None:
        self.kind, self.given, self.more = kind, (url, token), more

    def __getattr__(self, name: str) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            with Client(*self.given, **self.more) as client:
                return getattr(client, name)(*given, **named)

        def awaited(*given: Any, **named: Any) -> Any:
            async def run() -> Any:
                async with AsyncClient(*self.given, **self.more) as client:
                    return await getattr(client, name)(*given, **named)

            return asyncio.run(run())

        return called if self.kind == "sync" else awaited


@pytest.fixture(params=["sync", "async"])
def agent(service: Serving, request: pytest.FixtureRequest) -> Both:
    return Both(request.param, service.url, service.tokens["robot"], patience=10)


@pytest.fixture
def approver(service: Serving) -> Iterator[Client]:
    with Client(service.url, service.tokens["ann"]) as found:
        yield found


def later(seconds: float, work: Any) -> threading.Thread:
    def run() -> None:
        time.sleep(seconds)
        work()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_allow_a_deny_and_a_question(service: Serving, agent: Both) -> None:
    cwd = str(service.project)
    allowed = agent.decide("lookup", {"id": 1}, session=f"three-{agent.kind}", cwd=cwd)
    assert (allowed.verdict, allowed.allowed, allowed.agent, allowed.approval) == ("allow", True, "", "")
    assert allowed.receipt.startswith("sha256:")
    denied = agent.decide("wire_money", {"amount": 1}, session=f"three-{agent.kind}", cwd=cwd)
    assert (denied.verdict, denied.allowed, denied.pending) == ("deny", False, False)
    assert "Use a tool that the policy declares." in denied.agent
    asked = agent.decide("refund", {"amount": 1}, session=f"three-{agent.kind}", cwd=cwd)
    assert (asked.verdict, asked.pending, asked.allowed) == ("ask", True, False)
    assert asked.approval.startswith("ap_")
    assert asked.expires.endswith("Z")
    with pytest.raises(AttributeError):
        asked.verdict = "allow"


def test_whoever_waits_gets_the_answer_and_the_call_fires_once(service: Serving, agent: Both, approver: Client) -> None:
    asked = agent.decide("refund", {"amount": 2}, session=f"waits-{agent.kind}")
    thread = later(0.5, lambda: approver.answer(asked.approval, "approve", reason="agreed"))
    fired = agent.wait_for(asked, seconds=30)
    thread.join()
    assert fired.allowed
    assert agent.outcome(fired, "ran", {"ok": True}) == ()
    found = approver.approval(asked.approval)
    assert (found.status, found.answer["why"] if found.answer else "") == ("redeemed", "agreed")
    assert agent.decide("refund", {"amount": 2}, session=f"waits-{agent.kind}").pending


def test_a_no_ends_the_wait_too(agent: Both, approver: Client) -> None:
    asked = agent.decide("refund", {"amount": 3}, session=f"no-{agent.kind}")
    thread = later(0.3, lambda: approver.answer(asked.approval, "deny"))
    assert agent.wait_for(asked, seconds=30).verdict == "deny"
    thread.join()


def test_a_decision_can_wait_by_itself(agent: Both, approver: Client) -> None:
    def approve() -> None:
        while not (found := [one for one in approver.approvals() if one.session == f"itself-{agent.kind}"]):
            time.sleep(0.05)
        approver.answer(found[0].id, "approve")

    thread = later(0.1, approve)
    assert agent.decide("refund", {"amount": 4}, session=f"itself-{agent.kind}", wait=20).allowed
    thread.join()


@pytest.mark.slow
def test_time_that_runs_out_is_an_error_and_never_an_allow(agent: Both) -> None:
    asked = agent.decide("refund", {"amount": 5}, session=f"late-{agent.kind}", wait=1)
    assert asked.pending
    with pytest.raises(ServiceError, match="nobody answered"):
        agent.wait_for(asked, seconds=1)


def test_what_waits_can_be_listed_looked_at_and_answered(agent: Both, approver: Client) -> None:
    asked = agent.decide("refund", {"amount": 6}, session=f"listed-{agent.kind}")
    assert asked.approval in {one.id for one in agent.approvals()}
    found = agent.approval(asked.approval)
    assert (found.status, found.tool, dict(found.input or {}), found.needs) == (
        "pending",
        "refund",
        {"amount": 6},
        "weak",
    )
    assert approver.answer(asked.approval, "approve").status == "approved"
    assert agent.approval(asked.approval, wait=20).status == "approved"
    with pytest.raises(ApprovalError, match="already"):
        approver.answer(asked.approval, "deny")
    with pytest.raises(ApprovalError):
        agent.approval("ap_nothing")
    with pytest.raises(ServiceError) as refused:
        agent.answer(asked.approval, "approve")
    assert refused.value.status == 403
    with pytest.raises(InputError):
        approver.answer(asked.approval, "maybe")
    assert agent.receipt(asked.receipt)["call"]["tool"] == "refund"


def test_what_is_wrong_with_a_call_is_told(agent: Both) -> None:
    with pytest.raises(InputError, match="names the tool"):
        agent.decide(" ", {})
    for given in ({"x": float("nan")}, {"x": object()}):
        with pytest.raises(InputError, match="JSON"):
            agent.decide("lookup", given)
    agent.decide("lookup", {"id": 1}, session=f"one-{agent.kind}", idempotency_key=f"k-{agent.kind}")
    with pytest.raises(InputError, match="another call"):
        agent.decide("lookup", {"id": 2}, session=f"one-{agent.kind}", idempotency_key=f"k-{agent.kind}")


def test_events_come_as_they_happen(service: Serving, approver: Client) -> None:
    with Client(service.url, service.tokens["robot"]) as robot:
        first = robot.decide("refund", {"amount": 7}, session="streamed")
        at = max(row["seq"] for row in approver._http().get("/v1/audit?limit=1").json()["rows"]) - 1
        thread = later(0.4, lambda: approver.answer(first.approval, "deny"))
        kinds = []
        for event in robot.events(after=at):
            kinds.append(event.kind)
            assert event.session == "streamed"
            if event.kind == "answer":
                break
        thread.join()
        assert kinds == ["decision", "prompt", "answer"]

    async def heard() -> list[str]:
        found = []
        async with AsyncClient(service.url, service.tokens["robot"]) as robot:
            async for event in robot.events(after=at):
                found.append(event.kind)
                if event.kind == "answer":
                    return found
        return found

    assert asyncio.run(heard()) == kinds


def test_a_token_that_is_not_good_is_an_error_at_once(service: Serving) -> None:
    for kind in ("sync", "async"):
        stranger = Both(kind, service.url, "ilt_0123456789abcdef_nothing")
        with pytest.raises(ServiceError) as refused:
            stranger.decide("lookup", {})
        assert refused.value.status == 401
    with Client(service.url, "ilt_0123456789abcdef_nothing") as client, pytest.raises(ServiceError):
        next(client.events())


@pytest.mark.slow
def test_nobody_at_the_other_end_is_an_error_when_patience_ends() -> None:
    for kind in ("sync", "async"):
        began = time.monotonic()
        with pytest.raises(ServiceError, match="cannot be reached"):
            Both(kind, f"http://127.0.0.1:{free_port()}", "ilt_x", patience=1).decide("lookup", {})
        assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "url",
    ["http://guard.example", "ftp://127.0.0.1", "127.0.0.1:8786", "http://u:p@127.0.0.1", "https://h/?token=x", ""],
)
def test_an_address_that_would_give_the_token_away_is_not_taken(url: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InputError):
            kind(url, "ilt_x")


def test_a_token_is_in_no_text_of_the_client(service: Serving) -> None:
    token = service.tokens["robot"]
    with Client(service.url, token) as client:
        assert token not in repr(client)
        assert token not in repr(client.decide("lookup", {}))
    with pytest.raises(InputError) as refused:
        Client(service.url, f"{token}\n")
    assert token not in str(refused.value)


def test_both_clients_have_the_same_methods() -> None:
    def offers(kind: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_")
        }

    assert offers(Client) == offers(AsyncClient)


class Lying:
    """A server that gives the same bytes to everybody."""

    def __init__(self, raw: bytes) -> None:
        import socket

        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.raw = raw
        self.asked = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(2)
                try:
                    peer.recv(65536)
                    self.asked += 1
                    peer.sendall(self.raw)
                except OSError:
                    pass


def http(status: int, body: bytes, *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close", *more, "", ""]
    return "\r\n".join(lines).encode() + body


@pytest.mark.parametrize(
    "raw",
    [
        http(200, b""),
        http(200, b"allow"),
        http(200, b"[]"),
        http(200, b"{}"),
        http(200, b'{"verdict":"deny","receipt":"sha256:0"}'),
        http(200, b'{"verdict":"ask","receipt":"sha256:0","approval_id":"ap_1"}'),
        http(200, b'{"verdict":"allow"}'),
        http(200, b'{"verdict":true,"receipt":"x"}'),
        http(200, b'{"verdict":"Allow","receipt":"x"}'),
        http(200, b'{"error":{"code":"x","message":"y"},"verdict":"allow","receipt":"x"}'),
        http(202, b'{"verdict":"allow","receipt":"sha256:0"}'),
        http(403, b'{"verdict":"allow","receipt":"sha256:0"}'),
        http(204, b""),
        http(301, b'{"verdict":"allow","receipt":"x"}', "location: http://127.0.0.1:1/"),
        http(500, b'{"verdict":"allow","receipt":"x"}'),
        http(503, b'{"verdict":"allow","receipt":"x"}'),
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
        b"nothing that is HTTP",
    ],
    ids=lambda raw: raw[:60].decode() + str(len(raw)),
)
def test_an_answer_that_is_none_allows_nothing(raw: bytes) -> None:
    server = Lying(raw)
    try:
        for kind in ("sync", "async"):
            with pytest.raises(ServiceError):
                Both(kind, f"http://127.0.0.1:{server.port}", "ilt_x", patience=0.5).decide("lookup", {})
    finally:
        server.listener.close()


@pytest.mark.slow
def test_a_wait_goes_on_over_a_kill_and_a_restart(tmp_path: Path) -> None:
    service = ServeProcess(tmp_path, policy=POLICY)
    service.start()
    try:
        robot, ann = service.token("robot", "agent"), service.token("ann", "approver")
        found: list[Decided] = []
        with Client(service.url, robot, patience=60) as client, Client(service.url, ann, patience=60) as person:
            asked = client.decide("refund", {"amount": 9}, session="killed")
            thread = threading.Thread(target=lambda: found.append(client.wait_for(asked, seconds=90)))
            thread.start()
            time.sleep(0.5)
            service.kill()
            time.sleep(0.5)
            service.start()
            person.answer(asked.approval, "approve")
            thread.join(60)
            again = client.wait_for(asked)  # the answer was lost, as far as this one knows
        assert [one.verdict for one in found] == ["allow"]
        assert (again.verdict, again.receipt) == ("allow", found[0].receipt)
    finally:
        service.stop()


def test_tls_is_verified(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    service = Serving(tmp_path, policy=POLICY, settings={"cert": cert, "key": key})
    with service:
        token = service.token("robot", "agent")
        url = f"https://localhost:{service.settings.port}"
        with Client(url, token, verify=cert) as client:
            assert client.decide("lookup", {}).allowed
        with Client(url, token, patience=0.5) as client, pytest.raises(ServiceError):
            client.decide("lookup", {})
