"""Programs whose arguments a table of options cannot describe, by the name that a row gives in `special`."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..commands.spec import Program
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

    Special = Callable[[Program, list[Arg], tuple[int, int], Shell], Arg | None]

__all__ = ["SPECIALS", "special"]

# name -> the module here that has the function of that name
SPECIALS = {
    "shell_program": "shells",
    "interpreter": "shells",
    "find": "finders",
    "xargs": "finders",
    "awk": "languages",
    "sed": "languages",
    "grep": "languages",
    "jq": "languages",
    "env": "runners",
    "sudo": "runners",
    "su": "runners",
    "flock": "runners",
    "joined": "runners",
    "script": "runners",
    "opaque": "runners",
    "crontab": "runners",
    "terminal": "runners",
    "tar": "archives",
    "dd": "archives",
    "rsync": "archives",
    "unzip": "archives",
    "archive7": "archives",
}


def special(name: str) -> Special:
    """The function, imported when it is first met."""
    from importlib import import_module

    function: Special = getattr(import_module(f"interlock.reading.specials.{SPECIALS[name]}"), name)
    return function
