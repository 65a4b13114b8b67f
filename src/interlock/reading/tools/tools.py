"""What the hosts' own tools do, one row a tool, and how a path or an address that one is given is read.

A row names the action, its effects and the fields of the input that say on what. Which way a call takes is in calls.py.
"""

from __future__ import annotations

from ...model.action import Action, Opaque
from ...model.effects import Effect
from ...model.obeyed import NAMES
from ...model.verdict import Risk
from ...model.wants import Real, Want
from ...value import TYPE_CHECKING, FrozenMap, Value, lazy
from ..places.kinds import place_at
from ..places.marks import marks_for
from ..places.paths import Unsettled, settle
from ..places.places import is_judged, obeyed_by
from ..places.system_places import address_marks, host_of, is_control_plane

if TYPE_CHECKING:
    from typing import Literal

    from ...model.call import Call
    from ...model.facts import Facts
    from ..places.obeyed_content import spared
    from ..places.place_folders import wanted_of
    from ..reach.channels import posts
    from ..written.notebooks import seen_in_cell
    from .newly import newly_by_tool
    from .searching import marks_of_search
else:
    spared = lazy(globals(), "..places.obeyed_content", "spared")
    wanted_of = lazy(globals(), "..places.place_folders", "wanted_of")
    posts = lazy(globals(), "..reach.channels", "posts")
    seen_in_cell = lazy(globals(), "..written.notebooks", "seen_in_cell")
    newly_by_tool = lazy(globals(), ".newly", "newly_by_tool")
    marks_of_search = lazy(globals(), ".searching", "marks_of_search")

__all__ = [
    "TOOLS",
    "Part",
    "Tool",
    "joined",
    "likely_missing",
    "path_in_url",
    "plain",
    "read_path",
    "read_url",
    "unreadable",
]

Part = tuple[tuple[Action, ...], tuple[Opaque, ...], tuple[Want[object], ...]]  # actions, opaque parts, missing facts


class Tool(Value):
    """
    action    the name of what it does
    effects   and its effects
    path      the fields that may name a file or folder; `optional` if the working folder is meant without one
    patch     the fields that may hold a patch of several files
    url       the field that names an address
    label     a field whose text names the target, such as a sub-agent's kind
    shell     the field that holds a command line for bash
    stays     the command goes on while the agent works on
    defined   a file of that kind, named by the label, is obeyed by the host
    resource  a field that holds the address of a tool server's resource
    loses     a field that, where it is true, throws work away
    tags      what else is known of it
    whole     what it does is known, and what its input names is read as that of a tool that nobody declared
    """

    action: str
    effects: tuple[Effect, ...] = ()
    path: tuple[str, ...] = ()
    patch: tuple[str, ...] = ()
    optional: bool = False
    url: str | None = None
    label: str | None = None
    shell: str | None = None
    stays: bool = False
    defined: Literal["skill", "agent"] | None = None
    resource: bool = False
    loses: str | None = None
    tags: tuple[str, ...] = ()
    whole: bool = False


_READ = (Effect.READ,)
_WRITE = (Effect.WRITE,)
_NETWORK = (Effect.NETWORK,)
_EXECUTE = (Effect.EXECUTE,)
_SPAWN = (Effect.SPAWN,)

_FILE = ("file_path", "path", "filePath", "absolute_path", "target_file", "filename", "paths")
_SENT = ("body", "data", "json", "form", "payload", "headers")  # what other hosts' fetches may carry out
_LOOKS = ("GET", "HEAD")
_FOLDER = ("path", "dir_path", "directory", "file_path", "target_directory", "paths")

