"""The button on the page: only where policy and machine allow it, and applied like at a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from previewing import needs_views
from serving import Serving

pytestmark = needs_views
POLICY = """version = 1
[approvals]
by = ["page"]
[preview]
page = {page}
[undo]
lowers = false
"""
COMMAND = "rm -rf old && echo gone"


class Page:
    def __init__(self, folder: Path, page: bool) -> None:
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "old").mkdir()
        (self.project / "old/file").write_text("1\n")
        self.open: httpx.Client | None = None
        self.service = Serving(folder / "serve", policy=POLICY.format(page=str(page).lower()))

    def ask(self) -> httpx.Response:
        call = {**self.service.call("Bash", {"command": COMMAND}, session="s"), "cwd": str(self.project)}
        return self.service.agent.post("/v1/decisions", json=call)

    def browser(self) -> httpx.Client:
        self.service.client("ann", "approver")
        self.open = httpx.Client(
            base_url=self.service.url,
            cookies={"interlock": self.service.tokens["ann"]},
            headers={"origin": self.service.url},
            timeout=60,
            follow_redirects=True,
        )
        return self.open

    def close(self) -> None:
        if self.open is not None:
            self.open.close()


def fields(html: str, action: str) -> dict[str, str]:
    form = html.partition(f'action="{action}"')[2].partition("</form>")[0]
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]+)"', form))


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "serve").mkdir()
    made = Page(tmp_path, page=True)
    with made.service:
        yield made
        made.close()


def previewed(page: Page, browser: httpx.Client, id: str) -> tuple[str, str]:
    """Where the preview is shown, and what is."""
    at = f"/approvals/{id}/preview"
    done = browser.post(at, data=fields(browser.get(f"/approvals/{id}").text, at))
    assert done.status_code == 200, done.text
    return done.url.path, done.text


def test_a_call_that_waits_is_previewed_and_applied(page: Page) -> None:
    id = page.ask().json()["approval_id"]
    browser = page.browser()
    at, html = previewed(page, browser, id)
    assert "old/file" in html
    assert (page.project / "old/file").exists()
    done = browser.post(at, data={**fields(html, at), "say": "apply"})
    assert "What a preview of it had found is in the project" in done.text
    assert not (page.project / "old").exists()
    again = page.ask()
    assert again.status_code == 403
    assert "Exit code 0. It printed: gone" in again.json()["agent"]


def test_what_is_discarded_leaves_the_question_open(page: Page) -> None:
    id = page.ask().json()["approval_id"]
    browser = page.browser()
    at, html = previewed(page, browser, id)
    browser.post(at, data={**fields(html, at), "say": "discard"})
    assert page.ask().json()["approval_id"] == id
    assert browser.get(at).status_code in (400, 404)


def test_a_form_of_another_page_starts_and_applies_nothing(page: Page) -> None:
    id = page.ask().json()["approval_id"]
    browser = page.browser()
    assert browser.post(f"/approvals/{id}/preview", data={"row": "1"}).status_code == 403
    at, html = previewed(page, browser, id)
    assert browser.post(at, data={"say": "apply"}).status_code == 403
    other = {**fields(html, at), "digest": "sha256:0"}
    assert browser.post(at, data={**other, "say": "apply"}).status_code == 409
    assert (page.project / "old/file").exists()


def test_an_agents_token_previews_nothing(page: Page) -> None:
    id = page.ask().json()["approval_id"]
    assert page.service.agent.post(f"/approvals/{id}/preview", data={"row": "1"}).status_code in (401, 403)
    assert page.service.agent.get("/previews/pv_0").status_code in (401, 403)


def test_without_the_setting_there_is_no_button(tmp_path: Path) -> None:
    (tmp_path / "serve").mkdir()
    page = Page(tmp_path, page=False)
    with page.service:
        id = page.ask().json()["approval_id"]
        browser = page.browser()
        html = browser.get(f"/approvals/{id}").text
        assert "Preview what it would change" not in html
        forged = {**fields(html, f"/approvals/{id}")}
        assert browser.post(f"/approvals/{id}/preview", data=forged).status_code == 409
        page.close()
