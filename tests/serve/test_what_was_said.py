"""What a person said, told to the service: a value that they named goes, one that a result brought asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.gate import Gate
from serving import Serving

POLICY = """version = 1
profile = "serve"
[tiers.actions]
"tool:pay" = 1
[tools.mails]
effects = ["read"]
[tools.pay]
effects = ["network"]
args = { account = "recipient" }
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("messages"), policy=POLICY) as found:
        yield found


def decided(service: Serving, account: str, session: str) -> int:
    body = service.call("pay", {"account": account}, session=session)
    return service.agent.post("/v1/decisions", json=body).status_code


def test_a_value_that_the_person_named_goes_and_one_from_a_result_waits(service: Serving) -> None:
    told = {"session": "a", "cwd": str(service.project), "text": "Pay GB29NWBK60161331926819 please"}
    assert service.agent.post("/v1/messages", json=told).json() == {"recorded": True}
    read = service.call("mails", {}, session="a")
    assert service.agent.post("/v1/decisions", json=read).status_code == 200
    outcome = {**read, "outcome": "ran", "result": "or rather DE89370400440532013000"}
    assert service.agent.post("/v1/outcomes", json=outcome).status_code == 200
    assert decided(service, "GB29NWBK60161331926819", "a") == 200
    body = service.call("pay", {"account": "DE89370400440532013000"}, session="a")
    answer = service.agent.post("/v1/decisions", json=body)
    assert answer.status_code == 202
    (waiting,) = service.agent.get("/v1/approvals").json()["approvals"]
    assert "came out of what `mails` gave back" in waiting["reasons"][0]


def test_it_counts_in_its_own_session_and_for_its_own_token_alone(service: Serving) -> None:
    told = {"session": "b", "cwd": str(service.project), "text": "Pay GB29NWBK60161331926819"}
    assert service.agent.post("/v1/messages", json=told).status_code == 200
    assert decided(service, "GB29NWBK60161331926819", "c") == 202
    assert service.other.post("/v1/messages", json=told).status_code == 403
    assert service.approver.post("/v1/messages", json=told).status_code == 403


@pytest.mark.parametrize("told", [{}, {"text": "x"}, {"session": "", "text": "x"}, {"session": "b", "text": 1}])
def test_what_is_no_message_is_refused(service: Serving, told: dict[str, object]) -> None:
    assert service.agent.post("/v1/messages", json=told).status_code == 400


def test_a_gate_of_the_service_tells_it_too(service: Serving, tmp_path: Path) -> None:
    with Gate.remote(service.url, service.token("gate", "agent")) as gate:
        gate.said("Pay NL91ABNA0417164300.", session="g", cwd=str(service.project))
        paid = gate.check("pay", {"account": "NL91ABNA0417164300"}, session="g", cwd=str(service.project))
        other = gate.check("pay", {"account": "NL02ABNA0123456789"}, session="g", cwd=str(service.project))
        assert (paid.verdict, other.verdict) == ("allow", "ask")