TOOLS: dict[str, Tool] = {
    "Read": Tool(action="fs:read", effects=_READ, path=_FILE),
    "Glob": Tool(action="fs:list", effects=_READ, path=_FOLDER, optional=True),
    "Grep": Tool(action="fs:search", effects=_READ, path=_FOLDER, optional=True),
    "LS": Tool(action="fs:list", effects=_READ, path=_FOLDER, optional=True),
    "Write": Tool(action="fs:write", effects=_WRITE, path=_FILE),
    "Edit": Tool(action="fs:write", effects=_WRITE, path=_FILE),
    "MultiEdit": Tool(action="fs:write", effects=_WRITE, path=_FILE),
    "NotebookEdit": Tool(action="fs:write", effects=_WRITE, path=("notebook_path",)),
    "Delete": Tool(action="fs:delete", effects=(Effect.DESTRUCTIVE,), path=_FILE),
    "Patch": Tool(action="fs:write", effects=_WRITE, patch=("input", "patch", "patchText", "command", "content")),
    "WebFetch": Tool(action="net:fetch", effects=_NETWORK, url="url"),
    "WebSearch": Tool(action="net:search", effects=_NETWORK),
    "Bash": Tool(action="exec:shell", effects=_EXECUTE, shell="command"),  # noqa: S604 - the name of a field
    "Agent": Tool(action="agent:start", effects=_EXECUTE, label="subagent_type", defined="agent"),
    "Task": Tool(action="agent:start", effects=_EXECUTE, label="subagent_type", defined="agent"),
    "Skill": Tool(action="agent:skill", effects=_READ, label="skill", defined="skill"),
    "SlashCommand": Tool(action="agent:skill", effects=_READ, label="command", defined="skill"),
    "Monitor": Tool(action="exec:shell", effects=_EXECUTE, shell="command", stays=True),  # noqa: S604 - as above
    "LSP": Tool(action="fs:read", effects=_READ, path=("filePath",)),
    "NotebookRead": Tool(action="fs:read", effects=_READ, path=("notebook_path",)),
    "ListMcpResourcesTool": Tool(action="mcp:list", effects=_READ, label="server"),
    "ReadMcpResourceTool": Tool(action="mcp:read", effects=_READ, resource=True),
    "EnterWorktree": Tool(action="agent:worktree", effects=_WRITE, label="name"),
    "ExitWorktree": Tool(action="agent:worktree", effects=_WRITE, loses="discard_changes"),
    "SendMessage": Tool(action="agent:message", effects=_EXECUTE, label="to"),
    "TeamCreate": Tool(action="agent:team", effects=_EXECUTE, label="team_name"),
    "TeamDelete": Tool(action="agent:team", effects=_WRITE),
    "CronCreate": Tool(action="agent:schedule", effects=_SPAWN, label="cron", tags=("scheduled",)),
    "CronDelete": Tool(action="agent:schedule", effects=_WRITE, label="id"),
    "CronList": Tool(action="agent:note"),
    "ScheduleWakeup": Tool(action="agent:schedule", effects=_SPAWN, tags=("scheduled",)),
    "RemoteTrigger": Tool(action="agent:remote", effects=_NETWORK, label="action", tags=("external", "scheduled")),
    "HostSend": Tool(action="agent:send", effects=_NETWORK, tags=("external",), whole=True),
    "HostInbox": Tool(action="agent:inbox", effects=_NETWORK, tags=("external",), whole=True),
    "HostTools": Tool(action="agent:offer", effects=_EXECUTE, tags=("unknown",), whole=True),
    "HostCode": Tool(action="agent:code", effects=_EXECUTE, tags=("unknown",), whole=True),
    "HostRunners": Tool(action="agent:runners", effects=_NETWORK, tags=("external",), whole=True),
    "StructuredOutput": Tool(action="agent:note"),
    "SendUserMessage": Tool(action="agent:note"),
    "Sleep": Tool(action="agent:note"),
    "TodoRead": Tool(action="agent:note"),
    "WaitForMcpServers": Tool(action="agent:tools"),
    "ToolSearch": Tool(action="agent:tools"),
    "TodoWrite": Tool(action="agent:note"),
    "AskUserQuestion": Tool(action="agent:question"),
    "EnterPlanMode": Tool(action="agent:plan"),
    "ExitPlanMode": Tool(action="agent:plan"),
    "TaskCreate": Tool(action="agent:note"),
    "TaskGet": Tool(action="agent:note"),
    "TaskList": Tool(action="agent:note"),
    "TaskUpdate": Tool(action="agent:note"),
    "BashOutput": Tool(action="proc:read", effects=_READ),
    "TaskOutput": Tool(action="proc:read", effects=_READ),
    "KillShell": Tool(action="proc:kill", effects=_EXECUTE),
    "TaskStop": Tool(action="proc:kill", effects=_EXECUTE),
}


def plain(tool: Tool, facts: Facts, **more: object) -> Action:
    return Action(name=tool.action, effects=tool.effects, risk=_declared_risk(facts), **_flags(facts), **more)  # type: ignore[arg-type]


def _declared_risk(facts: Facts) -> Risk:
    return facts.declared.risk if facts.declared is not None else Risk.LOW


def _flags(facts: Facts) -> dict[str, bool]:
    return {"irreversible": facts.declared is not None and facts.declared.irreversible}


