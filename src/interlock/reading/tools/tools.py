"""What the hosts' own tools do, one row a tool, and how a call of one is read.

A row names the action, its effects and the fields of the input that say on what. A tool
that has no row is read by what the policy declares of it; a tool that nobody declared is
`tool:<name>`, effect execute, marked `unknown`. Never by a pattern on its text.
"""

from __future__ import annotations

from ...model.action import Action, Opaque
from ...model.effects import Effect
from ...model.obeyed import NAMES
from ...model.toolnames import ANY_SHELL, action_of_tool
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..places.paths import Unsettled, settle
from ..places.places import is_judged, marks_of, obeyed_by, place_of
from ..places.system_places import address_marks, is_control_plane, is_device, telling

if TYPE_CHECKING:
    from typing import Any

    from ...model.call import Call
    from ...model.facts import Facts
    from ..evaluate.state import Found, Leads

__all__ = [
    "TOOLS",
    "Part",
    "Tool",
    "host_of",
    "likely_missing",
    "plain",
    "read_path",
    "read_tool",
    "read_url",
    "unreadable",
]

Part = tuple[tuple[Action, ...], tuple[Opaque, ...], tuple[str, ...]]  # actions, opaque parts, missing facts


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
    defined   `skill` or `agent`: a file of that kind, named by the label, is obeyed by the host
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
    defined: str | None = None
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
_WORKING = ("workdir", "cwd", "working_directory", "directory", "dir_path")  # where other hosts' shells run a command
_SENT = ("body", "data", "json", "form", "payload", "headers")  # what other hosts' fetches may carry out
_ASKED = ("query", "keywords")  # what a search sends
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


def read_tool(call: Call, facts: Facts, real: Leads | None = None) -> Part:
    """Actions, opaque parts and missing facts of one call. `real`: where paths lead, if not as the facts say."""
    tool = TOOLS.get(call.tool)
    if tool is None:
        return _by_declaration(call, facts)
    if tool.shell is not None:
        return _in_shell(tool, tool.shell, call, facts, real)
    if tool.patch:
        return _in_patch(tool, call, facts)
    if tool.path:
        return _on_paths(tool, call, facts)
    if tool.url is not None:
        return read_url(tool, tool.url, call, facts)
    if tool.whole:
        from .given import read_whole

        return read_whole(tool, call, facts)
    if tool.resource:
        from .resources import read_resource

        return read_resource(tool, call, facts)
    if tool.loses is not None and call.input.get(tool.loses) not in (None, False):
        lost = plain(tool, facts, field=tool.loses).replace(effects=(Effect.DESTRUCTIVE,), irreversible=True)
        return (lost,), (), ()
    label = call.input.get(tool.label) if tool.label is not None else None
    target = FrozenMap({"name": label}) if type(label) is str else FrozenMap({})
    for field in _ASKED if tool.effects == _NETWORK else ():
        asked = call.input.get(field)
        words = " ".join(map(str, asked)) if type(asked) is tuple else asked
        if type(words) is str and _sends_secret(words):
            return (plain(tool, facts, target=target, field=field, tags=("secret",)),), (), ()
    main = plain(tool, facts, target=target, field=tool.label or "", tags=tool.tags)
    if tool.defined is not None and type(label) is str:
        from .skills import read_agent, read_skill

        return (read_skill if tool.defined == "skill" else read_agent)(main, call, facts, real)
    return (main,), (), ()


def _sends_secret(text: str) -> bool:
    from ..places.secret_words import sends_secret

    return sends_secret(text)


def plain(tool: Tool, facts: Facts, **more: object) -> Action:
    return Action(name=tool.action, effects=tool.effects, risk=_declared_risk(facts), **_flags(facts), **more)  # type: ignore[arg-type]


def _declared_risk(facts: Facts) -> Risk:
    return facts.declared.risk if facts.declared is not None else Risk.LOW


