"""Calls over HTTP: what an agent gets, what a person's answer changes, and what belongs to whom."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import httpx
import pytest

from serving import Serving

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.drop]
effects = ["destructive"]
irreversible = true
dryrun = true

[tools.lookup]
effects = ["read"]
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("serve"), policy=POLICY) as found:
        yield found


def refund(service: Serving, amount: int, session: str, **headers: str) -> httpx.Response:
    call = service.call("refund", {"amount": amount}, session=session)
    return service.agent.post("/v1/decisions", json=call, headers=headers)


def test_a_declared_tool_that_only_reads_is_allowed(service: Serving) -> None:
    answer = service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 7}))
    assert answer.status_code == 200
    told = answer.json()
    assert (told["verdict"], told["agent"]) == ("allow", "")
    assert told["audit_entry_id"] == told["receipt"] == answer.headers["x-interlock-receipt"]


def test_a_tool_that_nobody_declared_is_denied_and_the_agent_is_told_what_to_do(service: Serving) -> None:
    answer = service.agent.post("/v1/decisions", json=service.call("wire_money", {"amount": 1}))
    assert answer.status_code == 403
    assert answer.json()["verdict"] == "deny"
    assert "Use a tool that the policy declares." in answer.json()["agent"]
    assert "reasons" not in answer.json()


def test_an_irreversible_call_waits_fires_once_and_asks_again(service: Serving) -> None:
    asked = refund(service, 5000, "fires-once")
    assert asked.status_code == 202
    told = asked.json()
    assert asked.headers["location"] == f"/v1/approvals/{told['approval_id']}"
    assert asked.headers["retry-after"] == "2"
    assert told["expires_at"].endswith("Z")
    assert refund(service, 5000, "fires-once").json()["approval_id"] == told["approval_id"]

    given = service.approver.post(asked.headers["location"], json={"answer": "approve", "reason": "agreed with Bo"})
    assert (given.status_code, given.json()["status"]) == (200, "approved")
    assert given.json()["answer"]["by"].startswith("ann with token")
    assert given.json()["answer"]["strength"] == "weak"

    assert refund(service, 5001, "fires-once").status_code == 202  # another call than the approved one
    assert refund(service, 5000, "fires-once").status_code == 200
    again = refund(service, 5000, "fires-once")
    assert again.status_code == 202
    assert again.json()["approval_id"] != told["approval_id"]


def test_a_no_denies_and_is_remembered(service: Serving) -> None:
    asked = refund(service, 1, "said-no")
    service.approver.post(asked.headers["location"], json={"answer": "deny", "reason": "too much"})
    assert refund(service, 1, "said-no").status_code == 403


def test_a_waiting_call_is_released_by_the_answer(service: Serving) -> None:
    found: list[tuple[float, httpx.Response]] = []
    asked = refund(service, 77, "waits")

    def waits() -> None:
        began = time.monotonic()
        call = service.call("refund", {"amount": 77}, session="waits")
        found.append((began, service.agent.post("/v1/decisions?wait=30", json=call)))

    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(0.5)
    service.approver.post(asked.headers["location"], json={"answer": "approve"})
    thread.join(20)
    assert found[0][1].status_code == 200


def test_an_answer_that_was_lost_can_be_had_again_under_its_key(service: Serving) -> None:
    asked = refund(service, 9, "lost", **{"idempotency-key": "order-9"})
    service.approver.post(asked.headers["location"], json={"answer": "approve"})
    first = refund(service, 9, "lost", **{"idempotency-key": "order-9"})
    second = refund(service, 9, "lost", **{"idempotency-key": "order-9"})
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json()["replayed"] is True
    assert second.json()["receipt"] == first.json()["receipt"]

    told = service.call("refund", {"amount": 9}, session="lost", attempt="key:order-9", outcome="ran")
    assert service.agent.post("/v1/outcomes", json=told).json() == {"recorded": True}
    assert refund(service, 9, "lost", **{"idempotency-key": "order-9"}).status_code == 202


def test_a_key_is_for_one_call(service: Serving) -> None:
    refund(service, 1, "keys", **{"idempotency-key": "k"})
    other = refund(service, 2, "keys", **{"idempotency-key": "k"})
    assert (other.status_code, other.json()["error"]["code"]) == (422, "unprocessable")


def test_running_what_nobody_approved_approves_nothing(service: Serving) -> None:
    asked = refund(service, 3, "runs-anyway")
    told = service.call("refund", {"amount": 3}, session="runs-anyway", outcome="ran", result="ok")
    answer = service.agent.post("/v1/outcomes", json=told)
    assert "although nobody had approved it" in answer.json()["warnings"][0]
    assert refund(service, 3, "runs-anyway").json()["approval_id"] == asked.json()["approval_id"]


def test_a_session_and_its_questions_belong_to_one_token(service: Serving) -> None:
    asked = refund(service, 11, "mine")
    other = service.other
    call = service.call("refund", {"amount": 11}, session="mine")
    assert other.post("/v1/decisions", json=call).json()["error"]["code"] == "forbidden"
    assert other.post("/v1/outcomes", json={**call, "outcome": "ran"}).status_code == 403
    assert other.get(asked.headers["location"]).status_code == 404
    assert other.get("/v1/approvals?state=all").json() == {"approvals": [], "next": None}
    assert other.get(f"/v1/receipts/{asked.json()['receipt']}").status_code == 404
    assert service.agent.get(f"/v1/receipts/{asked.json()['receipt']}").status_code == 200


def test_calls_without_a_session_are_of_the_tokens_own(service: Serving) -> None:
    call = {"tool": "refund", "input": {"amount": 12}, "cwd": str(service.project)}
    mine = service.agent.post("/v1/decisions", json=call).json()["approval_id"]
    theirs = service.other.post("/v1/decisions", json=call).json()["approval_id"]
    assert mine != theirs
    service.approver.post(f"/v1/approvals/{mine}", json={"answer": "approve"})
    assert service.other.post("/v1/decisions", json=call).status_code == 202
    assert service.agent.post("/v1/decisions", json=call).status_code == 200


def test_an_agent_cannot_answer_its_own_question(service: Serving) -> None:
    asked = refund(service, 13, "own")
    answer = service.agent.post(asked.headers["location"], json={"answer": "approve"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert refund(service, 13, "own").status_code == 202


def test_audit_rows_have_the_shape_of_the_check(service: Serving) -> None:
    refund(service, 14, "audited")
    row = service.approver.get("/v1/audit?limit=1&decision=escalate").json()["rows"][0]
    assert row["decision"] == "escalate"
    assert row["metadata"]["tool"] == "refund"
    assert row["metadata"]["tier"] == "HIGH"
    assert row["metadata"]["audit_entry_id"].startswith("sha256:")
    assert row["metadata"]["approval_id"].startswith("ap_")


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"tool": 1}', 400),
        (b'{"tool": "x", "tool": "y", "input": {}}', 400),
        (b"\xff", 400),
    ],
)
def test_a_bad_body_is_refused(service: Serving, raw: bytes, status: int) -> None:
    answer = service.agent.post("/v1/decisions", content=raw, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, "bad_request")


def test_a_body_that_is_too_large_is_refused(service: Serving) -> None:
    big = service.call("lookup", {"text": "x" * (9 * 1024 * 1024)})
    assert service.agent.post("/v1/decisions", json=big).status_code == 413


@pytest.mark.slow
def test_events_tell_an_agent_of_its_own_session_alone(service: Serving, tmp_path: Path) -> None:
    service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 1}))
    at = max(row["seq"] for row in service.approver.get("/v1/audit?limit=1").json()["rows"])
    refund(service, 15, "listened")
    call = service.call("refund", {"amount": 15}, session="others")
    service.other.post("/v1/decisions", json=call)

    def kinds(client: httpx.Client) -> list[str]:
        found = []
        with client.stream("GET", f"/v1/events?after={at}") as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    found.append(line)
                if line.startswith(": here") or len(found) == 8:
                    break
        return found

    seen = kinds(service.agent)
    assert any('"listened"' in line and '"prompt"' in line for line in seen)
    assert not any('"others"' in line for line in seen)


def drop(service: Serving, report: object, session: str, mode: str = "decide") -> httpx.Response:
    call = {**service.call("drop", {"table": "old"}, session=session), "preview": report}
    return service.agent.post("/v1/decisions", params={"mode": mode}, json=call)


def test_what_a_dry_run_reports_is_shown_and_bound(service: Serving) -> None:
    asked = drop(service, {"rows": 3}, "reported").json()
    shown = service.approver.get(f"/v1/approvals/{asked['approval_id']}").json()
    assert shown["report"] == {"rows": 3}
    service.approver.post(f"/v1/approvals/{asked['approval_id']}", json={"answer": "approve"})
    other = drop(service, {"rows": 400}, "reported")
    assert (other.status_code, other.json()["approval_id"] != asked["approval_id"]) == (202, True)
    fired = drop(service, {"rows": 3}, "reported")
    assert fired.status_code == 200
    receipt = service.agent.get(f"/v1/receipts/{fired.json()['receipt']}").json()
    assert receipt["call"]["preview"].startswith("sha256:")


def test_a_preview_tells_what_would_be_decided_and_keeps_nothing(service: Serving) -> None:
    told = drop(service, {"rows": 3}, "only-looks", mode="preview")
    assert (told.status_code, told.json()["mode"], told.json()["verdict"]) == (200, "preview", "ask")
    waiting = service.approver.get("/v1/approvals").json()["approvals"]
    assert [one for one in waiting if one["session"] == "only-looks"] == []
    assert drop(service, {"rows": 3}, "only-looks", mode="else").status_code == 400


@pytest.mark.parametrize("observed", [False, True], ids=["enforced", "observed"])
def test_a_preview_says_what_the_call_is_then_told(observed: bool, tmp_path: Path) -> None:
    until = date.today() + timedelta(days=9 if observed else -9)
    policy = f"""version = 1
