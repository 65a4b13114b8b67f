"""Our own MCP server in the file in which a client names its servers: what the file becomes with it and without it."""

from __future__ import annotations

from ...bytes.canon import digest_of_bytes
from ...install.own_server import named_in, with_server, without_server
from ...limits import MAX_MCP_CONFIG_BYTES
from ...model.errors import InputError
from ...value import TYPE_CHECKING
from .files import read_file
from .installed import Change, backup_of, installed_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .folders import Folders

__all__ = ["plan_server", "plan_without_server"]


def _form(file: str) -> str:
    return "toml" if file.endswith(".toml") else "json"


def plan_server(folders: Folders, host: str, file: str, command: Sequence[str]) -> Change:
    """InputError where the file cannot be edited, or the name is taken."""
    now = read_file(file, limit=MAX_MCP_CONFIG_BYTES)
    text, form = _text(file, now), _form(file)
    wanted = {"command": command[0], "args": list(command[1:])}
    try:
        found = named_in(text, form)
        if found == wanted:
            return Change(host=host, scope="user", file=file, now=now, then=now)
        before = now if found is None else _before(folders, file, now)
        then = with_server(_text(file, before), command, form)
    except InputError as error:
        raise InputError(f"`{file}`: {error}") from None
    return Change(host=host, scope="user", file=file, now=now, then=then.encode(), before=before)


def plan_without_server(folders: Folders, host: str, file: str) -> Change:
    """Byte for byte as it was, where nothing else has changed since; else with only the server taken out."""
    now = read_file(file, limit=MAX_MCP_CONFIG_BYTES)
    try:
        found = now is not None and named_in(_text(file, now), _form(file)) is not None
    except InputError:
        found = False  # somebody else's by now, or no longer a file that can be read: left as it is
    if not found:
        return Change(host=host, scope="user", file=file, now=now, then=now)
    exact = now is not None and installed_files(folders).get(file, {}).get("after") == digest_of_bytes(now)
    return Change(host=host, scope="user", file=file, now=now, then=_before(folders, file, now), exact=exact)


def _before(folders: Folders, file: str, now: bytes | None) -> bytes | None:
    record = installed_files(folders).get(file, {})
    if now is not None and record.get("after") == digest_of_bytes(now):
        if record.get("before") is None:
            return None
        kept = read_file(backup_of(folders, file), limit=MAX_MCP_CONFIG_BYTES)
        if kept is not None and digest_of_bytes(kept) == record["before"]:
            return kept
    return without_server(_text(file, now), _form(file)).encode()


def _text(file: str, raw: bytes | None) -> str:
    try:
        return (raw or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"`{file}` is not UTF-8") from None
