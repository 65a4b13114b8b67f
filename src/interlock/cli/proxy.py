"""`interlock proxy`: the calls in a model's answers, judged before the client gets them."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ..hosts import HOSTS
from ..limits import MAX_WAIT_SECONDS
from ..model.errors import lacking
from ..store.home.folders import Folders
from .commands import pass_folders, with_home

__all__ = ["command"]

_PORT = 8787
_BODY = 64 * 1024 * 1024


@click.command("proxy")
@click.option(
    "--upstream", required=True, metavar="URL", help="The model's address, such as https://api.anthropic.com."
)
@click.option("--listen", "host", help="Where to listen. Default: 127.0.0.1, this machine alone.")
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True)
@click.option(
    "--host", "client", type=click.Choice(sorted(HOSTS)), help="Whose tool names these are. Default: your own."
)
@click.option(
    "--hold",
    type=click.IntRange(0, MAX_WAIT_SECONDS),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long a call waits for a person. 0: not at all.",
)
@click.option(
    "--withheld",
    "mode",
    type=click.Choice(["text", "continue"]),
    default="text",
    show_default=True,
    help="After a refused call the turn ends with the reason, or the model is told and goes on.",
)
@click.option(
    "--provider-tool",
    "provider",
    multiple=True,
    metavar="KIND",
    help="Let the provider run this kind of tool by itself, such as web_search.",
)
@click.option(
    "--user-is-person",
    "hears",
    is_flag=True,
    help="User messages of this agent are its person's own words, and hold nothing else.",
)
@click.option("--url", help="How clients reach it, where that is another address.")
@click.option("--cert", type=click.Path(exists=True, dir_okay=False), help="Certificate for TLS.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its key.")
@click.option(
    "--insecure", is_flag=True, default=None, help="Speak plain HTTP to other machines: something in front speaks TLS."
)
@click.option(
    "--policy", "policy_file", type=click.Path(exists=True, dir_okay=False), help="Use this file in place of yours."
)
@click.option(
    "--root", type=click.Path(exists=True, file_okay=False), help="The project of every call. Default: this folder."
)
@pass_folders
def command(folders: Folders, /, **given: Any) -> int:
    """Judge the tool calls in a model's answers, between an agent's client and its model.

    Speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini generateContent. Point the client's
    base address at it; keys pass through. Each call is judged when it is complete, and reaches the client only if it
    may be made.

    \b
    Examples:
      interlock proxy --upstream https://api.anthropic.com
      ANTHROPIC_BASE_URL=http://127.0.0.1:8787 my-agent
      interlock proxy --upstream https://api.anthropic.com --host claude-code --withheld continue
      interlock proxy --upstream https://api.openai.com --hold 300
    """
    try:
        from ..proxy.run import run
        from ..proxy.settings import ProxySettings
        from ..proxy.upstream import sound_address
        from ..serve.settings import settings_from
    except ImportError as error:
        raise lacking("the proxy", "proxy", error.name, sys.executable) from None
    listen = settings_from(
        "", "", {**{name: given[name] for name in ("host", "port", "url", "cert", "key", "insecure")}, "body": _BODY}
    )
    root = os.path.abspath(given["root"] or os.getcwd())
    settings = ProxySettings(
        listen=listen,
        upstream=sound_address(given["upstream"], insecure=bool(given["insecure"])),
        host=given["client"] or "",
        hold=float(given["hold"]),
        mode=given["mode"],
        provider=frozenset(given["provider"]),
        cwd=root,
        hears=given["hears"],
    )

    def ready(address: str) -> None:
        click.echo(f"interlock proxy: {address} -> {settings.upstream}", err=True)
        click.echo(with_home("what waits for you: interlock approvals watch"), err=True)

    return run(folders, settings, ready, policy=given["policy_file"], root=given["root"])