def joined(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    actions, opaque, missing = (tuple(item for part in parts for item in part[i]) for i in range(3))
    return actions, opaque, missing  # type: ignore[return-value]


def read_path(tool: Tool, field: str, given: object, call: Call, facts: Facts) -> Part:
    if type(given) is not str:
        return unreadable(tool, facts, field, f"`{field}` is missing or not a text")
    span = (0, len(given))
    try:
        path = settle(given, cwd=call.cwd, home=facts.home)
    except Unsettled as why:
        return unreadable(tool, facts, field, str(why), span)
    asked = _as_asked(given, call.cwd, facts.home)
    real = facts.real.get(asked)
    missing: tuple[Want[object], ...] = () if real is not None else (Real(asked),)
    fresh = Effect.WRITE in tool.effects and asked in facts.absent
    seen = (path,) if real is None or real == path else (path, real)
    tags = marks_for(tool.action, place_at(tool.action, path, real, facts, new=fresh))
    if tool.action in ("fs:search", "fs:list") and len(call.input) > (field in call.input):
        tags.update(mark for spelling in seen for mark in marks_of_search(spelling, tool.action, call.input, facts))
    target = {"path": path} if len(seen) == 1 else {"path": path, "real": seen[1]}
    if tool.action == "fs:write" and "obeyed" in tags and "guard" not in tags and len(seen) == 1:
        if is_judged(path, facts):
            harmless, wanted = spared(path, call, facts, new=fresh)
            missing += wanted
            if harmless:
                tags -= {"obeyed", *NAMES.values()}
    if "obeyed" in tags:
        missing += tuple([want for spelling in seen for want in wanted_of(spelling, facts, call.cwd)])
        found = obeyed_by(seen[-1], facts) or obeyed_by(path, facts)
        target["obeyed"] = found[0] if found is not None else "other programs"
    if tool.action == "fs:write" and path.endswith(".ipynb"):
        seen_here = seen_in_cell(call.input)
        target.update(seen_here)
        tags.update(("deferred",) if seen_here else ())
    action = plain(tool, facts, target=FrozenMap(target), tags=tuple(sorted(tags)), field=field, span=span)
    if NAMES["asked"] in tags and tool.action == "fs:write":
        action, more = newly_by_tool(action, call, facts, new=fresh)
        missing += more
    opaque = (
        ()
        if real is not None
        else (Opaque(reason="it is unclear where the path leads", field=field, span=span, kind="path"),)
    )
    return (action,), opaque, missing


def likely_missing(call: Call, facts: Facts) -> tuple[Want[object], ...]:
    """The facts that reading this call will ask for, where that is plain to see: they can be brought at once."""
    tool = TOOLS.get(call.tool)
    if tool is not None and tool.defined is not None and tool.label is not None:
        name = call.input.get(tool.label)
        if type(name) is not str:
            return ()
        name = name.strip().removeprefix("/")
        from ...model.more_wants import DefiningFiles

        return (DefiningFiles(tool.defined, name.partition(" ")[0] if tool.label == "command" else name),)
    if tool is None or not tool.path:
        return ()
    given = call.input.get(tool.path[0])
    if given is None and tool.optional:
        given = call.cwd
    if type(given) is not str or not given:
        return ()
    return (Real(_as_asked(given, call.cwd, facts.home)),)


def _as_asked(given: str, cwd: str, home: str) -> str:
    """The path as the system will take it: absolute, with every `..` and link still in it."""
    if given.startswith("/"):
        return given
    return home + given[1:] if given.startswith("~") else f"{cwd}/{given}"


def unreadable(tool: Tool, facts: Facts, field: str, reason: str, span: tuple[int, int] = (0, 0)) -> Part:
    action = plain(tool, facts, tags=("unread",), field=field, span=span)
    return (action,), (Opaque(reason=reason, field=field, span=span),), ()


def read_url(tool: Tool, field: str, call: Call, facts: Facts) -> Part:
    url = call.input.get(field)
    if type(url) is not str:
        return unreadable(tool, facts, field, f"`{field}` is missing or not a text")
    if any(call.input.get(name) for name in _SENT) or str(call.input.get("method") or "GET").upper() not in _LOOKS:
        return unreadable(tool, facts, field, "more than an address would be sent")
    span = (0, len(url))
    host = host_of(url)
    if host is None:
        actions, opaque, _ = unreadable(tool, facts, field, "the address is not a plain http or https URL", span)
        path = path_in_url(url)
        inside, _, missing = read_path(TOOLS["Read"], field, path, call, facts) if path is not None else ((), (), ())
        return (*actions, *[action for action in inside if "own-secret" in action.tags]), opaque, missing
    if is_control_plane(url) and (host in ("localhost", "::1") or host.startswith("127.")):
        return unreadable(tool, facts, field, "a daemon, a debugger or a database of this machine answers there", span)
    target = FrozenMap({"host": host, "url": url})
    marks = address_marks(target)
    if posts(host, url, sends=False):
        marks.append("posts")
    return (plain(tool, facts, target=target, tags=tuple(sorted(marks)), field=field, span=span),), (), ()


def path_in_url(text: str) -> str | None:
    """The path that a `file:` address names."""
    if text[:5].lower() != "file:" or any(char.isspace() for char in text):
        return None
    rest = text[5:].partition("?")[0].partition("#")[0]
    if rest[:2] == "//":
        rest = "/" + rest[2:].partition("/")[2]
    first, *parts = rest.encode().split(b"%")
    with_signs = [
        bytes((int(part[:2], 16),)) + part[2:] if part[:2].isalnum() and not part[:2].strip(_HEX) else b"%" + part
        for part in parts
    ]
    return b"".join([first, *with_signs]).decode("utf-8", "replace") if rest[:1] == "/" else None


_HEX = b"0123456789abcdefABCDEF"
