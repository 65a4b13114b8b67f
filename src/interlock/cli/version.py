"""`interlock version`."""

from __future__ import annotations

import json
import platform

import click

from .. import __version__

__all__ = ["command"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Print the version of the engine and of Python."""
    if as_json:
        click.echo(json.dumps({"interlock": __version__, "python": platform.python_version()}))
    else:
        click.echo(f"interlock {__version__} (Python {platform.python_version()})")
