"""One tool, many names: what each host calls the tools that we know by one name.

A name says something only where its host is known: `create` of some other agent may be anything. The front that takes a
call in gives it our name (`Call.tool`) and keeps the host's (`Call.named`). An entry in a policy under the host's own
name comes first; without one, the entry under ours counts.
"""

from __future__ import annotations

from ..approve.glob import is_plain, matches
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..policy.model import Policy, ToolSpec

__all__ = [
    "ALIASES",
    "ANY_SHELL",
    "ASKS_NOBODY",
    "FLOW_ROLES",
    "NATIVE",
    "OF_HOSTS",
    "action_of_tool",
    "declared_tool",
    "globs_of",
    "our_name",
    "set_apart",
    "tool_spec",
]

_GEMINI = {
    "run_shell_command": "Bash",
    "read_file": "Read",
    "list_directory": "LS",
    "glob": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "write_file": "Write",
    "replace": "Edit",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "write_todos": "TodoWrite",
    "ask_user": "AskUserQuestion",
    "exit_plan_mode": "ExitPlanMode",
    "enter_plan_mode": "EnterPlanMode",
}
# Claude Code's built-in tools, as the type file of the pinned client lists them (tests/live/test_tools_known.py).
_CLAUDE = {
    "AgentOutputTool": "TaskOutput",
    "ListMcpResources": "ListMcpResourcesTool",
    "ReadMcpResource": "ReadMcpResourceTool",
    "ReadMcpResourceDirTool": "ReadMcpResourceTool",
    "RefreshMcpTools": "WaitForMcpServers",
    "DeferredToolPlaceholder": "ToolSearch",
    "GetTask": "TaskGet",
    "ListAgents": "TaskList",
    "GetGoal": "TodoRead",
    "SetGoal": "TodoWrite",
    "PauseGoal": "TodoWrite",
    "Poll": "Sleep",
    "Yield": "Sleep",
    "EndConversation": "StructuredOutput",
    "ReportFindings": "StructuredOutput",
    "WrapUp": "StructuredOutput",
    # a search with words, in catalogs of the vendor
    **dict.fromkeys(("ListConnectors", "ListPlugins", "ListSkills", "SearchMcpRegistry", "SearchPlugins",
                     "SearchSkills"), "WebSearch"),
    # what leaves this machine
    **dict.fromkeys(("Artifact", "ArtifactCheck", "ArtifactComments", "ArtifactData", "ClaudeDesign", "DesignSync",
                     "Projects", "PublishPlugin", "PushNotification", "SendFeedback", "SendFile", "SendToProject",
                     "SendToProjectContext", "SendUserFile", "ShareOnboardingGuide", "memory_write"), "HostSend"),
    # what others wrote, or what is kept for the person elsewhere
    **dict.fromkeys(("FetchInboxMessage", "ReadNotifications", "ReadWidgetContext", "memory_list", "memory_read"),
                    "HostInbox"),
    # a person is offered something that gives the agent more tools
    **dict.fromkeys(("OfferChromeSetup", "ShowOnboardingRolePicker", "SuggestConnectors", "SuggestPluginInstall",
                     "SuggestSkills", "propose_skills", "request_computer"), "HostTools"),
    # code in a language that is not read
    **dict.fromkeys(("AppifactRepl", "PowerShell", "Workflow"), "HostCode"),
    # machines that run sessions
    **dict.fromkeys(("self_hosted_runner_get_pool", "self_hosted_runner_list_runners",
                     "self_hosted_runner_list_secrets", "self_hosted_runner_list_sessions",
                     "self_hosted_runner_read_health", "self_hosted_runner_read_metrics",
                     "self_hosted_runner_requeue_session", "self_hosted_runner_spawn_local",
                     "self_hosted_runner_tail_log"), "HostRunners"),
}  # fmt: skip
_AGENTS = {  # Codex's other agents, whose calls come to the hook one by one
    "spawn_agent": "Agent",
    "wait_agent": "TaskOutput",
    "list_agents": "TaskList",
    "send_message": "SendMessage",
    "send_input": "SendMessage",
    "followup_task": "SendMessage",
    "resume_agent": "SendMessage",
    "interrupt_agent": "TaskStop",
    "close_agent": "TaskStop",
}
_GROUPS = ("", "collaboration", "multi_agent_v1")  # it puts the name of a group of tools before that of the tool
# Hosts on which an agent chooses which shell runs a command (bash, sh, zsh), and whether it has a terminal to type
# into, without the hook being told.
_UNPROVEN = (
    "cursor",
    "vscode",
    "goose",
    "windsurf",
    "cline",
    "kiro",
    "amp",
)  # by documentation: which shell is not told
ANY_SHELL = frozenset(("codex", *_UNPROVEN))
# Hosts that can put no question before the person in front of them: a call that needs a yes waits for it elsewhere.
ASKS_NOBODY = frozenset(("codex", "opencode", *_UNPROVEN)) - {"vscode"}
# Hosts whose tools have our names and take the inputs that our rows and contracts describe; a call may name no host.
NATIVE = ("", "claude-code")
# host -> its name of a tool -> ours
OF_HOSTS: dict[str, dict[str, str]] = {
    "claude-code": _CLAUDE,
    "codex": {
        "Bash": "Bash",  # what it tells of every shell
        "shell": "Bash",
        "local_shell": "Bash",
        "exec_command": "Bash",
        "apply_patch": "Patch",
        "update_plan": "TodoWrite",
        "view_image": "Read",
        "get_goal": "TodoRead",
        "create_goal": "TodoWrite",
        "update_goal": "TodoWrite",
        "clocksleep": "Sleep",
        "clockcurr_time": "Sleep",
        "request_user_input_async": "AskUserQuestion",
        **{f"{group}{tool}": ours for group in _GROUPS for tool, ours in _AGENTS.items()},
        "web_search": "WebSearch",
        "request_user_input": "AskUserQuestion",
        "list_mcp_resources": "ListMcpResourcesTool",
        "list_mcp_resource_templates": "ListMcpResourcesTool",
        "read_mcp_resource": "ReadMcpResourceTool",
        "tool_search": "ToolSearch",
    },
    "gemini-cli": {
        **_GEMINI,
        "list_background_processes": "TaskList",
        "read_background_output": "BashOutput",
        "list_mcp_resources": "ListMcpResourcesTool",
        "read_mcp_resource": "ReadMcpResourceTool",
        "update_topic": "TodoWrite",
        "complete_task": "StructuredOutput",
        "tracker_create_task": "TaskCreate",
        "tracker_update_task": "TaskUpdate",
        "tracker_add_dependency": "TaskUpdate",
        "tracker_get_task": "TaskGet",
        "tracker_list_tasks": "TaskList",
        "tracker_visualize": "TaskList",
    },
    "qwen-code": {  # it began as a copy of Gemini CLI, and took over many tools of Claude Code since
        "run_shell_command": "Bash",
        "monitor": "Monitor",
        "task_stop": "TaskStop",
        "read_file": "Read",
        "zoom_image": "Read",
        "list_directory": "LS",
        "glob": "Glob",
        "grep_search": "Grep",
        "write_file": "Write",
        "edit": "Edit",
        "notebook_edit": "NotebookEdit",
        "web_fetch": "WebFetch",
        "web_search": "WebSearch",
        "todo_write": "TodoWrite",
        "task_create": "TaskCreate",
        "task_update": "TaskUpdate",
        "task_list": "TaskList",
        "get_goal": "TodoRead",
        "update_goal": "TodoWrite",
        "list_agents": "TaskList",
        "agent": "Agent",
        "skill": "Skill",
        "send_message": "SendMessage",
        "tool_search": "ToolSearch",
        "ask_user_question": "AskUserQuestion",
        "exit_plan_mode": "ExitPlanMode",
        "enter_plan_mode": "EnterPlanMode",
        "enter_worktree": "EnterWorktree",
        "exit_worktree": "ExitWorktree",
        "cron_create": "CronCreate",
        "cron_list": "CronList",
        "cron_delete": "CronDelete",
        "loop_wakeup": "ScheduleWakeup",
    },
    "copilot-cli": {
        "bash": "Bash",
        "view": "Read",
        "glob": "Glob",
        "grep": "Grep",
        "ripgrep": "Grep",
        "create": "Write",
        "edit": "Edit",
        "str_replace": "Edit",
        "insert": "Edit",
        "apply_patch": "Patch",
        "web_fetch": "WebFetch",
        "web_search": "WebSearch",
        "task": "Task",
        "report_intent": "TodoWrite",
        "update_todo": "TodoWrite",
        "ask_user": "AskUserQuestion",
        "read_bash": "BashOutput",
        "stop_bash": "KillShell",
        "list_bash": "TaskList",
        "read_agent": "TaskOutput",
        "list_agents": "TaskList",
        "write_agent": "SendMessage",
        "sql": "TodoWrite",  # a database of the session, in which the client keeps it from any file
        "task_complete": "StructuredOutput",
        "exit_plan_mode": "ExitPlanMode",
        "fetch_copilot_cli_documentation": "TodoRead",  # a text that the client brings along
        "session_store_sql": "HostInbox",  # other sessions, also those of other machines
    },
    "opencode": {
        "bash": "Bash",
        "read": "Read",
        "list": "LS",
        "ls": "LS",
        "glob": "Glob",
        "grep": "Grep",
        "write": "Write",
        "edit": "Edit",
        "multiedit": "MultiEdit",
        "patch": "Patch",
        "apply_patch": "Patch",
        "webfetch": "WebFetch",
        "websearch": "WebSearch",
        "todowrite": "TodoWrite",
        "todoread": "TaskList",
        "task": "Task",
        "question": "AskUserQuestion",
        "lsp": "LSP",
    },
    # By documentation only: those names of which the fields are documented (docs/hosts.md).
    "cursor": {"Shell": "Bash"},
    "windsurf": {"run_command": "Bash", "write_code": "MultiEdit", "read_code": "Read"},
    "cline": {
        "execute_command": "Bash",
        "read_file": "Read",
        "write_to_file": "Write",
        "replace_in_file": "Edit",
        "list_files": "LS",
    },
    "vscode": {"Bash": "Bash"},
    "goose": {
        "developer__shell": "Bash",
        "developer__write": "Write",
        "developer__edit": "Edit",
        "developer__tree": "LS",
    },
    "kiro": {"execute_bash": "Bash", "shell": "Bash"},
    "amp": {"Bash": "Bash"},
}
# Whoever writes a policy may use any host's name: there it is only a name.
ALIASES = {name: ours for names in OF_HOSTS.values() for name, ours in names.items()}


def our_name(host: str, tool: str) -> str:
    names = OF_HOSTS.get(host)
    return tool if names is None else names.get(tool, tool)


def set_apart(host: str, tool: str) -> str:
    """The name of a tool that is not the host's own, and could have one of ours by chance."""
    return f"{host}:{tool}"


def tool_spec(policy: Policy, tool: str, named: str = "") -> ToolSpec | None:
    """The policy's entry for a tool, under the host's name for it, ours, or a glob."""
    if named and tool.endswith(f":{named}"):  # it was set apart
        named = ""
    found = (policy.tools.get(named) if named else None) or policy.tools.get(tool)
    if found is None and policy.tool_globs:
        names = (named, tool) if named else (tool,)
        best = next((pattern for pattern in policy.tool_globs if any(matches(pattern, name) for name in names)), None)
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


# Roles of arguments that say where a value may come from (origins.py).
FLOW_ROLES = ("recipient", "link", "object", "credential", "message", "day")


def declared_tool(policy: Policy, tool: str, named: str = "") -> ToolSpec | None:
    """What may be believed of a tool's effects: only what a source that may loosen has declared."""
    spec = tool_spec(policy, tool, named)
    return spec if spec is not None and spec.registered else None