def _flags(facts: Facts) -> dict[str, bool]:
    return {"irreversible": facts.declared is not None and facts.declared.irreversible}


def _by_declaration(call: Call, facts: Facts) -> Part:
    """A tool without a row: what the policy declares of it, and of its arguments, is all that is known."""
    name = action_of_tool(call.tool)
    declared = facts.declared
    if declared is None:
        from .given import only_looks, read_input, shape_of_input

        field = "fields" if only_looks(call.tool) else "given"
        target = FrozenMap({field: shape_of_input(call.tool, call.input)}) if call.input else FrozenMap({})
        actions, opaque, missing = read_input(call, facts) if call.input else ((), (), ())
        main = Action(name=name, effects=_EXECUTE, tags=("unknown",), target=target)
        return (_as_hinted(main, facts), *actions), opaque, missing
    main = Action(
        name=name,
        effects=declared.effects,
        tags=declared.tags,
        risk=declared.risk,
        irreversible=declared.irreversible,
        compensator=declared.compensator,
    )
    main = _as_hinted(main, facts)
    if not call.input:
        return (main,), (), ()
    roles = declared.args
    if Effect.EXECUTE in declared.effects or Effect.SPAWN in declared.effects:
        from .given import commands_in

        # A command is not run unread because nobody called it one. What the policy says comes first, also in order.
        roles = {**roles, **commands_in(call.input), **roles}
    from .arguments import read_arguments

    actions, opaque, missing = read_arguments(call, roles, facts)
    return (main, *actions), opaque, missing


def _as_hinted(action: Action, facts: Facts) -> Action:
    if facts.definition is None or not facts.definition.hints:
        return action
    from .hinted import as_hinted

    return as_hinted(action, facts)


def _in_patch(tool: Tool, call: Call, facts: Facts) -> Part:
    """Which field a host takes its patch from is not known here: each is read, and one more may be the one."""
    from .arguments import read_patch

    parts = [read_patch(call, field, facts) for field in call.input if field in tool.patch]
    if not parts or None in parts or len(parts) != len(call.input):
        return unreadable(tool, facts, tool.patch[0], "this is not a patch that can be read")
    return _joined([part for part in parts if part is not None])


def _in_shell(tool: Tool, field: str, call: Call, facts: Facts, real: Leads | None) -> Part:
    given = call.input
    if field in given and "cmd" in given:
        return unreadable(tool, facts, field, f"it has two commands (`{field}` and `cmd`)")
    text = given[field] if field in given else given.get("cmd")
    words = type(text) is tuple and text and all(type(word) is str for word in text)
    if type(text) is not str and not words:
        return unreadable(tool, facts, field, f"`{field}` is missing or not a text")
    if words and call.host in ANY_SHELL:
        return unreadable(tool, facts, field, "no words of a command are told there, and its text is missing")
    cwd, background = call.cwd, tool.stays
    freed: tuple[Action, ...] = ()
    if len(given) > 1:
        for name in _WORKING:
            if given.get(name) not in (None, ""):
                elsewhere = _entered(given[name], cwd, facts)
                if elsewhere is None:
                    return unreadable(tool, facts, name, f"it is unclear in which folder it runs (`{name}`)")
                cwd = elsewhere
        background = background or any(given.get(name) == value for name, value in _STAYING.items())
        if any(given.get(name) in values for name, values in _UNBOUND.items()) or given.get(_WIDENED):
            freed = (Action(name="host:sandbox", effects=_EXECUTE, tags=("security",), field="command"),)
    if words:
        actions, opaque, missing = _as_words(text, cwd, facts)  # type: ignore[arg-type]
        return (*actions, *freed), opaque, missing
    found = _follow_bash(
        text,  # type: ignore[arg-type]
        cwd=cwd,
        facts=facts,
        field=field,
        background=background,
        real=real,
        any_shell=call.host in ANY_SHELL,
    )
    return (*found.actions, *freed), tuple(found.opaque), tuple(found.missing)


