"""The API takes what its document describes and nothing else: an unknown word or a name without end is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from interlock.client import Client
from interlock.limits import MAX_ID_CHARS, MAX_PATH_CHARS
from interlock.serve.openapi import document
from interlock.serve.routes import ROUTES, Route
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


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("strict"), policy=POLICY, settings={"traffic": 1 << 30}) as found:
        yield found


def path_of(route: Route) -> str:
    return route.path.replace("{id}", "ap-1").replace("{digest}", "sha256:1")


def refused(answer: object) -> str:
    status, body = answer.status_code, answer.json()  # type: ignore[attr-defined]
    assert (status, body["error"]["code"]) == (400, "bad_request"), (status, body)
    return str(body["error"]["message"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_no_route_takes_a_parameter_that_it_does_not_name(service: Serving, route: Route) -> None:
    client = service.agent if route.roles and "agent" in route.roles else service.admin
    path = path_of(route)
    text = refused(client.request(route.method, path, params={"wiat": "3"}, json={} if route.body else None))
    assert "`wiat`" in text
    assert ("did you mean `wait`?" in text) == ("wait" in route.query)
    for name in route.query:
        twice = refused(client.request(route.method, f"{path}?{name}=1&{name}=2", json={} if route.body else None))
        assert f"`{name}` is there more than once" in twice


@pytest.mark.parametrize("route", [route for route in ROUTES if route.body], ids=lambda route: route.path)
def test_no_route_takes_a_field_that_it_does_not_name(service: Serving, route: Route) -> None:
    client = service.agent if route.roles and "agent" in route.roles else service.admin
    schema = document(service.url)["components"]["schemas"][route.body]
    assert schema["additionalProperties"] is False
    for name in schema["properties"]:
        wrong = f"{name}x"
        text = refused(client.request(route.method, path_of(route), json={wrong: "x"}))
        assert text == f"there is no field `{wrong}`; did you mean `{name}`?"
    assert "known here: " in refused(client.request(route.method, path_of(route), json={"\u202e0000": 1}))


def test_the_word_that_was_taken_for_a_call_without_a_session(service: Serving) -> None:
    call = service.call("lookup", {"id": 1})
    call["sesion"] = call.pop("session")
    for path in ("/v1/decisions", "/v1/decisions?mode=preview"):
        assert refused(service.agent.post(path, json=call)).endswith("did you mean `session`?")


@pytest.mark.parametrize("field", ["tool", "session", "agent", "agent_type", "host", "attempt"])
@pytest.mark.parametrize("path", ["/v1/decisions", "/v1/decisions?mode=preview", "/v1/outcomes"])
def test_a_name_has_an_end(service: Serving, field: str, path: str) -> None:
    more = {"outcome": "ran"} if path == "/v1/outcomes" else {}
    call = {**service.call("lookup", {"id": 1}), **more}
    assert service.agent.post(path, json={**call, field: "n" * MAX_ID_CHARS}).status_code != 400
    text = refused(service.agent.post(path, json={**call, field: "n" * 1_000_000}))
    assert text == f"`{field}` has at most {MAX_ID_CHARS} characters"


def test_folders_sessions_of_messages_and_keys_have_an_end(service: Serving) -> None:
    call, message = service.call("lookup", {"id": 1}), {"session": "s" * (MAX_ID_CHARS + 1), "text": "hello"}
    assert "`cwd`" in refused(service.agent.post("/v1/decisions", json={**call, "cwd": "/x" * MAX_PATH_CHARS}))
    assert "`session`" in refused(service.agent.post("/v1/messages", json=message))
    longest = {"idempotency-key": "k" * MAX_ID_CHARS}
    assert service.agent.post("/v1/decisions", json=call, headers=longest).status_code == 200
    told = {**call, "outcome": "ran", "attempt": f"key:{'k' * MAX_ID_CHARS}"}
    assert service.agent.post("/v1/outcomes", json=told).status_code == 200
    refused(service.agent.post("/v1/decisions", json=call, headers={"idempotency-key": "k" * (MAX_ID_CHARS + 1)}))


def test_our_own_client_sends_nothing_unknown(service: Serving) -> None:
    robot, ann = service.token("client", "agent"), service.token("client-ann", "approver")
    with Client(service.url, robot) as agent, Client(service.url, ann) as person:
        given: dict[str, Any] = {"agent": "a", "agent_type": "t", "host": "h", "state": {}, "attempt": "one"}
        asked = agent.decide("refund", {"amount": 2}, session="client", cwd=str(service.project), wait=1, **given)
        assert asked.pending
        agent.said("hello", session="client", cwd=str(service.project))
        assert [one.id for one in agent.approvals()] == [one.id for one in person.approvals(state="all")]
        assert person.answer(asked.approval, "approve", reason="fine").status == "approved"
        done = agent.wait_for(asked, seconds=20)
        assert done.allowed
        assert agent.outcome(done, "ran", {"ok": True}) == ()
        assert json.loads(done.call)["tool"] == "refund"
