"""A person in front of the page: signed in, with a browser of their own."""

from __future__ import annotations

import re
from typing import Any

import httpx
from playwright.sync_api import Browser, Page

from serving import Serving

__all__ = ["POLICY", "csrf_in", "follow", "refund", "sign_in", "signed_in", "troubles", "visitor"]

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""


def refund(service: Serving, amount: int, session: str) -> httpx.Response:
    return service.agent.post("/v1/decisions", json=service.call("refund", {"amount": amount}, session=session))


def follow(page: Page, selector: str) -> None:
    """Click on what leads to another page, and wait until all of that page is there."""
    with page.expect_navigation():
        page.click(selector)


def sign_in(page: Page, token: str) -> None:
    page.fill("#token", token)
    page.click("button.yes")
    page.wait_for_url(re.compile(r"^(?!.*sign-in)"))


def signed_in(browser: Browser, service: Serving, *, name: str = "ann", role: str = "approver", **how: Any) -> Page:
    page = browser.new_context(base_url=service.url, **how).new_page()
    service.client(name, role)
    page.goto("/")
    sign_in(page, service.tokens[name])
    return page


def visitor(service: Serving, name: str = "ann", role: str = "approver") -> httpx.Client:
    """What a browser would send, without one: the cookie alone."""
    service.client(name, role)
    return httpx.Client(base_url=service.url, cookies={"interlock": service.tokens[name]}, timeout=20)


def csrf_in(html: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', html)
    assert found is not None
    return found[1]


def troubles(page: Page) -> list[str]:
    """Fills up with what the browser complains about: errors of the script, and what the policy of content refuses."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda line: found.append(line.text) if line.type in ("error", "warning") else None)
    return found
