"""One tool, many names: what other hosts call the tools that the policy knows by one name.

An entry in a policy under the host's own name comes first; without one, the entry of the tool that it
stands for counts, and then the glob that spells most of the name out.
"""

from __future__ import annotations

from .approve.glob import is_plain, matches
from .value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .policy.model import Policy, ToolSpec

__all__ = ["ALIASES", "action_of_tool", "declared_tool", "globs_of", "tool_spec"]

ALIASES = {
    # shells
    "run_shell_command": "Bash",
    "shell": "Bash",
    "local_shell": "Bash",
    "exec_command": "Bash",
    "bash": "Bash",
    "Shell": "Bash",
    "run_terminal_cmd": "Bash",
    "execute_command": "Bash",
    "run_command": "Bash",
    "developer__shell": "Bash",
    # files
    "read_file": "Read",
    "read_many_files": "Read",
    "read": "Read",
    "view": "Read",
    "view_file": "Read",
    "list_directory": "LS",
    "list_dir": "LS",
    "ls": "LS",
    "list": "LS",
    "glob": "Glob",
    "find_files": "Glob",
    "file_search": "Glob",
    "grep": "Grep",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "ripgrep": "Grep",
    "write_file": "Write",
    "create_file": "Write",
    "create": "Write",
    "write": "Write",
    "edit": "Edit",
    "edit_file": "Edit",
    "replace": "Edit",
    "str_replace": "Edit",
    "search_replace": "Edit",
    "insert": "Edit",
    "multiedit": "MultiEdit",
    "delete_file": "Delete",
    "apply_patch": "Patch",
    "patch": "Patch",
    # the web
    "web_fetch": "WebFetch",
    "webfetch": "WebFetch",
    "fetch": "WebFetch",
    "web_search": "WebSearch",
    "websearch": "WebSearch",
    "google_web_search": "WebSearch",
    # book-keeping
    "todowrite": "TodoWrite",
    "todo_write": "TodoWrite",
    "write_todos": "TodoWrite",
    "update_plan": "TodoWrite",
    "todoread": "TaskList",
    "task": "Task",
    "report_intent": "TodoWrite",
    "update_todo": "TodoWrite",
    "ask_user": "AskUserQuestion",
    "request_user_input": "AskUserQuestion",
    "question": "AskUserQuestion",
    "exit_plan_mode": "ExitPlanMode",
    "enter_plan_mode": "EnterPlanMode",
    "AgentOutputTool": "TaskOutput",
    "read_bash": "BashOutput",
    "stop_bash": "KillShell",
    "list_bash": "TaskList",
    # tool servers and the editor
    "ListMcpResources": "ListMcpResourcesTool",
    "list_mcp_resources": "ListMcpResourcesTool",
    "list_mcp_resource_templates": "ListMcpResourcesTool",
    "ReadMcpResource": "ReadMcpResourceTool",
    "read_mcp_resource": "ReadMcpResourceTool",
    "view_image": "Read",
    "lsp": "LSP",
}


def tool_spec(policy: Policy, tool: str) -> ToolSpec | None:
    """The policy's entry for a tool, under its own name, the one that it stands for, or a glob."""
    found = policy.tools.get(tool) or policy.tools.get(ALIASES.get(tool, tool))
    if found is None and policy.tool_globs:
        best = next((pattern for pattern in policy.tool_globs if matches(pattern, tool)), None)
        found = None if best is None else policy.tools[best]
    return found


def globs_of(tools: Iterable[str]) -> tuple[str, ...]:
    """The globs among the names, the one that spells most out first: the first that matches counts."""
    globs = [name for name in tools if not is_plain(name)]
    return tuple(sorted(globs, key=lambda glob: (-len(glob.replace("*", "").replace("?", "")), glob))) if globs else ()


def action_of_tool(tool: str) -> str:
    """What a call of a tool is called of which only the policy says what it does."""
    server, _, name = tool.removeprefix("mcp__").partition("__")
    return f"mcp:{server}:{name}" if tool.startswith("mcp__") and name else f"tool:{tool}"


def declared_tool(policy: Policy, tool: str) -> ToolSpec | None:
    """What may be believed of a tool's effects: only what a source that may loosen has declared."""
    spec = tool_spec(policy, tool)
    return spec if spec is not None and spec.registered else None
