"""Debian's Chromium, driven by Playwright, against the real service on a real socket."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from page_people import POLICY
from serving import Serving

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


# For each file of tests, not for the whole run: while Playwright is there, its event loop is the thread's own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not os.path.exists(CHROMIUM):
        missing = "there is no Chromium; install it with: scripts/chromium.sh"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("page"), policy=POLICY) as found:
        yield found


@pytest.fixture(scope="session")
def screenshots(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.rootpath / ".pytest_cache" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
