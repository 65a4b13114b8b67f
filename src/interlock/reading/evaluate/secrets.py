"""Secrets of the environment on their way: printed for the agent to see, handed to a program, kept in a file.

A script sees `$AWS_SECRET_ACCESS_KEY` only by its name, which `secret_words` judges; expansion notes each such name
(`Found.shown`), and the command whose words hold it says here what becomes of it. What is read from a secret place
is another thing: `flow.py` follows it through pipes, and `keep` follows it into the files that a command writes.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..machine.acts import emit, on_path
from ..places.secret_words import holds_token, names_secret
from ..shell.syntax import Lit, Param, Simple, Tilde
from .flow import reads_secret, stays
from .origins import A_SECRET, variable_of
from .words import NUL, Arg

if TYPE_CHECKING:
    from ..shell.syntax import Command
    from .state import Shell

__all__ = ["baked", "counted", "given", "handed", "is_handed", "keep", "printed", "printed_here", "show_netrc"]

# Programs that print the words they are given, and those that print what comes in, in whatever spelling.
_PRINTS = frozenset(
    "echo printf print basename dirname expr yes figlet toilet banner cowsay cowthink logger wall numfmt".split()
)
_WRAPS = frozenset("builtin command exec env timeout nice nohup time stdbuf xargs sudo doas busybox setsid".split())
_PASSES_ON = frozenset(
    "cat tac rev base64 base32 basenc xxd od hexdump hd nl head tail tr sed awk gawk sort fold fmt cut paste tee "
    "strings jq grep xargs".split()
)


def printed(names: list[str], args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """Words with a secret variable in them, given to something that prints its words."""
    words = [arg.text.rpartition("/")[2] for arg in args[:6]]
    program = words[0] if words[0] not in _WRAPS else next((word for word in words if word in _PRINTS), words[0])
    if program == "printf" and len(args) > 2 and args[1].text == "-v":
        shell.found.variables.add(args[2].text)
    elif program in _PRINTS:
        _show(names, span, shell)


def printed_here(names: list[str], args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """`cat <<< $KEY`: a text with a secret variable in it, given to a program that passes on what comes in."""
    if args and args[0].text.rpartition("/")[2] in _PASSES_ON:
        _show(names, span, shell)


def _show(names: list[str], span: tuple[int, int], shell: Shell) -> None:
    for name in dict.fromkeys(names):
        emit(
            shell,
            span,
            name="sys:env",
            effects=(Effect.READ,),
            tags=("environment", "secret"),
            target={"variable": name},
        )


def given(name: str, value: Arg, since: int, shell: Shell) -> None:
    """`NAME=value CMD`: a secret for a program that talks to whoever it is told to."""
    if not names_secret(name) or (value.known and not value.text):
        return
    actions = shell.found.actions
    for at in range(since, len(actions)):
        action = actions[at]
        if action.name in ("net:connect", "net:fetch", "net:send") and not stays(action.target.get("host")):
            actions[at] = action.replace(tags=tuple(sorted({*action.tags, "sends"})))


_NETRC = frozenset(("-n", "--netrc-optional"))
_TELLS = frozenset(("-v", "--trace"))


def show_netrc(told: set[str], span: tuple[int, int], shell: Shell) -> None:
    """`curl -n -v`: the passwords of `~/.netrc`, in the lines that say what is sent. `told`: names of its options."""
    path = f"{shell.found.facts.home}/.netrc"
    if not _NETRC.isdisjoint(told) and not _TELLS.isdisjoint(told) and path not in shell.found.facts.absent:
        on_path("read", Arg(path, span), shell)


def baked(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """`--build-arg NAME=value`: it stays in the image; a plain text is nobody's secret."""
    arg = Arg(arg.text.removeprefix("ENV "), arg.span, arg.glob, arg.origin)
    if is_handed(arg):
        name = arg.text.partition("=")[0]
        emit(shell, span, name="docker:bake", effects=(Effect.WRITE,), tags=("secret",), target={"name": name})


def is_handed(arg: Arg) -> bool:
    """`-e NAME`, `-e NAME=$OTHER`: whether a secret of this machine goes along; a plain text is nobody's secret."""
    name, equals, value = arg.text.partition("=")
    secret = names_secret(name) or (arg.unknown and names_secret(variable_of(arg.origin)))
    return (secret and (not equals or arg.unknown)) or holds_token(value)


def handed(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A variable that a container is given by a program without more to say of it."""
    if is_handed(arg):
        name = arg.text.partition("=")[0]
        emit(shell, span, name="docker:env", effects=(Effect.READ,), tags=("secret",), target={"variable": name})


_WHOLE = frozenset(("cat", "sort", "uniq", "tac", "wc"))  # nothing is left out, so that a count answers no question


def counted(commands: list[Command], since: int, shell: Shell) -> None:
    """`cat KEYS | wc -l`, `wc -l < KEYS`: how much there is of it, and nothing of what it says."""
    if _name_of(commands[-1]) != "wc" or not all(_name_of(command) in _WHOLE for command in commands):
        return
    actions = shell.found.actions
    if any(effect is not Effect.READ for action in actions[since:] for effect in action.effects):
        return
    for at in range(since, len(actions)):
        if actions[at].name == "fs:read" and "secret" in actions[at].tags:
            actions[at] = actions[at].replace(tags=tuple(mark for mark in actions[at].tags if mark != "secret"))


def _name_of(command: Command) -> str:
    """The program of a plain command, which at most reads its input from a file."""
    if type(command) is not Simple or command.assigns or not command.words:
        return ""
    if any(item.op != "<" or item.fd not in ("", "0") for item in command.redirects):
        return ""
    parts = [part for word in command.words for part in word.parts]
    plain = all(type(part) in (Lit, Tilde, Param) for part in parts)
    return parts[0].text if plain and parts and type(parts[0]) is Lit else ""


def keep(since: int, at: int, shell: Shell) -> None:
    """Files that the actions from `at` on have written hold what was read since `since`: secret, if that was."""
    actions = shell.found.actions
    moved = any(action.name == "fs:move" and "secret" in action.tags for action in actions[since:])
    if not moved and not reads_secret(since, shell):
        return
    for action in actions[at:]:
        path = action.target.get("path")
        if action.name == "fs:write" and type(path) is str and shell.files.get(path) is not None:
            shell.found.holds_secret = True
            shell.files[path] = Arg(NUL, action.span, origin=A_SECRET)
