"""CrewAI keeps the contract, as far as it can: it has no way to pause a run, and tells hooks of no call id."""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_DISABLE_TRACKING="true",
    CREWAI_TRACING_ENABLED="false",
    CREWAI_TESTING="true",
    OTEL_SDK_DISABLED="true",
    HOME=tempfile.mkdtemp(),  # it keeps what it remembers of crews there
)

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks.dispatch import InterceptionPoint, clear_all, on
from crewai.tools import BaseTool, tool
from pydantic import BaseModel

from interlock.sdks.crewai import Interlock, asked
from sdks.contract import REASON, Contract
from sdks.scenes import Scene, Seen, World, play_guide


class Scripted(BaseLLM):
    """Plays its turns: each one is a list of (call id, tool, arguments). Without `native` it writes them down, and
    CrewAI reads them out of the text, one at a time.
    """

    turns: Any
    told: Any
    native: bool = True

    def supports_function_calling(self) -> bool:
        return self.native

    def supports_stop_words(self) -> bool:
        return False

    def get_context_window_size(self) -> int:
        return 100_000

    def call(self, messages: Any, *_given: Any, **_more: Any) -> Any:
        made = [each for each in messages if each["role"] == "assistant"]
        turn = len(made)
        for each in messages:
            if each["role"] == "tool":
                self.told[each["tool_call_id"]] = str(each["content"])
        for number, each in enumerate(made if not self.native else ()):
            _, marked, seen = str(each["content"]).partition("Observation:")
            if marked:
                self.told[self.turns[number][0][0]] = seen.strip()
        calls = self.turns[turn] if turn < len(self.turns) else []
        if not calls:
            return "done" if self.native else "Thought: I know\nFinal Answer: done"
        if self.native:
            return [
                {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for id, name, given in calls
            ]
        ((_, name, given),) = calls
        return f"Thought: I act\nAction: {name}\nAction Input: {json.dumps(given)}"

    async def acall(self, *given: Any, **more: Any) -> Any:
        return self.call(*given, **more)


def crew(model: Any, *tools: Any, **more: Any) -> Crew:
    agent = Agent(role="clerk", goal="g", backstory="b", llm=model, tools=list(tools), max_iter=8)
    task = Task(description="go", expected_output="x", agent=agent)
    return Crew(agents=[agent], tasks=[task], **more)


def scripted(*turns: Any, **more: Any) -> Scripted:
    return Scripted(model="scripted", turns=turns, told={}, **more)


@pytest.fixture(autouse=True)
def no_hooks() -> Any:
    yield
    clear_all()


class Driver:
    cannot: Mapping[str, str] = {
        "pause": "CrewAI cannot pause a run",
        "turn": "a hook is told of one call, not of the others that were made with it",
        "call id": "CrewAI tells hooks of no call id",
    }
    agent = "clerk"
    native = True

    def run(self, scene: Scene) -> Seen:
        @tool("send")
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        turns = [[(call, "send", {"to": to}) for call, to in turn] for turn in scene.turns]
        model = scripted(*turns, native=self.native)
        with Interlock(scene.gate, session=scene.session):
            if scene.meddles:
                on(InterceptionPoint.PRE_TOOL_CALL)(_meddle)
            try:
                output: Any = crew(model, send, stream=scene.streams).kickoff()
                if scene.streams:
                    for _ in output:
                        pass
                    output = output.result
            except Exception as error:
                return Seen(told=model.told, failed=f"{type(error).__name__}: {error}")
        return Seen(told=model.told, questions=asked(output))

    def resume(self, scene: Scene) -> Seen:
        raise NotImplementedError


def _meddle(context: Any) -> None:
    context.tool_input["to"] = "changed"


class TestContract(Contract):
    driver = Driver()


class Written(Driver):
    """The model writes its calls down."""

    native = False
    cannot: Mapping[str, str] = {**Driver.cannot, "parallel": "such a model makes one call at a time"}


class TestWritten(Contract):
    driver = Written()

    def test_a_call_that_failed_is_told_as_failed(self, world: World, driver: Any) -> None:
        """CrewAI runs it again by itself, and each run is decided about."""
        driver.run(world.scene([("c1", "ok")], fails=True))
        assert len(world.ran) > 1
        assert world.outcomes() == ["failed"] * len(world.ran)
        assert len(world.rows("decision")) >= len(world.ran)


class Letter(BaseModel):
    to: str
    on: datetime.date = datetime.date(2026, 11, 17)


class Post(BaseTool):
    """A tool that is a class, and takes what is no JSON."""

    name: str = "send"
    description: str = "Sends it."
    args_schema: type[BaseModel] = Letter
    scene: Any

    def _run(self, to: str, on: Any) -> str:
        assert isinstance(on, datetime.date)
        return str(self.scene.send(to))


@pytest.mark.parametrize("native", [True, False])
class TestMore:
    def test_a_tool_that_is_a_class_is_gated(self, world: World, native: bool) -> None:
        turns = [[(to, "send", {"to": to})] for to in ("bad", "ok")]
        model, post = scripted(*turns, native=native), Post(scene=world.scene())
        with Interlock(world.gate):
            crew(model, post).kickoff()
        assert world.ran == ["ok"]
        assert REASON in model.told["bad"].lower()
        assert post.run(to="bad") == "sent to bad"  # by the program itself, and nothing is installed

    def test_a_tool_that_fails_is_decided_about_before_each_run(self, world: World, native: bool) -> None:
        """CrewAI runs it again by itself where the model writes its calls down. A yes is for one run."""
        post = Post(scene=world.scene(fails=True))
        model = scripted([("c1", "send", {"to": "maybe"})], native=native)
        world.gate.check("send", {"to": "maybe", "on": "2026-11-17"}, session="s1", agent="clerk")
        world.answer(yes=True)
        with Interlock(world.gate, session="s1"):
            crew(model, post).kickoff()
        assert world.ran == ["maybe"]
        assert world.outcomes() == ["failed"]

    def test_an_ask_waits_for_a_person(self, world: World, native: bool) -> None:
        model = scripted([("c1", "send", {"to": "maybe"})], native=native)
        post = Post(scene=world.scene())

        def person() -> None:
            end = time.monotonic() + 30
            while not world.answer(yes=True) and time.monotonic() < end:
                time.sleep(0.05)

        answers = threading.Thread(target=person)
        answers.start()
        with Interlock(world.gate, session="s1", wait=60):
            output = crew(model, post).kickoff()
        answers.join()
        assert (world.ran, asked(output)) == (["maybe"], [])
        assert "sent to maybe" in model.told["c1"]

    def test_a_no_while_it_waits_is_told(self, world: World, native: bool) -> None:
        model = scripted([("c1", "send", {"to": "maybe"})], native=native)

        def person() -> None:
            end = time.monotonic() + 30
            while not world.answer(yes=False) and time.monotonic() < end:
                time.sleep(0.05)

        answers = threading.Thread(target=person)
        answers.start()
        with Interlock(world.gate, session="s1", wait=60):
            crew(model, Post(scene=world.scene())).kickoff()
        answers.join()
        assert world.ran == []
        assert "Interlock" in model.told["c1"]
        assert "ap_" not in model.told["c1"]

    def test_an_ask_that_nobody_answers_is_told_and_the_same_call_runs_after_a_yes_once(
        self, world: World, native: bool
    ) -> None:
        post = Post(scene=world.scene())

        def play() -> Any:
            # The cache of a crew would answer the second call: it keeps no refusal.
            model = scripted([("c1", "send", {"to": "maybe"})], [("c2", "send", {"to": "maybe"})], native=native)
            with Interlock(world.gate, session="s1"):
                return crew(model, post).kickoff(), model

        output, model = play()
        assert world.ran == []
        assert {each["approval"] for each in asked(output)} == {asked(output)[0]["approval"]}
        assert "ap_" in model.told["c1"]
        assert len(world.answer(yes=True)) == 1
        output, model = play()
        assert world.ran == ["maybe"]
        assert "sent to maybe" in model.told["c1"]

    def test_a_yes_that_has_expired_lets_nothing_through(
        self, world: World, native: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for minutes in (0, 60):
            gate = world.later(minutes, monkeypatch) if minutes else world.gate
            model = scripted([("c1", "send", {"to": "maybe"})], native=native)
            with Interlock(gate, session="s1"):
                crew(model, Post(scene=world.scene())).kickoff()
            world.answer(yes=True)
        assert world.ran == []

    def test_the_session_is_the_crews_own(self, world: World, native: bool) -> None:
        made = crew(scripted([("c1", "send", {"to": "ok"})], native=native), Post(scene=world.scene()))
        with Interlock(world.gate):
            made.kickoff()
        assert [row.session for row in world.rows("decision")] == [str(made.id)]

    def test_an_awaited_crew_is_gated(self, world: World, native: bool) -> None:
        model = scripted([("c1", "send", {"to": "bad"})], [("c2", "send", {"to": "ok"})], native=native)
        made = crew(model, Post(scene=world.scene()))
        with Interlock(world.gate):
            asyncio.run(made.akickoff())
        assert world.ran == ["ok"]
        assert {row.session for row in world.rows("decision")} == {str(made.id)}

    def test_a_hook_that_cannot_stand_around_the_tool_blocks_the_call(
        self, world: World, native: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("interlock.sdks.crewai.stand_around", lambda *_given: 1 / 0)
        with Interlock(world.gate):
            crew(scripted([("c1", "send", {"to": "ok"})], native=native), Post(scene=world.scene())).kickoff()
        assert world.ran == []


def test_a_gated_tool_can_still_be_written_down(world: World) -> None:
    post = Post(scene=None)
    before = post.model_dump_json()
    with Interlock(world.gate):
        crew(scripted([("c1", "send", {"to": "bad"})]), post).kickoff()
    assert json.loads(post.model_dump_json()) == json.loads(before) | {"current_usage_count": 1}


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    call = [("c1", "refund", {"order": "7", "amount": 50})]
    names = play_guide(world, "sdk-crewai.md", monkeypatch, scripted(call))
    assert names["result"].raw == "done"
