"""Hooks of git that this call or this session wrote: what a command of git runs by them.

A hook whose name says when it runs is followed as if it had been typed: it was judged when it was written, and is
judged again by what it says now. Whatever else lies among the hooks may be what one of them sources, and is not read.
Settings of a repository name programs for every command of git, so a file of settings that was written here is not
followed either.
"""

from __future__ import annotations

from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.branches import become, join
from ..evaluate.contents import texts_of_file
from ..evaluate.words import NUL, Arg
from ..places.paths import holds, in_project
from ..tasks.package_keys import HOOK_NAMES, hooks_of
from ..written.follows import follows
from .git_set_up import is_stub

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["fresh_hooks"]

_FOLDERS = ("/.git/hooks/", "/.husky/", "/.githooks/")
_MOST_WORDS = 3  # that git hands to a hook


def fresh_hooks(command: str, shell: Shell, stores: list[str], span: tuple[int, int], *, hooks: bool) -> None:
    """`stores`: folders that may be repositories. Any folder can be one without a work tree: then its settings are the
    file `config` right in it. `hooks`: the command runs some.
    """
    facts = shell.found.facts
    runs = hooks_of(command) if hooks else frozenset()
    for path in dict.fromkeys((*shell.files, *sorted(facts.written))):  # the one that is named is the same everywhere
        if path.endswith("/.git/config") or (
            path.endswith("/config") and any(holds(path[:-7], store) for store in stores) and path[:-7] != facts.root
        ):
            _unclear(path, shell, span)
            return
        folder = next((folder for folder in _FOLDERS if folder in path), None)
        if not hooks or folder is None or _is_of_husky(path, shell):
            continue
        root, _, name = path.partition(folder)
        if name not in HOOK_NAMES or not in_project(facts.root, path):
            _unclear(path, shell, span)
            return
        if name in runs and not (path in facts.absent and path not in shell.files):
            _run(path, root, shell, span)


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


def _run(path: str, root: str, shell: Shell, span: tuple[int, int]) -> None:
    found = shell.found
    mark = ("hook", path, id(shell.files.get(path)))
    if mark in found.seen:  # a hook may use git itself
        return
    found.seen.add(mark)
    texts = texts_of_file(path, shell)
    if texts is None:
        shell.unclear(f"`{path}` was written in this session, and its content was not read", span, kind="written-here")
    for text in texts or ():
        # Git may look for its hooks elsewhere: what one would write is written, or is not.
        without, taken = shell.branch(), shell.branch()
        _follow(path, root, text, span, taken)
        become(shell, without)
        join(shell, [taken])


def _follow(path: str, root: str, text: str, span: tuple[int, int], shell: Shell) -> None:
    said = follows(path, "git's hooks", text)
    inner = shell.child()
    inner.folders = (root,)
    if said is None:
        unknown = [Arg(NUL, span) for _ in range(_MOST_WORDS)]
        shell.found.follow.run_file(Arg(path, span, quoted=True), unknown, span, inner)
    for run in () if said is None else said.runs:
        inner.parameters = None if run.words is None else [Arg(word or NUL, span, quoted=True) for word in run.words]
        inner.posix = run.by == "sh"
        shell.found.follow.run_code_here(Arg(run.text, span, quoted=True), inner, span)
