"""Who may not: every route of the table, with every token that is not good for it. A new route is here by itself."""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from interlock.serve.guards import HEADERS
from interlock.serve.routes import ROUTES, Route
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.tokens import ROLES, checked
from serving import Serving

POLICY = 'version = 1\nprofile = "serve"\n[tools.refund]\neffects = ["network"]\nrisk = "high"\nirreversible = true\n'
GUARDED = [route for route in ROUTES if route.roles is not None]
OPEN = [route for route in ROUTES if route.roles is None]
SAMPLES = {
    "decide": {"tool": "refund", "input": {"amount": 1}},
    "told": {"tool": "refund", "input": {"amount": 1}, "outcome": "ran"},
    "answer": {"answer": "approve"},
    "said": {"session": "s", "text": "pay the invoice"},
}


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("refusals"), policy=POLICY) as found:
        found.token("expired", "admin", expires=1)
        found.token("expired-agent", "agent", expires=1)
        for name, role in (("revoked", "admin"), ("revoked-agent", "agent")):
            found.token(name, role)
            found.revoke(name)
        for role in ROLES:
            found.token(f"good-{role}", role)
        yield found


def asked(service: Serving, route: Route, **headers: str) -> httpx.Response:
    path = route.path.replace("{id}", "ap_0").replace("{digest}", "sha256:0")
    body = SAMPLES.get(route.does) if route.body else None
    with httpx.Client(base_url=service.url, timeout=20) as client:
        return client.request(route.method, path, json=body, headers=headers)


def bad_tokens(service: Serving) -> dict[str, str]:
    """What is sent as `Authorization`, by why it is not taken."""
    good = service.tokens["good-admin"]
    id, secret = good.removeprefix("ilt_").split("_", 1)
    other = service.tokens["good-agent"].removeprefix("ilt_").split("_", 1)[1]
    return {
        "empty": "",
        "no scheme": good,
        "basic": f"Basic {good}",
        "nothing behind the scheme": "Bearer",
        "made up": "Bearer ilt_0123456789abcdef_" + "x" * 43,
        "the secret of another": f"Bearer ilt_{id}_{other}",
        "half of the secret": f"Bearer ilt_{id}_{secret[:20]}",
        "one character more": f"Bearer {good}x",
        "another case": f"Bearer {good.upper()}",
        "without its beginning": f"Bearer {id}_{secret}",
        "no secret": f"Bearer ilt_{id}_",
        "two tokens": f"Bearer {good} {good}",
        "a list": f"Bearer {good}, Bearer {good}",
        "expired": f"Bearer {service.tokens['expired']}",
        "expired agent": f"Bearer {service.tokens['expired-agent']}",
        "revoked": f"Bearer {service.tokens['revoked']}",
        "revoked agent": f"Bearer {service.tokens['revoked-agent']}",
    }


