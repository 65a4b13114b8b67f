"""Strands Agents keeps the contract."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from strands import Agent, tool
from strands.interventions import InterventionHandler, Transform
from strands.models.model import Model
from strands.session import FileSessionManager

from interlock.sdks.strands import Interlock
from sdks.contract import REASON, Contract
from sdks.scenes import Scene, Seen, World, play_guide


class Scripted(Model):
    def __init__(self, turns: Any, tool: str = "send") -> None:
        self.turns, self.tool = turns, tool
        self.told: dict[str, str] = {}

    def update_config(self, **_config: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *_given: Any, **_more: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_given: Any, **_more: Any) -> AsyncIterator[Any]:
        for message in messages:
            for block in message["content"]:
                if found := block.get("toolResult"):
                    self.told[found["toolUseId"]] = found["content"][0]["text"]
        turn = sum(message["role"] == "assistant" for message in messages)
        calls = self.turns[turn] if turn < len(self.turns) else []
        yield {"messageStart": {"role": "assistant"}}
        for call, given in calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": self.tool, "toolUseId": call}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


class Meddler(InterventionHandler):
    """Stands behind the gate."""

    name = "meddler"

    def before_tool_call(self, event: Any, **_more: Any) -> Any:
        def change(event: Any) -> None:
            event.tool_use["input"] = {"to": "changed"}

        return Transform(apply=change)


class Driver:
    cannot: Mapping[str, str] = {}
    agent = ""

    def run(self, scene: Scene) -> Seen:
        return self._play(scene, "go")

    def resume(self, scene: Scene) -> Seen:
        ids = json.loads((scene.folder / "waiting.json").read_text())
        return self._play(scene, [{"interruptResponse": {"interruptId": id, "response": "yes"}} for id in ids])

    def _play(self, scene: Scene, begins: Any) -> Seen:
        @tool(name="send")
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        model = Scripted([[(call, {"to": to}) for call, to in turn] for turn in scene.turns])
        if begins == "go":
            shutil.rmtree(scene.folder / "sessions", ignore_errors=True)
        agent = Agent(
            model=model,
            tools=[send],
            interventions=[Interlock(scene.gate, turn=scene.turn), *([Meddler()] if scene.meddles else [])],
            session_manager=FileSessionManager(session_id=scene.session, storage_dir=str(scene.folder / "sessions")),
            callback_handler=None,
        )

        async def streamed() -> Any:
            result = None
            async for event in agent.stream_async(begins):
                result = event.get("result", result)
            return result

        try:
            result: Any = asyncio.run(streamed()) if scene.streams else agent(begins)
        except Exception as error:
            return Seen(told=model.told, failed=f"{type(error).__name__}: {error}")
        waits = list(result.interrupts or ())
        (scene.folder / "waiting.json").write_text(json.dumps([each.id for each in waits]))
        return Seen(told=model.told, questions=tuple(each.reason for each in waits))


class TestContract(Contract):
    driver = Driver()


class TestMore:
    def test_calls_by_code_are_gated(self, world: World) -> None:
        scene = world.scene()

        @tool(name="send")
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        agent: Any = Agent(
            model=Scripted([]), tools=[send], interventions=[Interlock(world.gate)], callback_handler=None
        )
        agent.tool.send(to="ok")
        found = agent.tool.send(to="bad")
        assert world.ran == ["ok"]
        assert REASON in found["content"][0]["text"].lower()


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted([[("c1", {"order": "7", "amount": 50})]], tool="refund")
    names = play_guide(world, "sdk-strands.md", monkeypatch, model)
    assert names["result"].stop_reason == "end_turn"
