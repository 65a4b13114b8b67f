"""jj: every change can be undone by `jj undo`, apart from what has been pushed."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, Program

if TYPE_CHECKING:
    from typing import Any

__all__ = ["JJ"]

_OWN = (
    "-R|--repository:list --config:code.jj --config-file:read!settings --config-toml:code.jj "
    "--at-operation|--at-op:text "
    "--color:text --ignore-working-copy --ignore-immutable!immutable --no-pager --quiet --debug -h|--help"
)
_REVS = (
    "-r|--revision|--revisions:text --from|-f:text --to|--into|-t:text -s|--source:text -b|--branch:text "
    "-d|--destination|-o|--onto:text -A|--insert-after|--after:text -B|--insert-before|--before:text -m|--message:text "
    "--tool:starts -T|--template:text -n|--limit:number --context:number --changes-in|-c:text --name:text "
    "--author:text --sort:text --fileset:text -i -p -s --stat --summary --git --stdin --interactive"
)
_FLAGS = {
    "settings": Adds(opaque="settings that can name programs to run"),
    "immutable": Adds(tags=("history", "force")),
}


# Other names of the same command: an action is called by the first.
_SAME = {
    "st": "status", "ci": "commit", "desc": "describe", "l": "list", "c": "create", "s": "set", "m": "move",
    "t": "track",
    "r": "rename", "d": "delete", "f": "forget", "g": "get", "p": "path", "u": "unset", "e": "edit", "obslog": "evolog",
    "backout": "revert",
}  # fmt: skip


def _rows(group: str, names: str, operands: str = "text*", options: str = _REVS, **more: Any) -> tuple[Program, ...]:
    rows = []
    for name in names.split():
        full = _SAME.get(name, name)
        action = f"jj:{group}-{full}" if group else f"jj:{full}"
        kept = {"action": action, "words": 3 if group else 2, "does": "read", "flags": _FLAGS, **more}
        rows.append(P(name, operands, options=f"{options} {_OWN}", **kept))
    return tuple(rows)


def _group(name: str, *subs: Program, **more: Any) -> Program:
    return P(name, subs=subs, action=f"jj:{name}", words=3, options=_OWN, flags=_FLAGS, **more)


_PUSH = (
    "--remote:remote -b|--bookmark:branch --all!all --tracked --deleted!delete -r|--revisions:text -c|--change:text "
    "--named:branch --allow-new --allow-empty-description --allow-private -N --dry-run -o:text"
)

JJ = P(
    "jj",
    words=2,
    does="",
    options=f"{_OWN} --version",
    flags=_FLAGS,
    default=P("jj", action="jj:log", does="read", options=_OWN),
    subs=(
        *_rows("", "log status st show diff interdiff evolog obslog root version help"),
        *_rows(
            "",
            "new commit ci describe desc edit absorb duplicate squash split rebase restore revert backout "
            "undo redo "
            "next prev parallelize simplify-parents unsign sign metaedit",
            does="write",
        ),
        *_rows("", "diffedit resolve", does="write"),
        *_rows("", "abandon", does="write", tags="history", compensator="jj undo"),
        *_rows("", "fix", does="execute write", tags="unread", action="exec:project"),
        _group("bisect", *_rows("bisect", "run", "command", "--range:text --find-good", does="execute write")),
        _group(
            "file", *_rows("file", "list show annotate search"), *_rows("file", "chmod track untrack", does="write")
        ),
        _group(
            "bookmark",
            *_rows("bookmark", "list l"),
            *_rows(
                "bookmark",
                "create c set s move m track t untrack rename r delete d forget f advance",
                "branch*",
                does="write",
            ),
            also="b",
        ),
        _group("tag", *_rows("tag", "list l"), *_rows("tag", "set s delete d", "tag*", does="write"), also="t"),
        _group(
            "config",
            *_rows("config", "list l get g path p", options="--user --repo --workspace --include-defaults -T:text"),
            *_rows("config", "set s", "key value?", "--user --repo --workspace", does="write", special="jj_config"),
            *_rows("config", "unset u", "key", "--user --repo --workspace", does="write"),
            *_rows("config", "edit e", "text*", "--user --repo --workspace", does="write", tags="unread"),
        ),
        _group(
            "operation",
            *_rows("operation", "log show diff"),
            *_rows("operation", "undo restore revert", does="write"),
            *_rows("operation", "abandon", does="destructive", irreversible=True, tags="history"),
            also="op",
        ),
        _group(
            "workspace",
            *_rows("workspace", "list root"),
            *_rows("workspace", "add", "write", does="write"),
            *_rows("workspace", "forget rename update-stale", does="write"),
        ),
        _group(
            "sparse",
            *_rows("sparse", "list"),
            *_rows("sparse", "set reset edit", does="write", options="--add:text --remove:text --clear"),
        ),
        _group(
            "git",
            *_rows(
                "git",
                "clone",
                "url brings?",
                "--remote:text --depth:number --branch:text --colocate",
                special="clones",
                does="network write",
            ),
            *_rows("git", "init", "write?", "--git-repo:list --colocate --no-colocate", does="write"),
            *_rows(
                "git",
                "fetch",
                options="--remote:remote -b|--branch:branch --all-remotes --tracked",
                does="network write",
            ),
            *_rows(
                "git",
                "push",
                options=_PUSH,
                does="destructive network",
                tags="external sends",
                irreversible=True,
                risk="high",
                dryrun="--dry-run",
            ),
            *_rows("git", "export import", does="write"),
            *_rows("git", "root"),
            _group(
                "remote",
                *_rows("git-remote", "list"),
                *_rows("git-remote", "add", "remote url", does="write"),
                *_rows("git-remote", "set-url", "remote url", does="write", tags="redirects"),
                *_rows("git-remote", "remove rename", "remote*", does="write", tags="redirects"),
            ),
        ),
        _group(
            "util",
            *_rows("util", "completion config-schema markup-help"),
            *_rows("util", "gc", does="destructive", irreversible=True, options="--expire:text"),
            *_rows("util", "exec", "command", "", does="execute"),
        ),
    ),
    example="jj log -r @",
)
