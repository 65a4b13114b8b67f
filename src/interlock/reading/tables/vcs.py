"""Version control other than git, and the programs around git."""

from __future__ import annotations

from .spec import Adds, P, effects
from .vcs_central import CENTRAL
from .vcs_jj import JJ
from .vcs_spread import SPREAD
from .vcs_words import HIGH, SENDS, rows

__all__ = ["PROGRAMS"]

PROGRAMS = (
    *CENTRAL,
    *SPREAD,
    JJ,
    P(
        "git-lfs",
        words=3,
        does="",
        subs=(
            *(
                row.replace(words=3)
                for group in (
                    rows(
                        "git-lfs",
                        "ls-files status env logs pointer version help ext",
                        options="-l -s -d -a -n --include:text --exclude:text --file:read --pointer:read",
                    ),
                    rows(
                        "git-lfs",
                        "fetch pull clone checkout",
                        options="-I|--include:text -X|--exclude:text --all --recent --prune --refetch --to:write "
                        "--ours --theirs --base",
                        does="network write",
                    ),
                    rows(
                        "git-lfs",
                        "push",
                        "remote ref*",
                        "-n|--dry-run --all --object-id --stdin",
                        does="network",
                        dryrun="-n",
                        **SENDS,
                    ),
                    rows(
                        "git-lfs",
                        "lock unlock",
                        "path*",
                        "-r|--remote:text --id:text --json -f|--force!force",
                        does="network",
                        **SENDS,
                    ),
                    rows("git-lfs", "locks", options="-r|--remote:text -i:text -p:text -l:number --json", does="read"),
                    rows(
                        "git-lfs",
                        "track untrack install uninstall update dedup",
                        options="-l --lockable --dry-run --filename "
                        "--local --system --worktree --force --skip-smudge --skip-repo -f -w -s",
                        does="write",
                    ),
                    rows(
                        "git-lfs",
                        "prune",
                        options="-n|--dry-run -d -f --force --recent --verify-remote -c",
                        does="destructive",
                        irreversible=True,
                        dryrun="-n",
                        risk="medium",
                        compensator="git lfs fetch --all",
                    ),
                    rows(
                        "git-lfs",
                        "migrate",
                        options="-I|--include:text -X|--exclude:text --everything --above:text "
                        "--include-ref:text --exclude-ref:text --object-map:write --fixup --no-rewrite -m:text -y "
                        "--verbose",
                        does="destructive",
                        irreversible=True,
                        tags="history",
                        risk="high",
                    ),
                    rows("git-lfs", "fsck", options="--objects --pointers -d|--dry-run", does="write", dryrun="-d"),
                    rows(
                        "git-lfs",
                        "clean smudge filter-process post-checkout post-commit post-merge pre-push",
                        does="write",
                    ),
                )
                for row in group
            ),
        ),
    ),
    P("git-lfs-transfer", "list text", does="write", action="git-lfs:transfer"),
    P(
        "git-flow",
        words=3,
        does="",
        subs=(
            *rows(
                "git-flow",
                "init",
                options="-d -f --feature:text --bugfix:text --release:text --hotfix:text --support:text",
                does="write",
            ),
            *rows("git-flow", "version log config help"),
            *(
                P(
                    kind,
                    action=f"git-flow:{kind}",
                    words=3,
                    default=P(kind, action=f"git-flow:{kind}", does="read"),
                    subs=(
                        *rows(f"git-flow:{kind}", "list diff"),
                        *rows(
                            f"git-flow:{kind}",
                            "start finish rebase checkout rename",
                            "branch text*",
                            "-m|--message:text -F -k -D -S -r -p|--push!push -u:text -f|--messagefile:read -n",
                            does="write",
                            flags={"push": Adds(effects=effects("network"), tags=("external", "sends"))},
                        ),
                        *rows(f"git-flow:{kind}", "track pull", "text*", does="network write"),
                        *rows(f"git-flow:{kind}", "publish", "branch?", does="network", **SENDS),
                        *rows(
                            f"git-flow:{kind}",
                            "delete",
                            "branch",
                            "-f|--force -r|--remote!remote",
                            does="destructive",
                            irreversible=True,
                            flags={"remote": Adds(effects=effects("network"), tags=("external",), risk=HIGH)},
                        ),
                    ),
                )
                for kind in ("feature", "bugfix", "release", "hotfix", "support")
            ),
        ),
    ),
    P("git-annex", special="opaque", does="execute"),
    P("git-sizer", does="read", options="-v -j --threshold:number --names:text"),
    P(
        "git-cliff",
        does="read",
        options="-o|--output:write -c|--config:read -p|--prepend:edit -r|--repository:list -w|--workdir:list "
        "-t|--tag:text -i|--init!init -u -l --bump --unreleased --latest --current --include-path:text "
        "--exclude-path:text -s:text "
        "--strip:text -b|--body:text",
        flags={"init": Adds(effects=effects("write"))},
    ),
    P(
        "git-delta",
        "read*",
        also="delta",
        does="read",
        options="--pager:command --diff-args:text --config:read -s -n --light --dark",
    ),
    P("tig", does="execute", tags="unread", options="-C:list +:text"),
    P(
        "lazygit",
        does="execute",
        tags="unread",
        options="-p|--path:list -w|--work-tree:list -g|--git-dir:list -f|--filter:text "
        "-ucd|--use-config-dir:text -ucf|--use-config-file:text -v -d -l -c -cd",
        also="gitui git-cola",
    ),
)
