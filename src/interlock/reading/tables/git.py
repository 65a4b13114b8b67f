"""git: its own options, and its commands by what they touch (git_look, git_work, git_remote, git_plumbing)."""

from __future__ import annotations

from . import git_look, git_plumbing, git_remote, git_work
from .spec import P

__all__ = ["PROGRAMS"]

PROGRAMS = (
    P(
        "git",
        special="git",
        options="-C:seen -c:text --config-env:text --exec-path?:text --git-dir:text --work-tree:text --namespace:text "
        "--super-prefix:text --attr-source:text --list-cmds:text -p|--paginate -P|--no-pager --bare "
        "--no-replace-objects "
        "--no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs "
        "--icase-pathspecs --html-path --man-path --info-path -v|--version -h|--help",
        subs=(*git_look.SUBS, *git_work.SUBS, *git_remote.SUBS, *git_plumbing.SUBS),
        words=2,
        does="",
        example="git -C /repo status",
    ),
    P(
        "gitk",
        does="read",
        options="--since:text --until:text --argscmd:code.sh --select-commit:text --max-count:number --all",
    ),
    P("git-filter-repo", does="destructive", irreversible=True, special="git_dashed"),
    P("git-upload-pack", "list", also="git-upload-archive", does="read", action="git:upload-pack"),
    P("git-receive-pack", "edit", does="write", action="git:receive-pack", tags="unread"),
    P("git-shell", special="opaque", does="execute"),
)