# How hosts are told that a command goes on while the agent works on.
_STAYING: dict[str, object] = {"run_in_background": True, "is_background": True, "mode": "async", "detach": True}
# How hosts are told to run a command outside the sandbox that they keep others in.
_UNBOUND: dict[str, tuple[object, ...]] = {
    "dangerouslyDisableSandbox": (True,),
    "with_escalated_permissions": (True,),
    "sandbox_permissions": ("require_escalated",),
}
_WIDENED = "additional_permissions"  # and how to let a command reach more from inside it


def _entered(folder: object, cwd: str, facts: Facts) -> str | None:
    try:
        return settle(folder, cwd=cwd, home=facts.home) if type(folder) is str else None
    except Unsettled:
        return None


def _follow_bash(text: str, **more: Any) -> Found:
    """Imported when the first command line is met, and bound in place of this: an import costs time on every run."""
    from ..bash import follow_bash

    globals()["_follow_bash"] = follow_bash
    return follow_bash(text, **more)


def _as_words(words: tuple[str, ...], cwd: str, facts: Facts) -> Part:
    """A command that comes as a list of words: no shell stands between, unless it names one."""
    from ..bash import follow_words

    found = follow_words(words, cwd=cwd, facts=facts)
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


def _on_paths(tool: Tool, call: Call, facts: Facts) -> Part:
    """Every field that names a path counts; a list of paths is each of them."""
    given = [(field, value) for field in tool.path if (value := call.input.get(field)) is not None]
    if not given:
        if not tool.optional:
            return unreadable(tool, facts, tool.path[0], f"`{tool.path[0]}` is missing or not a text")
        given = [(tool.path[0], call.cwd)]
    parts = []
    for field, value in given:
        for path in value if field == "paths" and type(value) is tuple and value else (value,):
            parts.append(read_path(tool, field, path, call, facts))
    return _joined(parts)


