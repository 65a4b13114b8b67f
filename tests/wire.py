"""The fields that Claude Code 2.1.327 sends with each event, as a capture of the real client shows them.

`tests/live/test_wire.py` holds this table against the client. Tests that make events by hand go through `sent`, so that
none of them can rely on a field that never comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FIELDS", "OPTIONAL", "sent"]

_ALWAYS = "cwd hook_event_name session_id transcript_path"
_CALL = f"{_ALWAYS} effort permission_mode prompt_id tool_input tool_name"
_STOP = (
    f"{_ALWAYS} background_tasks effort last_assistant_message permission_mode prompt_id session_crons stop_hook_active"
)

FIELDS = {
    "SessionStart": f"{_ALWAYS} source",
    "UserPromptSubmit": f"{_ALWAYS} permission_mode prompt prompt_id",
    "UserPromptExpansion": (
        f"{_ALWAYS} command_args command_name command_source expansion_type permission_mode prompt prompt_id"
    ),
    "PreToolUse": f"{_CALL} tool_use_id",
    "PermissionRequest": f"{_CALL} permission_suggestions",
    "PostToolUse": f"{_CALL} duration_ms tool_response tool_use_id",
    "PostToolUseFailure": f"{_CALL} duration_ms error is_interrupt tool_use_id",
    "SubagentStart": f"{_ALWAYS} agent_id agent_type prompt_id",
    "SubagentStop": f"{_STOP} agent_id agent_transcript_path agent_type",
    "ConfigChange": f"{_ALWAYS} file_path prompt_id source",
    "Stop": _STOP,
    "SessionEnd": f"{_ALWAYS} prompt_id reason",
}
# What comes only at times: a model at a terminal, the agent's names inside a sub-agent, the server of an MCP tool.
OPTIONAL = {
    "SessionStart": "model",
    "ConfigChange": "prompt_id",
    "PreToolUse": "agent_id agent_type mcp_server",
    "PermissionRequest": "agent_id agent_type mcp_server",
    "PostToolUse": "agent_id agent_type mcp_server",
    "PostToolUseFailure": "agent_id agent_type mcp_server",
}


def sent(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event, if the client could have sent it: no field of ours."""
    name = str(event["hook_event_name"])
    known = {*FIELDS[name].split(), *OPTIONAL.get(name, "").split()}
    assert set(event) <= known, f"{name} comes without {sorted(set(event) - known)}"
    return dict(event)
