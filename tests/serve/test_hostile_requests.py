"""Requests that no honest client sends: other names, other sites, smuggled heads, endless bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from interlock.serve.guards import HEADERS
from raw_http import CALL, connected, head, posted, said, sent
from serving import Serving

POLICY = 'version = 1\nprofile = "serve"\n[tools.lookup]\neffects = ["read"]\n'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("hostile"), policy=POLICY, settings={"body": 64 * 1024}) as found:
        found.client("robot", "agent")
        found.client("root", "admin")
        yield found


def test_what_the_attacks_below_differ_from_is_answered(service: Serving) -> None:
    port = service.settings.port
    assert sent(port, head(service)).status == 200
    assert sent(port, posted(service, CALL, f"Content-Length: {len(CALL)}")).json["verdict"] == "allow"
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CALL), CALL)
    assert sent(port, posted(service, chunked, "Transfer-Encoding: chunked")).json["verdict"] == "allow"


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:{other}",
        "localhost.:{port}",
        "127.0.0.1.:{port}",
        "127.0.0.1:{port}.",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port}, evil.example",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example:{port}",
        "127.1:{port}",
        "2130706433:{port}",
        "0.0.0.0:{port}",
        "[::]:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "[0:0:0:0:0:0:0:1]:{port}",
        "::1:{port}",
        "[::1%25lo]:{port}",
        "",
        " ",
        "127.0.0.1:0{port}",
        "127.0.0.1:",
    ],
)
def test_another_name_is_not_answered(service: Serving, name: str) -> None:
    """DNS rebinding: a page points its own name at this machine, and a browser then takes it for the same site."""
    port = service.settings.port
    host = name.format(port=port, other=port + 1)
    raw = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    assert sent(port, raw).code == "misdirected"


def test_no_name_at_all_is_not_answered(service: Serving) -> None:
    for version in ("1.0", "1.1"):
        assert sent(service.settings.port, f"GET /healthz HTTP/{version}\r\n\r\n".encode()).code == "misdirected"


@pytest.mark.parametrize("name", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_its_own_names_are_answered(service: Serving, name: str) -> None:
    port = service.settings.port
    raw = f"GET /healthz HTTP/1.1\r\nHost: {name.format(port=port)}\r\n\r\n".encode()
    assert sent(port, raw).status == 200


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:{port}/v1/approvals",
        "http://evil.example/v1/approvals",
        "evil.example:443",
        "*",
        "v1/approvals",
        "?state=all",
        "/v1/approvals#x",
    ],
)
def test_a_target_that_is_no_path_is_refused(service: Serving, target: str) -> None:
    port = service.settings.port
    for method in ("GET", "OPTIONS"):
        found = sent(port, head(service, f"{method} {target.format(port=port)} HTTP/1.1"))
        assert found.status in (400, 404), found
        assert found.headers["content-security-policy"] == HEADERS["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/../v1/approvals",
        "/v1/./../v1/approvals",
        "/v1/%2e%2e/v1/approvals",
        "/v1/%2E./v1/approvals",
        "/v1/.%2e/v1/approvals",
        "/v1%2fapprovals",
        "/v1%2Fapprovals",
        "/v1\\approvals",
        "/v1/%5c../approvals",
        "/v1/%252e%252e/v1/approvals",
        "/v1/..;/approvals",
        "/v1/%c0%ae%c0%ae/v1/approvals",
        "/v1/%uff0e%uff0e/approvals",
        "//v1/approvals",
        "/v1//approvals",
        "/v1/approvals/",
        "/V1/approvals",
        "/v1/approvals%00",
        "/v1/approvals/../../etc/passwd",
        "/v1/approvals/..%2f..%2fetc%2fpasswd",
        "/v1/approvals/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/v1/receipts/..",
        "/v1/receipts/%00",
        "/v1/receipts/%0d%0aset-cookie:x",
        "/v1/receipts/" + "a" * 5000,
        "/v1/receipts/%ff%fe",
        "/static/../serve.toml",
        "/../../../../etc/passwd",
    ],
)
def test_a_path_leads_nowhere_but_to_a_route(service: Serving, path: str) -> None:
    found = sent(service.settings.port, head(service, f"GET {path} HTTP/1.1"))
    assert found.status in (400, 404, 405), found
    assert found.code in ("not_found", "bad_request", "method_not_allowed")
    assert "set-cookie" not in found.headers


def test_a_browser_that_is_lost_sees_a_page_and_a_program_is_told_in_json(service: Serving) -> None:
    html = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    page = httpx.get(f"{service.url}/nowhere/<b>at</b>", headers=html)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "there is nothing here" in page.text
    assert "<b>at" not in page.text
    assert page.headers["content-security-policy"]
    for path, headers in (("/nowhere", {}), ("/v1/nowhere", html)):
        told = httpx.get(service.url + path, headers=headers)
        assert (told.status_code, told.json()["error"]["code"]) == (404, "not_found")


# --- other sites --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost.evil.example"},
        {"origin": "http://user@127.0.0.1:{port}"},
        {"origin": "ftp://127.0.0.1:{port}"},
        {"origin": "chrome-extension://127.0.0.1:{port}"},
        {"origin": "file://"},
        {"origin": "[::"},
        {"origin": "http://127.0.0.1:{port}", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "Same-Origin"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "something new"},
    ],
    ids=str,
)
def test_a_request_from_another_site_changes_nothing(service: Serving, headers: dict[str, str]) -> None:
    made = {name: value.format(port=service.settings.port) for name, value in headers.items()}
    call = service.call("lookup", {})
    found = service.agent.post("/v1/decisions", json=call, headers=made)
    assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")
    if headers != {"sec-fetch-site": "none"}:  # that is how a person opens an address
        assert service.admin.get("/v1/approvals", headers=made).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_of_another_site_could_send_is_no_call(service: Serving, kind: str) -> None:
    found = service.agent.post("/v1/decisions", content=CALL, headers={"content-type": kind})
    assert (found.status_code, found.json()["error"]["code"]) == (415, "unsupported_media_type")


def test_another_site_gets_no_leave_to_send_more(service: Serving) -> None:
    asks = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    found = httpx.options(f"{service.url}/v1/decisions", headers=asks)
    assert found.status_code == 403
    assert not [name for name in found.headers if name.startswith("access-control")]


# --- heads --------------------------------------------------------------------------------------------------------

SMUGGLED = {
    "two lengths": (["Content-Length: 5", "Content-Length: 28"], CALL),
    "two lengths that agree": (["Content-Length: 28", "Content-Length: 28"], CALL),
    "a list of lengths": (["Content-Length: 28, 28"], CALL),
    "a length with a sign": (["Content-Length: +28"], CALL),
    "a negative length": (["Content-Length: -1"], CALL),
    "a length in hex": (["Content-Length: 0x1c"], CALL),
    "a length with a blank": (["Content-Length: 2 8"], CALL),
    "a huge length": (["Content-Length: 99999999999999999999999"], CALL),
    "a length and an encoding": (["Content-Length: 28", "Transfer-Encoding: chunked"], b"0\r\n\r\n" + CALL),
    "an encoding and a length": (["Transfer-Encoding: chunked", "Content-Length: 28"], b"0\r\n\r\n" + CALL),
    "two encodings": (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], b"0\r\n\r\n"),
    "an unknown encoding": (["Transfer-Encoding: xchunked"], b"0\r\n\r\n"),
    "chunked before another": (["Transfer-Encoding: chunked, gzip"], b"0\r\n\r\n"),
    "an encoding behind a tab": (["Transfer-Encoding:\x0bchunked"], b"0\r\n\r\n"),
    "a blank before the colon": (["Transfer-Encoding : chunked", "Content-Length: 28"], CALL),
    "a folded line": (["X-One: a", " b", "Content-Length: 28"], CALL),
    "a folded encoding": (["Transfer-Encoding:", " chunked", "Content-Length: 28"], CALL),
    "a bare line feed": (["X-One: a\nX-Two: b", "Content-Length: 28"], CALL),
    "a bare carriage return": (["X-One: a\rX-Two: b", "Content-Length: 28"], CALL),
    "a zero byte": (["X-One: a\x00b", "Content-Length: 28"], CALL),
    "a line without a colon": (["X-One", "Content-Length: 28"], CALL),
    "a line without a name": ([": x", "Content-Length: 28"], CALL),
    "a bad chunk size": (["Transfer-Encoding: chunked"], b"zz\r\n" + CALL + b"\r\n0\r\n\r\n"),
    "a negative chunk size": (["Transfer-Encoding: chunked"], b"-1\r\n" + CALL + b"\r\n0\r\n\r\n"),
    "a huge chunk size": (["Transfer-Encoding: chunked"], b"fffffffffffffffff\r\n" + CALL),
    "a chunk ended by a line feed": (["Transfer-Encoding: chunked"], b"1c\n" + CALL + b"\n0\n\n"),
    "two hosts": (["Host: evil.example", "Content-Length: 28"], CALL),
    "two tokens": (["Authorization: Bearer ilt_x", "Content-Length: 28"], CALL),
    "two types": (["Content-Type: text/plain", "Content-Length: 28"], CALL),
    "two keys": (["Idempotency-Key: a", "Idempotency-Key: b", "Content-Length: 28"], CALL),
    "a thousand lines": ([*[f"X-{n}: y" for n in range(1000)], "Content-Length: 28"], CALL),
    "a long line": (["X-One: " + "y" * 40_000, "Content-Length: 28"], CALL),
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_a_head_that_can_be_read_in_two_ways_is_refused(service: Serving, name: str) -> None:
    lines, body = SMUGGLED[name]
    with connected(service.settings.port) as peer:
        peer.sendall(posted(service, body, *lines))
        found = said(peer)
        assert found.status in (400, 413), found
        assert found.headers["content-security-policy"] == HEADERS["content-security-policy"]
        assert json.loads(found.body)["error"]["code"] in ("bad_request", "too_large")


@pytest.mark.parametrize(
    "first", ["GET /healthz HTTP/1.1\n", "GET /healthz HTTP/9.9", "GET /healthz", "GET /a b HTTP/1.1"]
)
def test_a_first_line_that_is_not_one_is_refused(service: Serving, first: str) -> None:
    raw = f"{first}\r\nHost: 127.0.0.1:{service.settings.port}\r\n\r\n".encode()
    found = sent(service.settings.port, raw)
    assert found.status in (0, 400), found


def test_bytes_that_are_no_http_are_told_so_in_our_words(service: Serving) -> None:
    for raw in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00" * 99,
    ):
        found = sent(service.settings.port, raw)
        assert found.status in (0, 400), found
        if found.status:
            assert found.code == "bad_request"
            assert found.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_a_request_behind_a_request_is_answered_in_its_turn(service: Serving) -> None:
    one = posted(service, CALL, f"Content-Length: {len(CALL)}")
    with connected(service.settings.port) as peer:
        peer.sendall(one + head(service, "GET /healthz HTTP/1.1"))
        answers = b""
        peer.settimeout(3)
        while answers.count(b"HTTP/1.1 200") < 2:
            answers += peer.recv(65536)
        assert answers.index(b'"verdict"') < answers.index(b'"status"')


def test_requests_without_end_on_one_connection_are_cut_off(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(head(service, "GET /v1/events HTTP/1.1") + head(service, "GET /healthz HTTP/1.1") * 500)
        peer.settimeout(8)
        heard = b""
        try:
            while part := peer.recv(65536):
                heard += part
        except ConnectionResetError:
            pass
        assert heard.count(b"HTTP/1.1 200") <= 1


@pytest.mark.parametrize("method", ["TRACE", "DELETE", "PUT", "PATCH", "OPTIONS", "PROPFIND"])
def test_a_method_without_a_route_is_not_answered(service: Serving, method: str) -> None:
    found = service.admin.request(method, "/v1/approvals")
    assert found.status_code == 405
    assert set(found.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert found.json()["error"]["code"] == "method_not_allowed"


def test_a_method_that_is_none_is_refused(service: Serving) -> None:
    for method in ("FOO", "get", "CONNECT"):
        found = sent(service.settings.port, head(service, f"{method} /v1/approvals HTTP/1.1"))
        assert found.status in (0, 400, 405), found


def test_head_gets_no_body_and_no_endless_stream(service: Serving) -> None:
    for path in ("/v1/approvals", "/v1/events", "/healthz"):
        found = service.admin.head(path, timeout=5)
        assert (found.status_code, found.content) == (200, b"")
    assert httpx.head(f"{service.url}/v1/approvals").status_code == 401


@pytest.mark.parametrize("to", ["websocket", "h2c"])
def test_an_upgrade_is_not_made(service: Serving, to: str) -> None:
    more = ("Connection: Upgrade", f"Upgrade: {to}", "Sec-WebSocket-Key: eA==", "Sec-WebSocket-Version: 13")
    found = sent(service.settings.port, head(service, "GET /v1/events HTTP/1.1", *more, token="robot")[:-2] + b"\r\n")
    assert found.status == 200
    assert found.headers["connection"] == "close"
    without = f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{service.settings.port}\r\n" + "\r\n".join(more) + "\r\n\r\n"
    assert sent(service.settings.port, without.encode()).status == 401


def test_http_1_0_is_answered_once(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(head(service, "GET /healthz HTTP/1.0", "Connection: keep-alive"))
        assert said(peer).status == 200
        assert peer.recv(1) == b""


def test_a_long_query_is_refused_and_an_odd_one_is_told(service: Serving) -> None:
    port = service.settings.port
    assert sent(port, head(service, f"GET /v1/audit?session={'x' * 60_000} HTTP/1.1")).code == "bad_request"
    for query in (
        "limit=0",
        "limit=1e3",
        "limit=-1",
        "limit=%EF%BC%91",
        "limit=" + "9" * 400,
        "before=x",
        "decision=no",
    ):
        found = sent(port, head(service, f"GET /v1/audit?{query} HTTP/1.1"))
        assert found.code == "bad_request", query


# --- bodies -------------------------------------------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes(service: Serving) -> None:
    raw = posted(service, b"", "Content-Length: 70000", "Expect: 100-continue")
    assert sent(service.settings.port, raw).code == "too_large"


def test_a_body_that_does_not_say_how_large_it_is_is_refused_when_it_is(service: Serving) -> None:
    part = b"1000\r\n" + b" " * 4096 + b"\r\n"
    with connected(service.settings.port) as peer:
        peer.sendall(posted(service, b"", "Transfer-Encoding: chunked"))
        try:
            for _ in range(1000):
                peer.sendall(part)
        except (BrokenPipeError, ConnectionResetError):
            return
        assert said(peer).code == "too_large"


def test_a_body_that_is_packed_is_not_unpacked(service: Serving) -> None:
    import gzip

    packed = gzip.compress(CALL)
    found = service.agent.post(
        "/v1/decisions", content=packed, headers={"content-encoding": "gzip", "content-type": "application/json"}
    )
    assert found.json()["error"]["code"] == "bad_request"


def test_a_body_is_read_only_where_one_is_taken(service: Serving) -> None:
    with connected(service.settings.port) as peer:
        peer.sendall(head(service, "GET /healthz HTTP/1.1", "Content-Length: 60000"))
        assert said(peer).status == 200
