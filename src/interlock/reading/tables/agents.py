"""Programs that run agents. Starting one is an action of its own: what its agent does is not in the command line.

`reading/specials/agents.py` reads them: what only shows something, what changes the host's own settings, and which
words leave the guard out. A host for which there is no adapter runs without the guard whatever its words are.
"""

from __future__ import annotations

from .spec import P

__all__ = ["PACKAGES", "PROGRAMS", "host_in"]

# Packages under which they are installed: `npx @openai/codex`, `uvx aider-chat`.
PACKAGES = {
    "@anthropic-ai/claude-code": "claude",
    "@github/copilot": "copilot",
    "@google/gemini-cli": "gemini",
    "@openai/codex": "codex",
    "@qwen-code/qwen-code": "qwen",
    "@sourcegraph/amp": "amp",
    "@xai-official/grok": "grok",
    "aider-chat": "aider",
    "opencode-ai": "opencode",
}

_NAMES = (
    "aider amp auggie claude claude-code cline codex copilot crush cursor-agent droid gemini gemini-cli goose "
    "grok kimi kiro-cli opencode openhands plandex qwen qwen-code"
)

PROGRAMS = tuple(
    [
        P(name, special="agent_host", action="agent:run", does="execute network", example=f"{name} --version")
        for name in _NAMES.split()
    ]
)


def host_in(path: str) -> str | None:
    """The host whose package a file belongs to: `node_modules/@openai/codex/bin/codex.js`."""
    inside = path.rpartition("/node_modules/")[2].split("/")
    return PACKAGES.get("/".join(inside[:2])) or PACKAGES.get(inside[0])
