"""What a text in a Slack thread says, and what a message shows; without a Slack."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.grant import Grant
from interlock.approve.lifecycle import Question
from interlock.record.receipt import grant_to_wire
from interlock.serve.slack.message import message_of, why_not_here
from interlock.serve.slack.spoken import Spoken, heard
from interlock.store.people.answering import Asked
from interlock.value import freeze

ID = "ap_0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("approve", Spoken(yes=True)),
        ("  APPROVE.  ", Spoken(yes=True)),
        ("<@U0BOT> approve", Spoken(yes=True)),
        ("approve because Bo agreed", Spoken(yes=True, why="Bo agreed")),
        ("approve: Bo agreed", Spoken(yes=True, why="Bo agreed")),
        ("approve for this session", Spoken(yes=True, reach="session")),
        ("approve for the session because we test", Spoken(yes=True, reach="session", why="we test")),
        (f"approve {ID}", Spoken(yes=True, about=ID)),
        ("approve ap_0123 because yes", Spoken(yes=True, about="ap_0123", why="yes")),
        ("deny", Spoken(yes=False)),
        ("Deny, because no", Spoken(yes=False, why="no")),
        ("deny this is\nwrong", Spoken(yes=False, why="this is wrong")),
        ("deny ap_0123: no", Spoken(yes=False, about="ap_0123", why="no")),
        ("approve?", Spoken(yes=True, unclear=True)),
        ("approve not", Spoken(yes=True, unclear=True)),
        ("approve becauseof", Spoken(yes=True, unclear=True)),
        ("approve because", Spoken(yes=True, unclear=True)),
        ("approve ap_0123 ap_4567", Spoken(yes=True, about="ap_0123", unclear=True)),
        ("approve everywhere", Spoken(yes=True, unclear=True)),
        ("approved", None),
        ("disapprove", None),
        ("I approve", None),
        ("do not approve", None),
        ("> approve", None),
        ("&gt; approve", None),
        ("~approve~", None),
        ("", None),
    ],
)
def test_a_text_is_an_answer_or_talk(text: str, said: Spoken | None) -> None:
    assert heard(text) == said


def asked(**body: Any) -> Asked:
    question = Question(id=ID, seq=7, holder="s1", status="pending", proof=None, asked=1, expires=0)
    row: Any = freeze(
        {
            "tool": "refund",
            "input": {"amount": 1},
            "subject": "1",
            "folder": "/repo",
            "session": "s1",
            "policy": "sha256:0",
            "reasons": ["Send money."],
            "where": ["slack"],
            "needs": "weak",
            "scripts": [],
            **body,
        }
    )
    from interlock import __version__

    return Asked(question, {**row, "engine": __version__}, (), 2)


def actions(question: Asked) -> list[str]:
    message = message_of(question, "https://guard.example/approvals/x")
    return [
        button["action_id"] for block in message.blocks if block["type"] == "actions" for button in block["elements"]
    ]


def test_a_call_that_is_shown_whole_can_be_approved() -> None:
    assert actions(asked()) == ["interlock_once", "interlock_deny"]


def test_a_yes_for_the_session_is_offered_where_one_can_be_had() -> None:
    grant = grant_to_wire(Grant(id="", kind="remembered", action="refund", reach="session"))
    reach = {"grants": [grant], "refused": ""}
    assert actions(asked(reach=reach)) == ["interlock_once", "interlock_session", "interlock_deny"]
    assert actions(asked(reach={"grants": [], "refused": "asked each time"})) == ["interlock_once", "interlock_deny"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"needs": "medium"}, "needs a yes that is signed"),
        ({"where": ["page"]}, "is approved by page only"),
        ({"input": None}, "too long to be shown whole"),
        ({"input": {"text": "x" * 2900}}, "too long to be shown whole in Slack"),
        ({"input": {"text": "\n" * 70}}, "too long to be shown whole in Slack"),
        ({"input": {"text": "\u200b" * 600}}, "too long to be shown whole in Slack"),  # each is written out
        ({"scripts": ["/repo/run.sh " + "0" * 64] * 40}, "too long to be shown whole in Slack"),
    ],
)
def test_what_cannot_be_approved_in_slack_has_no_button_for_it(body: dict[str, Any], says: str) -> None:
    question = asked(**body)
    assert says in str(why_not_here(question))
    assert actions(question) == ["interlock_deny"]


def test_what_a_yes_also_binds_is_shown() -> None:
    question = asked(scripts=["/repo/run.sh"], sends=["commit 12"], agent_type="reviewer")
    shown = str(message_of(question, "https://guard.example/").blocks)
    for text in ("/repo/run.sh", "commit 12", "reviewer"):
        assert f"│ {text}" in shown
