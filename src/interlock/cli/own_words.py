"""The entry of our own MCP server in a client's configuration, by which Interlock asks in its own words."""

from __future__ import annotations

import os
import sys

import click

from ..errors import InputError
from ..hook.asker import ARGUMENTS
from ..hosts import host_named, part_of
from ..hosts.traits import ELICITATION
from ..store.folders import Folders
from ..store.installed import Change
from ..store.own_server import plan_server

__all__ = ["is_servers_file", "server_changes", "servers_file"]

_AS_BEFORE = "{}. Interlock cannot ask in its own words there; questions are put as {} itself does"


def servers_file(folders: Folders, host: str) -> str:
    """The file in which the client names a person's MCP servers; empty: it is not asked in our own words."""
    if host_named(host).TRAITS.own_words != ELICITATION:
        return ""
    file: str = part_of(host, "install").servers_file(folders.home, folders.moved)
    return file


def is_servers_file(folders: Folders, host: str, file: str) -> bool:
    return os.path.basename(file) == os.path.basename(servers_file(folders, host))


def server_changes(folders: Folders, host: str, scope: str, arguments: tuple[str, ...]) -> list[Change]:
    """What is due there; nothing where the entry cannot be put in, which is said. `arguments` name the home folder."""
    file = servers_file(folders, host) if scope == "user" else ""
    if not file:
        return []
    command = (sys.executable, "-I", *ARGUMENTS[:2], *arguments, *ARGUMENTS[2:])
    try:
        return [plan_server(folders, host, file, command)]
    except InputError as error:
        click.echo(f"interlock: {_AS_BEFORE.format(error, host_named(host).TRAITS.title)}", err=True)
        return []
