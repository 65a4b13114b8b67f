"""The `interlock` command.

`interlock hook HOST` leaves for the guarded entry before anything heavy is imported. For the rest:
errors for people on stderr, and exit codes that a script can rely on.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .guarded import enter_guard

if TYPE_CHECKING:
    import click

__all__ = ["main"]

EXIT_USAGE = 64
_ABOUT = {"--print-settings", "--help", "-h"}


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and len(arguments) > 1 and not _ABOUT.intersection(arguments):
        enter_guard(arguments[1:])
    sys.exit(_run(arguments))


def _wrong_words(error: click.UsageError) -> str:
    """What is wrong with the words of the command, and where to look: in our own words, not in click's."""
    import click

    if isinstance(error, click.NoSuchOption):
        close = f"; did you mean `{error.possibilities[0]}`?" if error.possibilities else ""
        said = f"there is no option `{error.option_name}`{close}"
    elif isinstance(error, click.MissingParameter) and error.param is not None and error.ctx is not None:
        said = f"{error.param.make_metavar(error.ctx)} is missing"
    else:
        said = error.format_message().rstrip(".")
        said = said[:1].lower() + said[1:]
    path = error.ctx.command_path if error.ctx else "interlock"
    return said if "; did you mean" in said or "see: " in said else f"{said}; see: {path} --help"


def _run(arguments: list[str]) -> int:
    import click

    from ..model.errors import InterlockError
    from .commands import cli, with_home

    if "_INTERLOCK_COMPLETE" in os.environ:
        cli.main(args=arguments, prog_name="interlock")
    context: click.Context | None = None
    try:
        with cli.make_context("interlock", arguments) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        # Exit code 2 means `ask` here, so a wrong option must not end with it.
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            click.echo(error.format_message(), err=True)  # the help, which begins with the usage
            return EXIT_USAGE
        click.echo(error.ctx.get_usage() if error.ctx else "", err=True)
        click.echo(f"interlock: {_wrong_words(error)}", err=True)
        return EXIT_USAGE
    except click.ClickException as error:
        click.echo(f"interlock: {error.format_message()}", err=True)
        return EXIT_USAGE
    except click.Abort:
        click.echo("interlock: stopped; nothing was changed", err=True)
        return 130
    except InterlockError as error:
        click.echo(with_home(f"interlock: {error.for_people()}", context), err=True)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read us has left; say no more
        return 141
    return result if isinstance(result, int) else 0
