"""Answers on the page, as people give them: with and without a script, by hand and by key."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from interlock.bytes.canon import canonical
from interlock.record.approvers import DAY
from interlock.store.ledger.ledger import Ledger
from interlock.words.visible import visible
from page_people import POLICY, csrf_in, follow, refund, signed_in, troubles, visitor
from page_story import HOSTILE
from person import at_a_terminal
from serving import Serving
from ssh_keys import new_key


def card(page: Page, id: str) -> str:
    return f"article[data-key={id}]"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("script", [True, False])
def test_a_yes_lets_the_call_through_once(browser: Browser, service: Serving, script: bool) -> None:
    session = f"yes-{script}"
    asked = refund(service, 10, session).json()["approval_id"]
    page = signed_in(browser, service, java_script_enabled=script)
    page.fill(f"{card(page, asked)} input[name=reason]", "agreed with Bo")
    page.click(f"{card(page, asked)} button.yes")
    page.wait_for_url("**/?answered=*")
    assert "Approved. It fires once" in page.inner_text(".note.done")
    assert refund(service, 10, session).status_code == 200
    assert refund(service, 10, session).status_code == 202
    answer = service.approver.get(f"/v1/approvals/{asked}").json()["answer"]
    assert (answer["surface"], answer["why"], answer["strength"]) == ("page", "agreed with Bo", "weak")
    assert answer["by"].startswith("ann with token ")
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False])
def test_a_no_denies_it(browser: Browser, service: Serving, script: bool) -> None:
    session = f"no-{script}"
    asked = refund(service, 11, session).json()["approval_id"]
    page = signed_in(browser, service, java_script_enabled=script)
    page.goto(f"/approvals/{asked}")
    page.fill("input[name=reason]", "too much")
    page.click("button.no")
    page.wait_for_url("**/?answered=*")
    assert refund(service, 11, session).status_code == 403
    assert service.approver.get(f"/v1/approvals/{asked}").json()["answer"]["why"] == "too much"
    page.context.close()


@pytest.mark.slow
def test_enter_in_the_reason_answers_nothing(browser: Browser, service: Serving) -> None:
    asked = refund(service, 12, "enter").json()["approval_id"]
    page = signed_in(browser, service)
    page.press(f"{card(page, asked)} input[name=reason]", "Enter")
    time.sleep(0.3)
    assert service.approver.get(f"/v1/approvals/{asked}").json()["status"] == "pending"
    page.context.close()


@pytest.mark.slow
def test_keys_move_open_and_answer_after_a_second_look(browser: Browser, service: Serving) -> None:
    first, second = (refund(service, amount, "keys").json()["approval_id"] for amount in (13, 14))
    page = signed_in(browser, service)
    keys = page.keyboard
    every = page.eval_on_selector_all("article.card", "cards => cards.map(card => card.dataset.key)")
    for _ in range(every.index(first) + 1):
        keys.press("j")
    assert page.evaluate("document.activeElement.dataset.key") == first
    keys.press("j")
    assert page.evaluate("document.activeElement.dataset.key") == second
    keys.press("k")
    keys.press("Enter")
    page.wait_for_url(f"**/approvals/{first}")
    keys.press("a")
    assert page.inner_text("#confirm-title") == "Approve once?"
    assert "13" in page.inner_text("#confirm-call")
    keys.press("Escape")
    assert service.approver.get(f"/v1/approvals/{first}").json()["status"] == "pending"
    keys.press("a")
    keys.press("Enter")
    page.wait_for_url("**/?answered=*")
    assert service.approver.get(f"/v1/approvals/{first}").json()["status"] == "approved"
    page.goto(f"/approvals/{second}")
    keys.press("d")
    assert page.inner_text("#confirm-title") == "Deny?"
    keys.press("Enter")
    page.wait_for_url("**/?answered=*")
    assert service.approver.get(f"/v1/approvals/{second}").json()["status"] == "denied"
    keys.press("?")
    expect(page.locator("#help")).to_be_visible()
    keys.press("Escape")
    keys.press("g")
    keys.press("c")
    page.wait_for_url("**/charts")
    page.context.close()


@pytest.mark.slow
def test_keys_do_nothing_while_somebody_types(browser: Browser, service: Serving) -> None:
    asked = refund(service, 15, "typing").json()["approval_id"]
    page = signed_in(browser, service)
    page.type(f"{card(page, asked)} input[name=reason]", "a day in jail?")
    assert page.locator("dialog[open]").count() == 0
    assert page.input_value(f"{card(page, asked)} input[name=reason]") == "a day in jail?"
    page.context.close()


@pytest.mark.slow
def test_a_new_question_appears_by_itself_and_leaves_when_it_is_answered(browser: Browser, service: Serving) -> None:
    old = refund(service, 16, "live").json()["approval_id"]
    page = signed_in(browser, service)
    complaints = troubles(page)
    expect(page.locator("#live .words")).to_have_text("live")
    page.evaluate("window.mark = 1")
    page.fill(f"{card(page, old)} input[name=reason]", "half a thought")
    before = int(page.inner_text("#badge").split()[0])
    began = time.monotonic()
    asked = refund(service, 17, "live").json()["approval_id"]
    page.wait_for_selector(card(page, asked), timeout=5000)
    assert time.monotonic() - began < 3
    assert page.title().startswith(f"({before + 1})")
    assert page.input_value(f"{card(page, old)} input[name=reason]") == "half a thought"
    service.approver.post(f"/v1/approvals/{asked}", json={"answer": "deny"})
    page.wait_for_selector(card(page, asked), state="detached", timeout=5000)
    assert page.evaluate("window.mark") == 1  # it was never loaded anew
    assert page.input_value(f"{card(page, old)} input[name=reason]") == "half a thought"
    assert complaints == []
    page.context.close()


@pytest.mark.slow
def test_an_open_question_says_that_it_was_answered_elsewhere(browser: Browser, service: Serving) -> None:
    asked = refund(service, 18, "elsewhere").json()["approval_id"]
    page = signed_in(browser, service)
    page.goto(f"/approvals/{asked}")
    expect(page.locator("#live .words")).to_have_text("live")
    service.approver.post(f"/v1/approvals/{asked}", json={"answer": "approve"})
    expect(page.locator("#standing")).to_contain_text("Approved by ann", timeout=5000)
    page.click("button.no")  # the form is still there, and comes too late
    expect(page.locator("[role=alert]")).to_contain_text("approved already")
    assert refund(service, 18, "elsewhere").status_code == 200
    page.context.close()


@pytest.mark.slow
def test_hostile_text_is_shown_and_not_obeyed(browser: Browser, service: Serving) -> None:
    asked = service.agent.post("/v1/decisions", json=service.bash(HOSTILE, session="hostile")).json()["approval_id"]
    page = signed_in(browser, service)
    complaints = troubles(page)
    for path in ("/", f"/approvals/{asked}", "/activity", "/sessions/hostile"):
        page.goto(path)
        assert page.evaluate("[...document.querySelectorAll('main script, main img, main iframe')].length") == 0
        shown = page.inner_text("main")
        for hidden in "\u202e\u202c\x1b\u200b\ufeff":
            assert hidden not in page.content()
        assert "\\u202e" in shown
        assert "\\x1b[2J" in shown
        assert "<script>" in shown
        assert "49" not in page.inner_text("main .subject, main .call >> nth=0")
    page.goto(f"/approvals/{asked}")
    assert page.inner_text(".call .lines code") == visible(HOSTILE)
    assert "⟨400 blanks⟩" in page.inner_text(".call")
    assert page.locator(".call mark").count() > 0
    assert complaints == []
    page.context.close()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("session", ["a/b\\c", "..", "<b>x</b>", "\u202eevil", "a b?c#d&e=f", "~tilde", "é" * 50])
def test_a_session_with_any_name_can_be_looked_at(browser: Browser, service: Serving, session: str) -> None:
    refund(service, 19, session)
    page = signed_in(browser, service)
    page.goto("/activity?tool=refund")
    follow(page, ".entry >> nth=0 >> a.session")
    assert page.inner_text("h1") == visible(session)
    page.context.close()


@pytest.mark.slow
def test_a_long_call_is_approved_where_all_of_it_is_shown(browser: Browser, service: Serving) -> None:
    long = "\n".join([*[f"echo line {at}" for at in range(60)], "git push origin main"])
    asked = service.agent.post("/v1/decisions", json=service.bash(long, session="long")).json()["approval_id"]
    page = signed_in(browser, service)
    assert page.locator(f"{card(page, asked)} button.yes").count() == 0
    assert "longer than what is shown here" in page.inner_text(card(page, asked))
    page.click(f"{card(page, asked)} h2 a")
    page.wait_for_url("**/approvals/*")
    assert page.locator(".call .lines li").count() == 61
    assert page.locator(".answer button.yes").count() == 1
    page.context.close()


def test_an_answer_is_for_what_was_shown(service: Serving) -> None:
    asked = refund(service, 20, "stale").json()["approval_id"]
    person = visitor(service)
    html = person.get(f"/approvals/{asked}").text
    form = {"csrf": csrf_in(html), "say": "approve once", "row": "1"}
    late = person.post(f"/approvals/{asked}", data=form)
    assert (late.status_code, "asked anew since it was shown" in late.text) == (409, True)
    for say in ("approve", "approve session", "approve everywhere", "maybe", ""):
        row = str(service.approver.get(f"/v1/approvals/{asked}").json()["row"])
        assert person.post(f"/approvals/{asked}", data={**form, "say": say, "row": row}).status_code == 400
    assert person.post("/approvals/ap_unknown", data=form).status_code == 404
    assert refund(service, 20, "stale").status_code == 202
    person.close()


AT_TERMINAL = """version = 1

