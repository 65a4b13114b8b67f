"""Every view as people see it: in light and dark, on a desk and on a phone. Screenshots are kept by the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.record.receipt import receipt_of
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.rows import decision_row, open_decision
from page_checks import complaints
from page_people import follow, signed_in, troubles, visitor
from page_story import HOSTILE, POLICY, tell
from serving import Serving

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1200, "height": 900}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 360, "height": 740},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "phone-dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "is_mobile": True},
}
LONG = "\n".join(["cat > notes.txt <<EOF", *[f"line {at}" for at in range(40)], "EOF", "git push origin main"])
ASKED = (
    "git push --force origin main",
    'cd build && make dist\ntar czf - . | ssh backup@10.0.0.7 "cat > dist.tgz"\nrm -rf ../cache/$TARGET',
    HOSTILE,
    LONG,
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    service = Serving(tmp_path_factory.mktemp("views"), policy=POLICY)
    tell(service.folders, service.project, hours=6)
    with service:
        for command in ("git status", *ASKED):
            service.agent.post("/v1/decisions", json=service.bash(command, session="deploy-9"))
        given = {"amount": 5000, "to": "ACME", "memo": "order 9", "lines": [{"sku": "A-1", "count": 2}]}
        service.agent.post("/v1/decisions", json=service.call("refund", given, session="deploy-9"))
        yield service


def paths(service: Serving) -> dict[str, str]:
    waiting = service.approver.get("/v1/approvals").json()["approvals"]
    hard = next(one for one in waiting if "ssh" in one["subject"])
    return {
        "inbox": "/",
        "approval": f"/approvals/{hard['id']}",
        "activity": "/activity",
        "filtered": "/activity?verdict=deny&since=24h",
        "nothing-fits": "/activity?text=no-such-thing",
        "session": "/sessions/build-412",
        "decision": f"/decisions/{hard['receipt']}?replay=1",
        "grants": "/grants",
        "policy": "/policy",
        "charts": "/charts?span=24h",
        "charts-30d": "/charts?span=30d",
    }


@pytest.mark.sampled(9)
@pytest.mark.parametrize("look", LOOKS)
def test_every_view_is_sound_and_its_screenshot_is_kept(
    browser: Browser, service: Serving, screenshots: Path, look: str
) -> None:
    page = signed_in(browser, service, reduced_motion="reduce", **LOOKS[look])
    trouble = troubles(page)
    found: dict[str, list[str]] = {}
    for name, path in paths(service).items():
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200, name
        page.screenshot(path=screenshots / f"{name}-{look}.png", full_page=name != "policy")
        page.evaluate("for (const node of document.querySelectorAll('details')) node.open = true")
        found[name] = complaints(page)
    assert {name: lines for name, lines in found.items() if lines} == {}
    assert trouble == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("look", ["light", "phone-dark"])
def test_sign_in_errors_and_empty_views_are_sound(
    browser: Browser, tmp_path: Path, screenshots: Path, look: str
) -> None:
    with Serving(tmp_path) as service:
        page = browser.new_context(base_url=service.url, **LOOKS[look]).new_page()
        page.goto("/sign-in")
        page.fill("#token", "wrong")
        page.click("button.yes")
        page.wait_for_selector("[role=alert]")
        assert complaints(page) == []
        page.screenshot(path=screenshots / f"sign-in-{look}.png")
        page.context.close()
        page = signed_in(browser, service, **LOOKS[look])
        for name, path in {"inbox": "/", "activity": "/activity", "grants": "/grants", "charts": "/charts"}.items():
            page.goto(path)
            assert complaints(page) == [], name
            page.screenshot(path=screenshots / f"empty-{name}-{look}.png")
        answer = page.goto("/decisions/sha256:nothing")
        assert answer is not None
        assert answer.status == 404
        assert complaints(page) == []
        page.screenshot(path=screenshots / f"error-{look}.png")
        page.context.close()


@pytest.mark.slow
def test_dialogs_are_sound(browser: Browser, service: Serving, screenshots: Path) -> None:
    for look in ("light", "phone-dark"):
        page = signed_in(browser, service, **LOOKS[look])
        page.keyboard.press("?")
        assert complaints(page) == []
        page.screenshot(path=screenshots / f"keys-{look}.png")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("#confirm")).to_be_visible()
        assert complaints(page) == []
        page.screenshot(path=screenshots / f"confirm-{look}.png")
        page.context.close()


@pytest.mark.slow
def test_focus_can_be_seen_and_begins_with_the_way_past_the_menu(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service)
    page.goto("/activity")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(8):
        page.keyboard.press("Tab")
        width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        assert width >= 2
    page.context.close()


@pytest.mark.slow
def test_the_activity_can_be_searched(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service, java_script_enabled=False)
    page.goto("/activity")
    page.fill("#f-text", "FORCE origin")
    page.select_option("#f-verdict", "ask")
    page.select_option("#f-since", "1h")
    follow(page, "text=Filter")
    assert texts(page, ".entry .subject code") == ["git push --force origin main"]
    page.goto("/activity?tool=refund")
    assert texts(page, ".entry .tool") == ["refund"]
    page.goto("/activity?session=build-412&verdict=deny")
    assert set(texts(page, ".entry .session")) == {"build-412"}
    assert set(texts(page, ".entry .verdict")) == {"deny"}
    page.goto("/activity")
    first = texts(page, ".entry .subject code")
    follow(page, ".older a")
    assert "before=" in page.url
    assert texts(page, ".entry .subject code") != first
    page.context.close()


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


@pytest.mark.slow
def test_marks_show_what_the_decision_is_about(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service)
    waiting = service.approver.get("/v1/approvals").json()["approvals"]
    push = next(one for one in waiting if one["subject"].startswith("git push --force"))
    page.goto(f"/approvals/{push['id']}")
    assert texts(page, ".call mark") == ["git push --force origin main"]
    assert page.get_attribute(".call mark", "class") == "grave"
    hard = next(one for one in waiting if "ssh" in one["subject"])
    page.goto(f"/approvals/{hard['id']}")
    assert "../cache/$TARGET" in texts(page, ".call mark.unread")
    assert "depends on the value of TARGET" in page.inner_text(".note.unread")
    before = texts(page, ".before .entry .subject code")
    assert "git push --force origin main" in before
    page.context.close()


@pytest.mark.slow
def test_a_decision_tells_every_layer_and_replays(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service, java_script_enabled=False)
    page.goto("/activity?verdict=deny&text=kubectl")
    follow(page, ".entry a.subject >> nth=0")
    assert "rules/no-prod" in page.inner_text(".findings")
    silent = page.inner_text("text=/Nothing against it:/")
    assert {"floor", "risk", "capability"} <= set(re.findall(r"\w+", silent))
    receipt = page.url.rpartition("/")[2]
    follow(page, "text=Replay")
    told = page.inner_text("#replay")
    assert "It holds, byte for byte." in told
    assert receipt in told
    follow(page, "a[href^='/policy?digest=']")
    assert "no-prod" in page.inner_text(".toml")
    page.context.close()


def test_a_decision_names_the_grants_that_come_close(service: Serving) -> None:
    """A grant for feature branches is near a push of main."""
    with visitor(service) as person:
        call = service.bash("git push origin main", session="near")
        receipt = service.agent.post("/v1/decisions", json=call).json()["receipt"]
        html = person.get(f"/decisions/{receipt}").text
        assert re.search(r"gr_\w+</code> would lift", html)


def test_a_receipt_that_does_not_hold_is_told_so(service: Serving) -> None:
    answer = service.agent.post("/v1/decisions", json=service.bash("git push -f", session="forged")).json()
    ledger = Ledger(service.folders.ledger, front="serve")
    with ledger.deciding() as turn:
        row = turn.find(answer["receipt"], "decision")
        assert row is not None
        body: Any = parse_object(canonical(open_decision(row)[1]))
        forged = {**body, "decision": {**body["decision"], "verdict": "allow"}}
        digest = receipt_of(forged)[0]
        turn.append("decision", decision_row({"command": "git push -f"}, forged, front="serve"), key=digest)
    ledger.close()
    with visitor(service) as person:
        html = person.get(f"/decisions/{digest}?replay=1").text
    assert "It does not hold." in html
    assert "decision.verdict: recorded" in html


@pytest.mark.slow
def test_grants_show_how_they_are_used(browser: Browser, service: Serving) -> None:
    page = signed_in(browser, service)
    page.goto("/grants")
    shown = " ".join(texts(page, ".grant"))
    for words in ("17 of 20 uses", "0 of 1 uses", "used 3 times", "expired", "session build-412"):
        assert words in shown
    page.context.close()


def test_a_policy_is_looked_up_in_known_projects_only(service: Serving) -> None:
    with visitor(service) as person:
        html = person.get("/policy", params={"root": str(service.project)}).text
        assert "policy.toml" in html
        assert "profile serve" in html
        assert person.get("/policy", params={"root": "/etc"}).status_code == 404
        assert person.get("/policy", params={"digest": "sha256:0"}).status_code == 404


def test_a_broken_policy_is_told_with_its_place(tmp_path: Path) -> None:
    with Serving(tmp_path, policy="version = 1\n") as service, visitor(service) as person:
        Path(service.folders.user_policy).write_text("version = 1\nposture = 7\n")
        html = person.get("/policy").text
        assert "only reads are allowed" in html
        assert "policy.toml:2" in html


@pytest.mark.parametrize(
    "path", ["/charts?span=1y", "/activity?verdict=perhaps", "/activity?since=ever", "/sessions/~zz", "/sessions/none"]
)
def test_an_address_that_makes_no_sense_is_refused(service: Serving, path: str) -> None:
    with visitor(service) as person:
        assert person.get(path).status_code in (400, 404)


def test_files_of_the_page_are_its_own_and_nothing_else_is_served(service: Serving) -> None:
    with visitor(service) as person:
        for name in ("page.css", "page.js", "icon.svg", "waits.svg"):
            assert person.get(f"/static/{name}").status_code == 200
        for name in ("../ways.py", "%2e%2e/ways.py", "ways.py", "templates/base.html"):
            assert person.get(f"/static/{name}").status_code == 404
