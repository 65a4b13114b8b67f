"""Drives a server with the `mcp` package's own client, and prints what that client makes of it.

    python client.py MODE ELICITS STEPS -- COMMAND…

MODE is `auto` (2026-07-28 where the server speaks it) or `legacy`; ELICITS says how questions are answered, empty: the
client cannot be asked. A step is `[tool, arguments]`, or a word.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import (  # type: ignore[import-not-found,unused-ignore]
    Client,
    StdioServerParameters,
    types,  # type: ignore[import-not-found,unused-ignore]
)

MODE, ELICITS, STEPS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
COMMAND = sys.argv[sys.argv.index("--") + 1 :]
asked: list[str] = []


async def elicit(_context: Any, params: Any) -> Any:
    asked.append(params.message)
    if ELICITS == "decline":
        return types.ElicitResult(action="decline")
    return types.ElicitResult(action="accept", content={"answer": ELICITS})


def told(result: Any) -> dict[str, Any]:
    return {"error": result.is_error, "text": [getattr(part, "text", "") for part in result.content]}


async def step(client: Any, what: Any) -> Any:
    if what == "list":
        return sorted(tool.name for tool in (await client.list_tools()).tools)
    if what == "wait":
        await asyncio.sleep(0.5)
        return None
    tool, given, *more = what
    if more == ["progress"]:
        seen: list[float] = []

        async def on(progress: float, _total: float | None, _message: str | None) -> None:
            seen.append(progress)

        return {**told(await client.call_tool(tool, given, progress_callback=on)), "progress": len(seen)}
    if more == ["cancel"]:
        begun = asyncio.Event()

        async def at_work(*_told: object) -> None:
            begun.set()

        task = asyncio.create_task(client.call_tool(tool, given, progress_callback=at_work))
        await asyncio.wait_for(begun.wait(), 60)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return "cancelled"
        return "not cancelled"
    try:
        return told(await client.call_tool(tool, given))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def main() -> None:
    over_http = COMMAND[0].startswith("http")
    server = COMMAND[0] if over_http else StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    more = {"elicitation_callback": elicit} if ELICITS else {}
    async with Client(server, mode=MODE, read_timeout_seconds=60, **more) as client:
        version = client.protocol_version
        results = [await step(client, what) for what in STEPS]
    print(json.dumps({"version": version, "results": results, "asked": asked}))


asyncio.run(main())
