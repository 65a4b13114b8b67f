"""`interlock completion`: tab completion for the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["command"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the tab completion for SHELL.

    \b
    bash:  interlock completion bash > ~/.local/share/bash-completion/completions/interlock
    zsh:   interlock completion zsh > "${fpath[1]}/_interlock"
    fish:  interlock completion fish > ~/.config/fish/completions/interlock.fish
    """
    from .commands import cli

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for `{shell}`")
    click.echo(found(cli, {}, "interlock", "_INTERLOCK_COMPLETE").source())
