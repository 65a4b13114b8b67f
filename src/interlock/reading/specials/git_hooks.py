"""Hooks of git that this call or this session wrote: they are read as if the command had run them itself.

Settings of a repository name programs for every command of git, so a file of settings that was written here is not
followed. The same goes for a file beside the hooks that has no hook's name: which hook takes it in is not known.
"""

from __future__ import annotations

from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..places.paths import holds
from ..tasks.package_keys import HOOK_NAMES, hooks_of
from .git_set_up import is_stub

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["fresh_hooks"]

_FOLDERS = ("/.git/hooks/", "/.husky/", "/.githooks/")


def fresh_hooks(command: str, shell: Shell, stores: list[str], span: tuple[int, int], *, hooks: bool) -> None:
    """`stores`: folders that may be repositories. Any folder can be one without a work tree: then its settings are the
    file `config` right in it. `hooks`: the command runs some.
    """
    facts = shell.found.facts
    runs = hooks_of(command) if hooks else frozenset()
    for path in (*shell.files, *sorted(facts.written)):  # the one that is named is the same everywhere
        if path.endswith("/.git/config") or (
            path.endswith("/config") and any(holds(path[:-7], store) for store in stores) and path[:-7] != facts.root
        ):
            _unclear(path, shell, span)
            return
        if not hooks or not any(folder in path for folder in _FOLDERS) or _is_of_husky(path, shell):
            continue
        name = path.rpartition("/")[2]
        if name not in HOOK_NAMES:
            _unclear(path, shell, span)
            return
        if name in runs:
            _run(path, shell, span)


def _unclear(path: str, shell: Shell, span: tuple[int, int]) -> None:
    shell.unclear(f"`{path}` was written in this session, and git may run it", span, kind="written-here")


def _is_of_husky(path: str, shell: Shell) -> bool:
    """What husky itself puts before each hook. It runs the file of the same name above it, and nothing else."""
    if "/.husky/_/" not in path or path in shell.files:
        return False
    text = shell.found.facts.scripts.get(path)
    if text is None and path not in shell.found.facts.unread:
        shell.found.want(Script(path))
    return text is not None and is_stub(path, text)


def _run(path: str, shell: Shell, span: tuple[int, int]) -> None:
    found = shell.found
    mark = ("hook", path, id(shell.files.get(path)))
    if mark in found.seen:  # a hook may use git itself
        return
    found.seen.add(mark)
    language = "code.sh" if "/.husky/" in path else ""  # husky gives each to `sh`, whatever its first line says
    given = Arg(NUL, span, quoted=True)
    found.follow.run_file(Arg(path, span, quoted=True), [given], span, shell.child(), language)
