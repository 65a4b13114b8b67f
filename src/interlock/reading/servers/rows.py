"""The row of one tool of a known server: what it does, and what its arguments are.

A row is one line: the tool, a kind of `KINDS`, and its arguments. `name` alone is a value without a role of its own,
`name:role` has one of `reading/tools/arguments.py` (`read`, `write`, `sql`, …), `page` is an address that a browser
opens, `url` one that is fetched. A call with an argument that its row does not name is read as that of a tool which
nobody declared: the server may be another version. Behind `=` stands the command that does the same.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KINDS", "SERVERS", "Kind", "Row", "row_of", "rows_of"]


class Kind(Value):
    """
    says         for the page of known servers
    effects      of every call
    tags         of every call
    local        only while the browser has shown nothing but the person's own pages
    weighs       what the server may warn of and the row speaks of already
    sends        its texts leave this machine
    bound        a yes is held to what is given: channel, number, repository
    """

    says: str
    effects: tuple[Effect, ...] = ()
    tags: tuple[str, ...] = ()
    irreversible: bool = False
    risk: Risk = Risk.LOW
    local: bool = False
    weighs: tuple[str, ...] = ()
    sends: bool = False
    bound: bool = False


_BOTH = ("destructive", "external")

KINDS = {
    "looks": Kind(says="looks, and changes nothing", effects=(Effect.READ,)),
    "asks": Kind(says="asks a service, and changes nothing there", effects=(Effect.NETWORK, Effect.READ), sends=True),
    "steers": Kind(says="changes how the browser shows a page", effects=(Effect.READ,), weighs=_BOTH),
    "opens": Kind(says="opens an address", weighs=_BOTH),
    "acts": Kind(says="acts on a page of your own machine", effects=(Effect.NETWORK,), weighs=_BOTH, local=True),
    "does": Kind(says="does what its arguments say", weighs=_BOTH),
    "keeps": Kind(says="keeps a note", effects=(Effect.WRITE,)),
    "forgets": Kind(says="removes notes", effects=(Effect.DESTRUCTIVE,), irreversible=True),
    "publishes": Kind(
        says="changes what others see",
        effects=(Effect.NETWORK,),
        tags=("external",),
        weighs=("external",),
        sends=True,
        bound=True,
    ),
    "tells": Kind(
        says="sends a message to others",
        effects=(Effect.NETWORK,),
        tags=("external", "posts"),
        weighs=("external",),
        sends=True,
        bound=True,
    ),
    "removes": Kind(
        says="removes what others see",
        effects=(Effect.DESTRUCTIVE, Effect.NETWORK),
        tags=("external",),
        irreversible=True,
        risk=Risk.HIGH,
        weighs=_BOTH,
        sends=True,
        bound=True,
    ),
}


class Row(Value):
    """
    fields   argument -> its role; empty for one that has none
    command  the words that do the same; `{name}` stands for an argument, `{name*}` for a list of them
    """

    tool: str
    kind: str
    fields: Mapping[str, str]
    command: tuple[str, ...] = ()


SERVERS = {
    "playwright": "browsers",
    "chrome-devtools": "browsers",
    "puppeteer": "browsers",
    "github": "forges",
    "gitlab": "forges",
    "filesystem": "local",
    "git": "local",
    "memory": "local",
    "postgres": "local",
    "sequential-thinking": "local",
    "sqlite": "local",
    "time": "local",
    "brave-search": "services",
    "context7": "services",
    "fetch": "services",
    "sentry": "services",
    "slack": "services",
}


def _table(server: str) -> str:
    family = SERVERS.get(server)
    if family == "browsers":
        from .browsers import TOOLS
    elif family == "forges":
        from .forges import TOOLS
    elif family == "local":
        from .local import TOOLS
    elif family == "services":
        from .services import TOOLS
    else:
        return ""
    return TOOLS[server]


def row_of(server: str, tool: str) -> Row | None:
    if not tool or " " in tool:
        return None
    return next((_row(line) for line in _table(server).split("\n") if line.startswith(f"{tool} ")), None)


def rows_of(server: str) -> list[Row]:
    return [_row(line) for line in _table(server).strip().split("\n")]


def _row(line: str) -> Row:
    told, _, command = line.partition("=")
    tool, kind, *fields = told.split()
    roles = [field.partition(":") for field in fields]
    return Row(tool=tool, kind=kind, fields={name: role for name, _, role in roles}, command=tuple(command.split()))
