"""The files in which clients name their MCP servers: which there are, what is in them, and the way there and back."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ...bytes.canon import digest_of_bytes
from ...install.mcp_servers import put_behind, servers_in, taken_back
from ...limits import MAX_MCP_CONFIG_BYTES, MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...value import Value
from .client_files import FILES, form_of
from .files import read_file, write_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...install.mcp_servers import Server
    from .folders import Folders

__all__ = ["Config", "config_at", "configs_of", "plan_relay", "plan_without_relay", "write_config"]


class Config(Value):
    """A file as it is and as it would be. `exact`: the way back is byte for byte."""

    client: str
    file: str
    now: bytes
    then: bytes
    servers: tuple[Server, ...] = ()
    exact: bool = True

    @property
    def idle(self) -> bool:
        return self.now == self.then


def configs_of(folders: Folders, root: str, clients: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Client and path of every such file that is there."""
    found = []
    for client, (at_home, in_project) in FILES.items():
        if clients and client not in clients:
            continue
        paths = [f"{folders.home}/{name}" for name in at_home] + [f"{root}/{name}" for name in in_project]
        found += [(client, path) for path in dict.fromkeys(paths) if os.path.exists(path)]
    return found


def config_at(client: str, file: str) -> Config:
    """InputError where it cannot be read: JSON with comments, for one, is not."""
    raw = read_file(file, limit=MAX_MCP_CONFIG_BYTES) or b""
    return Config(client=client, file=file, now=raw, then=raw, servers=tuple(_servers(client, file, raw)))


def _servers(client: str, file: str, raw: bytes) -> list[Server]:
    try:
        return servers_in(raw.decode(), form_of(client))
    except (InputError, UnicodeDecodeError) as error:
        kind = "TOML" if form_of(client) == "toml" else "plain JSON"
        raise InputError(f"`{file}` is not {kind}: {error}. Nothing was changed") from None


def plan_relay(client: str, file: str, relay: Callable[[str], tuple[str, ...]]) -> Config:
    found = config_at(client, file)
    try:
        return found.replace(then=put_behind(found.now.decode(), relay, form_of(client)).encode())
    except InputError as error:
        raise InputError(f"`{file}`: {error}. Nothing was changed") from None


def plan_without_relay(folders: Folders, client: str, file: str) -> Config:
    """Byte for byte as it was, where nothing else has changed since; else with only the relay taken out."""
    found = config_at(client, file)
    if not any(server.relayed for server in found.servers):
        return found
    record = _records(folders).get(file, {})
    if record.get("after") == digest_of_bytes(found.now):
        kept = read_file(_backup(folders, file), limit=MAX_MCP_CONFIG_BYTES)
        if kept is not None and digest_of_bytes(kept) == record.get("before"):
            return found.replace(then=kept)
    return found.replace(then=taken_back(found.now.decode(), form_of(client)).encode(), exact=False)


def write_config(folders: Folders, config: Config, *, installs: bool) -> None:
    if (read_file(config.file, limit=MAX_MCP_CONFIG_BYTES) or b"") != config.now:
        raise StoreError(f"`{config.file}` was changed meanwhile; nothing was written. Run the command again")
    records = _records(folders)
    old = records.pop(config.file, {})
    if installs:
        before = config.now
        if old.get("after") == digest_of_bytes(config.now):  # brought up to date: the way back stays the whole way
            before = read_file(_backup(folders, config.file), limit=MAX_MCP_CONFIG_BYTES) or config.now
        elif any(server.relayed for server in config.servers):
            before = taken_back(config.now.decode(), form_of(config.client)).encode()
        write_file(_backup(folders, config.file), before)
        records[config.file] = {
            "after": digest_of_bytes(config.then),
            "before": digest_of_bytes(before),
            "client": config.client,
        }
    _keep(folders, records)
    target = os.path.realpath(config.file)
    write_file(target, config.then, mode=os.stat(target).st_mode & 0o7777)


def _records(folders: Folders) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(read_file(_record(folders), limit=MAX_STATE_BYTES) or b"{}")
    except (StoreError, ValueError):
        return {}
    return {str(file): entry for file, entry in found.items() if isinstance(entry, dict)}


def _keep(folders: Folders, records: dict[str, dict[str, Any]]) -> None:
    write_file(_record(folders), json.dumps(records, indent=1, sort_keys=True).encode())


def _record(folders: Folders) -> str:
    return folders.state + "/installed_mcp.json"


def _backup(folders: Folders, file: str) -> str:
    return f"{folders.state}/before/{digest_of_bytes(file.encode())[-16:]}-mcp.json"
