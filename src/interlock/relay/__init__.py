"""`interlock mcp`: stands between an MCP client and a tool server, and lets no tool call through undecided.

A front of the Engine. `relay.py` is the way of a message, whatever carries it; `stdio.py` carries lines between two
processes, `http.py` requests to a server elsewhere. `messages.py` reads what comes from a client and writes what we say
ourselves, `judge.py` hands calls to the Engine, `listing.py` follows what the server says of its tools and
`definitions.py` compares it with what was pinned. What is allowed goes on as the bytes that came.
"""

from __future__ import annotations
