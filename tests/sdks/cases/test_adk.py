"""Google ADK keeps the contract."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from interlock.sdks.adk import Interlock
from sdks.contract import REASON, Contract
from sdks.scenes import Scene, Seen, World, play_guide

logging.getLogger("google_adk").setLevel(logging.CRITICAL)


class Scripted(BaseLlm):
    """Plays its turns: each one is a list of (call id, tool, arguments)."""

    turns: Any
    told: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        turn = 0
        for content in llm_request.contents:
            parts = content.parts or []
            turn += any(part.function_call for part in parts)
            for part in parts:
                if found := part.function_response:
                    response = found.response
                    self.told[found.id] = str(response.get("error") or response.get("result"))
        calls = self.turns[turn] if turn < len(self.turns) else []
        made = [types.Part(function_call=types.FunctionCall(id=id, name=name, args=args)) for id, name, args in calls]
        content = types.Content(role="model", parts=made or [types.Part(text="done")])
        if stream and not made:
            yield LlmResponse(content=content, partial=True)
        yield LlmResponse(content=content)


class Meddler(BasePlugin):
    """Stands behind the gate."""

    def __init__(self) -> None:
        super().__init__("meddler")

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        tool_args["to"] = "changed"


def meddle(tool: Any, args: dict[str, Any], tool_context: Any) -> None:
    """A callback of the agent itself."""
    args["to"] = "changed"


def text(words: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=words)])


def answers(*ids: str, confirmed: bool = True) -> types.Content:
    found = [
        types.FunctionResponse(id=id, name="adk_request_confirmation", response={"confirmed": confirmed}) for id in ids
    ]
    return types.Content(role="user", parts=[types.Part(function_response=each) for each in found])


def asked(events: Any) -> list[Any]:
    calls = [call for event in events for call in event.get_function_calls()]
    return [call for call in calls if call.name == "adk_request_confirmation"]


class Driver:
    cannot: Mapping[str, str] = {}
    agent = "clerk"

    def run(self, scene: Scene) -> Seen:
        (scene.folder / "sessions.db").unlink(missing_ok=True)
        return asyncio.run(self._play(scene, text("go")))

    def resume(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, answers(*json.loads((scene.folder / "waiting.json").read_text()))))

    async def _play(self, scene: Scene, message: Any) -> Seen:
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        turns = [[(call, "send", {"to": to}) for call, to in turn] for turn in scene.turns]
        model = Scripted(model="scripted", turns=turns, told={})
        plugins = [Interlock(scene.gate, turn=scene.turn), *([Meddler()] if scene.meddles else [])]
        agent = LlmAgent(
            name="clerk", model=model, tools=[send], before_tool_callback=meddle if scene.meddles else None
        )
        sessions = SqliteSessionService(str(scene.folder / "sessions.db"))
        runner = Runner(app=App(name="post", root_agent=agent, plugins=plugins), session_service=sessions)
        about = {"app_name": "post", "user_id": "ann", "session_id": scene.session}
        if await sessions.get_session(**about) is None:
            await sessions.create_session(**about)
        settings = RunConfig(streaming_mode=StreamingMode.SSE if scene.streams else StreamingMode.NONE)
        events = []
        try:
            async for event in runner.run_async(
                user_id="ann", session_id=scene.session, new_message=message, run_config=settings
            ):
                events.append(event)
        except Exception as error:
            return Seen(told=model.told, failed=f"{type(error).__name__}: {error}")
        waits = asked(events)
        (scene.folder / "waiting.json").write_text(json.dumps([call.id for call in waits]))
        # What the model was told so far: after a pause it is not asked again.
        for event in events:
            for found in event.get_function_responses():
                if found.name == "send":
                    model.told[found.id] = str(found.response.get("error") or found.response.get("result"))
        return Seen(told=model.told, questions=[call.args["toolConfirmation"]["payload"] for call in waits])


class TestContract(Contract):
    driver = Driver()


async def play(agent: Any, gate: Any, *messages: Any, **more: Any) -> list[Any]:
    """Runs the agent with each message, in one session of the runner's own."""
    from google.adk.runners import InMemoryRunner

    runner = InMemoryRunner(app=App(name="post", root_agent=agent, plugins=[Interlock(gate, **more)]))
    session = await runner.session_service.create_session(app_name="post", user_id="ann", session_id="outer")
    events: list[Any] = []
    for message in messages:
        given = answers(*(call.id for call in asked(events))) if message is answers else text(message)
        events += [each async for each in runner.run_async(user_id="ann", session_id=session.id, new_message=given)]
    return events


