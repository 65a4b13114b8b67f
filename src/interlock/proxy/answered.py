"""An answer on its way to the client: its calls are judged, and what may not pass is replaced.

    upstream's bytes ─► pieces ─► rewriter ─► pieces ─► the client
                                    │  ▲
                               Wanted  Ruling      judging.py

Whatever cannot be understood ends the answer with the API's own error, and nothing of a call has left by then.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from typing import Any

import httpx

from .apis import APIS
from .judging import Judge
from .rewrite.calls import Ruling, Wanted
from .rewrite.pieces import FaultError, Piece, Splitter, parsed
from .upstream import Ahead

__all__ = ["BROKE", "events", "turned_whole"]

_log = logging.getLogger("interlock.proxy")
BROKE = "Interlock ended this answer: {}. No tool call in it was let through after that point."
_Write = Callable[[bytes], Awaitable[None]]


async def events(api: str, chunks: AsyncIterator[bytes], rewriter: Any, judge: Judge, write: _Write) -> bool:
    """Streams an answer. Whether it came to its end; otherwise the client was told of the trouble."""
    ahead, splitter, out = Ahead(chunks), Splitter(), _Out(write)
    speaks = APIS[api]

    async def beat() -> None:
        ahead.read_on()
        await write(speaks.KEEPALIVE)

    try:
        async for chunk in ahead:
            for piece in splitter.feed(chunk):
                await _driven(rewriter.feed(piece), judge, out, beat)
            await out.flush()
        for piece in splitter.end():
            await _driven(rewriter.feed(piece), judge, out, beat)
        await _driven(rewriter.end(), judge, out, beat)
        await out.flush()
        return True
    except FaultError as error:
        trouble = str(error)
    except httpx.HTTPError as error:
        trouble = f"the connection to the model broke ({type(error).__name__})"
    except Exception as error:  # INVARIANT: whatever breaks in here ends the answer
        _log.error("an answer could not be read", exc_info=error)
        trouble = "Interlock could not read it"
    finally:
        ahead.stop()
    _log.warning("an answer was ended: %s", trouble)
    await out.flush()
    piece = speaks.error_piece(BROKE.format(trouble), rewriter)
    await write(piece.raw)
    return False


class _Out:
    """Pieces that leave together."""

    def __init__(self, write: _Write) -> None:
        self.write = write
        self.parts: list[bytes] = []

    async def flush(self) -> None:
        if self.parts:
            parts, self.parts = self.parts, []
            await self.write(b"".join(parts))


async def _driven(steps: Generator[Any, Any, None], judge: Judge, out: _Out, beat: Any) -> None:
    reply: Ruling | None = None
    while True:
        try:
            step: Piece | Wanted = steps.send(reply)
        except StopIteration:
            return
        reply = None
        if isinstance(step, Wanted):
            await out.flush()
            reply = await judge.rule(step, beat)
        else:
            out.parts.append(step.raw)


async def turned_whole(
    api: str, raw: bytes, judge: Judge, *, provider: bool, results: list[Any]
) -> tuple[Any, Any | None]:
    """What the model said, and what the client gets where that is something else. `results`: what was withheld."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise FaultError("the answer is not UTF-8 text") from None
    body = parsed(text)
    steps = APIS[api].whole(body, provider=provider, results=results)
    reply: Ruling | None = None
    while True:
        try:
            wanted = steps.send(reply)
        except StopIteration as done:
            return body, None if done.value is body else done.value
        reply = await judge.rule(wanted)
