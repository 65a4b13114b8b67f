"""Slack, by the real SDK against a Slack on this machine: who asks, who answers, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fake_slack import FakeSlack
from slack_serving import serving


class Team:
    """A service with a Slack of its own."""

    def __init__(self, folder: Path) -> None:
        self.slack = FakeSlack()
        self.service = serving(folder, self.slack)
        self.sessions = 0

    def asks(self, given: Any = None, session: str = "", tool: str = "refund") -> str:
        """A new question; in a session of its own where none is named."""
        self.sessions += not session
        self.call = self.service.call(tool, given or {"amount": 5000}, session=session or f"s{self.sessions}")
        return str(self.tries()["approval_id"])

    def tries(self) -> dict[str, Any]:
        """The agent makes its last call, again."""
        told: dict[str, Any] = self.service.agent.post("/v1/decisions", json=self.call).json()
        return told

    def stands(self, id: str) -> dict[str, Any]:
        told: dict[str, Any] = self.service.approver.get(f"/v1/approvals/{id}").json()
        return told

    def settled(self, id: str, status: str) -> dict[str, Any]:
        told: dict[str, Any] = self.slack.until(lambda: told if (told := self.stands(id))["status"] == status else None)
        return told

    def still_waits(self, id: str) -> bool:
        return bool(self.stands(id)["status"] == "pending")


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    found = Team(tmp_path_factory.mktemp("slack"))
    with found.slack, found.service:
        yield found


# --- questions -------------------------------------------------------------------------------------------------------


def test_questions_of_a_session_come_into_one_thread(team: Team) -> None:
    slack = team.slack
    first, second = team.asks({"amount": 1}, "one-thread"), team.asks({"amount": 2}, "one-thread")
    other = team.asks()
    messages = [slack.message(id) for id in (first, second, other)]
    parents = [message["thread_ts"] for message in messages]
    assert parents[0] == parents[1] != parents[2]
    parent = slack.messages[parents[0]]
    assert "session one-thread" in slack.text(parent)
    assert parent.get("thread_ts") is None
    text = slack.text(messages[0])
    assert "Interlock asks: refund" in text
    assert "amount:\n│ 1" in text
    assert first in text
    assert "It waits until" in text
    links = [
        e for b in messages[0]["blocks"] for s in b["elements"] for e in s.get("elements", ()) if e["type"] == "link"
    ]
    assert [link["url"] for link in links] == [f"https://guard.example/approvals/{first}"]
    assert [*slack.buttons(messages[0])] == ["interlock_once", "interlock_deny"]  # it is asked each time
    for message in messages:
        assert (message["unfurl_links"], message["unfurl_media"], message["link_names"]) == (False, False, False)


def test_a_click_approves_as_the_person_and_the_message_says_so(team: Team) -> None:
    slack = team.slack
    id = team.asks({"amount": 10}, "click")
    slack.click(slack.message(id), "interlock_once")
    told = team.settled(id, "approved")["answer"]
    assert told["by"] == "ann in Slack as U0ANN"
    assert (told["surface"], told["strength"]) == ("slack", "weak")
    edited = slack.says(id, "Approved by ann in Slack as U0ANN.")
    assert slack.buttons(edited) == {}
    assert "amount:\n│ 10" in slack.text(edited)
    call = team.service.call("refund", {"amount": 10}, session="click")
    assert team.service.agent.post("/v1/decisions", json=call).status_code == 200
    slack.says(id, "The call was let through.")


def test_a_yes_for_the_session_says_so_to_the_service(team: Team) -> None:
    id = team.asks({"command": "npm install left-pad"}, tool="Bash")
    message = team.slack.message(id)
    assert [*team.slack.buttons(message)] == ["interlock_once", "interlock_session", "interlock_deny"]
    team.slack.click(message, "interlock_session")
    assert team.settled(id, "approved")["answer"]["reach"] == "session"


def test_a_click_denies(team: Team) -> None:
    id = team.asks()
    team.slack.click(team.slack.message(id), "interlock_deny", "U0BO")
    assert team.settled(id, "denied")["answer"]["by"] == "bo in Slack as U0BO"
    assert team.slack.buttons(team.slack.says(id, "Denied by bo")) == {}


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("approve", "approved", ""),
        ("Approve!", "approved", ""),
        ("<@U0BOT> approve because Bo agreed", "approved", "Bo agreed"),
        ("deny", "denied", ""),
        ("deny because 5 &lt; 6 &amp; it is Friday", "denied", "5 < 6 & it is Friday"),
    ],
)
def test_a_text_in_the_thread_answers(team: Team, text: str, status: str, why: str) -> None:
    id = team.asks()
    team.slack.say(text, team.slack.message(id)["thread_ts"])
    told = team.settled(id, status)["answer"]
    assert (told["by"], told["surface"], told["why"]) == ("ann in Slack as U0ANN", "slack", why)
    if why:
        team.slack.says(id, why)
    if status == "denied" and why:
        assert f'Their words: "{why}".' in team.tries()["agent"]


@pytest.mark.parametrize(
    "text", ["what is this for?", "I would not approve this", "approved", "yes", "denying is an option", ""]
)
def test_talk_is_no_answer(team: Team, text: str) -> None:
    id = team.asks()
    before = len(team.slack.whispers)
    sent = len(team.slack.acknowledged)
    team.slack.say(text, team.slack.message(id)["thread_ts"])
    team.slack.until(lambda: len(team.slack.acknowledged) > sent)
    assert team.still_waits(id)
    assert len(team.slack.whispers) == before


@pytest.mark.parametrize("text", ["approve? I am not sure", "approve the other one", "approve if Bo agrees"])
def test_what_begins_as_a_yes_and_is_none_is_asked_back(team: Team, text: str) -> None:
    id = team.asks()
    team.slack.whispers.clear()
    team.slack.say(text, team.slack.message(id)["thread_ts"])
    assert team.slack.whisper("was not taken for a yes")["user"] == "U0ANN"
    assert team.still_waits(id)


# --- which question is meant -----------------------------------------------------------------------------------------


def test_a_text_for_one_of_several_has_to_name_it(team: Team) -> None:
    slack = team.slack
    first, second = team.asks({"amount": 1}, "several"), team.asks({"amount": 2}, "several")
    thread = slack.message(first)["thread_ts"]
    slack.message(second)
    slack.whispers.clear()
    slack.say("approve", thread)
    assert f"`approve {first}`" in slack.whisper("not clear which question")["text"]
    assert team.still_waits(first)
    assert team.still_waits(second)
    slack.say(f"approve {second[:12]}", thread)
    team.settled(second, "approved")
    assert team.still_waits(first)


def test_a_text_is_not_taken_for_a_question_that_came_while_it_was_written(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    slack.whispers.clear()
    slack.say("approve", slack.message(id)["thread_ts"], later=0.5)
    slack.whisper("not clear which question")
    assert team.still_waits(id)


def test_a_text_is_not_taken_for_the_next_question_when_its_own_was_just_answered(team: Team) -> None:
    slack = team.slack
    first, second = team.asks({"amount": 1}, "just-over"), team.asks({"amount": 2}, "just-over")
    thread = slack.message(first)["thread_ts"]
    slack.message(second)
    team.service.approver.post(f"/v1/approvals/{first}", json={"answer": "approve"})
    slack.whispers.clear()
    slack.say("approve", thread, later=5.0)
    slack.whisper("not clear which question")
    assert team.still_waits(second)
    slack.says(first, "Approved by ann with token")


def test_a_text_where_nothing_waits_says_so(team: Team) -> None:
    id = team.asks()
    thread = team.slack.message(id)["thread_ts"]
    team.slack.click(team.slack.message(id), "interlock_deny")
    team.settled(id, "denied")
    team.slack.whispers.clear()
    team.slack.say("approve", thread)
    team.slack.whisper("Nothing waits for an answer in this thread")


# --- who -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["click", "text"])
def test_somebody_whom_nobody_named_may_not_answer(team: Team, how: str) -> None:
    slack = team.slack
    id = team.asks()
    message = slack.message(id)
    slack.whispers.clear()
    if how == "click":
        slack.click(message, "interlock_once", "U0STRANGER")
    else:
        slack.say("approve", message["thread_ts"], "U0STRANGER")
    told = slack.whisper("You may not answer this")
    assert (told["user"], told["thread_ts"]) == ("U0STRANGER", message["thread_ts"])
    assert team.still_waits(id)


def test_the_same_id_in_another_workspace_is_another_person(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    slack.whispers.clear()
    slack.click(slack.message(id), "interlock_once", team="T0OTHER")
    slack.whisper("You may not answer this")
    slack.whispers.clear()
    slack.say("approve", slack.message(id)["thread_ts"], user_team="T0OTHER")
    slack.whisper("You may not answer this")
    assert team.still_waits(id)


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B0AGENT"},
        {"app_id": "A0AGENT"},
        {"subtype": "message_changed"},
        {"subtype": "bot_message"},
    ],
)
def test_a_text_that_a_program_wrote_in_somebodys_name_is_no_answer(team: Team, more: dict[str, Any]) -> None:
    id = team.asks()
    sent = len(team.slack.acknowledged)
    team.slack.say("approve", team.slack.message(id)["thread_ts"], **more)
    team.slack.until(lambda: len(team.slack.acknowledged) > sent)
    time.sleep(0.2)
    assert team.still_waits(id)


# --- forged ----------------------------------------------------------------------------------------------------------


def test_a_button_answers_the_question_of_its_own_message_only(team: Team) -> None:
    slack = team.slack
    mine, other = team.asks(), team.asks()
    message, elsewhere = slack.message(mine), slack.message(other)
    for value in (slack.buttons(elsewhere)["interlock_once"], mine, f"{mine}.0", "", "ap_00"):
        slack.whispers.clear()
        slack.click(message, "interlock_once", value=value or "x")
        slack.whisper("does not belong to a question that waits")
    assert team.still_waits(mine)
    assert team.still_waits(other)


def test_a_click_on_a_message_that_is_not_ours_does_nothing(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    message = slack.message(id)
    for change in ({"ts": "1.000001"}, {"channel": "C0OTHER"}, {"ts": ""}):
        slack.whispers.clear()
        slack.click({**message, **change}, "interlock_once", value=slack.buttons(message)["interlock_once"])
        slack.whisper("does not belong to a question that waits")
    assert team.still_waits(id)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"type": "block_actions"},
        {"type": "block_actions", "actions": [], "user": "U0ANN", "container": []},
        {"type": "block_actions", "actions": ["x"]},
        {"type": "view_submission", "user": {"id": "U0ANN"}},
        {"type": "event_callback", "event": {"type": "message", "text": 7, "thread_ts": ["x"]}},
        {"type": "event_callback", "event": "message"},
    ],
)
def test_junk_is_acknowledged_and_changes_nothing(team: Team, payload: dict[str, Any]) -> None:
    slack = team.slack
    for kind in ("interactive", "events_api", "slash_commands"):
        sent = slack.envelope(kind, payload)
        slack.until(partial(slack.acknowledged.count, sent))
    id = team.asks()
    slack.click(slack.message(id), "interlock_deny")
    team.settled(id, "denied")


# --- once ------------------------------------------------------------------------------------------------------------


def test_an_envelope_that_comes_twice_counts_once(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    slack.whispers.clear()
    payload = slack.clicked(slack.message(id), "interlock_once")
    envelope = slack.envelope("interactive", payload)
    slack.until(lambda: envelope in slack.acknowledged)
    slack.envelope("interactive", payload, id=envelope)
    slack.envelope("interactive", payload)  # the same click in another envelope
    slack.until(lambda: slack.acknowledged.count(envelope) == 2)
    team.settled(id, "approved")
    time.sleep(0.3)
    assert slack.whispers == []


@pytest.mark.slow
def test_while_slack_renews_the_socket_an_answer_over_both_counts_once(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    message = slack.message(id)
    slack.whispers.clear()
    opened = len(slack.asked("apps.connections.open"))
    slack.renew()
    slack.until(lambda: len(slack.asked("apps.connections.open")) > opened and slack.links)
    payload = slack.clicked(message, "interlock_once")
    slack.envelope("interactive", payload, id="over-both", to=None)
    slack.envelope("interactive", payload, to=None)
    team.settled(id, "approved")
    time.sleep(0.3)
    assert slack.whispers == []


def test_the_second_of_two_people_is_told_that_it_is_answered(team: Team) -> None:
    slack = team.slack
    id = team.asks()
    message = dict(slack.message(id))
    slack.whispers.clear()
    slack.click(message, "interlock_deny", "U0ANN")
    team.settled(id, "denied")
    slack.click(message, "interlock_once", "U0BO")
    assert slack.whisper("is denied already")["user"] == "U0BO"


# --- what cannot be approved here ------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"note": "x" * 4000}, {"note": "\n".join("line" for _ in range(80))}])
def test_a_call_that_does_not_fit_has_no_button_and_takes_no_yes(team: Team, given: dict[str, str]) -> None:
    slack = team.slack
    id = team.asks(given)
    message = slack.message(id)
    assert [*slack.buttons(message)] == ["interlock_deny"]
    assert "too long to be shown whole" in slack.text(message)
    value = slack.buttons(message)["interlock_deny"]
    for answer in ("click", "text"):
        slack.whispers.clear()
        if answer == "click":
            slack.click(message, "interlock_once", value=value)
        else:
            slack.say("approve", message["thread_ts"])
        slack.whisper("too long to be shown whole in Slack")
    assert team.still_waits(id)
    slack.say("deny because it is too long", message["thread_ts"])
    team.settled(id, "denied")


def test_markup_and_hidden_characters_of_a_call_are_shown_and_not_obeyed(team: Team) -> None:
    slack = team.slack
    hostile = "<!channel> <@U0ANN> <https://evil.example|ok> *bold* ```\n:ok: Approved \u202etxet\x1b[2J\u200b"
    id = team.asks({"note": hostile, "<!here>": "&lt;"}, "<!channel>&<@U0ANN>")
    message = slack.message(id)
    call = next(
        part["elements"][0]["text"]
        for part in message["blocks"][0]["elements"]
        if part["type"] == "rich_text_preformatted"
    )
    assert call == (
        "<!here>:\n│ &lt;\nnote:\n│ <!channel> <@U0ANN> <https://evil.example|ok> *bold* ```\n"
        "│ :ok: Approved \\u202etxet\\x1b[2J\\u200b"
    )
    parent = slack.messages[message["thread_ts"]]
    for one in (message, parent):
        assert "<" not in one["text"]
        assert {block["type"] for block in one["blocks"]} <= {"rich_text", "actions"}  # none of which reads markup
        kinds = {e["type"] for b in one["blocks"] for s in b["elements"] for e in s.get("elements", ())}
        assert kinds <= {"text", "link"}
    assert "&lt;!channel&gt;&amp;" in parent["text"]
    assert "\u202e" not in str(slack.messages)


def test_a_secret_in_a_call_does_not_reach_slack(team: Team) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    id = team.asks({"note": f"token {secret}"})
    team.slack.message(id)
    assert secret not in str(team.slack.calls)


def test_a_yes_to_what_is_hidden_takes_the_button_that_asks_back(team: Team) -> None:
    slack = team.slack
    id = team.asks({"amount": 1, "token": "https://evil1.example/x?k=hunter2-hunter2"})
    message = slack.message(id)
    text = slack.text(message)
    assert "https://evil1.example/x?[redacted:query]" in text
    assert "1 value is hidden and cannot be revealed." in text
    (actions,) = [block for block in message["blocks"] if block["type"] == "actions"]
    confirms = {button["action_id"]: "confirm" in button for button in actions["elements"]}
    assert confirms == {"interlock_once": True, "interlock_deny": False}
    plain = slack.buttons(message)["interlock_once"].removesuffix(".hidden")
    slack.click(message, "interlock_once", value=plain)  # of a message that asks nothing back
    slack.whisper("Say yes with the button, which asks back")
    assert team.still_waits(id)
    slack.click(message, "interlock_once")
    team.settled(id, "approved")


# --- what happens elsewhere ------------------------------------------------------------------------------------------


def test_an_answer_given_elsewhere_edits_the_message(team: Team) -> None:
    id = team.asks()
    team.slack.message(id)
    team.service.approver.post(f"/v1/approvals/{id}", json={"answer": "deny", "reason": "not today"})
    assert team.slack.buttons(team.slack.says(id, "not today")) == {}


def test_the_tokens_are_in_no_metric_and_the_messages_are_counted(team: Team) -> None:
    text = team.service.admin.get("/metrics").text
    assert "interlock_slack_connected 1.0" in text
    assert 'interlock_slack_messages_total{done="posted"}' in text
    assert "xox" not in text
