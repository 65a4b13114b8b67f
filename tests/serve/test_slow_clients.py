"""Clients that take their time: heads and bodies by drops, connections that are held, streams that nobody reads."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from interlock.bytes.canon import canonical
from interlock.serve import connections
from interlock.store.ledger.ledger import Ledger
from raw_http import connected, head, posted, said
from serving import Serving

POLICY = 'version = 1\nprofile = "serve"\n[tools.lookup]\neffects = ["read"]\n'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("slow"), policy=POLICY, settings={"body": 64 * 1024}) as found:
        found.client("robot", "agent")
        found.client("root", "admin")
        yield found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    from interlock.serve import guards

    for name in ("HEAD_SECONDS", "MESSAGE_SECONDS", "STALLED_SECONDS"):
        monkeypatch.setattr(connections, name, 1.0)
    monkeypatch.setattr(guards, "_SLOWEST", 0.5)


def closed_within(peer: socket.socket, seconds: float) -> bool:
    """Whether the other end closes the connection, whatever it says before that."""
    end = time.monotonic() + seconds
    peer.settimeout(seconds)
    try:
        while time.monotonic() < end:
            if not peer.recv(65536):
                return True
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return False


def dribbled(peer: socket.socket, raw: bytes, each: float, most: float) -> bool:
    """Sends a byte at a time; whether the other end had enough of it before so many seconds."""
    end = time.monotonic() + most
    for at in range(len(raw)):
        if time.monotonic() > end:
            return False
        try:
            peer.sendall(raw[at : at + 1])
        except (BrokenPipeError, ConnectionResetError):
            return True
        time.sleep(each)
    return False


@pytest.mark.usefixtures("impatient")
def test_a_connection_that_sends_nothing_is_closed(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        assert closed_within(peer, 4)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_head_that_comes_by_drops_is_not_waited_for(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        assert dribbled(peer, head(service, "GET /healthz HTTP/1.1", *[f"X-{n}: y" for n in range(50)]), 0.02, 6)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_blank_lines_do_not_keep_a_connection(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(head(service, "GET /healthz HTTP/1.1"))
        assert said(peer).status == 200
        assert dribbled(peer, b"\r\n" * 200, 0.05, 6)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_body_that_comes_by_drops_is_refused_and_not_waited_for(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(posted(service, b"", "Content-Length: 1000"))
        assert dribbled(peer, b" " * 1000, 0.05, 8)
    with connected(service.settings.port) as peer:
        peer.sendall(posted(service, b"{", "Content-Length: 1000"))
        found = said(peer)
        assert (found.status, found.code) == (400, "bad_request")
        assert closed_within(peer, 4)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_the_rest_of_a_body_that_was_refused_is_not_taken_for_ever(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(posted(service, b"", "Content-Length: 70000"))
        assert said(peer).code == "too_large"
        assert dribbled(peer, b" " * 1000, 0.05, 8)


@pytest.mark.slow
def test_a_wait_for_a_person_is_no_slow_request(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(connections, "MESSAGE_SECONDS", 0.5)
    with connected(service.settings.port) as peer:
        peer.sendall(head(service, "GET /v1/events HTTP/1.1"))
        peer.settimeout(1.5)
        began = time.monotonic()
        try:
            while peer.recv(4096):
                pass
        except TimeoutError:  # nothing more came, and nobody has closed it
            assert time.monotonic() - began > 1
        else:
            pytest.fail("the stream was cut off")


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_many_idle_connections_keep_nobody_out(service: Serving) -> None:
    idle = [connected(service.settings.port) for _ in range(300)]
    try:
        assert service.admin.get("/v1/approvals").status_code == 200
        time.sleep(2)
        assert all(closed_within(peer, 1) for peer in idle)
    finally:
        for peer in idle:
            peer.close()


@pytest.mark.slow
def test_there_is_an_end_to_connections(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 20)
    taken = [connected(service.settings.port) for _ in range(40)]
    try:
        assert sum(closed_within(peer, 0.2) for peer in taken) >= 20
    finally:
        for peer in taken:
            peer.close()


@pytest.mark.slow
def test_a_listener_that_reads_nothing_is_cut_off(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a few of them would hold all places that there are for listeners."""
    monkeypatch.setattr(connections, "STALLED_SECONDS", 1.0)
    assert service.api is not None
    listeners = service.api.hub.listeners
    service.agent.post("/v1/decisions", json=service.call("lookup", {}, session="listened"))
    long = canonical({"path": "/p", "says": "s" * 30_000})
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        peer.connect(("127.0.0.1", service.settings.port))
        peer.sendall(head(service, "GET /v1/events HTTP/1.1"))
        end = time.monotonic() + 30
        while not listeners and time.monotonic() < end:
            time.sleep(0.01)
        assert listeners
        ledger = Ledger(service.folders.ledger, front="serve")
        while listeners and time.monotonic() < end:
            with ledger.deciding("listened") as turn:
                turn.append("watch", long, key="k", session=turn.id)
        ledger.close()
        assert not listeners
