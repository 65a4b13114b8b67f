"""git: the work tree, the index, commits and branches."""

from __future__ import annotations

from .git_words import DIFF, LOG, LOOKS, LOSES, MERGE, G
from .spec import Adds, P, effects

__all__ = ["SUBS"]

_WRITES = Adds(effects=effects("write"))
_FORCED = Adds(effects=effects("write"), tags=("force",))
_REWRITES = Adds(tags=("history",))
_REFLOG = "git reflog, then git branch <name> <commit>"
_FROM_FILE = "--pathspec-from-file:text --pathspec-file-nul"
_STASH = (
    f"-m|--message:text {_FROM_FILE} -k -u -a -p -q -S --keep-index --no-keep-index --include-untracked --all --patch "
    "--staged --quiet"
)
_LIST = (
    "--contains:text --no-contains:text --merged?:text --no-merged?:text --points-at:text --sort:text --format:text "
    "--color?:text --column?:text --abbrev?:number"
)
_PICK = f"{MERGE} -m|--mainline:number -e -n -x -s -q --edit --no-edit --no-commit --signoff --ff --continue --abort"

SUBS = (
    G(
        "init",
        "write?",
        does="write",
        also="init-db",
        options="--template:text!template --separate-git-dir:write --object-format:text --ref-format:text "
        "-b|--initial-branch:text --shared?:text -q --bare",
        flags={"template": Adds(opaque="hooks are copied from a template")},
        example="git init -b main",
    ),
    G(
        "add",
        does="write",
        also="stage",
        special="git_diff",
        options=f"--chmod:text {_FROM_FILE} -n|--dry-run -v -f -i -p -e -u -A -N --all --force --patch --update",
        dryrun="-n",
        example="git add -A",
    ),
    G(
        "mv",
        "move+ write",
        special="copies",
        does="write",
        options="-v -f -n|--dry-run -k",
        dryrun="-n",
        example="git mv a.py b.py",
    ),
    G(
        "rm",
        "path*",
        does="write",
        special="git_rm",
        options=f"-f|--force!force -n|--dry-run -r -q --cached!cached --ignore-unmatch --sparse {_FROM_FILE}",
        flags={"force": LOSES},
        dryrun="-n",
        compensator="git checkout <commit> -- <path>, for what was committed",
        example="git rm --cached .env",
    ),
    G(
        "commit",
        does="write",
        options="-m|--message:text -F|--file:read -t|--template:read -C|--reuse-message:text -c|--reedit-message:text "
        "--fixup:text --squash:text --author:text --date:text --cleanup:text --trailer:text -S|--gpg-sign?:text "
        f"-u|--untracked-files?:text {_FROM_FILE} --amend!amend -n|--no-verify!no-verify --dry-run --allow-empty "
        "-a -p -q -v -s -e -i -o -z --all --signoff --edit --no-edit --reset-author --allow-empty-message",
        flags={"amend": _REWRITES},
        dryrun="--dry-run",
        example="git commit -m 'Fix the parser'",
    ),
    G(
        "branch",
        "branch*",
        special="git_branch",
        options=f"{_LIST} -d|--delete!delete -D!force-delete -m|--move!move -M!force-move -c|--copy!copy -C!force-copy "
        "-f|--force!force -u|--set-upstream-to:upstream --unset-upstream!unset -t|--track?:text "
        "--edit-description!edit "
        "-a|--all -r|--remotes -l|--list --show-current -v -q -i --no-track --create-reflog --recurse-submodules",
        flags={
            "makes": _WRITES,
            "delete": _WRITES,
            "force-delete": LOSES,
            "move": _WRITES,
            "copy": _WRITES,
            "force-move": _FORCED,
            "force-copy": _FORCED,
            "force": _FORCED,
            "unset": _WRITES,
            "edit": _WRITES,
            "-u": _WRITES,
            "elsewhere": Adds(effects=effects("write"), tags=("redirects",)),
        },
        compensator=_REFLOG,
        example="git branch -a",
    ),
    G(
        "tag",
        "tag*",
        special="git_branch",
        options=f"{_LIST} -m|--message:text -F|--file:read -u|--local-user:text --cleanup:text --trailer:text "
        "-n?:number -l|--list -v|--verify -d|--delete!delete -f|--force!force -a -s -e -i --create-reflog",
        flags={"makes": _WRITES, "force": _FORCED, "delete": LOSES},
        compensator="git tag <name> <commit>",
        example="git tag -a v1.0 -m 'Version 1.0'",
    ),
    G(
        "checkout",
        "ref*",
        does="write",
        special="git_checkout",
        options="-b:branch -B:branch!reset --orphan:branch --conflict:text -U|--unified:number "
        "--inter-hunk-context:number "
        f"{_FROM_FILE} -t|--track?:text -f|--force!force -p|--patch -m|--merge -2|--ours -3|--theirs -d|--detach -l -q "
        "--guess --no-guess --no-track --overlay --no-overlay --recurse-submodules --ignore-other-worktrees "
        "--overwrite-ignore --progress --ignore-skip-worktree-bits",
        flags={"discards": LOSES, "force": LOSES, "reset": _FORCED},
        example="git checkout -b feature/x",
    ),
    G(
        "switch",
        "ref*",
        does="write",
        options="-c|--create:branch -C|--force-create:branch!reset --orphan:branch --conflict:text -t|--track?:text "
        "-f|--force|--discard-changes!force -d -m -q --detach --merge --guess --no-guess --no-track",
        flags={"force": LOSES, "reset": _FORCED},
        example="git switch -c feature/x",
    ),
    G(
        "restore",
        "path*",
        does="write",
        special="git_restore",
        options=f"-s|--source:ref --conflict:text {_FROM_FILE} -S|--staged!staged -W|--worktree!worktree -p -q -m "
        "--ours --theirs --overlay --no-overlay --ignore-unmerged --recurse-submodules",
        flags={"discards": LOSES},
        example="git restore --staged a.py",
    ),
    G(
        "reset",
        "ref*",
        does="write",
        options=f"--hard!hard --merge!merge --keep --soft --mixed {_FROM_FILE} -p -q -N --patch --no-refresh",
        flags={"hard": LOSES, "merge": LOSES},
        compensator="git reset --hard ORIG_HEAD; changes that were not committed are lost",
        example="git reset --soft HEAD~1",
    ),
    G(
        "clean",
        "path*",
        does="destructive",
        irreversible=True,
        risk="medium",
        options="-n|--dry-run -f|--force!force -d!folders -x!ignored -X!only-ignored -e|--exclude:text -i -q",
        dryrun="-n",
        example="git clean -n",
    ),
    G(
        "stash",
        does="write",
        options=_STASH,
        default=G("stash", does="write", options=_STASH),
        subs=(
            G("push", "edit*", does="write", under="stash", options=_STASH),
            G("save", does="write", under="stash", options=_STASH),
            G("create", does="write", under="stash"),
            G("store", does="write", under="stash", options="-m|--message:text -q"),
            G("pop", does="write", under="stash", options="--index -q"),
            G("apply", does="write", under="stash", options="--index -q"),
            G("branch", "branch text?", does="write", under="stash"),
            G("list", under="stash", options=f"{LOG} {DIFF}", flags=LOOKS),
            G("show", under="stash", options=f"{DIFF} --include-untracked --only-untracked", flags=LOOKS),
            G("export", does="write", under="stash", options="--to-ref:ref --print"),
            G(
                "drop",
                "stash?",
                does="destructive",
                irreversible=True,
                risk="medium",
                under="stash",
                options="-q",
                compensator="git stash apply <commit>, found by git fsck --unreachable",
            ),
            G(
                "clear",
                does="destructive",
                irreversible=True,
                risk="medium",
                under="stash",
                compensator="git stash apply <commit>, found by git fsck --unreachable",
            ),
        ),
        example="git stash push -m wip",
    ),
    G(
        "merge",
        "ref*",
        does="write",
        options=f"{MERGE} -m|--message:text -F|--file:read --into-name:text --log?:number -n -e -q -v --no-ff "
        "--ff-only "
        "--ff --squash --no-commit --commit --no-edit --edit --signoff --stat --abort --continue --quit --no-verify "
        "--allow-unrelated-histories --autostash",
        example="git merge --no-ff feature/x",
    ),
    G(
        "rebase",
        "ref*",
        does="write",
        tags="history",
        options=f"{MERGE} -x|--exec:code.sh --onto:onto --empty:text --whitespace:text -C:number "
        "-r|--rebase-merges?:text -i -m -q -v -n -f --interactive --root --autosquash --autostash --keep-base "
        "--fork-point --continue --abort --skip --quit --edit-todo --show-current-patch --update-refs --no-verify",
        compensator="git reset --hard ORIG_HEAD",
        example="git rebase --onto main feature~3 feature",
    ),
    G("cherry-pick", "ref*", does="write", options=_PICK, example="git cherry-pick abc123"),
    G("revert", "ref*", does="write", options=_PICK, example="git revert --no-edit HEAD"),
    G(
        "apply",
        "read*",
        does="write",
        special="git_apply",
        options="-p:number -C:number --include:text --exclude:text --directory:write --whitespace:text "
        "--build-fake-ancestor:write --check --stat --numstat --summary --apply!apply --unsafe-paths!unsafe-paths "
        "-R -3 -v -q -z -N --index --cached --reject --recount --reverse --3way --inaccurate-eof --allow-empty",
        flags={
            "takes-back": LOSES,
            "unsafe-paths": Adds(opaque="a patch may write wherever it says, outside the work tree too"),
        },
        dryrun="--check --stat --numstat --summary",
        example="git apply --check a.patch",
    ),
    G(
        "am",
        "read*",
        does="write",
        special="git_apply",
        options="-p:number -C:number --include:text --exclude:text --directory:text --whitespace:text "
        "--patch-format:text --quoted-cr:text --empty:text --resolvemsg:text -S|--gpg-sign?:text "
        "--show-current-patch?:text -s -k -q -i -u -c -3 -r --abort --continue --skip --quit --signoff --3way --reject",
        example="git am 0001-fix.patch",
    ),
    G(
        "format-patch",
        does="write",
        options=f"{LOG} {DIFF} -o|--output-directory:write --start-number:number --in-reply-to:text --to:text "
        "--cc:text "
        "--from?:text --suffix:write --signature:text --signature-file:read --subject-prefix:text --rfc?:text "
        "-v|--reroll-count:text --base:text --interdiff:text --range-diff:text --cover-from-description:text "
        "--description-file:read --thread?:text --attach?:text --inline?:text --filename-max-length:number "
        "--add-header:text --creation-factor:number -k -N --cover-letter --stdout -n|--numbered",
        flags=LOOKS,
        example="git format-patch -o patches origin/main",
    ),
    G(
        "worktree",
        subs=(
            G("list", under="worktree", options="-v -z --porcelain"),
            G(
                "add",
                "write text?",
                does="write",
                under="worktree",
                options="-b:branch -B:branch!reset --reason:text -f -d -q --detach --checkout --no-checkout --lock "
                "--orphan "
                "--track --guess-remote",
                flags={"reset": _FORCED},
                example="git worktree add ../fix -b fix",
            ),
            G("remove", "path", does="write", under="worktree", options="-f|--force!force", flags={"force": LOSES}),
            G("move", "move write", does="write", under="worktree", options="-f"),
            G("prune", does="write", under="worktree", options="-n|--dry-run -v --expire:text", dryrun="-n"),
            G("repair", "path*", does="write", under="worktree"),
            G("lock", "path", does="write", under="worktree", options="--reason:text"),
            G("unlock", "path", does="write", under="worktree"),
        ),
    ),
    G(
        "sparse-checkout",
        does="write",
        subs=(
            G("list", under="sparse-checkout"),
            G("set", does="write", under="sparse-checkout", options="--cone --no-cone --stdin --sparse-index"),
            G("add", does="write", under="sparse-checkout", options="--stdin --skip-checks"),
            G("init", does="write", under="sparse-checkout", options="--cone --no-cone --sparse-index"),
            G("reapply", does="write", under="sparse-checkout"),
            G("disable", does="write", under="sparse-checkout"),
            G("check-rules", under="sparse-checkout", options="-z --rules-file:read"),
        ),
    ),
    G(
        "bisect",
        does="write",
        subs=(
            G("run", "command", does="write execute", under="bisect", example="git bisect run make test"),
            G(
                "start",
                does="write",
                under="bisect",
                options="--term-new:text --term-bad:text --term-old:text --term-good:text",
            ),
            *(
                G(name, does="write", under="bisect")
                for name in ("good", "bad", "old", "new", "skip", "next", "reset", "terms")
            ),
            G("replay", "read", does="write", under="bisect"),
            G("log", under="bisect"),
            G("view", under="bisect", options=f"{LOG} {DIFF}", flags=LOOKS, also="visualize"),
            G("help", does="", under="bisect"),
        ),
    ),
    G(
        "notes",
        options="--ref:text",
        default=G("notes", options="--ref:text"),
        subs=(
            G("list", under="notes"),
            G("show", under="notes"),
            *(
                G(
                    name,
                    does="write",
                    under="notes",
                    options="-m|--message:text -F|--file:read -C|--reuse-message:text -c|--reedit-message:text "
                    "-s|--strategy:text -f --allow-empty --separator?:text",
                )
                for name in ("add", "append", "edit", "copy", "merge")
            ),
            G(
                "remove",
                does="destructive",
                irreversible=True,
                risk="medium",
                under="notes",
                options="--ignore-missing --stdin",
            ),
            G("prune", does="destructive", irreversible=True, under="notes", options="-n -v", dryrun="-n"),
            G("get-ref", under="notes"),
        ),
    ),
    G(
        "difftool",
        does="execute",
        tags="unread",
        options=f"-x|--extcmd:code.sh -t|--tool:tool {DIFF} -d -y -g --dir-diff --no-prompt --gui --tool-help "
        "--trust-exit-code",
    ),
    G(
        "mergetool",
        does="execute write",
        tags="unread",
        options="-t|--tool:tool -O:read -y -g --gui --no-prompt --tool-help",
    ),
    G(
        "rerere",
        does="write",
        default=G("rerere", does="write"),
        subs=(
            G("status", under="rerere"),
            G("diff", under="rerere"),
            G("remaining", under="rerere"),
            G("clear", does="write", under="rerere"),
            G("forget", does="write", under="rerere"),
            G("gc", does="write", under="rerere"),
        ),
    ),
    P(
        "config",
        action="git:config",
        words=2,
        does="read",
        special="git_config",
        options="-f|--file:file --blob:text -t|--type:text --default:text --value:text --comment:text --url:text "
        "--global!global "
        "--system!system --local --worktree --get --get-all --get-regexp --get-urlmatch "
        "--get-color "
        "--get-colorbool -l|--list --add --replace-all --unset --unset-all "
        "--rename-section --remove-section -e|--edit --fixed-value --all --regexp --append "
        "--bool --int --bool-or-int --path --expiry-date --no-type -z --null --name-only --show-origin --show-scope "
        "--includes",
        flags={"sets": _WRITES, "edits": _WRITES, "system": Adds(tags=("privileged",))},
        example="git config --get user.name",
    ),
)
