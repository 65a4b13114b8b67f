"""In which files clients name their MCP servers, and in which form."""

from __future__ import annotations

__all__ = ["FILES", "form_of"]

_OPENCODE = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
_OPENCODE_AT_HOME = (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc")
# client -> its files: below the home folder, and in a project
FILES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude-code": ((".claude.json",), (".mcp.json",)),
    "gemini-cli": ((".gemini/settings.json",), (".gemini/settings.json",)),
    "qwen-code": ((".qwen/settings.json",), (".qwen/settings.json",)),
    "copilot-cli": ((".copilot/mcp-config.json",), ()),
    "codex": ((".codex/config.toml",), (".codex/config.toml",)),
    "opencode": (_OPENCODE_AT_HOME, _OPENCODE),
    "cursor": ((".cursor/mcp.json",), (".cursor/mcp.json",)),
    "windsurf": ((".codeium/windsurf/mcp_config.json",), ()),
}


_FORMS = {"codex": "toml", "opencode": "opencode"}  # how a client's file names its servers; otherwise `json`


def form_of(client: str) -> str:
    return _FORMS.get(client, "json")