def _joined(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    actions, opaque, missing = (tuple(item for part in parts for item in part[i]) for i in range(3))
    return actions, opaque, missing  # type: ignore[return-value]


_KEYS = (".key", ".pgpass", ".token")  # as own_places.py has them
# How names end of what is a file, so that nobody has to ask what lies in it. Any other name may be a folder's.
_FILES = frozenset(
    "c cpp css go h html java js json jsx lock md mjs php py rb rs sh sql toml ts tsx txt yaml yml".split()
)


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
    missing: tuple[str, ...] = () if real is not None else (f"real:{asked}",)
    seen = (path,) if real is None or real == path else (path, real)
    fresh = ["new"] if Effect.WRITE in tool.effects and asked in facts.absent else []
    # A search shows what it finds, as reading does.
    role = "fs:read" if tool.action == "fs:search" else tool.action
    tags = {mark for spelling in seen for mark in telling(marks_of(spelling, facts) + fresh, role, spelling)}
    if path[:5] == "/dev/" or seen[-1][:5] == "/dev/":
        tags.update(["device"] if any(map(is_device, seen)) else ())
    if tool.action == "fs:search" or path.lower().endswith(_KEYS) or seen[-1].lower().endswith(_KEYS):
        from ..places.own_places import (
            reads_own_secret,  # few paths look like one, and an import costs time on every run
        )

        if any(reads_own_secret(spelling, tool.action, facts) for spelling in seen):
            tags.add("own-secret")
    if path.rpartition(".")[2] not in _FILES or len(seen) > 1:
        from .whole_folders import marks_of_folder

        tags.update(marks_of_folder(seen, tool.action, tags, facts))
    if tool.action in ("fs:search", "fs:list") and len(call.input) > (field in call.input):
        from .searching import marks_of_search

        tags.update(mark for spelling in seen for mark in marks_of_search(spelling, tool.action, call.input, facts))
    if real is not None and place_of(real, facts) != "outside":
        tags.discard("outside")  # where it leads counts, not through which name
    tags.discard("accounts")  # what a tool has read is shown, and handed on by nothing
    target = {"path": path} if len(seen) == 1 else {"path": path, "real": seen[1]}
    if tool.action == "fs:write" and "obeyed" in tags and "guard" not in tags and len(seen) == 1:
        if is_judged(path, facts):
            from ..places.obeyed_content import spared  # few files are judged by content

            harmless, wanted = spared(path, call, facts, new=bool(fresh))
            missing += wanted
            if harmless:
                tags -= {"obeyed", *NAMES.values()}
    if "obeyed" in tags:
        from ..places.place_folders import wanted_of

        missing += tuple([want for spelling in seen for want in wanted_of(spelling, facts, call.cwd)])
        found = obeyed_by(seen[-1], facts) or obeyed_by(path, facts)
        target["obeyed"] = found[0] if found is not None else "other programs"
    if tool.action == "fs:write" and path.endswith(".ipynb"):
        from ..written.notebooks import seen_in_cell

        seen_here = seen_in_cell(call.input)
        target.update(seen_here)
        tags.update(("deferred",) if seen_here else ())
    action = plain(tool, facts, target=FrozenMap(target), tags=tuple(sorted(tags)), field=field, span=span)
    opaque = (
        ()
        if real is not None
        else (Opaque(reason="it is unclear where the path leads", field=field, span=span, kind="path"),)
    )
    return (action,), opaque, missing


def likely_missing(call: Call, facts: Facts) -> tuple[str, ...]:
    """The facts that reading this call will ask for, where that is plain to see: they can be brought at once."""
    tool = TOOLS.get(call.tool)
    if tool is not None and tool.defined is not None and tool.label is not None:
        name = call.input.get(tool.label)
        if type(name) is not str:
            return ()
        name = name.strip().removeprefix("/")
        return (f"{tool.defined}:{name.partition(' ')[0] if tool.label == 'command' else name}",)
    if tool is None or not tool.path:
        return ()
    given = call.input.get(tool.path[0])
    if given is None and tool.optional:
        given = call.cwd
    if type(given) is not str or not given:
        return ()
    return (f"real:{_as_asked(given, call.cwd, facts.home)}",)


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
        from .given import path_in_url

        actions, opaque, _ = unreadable(tool, facts, field, "the address is not a plain http or https URL", span)
        path = path_in_url(url)
        inside, _, missing = read_path(TOOLS["Read"], field, path, call, facts) if path is not None else ((), (), ())
        return (*actions, *[action for action in inside if "own-secret" in action.tags]), opaque, missing
    if is_control_plane(url) and (host in ("localhost", "::1") or host.startswith("127.")):
        return unreadable(tool, facts, field, "a daemon, a debugger or a database of this machine answers there", span)
    target = FrozenMap({"host": host, "url": url})
    marks = address_marks(target)
    from ..reach.channels import posts

    if posts(host, url, sends=False):
        marks.append("posts")
    return (plain(tool, facts, target=target, tags=tuple(sorted(marks)), field=field, span=span),), (), ()


_OF_HOSTS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"


def host_of(url: str) -> str | None:
    """The host of a plain http(s) URL. User names, odd characters and other schemes: None."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme.lower() not in ("http", "https") or not url.isascii() or not url.isprintable():
        return None
    authority = rest.replace("?", "/").replace("#", "/").partition("/")[0]
    # Programs differ in where a name ends: for wget at a `;`. So nothing is one but what names are made of.
    if not authority or authority.strip(_OF_HOSTS):
        return None
    if authority.startswith("["):
        name, bracket, port = authority[1:].partition("]")
        port = port.removeprefix(":") if bracket else "?"
    else:
        name, _, port = authority.partition(":")
    if not name or (port and not port.isdigit()):
        return None
    # One name for one machine: with the final dot of a full name, or as an older address in the newer form.
    return name.lower().removesuffix(".").removeprefix("::ffff:")
