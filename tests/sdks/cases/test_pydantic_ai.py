"""Pydantic AI keeps the contract."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from interlock.sdks.pydantic_ai import Interlock
from sdks.contract import Contract
from sdks.scenes import Scene, Seen, World, play_guide


class Letter(BaseModel):
    to: str
    on: datetime.date


class Meddler(AbstractCapability[Any]):
    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        return {**args, "to": "changed"}


class Driver:
    cannot: Mapping[str, str] = {}
    agent = ""

    def run(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, {"user_prompt": "go", "conversation_id": scene.session}))

    def resume(self, scene: Scene) -> Seen:
        kept = ModelMessagesTypeAdapter.validate_json((scene.folder / "messages.json").read_bytes())
        ids = json.loads((scene.folder / "waiting.json").read_text())
        woken = DeferredToolResults(approvals={id: ToolApproved() for id in ids})
        return asyncio.run(self._play(scene, {"message_history": kept, "deferred_tool_results": woken}))

    async def _play(self, scene: Scene, begins: dict[str, Any]) -> Seen:
        told: dict[str, str] = {}

        def model(messages: list[Any], _info: Any) -> ModelResponse:
            for message in messages:
                for part in message.parts:
                    if part.part_kind in ("tool-return", "retry-prompt"):
                        told[part.tool_call_id] = str(part.content)
            turn = sum(isinstance(message, ModelResponse) for message in messages)
            if turn >= len(scene.turns):
                return ModelResponse(parts=[TextPart("done")])
            return ModelResponse(
                parts=[ToolCallPart("send", {"to": to}, tool_call_id=call) for call, to in scene.turns[turn]]
            )

        async def streamed(messages: list[Any], info: Any) -> AsyncIterator[Any]:
            for index, part in enumerate(model(messages, info).parts):
                if isinstance(part, ToolCallPart):
                    call = DeltaToolCall(
                        name=part.tool_name, json_args=json.dumps(part.args), tool_call_id=part.tool_call_id
                    )
                    yield {index: call}
                elif isinstance(part, TextPart):
                    yield part.content

        gate: list[AbstractCapability[Any]] = [Interlock(scene.gate, turn=scene.turn)]
        agent = Agent(
            FunctionModel(model, stream_function=streamed),
            capabilities=[*gate, *([Meddler()] if scene.meddles else [])],
            output_type=[str, DeferredToolRequests],
        )
        agent.tool_plain(scene.send, name="send")
        try:
            if scene.streams:
                async with agent.run_stream_events(**begins) as events:
                    async for event in events:
                        last = event
                result: Any = last.result
            else:
                result = await agent.run(**begins)
        except Exception as error:
            return Seen(told=told, failed=f"{type(error).__name__}: {error}")
        (scene.folder / "messages.json").write_bytes(result.all_messages_json())
        if not isinstance(result.output, DeferredToolRequests):
            return Seen(told=told)
        asked = result.output
        (scene.folder / "waiting.json").write_text(json.dumps([call.tool_call_id for call in asked.approvals]))
        return Seen(told=told, questions=[asked.metadata[call.tool_call_id] for call in asked.approvals])


class TestContract(Contract):
    driver = Driver()


def scripted(*calls: Any) -> FunctionModel:
    """Makes one call in each turn."""

    def model(messages: list[Any], _info: Any) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=[calls[turn] if turn < len(calls) else TextPart("done")])

    return FunctionModel(model)


class TestMore:
    def test_a_tool_that_wants_a_retry_is_told_as_failed(self, world: World) -> None:
        agent = Agent(
            scripted(*(ToolCallPart("send", {"to": "ok"}, tool_call_id=id) for id in ("c1", "c2"))),
            capabilities=[Interlock(world.gate)],
        )
        tries: list[str] = []

        @agent.tool_plain
        def send(to: str) -> str:
            tries.append(to)
            if len(tries) == 1:
                raise ModelRetry("once more")
            return "sent"

        agent.run_sync("go")
        assert (tries, world.outcomes()) == (["ok", "ok"], ["failed", "ran"])

    def test_arguments_that_are_no_json_are_decided_about_as_the_json_they_stand_for(self, world: World) -> None:
        given = {"letter": {"to": "ok", "on": "2026-11-17"}}
        agent = Agent(
            scripted(ToolCallPart("send", given, tool_call_id="c1")),
            capabilities=[Interlock(world.gate)],
        )
        ran: list[Any] = []

        @agent.tool_plain
        def send(letter: Letter) -> str:
            ran.append(letter)
            return "sent"

        agent.run_sync("go")
        assert ran == [Letter(to="ok", on=datetime.date(2026, 11, 17))]

    def test_arguments_that_an_approval_overrides_are_judged_again(self, world: World) -> None:
        scene = world.scene()
        agent = Agent(
            scripted(ToolCallPart("send", {"to": "maybe"}, tool_call_id="c1")),
            capabilities=[Interlock(world.gate)],
            output_type=[str, DeferredToolRequests],
        )
        agent.tool_plain(scene.send, name="send")
        first = agent.run_sync("go")
        world.answer(yes=True)
        woken = DeferredToolResults(approvals={"c1": ToolApproved(override_args={"to": "bad"})})
        agent.run_sync(message_history=first.all_messages(), deferred_tool_results=woken)
        assert world.ran == []


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    call = ToolCallPart("refund", {"order": "7", "amount": 50}, tool_call_id="c1")
    names = play_guide(world, "sdk-pydantic-ai.md", monkeypatch, scripted(call))
    assert names["result"].output == "done"
