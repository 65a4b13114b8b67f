"""What a command leaves for others to act on: a line that a build service obeys, a step in an image, an open door.

None of it shows in the command's own row: `echo` prints, a redirection writes, a script of the project runs. What makes
it more is the text that is printed or written, or an address among the words.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..machine.acts import emit

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
_IN_BACKGROUND = ("proc:spawn", "server:start", "job:start")
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
    if not _everywhere(args) and not any(map(_is_open, _around(shell))):
        return
    actions = shell.found.actions[since:]
    if any(Effect.SPAWN in action.effects and action.name not in _IN_BACKGROUND for action in actions):
        return
    if any(action.name in _SERVES or "unknown" in action.tags for action in actions):
        emit(shell, span, name="net:serve", effects=(Effect.SPAWN,), tags=("sends",))


_HOSTS = ("HOST", "BIND", "BIND_ADDRESS", "FLASK_RUN_HOST", "UVICORN_HOST", "SERVER_HOST", "GRADIO_SERVER_NAME")


def _around(shell: Shell) -> list[str]:
    """Addresses that variables of the environment give."""
    names = [name for name in _HOSTS if name in shell.exported] if shell.exported else []
    return [arg.text for name in names for arg in shell.variables.get(name, ())]


def _everywhere(args: list[Arg]) -> bool:
    last = len(args) - 1
    for at, arg in enumerate(args[1:], 1):
        if _all_interfaces(arg.text) or arg.text in ("--bind_all", "--bind-all"):
            return True
        if arg.text[:1] == "-" and arg.text.partition("=")[0].endswith(_NAMES_HOST):
            value = arg.text.partition("=")[2] if "=" in arg.text else args[at + 1].text if at < last else ""
            if _is_open(value) or (arg.text == "--host" and value[:1] in ("", "-")):  # with nothing behind it: all
                return True
    return False


_NAMES_HOST = ("host", "bind", "listen", "address", "ip", "-addr", "interface")


def _is_open(address: str) -> bool:
    return address in ("0", "0.0.0.0", "::", "[::]", "*")  # noqa: S104 - compared with


def _all_interfaces(text: str) -> bool:
    """`0.0.0.0`, `0.0.0.0:8000`, `--host=0.0.0.0`, `tcp://0.0.0.0:80`."""
    text = text.rpartition("=")[2].rpartition("/")[2]
    host, colon, port = text.rpartition(":")
    return text in ("0.0.0.0", "[::]") or (bool(colon) and port.isdigit() and host in _EVERYWHERE)  # noqa: S104


def add_step(path: str, text: str, shell: Shell) -> None:
    """A `RUN` line in a recipe of an image that fetches code and runs it: unseen, and for whoever builds next."""
    name = path.rpartition("/")[2]
    if not name.startswith(_RECIPES) and not name.endswith((".dockerfile", ".Dockerfile")):
        return
    if not any(_runs_unseen(step, shell) for step in _steps(text)[:64]):
        return
    actions = shell.found.actions
    for at, action in enumerate(actions):
        if action.name == "fs:write" and action.target.get("path") == path:
            actions[at] = action.replace(tags=tuple(sorted({*action.tags, "deferred"})))


def _steps(text: str) -> list[str]:
    """Commands of a recipe: of `RUN`, `CMD` and `ENTRYPOINT`, with or without options, as a text, a list or a block."""
    lines = "\n".join([line for line in text.split("\n") if line.lstrip()[:1] != "#"]).replace("\\\n", " ").split("\n")
    found: list[str] = []
    for at, line in enumerate(lines):
        words = line.split(None, 1)
        if words and words[0].upper() == "ONBUILD":
            words = line.split(None, 2)[1:]
        if len(words) < 2 or words[0].upper() not in ("RUN", "CMD", "ENTRYPOINT"):
            continue
        step = words[1].strip()
        while step.startswith("--") and " " in step:
            step = step.partition(" ")[2].lstrip()
        if step.startswith("<<"):
            mark = step.lstrip("<-").strip("'\"")
            step = "\n".join(lines[at + 1 : lines.index(mark, at + 1) if mark in lines[at + 1 :] else None])
        elif step.startswith("["):
            parts = step.strip("[] ").split('", "') if '", "' in step else step.strip("[] ").split('","')
            step = parts[-1].strip(' "').replace('\\"', '"')  # what a shell in front of it is given
        found.append(step)
    return found


def _runs_unseen(step: str, shell: Shell) -> bool:
    from ..shell import parse
    from .state import Found, Shell

    found = Found(shell.found.facts, shell.found.field, shell.found.real, follow=shell.found.follow)
    found.budget = max(0, shell.found.budget)
    inside = Shell(found, ("/",))
    inside.depth = shell.depth + 1
    shell.found.follow.run_script(parse(step), inside)
    return any("remote-code" in action.tags for action in found.actions)
