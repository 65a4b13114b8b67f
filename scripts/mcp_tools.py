"""Asks MCP servers for their tools, and writes names and arguments into tests/fixtures/mcp_tools.json.

    python scripts/mcp_tools.py time=mcp-server-time filesystem="npx -y @modelcontextprotocol/server-filesystem /tmp"

A server is started as it is given, in an empty folder; those that want a token take any. What is not named stays as it
is. The tables in src/interlock/reading/servers are held against the file (tests/unit/test_known_servers.py).
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "tests/fixtures/mcp_tools.json"
SECONDS = 60
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "interlock", "version": "0"}}


def asked(command: str) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        ) as process,
    ):
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            server = answer(process, 1, "initialize", CLIENT)["serverInfo"]
            send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            tools = answer(process, 2, "tools/list", {})["tools"]
        finally:
            timer.cancel()
            process.kill()
    named = {tool["name"]: sorted(tool.get("inputSchema", {}).get("properties") or {}) for tool in tools}
    return {"said": f"{server['name']} {server['version']}", "tools": dict(sorted(named.items()))}


def send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[bytes], id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    send(process, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(b"{"):
            message = json.loads(line)
            if message.get("id") == id:
                result: dict[str, Any] = message["result"]
                return result
    raise SystemExit(f"no answer to {method}")


def written(known: dict[str, Any]) -> str:
    """One line a tool, so that a difference shows which has changed."""
    parts = []
    for server, said in sorted(known.items()):
        tools = ",\n".join(f"      {json.dumps(name)}: {json.dumps(names)}" for name, names in said["tools"].items())
        head = f'    "said": {json.dumps(said["said"])},\n    "tools": {{\n'
        parts.append(f"  {json.dumps(server)}: {{\n{head}{tools}\n    }}\n  }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    known = json.loads(FILE.read_text())
    for given in sys.argv[1:]:
        server, _, command = given.partition("=")
        known[server] = asked(command)
    FILE.write_text(written(known))


if __name__ == "__main__":
    main()
