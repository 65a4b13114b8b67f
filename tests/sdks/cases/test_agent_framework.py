"""Microsoft Agent Framework keeps the contract."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    Message,
    ResponseStream,
    tool,
)

from interlock.sdks.agent_framework import Interlock, asked
from sdks.contract import REASON, Contract
from sdks.scenes import Scene, Seen, World, play_guide


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """Plays its turns: each one is a list of (call id, tool, arguments)."""

    def __init__(self, turns: Any) -> None:
        super().__init__()
        self.turns = turns
        self.told: dict[str, str] = {}

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_more: Any) -> Any:
        turn = 0
        for message in messages:
            turn += any(each.type == "function_call" for each in message.contents)
            for each in message.contents:
                if each.type == "function_result":
                    self.told[each.call_id] = str(each.result)
        calls = self.turns[turn] if turn < len(self.turns) else []
        made = [Content.from_function_call(id, name, arguments=json.dumps(given)) for id, name, given in calls]
        contents = made or [Content.from_text("done")]
        if stream:

            async def updates() -> AsyncIterator[Any]:
                yield ChatResponseUpdate(contents=contents, role="assistant")

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", contents)])

        return whole()


class Meddler(FunctionMiddleware):
    """Stands further in than the gate."""

    async def process(self, context: Any, call_next: Any) -> None:
        context.arguments = {"to": "changed"}
        await call_next()


class Driver:
    cannot: Mapping[str, str] = {"turn": "a middleware is told of one call, not of the others that were made with it"}
    agent = ""

    def run(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, "go", AgentSession(session_id=scene.session)))

    def resume(self, scene: Scene) -> Seen:
        kept = json.loads((scene.folder / "kept.json").read_text())
        waits = [Content.from_dict(each) for each in kept["waits"]]
        woken = Message("user", [each.to_function_approval_response(True) for each in waits])
        return asyncio.run(self._play(scene, woken, AgentSession.from_dict(kept["session"])))

    async def _play(self, scene: Scene, begins: Any, session: AgentSession) -> Seen:
        @tool
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        client = Scripted([[(call, "send", {"to": to}) for call, to in turn] for turn in scene.turns])
        middleware = [Interlock(scene.gate), *([Meddler()] if scene.meddles else [])]
        agent = Agent(client=client, name="clerk", tools=[send], middleware=middleware)
        try:
            if scene.streams:
                stream = agent.run(begins, stream=True, session=session)
                async for _ in stream:
                    pass
                response: Any = await stream.get_final_response()
            else:
                response = await agent.run(begins, session=session)
        except Exception as error:
            return Seen(told=client.told, failed=f"{type(error).__name__}: {error}")
        kept = {
            "session": session.to_dict(),
            "waits": [each.to_dict() for each in response.user_input_requests],
        }
        (scene.folder / "kept.json").write_text(json.dumps(kept))
        return Seen(told=client.told, questions=asked(response))


class TestContract(Contract):
    driver = Driver()


class TestMore:
    def test_a_tool_that_asks_by_itself_is_asked_about_by_both(self, world: World) -> None:
        """The framework asks before any middleware sees the call."""
        scene = world.scene()

        @tool(approval_mode="always_require")
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        client = Scripted([[("c1", "send", {"to": "maybe"})], [("c2", "send", {"to": "bad"})]])
        agent = Agent(client=client, tools=[send], middleware=[Interlock(world.gate)])

        async def main() -> None:
            session = agent.create_session(session_id="s1")

            async def yes(response: Any) -> Any:
                waits = [each.to_function_approval_response(True) for each in response.user_input_requests]
                return await agent.run(Message("user", waits), session=session)

            first = await agent.run("go", session=session)
            assert (len(first.user_input_requests), asked(first)) == (1, [])
            second = await yes(first)
            assert len(asked(second)) == 1
            assert world.ran == []
            world.answer(yes=True)
            third = await yes(second)
            assert world.ran == ["maybe"]
            await yes(third)

        asyncio.run(main())
        assert world.ran == ["maybe"]
        assert REASON in client.told["c2"].lower()

    def test_middleware_of_one_run_is_gated_too(self, world: World) -> None:
        scene = world.scene()

        @tool
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        client = Scripted([[("c1", "send", {"to": "bad"})]])
        agent = Agent(client=client, tools=[send])
        asyncio.run(agent.run("go", middleware=[Interlock(world.gate)]))
        assert world.ran == []
        # The same tool, in a run without a gate.
        client.turns = [[("c1", "send", {"to": "ok"})]]
        asyncio.run(agent.run("go"))
        assert world.ran == ["ok"]
        assert len(world.rows("decision")) == 1

    def test_arguments_that_are_no_json_are_decided_about_as_the_json_they_stand_for(self, world: World) -> None:
        ran: list[Any] = []

        @tool
        def send(to: str, on: datetime.date) -> str:
            """Sends it."""
            ran.append((to, on))
            return "sent"

        client = Scripted([[("c1", "send", {"to": "ok", "on": "2026-11-17"})]])
        asyncio.run(Agent(client=client, tools=[send], middleware=[Interlock(world.gate)]).run("go"))
        assert ran == [("ok", datetime.date(2026, 11, 17))]


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Scripted([[("c1", "refund", {"order": "7", "amount": 50})]])
    names = play_guide(world, "sdk-agent-framework.md", monkeypatch, None, client=client)
    assert names["response"].text == "done"
