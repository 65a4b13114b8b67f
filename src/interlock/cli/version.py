"""`interlock version`."""

from __future__ import annotations

import json
import platform

import click

from .. import __version__
from ..build import BUILD

__all__ = ["command"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Print the version of this build, of its engine and of Python.

    Receipts name the engine's version. Each build has a version of its own; a working copy has that of its engine.
    """
    build, python = BUILD or __version__, platform.python_version()
    if as_json:
        click.echo(json.dumps({"engine": __version__, "interlock": build, "python": python}))
    else:
        click.echo(f"interlock {build} (engine {__version__}, Python {python})")