class TestMore:
    @pytest.fixture
    def send(self, world: World) -> Any:
        scene = world.scene()

        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        return send

    def agent(self, *turns: Any, tools: Any, **more: Any) -> LlmAgent:
        return LlmAgent(name="clerk", model=Scripted(model="scripted", turns=turns, told={}), tools=tools, **more)

    def test_a_no_of_the_program_uses_up_no_yes(self, world: World, send: Any) -> None:
        from google.adk.runners import InMemoryRunner

        agent = self.agent([("c1", "send", {"to": "maybe"})], tools=[send])

        async def main() -> None:
            runner = InMemoryRunner(app=App(name="post", root_agent=agent, plugins=[Interlock(world.gate)]))
            await runner.session_service.create_session(app_name="post", user_id="ann", session_id="s1")

            async def go(message: Any) -> list[Any]:
                about = {"user_id": "ann", "session_id": "s1", "new_message": message}
                return [each async for each in runner.run_async(**about)]

            (call,) = asked(await go(text("go")))
            world.answer(yes=True)
            await go(answers(call.id, confirmed=False))

        asyncio.run(main())
        assert world.ran == []
        assert "rejected" in agent.model.told["c1"]
        assert world.gate.check("send", {"to": "maybe"}, session="s1", agent="clerk").allowed

    def test_an_agent_used_as_a_tool_is_gated_in_the_session_that_called_it(self, world: World, send: Any) -> None:
        world.gate.declare("helper", effects=["read"])
        turns = ([("c1", "send", {"to": "maybe"})], [("c2", "send", {"to": "bad"})])
        inner = LlmAgent(
            name="helper", model=Scripted(model="inner", turns=turns, told={}), tools=[send], description="Helps."
        )
        outer = self.agent(
            [("o1", "helper", {"request": "x"})], [("o2", "helper", {"request": "x"})], tools=[AgentTool(inner)]
        )

        async def main() -> None:
            await play(outer, world.gate, "go")

        asyncio.run(main())
        assert world.ran == []
        assert "ap_" in inner.model.told["c1"]
        assert REASON in inner.model.told["c2"].lower()
        assert {row.session for row in world.rows("decision")} == {"outer"}
        # Once it is approved, the same call of that agent is let through, once.
        assert len(world.answer(yes=True)) == 1
        outer.model.told.clear()
        asyncio.run(play(outer, world.gate, "go"))
        assert world.ran == ["maybe"]

    def test_copies_that_a_toolset_hands_out_are_gated(self, world: World, send: Any) -> None:
        world.gate.declare("post_send", effects=["read"])

        class Post(BaseToolset):
            def __init__(self) -> None:
                super().__init__(tool_name_prefix="post")
                self.tools = [FunctionTool(send)]

            async def get_tools(self, readonly_context: Any = None) -> Any:
                return self.tools

            async def close(self) -> None: ...

        calls = [[(f"c{number}", "post_send", {"to": to})] for number, to in enumerate(("ok", "ok2"))]
        asyncio.run(play(self.agent(*calls, tools=[Post()]), world.gate, "go"))
        assert world.ran == ["ok", "ok2"]
        assert len(world.rows("decision")) == 2

    def test_a_tool_that_asks_by_itself_is_asked_about_by_both(self, world: World, send: Any) -> None:
        agent = self.agent([("c1", "send", {"to": "maybe"})], tools=[FunctionTool(send, require_confirmation=True)])
        asyncio.run(play(agent, world.gate, "go", answers))
        assert world.ran == []
        assert len(world.answer(yes=True)) == 1

    def test_a_run_without_the_plugin_is_not_gated_by_another_one(self, world: World, send: Any) -> None:
        from google.adk.runners import InMemoryRunner

        tool = FunctionTool(send)
        asyncio.run(play(self.agent([("c1", "send", {"to": "bad"})], tools=[tool]), world.gate, "go"))
        assert world.ran == []
        agent = self.agent([("c1", "send", {"to": "ok"})], tools=[tool])

        async def main() -> None:
            runner = InMemoryRunner(app=App(name="post", root_agent=agent))
            await runner.session_service.create_session(app_name="post", user_id="ann", session_id="s1")
            async for _ in runner.run_async(user_id="ann", session_id="s1", new_message=text("go")):
                pass

        asyncio.run(main())
        assert world.ran == ["ok"]
        assert len(world.rows("decision")) == 1


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted(model="scripted", turns=[[("c1", "refund", {"order": "7", "amount": 50})]], told={})
    names = play_guide(world, "sdk-adk.md", monkeypatch, model)
    assert names["events"][-1].content.parts[0].text == "done"
