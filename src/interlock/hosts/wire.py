"""What the file of every host needs: the fields of an event, and how a text is shown.

Hosts name their fields alike (`session_id`, `cwd`, `tool_input`); where one does not, its own file reads them.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..limits import HOST_TIMEOUT_SECONDS, MAX_REASON_CHARS
from ..model.call import Call, short_id
from ..model.errors import InputError, printable
from ..model.events import Place
from ..model.toolnames import NATIVE, OF_HOSTS, set_apart
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.decision import Decision
    from ..value import Json

__all__ = [
    "call_of",
    "cut",
    "deny",
    "folder_of",
    "input_of",
    "name_of",
    "names_of",
    "place_of",
    "remedies_of",
    "result_of",
    "seen",
    "session_of",
    "text_of",
    "timeout_for",
    "tool_of_server",
    "waiting_for",
]


def timeout_for(arguments: tuple[str, ...]) -> int:
    """How many seconds the host is told to wait for a hook with these arguments, before a call."""
    wait = int(arguments[arguments.index("--wait") + 1]) if "--wait" in arguments else 0
    return 2 * HOST_TIMEOUT_SECONDS + wait if wait else HOST_TIMEOUT_SECONDS


def text_of(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if type(value) is not str:
        raise InputError(f"the event's `{key}` is not a text")
    return value


def session_of(data: Mapping[str, Json]) -> str:
    """The session's name."""
    return short_id(text_of(data, "session_id"))


def name_of(data: Mapping[str, Json]) -> str:
    """The tool, as the host names it."""
    tool = data.get("tool_name")
    if type(tool) is not str or not tool.strip():
        raise InputError("the event has no `tool_name`")
    return tool


def names_of(host: str, tool: str) -> tuple[str, str]:
    """Our name of a tool, and the host's where that is another one.

    INVARIANT: a tool that is not the host's own may have any name. It is never one of ours, and no entry of ours in a
    policy counts for it (`toolnames.set_apart`). Rules by its name do: they only tighten.
    """
    ours = OF_HOSTS[host].get(tool)
    if ours is None and host not in NATIVE and (tool[0].isupper() or tool.startswith("mcp__")):  # our names begin so
        ours = set_apart(host, tool)
    return ours or tool, "" if ours in (None, tool) else tool


def input_of(data: Mapping[str, Json]) -> Mapping[str, Json]:
    arguments = data.get("tool_input")
    if type(arguments) is not FrozenMap:
        raise InputError("the event's `tool_input` is missing or not an object")
    return arguments  # type: ignore[return-value,unused-ignore]


def folder_of(data: Mapping[str, Json]) -> str:
    cwd = text_of(data, "cwd")
    if not cwd.startswith("/"):
        raise InputError("the event's `cwd` is not an absolute path")
    return cwd


def place_of(
    host: str, data: Mapping[str, Json], environment: Mapping[str, str], parent: int, *, project: str, attended: bool
) -> Place:
    """Where an event happened. `project`: the variable in which the host names the project."""
    root = environment.get(project, "")
    return Place(
        host=host,
        session=session_of(data),
        cwd=text_of(data, "cwd"),
        root=root if root.startswith("/") else None,
        attended=attended,
        run="" if attended else short_id(environment.get("INTERLOCK_RUN", "")),
        transcript=text_of(data, "transcript_path"),
        environment=environment,
        parent=parent,
    )


def call_of(host: str, data: Mapping[str, Json]) -> Call:
    """The call that an event is about, before it or after it."""
    tool, arguments, cwd = name_of(data), input_of(data), folder_of(data)
    ours, named = (tool, "") if tool.startswith("mcp__") else names_of(host, tool)
    return Call(
        tool=ours,
        named=named,
        input=arguments,
        cwd=cwd,
        session=session_of(data),
        agent=short_id(text_of(data, "agent_id")),
        agent_type=short_id(text_of(data, "agent_type")),
        host=host,
        attempt=short_id(text_of(data, "tool_use_id")) or None,
    )


def tool_of_server(server: Json, tool: Json) -> str:
    """Our name of a tool of an MCP server. The server's name ends where it seems to, whatever it has in it."""
    if type(server) is not str or type(tool) is not str or not server or not tool:
        raise InputError("the event does not name the MCP server and its tool")
    if "__" in server or server.endswith("_"):
        server = server.replace("_", "%5F")
    return f"mcp__{server}__{tool}"


def result_of(response: Json) -> Json:
    """What came back, as Gemini CLI and Qwen Code tell it, without the number of the process that a command ran in."""
    text = response.get("llmContent") if type(response) is FrozenMap else response
    if type(text) is str:
        return "\n".join([line for line in text.split("\n") if not line.startswith("Process Group PGID:")])
    return text


def remedies_of(decision: Decision, person: str) -> list[str]:
    """For the person: what was refused, and what would permit it."""
    remedies = dict.fromkeys(finding.remedy for finding in decision.reasons if finding.remedy)
    if not remedies:
        return []
    return [f"refused. {person}", "To permit it, in a terminal of your own or in your policy:", *remedies]


_APPROVE = (
    "It waits for a yes, which a person gives with `interlock approvals approve {0}` in a terminal of their own. Go on "
    "with something else and report {0}. Once it is approved, make exactly this call again."
)


def waiting_for(held: str) -> str:
    """For the agent of a host that can ask nobody: how a call gets its yes. `held`: the question that is open."""
    return _APPROVE.format(held) if held else "Nobody can be asked about it."


def seen(text: str) -> str:
    """Nothing that a terminal obeys; whoever puts somebody else's words on a line of their own has shown them first."""
    return "\n".join(map(printable, text.split("\n")))


def cut(text: str) -> str:
    return text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"


def deny(reason: str, person: tuple[str, ...] = ()) -> bytes:
    """Claude Code's deny without a decision, which other hosts take as well: the input was not a call."""
    told = {"systemMessage": cut("Interlock: " + printable("\n".join(person)))} if person else {}
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": cut(printable(reason)),
    }
    return canonical({"hookSpecificOutput": output, **told}) + b"\n"
