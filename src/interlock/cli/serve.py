"""`interlock serve`: decisions and approvals over HTTP."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..engine import Given
from ..model.errors import lacking
from ..store.home.folders import Folders
from .commands import pass_folders, with_home

__all__ = ["command"]


@click.command("serve")
@click.option("--host", help="Where to listen. Default: 127.0.0.1, this machine alone.")
@click.option("--port", type=click.IntRange(1, 65535), help="Default: 8786.")
@click.option("--url", help="How people reach it, where that is another address.")
@click.option("--cert", type=click.Path(exists=True, dir_okay=False), help="Certificate for TLS.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its key.")
@click.option(
    "--insecure", is_flag=True, default=None, help="Speak plain HTTP to other machines: a proxy in front speaks TLS."
)
@click.option("--verbose", is_flag=True, default=None, help="Tell agents all that was found.")
@click.option("--rate", type=click.IntRange(1), help="Requests a second that one token may make. Default: 100.")
@click.option("--database", metavar="URL", help="Keep the ledger in this PostgreSQL database.")
@click.option("--config", type=click.Path(dir_okay=False), help="Default: serve.toml beside your policy.")
@click.option(
    "--policy", "policy_file", type=click.Path(exists=True, dir_okay=False), help="Use this file in place of yours."
)
@click.option("--root", type=click.Path(exists=True, file_okay=False), help="The project of every call.")
@pass_folders
def command(folders: Folders, /, config: str | None, policy_file: str | None, root: str | None, **given: Any) -> int:
    """Decide calls over HTTP, and show the people who answer what waits.

    Agents ask with `POST /v1/decisions`; people answer on the page, over HTTP or at the terminal. Tools that the policy
    does not declare are denied (the profile `serve`) unless your policy names another profile. It listens on this
    machine alone; for other machines it needs a certificate.

    \b
    Examples:
      interlock token create --role agent --name my-agent
      interlock token create --role approver --name ann
      interlock serve
      interlock serve --database postgresql://interlock@db.example/interlock_serve?sslmode=verify-full
      interlock serve --host 0.0.0.0 --cert cert.pem --key key.pem --url https://guard.example

    See docs/serve.md.
    """
    try:
        from ..serve.run import PROFILE, load_settings, serve
    except ImportError as error:
        raise lacking("the service", "serve", error.name, sys.executable) from None
    settings = load_settings(folders, config, given)
    engine = Given(root=root, policy=policy_file, profile=PROFILE)

    def ready(address: str) -> None:
        click.echo(f"interlock listens on {address}", err=True)
        click.echo(with_home("tokens: interlock token create --role agent|approver|admin --name NAME"), err=True)

    return serve(folders, settings, engine, ready)
