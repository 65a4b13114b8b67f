"""What `interlock doctor` and `interlock status` say of MCP servers: which go through the relay, and what has changed.

Where no server does, nothing is said: whoever relies on hooks alone has them decide these calls too.
"""

from __future__ import annotations

import os

from ..model.call import Call
from ..model.errors import InterlockError
from ..model.session import Session
from ..reading.servers.identity import plain_name
from ..store.home.folders import Folders
from ..store.home.known_servers import server_of
from ..store.home.mcp_configs import Config, config_at, configs_of
from ..store.home.pins import pinned_servers, read_pins
from ..value import FrozenMap
from .checkup import BAD, OK, WARN, Found

__all__ = ["of_mcp", "relayed_here"]


def relayed_here(folders: Folders, root: str) -> dict[str, list[str]]:
    """File -> the servers in it that go through the relay."""
    return {
        config.file: [server.name for server in config.servers if server.relayed] for config in _behind(folders, root)
    }


def _behind(folders: Folders, root: str) -> list[Config]:
    found = []
    for client, file in configs_of(folders, root):
        try:
            config = config_at(client, file)
        except InterlockError:  # the client could not read it either
            continue
        if any(server.relayed for server in config.servers):
            found.append(config)
    return found


def of_mcp(folders: Folders, root: str) -> list[Found]:
    found: list[Found] = []
    for config in _behind(folders, root):
        gone = _gone(config)
        if gone:
            text = f"{config.file} starts the relay with `{gone}`, which is not there: its servers do not start"
            found.append(Found("mcp", BAD, text, f"interlock install {config.client} --mcp"))
            continue
        names = [server.name for server in config.servers if server.relayed]
        found.append(Found("mcp", OK, f"{len(names)} servers in {config.file} go through the relay"))
        past = [server for server in config.servers if not server.relayed]
        programs = ", ".join([f"`{server.name[:40]}`" for server in past if server.command])
        if programs:
            text = f"{programs} in {config.file} is started past the relay"
            found.append(Found("mcp", WARN, text, f"interlock install {config.client} --mcp"))
        addresses = ", ".join([f"`{server.name[:40]}`" for server in past if not server.command])
        if addresses:
            found.append(Found("mcp", WARN, f"{addresses} in {config.file} is reached by an address, past the relay"))
    found += _known(folders, root)
    for server in pinned_servers(folders):
        found += _changed(folders, server)
    return found


def _known(folders: Folders, root: str) -> list[Found]:
    """The servers whose tools hooks know, for a session that begins now."""
    found = []
    for client, file in configs_of(folders, root):
        try:
            servers = config_at(client, file).servers
        except InterlockError:
            continue
        known = []
        for server in servers:
            call = Call(tool=f"mcp__{plain_name(server.name)}__x", input=FrozenMap({}), host=client)
            rows = server_of(call, root, folders, Session(started=_LATE))
            known += [f"`{server.name[:40]}` ({rows})"] if rows else []
        if known:
            found.append(Found("mcp", OK, f"the tools of {', '.join(known)} in {file} are known"))
    return found


_LATE = "9999-01-01T00:00:00Z"


def _gone(config: Config) -> str:
    """The program of the relay, where it is not there any more."""
    programs = [server.program for server in config.servers if server.relayed]
    return next((program for program in programs if not os.access(program, os.X_OK)), "")


def _changed(folders: Folders, server: str) -> list[Found]:
    try:
        pins = read_pins(folders, server)
    except InterlockError as error:
        return [Found("mcp", BAD, str(error), f"interlock mcp pins forget {server}")]
    changed = [name for name, pin in pins.items() if pin.changed is not None]
    if not changed:
        return []
    text = f"the server `{server}` describes {len(changed)} of its tools otherwise than you have seen them"
    return [Found("mcp", WARN, text, f"interlock mcp pins accept {server}")]
