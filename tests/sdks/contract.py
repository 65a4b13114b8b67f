"""What every adapter keeps to, tried with the real SDK: one suite over all of them.

A case file (`cases/test_NAME.py`) takes it over with a driver of its SDK (`scenes.py`), and runs in the environment of
that SDK, without network (`test_sdks.py`).
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock.gate import Checked
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from sdks.scenes import CANNOT, Driver, Scene, Turn, World

__all__ = ["Contract"]

REASON = "nothing is sent there"  # in what the model is told of a deny
ADVICE = "Send it to ok."


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    before = os.getcwd()
    made = World(tmp_path, request.module.__name__)
    yield made
    made.gate.close()
    os.chdir(before)
    if made.rows("decision"):
        assert verify(folders_for(str(made.home))).damage is None


@pytest.fixture
def driver(request: pytest.FixtureRequest) -> Driver:
    found: Driver = request.cls.driver
    assert set(found.cannot) <= set(CANNOT)
    return found


def needs(driver: Driver, *what: str) -> None:
    for each in what:
        if each in driver.cannot:
            pytest.skip(f"{each}: {driver.cannot[each]}")


def paused(world: World, driver: Driver, *turns: Turn, **more: Any) -> Scene:
    """A run that waits for a person."""
    needs(driver, "pause")
    scene = world.scene(*(turns or ([("c1", "maybe")],)), **more)
    seen = driver.run(scene)
    assert seen.failed == ""
    assert seen.questions
    assert all(asked["approval"].startswith("ap_") and asked["question"] for asked in seen.questions)
    assert all(asked["call"].startswith(f"{world.tool}: ") and "to=" in asked["call"] for asked in seen.questions)
    return scene


def hangs(*_given: Any) -> Any:
    time.sleep(3)


def breaks(*_given: Any, **_more: Any) -> Any:
    raise RuntimeError("boom")


async def _junk(*_given: Any, **_more: Any) -> Any:
    return {"verdict": "allow"}


async def _abreaks(*_given: Any, **_more: Any) -> Any:
    raise RuntimeError("boom")


async def _odd(*_given: Any, **_more: Any) -> Any:
    return Checked(verdict="yes")


class Contract:
    driver: Driver

    # --- allow and deny -------------------------------------------------------------------------------------------

    def test_an_allowed_call_runs_once_and_that_is_told(self, world: World, driver: Driver) -> None:
        seen = driver.run(world.scene([("c1", "ok")]))
        assert seen.failed == ""
        assert world.ran == ["ok"]
        assert seen.told["c1"] == "sent to ok"
        assert world.outcomes() == ["ran"]
        assert len(world.rows("decision")) == 1

    def test_a_denied_call_does_not_run_and_the_model_is_told_why(self, world: World, driver: Driver) -> None:
        seen = driver.run(world.scene([("c1", "bad")], [("c2", "ok")]))
        assert seen.failed == ""
        assert world.ran == ["ok"]
        assert REASON in seen.told["c1"].lower()
        assert ADVICE in seen.told["c1"]
        assert not seen.questions

    def test_the_session_is_the_one_of_the_sdk(self, world: World, driver: Driver) -> None:
        driver.run(world.scene([("c1", "ok")], session="thread-7"))
        assert [row.session for row in world.rows("decision")] == ["thread-7"]

    def test_a_call_that_failed_is_told_as_failed(self, world: World, driver: Driver) -> None:
        driver.run(world.scene([("c1", "ok")], fails=True))
        assert world.ran == ["ok"]
        assert world.outcomes() == ["failed"]

    # --- ask ------------------------------------------------------------------------------------------------------

    def test_an_ask_pauses_and_runs_once_after_a_yes(self, world: World, driver: Driver) -> None:
        scene = paused(world, driver)
        assert world.ran == []
        assert len(world.answer(yes=True)) == 1
        seen = driver.resume(scene)
        assert not seen.failed
        assert not seen.questions
        assert world.ran == ["maybe"]
        assert seen.told["c1"] == "sent to maybe"
        assert world.outcomes() == ["ran"]

    def test_a_no_is_told_to_the_model_though_the_sdk_was_told_yes(self, world: World, driver: Driver) -> None:
        scene = paused(world, driver)
        world.answer(yes=False)
        seen = driver.resume(scene)
        assert world.ran == []
        assert "Interlock" in seen.told["c1"]

    def test_the_yes_of_the_sdk_alone_lets_nothing_through(self, world: World, driver: Driver) -> None:
        scene = paused(world, driver)
        seen = driver.resume(scene)
        assert world.ran == []
        assert seen.questions or "ap_" in seen.told["c1"]

    def test_a_yes_that_has_expired_lets_nothing_through(
        self, world: World, driver: Driver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scene = paused(world, driver)
        world.answer(yes=True)
        scene.gate = world.later(60, monkeypatch)
        driver.resume(scene)
        assert world.ran == []

    def test_a_yes_that_was_used_lets_nothing_more_through(self, world: World, driver: Driver) -> None:
        scene = paused(world, driver)
        world.answer(yes=True)
        used = world.gate.check(world.tool, {"to": "maybe"}, session=scene.session, agent=driver.agent)
        assert used.allowed
        driver.resume(scene)
        assert world.ran == []

    def test_a_yes_is_for_one_run_though_the_pause_is_resumed_again(self, world: World, driver: Driver) -> None:
        scene = paused(world, driver)
        world.answer(yes=True)
        driver.resume(scene)
        try:
            driver.resume(scene)
        except Exception as error:  # some SDKs refuse that by themselves
            print(error)
        assert world.ran == ["maybe"]

    def test_ask_and_answer_across_processes(self, world: World, driver: Driver) -> None:
        needs(driver, "pause", "new process")
        scene = world.scene([("c1", "maybe")])
        assert world.elsewhere("run", scene).questions
        assert world.ran == []
        world.answer(yes=True)
        seen = world.elsewhere("resume", scene)
        assert seen.told["c1"] == "sent to maybe"
        assert world.ran == ["maybe"]

    # --- a gate that breaks ---------------------------------------------------------------------------------------

    @pytest.mark.parametrize("does", [breaks, hangs, lambda call: "allow", lambda call: None])
    def test_nothing_runs_when_the_ledger_fails(
        self, world: World, driver: Driver, monkeypatch: pytest.MonkeyPatch, does: Callable[..., Any]
    ) -> None:
        monkeypatch.setattr(world.gate.backend, "decide", does)
        world.gate.deadline = 0.3
        seen = driver.run(world.scene([("c1", "ok")]))
        assert world.ran == []
        assert "Interlock" in (seen.told.get("c1") or seen.failed)

    @pytest.mark.parametrize(
        ("sync", "other"),
        [
            (breaks, _abreaks),
            (lambda *_given, **_more: {"verdict": "allow"}, _junk),
            (lambda *_given, **_more: Checked(verdict="yes"), _odd),
        ],
        ids=["raises", "junk", "no verdict"],
    )
    def test_nothing_runs_when_the_gate_itself_fails(
        self,
        world: World,
        driver: Driver,
        monkeypatch: pytest.MonkeyPatch,
        sync: Callable[..., Any],
        other: Callable[..., Any],
    ) -> None:
        monkeypatch.setattr(world.gate, "check", sync)
        monkeypatch.setattr(world.gate, "acheck", other)
        seen = driver.run(world.scene([("c1", "ok")]))
        assert world.ran == []
        assert "Interlock" in (seen.told.get("c1") or seen.failed)

    def test_a_result_is_not_lost_when_the_outcome_cannot_be_told(
        self, world: World, driver: Driver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(world.gate, "settled", breaks)
        monkeypatch.setattr(world.gate, "asettled", _abreaks)
        seen = driver.run(world.scene([("c1", "ok")]))
        assert (seen.told["c1"], world.ran) == ("sent to ok", ["ok"])

    # --- changed, parallel, streamed, replayed --------------------------------------------------------------------

    def test_arguments_that_other_code_changes_do_not_run_unjudged(
        self, world: World, driver: Driver, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The gate saw what would run, and denied it; or what it saw ran; or it is told and recorded afterwards."""
        with caplog.at_level(logging.WARNING, logger="interlock"):
            driver.run(world.scene([("c1", "ok")], meddles=True))
        if "changed" in world.ran:
            assert any("ran" in line.getMessage() for line in caplog.records if line.name == "interlock")
            assert any("rewritten" in json.loads(row.body) for row in world.rows("outcome"))

    def test_calls_at_once_are_decided_one_by_one(self, world: World, driver: Driver) -> None:
        needs(driver, "parallel")
        scene = world.scene([("c1", "ok"), ("c2", "bad"), ("c3", "ok2")])
        seen = driver.run(scene)
        assert sorted(world.ran) == ["ok", "ok2"]
        assert REASON in seen.told["c2"].lower()
        assert sorted(world.outcomes()) == ["ran", "ran"]

    def test_siblings_run_before_an_ask_is_answered(self, world: World, driver: Driver) -> None:
        needs(driver, "parallel")
        scene = paused(world, driver, [("c1", "ok"), ("c2", "bad"), ("c3", "maybe"), ("c4", "maybe-not")])
        assert world.ran == ["ok"]
        assert len(world.answer(yes=True)) == 2
        seen = driver.resume(scene)
        assert sorted(world.ran) == ["maybe", "maybe-not", "ok"]
        assert REASON in seen.told["c2"].lower()

    def test_turn_all_holds_the_whole_turn(self, world: World, driver: Driver) -> None:
        needs(driver, "turn", "parallel")
        scene = paused(world, driver, [("c1", "ok"), ("c2", "maybe"), ("c3", "maybe-not")], turn="all")
        assert world.ran == []
        approvals = world.answer(yes=True)
        assert len(approvals) == 2
        seen = driver.resume(scene)
        assert not seen.questions
        assert sorted(world.ran) == ["maybe", "maybe-not", "ok"]
        assert sorted(world.outcomes()) == ["ran", "ran", "ran"]

    def test_turn_all_runs_nothing_while_one_answer_is_missing(self, world: World, driver: Driver) -> None:
        needs(driver, "turn", "parallel")
        scene = paused(world, driver, [("c1", "ok"), ("c2", "maybe"), ("c3", "maybe-not")], turn="all")
        assert len(world.answer(yes=True, most=1)) == 1
        seen = driver.resume(scene)
        assert world.ran == []
        assert seen.questions
        world.answer(yes=True)
        driver.resume(scene)
        assert sorted(world.ran) == ["maybe", "maybe-not", "ok"]

    def test_turn_all_without_a_question_runs_all(self, world: World, driver: Driver) -> None:
        needs(driver, "turn", "parallel")
        driver.run(world.scene([("c1", "ok"), ("c2", "bad"), ("c3", "ok2")], turn="all"))
        assert sorted(world.ran) == ["ok", "ok2"]

    def test_a_streamed_run_is_gated_the_same(self, world: World, driver: Driver) -> None:
        needs(driver, "stream")
        seen = driver.run(world.scene([("c1", "ok")], [("c2", "bad")], streams=True))
        assert world.ran == ["ok"]
        assert REASON in seen.told["c2"].lower()

    def test_a_streamed_run_pauses_and_resumes(self, world: World, driver: Driver) -> None:
        needs(driver, "stream")
        scene = paused(world, driver, streams=True)
        assert world.ran == []
        world.answer(yes=True)
        driver.resume(scene)
        assert world.ran == ["maybe"]

    def test_the_same_call_id_once_more_has_one_receipt(self, world: World, driver: Driver) -> None:
        needs(driver, "call id")
        driver.run(world.scene([("c1", "bad")]))
        driver.run(world.scene([("c1", "bad")]))
        assert world.ran == []
        assert len({row.key for row in world.rows("decision")}) == 1
        assert len(world.rows("decision")) == 1
