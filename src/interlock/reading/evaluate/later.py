"""What a command leaves for others to act on: a line that a build service obeys, a step in an image, an open door.

None of it shows in the command's own row: `echo` prints, a redirection writes, a script of the project runs. What makes
it more is the text that is printed or written, or an address among the words.
"""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit

if TYPE_CHECKING:
    from .state import Shell
    from .words import Arg

__all__ = ["add_step", "fill", "listen", "tell_runner"]

# Lines on standard output with which a job changes the steps after it: where programs are found, what variables hold.
_OBEYED = (
    "##vso[task.prependpath", "##vso[task.setvariable", "##vso[task.setendpoint",
    "##vso[artifact.upload", "##vso[task.uploadfile", "::add-path::", "::set-env ", "::set-output ", "::save-state ",
    "::stop-commands::", "##teamcity[setParameter", "##teamcity[publishArtifacts",
)  # fmt: skip
_EVERYWHERE = frozenset(("0.0.0.0", "::", "[::]", "*"))  # noqa: S104 - compared with
_SERVES = frozenset(("exec:project", "exec:script", "exec:code", "exec:python"))
_RECIPES = ("Dockerfile", "Containerfile", "dockerfile")


def tell_runner(output: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A command for the runner of a build, printed like any other line."""
    if any(line.lstrip().startswith(_OBEYED) for line in output.text.split("\n")):
        emit(shell, span, name="ci:command", effects=(Effect.WRITE,), tags=("redirects",))


def fill(args: list[Arg], outputs: list[tuple[str, bool, Arg | None]], shell: Shell, span: tuple[int, int]) -> None:
    """`yes > a`: what never ends, into a file."""
    if args[0].text == "yes" and any(not path.startswith("/dev/") for path, _, _ in outputs):
        emit(shell, span, name="fs:fill", effects=(Effect.WRITE,), tags=("exhausts",))


def listen(args: list[Arg], since: int, shell: Shell, span: tuple[int, int]) -> None:
    """`python -m app --host 0.0.0.0`: whatever the program is, it serves whoever reaches this machine."""
    actions = shell.found.actions[since:]
    if not any(map(_all_interfaces, args[1:])) or any(Effect.SPAWN in action.effects for action in actions):
        return
    if any(action.name in _SERVES or "unknown" in action.tags for action in actions):
        emit(shell, span, name="net:serve", effects=(Effect.SPAWN,), tags=("sends",))


def _all_interfaces(arg: Arg) -> bool:
    """`0.0.0.0`, `0.0.0.0:8000`, `--host=0.0.0.0`, `tcp://0.0.0.0:80`."""
    text = arg.text.rpartition("=")[2].rpartition("/")[2]
    host, colon, port = text.rpartition(":")
    return text in ("0.0.0.0", "[::]") or (bool(colon) and port.isdigit() and host in _EVERYWHERE)  # noqa: S104


def add_step(path: str, text: str, shell: Shell) -> None:
    """A `RUN` line in a recipe of an image that fetches code and runs it: unseen, and for whoever builds next."""
    name = path.rpartition("/")[2]
    if not name.startswith(_RECIPES) and not name.endswith((".dockerfile", ".Dockerfile")):
        return
    steps = [line.lstrip()[4:] for line in text.replace("\\\n", " ").split("\n") if line.lstrip()[:4].upper() == "RUN "]
    if not any(_runs_unseen(step, shell) for step in steps[:64]):
        return
    actions = shell.found.actions
    for at, action in enumerate(actions):
        if action.name == "fs:write" and action.target.get("path") == path:
            actions[at] = action.replace(tags=tuple(sorted({*action.tags, "deferred"})))


def _runs_unseen(step: str, shell: Shell) -> bool:
    from ..shell import parse
    from .state import Found, Shell
    from .walk import run_script

    found = Found(shell.found.facts, shell.found.field, shell.found.real)
    found.budget = max(0, shell.found.budget)
    inside = Shell(found, ("/",))
    inside.depth = shell.depth + 1
    run_script(parse(step), inside)
    return any("remote-code" in action.tags for action in found.actions)
