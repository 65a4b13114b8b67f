"""`interlock mcp serve`: the same relay over Streamable HTTP, with real clients and servers of both eras."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interlock.store.home.pins import read_pins

from .peers import CASES, EVERYTHING, MCP_PYTHON, needs_peers
from .test_peers import driven, said
from .wire import INTERLOCK, META, Home

pytestmark = needs_peers

OLD = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "x"}}}
NEW: dict[str, Any] = {**OLD, "params": {**OLD["params"], "_meta": META}}  # type: ignore[dict-item]
MIRRORED = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)


@contextmanager
def listening(command: list[str], port: int, log: Path, **more: str) -> Iterator[None]:
    with (
        log.open("wb") as told,
        subprocess.Popen(command, stdout=told, stderr=told, env={**os.environ, **more}) as process,
    ):
        try:
            until_it_listens(port, process)
            yield
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def relayed(home: Home, tmp_path: Path, era: str) -> Iterator[tuple[int, Path]]:
    """The port of the relay, and what the server prints."""
    upstream, port, log = free_port(), free_port(), tmp_path / "server.txt"
    server = [MCP_PYTHON, str(CASES / "modern_server.py"), str(upstream)]
    if era == "old":
        server = [*EVERYTHING[:2], "streamableHttp"]
    relay = [*INTERLOCK, "--home", str(home.at), "mcp", "serve", "--name", "s", "--port", str(port)]
    relay += ["--url", f"http://127.0.0.1:{upstream}/mcp"]
    with listening(server, upstream, log, PORT=str(upstream)), listening(relay, port, tmp_path / "relay.txt"):
        yield port, log


def posted(port: int, message: object, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body, {**given, **{name.replace("_", "-"): v for name, v in headers.items()}})
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    try:
        return response.status, json.loads(raw)
    except ValueError:
        return response.status, raw.decode()


@pytest.mark.slow
def test_the_newest_era_is_decided_pinned_and_recorded(home: Home, tmp_path: Path) -> None:
    home.says('\n[tools.mcp__s__echo]\neffects = ["read"]\n[approvals]\nelicit = ["mcp"]\n')
    steps: list[Any] = [["echo", {"message": "hi"}], ["slow", {"steps": 2}, "progress"], "list"]
    with relayed(home, tmp_path, "new") as (port, _):
        url = [f"http://127.0.0.1:{port}/mcp"]
        got = driven(None, url, steps, elicits="this call")
        assert got["version"] == "2026-07-28"
        assert got["results"] == [said("Echo: hi"), {**said("slow done"), "progress": 2}, ["echo", "slow"]]
        assert len(got["asked"]) == 1
        (slow,) = driven(None, url, [["slow", {"steps": 1}]])["results"]  # a client that cannot be asked
        assert slow["text"][0].startswith("Interlock: approval pending")
    assert sorted(read_pins(home.folders, "s")) == ["echo", "slow"]
    assert home.outcomes() == ["ran", "ran"]


@pytest.mark.slow
def test_the_older_era_keeps_its_session_and_its_stream(home: Home, tmp_path: Path) -> None:
    home.says('\n[tools."mcp__s__*"]\neffects = ["read"]\n[tools.mcp__s__get-sum]\neffects = ["destructive"]\n')
    steps: list[Any] = [
        "list",
        "wait",
        ["echo", {"message": "hi"}],
        ["trigger-long-running-operation", {"duration": 0.4, "steps": 2}, "progress"],
        ["get-sum", {"a": 1, "b": 2}],
    ]
    with relayed(home, tmp_path, "old") as (port, _):
        got = driven(None, [f"http://127.0.0.1:{port}/mcp"], steps)
    assert got["version"] == "2025-11-25"
    tools, _, echo, slow, total = got["results"]
    assert "echo" in tools
    assert echo == said("Echo: hi")
    assert slow["progress"] == 2
    assert total["text"][0].startswith("Interlock: approval pending")
    assert home.outcomes() == ["ran", "ran"]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "said_to"), [("this call", "Echo: hi"), ("decline", "Refused"), ("no", "Refused")])
def test_the_older_era_asks_in_the_client_s_own_dialog(home: Home, tmp_path: Path, answer: str, said_to: str) -> None:
    home.says('\n[approvals]\nelicit = ["mcp"]\n')
    with relayed(home, tmp_path, "old") as (port, _):
        url = [f"http://127.0.0.1:{port}/mcp"]
        got = driven(None, url, [["echo", {"message": "hi"}], "list"], elicits=answer)
        assert got["version"] == "2025-11-25"
        (echo, tools) = got["results"]
        assert echo["text"][0].startswith(said_to)
        assert "echo" in tools
        assert len(got["asked"]) == 1
        (other,) = driven(None, url, [["echo", {"message": "hi"}]])["results"]  # a client that cannot be asked
        assert other["error"]
    assert [row["surface"] for row in home.rows("answer")] == ["elicitation"]
    assert home.outcomes() == (["ran"] if answer == "this call" else [])


@pytest.mark.slow
def test_a_client_that_leaves_while_it_is_asked_never_has_its_call_run(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", '\n[approvals]\nelicit = ["t"]\n')
    begin: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
    begin["clientInfo"] = {"name": "t", "version": "1"}
    with relayed(home, tmp_path, "old") as (port, _):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}
        connection.request("POST", "/mcp", json.dumps(first).encode(), given)
        response = connection.getresponse()
        response.read()
        given["mcp-session-id"] = response.headers["mcp-session-id"]
        assert posted(port, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **given)[0] == 202
        connection.request("POST", "/mcp", json.dumps(OLD).encode(), given)
        response = connection.getresponse()
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.readline() == b"event: message\n"
        question = json.loads(response.readline().removeprefix(b"data: "))
        assert question["method"] == "elicitation/create"
        connection.close()
        response.close()
        time.sleep(0.5)
        answer = {"action": "accept", "content": {"answer": "this call"}}
        late = {"jsonrpc": "2.0", "id": question["id"], "result": answer}
        assert posted(port, late, **given)[0] == 202
        time.sleep(0.5)
    assert home.outcomes() == []
    assert home.verdicts() == ["ask"]


@pytest.mark.slow
def test_closing_the_response_cancels_the_call(home: Home, tmp_path: Path) -> None:
    steps: list[Any] = [["slow", {"steps": 100}, "cancel"], "wait", "wait", ["echo", {"message": "on"}]]
    with relayed(home, tmp_path, "new") as (port, log):
        began = time.monotonic()
        got = driven(None, [f"http://127.0.0.1:{port}/mcp"], steps)
        while "slow cancelled" not in log.read_text() and time.monotonic() - began < 30:
            time.sleep(0.1)
        assert "slow cancelled" in log.read_text()
    assert got["results"] == ["cancelled", None, None, said("Echo: on")]
    assert home.outcomes() == ["unknown", "ran"]


@pytest.mark.slow
def test_a_client_that_leaves_while_it_is_held_never_has_its_call_run(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", "")
    info = {"io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"}}
    message = {**NEW, "params": {**NEW["params"], "_meta": {**META, **info}}}
    with relayed(home, tmp_path, "new") as (port, _):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        connection.request("POST", "/mcp", json.dumps(message).encode(), {**given, **MIRRORED})
        while not home.rows("prompt"):
            time.sleep(0.05)
        connection.close()
        time.sleep(0.5)
        home.answer()
        time.sleep(1)
    assert home.outcomes() == []
    assert home.verdicts() == ["ask"]


@pytest.mark.slow
def test_5_the_body_is_decided_on_and_not_the_headers(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", '[risk]\nunregistered = "deny"\n[tools.mcp__s__slow]\neffects = ["read"]\n')
    with relayed(home, tmp_path, "new") as (port, _):
        told = posted(port, NEW, **{**MIRRORED, "mcp-name": "slow"})
        listed = posted(port, NEW, **{**MIRRORED, "mcp-method": "tools/list"})
    assert [status for status, _ in (told, listed)] == [200, 200]
    assert all(body["result"]["content"][0]["text"].startswith("Refused") for _, body in (told, listed))


BAD = {
    "a batch": (json.dumps([NEW]).encode(), 400),
    "not JSON": (b"{", 400),
    "a key twice": (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', 400),
    "too long": (b"x" * 9_000_000, 413),
}


@pytest.mark.slow
def test_what_is_not_one_message_is_refused_and_strangers_too(home: Home, tmp_path: Path) -> None:
    with relayed(home, tmp_path, "new") as (port, _):
        got = {name: posted(port, raw, **MIRRORED)[0] for name, (raw, _) in BAD.items()}
        assert posted(port, NEW, **MIRRORED, origin="https://evil.example")[0] == 403
        assert posted(port, NEW, **MIRRORED, host="evil.example")[0] == 403
        assert posted(port, NEW, **MIRRORED)[0] == 200
    assert got == {name: status for name, (_, status) in BAD.items()}


@pytest.mark.slow
def test_each_bearer_has_a_session_of_its_own_and_no_token_is_kept(home: Home, tmp_path: Path) -> None:
    with relayed(home, tmp_path, "new") as (port, _):
        for token in ("secret-one", "secret-two"):
            assert posted(port, NEW, **MIRRORED, authorization=f"Bearer {token}")[0] == 200
        assert posted(port, NEW, **MIRRORED)[0] == 200
    sessions = {row["receipt"]["call"]["session"] for row in home.rows("decision")}
    assert len(sessions) == 3
    assert "http-local" in sessions
    assert b"secret-" not in Path(home.folders.ledger).read_bytes()


def test_a_server_that_is_not_there_is_said(home: Home, tmp_path: Path) -> None:
    port = free_port()
    relay = [*INTERLOCK, "--home", str(home.at), "mcp", "serve", "--name", "s", "--port", str(port)]
    with listening([*relay, "--url", f"http://127.0.0.1:{free_port()}/mcp"], port, tmp_path / "relay.txt"):
        status, told = posted(port, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert (status, "cannot be reached" in told) == (502, True)
        status, told = posted(port, NEW, **MIRRORED)
    assert status == 200
    assert "approval pending" in told["result"]["content"][0]["text"]  # nobody could say what the tool is


@pytest.mark.parametrize(("url", "code"), [("ftp://x/mcp", 64), ("mcp", 64)])
def test_an_address_that_is_none_is_refused(home: Home, url: str, code: int) -> None:
    done = subprocess.run(
        [*INTERLOCK, "--home", str(home.at), "mcp", "serve", "--name", "s", "--url", url],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code
