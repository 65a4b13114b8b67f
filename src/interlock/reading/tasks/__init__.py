"""Files that say what a name runs: the scripts of a package.json, the rules of a makefile.

`npm test` and `make` run what such a file says. Where its text can be had it is followed like the text of a script;
where it cannot, it is the project's own code, which is run unread, or opaque if this session wrote it. One module for
each format finds the texts that would run, and inside.py follows them.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from .makefile import run_goals
    from .package_json import run_scripts
else:
    run_goals = lazy(globals(), ".makefile", "run_goals")
    run_scripts = lazy(globals(), ".package_json", "run_scripts")

__all__ = ["read_tasks"]


def read_tasks(words: tuple[Arg, ...], folder: str, shell: Shell, span: tuple[int, int]) -> bool:
    """What the command would run in the folder. True if all of it was read; what was not is told as opaque."""
    if words[0].text.rpartition("/")[2] in ("make", "gmake"):
        return run_goals(words, folder, shell, span)
    return run_scripts(words, folder, shell, span)
