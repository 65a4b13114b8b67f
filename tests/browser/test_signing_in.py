"""Who gets in: a person's token, once, and from then on a cookie that only the page's own forms can use."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from page_people import csrf_in, refund, sign_in, signed_in, visitor
from serving import Serving


@pytest.mark.slow
def test_a_token_becomes_a_cookie_that_neither_scripts_nor_other_sites_get(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service)
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("interlock", True, "Strict")
    assert page.evaluate("document.cookie") == ""
    assert service.tokens["ann"] not in page.url + page.content()
    assert service.tokens["ann"] not in page.evaluate("JSON.stringify([history.state, {...localStorage}])")
    page.context.close()


@pytest.mark.slow
def test_over_tls_the_cookie_stays_on_tls(tmp_path: Path) -> None:
    with Serving(tmp_path, settings={"url": "https://guard.example"}) as service:
        token = service.token("ann", "approver")
        answer = httpx.post(
            f"{service.url}/sign-in", data={"token": token}, headers={"host": "guard.example"}, timeout=20
        )
    assert answer.status_code == 303
    kept = answer.headers["set-cookie"].lower()
    assert {"secure", "httponly", "samesite=strict", "path=/"} <= {part.strip() for part in kept.split(";")}


@pytest.mark.parametrize("text", ["", "ilt_0000000000000000_nothing", "ilt_", "<script>"])
def test_a_wrong_token_is_told_so_and_sets_no_cookie(service: Serving, text: str) -> None:
    answer = httpx.post(f"{service.url}/sign-in", data={"token": text}, timeout=20)
    assert answer.status_code == 401
    assert "not known, or no longer good" in answer.text
    assert "set-cookie" not in answer.headers


def test_an_agents_token_does_not_sign_in(service: Serving) -> None:
    service.agent.get("/healthz")
    answer = httpx.post(f"{service.url}/sign-in", data={"token": service.tokens["robot"]}, timeout=20)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    held = httpx.Client(base_url=service.url, cookies={"interlock": service.tokens["robot"]})
    assert held.get("/").status_code == 403
    held.close()


def test_a_revoked_token_is_out_at_once(service: Serving) -> None:
    person = visitor(service, "leaver")
    assert person.get("/").status_code == 200
    service.revoke("leaver")
    assert person.get("/").headers["location"] == "/sign-in"
    person.close()


VIEWS = ("/", "/approvals/ap_x", "/activity", "/sessions/s", "/decisions/sha256:x", "/grants", "/policy", "/charts")


@pytest.mark.parametrize("path", VIEWS)
def test_no_view_is_shown_to_a_stranger(service: Serving, path: str) -> None:
    answer = httpx.get(f"{service.url}{path}", timeout=20)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")


@pytest.mark.parametrize(
    "next", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\nx", "é"]
)
def test_signing_in_leads_to_this_page_only(service: Serving, next: str) -> None:
    service.client("ann", "approver")
    answer = httpx.post(f"{service.url}/sign-in", data={"token": service.tokens["ann"], "next": next}, timeout=20)
    assert answer.headers["location"] == "/"


@pytest.mark.slow
def test_whoever_follows_a_link_comes_to_where_it_leads(browser: Browser, service: Serving) -> None:
    """The cookie is not sent along from elsewhere; once here it is."""
    asked = refund(service, 1, "linked").json()["approval_id"]
    page = signed_in(browser, service)
    page.goto(f"data:text/html,<a href='{service.url}/approvals/{asked}'>look</a>")
    page.click("a")
    page.wait_for_selector(f"article[data-key={asked}]")
    page.context.clear_cookies()
    page.goto(f"/approvals/{asked}")
    sign_in(page, service.tokens["ann"])
    assert page.url == f"{service.url}/approvals/{asked}"
    page.context.close()


@pytest.mark.slow
def test_signing_out_takes_the_cookie_away(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service)
    page.click("text=Sign out")
    page.wait_for_url("**/sign-in")
    assert page.context.cookies() == []
    page.context.close()


@pytest.mark.parametrize("given", [None, "", "zeros", "of another"])
def test_a_form_without_its_mark_answers_nothing(service: Serving, given: str | None) -> None:
    asked = refund(service, 2, f"forged-{given}").json()["approval_id"]
    person, other = visitor(service), visitor(service, "bo")
    form = {"say": "approve once", "row": str(person_row(service, asked))}
    if given is not None:
        form["csrf"] = csrf_in(other.get("/").text) if given == "of another" else given.replace("zeros", "0" * 64)
    assert person.post(f"/approvals/{asked}", data=form).status_code == 403
    assert person.post("/sign-out", data={"csrf": form.get("csrf", "")}).status_code == 403
    assert refund(service, 2, f"forged-{given}").status_code == 202
    person.close()
    other.close()


def person_row(service: Serving, asked: str) -> int:
    row: int = service.approver.get(f"/v1/approvals/{asked}").json()["row"]
    return row


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_form_of_another_site_answers_nothing(service: Serving, headers: dict[str, str]) -> None:
    session = f"foreign-{'-'.join(headers.values())}"
    asked = refund(service, 3, session).json()["approval_id"]
    person = visitor(service)
    form = {"csrf": csrf_in(person.get("/").text), "say": "approve once", "row": str(person_row(service, asked))}
    assert person.post(f"/approvals/{asked}", data=form, headers=headers).status_code == 403
    assert refund(service, 3, session).status_code == 202
    person.close()


def test_a_form_with_a_field_twice_or_of_another_kind_is_refused(service: Serving) -> None:
    person = visitor(service)
    form = "application/x-www-form-urlencoded"
    twice = person.post("/approvals/ap_x", content="csrf=1&csrf=2", headers={"content-type": form})
    assert twice.status_code == 400
    assert person.post("/approvals/ap_x", content="{}", headers={"content-type": "text/plain"}).status_code == 415
    assert person.post("/approvals/ap_x", content="%ff=%ff&=", headers={"content-type": form}).status_code == 400
    person.close()
