"""What becomes of a call that the relay has just let through: the same rows as any other outcome, without a search."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from interlock.bytes.strict import parse_object
from interlock.engine import Engine, Given
from interlock.follow import noticing, outcomes
from interlock.model.call import Call, kept_session
from interlock.model.events import Ended, Place, Proposed, Said
from interlock.record.resume import opened
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.value import FrozenMap, freeze

from .wire import Home, Wire, scripted

POLICY = """
version = 1
[tools."mcp__s__look"]
effects = ["read"]
[tools."mcp__s__make"]
effects = ["write"]
args = { path = "write" }
"""
TRACED = POLICY + "secret_result = true\n"
OBSERVED = POLICY.replace("version = 1", "version = 1\n[hook]\nobserve = { until = 2999-01-01 }")
OWNER = kept_session("c", "mcp")
KEY = b"11" * 32 + b"\n"


class Front:
    """An engine as a relay has one, with a home of its own."""

    def __init__(self, folder: Path, project: Path, policy: str) -> None:
        (folder / ".config/interlock").mkdir(parents=True)
        self.policy = folder / ".config/interlock/policy.toml"
        self.policy.write_text(policy)
        self.folders = folders_for(str(folder))
        os.makedirs(self.folders.state, mode=0o700)
        (Path(self.folders.state) / "proof.key").write_bytes(KEY)  # so that keyed digests of two homes are equal
        self.engine = Engine(self.folders, front="mcp", watches=False, resident=True, elsewhere=True)
        self.project = project
        self.place = Place(host="mcp", session="c", cwd=str(project), attended=False)

    def call(self, tool: str, **given: Any) -> Call:
        return Call(tool=f"mcp__s__{tool}", input=FrozenMap(given), cwd=str(self.project), session="c", host="mcp")

    def propose(self, call: Call) -> Any:
        return self.engine.propose(Proposed(place=self.place.replace(attended=True), call=call))

    def ended(self, call: Call, outcome: str, result: Any = None) -> Ended:
        return Ended(place=self.place, call=call, outcome=outcome, result=result, event="outcome", size=7)

    def kept(self) -> tuple[list[tuple[str, bytes]], bytes]:
        """The session's rows, the newest first, and its state, but for when it began."""
        ledger = Ledger(self.folders.ledger)
        try:
            with ledger.looking() as view:
                rows = [(row.kind, row.body) for row in view.newest(OWNER, 50)]
            return rows, re.sub(rb'"started":"[^"]*"', b"", ledger.session(OWNER) or b"")
        finally:
            ledger.close()

    def values(self) -> Any:
        state = Ledger(self.folders.ledger).session(OWNER)
        return None if state is None else opened(state)[0].values


STORY = (
    ("look", {"at": "a"}, "ran", {"text": "one"}),
    ("look", {"at": "a"}, "ran", {"text": "one"}),
    ("make", {"path": "made.txt"}, "ran", {"text": "done"}),
    ("make", {"path": "unmade.txt"}, "ran", {"text": "done"}),
    ("look", {"at": "b"}, "failed", "no such thing"),
    ("look", {"at": "c"}, "unknown", None),
    ("look", {"at": "d"}, "not_run", None),
)


@pytest.mark.parametrize("policy", [POLICY, OBSERVED, TRACED], ids=["enforced", "observed", "traced"])
def test_rows_and_session_are_those_of_an_outcome_that_was_searched_for(tmp_path: Path, policy: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "made.txt").write_text("")
    kept = []
    for name, in_hand in (("searched", False), ("in-hand", True)):
        front = Front(tmp_path / name, project, policy)
        for tool, given, outcome, result in STORY:
            call = front.call(tool, **given)
            decided = front.propose(call)
            assert decided.row > 0
            front.engine.tell(front.ended(call, outcome, freeze(result)), decided if in_hand else None)
        front.engine.close()
        kept.append(front.kept())
    assert kept[0] == kept[1]
    assert [kind for kind, _ in kept[0][0]].count("outcome") == len(STORY)


def test_a_decision_in_hand_is_not_searched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    front = Front(tmp_path / "home", tmp_path, POLICY)
    call = front.call("look", at="a")
    decided = front.propose(call)

    def searched(*_given: object, **_named: object) -> None:
        raise AssertionError("the ledger was searched")

    monkeypatch.setattr(outcomes, "decision_about", searched)
    front.engine.tell(front.ended(call, "ran", "one"), decided)
    assert front.kept()[0][0][0] == "outcome"


def test_a_front_without_a_host_looks_at_no_files_of_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    front = Front(tmp_path / "home", tmp_path, POLICY)

    def looked(*_given: object) -> None:
        raise AssertionError("files of hosts were looked at")

    monkeypatch.setattr(noticing, "glance", looked)
    call = front.call("look", at="a")
    front.propose(call)
    front.engine.tell(front.ended(call, "ran", "one"))
    assert front.kept()[0][0][0] == "outcome"


def test_the_outcome_of_a_call_that_was_not_recorded_belongs_to_no_decision(tmp_path: Path) -> None:
    front = Front(tmp_path / "home", tmp_path, POLICY)
    call = front.call("look", at="a")
    recorded = front.propose(call)  # the same call, whose own outcome is still to come
    front.engine.tell(front.ended(call, "ran", "one"), recorded.replace(row=0, trouble="the disk is full"))
    kind, body = front.kept()[0][0]
    assert kind == "outcome"
    assert parse_object(body)["decision"] is None


def test_an_outcome_of_another_call_is_not_taken_for_this_one(tmp_path: Path) -> None:
    front = Front(tmp_path / "home", tmp_path, POLICY)
    decided = front.propose(front.call("look", at="a"))
    other = front.call("look", at="b")
    second = front.propose(other)
    front.engine.tell(front.ended(other, "ran", "one"), decided)
    assert parse_object(front.kept()[0][0][1])["decision"] == second.row


def test_values_of_a_result_are_learnt_although_they_began_to_count_meanwhile(tmp_path: Path) -> None:
    """Another server of the same client may be in a project whose policy asks where values come from."""
    front = Front(tmp_path / "home", tmp_path, POLICY)
    call = front.call("look", at="a")
    decided = front.propose(call)
    other = Front(tmp_path / "other", tmp_path, TRACED)
    engine = Engine(front.folders, front="mcp", watches=False, given=Given(policy=str(other.policy)))
    place = front.place.replace(attended=True)
    engine.tell(Said(place=place, prompt="", text="write to ann@acme.example", notice=False, program=True))
    engine.ledger().close()
    before = front.values()
    assert before is not None
    front.engine.tell(front.ended(call, "ran", freeze({"mail": "eve@evil.example"})), decided)
    assert front.values() != before


SENDS = """
[tools.mcp__s__echo]
effects = ["read"]
[tools.mcp__s__blank]
effects = ["network"]
args = { message = "recipient" }
[tiers.actions]
"mcp:s:blank" = 1
"""


def test_values_of_a_relayed_result_are_traced(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", SENDS)
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert "eve@evil.example" in wire.said(1, "echo", "from eve@evil.example")
        assert "approval pending" in wire.said(2, "blank", "eve@evil.example")
    reasons = home.rows("decision")[1]["receipt"]["decision"]["reasons"]
    assert "it came out of what `mcp__s__echo` gave back" in str(reasons)
