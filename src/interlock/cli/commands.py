"""The tree of commands, and what they share: where our files are, and the world of a call."""

from __future__ import annotations

import os
import re
import shlex

import click
from click.core import ParameterSource

from .. import __version__
from ..build import BUILD
from ..model.posture import Posture
from ..policy.model import ApprovalMode
from ..store.home.folders import Folders, find_root, folders_for, other_home
from ..value import TYPE_CHECKING, lazy
from .listed import Listed

if TYPE_CHECKING:
    from importlib import import_module
else:
    import_module = lazy(globals(), "importlib", "import_module")

__all__ = ["MODES", "POSTURES", "cli", "pass_folders", "project_root", "with_home"]

POSTURES = click.Choice(Posture.names())
MODES = click.Choice(ApprovalMode.names())
# These go by `HOME`, as agent hosts do, and say so. No other command does: it may be the agent's (docs/adr/0006).
_FOLLOW_HOME = {
    "campaign",
    "completion",
    "doctor",
    "hook",
    "install",
    "launch",
    "mods",
    "resident",
    "status",
    "uninstall",
    "update",
    "version",
}
_ELSEWHERE = (
    "Interlock is installed in {other} (HOME), and this command looks in {home}, which the system's user table names; "
    "to look in the other: export INTERLOCK_HOME={other}"
)


class _Late(Listed):
    """Imports a command's file, which is called like it, only when that command is used."""

    sections = {  # noqa: RUF012 - click's own style
        "Begin": ("history", "install", "launch", "doctor", "status", "update", "uninstall"),
        "Ask what is decided": ("explain", "decide", "preview", "plan"),
        "Answer, and permit ahead": ("approvals", "grant", "grants", "revoke", "suggest", "approver", "off", "on"),
        "See what was decided, and take it back": ("audit", "replay", "simulate", "undo", "checkpoints"),
        "Say what may be done": ("policy", "trust", "posture", "contracts", "compensators", "judge", "eval"),
        "Stand in front of more": ("mods", "foreign", "mcp", "proxy", "serve", "token", "campaign", "hook", "resident"),
        "Many machines": ("store", "bundle", "telemetry"),
        "The command itself": ("completion", "version"),
    }
    files = frozenset([name for names in sections.values() for name in names])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.files)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.files:
            return None

        command: click.Command = import_module(f"interlock.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.files:
            import difflib

            close = difflib.get_close_matches(args[0], sorted(self.files), n=1)
            hint = f"; did you mean `{close[0]}`?" if close else "; see: interlock --help"
            raise click.UsageError(f"no such command `{args[0]}`{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(cls=_Late, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(BUILD or __version__, prog_name="interlock", message="%(prog)s %(version)s")
@click.option(
    "--home",
    envvar="INTERLOCK_HOME",
    type=click.Path(file_okay=False, resolve_path=True),
    help="Keep and look for Interlock's own files below this folder instead of your home folder.",
)
@click.pass_context
def cli(ctx: click.Context, home: str | None) -> None:
    """Decides, before it fires, whether a tool call that an AI agent proposes may run.

    \b
    Start here:
      interlock history import                      what it would have done, from your own transcripts
      interlock install                             have the agent hosts on this machine ask it
      interlock doctor                              whether they really do
      interlock explain 'git push --force'          what a call would do, and what is decided
      interlock policy show                         the policy in force
      interlock audit tail                          what was decided lately
      interlock replay                              check recorded receipts

    \b
    Exit codes of a decision: 0 allow, 1 deny, 2 ask, 64 bad input, 65 bad policy.
    """
    ctx.obj = folders_for(home)
    other = "" if home is not None or ctx.invoked_subcommand in _FOLLOW_HOME else other_home(ctx.obj, os.environ)
    if other and os.path.exists(folders_for(other).installed):
        told = _ELSEWHERE.format(other=shlex.quote(other), home=ctx.obj.home)
        click.echo(f"interlock: {told}", err=True)


def project_root(root: str | None, cwd: str | None = None) -> str:
    """The project folder that was given, or the one around the working folder; links followed."""
    return os.path.realpath(root if root is not None else find_root(cwd or os.getcwd()))


def with_home(text: str, context: click.Context | None = None) -> str:
    """The text with the commands in it as they have to be typed: where `--home` was given, they need it as well.

    A home from the environment is still there when the next command is typed. What stands in backticks is only named.
    """
    context = context or click.get_current_context(silent=True)
    root = None if context is None else context.find_root()
    if root is None or root.get_parameter_source("home") is not ParameterSource.COMMANDLINE:
        return text
    names = "|".join(sorted(_Late.files))
    home = shlex.quote(str(root.params["home"]))
    return re.sub(rf"(?<![\w/.`-])interlock (?=(?:{names})\b)", lambda _: f"interlock --home {home} ", text)


pass_folders = click.make_pass_decorator(Folders)
