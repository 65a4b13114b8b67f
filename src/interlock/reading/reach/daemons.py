"""Daemons and builders of containers: those of this machine, and any other.

Who builds or runs a container hands the project, and what it was given, to a daemon. `-H`, a context, a connection or
a builder can name one on another machine. A name is no address, so only the names that come with the programs count as
here.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import NUL, Arg
from ..places.system_places import HERE, HERE_BY_NAME, host_in

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import emit
else:
    emit = lazy(globals(), "..machine.acts", "emit")

__all__ = ["hand_to_daemon", "is_another_daemon"]

_SOCKETS = ("unix://", "npipe://", "fd://", "/", "docker-container://")


def is_another_daemon(text: str) -> bool:
    """`tcp://build.example:2375`, `ssh://me@prod`, the context `prod`; not `unix:///run/docker.sock` or `default`."""
    if "://" in text or text[:1] == "/":
        return not text.startswith(_SOCKETS) and host_in(text) not in HERE
    return text not in HERE_BY_NAME


def hand_to_daemon(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """The role `daemon`: an address or a name, or the settings of a context (`host=tcp://…,ca=…`)."""
    for part in arg.text.split(","):
        name, equals, value = part.partition("=")
        if (not equals or name == "host") and is_another_daemon(value if equals else part):
            emit(
                shell,
                span,
                name="docker:elsewhere",
                effects=(Effect.NETWORK,),
                tags=("external", "redirects"),
                target={"host": (value or part).replace(NUL, "…")},
            )
