"""The preview button in a browser: there where the policy says so, and what it shows is applied or discarded there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from page_people import follow, signed_in, troubles
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
COMMAND = "rm -rf old && echo '<b>gone</b>'"
BUTTON = "text=Preview what it would change"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, Serving]]:
    with (
        Serving(tmp_path_factory.mktemp("with"), policy=POLICY.format(page="true")) as there,
        Serving(tmp_path_factory.mktemp("without"), policy=POLICY.format(page="false")) as absent,
    ):
        yield {True: there, False: absent}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old/file").write_text("1\n")
    return tmp_path


def ask(service: Serving, project: Path) -> dict[str, str]:
    call = {**service.call("Bash", {"command": COMMAND}, session=project.name), "cwd": str(project)}
    told: dict[str, str] = service.agent.post("/v1/decisions", json=call).json()
    return told


def opened(browser: Browser, service: Serving, id: str, *, script: bool = True) -> Page:
    page = signed_in(browser, service, java_script_enabled=script)
    page.goto(f"/approvals/{id}")
    return page


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False])
def test_what_is_previewed_there_is_applied_there(
    browser: Browser, services: dict[bool, Serving], project: Path, script: bool
) -> None:
    id = ask(services[True], project)["approval_id"]
    page = opened(browser, services[True], id, script=script)
    complaints = troubles(page)
    page.click(BUTTON)
    page.wait_for_url("**/previews/*")
    shown = page.inner_text("body")
    assert "old/file" in shown
    assert "<b>gone</b>" in shown
    assert (project / "old/file").exists()
    follow(page, "button[value=apply]")
    assert "What a preview of it had found is in the project" in page.inner_text("body")
    assert not (project / "old").exists()
    assert "It printed: <b>gone</b>" in ask(services[True], project)["agent"]
    assert complaints == []
    page.context.close()


@pytest.mark.slow
def test_what_is_discarded_there_changes_nothing(
    browser: Browser, services: dict[bool, Serving], project: Path
) -> None:
    id = ask(services[True], project)["approval_id"]
    page = opened(browser, services[True], id)
    page.click(BUTTON)
    page.wait_for_url("**/previews/*")
    follow(page, "button[value=discard]")
    assert (project / "old/file").exists()
    assert ask(services[True], project)["approval_id"] == id
    page.context.close()


def test_without_the_setting_the_button_is_absent(
    browser: Browser, services: dict[bool, Serving], project: Path
) -> None:
    id = ask(services[False], project)["approval_id"]
    page = opened(browser, services[False], id)
    assert "rm -rf old" in page.inner_text("body")
    assert page.locator(BUTTON).count() == 0
    page.context.close()