def test_the_table_has_routes_of_both_kinds() -> None:
    assert {route.path for route in OPEN} == {"/healthz", "/readyz"}
    assert len(GUARDED) >= 10
    assert {route.does for route in GUARDED if route.body} <= set(SAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("route", GUARDED, ids=named)
def test_no_route_answers_without_a_good_token(service: Serving, route: Route) -> None:
    service.api.strangers.rate = 10_000  # type: ignore[union-attr]
    found = asked(service, route)
    assert (found.status_code, found.json()["error"]["code"]) == (401, "unauthenticated"), "no token at all"
    assert found.headers["www-authenticate"].startswith("Bearer")
    texts = set()
    for why, text in bad_tokens(service).items():
        found = asked(service, route, authorization=text)
        assert (found.status_code, found.json()["error"]["code"]) == (401, "unauthenticated"), why
        texts.add(found.text)
    assert len(texts) == 1, "nobody learns why a token is not taken"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("route", GUARDED, ids=named)
def test_no_route_answers_to_another_role(service: Serving, route: Route, role: str) -> None:
    assert route.roles is not None
    if route.does == "events" and role in route.roles:
        return  # it does not end
    found = asked(service, route, authorization=f"Bearer {service.tokens[f'good-{role}']}")
    if role in route.roles:
        assert found.status_code in (200, 202, 404), found.text
    else:
        assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("route", [route for route in GUARDED if route.method != "GET"], ids=named)
def test_a_cookie_changes_nothing(service: Serving, route: Route) -> None:
    for role in ROLES:
        found = asked(service, route, cookie=f"interlock={service.tokens[f'good-{role}']}")
        assert found.status_code == 401


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_every_answer_has_the_headers_that_keep_a_browser_in_check(service: Serving, route: Route) -> None:
    whole = [asked(service, route), asked(service, route, host="evil.example"), asked(service, route, origin="null")]
    with httpx.Client(base_url=service.url) as client:
        whole += [client.request("DELETE", route.path), client.get("/nothing/here"), client.options(route.path)]
    for found in whole:
        for name, value in HEADERS.items():
            assert found.headers[name] == value
        policy = found.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "access-control-allow-origin" not in found.headers
        assert "server" not in found.headers


def test_an_agent_cannot_answer_its_own_prompt_nor_as_another_role(service: Serving) -> None:
    call = service.call("refund", {"amount": 7}, session="own-prompt")
    prompt = service.agent.post("/v1/decisions", json=call)
    for answer in ("approve", "deny"):
        for extra in ({}, {"role": "admin"}, {"reach": "session"}, {"by": "ann"}):
            found = service.agent.post(prompt.headers["location"], json={"answer": answer, **extra})
            assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")
    assert service.agent.get(prompt.headers["location"]).json()["status"] == "pending"


@pytest.mark.parametrize("reach", ["folder", "repository", "everywhere"])
def test_an_approver_reaches_no_further_than_the_session(service: Serving, reach: str) -> None:
    call = service.call("refund", {"amount": 8}, session="reaches")
    prompt = service.agent.post("/v1/decisions", json=call)
    found = service.approver.post(prompt.headers["location"], json={"answer": "approve", "reach": reach})
    assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")
    assert service.agent.get(prompt.headers["location"]).json()["status"] == "pending"


def test_a_token_in_an_address_is_refused_whatever_else_is_sent(service: Serving) -> None:
    good = service.tokens["good-admin"]
    head = {"authorization": f"Bearer {good}"}
    with httpx.Client(base_url=service.url) as client:
        for address in (
            f"/v1/approvals?token={good}",
            f"/v1/approvals?access_token={good}",
            "/v1/approvals?token=x",
            "/v1/approvals?state=all&access_token",
            f"/v1/approvals?anything={good}",
            f"/v1/approvals/{good}",
            f"/healthz?{good.replace('_', '%5F', 1)}",
        ):
            found = client.get(address, headers=head)
            assert (found.status_code, found.json()["error"]["code"]) == (400, "bad_request"), address
            assert good not in found.text
            assert "revoke" in found.text


def test_guesses_are_slowed_down(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Serving(tmp_path_factory.mktemp("guesses"), policy=POLICY) as service, httpx.Client() as client:
        for number in range(200):
            head = {"authorization": f"Bearer ilt_0123456789abcdef_{number}"}
            found = client.get(f"{service.url}/v1/approvals", headers=head)
            if found.status_code == 429:
                break
        assert found.status_code == 429
        assert int(found.headers["retry-after"]) >= 1
        # Whoever has a token is not shut out by whoever guesses from the same address.
        assert service.admin.get("/v1/approvals").status_code == 200


def test_one_token_cannot_take_more_than_its_rate(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Serving(tmp_path_factory.mktemp("rate"), policy=POLICY, settings={"rate": 1, "burst": 60}) as service:
        statuses = [service.agent.get("/v1/approvals").status_code for _ in range(70)]
        assert statuses[:50] == [200] * 50
        assert 429 in statuses
        assert service.other.get("/v1/approvals").status_code == 200


def test_what_decides_about_a_token_takes_the_same_time_for_all(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By construction: whatever is right or wrong about it, one comparison in constant time is made, of digests."""
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def watched(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return compare(left, right)

    monkeypatch.setattr("interlock.store.people.tokens.hmac.compare_digest", watched)
    good = service.tokens["good-admin"]
    id, secret = good.removeprefix("ilt_").split("_", 1)
    ledger = Ledger(service.folders.ledger, front="cli:token")
    with ledger.looking() as view:
        for text, right in (
            (good, True),
            (f"ilt_{id}_{secret[:-1]}~", False),
            (f"ilt_{'0' * 16}_{secret}", False),
            (service.tokens["revoked"], True),
        ):
            compared.clear()
            assert (checked(view, text) is not None) is right
            assert len(compared) == 1
            assert all(len(side) == len("sha256:") + 64 for side in compared[0])
    ledger.close()


def test_a_token_that_is_revoked_hears_no_more_and_gets_nothing_it_waited_for(service: Serving) -> None:
    robot = service.client("leaver", "agent")
    call = service.call("refund", {"amount": 70}, session="leaves")
    prompt = robot.post("/v1/decisions", json=call)
    found: dict[str, httpx.Response] = {}

    def waits(name: str, method: str, path: str, body: object) -> None:
        head = {"authorization": robot.headers["authorization"]}
        found[name] = httpx.request(method, f"{service.url}{path}", json=body, headers=head, timeout=30)

    waiting = [
        threading.Thread(target=waits, args=("call", "POST", "/v1/decisions?wait=20", call)),
        threading.Thread(target=waits, args=("approval", "GET", prompt.headers["location"] + "?wait=20", None)),
    ]
    began = time.monotonic()
    with robot.stream("GET", "/v1/events") as events:
        lines = events.iter_lines()
        assert next(lines).startswith("retry")
        for thread in waiting:
            thread.start()
        time.sleep(0.7)
        service.revoke("leaver")
        for _ in lines:  # until the service ends it
            pass
        assert time.monotonic() - began < 9
    service.approver.post(prompt.headers["location"], json={"answer": "approve"})
    for thread in waiting:
        thread.join(30)
    assert {name: answer.status_code for name, answer in found.items()} == {"call": 401, "approval": 401}
    assert service.approver.get(prompt.headers["location"]).json()["status"] == "approved"  # and nobody used it
