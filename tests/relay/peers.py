"""The real clients and servers that the relay stands between, where `scripts/mcp.sh` has put them."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

__all__ = ["CASES", "EVERYTHING", "FILESYSTEM", "MCP_PYTHON", "NODE", "needs_peers"]

HERE = Path(__file__).parent
CASES = HERE / "cases"
_PINS = (HERE / "requirements.txt").read_bytes() + (HERE / "servers/package-lock.json").read_bytes()
_CACHE = Path(os.environ.get("INTERLOCK_DEV_CACHE") or Path.home() / ".cache/interlock-dev")
_AT = _CACHE / f"mcp-{hashlib.sha256(_PINS).hexdigest()[:16]}"
MCP_PYTHON = str(_AT / "python/bin/python")
_SERVERS = _AT / "servers/node_modules/@modelcontextprotocol"
NODE = shutil.which("node") or "node"
EVERYTHING = (NODE, str(_SERVERS / "server-everything/dist/index.js"), "stdio")
FILESYSTEM = (NODE, str(_SERVERS / "server-filesystem/dist/index.js"))

needs_peers = pytest.mark.skipif(
    not (_AT / ".ready").exists() and "CI" not in os.environ,
    reason="the MCP clients and servers are not here; fetch them with scripts/mcp.sh",
)
