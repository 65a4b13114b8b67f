"""git: the commands that scripts build on, where they change something."""

from __future__ import annotations

from .git_words import LOSES, WHOLESALE, G
from .spec import Adds, effects

__all__ = ["SUBS"]

_UNSEEN = Adds(opaque="files come into the index by their hash, and what is in them is not seen")

_WRITES = Adds(effects=effects("write"))

SUBS = (
    G(
        "update-ref",
        "ref text*",
        does="write",
        tags="history",
        options="-m:text -d!delete -z --stdin!stdin --no-deref --create-reflog --batch-updates",
        flags={"delete": LOSES, "stdin": Adds(opaque="which refs are changed is read from standard input")},
        compensator="git update-ref <ref> <old commit>",
        example="git update-ref -d refs/heads/old",
    ),
    G(
        "symbolic-ref",
        "ref value?",
        special="git_two",
        options="-m:text -d|--delete!delete -q --short --recurse --no-recurse",
        flags={"sets": _WRITES, "delete": _WRITES, "moves-head": Adds(tags=("redirects",))},
        example="git symbolic-ref --short HEAD",
    ),
    G(
        "hash-object",
        "read*",
        does="read",
        options="-t:text --path:text -w!stores --stdin --stdin-paths --no-filters --literally",
        flags={"stores": _WRITES},
    ),
    G(
        "update-index",
        "seen*",
        does="write",
        options="--cacheinfo:text --chmod:text --index-version:number --refresh -q --add --remove "
        "--force-remove --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --really-refresh "
        "--stdin -z "
        "--index-info --replace --again --unresolve --split-index --untracked-cache --fsmonitor",
        flags={"--cacheinfo": _UNSEEN, "--index-info": _UNSEEN},
    ),
    G(
        "read-tree",
        "ref*",
        does="write",
        options="--prefix:write --index-output:write --exclude-per-directory:text "
        "--reset!reset -u!updates -m -i -n|--dry-run -v --empty --trivial --aggressive --no-sparse-checkout",
        flags={"reset": LOSES, "updates": LOSES},
        dryrun="-n",
    ),
    G(
        "checkout-index",
        does="write",
        options="--prefix:write --stage:text -f|--force!force -a -n -q -u -z --stdin --temp --all",
        flags={"force": LOSES},
    ),
    G("write-tree", does="write", options="--prefix:text --missing-ok"),
    G("commit-tree", does="write", options="-p:text -m:text -F:read -S?:text"),
    G("mktree", does="write", options="-z --missing --batch"),
    G("mktag", does="write", options="--strict --no-strict"),
    G(
        "merge-file",
        "edit read read",
        does="write",
        options="-L:text -p|--stdout -q --ours --theirs --union --diff3 --zdiff3 --object-id --marker-size:number",
    ),
    G("merge-index", "command", does="execute write", options="-o -q"),
    G("merge-one-file", does="write"),
    G("unpack-file", does="write"),
    G("unpack-objects", does="write", options="-n -q -r --strict --max-input-size:text", dryrun="-n"),
    G(
        "index-pack",
        "read?",
        does="write",
        options="-o:write --keep?:text --threads:number --index-version:text --max-input-size:text "
        "--stdin --fix-thin -v --strict --rev-index",
    ),
    G(
        "pack-objects",
        "write?",
        does="write",
        options="--window:number --depth:number --threads:number --max-pack-size:text "
        "--filter:text --compression:number --keep-pack:text --missing:text --uri-protocol:text --window-memory:text "
        "--index-version:text --revs --all --stdout --stdin-packs -q --thin --delta-base-offset "
        "--include-tag",
    ),
    G("pack-refs", does="write", options="--all --no-prune --auto --include:text --exclude:text"),
    G("prune-packed", does="write", options="-n|--dry-run -q", dryrun="-n"),
    G(
        "repack",
        does="write",
        options="--window:number --depth:number --threads:number --max-pack-size:text --window-memory:text "
        "--keep-pack:text --unpack-unreachable:text -g|--geometric:number --cruft-expiration:text --expire-to:write "
        "--filter:text --filter-to:write -a -A!loosen "
        "-d -l -f -F -q "
        "-k --cruft -n -b -m",
    ),
    G(
        "commit-graph",
        does="write",
        subs=(
            G(
                "write",
                does="write",
                under="commit-graph",
                options="--object-dir:write --split?:text --max-commits:number --expire-time:text "
                "--max-new-filters:number --size-multiple:number --reachable "
                "--stdin-commits --stdin-packs --append --changed-paths --progress",
            ),
            G("verify", under="commit-graph", options="--object-dir:text --shallow --progress"),
        ),
    ),
    G(
        "multi-pack-index",
        does="write",
        subs=(
            G("write", does="write", under="multi-pack-index"),
            G("verify", under="multi-pack-index"),
            G("expire", does="write", under="multi-pack-index"),
            G("repack", does="write", under="multi-pack-index", options="--batch-size:text"),
        ),
    ),
    G("update-server-info", does="write", options="-f --force"),
    G(
        "fast-export",
        does="read",
        options="--export-marks:write --import-marks:read --import-marks-if-exists:read "
        "--progress:number --signed-tags:text --tag-of-filtered-object:text --reencode:text --refspec:text "
        "--anonymize-map:text "
        "-M -C --all!all --anonymize --full-tree --no-data --use-done-feature",
        flags={"all": WHOLESALE},
    ),
    G(
        "fast-import",
        does="write",
        tags="history",
        options="--export-marks:write --import-marks:read --export-pack-edges:write "
        "--depth:number --active-branches:number --big-file-threshold:text --max-pack-size:text --force!force --quiet "
        "--stats "
        "--done --allow-unsafe-features!unsafe",
        flags={"force": LOSES, "unsafe": Adds(opaque="the stream may name files to read and write")},
    ),
    G(
        "interpret-trailers",
        "read*",
        special="git_in_place",
        does="read",
        options="--trailer:text --where:text --if-exists:text --if-missing:text "
        "--separators:text --in-place!in-place --trim-empty --parse --only-trailers --only-input --unfold",
        flags={"in-place": _WRITES},
    ),
    G("mailinfo", "write write", does="write", options="--encoding:text --quoted-cr:text -k -b -u -n -m --scissors"),
    G("mailsplit", "read*", does="write", options="-o:write -d:number -f:number -b --keep-cr --mboxrd"),
    G("for-each-repo", "command", does="execute", special="git_each", options="--config:text --keep-going"),
    G(
        "quiltimport",
        does="write",
        options="--author:text --patches:read --series:read -n|--dry-run --keep-non-patch",
        dryrun="-n",
    ),
    G("shell", does="execute", special="opaque"),
    G("sh-setup", does=""),
    G(
        "refs",
        subs=(
            G("migrate", does="write", under="refs", options="--ref-format:text --dry-run", dryrun="--dry-run"),
            G("verify", under="refs"),
            G("list", under="refs"),
        ),
    ),
)
