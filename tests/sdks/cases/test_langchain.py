"""LangChain and LangGraph keep the contract."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from interlock.sdks.langchain import Interlock
from sdks.contract import Contract
from sdks.scenes import Scene, Seen, World, play_guide


class Scripted(BaseChatModel):
    turns: Any
    told: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        self.told.update({each.tool_call_id: str(each.content) for each in messages if isinstance(each, ToolMessage)})
        turn = sum(isinstance(each, AIMessage) for each in messages)
        calls = list(self.turns[turn]) if turn < len(self.turns) else []
        said = AIMessage("" if calls else "done", tool_calls=[_call(*call) for call in calls])
        return ChatResult(generations=[ChatGeneration(message=said)])


def _call(id: str, to: str) -> Any:
    return {"name": "send", "args": {"to": to}, "id": id, "type": "tool_call"}


class Meddler(AgentMiddleware[Any, Any, Any]):
    """Stands further in than the gate, where it does not belong."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool_call={**request.tool_call, "args": {"to": "changed"}}))


class Driver:
    cannot: Mapping[str, str] = {}
    agent = ""

    def run(self, scene: Scene) -> Seen:
        (scene.folder / "graph.db").unlink(missing_ok=True)
        return self._play(scene, lambda graph, config: {"messages": [("user", "go")]})

    def resume(self, scene: Scene) -> Seen:
        return self._play(
            scene, lambda graph, config: Command(resume={each.id: "yes" for each in graph.get_state(config).interrupts})
        )

    def _play(self, scene: Scene, begins: Any) -> Seen:
        told: dict[str, str] = {}

        @tool
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        config = {"configurable": {"thread_id": scene.session}}
        with closing(sqlite3.connect(scene.folder / "graph.db", check_same_thread=False)) as database:
            graph = create_agent(
                Scripted(turns=scene.turns, told=told),
                [send],
                middleware=[Interlock(scene.gate, turn=scene.turn), *([Meddler()] if scene.meddles else [])],
                checkpointer=SqliteSaver(database),
            )
            given = begins(graph, config)
            try:
                if scene.streams:
                    for _ in graph.stream(given, config, stream_mode="updates"):
                        pass
                else:
                    graph.invoke(given, config)
            except Exception as error:
                return Seen(told=told, failed=f"{type(error).__name__}: {error}")
            return Seen(told=told, questions=tuple(each.value for each in graph.get_state(config).interrupts))


class Async(Driver):
    """The same through `ainvoke` and `astream`. Sqlite's own saver is not made for that, so what is kept stays here."""

    cannot: Mapping[str, str] = {"new process": "the saver of this test keeps nothing on disk"}

    def __init__(self) -> None:
        self.savers: dict[str, InMemorySaver] = {}

    def run(self, scene: Scene) -> Seen:
        self.savers[str(scene.folder)] = InMemorySaver()
        return self._play(scene, lambda graph, config: {"messages": [("user", "go")]})

    def _play(self, scene: Scene, begins: Any) -> Seen:
        return asyncio.run(self._aplay(scene, begins))

    async def _aplay(self, scene: Scene, begins: Any) -> Seen:
        told: dict[str, str] = {}

        @tool
        async def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        class AsyncMeddler(Meddler):
            async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
                return await handler(request.override(tool_call={**request.tool_call, "args": {"to": "changed"}}))

        config = {"configurable": {"thread_id": scene.session}}
        graph = create_agent(
            Scripted(turns=scene.turns, told=told),
            [send],
            middleware=[Interlock(scene.gate, turn=scene.turn), *([AsyncMeddler()] if scene.meddles else [])],
            checkpointer=self.savers[str(scene.folder)],
        )
        given = begins(graph, config)
        try:
            if scene.streams:
                async for _ in graph.astream(given, config, stream_mode="updates"):
                    pass
            else:
                await graph.ainvoke(given, config)
        except Exception as error:
            return Seen(told=told, failed=f"{type(error).__name__}: {error}")
        return Seen(told=told, questions=tuple(each.value for each in graph.get_state(config).interrupts))


class TestContract(Contract):
    driver = Driver()


class TestAsync(Contract):
    driver = Async()


class TestGraph:
    """A plain graph, without `create_agent`."""

    @pytest.fixture
    def graph(self, world: World) -> Any:
        scene = world.scene()

        @tool
        def send(to: str) -> str:
            """Sends it."""
            return scene.send(to)

        gate = Interlock(world.gate, turn="all")
        made = StateGraph(MessagesState)
        made.add_node(
            "tools", ToolNode([send], wrap_tool_call=gate.wrap_tool_call, awrap_tool_call=gate.awrap_tool_call)
        )
        made.add_edge(START, "tools")
        return made.compile(checkpointer=InMemorySaver())

    def test_a_tool_node_is_gated(self, world: World, graph: Any) -> None:
        config = {"configurable": {"thread_id": "t1"}}
        said = AIMessage("", tool_calls=[_call("c1", "ok"), _call("c2", "bad")])
        found = graph.invoke({"messages": [said]}, config)
        assert world.ran == ["ok"]
        assert "nothing is sent there" in found["messages"][-1].content.lower()

    def test_a_turn_that_was_held_runs_once(self, world: World, graph: Any) -> None:
        """LangGraph plays the whole node again: siblings that had run would run again."""
        config = {"configurable": {"thread_id": "t1"}}
        said = AIMessage("", tool_calls=[_call("c1", "ok"), _call("c2", "maybe")])
        graph.invoke({"messages": [said]}, config)
        assert world.ran == []
        world.answer(yes=True)
        graph.invoke(Command(resume={each.id: "yes" for each in graph.get_state(config).interrupts}), config)
        assert sorted(world.ran) == ["maybe", "ok"]

    def test_a_state_that_was_edited_during_the_pause_is_judged_again(self, world: World, graph: Any) -> None:
        config = {"configurable": {"thread_id": "t1"}}
        said = AIMessage("", id="m1", tool_calls=[_call("c1", "maybe")])
        graph.invoke({"messages": [said]}, config)
        world.answer(yes=True)
        edited = AIMessage("", id="m1", tool_calls=[_call("c1", "bad")])
        graph.update_state(config, {"messages": [edited]}, as_node="__start__")
        graph.invoke(None, config)
        assert world.ran == []


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refunds(Scripted):
        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
            begins = not any(isinstance(each, AIMessage) for each in messages)
            call = {"name": "refund", "args": {"order": "7", "amount": 50}, "id": "c1", "type": "tool_call"}
            said = AIMessage("" if begins else "done", tool_calls=[call] if begins else [])
            return ChatResult(generations=[ChatGeneration(message=said)])

    names = play_guide(world, "sdk-langchain.md", monkeypatch, Refunds(turns=[], told={}))
    assert names["result"]["messages"][-1].content == "done"
