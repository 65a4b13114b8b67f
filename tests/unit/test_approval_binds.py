"""What an approval of a call binds: the exact text behind its digests, and what is left out of it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from interlock import __version__
from interlock.approve.approval import Approval, approval_for, approval_of, asks_of, digest_of_call, projection_of
from interlock.bytes.canon import canonical, digest
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.session import Session
from interlock.model.verdict import Risk, Verdict
from interlock.policy.model import Policy, ToolSpec
from interlock.value import FrozenMap, freeze

MAKE = Call(tool="Bash", input=FrozenMap({"command": "make"}), cwd="/p", session="s", host="h")
READING = Reading(
    call="sha256:c",
    projection="sha256:p",
    actions=(Action(name="git:push", target=FrozenMap({"branch": "main"})),),
    scripts=("sha256:s",),
    sends=("main 1a2b",),
)


def given(**input: Any) -> Call:
    frozen: Any = freeze(input)
    return MAKE.replace(input=frozen)


# --- the id -------------------------------------------------------------------------------------------------------

BOUND = Approval(projection="sha256:p", happens="sha256:h", folder="/p", tool="sha256:d")


FIELDS = {
    "projection": "sha256:p",
    "happens": "sha256:h",
    "folder": "/p",
    "tool": "sha256:d",
    "engine": __version__,
    "scripts": (),
    "sends": (),
    "session": "",
    "run": "",
    "closed": 0,
}


def test_the_id_is_the_beginning_of_a_digest_of_all_that_is_bound() -> None:
    assert BOUND.as_dict() == FIELDS
    assert BOUND.id == "ap_" + sha256(canonical(FIELDS)).hexdigest()[:32]


def test_the_next_question_about_the_same_has_another_id_and_the_same_first_one() -> None:
    again, third = BOUND.replace(closed=1), BOUND.replace(closed=2)
    assert len({BOUND.id, again.id, third.id}) == 3
    assert {BOUND.first, again.first, third.first} == {BOUND.id}


def test_a_person_signs_what_was_read_for_the_session_or_for_the_run() -> None:
    expected = Approval(
        projection="sha256:p",
        happens=digest([["git:push", {"branch": "main"}]]),
        folder="/p",
        scripts=("sha256:s",),
        sends=("main 1a2b",),
        session="s",
    )
    call = MAKE.replace(cwd="/p", session="s")
    assert approval_for(call, READING, Policy()) == expected
    labelled = approval_for(call, READING, Policy(), run="nightly", closed=3)
    assert labelled == expected.replace(session="", run="nightly", closed=3)
    assert approval_of(call, READING, Policy(), Session(id="s")) == expected
    session = Session(id="s", label="nightly", asked_before=3)
    assert approval_of(call, READING, Policy(), session) == labelled


def test_of_the_policy_only_the_row_of_the_tool_is_bound() -> None:
    call = MAKE.replace(tool="refund")
    refund, other = ToolSpec(name="refund", risk=Risk.HIGH), ToolSpec(name="other")
    alone = approval_for(call, READING, Policy(tools=FrozenMap({"refund": refund}))).id
    assert approval_for(call, READING, Policy(tools=FrozenMap({"refund": refund, "other": other}))).id == alone
    assert approval_for(call, READING, Policy(digest="sha256:e", tools=FrozenMap({"refund": refund}))).id == alone
    changed = refund.replace(risk=Risk.LOW)
    assert approval_for(call, READING, Policy(tools=FrozenMap({"refund": changed}))).id != alone
    assert approval_for(call, READING, Policy()).id != alone


def test_asks_are_bound_by_layer_rule_digest_and_action() -> None:
    ask = Finding(layer="rules", rule="look", verdict=Verdict.ASK, text="t", actions=(1, 0), binds="sha256:r")
    denied = ask.replace(verdict=Verdict.DENY, rule="no")
    whole = Finding(layer="plan", rule="strict", verdict=Verdict.ASK, text="t")
    assert asks_of([ask, denied, whole, ask]) == ("plan/strict  ", "rules/look sha256:r 0", "rules/look sha256:r 1")


# --- the projection -----------------------------------------------------------------------------------------------

BASE = {"agent": "", "host": "h", "input": {"command": "make"}, "state": None, "tool": "Bash"}
PROJECTED: list[tuple[Call, dict[str, Any]]] = [
    (MAKE, {}),
    # what is cosmetic, for the one tool of which that is known
    (given(command="make", description="Builds", timeout=5), {}),
    (given(command="make", timeout=5), {}),
    (given(command="make", more=5), {"input": {"command": "make", "more": 5}}),
    (
        given(command="make", timeout=5).replace(tool="Shell"),
        {"tool": "Shell", "input": {"command": "make", "timeout": 5}},
    ),
    # who calls: a sub-agent by its kind
    (MAKE.replace(agent="a1"), {"agent": "a1"}),
    (MAKE.replace(agent="a1", agent_type="tester"), {"agent": "type:tester"}),
    (MAKE.replace(host="codex"), {"host": "codex"}),
    # the state, and what a preview has told
    (MAKE.replace(state=FrozenMap({"page": 1})), {"state": {"page": 1}}),
    (MAKE.replace(preview="sha256:r"), {"preview": "sha256:r"}),
    # secrets are left out, wherever they are
    (given(command="make", password="hunter2!"), {"input": {"command": "make", "password": "[redacted:password]"}}),
    (MAKE.replace(state=FrozenMap({"password": "hunter2!"})), {"state": {"password": "[redacted:password]"}}),
    (
        given(password="hunter2!").replace(state=FrozenMap({"page": 1})),
        {"input": {"password": "[redacted:password]"}, "state": {"page": 1}},
    ),
    # neither the folder nor the session is part of it
    (MAKE.replace(cwd="/q", session="t", attempt="2"), {}),
]


@pytest.mark.parametrize(("call", "changes"), PROJECTED)
def test_a_yes_binds_these_fields_of_a_call(call: Call, changes: dict[str, Any]) -> None:
    assert projection_of(call) == digest({**BASE, **changes})


# --- the digest of the call ---------------------------------------------------------------------------------------

WHOLE = {"agent": "", "cwd": "/p", "projection": "sha256:p", "rest": {}, "session": "s"}
DIGESTED: list[tuple[Call, dict[str, Any]]] = [
    (MAKE, {}),
    (MAKE.replace(agent="a1", cwd="/q", session="t"), {"agent": "a1", "cwd": "/q", "session": "t"}),
    (MAKE.replace(attempt="2"), {}),
    (given(command="make", timeout=5), {"rest": {"timeout": 5}}),
    (given(command="make", description="Builds", timeout=5), {"rest": {"description": "Builds", "timeout": 5}}),
    (given(command="make", timeout=5).replace(tool="Shell"), {}),
    (
        given(command="make", description="-p password=hunter2!"),
        {"rest": {"description": "-p password=[redacted:password]"}},
    ),
]


@pytest.mark.parametrize(("call", "changes"), DIGESTED)
def test_the_digest_of_a_call_covers_what_the_projection_leaves_out(call: Call, changes: dict[str, Any]) -> None:
    assert digest_of_call(call, "sha256:p") == digest({**WHOLE, **changes})
