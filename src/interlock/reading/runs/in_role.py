"""What the role of an option or an operand makes of its value: a program that is started, a module that is loaded.

The roles that every program shares are in machine/engine.py; these need more than a path, a text or a line of code.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.secrets import baked
from ..evaluate.words import NUL, Arg
from ..machine.strange import MODULES, names_code_elsewhere
from .wrappers import run_code, run_file

if TYPE_CHECKING:
    from ..core.properties import on_property
    from ..evaluate.state import Shell
    from ..lands.caches import on_cache
    from ..reach.daemons import hand_to_daemon
    from ..reach.requirements import look_at_list, remove_listed
    from ..specials.archives import read_named
    from .projects import run_place
    from .started import start
else:
    on_property = lazy(globals(), "..core.properties", "on_property")
    on_cache = lazy(globals(), "..lands.caches", "on_cache")
    hand_to_daemon = lazy(globals(), "..reach.daemons", "hand_to_daemon")
    look_at_list = lazy(globals(), "..reach.requirements", "look_at_list")
    remove_listed = lazy(globals(), "..reach.requirements", "remove_listed")
    read_named = lazy(globals(), "..specials.archives", "read_named")
    run_place = lazy(globals(), ".projects", "run_place")
    start = lazy(globals(), ".started", "start")

__all__ = ["in_role"]


def _start(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A program that the tool starts."""
    start(arg, shell, span)


def _look_at_list(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A list of packages that are looked up."""
    look_at_list(arg, shell, span)


def _remove_listed(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A list of packages that are taken away."""
    remove_listed(arg, shell, span)


def _read_names(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """Files whose names stand in a file."""
    read_named(arg, span, shell)


def _import_named(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """Modules by their names, or files of such: whoever looks at one by importing it runs it."""
    if not arg.known:
        shell.unclear(f"which module is loaded depends on {arg.why or 'a pattern'}", span)
        return
    for one in arg.text.split(","):
        name = one.strip().partition(":")[0]  # `module:object`
        if "/" in name or name.endswith(".py"):
            run_file(Arg(name, arg.span), [], span, shell, "code.py")
        elif name not in _WORDS and all(part.isidentifier() for part in name.split(".")):
            run_code("code.py", Arg(f"import {name}", arg.span), shell, span)


def _load(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A name that comes with the program, a file of one's own, or an address; or several of them."""
    for part in arg.text.split(","):
        text = part.partition("@path:")[2] or part  # a version that mise finds there
        if names_code_elsewhere(text):
            shell.unclear(f"`{text[:60]}` may be code from elsewhere".replace(NUL, "…"), span, kind="fetched")
        elif ("/" in text and text[:2] != "//") or text.endswith(MODULES):
            run_place(Arg(text, arg.span, arg.glob, arg.origin, arg.quoted), shell, span)


def _set_property(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    on_property(arg, span, shell)


def _keep_cache(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    on_cache(arg, span, shell)


def _hand_to_daemon(arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    hand_to_daemon(arg, span, shell)


# Words of Python that its help explains, and that no module is called.
_WORDS = frozenset(
    "False None True and as assert async await break class continue def del elif else except finally for from global "
    "if import in is lambda nonlocal not or pass raise return try while with yield".split()
)
_IN_ROLE = {
    "baked": baked,
    "cache": _keep_cache,
    "daemon": _hand_to_daemon,
    "imports": _import_named,
    "lists": _look_at_list,
    "loads": _load,
    "names": _read_names,
    "property": _set_property,
    "removed": _remove_listed,
    "starts": _start,
}


def in_role(role: str, arg: Arg, span: tuple[int, int], shell: Shell) -> None:
    """The value of an option or an operand with one of these roles."""
    _IN_ROLE[role](arg, span, shell)