[approvals]
by = ["terminal"]
"""


def enrolled(service: Serving, folder: Path, patched: pytest.MonkeyPatch) -> None:
    """A key that can sign, and a day later: from then on it counts."""
    key = new_key(folder / "key", hardware=True)
    patched.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    done = at_a_terminal(service.home, "approver", "enrol", "--key", str(key.public), "--yes")
    assert done.code == 0, done.out
    ledger = Ledger(service.folders.ledger)
    then = ledger.clock() + DAY + 1000
    ledger.clock = lambda: then
    with ledger.deciding() as turn:
        turn.append("override", canonical({"why": "time has passed"}), key="test")
    ledger.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "signs", "says", "runs"),
    [
        (POLICY, True, "It needs a signed answer, medium or stronger.", "--sign"),
        (AT_TERMINAL, False, "is approved by terminal only", "interlock approvals approve ap_"),
    ],
)
def test_what_this_page_cannot_approve_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, signs: bool, says: str, runs: str
) -> None:
    service = Serving(tmp_path, policy=policy)
    if signs:
        enrolled(service, tmp_path, monkeypatch)
    with service, visitor(service) as person:
        call = service.bash("git push --force origin main")
        asked = service.agent.post("/v1/decisions", json=call).json()["approval_id"]
        html = person.get("/").text
        assert says in html
        assert runs in html
        assert 'value="approve' not in html
        assert 'value="deny"' in html
        row = str(service.approver.get(f"/v1/approvals/{asked}").json()["row"])
        form = {"csrf": csrf_in(html), "say": "approve once", "row": row}
        assert person.post(f"/approvals/{asked}", data=form).status_code == 409
        assert person.post(f"/approvals/{asked}", data={**form, "say": "deny"}).status_code == 303
