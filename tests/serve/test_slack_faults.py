"""Slack when things go wrong: it is down, slow, forgetful or in the way, or the service ends in between."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fake_slack import APP, BOT, CHANNEL, FakeSlack
from interlock.model.errors import InputError
from interlock.serve.outbound import Outbound
from interlock.serve.run import api_for
from interlock.serve.settings import Settings, Slack, settings_from
from interlock.serve.slack import ears
from serving import Serving
from slack_serving import POLICY, serving


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ears, "_PING", 0.5)


def asks(service: Serving, amount: int, session: str = "s1") -> str:
    call = service.call("refund", {"amount": amount}, session=session)
    return str(service.agent.post("/v1/decisions", json=call).json()["approval_id"])


def restart(service: Serving) -> None:
    service.stop()
    service.start()


def status(service: Serving, id: str) -> str:
    return str(service.approver.get(f"/v1/approvals/{id}").json()["status"])


def settled(slack: FakeSlack, service: Serving, id: str, word: str) -> None:
    slack.until(lambda: status(service, id) == word)


@pytest.mark.slow
def test_after_a_restart_the_thread_and_the_buttons_are_the_same(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        first = asks(service, 1)
        thread = slack.message(first)["thread_ts"]
        restart(service)
        second = asks(service, 2)
        assert slack.message(second)["thread_ts"] == thread
        slack.click(slack.message(first), "interlock_once")
        settled(slack, service, first, "approved")
        slack.says(first, "Approved by ann")
        assert len(slack.posted(first)) == len(slack.posted(second)) == 1


@pytest.mark.slow
def test_what_was_answered_while_it_was_stopped_is_edited_when_it_is_back(tmp_path: Path) -> None:
    with FakeSlack() as slack:
        with serving(tmp_path, slack) as service:
            id, other = asks(service, 1), asks(service, 2)
            slack.message(id)
            slack.message(other)
        with Serving(tmp_path, policy=POLICY) as service:  # without Slack
            service.approver.post(f"/v1/approvals/{id}", json={"answer": "deny"})
            missed = asks(service, 3, "s2")
        with serving(tmp_path, slack) as service:
            assert slack.buttons(slack.says(id, "Denied by ann with token")) == {}
            assert slack.buttons(slack.message(missed)) != {}
            assert slack.buttons(slack.message(other)) != {}


@pytest.mark.slow
def test_questions_are_posted_in_order_when_slack_is_back_and_no_verdict_waited(tmp_path: Path) -> None:
    with FakeSlack() as slack:
        slack.down = True
        with serving(tmp_path, slack) as service:
            asks(service, 0, "warm")
            began = time.monotonic()
            ids = [asks(service, amount) for amount in (1, 2, 3)]
            assert time.monotonic() - began < 3.0
            assert service.agent.get("/readyz").status_code == 200
            assert "interlock_slack_connected 0.0" in service.admin.get("/metrics").text
            slack.down = False
            stamps = [slack.message(id)["ts"] for id in ids]
            assert stamps == sorted(stamps)
            slack.click(slack.message(ids[1]), "interlock_once")
            settled(slack, service, ids[1], "approved")


@pytest.mark.slow
def test_slack_is_left_alone_for_as_long_as_it_says(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        slack.message(asks(service, 1))
        slack.fails("chat.postMessage", "ratelimited", status=429, headers={"Retry-After": "2"})
        began = time.monotonic()
        id = asks(service, 2)
        slack.until(lambda: len(slack.asked("chat.postMessage")) == 3)
        calls = len(slack.calls)
        while time.monotonic() - began < 1.5:
            assert [name for name, _ in slack.calls[calls:] if name.startswith(("chat.", "conversations."))] == []
            time.sleep(0.1)
        slack.message(id)
        assert time.monotonic() - began >= 2.0
        assert len(slack.posted(id)) == 1
        assert slack.asked("conversations.replies") == []  # it was refused, so nothing has to be looked for


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["the thread", "the question"])
def test_a_post_whose_answer_is_lost_is_not_posted_twice(tmp_path: Path, lost: str) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        if lost == "the question":
            slack.message(asks(service, 1))
        slack.loses("chat.postMessage")
        id = asks(service, 2)
        slack.until(lambda: len(slack.asked("chat.postMessage")) > (lost == "the question"))
        slack.until(lambda: slack.asked("conversations.replies") or slack.asked("conversations.history"))
        message = slack.message(id)
        slack.until(lambda: service.admin.get("/metrics").text.count("interlock_slack_questions_to_show 0.0"))
        assert len(slack.posted(id)) == 1
        assert len(slack.posted("session s1")) == 1
        slack.click(message, "interlock_once")
        settled(slack, service, id, "approved")


@pytest.mark.slow
def test_a_service_that_is_killed_between_post_and_note_finds_its_message_again(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        id = asks(service, 1)
        slack.message(id)
        time.sleep(0.3)
        service.stop()
        with sqlite3.connect(f"{service.folders.state}/slack.db") as database:  # as a kill would leave it
            assert database.execute("UPDATE questions SET ts = '', shown = '', whole = 0").rowcount == 1
        database.close()
        service.start()
        slack.until(lambda: slack.message(id).get("edited"))
        slack.click(slack.message(id), "interlock_once")
        settled(slack, service, id, "approved")
        assert len(slack.posted(id)) == 1


@pytest.mark.slow
def test_a_socket_that_breaks_is_opened_again(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        id = asks(service, 1)
        message = slack.message(id)
        old = slack.until(lambda: list(slack.links))
        slack.drop()
        slack.until(lambda: slack.links and slack.links[-1] not in old)
        slack.click(message, "interlock_once")
        settled(slack, service, id, "approved")


@pytest.mark.slow
def test_slack_that_is_slow_delays_no_verdict_and_no_other_answer(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        asks(service, 0, "warm")
        slack.slow = 3.0
        began = time.monotonic()
        ids = [asks(service, amount) for amount in range(1, 6)]
        service.approver.post(f"/v1/approvals/{ids[0]}", json={"answer": "approve"})
        assert time.monotonic() - began < 2.5
        slack.slow = 0.0


@pytest.mark.slow
def test_a_question_that_ends_by_itself_loses_its_buttons(tmp_path: Path) -> None:
    with FakeSlack() as slack:
        with Serving(tmp_path, policy=POLICY) as service:
            id = asks(service, 1)
            soon = int(time.time() * 1000) + 8000
            with sqlite3.connect(service.folders.ledger) as database:
                database.execute("UPDATE approvals SET expires = ? WHERE id = ?", (soon, id))
            database.close()
        with serving(tmp_path, slack):
            message = dict(slack.message(id))
            assert slack.buttons(message) != {}
            assert slack.buttons(slack.says(id, "Nobody answered in time")) == {}
            slack.click(message, "interlock_once")
            slack.whisper("is expired already")


@pytest.mark.slow
def test_a_question_that_slack_may_not_answer_is_not_posted(tmp_path: Path) -> None:
    policy = POLICY + '\n[approvals]\nby = ["page", "http"]\n'
    with FakeSlack() as slack, serving(tmp_path, slack, policy) as service:
        asks(service, 1)
        slack.until(lambda: slack.links)
        time.sleep(1.5)
        assert slack.messages == {}


@pytest.mark.slow
def test_a_message_that_slack_does_not_take_is_told_without_the_call(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        slack.message(asks(service, 1))
        slack.fails("chat.postMessage", "invalid_blocks")
        id = asks(service, 2)
        message = slack.message(id)
        assert message["blocks"] == []
        assert f"https://guard.example/approvals/{id}" in message["text"]
        slack.say(f"approve {id}", message["thread_ts"])
        slack.whisper("was not shown whole in Slack")
        assert status(service, id) == "pending"


@pytest.mark.slow
def test_a_message_that_somebody_removed_stops_nothing(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        id = asks(service, 1)
        del slack.messages[slack.message(id)["ts"]]
        service.approver.post(f"/v1/approvals/{id}", json={"answer": "deny"})
        slack.message(asks(service, 2, "s2"))


@pytest.mark.slow
def test_a_thread_that_somebody_removed_is_begun_anew(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        thread = slack.message(asks(service, 1))["thread_ts"]
        del slack.messages[thread]
        slack.fails("chat.postMessage", "thread_not_found")
        second = slack.message(asks(service, 2))
        assert second["thread_ts"] != thread
        assert second["thread_ts"] in slack.messages


@pytest.mark.slow
def test_a_row_that_was_changed_is_not_shown_and_the_others_are(tmp_path: Path) -> None:
    with FakeSlack() as slack:
        with Serving(tmp_path, policy=POLICY) as service:
            id, other = asks(service, 1), asks(service, 2, "s2")
        with sqlite3.connect(service.folders.ledger) as database:
            database.execute("DROP TRIGGER IF EXISTS rows_stay")
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
            for name in names:
                database.execute(f"DROP TRIGGER {name}")
            database.execute(
                "UPDATE ledger SET body = CAST(REPLACE(CAST(body AS TEXT), '\"amount\":1', '\"amount\":9') AS BLOB) "
                "WHERE kind = 'prompt' AND key = ?",
                (id,),
            )
        database.close()
        with serving(tmp_path, slack):
            slack.message(other)
            assert slack.posted(id) == []


@pytest.mark.slow
def test_wrong_tokens_stop_slack_and_not_the_service(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeSlack() as slack:
        service = serving(tmp_path, slack)
        for name, text in (("bot", "xoxb-WRONG"), ("app", "xapp-WRONG")):
            (tmp_path / f"{name}.token").write_text(text)
        with service:
            asks(service, 1)
            slack.until(lambda: len(slack.asked("auth.test")) and len(slack.asked("apps.connections.open")))
            slack.until(lambda: "Slack refuses: invalid_auth" in caplog.text)
            assert service.agent.get("/readyz").status_code == 200
            assert slack.messages == {}
    assert "WRONG" not in caplog.text


@pytest.mark.slow
def test_two_answers_at_the_same_moment_are_one(tmp_path: Path) -> None:
    with FakeSlack() as slack, serving(tmp_path, slack) as service:
        id = asks(service, 1)
        message = slack.message(id)
        payloads = [slack.clicked(message, "interlock_once", user) for user in ("U0ANN", "U0BO")]
        threads = [threading.Thread(target=slack.envelope, args=("interactive", payload)) for payload in payloads]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        settled(slack, service, id, "approved")
        slack.until(lambda: len(slack.whispers) == 1)
        assert "already" in slack.whispers[0]["text"] or "somebody else" in slack.whispers[0]["text"]
        call = service.call("refund", {"amount": 1}, session="s1")
        assert [service.agent.post("/v1/decisions", json=call).status_code for _ in range(2)] == [200, 202]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"channel": "#ops"}, "give the channel's id"),
        ({"bot": "nowhere"}, "is not there"),
        ({"people": {"ann": "U0ANN"}}, 'write U024BE7LH = "ann"'),
        ({"api": "http://slack.example/api/"}, "must begin with https://"),
    ],
)
def test_a_wrong_setting_stops_the_service_before_it_listens(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    files = {}
    for name, text in (("bot", BOT), ("app", APP)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
        files[name] = str(tmp_path / name)
    given = Slack(**{"channel": CHANNEL, **files, **change})
    with pytest.raises(InputError) as error:
        Outbound(api_for(Serving(tmp_path).folders, Settings(slack=given)))
    assert says in str(error.value)


def test_tokens_are_told_apart_and_never_repeated(tmp_path: Path) -> None:
    for name in ("bot", "app"):
        (tmp_path / name).write_text(APP)
        (tmp_path / name).chmod(0o600)
    given = Slack(channel=CHANNEL, bot=str(tmp_path / "bot"), app=str(tmp_path / "app"))
    with pytest.raises(InputError, match="begins with xoxb-") as error:
        Outbound(api_for(Serving(tmp_path).folders, Settings(slack=given)))
    assert APP not in str(error.value)


def test_the_table_of_slack_is_checked() -> None:
    text = '[slack]\nchannel = "C1"\nbot = "b"\napp = "a"\n\n[slack.people]\nU0ANN = "ann"\n'
    found = settings_from(text, "serve.toml", {}).slack
    assert found is not None
    assert dict(found.people) == {"U0ANN": "ann"}
    with pytest.raises(InputError, match="`people` must be a table of texts"):
        settings_from(text.replace('"ann"', "7"), "serve.toml", {})
    with pytest.raises(InputError, match="Slack has no field chanel"):
        settings_from(text.replace("[slack]", '[slack]\nchanel = "C2"'), "serve.toml", {})
