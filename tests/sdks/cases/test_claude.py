"""The Claude Agent SDK keeps the contract, with the client that it brings and a scripted model on the loopback."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

from interlock.sdks.claude import Interlock
from sdks.contract import Contract
from sdks.scenes import Scene, Seen, World, play_guide

sys.path.append(str(Path(__file__).parents[2]))
from scripted_model import Model, scripted_model

TOOL = "mcp__post__send"


def loopback() -> None:
    """The case runs in a network namespace of its own, whose loopback is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_one:
        up_and_running = struct.pack("16sh14x", b"lo", 0x1 | 0x40)
        fcntl.ioctl(any_one, 0x8914, up_and_running)


def variables(folder: Path, model: Model) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-for-tests-on-the-loopback",
        "IS_SANDBOX": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


async def meddle(_told: Any, _call_id: str | None, _context: Any) -> dict[str, Any]:
    """Another hook."""
    changed = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"to": "changed"}}
    return {"hookSpecificOutput": changed}


class Driver:
    cannot: Mapping[str, str] = {"turn": "a hook is told of one call, not of the others that were made with it"}
    agent = ""
    tool = TOOL

    def run(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, "go"))

    def resume(self, scene: Scene) -> Seen:
        return asyncio.run(self._play(scene, "go on", resume=(scene.folder / "session").read_text()))

    async def _play(self, scene: Scene, prompt: str, **more: Any) -> Seen:
        @tool("send", "Sends it.", {"to": str})
        async def send(given: dict[str, Any]) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": scene.send(given["to"])}]}

        loopback()
        script = [[(TOOL, {"to": to}) for _, to in turn] for turn in scene.turns]
        guard = Interlock(scene.gate, session=scene.session)
        with scripted_model([*script, "done"]) as model:
            options = ClaudeAgentOptions(
                mcp_servers={"post": create_sdk_mcp_server("post", tools=[send])},
                allowed_tools=[TOOL],
                setting_sources=[],
                cwd=os.getcwd(),
                env=variables(scene.folder, model),
                hooks={"PreToolUse": [HookMatcher(hooks=[meddle])]} if scene.meddles else None,
                include_partial_messages=scene.streams,
                **more,
            )
            results: list[Any] = []
            try:
                async for message in query(prompt=prompt, options=guard.gated(options)):
                    if isinstance(message, ResultMessage):
                        results.append(message)
            except Exception as error:
                return Seen(told=told(scene, model), failed=f"{type(error).__name__}: {error}")
            (scene.folder / "session").write_text(results[-1].session_id)
            # A call that is deferred again when it was woken up ends a run of its own, before the one of the prompt.
            waits = [asked for result in results for asked in guard.asked(result)]
            return Seen(told=told(scene, model), questions=waits)


def told(scene: Scene, model: Model) -> dict[str, str]:
    """The result of each call as the model was told it, by the call's id in the scene."""
    found = {}
    for number, turn in enumerate(scene.turns):
        for at, (call, _) in enumerate(turn):
            content = json.loads(model.results.get(named(number, at), "null"))
            if content is not None:
                found[call] = content if isinstance(content, str) else " ".join(part["text"] for part in content)
    return found


def named(turn: int, at: int) -> str:
    """The id that the scripted model gives a call."""
    return f"toolu_step_{turn}{'abcd'[at] if at else ''}"


class TestContract(Contract):
    driver = Driver()

    def test_siblings_run_before_an_ask_is_answered(self, world: World, driver: Any) -> None:
        """The client defers one call at a time. The model is told of the others, and makes them again."""
        turn = [("c1", "ok"), ("c2", "bad"), ("c3", "maybe"), ("c4", "maybe-not")]
        scene = world.scene(turn, [("c5", "maybe-not")])
        seen = driver.run(scene)
        assert [asked["call_id"] for asked in seen.questions] == [named(0, 2), named(0, 3)]
        assert world.ran == ["ok"]
        assert len(world.answer(yes=True)) == 2
        seen = driver.resume(scene)
        assert sorted(world.ran) == ["maybe", "maybe-not", "ok"]
        assert seen.told["c5"] == "sent to maybe-not"


class TestMore:
    def test_tools_of_the_client_are_gated_and_the_session_is_its_own(self, world: World) -> None:
        """Bash is the client's own tool, and the client would run anything here."""
        loopback()
        found: list[Any] = []

        async def play(model: Model) -> None:
            options = ClaudeAgentOptions(
                permission_mode="bypassPermissions",
                setting_sources=[],
                cwd=str(world.folder / "project"),
                env=variables(world.folder, model),
            )
            async with ClaudeSDKClient(Interlock(world.gate).gated(options)) as client:
                await client.query("go")
                found.extend([each async for each in client.receive_response() if isinstance(each, ResultMessage)])

        with scripted_model([("Bash", {"command": "rm -rf ~/.ssh", "description": "d"}), "done"]) as model:
            asyncio.run(play(model))
        assert [row.session for row in world.rows("decision")] == [found[0].session_id]
        assert found[0].deferred_tool_use.name == "Bash"  # it waits for a person

    def test_a_hook_that_is_told_nonsense_denies(self, world: World) -> None:
        answer = asyncio.run(Interlock(world.gate).before({}, "c1", None))
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"

    def test_hooks_of_the_program_stay(self, world: World) -> None:
        theirs = HookMatcher(hooks=[meddle])
        options = ClaudeAgentOptions(hooks={"PreToolUse": [theirs]})
        gated = Interlock(world.gate).gated(options)
        assert gated.hooks["PreToolUse"][0] is theirs
        assert options.hooks == {"PreToolUse": [theirs]}


def test_the_guide_does_what_it_shows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    loopback()
    with scripted_model([("mcp__shop__refund", {"order": "7", "amount": 50}), "done"]) as model:
        names = play_guide(world, "sdk-claude.md", monkeypatch, None, environment=variables(world.folder, model))
    assert names["result"].stop_reason == "end_turn"
