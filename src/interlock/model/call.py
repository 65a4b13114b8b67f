"""The proposed call: what a host says that its agent wants to do. Immutable."""

from __future__ import annotations

from ..bytes.canon import canonical, digest
from ..bytes.redact import redacted
from ..limits import MAX_ID_CHARS, MAX_PATH_CHARS, MAX_REPORT_BYTES
from ..value import TYPE_CHECKING, FrozenMap, Value
from .errors import InputError
from .toolnames import NATIVE, our_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..value import Json

__all__ = ["KEYED", "Call", "call_from", "kept_session", "reported", "short_id"]


class Call(Value):
    """`attempt` tells two tries of the same call apart, where the host gives it an id.

    `agent` is the id of a sub-agent, new on each run; `agent_type` is what kind of agent it is, as the host names it.
    `tool` is our name of the tool; `named` is the host's, where that is another one. `preview` is the digest of what a
    preview has told: of the changes that the call is to apply, or of the `report` of the tool's own dry run.
    """

    tool: str
    input: Mapping[str, Json]
    cwd: str = "/"
    session: str = ""
    agent: str = ""
    host: str = ""
    state: Mapping[str, Json] | None = None
    attempt: str | None = None
    agent_type: str = ""
    named: str = ""
    preview: str = ""
    report: Json = None

    @property
    def server(self) -> str:
        """The tool server; empty for any other tool."""
        server, apart, _ = self.tool.removeprefix("mcp__").partition("__")
        return server if apart and self.tool.startswith("mcp__") else ""

    @property
    def kept_session(self) -> str:
        return kept_session(self.session, self.host)


_APART = frozenset("%:")


def kept_session(session: str, host: str) -> str:
    """The name under which the ledger keeps the session, so that two hosts with the same id share nothing.

    Ids of Claude Code, and of calls that name no host, stand alone, as they have since the first ledgers. What stands
    before the first colon is the host, and so an id that has a colon itself is kept behind an empty one.
    """
    if not session:
        return ""
    if host in NATIVE:
        return f":{session}" if ":" in session else session
    if not _APART.isdisjoint(host):
        host = host.replace("%", "%25").replace(":", "%3A")
    return f"{host}:{session}"


def short_id(name: str) -> str:
    """A name that a host, a client or an environment gives. One that is too long to stand in every row is kept as its
    digest: cut, two of them would be one.
    """
    if len(name) <= MAX_ID_CHARS:
        return name

    return digest(name)


def reported(call: Call, report: Json) -> Call:
    """The call with what the tool's own dry run reports of it. InputError where that is too long to be shown."""
    if len(canonical(report)) > MAX_REPORT_BYTES:
        raise InputError(f"the report of a preview has at most {MAX_REPORT_BYTES:,} bytes")
    # INVARIANT: no digest of a secret is kept or shown.
    report = redacted(report)
    return call.replace(report=report, preview=digest(report))


KEYED = "key:"  # before an attempt that is a client's idempotency key
_TEXTS = ("cwd", "session", "agent", "agent_type", "host", "attempt")


def call_from(data: Mapping[str, Json], *, cwd: str) -> Call:
    """The call in a host-neutral JSON object; `cwd` is used where it names none.

    Fields beyond the known ones carry nothing that a decision uses, and are left out.
    """
    tool = data.get("tool")
    if tool is None:
        raise InputError("the call has no `tool`")
    if type(tool) is not str or not tool.strip():
        raise InputError("`tool` must be a text that names the tool")
    arguments = data.get("input")
    if arguments is None:
        raise InputError("the call has no `input`")
    if type(arguments) is not FrozenMap:
        raise InputError("`input` must be an object")
    texts: dict[str, str] = {}
    for name in _TEXTS:
        value = data.get(name)
        if value is not None:
            if type(value) is not str:
                raise InputError(f"`{name}` must be a text")
            texts[name] = value
    for name, value in (("tool", tool), *texts.items()):
        most = MAX_PATH_CHARS if name == "cwd" else MAX_ID_CHARS
        if len(value) > most and len(value.removeprefix(KEYED if name == "attempt" else "")) > most:
            raise InputError(f"`{name}` has at most {most:,} characters")
    state = data.get("state")
    if state is not None and type(state) is not FrozenMap:
        raise InputError("`state` must be an object")
    folder = texts.get("cwd", cwd)
    if not folder.startswith("/") or "\0" in folder or not _is_writable(folder):
        raise InputError("`cwd` must be an absolute path")
    texts["cwd"] = folder
    ours = our_name(texts.get("host", ""), tool)
    if ours != tool:
        texts["named"], tool = tool, ours
    return Call(tool=tool, input=arguments, state=state, **texts)  # type: ignore[arg-type,unused-ignore]


def _is_writable(text: str) -> bool:
    """Whether a path can be written so: half a character of UTF-16, which JSON can hold, is none."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
