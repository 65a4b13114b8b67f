"""OpenAI Agents keeps the contract."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from agents import (
    Agent,
    RunConfig,
    Runner,
    RunState,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call

from interlock.model.errors import InputError
from interlock.sdks.openai import asked, gated
from sdks.contract import REASON, Contract
from sdks.scenes import Scene, Seen, World, play_guide

QUIET = RunConfig(tracing_disabled=True)


async def _meddles(data: Any) -> Any:
    """A guardrail that reaches into the call."""
    data.context.tool_arguments = json.dumps({"to": "changed"})
    return ToolGuardrailFunctionOutput.allow()


class Driver:
    cannot: Mapping[str, str] = {"turn": "a call does not see the calls that were made with it"}
    agent = "clerk"

    def run(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, None))

    def resume(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, json.loads((scene.folder / "state.json").read_text())))

    async def _play(self, scene: Scene, kept: Any) -> Seen:
        @function_tool(tool_input_guardrails=[ToolInputGuardrail(_meddles)] if scene.meddles else None)
        def send(to: str, retries: int = 3) -> str:
            return scene.send(to)

        turns = [[function_call("send", {"to": to}, call_id=call) for call, to in turn] for turn in scene.turns]
        model = ScriptedModel(
            [*turns, [assistant_message("done")]] if kept is None else [[assistant_message("done")]] * 3
        )
        agent = gated(Agent(name="clerk", model=model, tools=[send]), scene.gate, session=scene.session)
        begins: Any = "go"
        if kept is not None:
            begins = await RunState.from_json(agent, kept)
            for item in begins.get_interruptions():
                begins.approve(item, always_approve=True)
        try:
            if scene.streams:
                result: Any = Runner.run_streamed(agent, begins, run_config=QUIET)
                async for _ in result.stream_events():
                    pass
            else:
                result = await Runner.run(agent, begins, run_config=QUIET)
        except Exception as error:
            return Seen(told=_told(model), failed=f"{type(error).__name__}: {error}")
        (scene.folder / "state.json").write_text(json.dumps(result.to_state().to_json()))
        return Seen(told=_told(model), questions=asked(result, agent))


def _told(model: ScriptedModel) -> dict[str, str]:
    given = model.calls[-1].input if model.calls else []
    items = [item for item in given if isinstance(item, dict) and item.get("type") == "function_call_output"]
    return {str(item["call_id"]): str(item["output"]) for item in items}


class TestContract(Contract):
    driver = Driver()


async def _run(agent: Any) -> Any:
    return await Runner.run(agent, "go", run_config=QUIET)


class TestMore:
    def test_an_agent_is_gated_once(self, world: World) -> None:
        agent = gated(Agent(name="clerk"), world.gate)
        with pytest.raises(InputError, match="has a gate already"):
            gated(agent, world.gate)
        with pytest.raises(InputError, match="takes an agent, not Gate"):
            gated(world.gate, agent)

    def test_questions_are_found_without_naming_the_agent(self, world: World) -> None:
        scene = world.scene()

        @function_tool
        def send(to: str) -> str:
            return scene.send(to)

        model = ScriptedModel([[function_call("send", {"to": "maybe"}, call_id="c1")]])
        agent = gated(Agent(name="clerk", model=model, tools=[send]), world.gate, session="s1")
        result = asyncio.run(_run(agent))
        assert asked(result) == asked(result, agent)
        assert [each["call"] for each in asked(result)] == ["send: to=maybe"]

    def test_always_approve_does_not_skip_later_questions(self, world: World) -> None:
        """The SDK then asks nobody; the gate still does."""
        scene = world.scene()

        @function_tool
        def send(to: str) -> str:
            return scene.send(to)

        calls = [[function_call("send", {"to": to}, call_id=to)] for to in ("maybe", "maybe-not")]
        model = ScriptedModel([*calls, [assistant_message("done")]])
        agent = gated(Agent(name="clerk", model=model, tools=[send]), world.gate, session="s1")

        async def main() -> None:
            state = (await _run(agent)).to_state()
            world.answer(yes=True)
            state.approve(state.get_interruptions()[0], always_approve=True)
            await Runner.run(agent, state, run_config=QUIET)

        asyncio.run(main())
        assert world.ran == ["maybe"]
        assert "ap_" in _told(model)["maybe-not"]

    def test_arguments_that_are_no_json_do_not_run(self, world: World) -> None:
        scene = world.scene()

        @function_tool
        def send(to: str) -> str:
            return scene.send(to)

        model = ScriptedModel([[function_call("send", "{to", call_id="c1")], [assistant_message("done")]])
        agent = gated(Agent(name="clerk", model=model, tools=[send]), world.gate)

        async def main() -> None:
            result = await _run(agent)
            if result.interruptions:  # the SDK asks about what it cannot read, before anybody else does
                state = result.to_state()
                state.approve(state.get_interruptions()[0])
                await Runner.run(agent, state, run_config=QUIET)

        asyncio.run(main())
        assert world.ran == []
        assert "not JSON" in _told(model)["c1"]

    def test_a_tool_that_no_gate_can_hold_is_an_error(self, world: World) -> None:
        agent = Agent(name="clerk", tools=[WebSearchTool()])
        with pytest.raises(InputError, match="web_search"):
            gated(agent, world.gate)
        gated(agent, world.gate, ungated=["web_search"])

    def test_tools_of_mcp_servers_are_gated(self, world: World) -> None:
        from agents.mcp import MCPUtil

        scene = world.scene()

        @function_tool
        def send(to: str) -> str:
            return scene.send(to)

        async def listed(*_given: Any, **_more: Any) -> Any:
            return [send]

        model = ScriptedModel([[function_call("send", {"to": "bad"}, call_id="c1")], [assistant_message("done")]])
        agent = gated(Agent(name="clerk", model=model), world.gate)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(MCPUtil, "get_all_function_tools", listed)
            asyncio.run(_run(agent))
        assert world.ran == []
        assert REASON in _told(model)["c1"].lower()


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    call = function_call("refund", {"order": "7", "amount": 50}, call_id="c1")
    set_tracing_disabled(True)
    names = play_guide(world, "sdk-openai.md", monkeypatch, ScriptedModel([[call], [assistant_message("done")]]))
    assert names["result"].final_output == "done"
