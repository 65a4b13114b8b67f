"""An MCP server that writes, reads and pays, as far as anybody can tell from its answers."""

from __future__ import annotations

import json
import sys

TEXT = {"type": "string"}
TOOLS = {
    "write_file": {"path": TEXT, "content": TEXT},
    "read_file": {"path": TEXT},
    "refund": {"amount": {"type": "number"}},
    "give": {"amount": {"type": "number"}},
    "extra": {"path": TEXT},
}

for raw in sys.stdin:
    message = json.loads(raw)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "files", "version": "1"},
        }
    elif message["method"] == "tools/list":
        result = {
            "tools": [
                {"name": name, "description": name, "inputSchema": {"type": "object", "properties": properties}}
                for name, properties in TOOLS.items()
            ]
        }
    else:
        result = {"content": [{"type": "text", "text": f"did {message['id']}"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
