"""`interlock mcp`: a relay in front of MCP servers, and what they said of their tools."""

from __future__ import annotations

import sys

import click

from ..model.errors import InputError, lacking
from ..relay.names import server_name
from ..store.home.folders import Folders
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders
from .listed import Listed

if TYPE_CHECKING:
    from urllib.parse import urlsplit

else:
    urlsplit = lazy(globals(), "urllib.parse", "urlsplit")


__all__ = ["command"]


class _Late(Listed):
    """Loads `pins` when it is used: `run` starts with every session of a client."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), "pins"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "pins":
            from .mcp_pins import pins

            return pins
        return super().get_command(ctx, cmd_name)


@click.group("mcp", cls=_Late)
def command() -> None:
    """Stand in front of MCP servers: every tool call is decided before the server gets it."""


@command.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--name", default="", help="What the client calls the server. Default: from the command.")
@click.argument("server", nargs=-1, required=True, type=click.UNPROCESSED)
@pass_folders
def run(folders: Folders, name: str, server: tuple[str, ...]) -> int:
    """Run SERVER (its command and arguments) behind the relay, over stdin and stdout.

    Put it in place of the server's command in the MCP configuration of any client:

    \b
      interlock mcp run --name files -- npx -y @modelcontextprotocol/server-filesystem ~/project

    Tools are named mcp__NAME__TOOL in your policy. What is denied, or waits for you, comes back to the agent as the
    result of its call. The exit code is that of the server.
    """
    from ..relay.stdio import run as run_relay

    return run_relay(folders, server, name=name)


@command.command("ask")
@pass_folders
def ask(folders: Folders) -> int:
    """Let Interlock ask you in a client's own dialog, in its own words.

    `interlock install` names this server in the configuration of clients that can show such a dialog, and the client
    starts it. It offers no tools to the agent.
    """
    from ..hook.asker import serve as serve_questions

    return serve_questions(folders.state)


@command.command("serve")
@click.option("--url", required=True, help="The server's own address, such as https://mcp.example.org/mcp.")
@click.option("--name", required=True, help="What the client calls the server.")
@click.option("--port", type=click.IntRange(1, 65535), default=8788, show_default=True, help="Where to listen.")
@pass_folders
def serve(folders: Folders, url: str, name: str, port: int) -> int:
    """Stand in front of a server that is reached over HTTP, and listen on this machine for its clients.

    Name http://127.0.0.1:PORT/mcp in the client's configuration in place of the server's own address:

    \b
      interlock mcp serve --name tickets --url https://mcp.example.org/mcp

    Headers of the client, such as its bearer token, are passed on and never kept.
    """
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise InputError("--url must be an http or https address")
    try:
        from ..relay.http import serve as serve_relay
    except ImportError as error:
        raise lacking("the relay over HTTP", "serve", error.name, sys.executable) from None
    return serve_relay(
        folders,
        url,
        server=server_name(name),
        port=port,
        ready=lambda address: click.echo(f"interlock stands in front of {url} at {address}", err=True),
    )
