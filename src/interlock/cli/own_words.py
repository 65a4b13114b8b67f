"""The entry of our own MCP server in a client's configuration, by which Interlock asks in its own words."""

from __future__ import annotations

import os
import sys

import click

from ..hook.asker import ARGUMENTS
from ..hosts import host_named, part_of
from ..hosts.traits import ELICITATION
from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.installed import Change
from ..store.home.own_server import plan_server

__all__ = ["is_servers_file", "server_changes", "servers_file", "told_of_server"]

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
    try:
        return [plan_server(folders, host, file, _command(arguments))]
    except InputError as error:
        click.echo(f"interlock: {_AS_BEFORE.format(error, host_named(host).TRAITS.title)}", err=True)
        return []


def told_of_server(folders: Folders, host: str, arguments: tuple[str, ...]) -> tuple[bool, str, bool]:
    """Whether the entry is there as `interlock install` writes it, what is said of it, and whether install repairs it.
    An empty text: the host is not asked by a server.
    """
    file, title = servers_file(folders, host), host_named(host).TRAITS.title
    if not file:
        return True, "", False
    try:
        change = plan_server(folders, host, file, _command(arguments))
    except InputError as error:
        return False, _AS_BEFORE.format(error, title), False
    if change.idle:
        return True, f"questions are put in Interlock's own words, by its server ({file})", False
    how = "missing from" if change.before == change.now else "another than `interlock install` writes in"
    text = f"the entry of Interlock's server is {how} {file}: questions are put as {title} itself does"
    return False, text, True


def _command(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return (sys.executable, "-I", *ARGUMENTS[:2], *arguments, *ARGUMENTS[2:])