profile = "serve"
[hook]
observe = {{ until = {until} }}
[approvals]
max_pending = 1
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.lookup]
effects = ["read"]
[tools.burn]
effects = ["destructive"]
risk = "critical"
"""
    with Serving(tmp_path, policy=policy) as service:
        told = []
        for tool, amount in (("lookup", 1), ("refund", 1), ("refund", 2), ("burn", 1)):  # the second one has no room
            call = service.call(tool, {"amount": amount}, session="s")
            before, after = [
                service.agent.post("/v1/decisions", params={"mode": how}, json=call) for how in ("preview", "decide")
            ]
            for field in ("verdict", "agent", "observed", "enforced"):
                assert before.json().get(field) == after.json().get(field), (tool, amount, field)
            assert before.headers["x-interlock-decision"] == after.headers["x-interlock-decision"]
            told.append((after.status_code, after.json()["verdict"]))
    assert told == ([(200, "allow")] * 4 if observed else [(200, "allow"), (202, "ask"), (403, "deny"), (403, "deny")])


def test_only_a_tool_with_a_dry_run_reports_one(service: Serving) -> None:
    call = {**service.call("refund", {"amount": 1}), "preview": {"rows": 3}}
    answer = service.agent.post("/v1/decisions", json=call)
    assert answer.status_code == 400
    assert "has no dry run by the policy" in answer.text
