"""Hooks that this call or this session wrote: what a command of git runs by them.

A hook whose name says when it runs is followed as if it had been typed: it was judged when it was written, and is
judged again by what it says now. Whatever else lies among the hooks may be what one of them sources, and is not read.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.words import NUL, Arg
from ..places.paths import in_project
from ..written.follows import follows

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["follow_hooks"]

_FOLDERS = ("/.husky/", "/.githooks/")
_AT_PUSH = frozenset(("pre-push",))
_ELSEWHERE = frozenset(
    (
        "pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge pre-rebase post-rewrite "
        "post-checkout applypatch-msg pre-applypatch post-applypatch"
    ).split()
)
_MOST_WORDS = 3  # that git hands to a hook


def follow_hooks(command: str, written: tuple[str, ...], span: tuple[int, int], shell: Shell) -> None:
    """What the hooks among these files would do that may run with this command of git."""
    facts = shell.found.facts
    for path in dict.fromkeys(written):
        folder = next((folder for folder in _FOLDERS if folder in path), None)
        if folder is None and "/.git/hooks/" not in path:
            continue
        root, _, name = path.partition(folder or "/.git/hooks/")
        known = folder is not None and name in _AT_PUSH | _ELSEWHERE and in_project(facts.root, path)
        if not known:
            shell.unclear(f"`{path}` was written in this session, and git may run it", span, kind="written-here")
            return
        if (name in _AT_PUSH) is not (command == "push") or (path in facts.absent and path not in shell.files):
            continue
        texts = texts_of_file(path, shell)
        if texts is None:
            shell.unclear(
                f"`{path}` was written in this session, and its content was not read", span, kind="written-here"
            )
        for text in texts or ():
            _follow(path, root, text, span, shell)


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
