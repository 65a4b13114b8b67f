"""A server made with the `mcp` package: it speaks 2026-07-28 and the handshake before it."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import Context, MCPServer  # type: ignore[import-not-found,unused-ignore]

server = MCPServer("modern")


@server.tool()  # type: ignore[untyped-decorator,unused-ignore]
async def echo(message: str) -> str:
    return "Echo: " + message


@server.tool()  # type: ignore[untyped-decorator,unused-ignore]
async def slow(ctx: Context, steps: int = 3) -> str:  # type: ignore[no-any-unimported,type-arg,unused-ignore]
    import anyio

    try:
        for step in range(steps):
            await ctx.report_progress(step + 1, steps, "step")
            await anyio.sleep(0.1)
    except anyio.get_cancelled_exc_class():
        print("slow cancelled", file=sys.stderr, flush=True)
        raise
    return "slow done"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
