"""Streams to the model are shared out among clients, and connections are used again."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from interlock.proxy.upstream import Upstream
from proxy.fake_model import Reply, fake_model

EVENTS = b"data: {}\n\n"


async def _ask(upstream: Upstream) -> bytes:
    answer = await upstream.send("POST", b"/v1/messages", b"", [], b"{}", read=True)
    try:
        return await answer.aread()
    finally:
        await answer.aclose()


def test_no_client_has_more_streams_than_it_can_look_after() -> None:
    async def forty() -> list[int]:
        upstream = Upstream(model.url)
        answers = [await upstream.send("POST", b"/v1/messages", b"", [], b"{}", read=True) for _ in range(40)]
        busy = [client.busy for client in upstream.clients]
        for answer in answers:
            await answer.aclose()
        await upstream.close()
        return busy

    with fake_model() as model:
        model.answers = lambda _asked: Reply([EVENTS])
        assert asyncio.run(forty()) == [16, 16, 8]


def test_one_request_after_the_other_stays_with_one_client() -> None:
    async def twenty() -> list[int]:
        upstream = Upstream(model.url)
        for _ in range(20):
            assert await _ask(upstream) == EVENTS
        await upstream.close()
        return [client.busy for client in upstream.clients]

    with fake_model() as model:
        model.answers = lambda _asked: Reply([EVENTS])
        assert asyncio.run(twenty()) == [0]


def test_a_request_that_failed_is_no_longer_counted() -> None:
    async def refused() -> list[int]:
        upstream = Upstream("http://127.0.0.1:9")
        for _ in range(3):
            with pytest.raises(httpx.ConnectError):
                await _ask(upstream)
        await upstream.close()
        return [client.busy for client in upstream.clients]

    assert asyncio.run(refused()) == [0]
