"""Secrets that a program takes from a file which no word of the command names, and then shows.

`pipenv run`, `dotenv run` and their like put what stands in `.env` into the environment of the command that they run.
Where that command shows its environment, it shows the file.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from .builders import env_run
from .runners import unwrapped

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["env_file_run", "env_file_wrapped"]

_FILE = ".env"  # what is loaded where no option names another


def env_file_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`pipenv run CMD`: in the project's environment, where its scripts have names too."""
    since = len(shell.found.actions)
    output = env_run(row, args, span, shell)
    _show(row, since, span, shell)
    return output


def env_file_wrapped(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`dotenv run CMD`, `env-cmd CMD`: any program."""
    since = len(shell.found.actions)
    output = unwrapped(row, args, span, shell)
    _show(row, since, span, shell)
    return output


def _show(row: Program, since: int, span: tuple[int, int], shell: Shell) -> None:
    """What was loaded is read, if the environment was shown: files, or with the mark `secret` what a service keeps."""
    found = shell.found
    actions = found.actions[since:]
    if not any(action.name == "sys:env" for action in actions):
        return
    if "secret" in row.tags:
        emit(shell, span, name="secret:read", effects=(Effect.READ,), tags=("environment", "secret"))
        return
    named = [str(action.target["path"]) for action in actions if action.name == "fs:read" and "path" in action.target]
    folders = dict.fromkeys((*(shell.folders or ()), found.facts.root))
    for path in named or [f"{folder}/{_FILE}" for folder in folders]:
        if path not in found.facts.absent:
            on_path("read", Arg(path, span), shell)
