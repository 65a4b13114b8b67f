"""Lists come in pages, and one agent that asks and asks hides nobody else's question."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from interlock.client import Client
from serving import Serving

POLICY = """version = 1
profile = "serve"
[approvals]
max_pending = 5
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.lookup]
effects = ["read"]
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY, settings={"questions": 70}) as found:
        yield found


def asked(service: Serving, client: httpx.Client, amount: Any, session: str) -> httpx.Response:
    return client.post("/v1/decisions", json=service.call("refund", {"amount": amount}, session=session))


def pages(client: httpx.Client, **more: Any) -> list[list[str]]:
    found: list[list[str]] = []
    while True:
        answer = client.get("/v1/approvals", params=more)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        found.append([one["id"] for one in body["approvals"]])
        if body["next"] is None:
            return found
        more["cursor"] = body["next"]


def joined(found: list[list[str]]) -> list[str]:
    return [id for page in found for id in page]


def test_a_list_comes_in_pages_that_leave_nothing_out(service: Serving) -> None:
    mine = [asked(service, service.agent, n, f"mine-{n // 5}").json()["approval_id"] for n in range(13)]
    theirs = [asked(service, service.other, n, "theirs").json()["approval_id"] for n in range(4)]
    for state in ("pending", "all"):
        found = pages(service.approver, state=state, limit="5")
        assert [len(page) for page in found] == [5, 5, 5, 2]
        assert joined(found) == [*mine, *theirs]
        assert joined(pages(service.agent, state=state, limit="5")) == mine
        assert joined(pages(service.other, state=state, limit="1")) == theirs
    # What is answered between two pages moves no other question.
    first = service.approver.get("/v1/approvals", params={"limit": "5"}).json()
    for id in mine[:3]:
        assert service.approver.post(f"/v1/approvals/{id}", json={"answer": "deny"}).status_code == 200
    rest = pages(service.approver, limit="5", cursor=first["next"])
    assert joined(rest) == [*mine[5:], *theirs]


def test_our_client_reads_all_pages(service: Serving) -> None:
    for number in range(8):
        assert asked(service, service.agent, "x" * 300_000 + str(number), f"s{number}").status_code == 202
    first = service.approver.get("/v1/approvals")
    assert len(first.json()["approvals"]) < 8  # a page has an end in bytes, too
    assert len(first.content) < 1_500_000
    with Client(service.url, service.tokens["ann"]) as person:
        assert len(person.approvals()) == 8


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "0",
        "é",
        "a" * 99,
        base64.urlsafe_b64encode(b"pending:1:2:3").decode(),
        base64.urlsafe_b64encode(b"all:1:2").decode(),
        base64.urlsafe_b64encode(b"pending:01:2").decode().rstrip("="),
        base64.urlsafe_b64encode(b"pending:-1:2").decode().rstrip("="),
        base64.urlsafe_b64encode(b"pending:1:" + b"9" * 30).decode().rstrip("="),
    ],
)
def test_a_cursor_that_no_page_gave_is_refused(service: Serving, cursor: str) -> None:
    answer = service.approver.get("/v1/approvals", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    assert "`cursor`" in answer.json()["error"]["message"]


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "x", "1.5"])
def test_a_page_has_a_size(service: Serving, limit: str) -> None:
    assert service.approver.get("/v1/approvals", params={"limit": limit}).status_code == 400


# --- the inbox ------------------------------------------------------------------------------------------------------


def test_a_looping_agent_fills_its_own_room_alone(service: Serving) -> None:
    """Each question in a session of its own, so that the policy's bound of a session does not stop it."""
    agent = service.agent
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: asked(service, agent, n, f"loop-{n}"), range(120)))
    statuses = [answer.status_code for answer in found]
    assert set(statuses) == {202, 429}
    assert statuses.count(202) == 70
    refused = found[statuses.index(429)]
    assert refused.json()["error"]["code"] == "rate_limited"
    assert "of this token wait for an answer already" in refused.json()["error"]["message"]
    assert int(refused.headers["retry-after"]) >= 1
    # Its open questions can be asked about again, what needs nobody goes on, and another token has room.
    at = statuses.index(202)
    assert asked(service, service.agent, at, f"loop-{at}").json()["approval_id"] == found[at].json()["approval_id"]
    assert service.agent.post("/v1/decisions", json=service.call("lookup", {}, session="fine")).status_code == 200
    quiet = asked(service, service.other, 1, "quiet")
    assert quiet.status_code == 202
    # The page shows it first of all that it has room for.
    page = service.approver.get("/").text
    shown = re.findall(r'data-key="(ap_\w+)"', page)
    assert 2 <= len(shown) <= 50
    assert shown.index(quiet.json()["approval_id"]) <= 1
    assert "Page 1 of 2" in page
    second = re.findall(r'data-key="(ap_\w+)"', service.approver.get("/?page=2").text)
    assert second
    assert not set(second) & set(shown)
    # An answer makes room.
    for id in [each.json()["approval_id"] for each in found if each.status_code == 202][:1]:
        assert service.approver.post(f"/v1/approvals/{id}", json={"answer": "deny"}).status_code == 200
    assert asked(service, service.agent, "one more", "loop-again").status_code == 202


def test_what_waits_is_counted_over_a_restart(tmp_path: Path) -> None:
    for run in range(2):
        with Serving(tmp_path, policy=POLICY, settings={"questions": 3}) as service:
            if run == 0:
                text = service.token("robot", "agent")
            with httpx.Client(base_url=service.url, headers={"authorization": f"Bearer {text}"}) as client:
                found = [asked(service, client, f"{run}-{n}", f"run-{run}-{n}").status_code for n in range(4)]
        assert found == ([202, 202, 202, 429] if run == 0 else [429] * 4)
