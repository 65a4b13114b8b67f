"""The MCP relay: real processes on both sides of it."""
