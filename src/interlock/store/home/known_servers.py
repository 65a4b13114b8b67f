"""Which known server the client's own files start for a tool: the disk's side of reading/servers/identity.py.

A server runs as it was started, and by files that the agent may have changed since. So a file that this session wrote,
and one of the project that changed after the session began, say nothing; every entry of the name has to say the same;
and a package that a folder of the project could stand in for is none.
"""

from __future__ import annotations

import os
import sys

from ...bytes.strict import parse_json
from ...limits import MAX_MCP_CONFIG_BYTES, MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...reading.servers.identity import Started, entries_for, started_by
from ...value import TYPE_CHECKING
from .client_files import FILES, form_of
from .files import DISK

if TYPE_CHECKING:
    from ...model.call import Call
    from ...model.session import Session
    from ...value import Json
    from ..facts.remembered import AtOnce, Remembered
    from .files import Disk
    from .folders import Folders

__all__ = ["server_of"]

_MANAGED = "/etc/claude-code/managed-mcp.json"  # where it is there, it stands in place of all others


def server_of(
    call: Call, root: str, folders: Folders, session: Session, remembered: Remembered | AtOnce | None = None
) -> str:
    """The name of the table for its tools; empty: the server is not known."""
    files = FILES.get(call.host)
    if files is None or not call.server or folders.moved:
        return ""
    at_home = [f"{folders.home}/{name}" for name in files[0]]
    around = _around(root, call.cwd, folders.home)
    in_project = [f"{folder}/{name}" for folder in around for name in files[1]]
    if "/" in session.written or not session.written.isdisjoint((*at_home, *in_project)):
        return ""
    if any(_is_younger(path, session.started) for path in in_project):
        return ""

    def found(disk: Disk) -> str:
        try:
            return _found(call.host, call.server, (*at_home, *in_project), root, around, disk)
        except (InputError, StoreError, OSError, ValueError):  # what cannot be read says nothing
            return ""

    if remembered is None:
        return found(DISK)
    return remembered.of(("server", call.host, call.server, root, folders.home, *around), found)


def _is_younger(path: str, began: str) -> bool:
    """Whether the file changed after the session began, as far as that is known."""
    try:
        at = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    import time

    return not began or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(max(at.st_ctime, at.st_mtime))) > began


def _found(client: str, server: str, files: tuple[str, ...], root: str, around: tuple[str, ...], disk: Disk) -> str:
    if client == "claude-code" and disk.read(_MANAGED, limit=MAX_MCP_CONFIG_BYTES) is not None:
        return ""
    said: set[Started] = set()
    for path in files:
        raw = disk.read(path, limit=MAX_MCP_CONFIG_BYTES)
        if raw is not None and raw.strip():
            form = form_of(client)
            entries = entries_for(_parsed(raw, form), server, root, form, disk.real)
            said.update([started_by(entry, sys.executable) for entry in entries])
    started = said.pop() if len(said) == 1 else Started()
    if not started.rows or not all(_is_inside(path, root, disk) for path in started.inside):
        return ""
    return "" if started.package and _is_stood_in_for(started.package, around, disk) else started.rows


def _parsed(raw: bytes, form: str) -> Json:
    if form != "toml":
        return parse_json(raw, limit=MAX_MCP_CONFIG_BYTES)
    import json
    import tomllib

    told = tomllib.loads(raw.decode()).get("mcp_servers", {})
    return parse_json(json.dumps({"mcp_servers": told}).encode(), limit=MAX_MCP_CONFIG_BYTES)


def _is_inside(path: str, root: str, disk: Disk) -> bool:
    return disk.real(os.path.join(root, path)).startswith(root + "/")


# Settings of npm that say nothing of where a package comes from, or of what runs with it.
_HARMLESS = frozenset(
    "audit auto-install-peers engine-strict fund legacy-peer-deps loglevel package-lock progress save-exact "
    "save-prefix shamefully-hoist strict-peer-dependencies update-notifier".split()
)


def _is_stood_in_for(package: str, around: tuple[str, ...], disk: Disk) -> bool:
    """Whether `npx` could run something of the project in place of the package, or fetch it from elsewhere."""
    for folder in around:
        modules = f"{folder}/node_modules"
        if _is_there(f"{modules}/{package}", disk) or _is_there(f"{modules}/.bin/{package}", disk):
            return True
        if _is_there(f"{modules}/.bin/{package.rpartition('/')[2]}", disk):
            return True
        named = disk.read(f"{folder}/package.json", limit=MAX_STATE_BYTES) or b""
        if package.encode() in named or b"\\u" in named:
            return True
        for line in (disk.read(f"{folder}/.npmrc", limit=MAX_STATE_BYTES) or b"").decode().split("\n"):
            key = line.partition("=")[0].strip()
            if key and key[0] not in "#;" and key not in _HARMLESS:
                return True
    return False


def _around(root: str, cwd: str, home: str) -> tuple[str, ...]:
    """Where a client may look for its files, and `npx` for packages: the project, the folder of the call, and every
    folder above them, up to the person's home.
    """
    found: dict[str, None] = {}
    for folder in (root, cwd):
        while folder not in ("", "/", home):
            found[folder] = None
            folder = folder.rpartition("/")[0]
    return tuple(found)


def _is_there(path: str, disk: Disk) -> bool:
    try:
        return disk.is_folder(path) or disk.read(path, limit=0) is not None
    except StoreError:  # larger than nothing
        return True
