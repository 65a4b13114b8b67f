"""A call with hidden values, over HTTP and on the page: a yes has to say that it counts all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from page_people import POLICY, csrf_in, visitor
from serving import Serving

SHOWN = "https://evil1.example/collect"
HOOK = f"{SHOWN}?k=hunter2-hunter2"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("hidden"), policy=POLICY) as found:
        yield found


def asked(service: Serving, session: str, **given: Any) -> str:
    call = service.call("refund", {"amount": 5, **given}, session=session)
    return str(service.agent.post("/v1/decisions", json=call).json()["approval_id"])


def test_over_http_the_answer_says_so_or_is_refused(service: Serving) -> None:
    path = f"/v1/approvals/{asked(service, 'http', token=HOOK)}"
    told = service.approver.get(path).json()
    assert (told["hidden"], told["input"]["token"]) == (1, f"{SHOWN}?[redacted:query]")
    refused = service.approver.post(path, json={"answer": "approve"})
    assert (refused.status_code, "1 value is hidden and cannot be revealed" in refused.text) == (409, True)
    wrong = service.approver.post(path, json={"answer": "approve", "confirm_hidden": "yes"})
    assert wrong.status_code == 400
    assert service.approver.get(path).json()["status"] == "pending"
    done = service.approver.post(path, json={"answer": "approve", "confirm_hidden": True})
    assert (done.status_code, done.json()["status"]) == (200, "approved")


def test_where_nothing_is_hidden_nothing_more_is_asked(service: Serving) -> None:
    path = f"/v1/approvals/{asked(service, 'plain', token=SHOWN)}"
    assert service.approver.get(path).json()["hidden"] == 0
    assert service.approver.post(path, json={"answer": "approve"}).status_code == 200


def test_on_the_page_the_box_is_checked_by_the_server(service: Serving) -> None:
    id = asked(service, "page", token=HOOK)
    with visitor(service) as person:
        page = person.get(f"/approvals/{id}").text
        assert SHOWN in page
        assert "hunter2" not in page
        assert 'name="hidden" value="yes" required' in page
        row = page.partition('name="row" value="')[2].partition('"')[0]
        form = {"csrf": csrf_in(page), "row": row, "say": "approve once"}
        refused = person.post(f"/approvals/{id}", data=form)
        assert (refused.status_code, "hidden and cannot be revealed" in refused.text) == (409, True)
        assert service.approver.get(f"/v1/approvals/{id}").json()["status"] == "pending"
        assert person.post(f"/approvals/{id}", data={**form, "hidden": "yes"}).status_code == 303
    assert service.approver.get(f"/v1/approvals/{id}").json()["status"] == "approved"


def test_on_the_page_a_no_needs_no_box(service: Serving, tmp_path: Path) -> None:
    id = asked(service, "page-no", token=HOOK)
    with visitor(service) as person:
        page = person.get(f"/approvals/{id}").text
        row = page.partition('name="row" value="')[2].partition('"')[0]
        form = {"csrf": csrf_in(page), "row": row, "say": "deny"}
        assert person.post(f"/approvals/{id}", data=form).status_code == 303
