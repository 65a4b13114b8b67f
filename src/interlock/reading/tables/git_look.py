"""git: commands that only look."""

from __future__ import annotations

from .git_words import DIFF, LOG, LOOKS, G
from .spec import Adds, effects

__all__ = ["SUBS"]

_BLAME = (
    "-L:text -S:read -M?:text -C?:text --contents:read --ignore-rev:text --ignore-revs-file:read --date:text "
    "--abbrev?:number --since:text --encoding:text --reverse:text -l -t -f -n -s -e -w -p -c -b --root --porcelain "
    "--line-porcelain --incremental --show-stats --color-lines --color-by-age"
)
_REFS = (
    "--contains:text --no-contains:text --merged?:text --no-merged?:text --points-at:text --sort:text --format:text "
    "--count:number --exclude:text --color?:text --ignore-case --stdin --omit-empty -s -p --shell --perl --python --tcl"
)

SUBS = (
    G(
        "status",
        "seen*",
        options="-u|--untracked-files?:text --ignored?:text --ignore-submodules?:text --porcelain?:text --column?:text "
        "-M|--find-renames?:text -s -b -v -z --short --long --branch --show-stash --ahead-behind --renames",
        example="git status --short --branch",
    ),
    G("diff", special="git_diff", options=DIFF, flags=LOOKS, example="git diff --stat HEAD~1 -- src"),
    G(
        "log",
        special="git_diff",
        also="whatchanged",
        options=f"{LOG} {DIFF}",
        flags=LOOKS,
        example="git log --oneline -20",
    ),
    G("show", special="git_diff", options=f"{LOG} {DIFF}", flags=LOOKS, example="git show --stat HEAD"),
    G("range-diff", options=f"{DIFF} --creation-factor:number --left-only --right-only", flags=LOOKS),
    G("diff-files", options=DIFF, flags=LOOKS),
    G("diff-index", options=DIFF, flags=LOOKS),
    G("diff-tree", options=f"{LOG} {DIFF} -r -t -m --root --no-commit-id", flags=LOOKS),
    G(
        "blame",
        also="annotate",
        options=_BLAME,
        example="git blame -L 10,20 src/main.py",
    ),
    G(
        "grep",
        "words? shown*",
        special="git_diff",
        options="-e:words -f:read -A|--after-context:number -B|--before-context:number -C|--context:number "
        "-m|--max-count:number --max-depth:number --threads:number -O|--open-files-in-pager?:code.sh --color?:text "
        "--textconv!textconv --no-index -i -v -w -x -n -h -H -l -L -c -q -p -W -E -F -G -P -a -I -r -o -z --untracked "
        "--cached --and --or --not --all-match --heading --break --column --recurse-submodules",
        flags=LOOKS,
        example="git grep -n TODO -- '*.py'",
    ),
    G(
        "shortlog",
        options=f"{LOG} --group:text -w?:text -n|--numbered -s -e -c|--committer",
        example="git shortlog -sn",
    ),
    G(
        "describe",
        options="--abbrev?:number --candidates:number --match:text --exclude:text --dirty?:text --tags --all",
    ),
    G("name-rev", options="--refs:text --exclude:text --tags --all --annotate-stdin --name-only --always"),
    G("cherry", options="-v --abbrev?:number"),
    G("show-branch", options="-a -r -g|--reflog?:text --color?:text --list --topics --sha1-name --independent"),
    G("show-ref", options="--hash?:number --abbrev?:number --exclude-existing?:text -s -d -q --heads --tags --verify"),
    G("for-each-ref", options=_REFS, example="git for-each-ref --sort=-committerdate refs/heads"),
    G(
        "rev-list",
        options=f"{LOG} --abbrev?:number --max-age:text --min-age:text --max-parents:text --min-parents:text "
        "--filter:text --disk-usage?:text --missing:text --count --objects --bisect",
    ),
    G(
        "rev-parse",
        options="--default:text --prefix:text --git-path:text --short?:number --abbrev-ref?:text --path-format:text "
        "--resolve-git-dir:text --disambiguate:text --since:text --until:text --branches?:text --tags?:text "
        "--remotes?:text --glob:text --exclude:text --show-object-format?:text",
        example="git rev-parse --abbrev-ref HEAD",
    ),
    G("merge-base", options="-a --all --is-ancestor --octopus --independent --fork-point"),
    G(
        "ls-files",
        "seen*",
        options="-x|--exclude:text -X|--exclude-from:read --exclude-per-directory:text --with-tree:text "
        "--format:text --abbrev?:number -c -d -m -o -i -s -u -k -z -t -v -f --others --cached --exclude-standard",
        example="git ls-files --others --exclude-standard",
    ),
    G(
        "ls-tree",
        "seen*",
        options="--abbrev?:number --format:text -r -d -t -l -z --name-only --name-status --full-tree",
    ),
    G(
        "cat-file",
        special="git_diff",
        options="--textconv!textconv --filters!filters --path:text --filter:text --batch?:text --batch-check?:text "
        "--batch-command?:text -e -p -t -s --batch-all-objects --unordered --buffer --follow-symlinks",
        flags={**LOOKS, "filters": Adds(opaque="the configuration names the program that filters")},
        example="git cat-file -p HEAD",
    ),
    G("count-objects", options="-v -H"),
    G(
        "fsck",
        options="--lost-found!lost-found --unreachable --full --strict --cache --connectivity-only --no-reflogs",
        flags={"lost-found": Adds(effects=effects("write"))},
    ),
    G("fsck-objects"),
    G("check-ignore", "seen*", options="-q -v -z -n --stdin --no-index"),
    G("check-attr", "seen*", options="--source:text -a -z --stdin --cached --all"),
    G("check-mailmap", options="--stdin --mailmap-file:read --mailmap-blob:text"),
    G("check-ref-format", does="", options="--branch:text --normalize --allow-onelevel --refspec-pattern"),
    G("var", options="-l"),
    G("verify-commit", options="-v --raw"),
    G("verify-tag", options="-v --raw --format:text"),
    G("verify-pack", "read*", options="-v -s --object-format:text"),
    G("show-index", options="--object-format:text"),
    G("patch-id", options="--stable --unstable --verbatim"),
    G("stripspace", does="", options="-s -c"),
    G(
        "column",
        does="",
        options="--command:text --mode?:text --padding:number --raw-mode:text --width:text --indent:text --nl:text",
    ),
    G("fmt-merge-msg", options="-F|--file:read -m|--message:text --into-name:text --log?:number"),
    G("get-tar-commit-id", does=""),
    G("version", does="", options="--build-options"),
    G("help", does="", options="-a -c -g -i -m -w"),
    G("merge-tree", options="-X:text --merge-base:text --write-tree --stdin -z --name-only --messages --quiet"),
    G("request-pull", does="network read", options="-p", example="git request-pull v1.0 https://git.example/x main"),
    G(
        "ls-remote",
        "url? text*",
        does="network read",
        special="git_fetch",
        options="--upload-pack|--exec:command --sort:text -o|--server-option:text -h|--heads -t|--tags -q --refs "
        "--symref "
        "--get-url --exit-code --branches",
        example="git ls-remote --heads origin",
    ),
    G("gui", does="execute", tags="unread"),
    G("citool", does="execute", tags="unread"),
    G("bugreport", does="write", options="-o|--output-directory:write -s|--suffix:text --diagnose?:text"),
    G("diagnose", does="write", options="-o|--output-directory:write -s|--suffix:text --mode:text"),
)
