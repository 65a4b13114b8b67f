"""Many streams at once: each gets its own answer, and every call is judged."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from proxy.fake_model import Asked, Reply
from proxy.played import calls_in
from proxy.proxying import Proxying, read_events
from proxy.said import APIS, request, streamed

STREAMS = 200


@pytest.mark.slow
def test_two_hundred_streams_at_once(tmp_path: Path) -> None:
    with Proxying(tmp_path) as proxy:

        def answers(asked: Asked) -> Reply:
            number = int(asked.headers["x-number"])
            tool = "wipe" if number % 3 == 0 else "look"
            api = APIS[number % 4]
            return Reply(streamed(api, f"This is {number}.", [(tool, {"n": number}, f"c_{number}")]), pause=0.05)

        proxy.model.answers = answers

        async def one(client: httpx.AsyncClient, number: int) -> None:
            api = APIS[number % 4]
            path, body = request(api, f"question {number}")
            answer = await client.post(path, json=body, headers={"x-number": str(number)})
            calls = calls_in(api, read_events(answer.content))
            assert calls == ([] if number % 3 == 0 else [("look", {"n": number})]), (number, answer.text[-2000:])

        async def all_at_once() -> None:
            limits = httpx.Limits(max_connections=STREAMS)
            async with httpx.AsyncClient(base_url=proxy.url, timeout=60, limits=limits, trust_env=False) as client:
                await asyncio.gather(*[one(client, number) for number in range(STREAMS)])

        asyncio.run(all_at_once())
        judged = proxy.decisions()
        assert len(judged) == STREAMS
        assert sum(verdict == "deny" for _, verdict in judged) == len(range(0, STREAMS, 3))
