"""What the proxy adds to each chunk of an answer without tool calls, against the same model reached directly.

    python benchmarks/proxy.py [--chunks 2000] [--rounds 3] [--streams 200] [--json]

A model on the loopback stamps each chunk with the moment it was written; the reader takes the moment it arrived. Direct
and proxied runs alternate, and the best round counts. Then many streams at once: every one must be whole.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

MOST_MS = 0.2
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: dict[str, object]) -> bytes:
    raw = f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(raw), raw)


async def model(port: int) -> None:
    """Streams as many chunks as the request's path says, one each millisecond."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                writer.close()
                return
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            body = json.loads(await reader.readexactly(length))
            message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {}}
            writer.write(HEAD + chunk({"type": "message_start", "message": message}))
            block = {"type": "text", "text": ""}
            writer.write(chunk({"type": "content_block_start", "index": 0, "content_block": block}))
            for _ in range(body["max_tokens"]):
                delta = {"type": "text_delta", "text": f"{time.perf_counter_ns()} and some words of a usual length "}
                writer.write(chunk({"type": "content_block_delta", "index": 0, "delta": delta}))
                await asyncio.sleep(body["pause"])
            writer.write(chunk({"type": "content_block_stop", "index": 0}))
            ended = {"stop_reason": "end_turn", "stop_sequence": None}
            writer.write(chunk({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}))
            writer.write(chunk({"type": "message_stop"}) + b"0\r\n\r\n")
            await writer.drain()

    async with await asyncio.start_server(answer, "127.0.0.1", port, backlog=1024) as server:
        await server.serve_forever()


async def read(port: int, chunks: int, pause: float = 0.001) -> list[float]:
    """How long each chunk took from the model to here, in milliseconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = {"model": "m", "max_tokens": chunks, "stream": True, "pause": pause}
    body = json.dumps({**asked, "messages": [{"role": "user", "content": "hello"}]}).encode()
    writer.write(
        f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    took: list[float] = []
    rest, ended = b"", False
    while not ended:
        got = await reader.read(1 << 16)
        now = time.perf_counter_ns()
        assert got, "the stream was cut"
        rest += got
        *lines, rest = rest.split(b"\n")
        for line in lines:
            ended = ended or line.startswith(b"event: message_stop")
            if b"text_delta" in line:
                stamp = line.partition(b'"text":')[2].partition(b'"')[2].partition(b" ")[0]
                took.append((now - int(stamp)) / 1e6)
    writer.close()
    assert len(took) == chunks, (len(took), chunks)
    return took


def alone(chunks: int) -> float:
    """CPU milliseconds that reading and passing on one chunk takes, without the network."""
    from interlock.proxy.rewrite.anthropic import Stream
    from interlock.proxy.rewrite.pieces import Splitter

    splitter, stream = Splitter(), Stream()
    block = {"type": "text", "text": ""}
    said: list[dict[str, object]] = [{"type": "content_block_start", "index": 0, "content_block": block}]
    delta = {"type": "text_delta", "text": "and some words of a usual length, as a model says them "}
    said += [{"type": "content_block_delta", "index": 0, "delta": delta}] * chunks
    raw = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in said]
    began = time.process_time_ns()
    for each in raw:
        for piece in splitter.feed(each):
            for _ in stream.feed(piece):
                pass
    return (time.process_time_ns() - began) / 1e6 / chunks


async def measured(straight: int, proxied: int, chunks: int, rounds: int, streams: int) -> dict[str, float]:
    best = {"direct": float("inf"), "proxied": float("inf")}
    added = []
    for _ in range(rounds):
        now = {}
        for name, port in (("direct", straight), ("proxied", proxied)):
            now[name] = statistics.median(await read(port, chunks))
            best[name] = min(best[name], now[name])
        added.append(now["proxied"] - now["direct"])
    began = time.perf_counter()
    await asyncio.gather(*[read(proxied, 50, 0.02) for _ in range(streams)])
    return {
        "direct_ms": round(best["direct"], 3),
        "proxied_ms": round(best["proxied"], 3),
        "added_ms": round(min(added), 3),
        "rewriter_alone_ms": round(alone(20_000), 4),
        "streams": streams,
        "all_streams_s": round(time.perf_counter() - began, 2),
    }


async def listens(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            assert time.monotonic() < end, "nobody listens"
            await asyncio.sleep(0.05)


async def compared(home: str, given: argparse.Namespace) -> dict[str, float]:
    straight = 19000 + os.getpid() % 900
    proxied = straight + 1000
    commands = [
        [sys.executable, __file__, "--model", str(straight)],
        [
            *(sys.executable, "-m", "interlock.cli", "--home", home, "proxy"),
            *("--upstream", f"http://127.0.0.1:{straight}", "--port", str(proxied)),
        ],
    ]
    running = [subprocess.Popen(command, cwd=home, stderr=subprocess.DEVNULL) for command in commands]
    try:
        await listens(straight)
        await listens(proxied)
        await read(proxied, 50)
        return await measured(straight, proxied, given.chunks, given.rounds, given.streams)
    finally:
        for process in running:
            process.terminate()
            process.wait(20)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--chunks", type=int, default=2000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--streams", type=int, default=200)
    options.add_argument("--json", action="store_true")
    options.add_argument("--model", type=int, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.model:
        asyncio.run(model(given.model))
        return 0
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as folder:
        home = Path(folder, "home")
        home.mkdir()
        found = asyncio.run(compared(str(home), given))
    note = f"{found['proxied_ms']:.2f} ms against {found['direct_ms']:.2f} ms"
    met = found["added_ms"] <= MOST_MS
    figures = [
        Figure("added to a chunk", found["added_ms"], "ms", note=note, bar=f"at most {MOST_MS:g} ms", met=met),
        Figure("the rewriter alone, a chunk", found["rewriter_alone_ms"], "ms"),
        Figure(f"{found['streams']} streams at once, all whole", found["all_streams_s"], "s"),
    ]
    return ended("proxy", figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
