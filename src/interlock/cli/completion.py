"""`interlock completion`: tab completion for the shell."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class

from .commands import cli

__all__ = ["command"]

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(shell: str | None) -> None:
    """Print the tab completion for SHELL; without it, for the one that the variable SHELL names.

    Put it where your shell looks for completions. It takes effect in new terminals.

    \b
    bash:  interlock completion bash > ~/.local/share/bash-completion/completions/interlock
    zsh:   interlock completion zsh > "${fpath[1]}/_interlock"
    fish:  interlock completion fish > ~/.config/fish/completions/interlock.fish
    """
    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        raise click.UsageError(f"name the shell: {', '.join(SHELLS)}")
    click.echo(found(cli, {}, "interlock", "_INTERLOCK_COMPLETE").source())
