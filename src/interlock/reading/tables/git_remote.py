"""git: other repositories, mail, servers; and what rewrites or removes history."""

from __future__ import annotations

from .git_words import DIFF, LOG, LOOKS, LOSES, WHOLESALE, G
from .spec import Adds, P, effects

__all__ = ["SUBS"]

_HIGH = P("", risk="high").risk
_LOST = Adds(effects=effects("destructive"), irreversible=True, risk=_HIGH)
_FORCE = Adds(effects=effects("destructive"), irreversible=True, risk=_HIGH, tags=("force",))
_DISCARDS = Adds(effects=effects("destructive"), irreversible=True, tags=("force",))
_TEMPLATE = Adds(opaque="hooks are copied from a template")
_FETCH = (
    "--upload-pack:command --depth:number --deepen:number --shallow-since:text --shallow-exclude:text "
    "--refmap:text!refmap --negotiation-tip:text -o|--server-option:text -j|--jobs:number --filter:text "
    "--recurse-submodules?:text --submodule-prefix:text -f|--force -a -k -p -P -t -n -u -q -v -4 -6 --all --append "
    "--atomic --unshallow --prune --prune-tags --tags --no-tags --multiple --set-upstream!upstream --keep "
    "--progress"
)

SUBS = (
    G(
        "push",
        does="network",
        tags="external sends",
        special="git_push",
        risk="medium",
        options="-f|--force!force --force-with-lease?:text!lease --force-if-includes -d|--delete!delete "
        "--mirror!mirror "
        "--prune!prune --tags!tags --all|--branches!all --repo:remote --receive-pack|--exec:command "
        "-o|--push-option:text!push-option --signed?:text --recurse-submodules:text!submodules "
        "-n|--dry-run -u|--set-upstream -q -v -4 -6 "
        "--follow-tags!tags --atomic --porcelain --progress --thin --no-thin --no-verify!no-verify",
        flags={"force": _FORCE, "delete": _LOST, "mirror": _FORCE, "prune": _LOST},
        dryrun="-n",
        example="git push -u origin feature/x",
    ),
    G(
        "fetch",
        "remote? ref*",
        does="network write",
        special="git_fetch",
        options=f"{_FETCH} --dry-run",
        dryrun="--dry-run",
        example="git fetch --prune origin",
    ),
    G(
        "pull",
        "remote? ref*",
        does="network write",
        special="git_fetch",
        options=f"{_FETCH} -j|--jobs?:number -r|--rebase?:text -s|--strategy:text -X|--strategy-option:text "
        "-S|--gpg-sign?:text "
        "--cleanup:text --log?:number -e -n --ff-only --ff --no-ff --squash --no-commit --edit --no-edit --autostash "
        "--allow-unrelated-histories --stat --no-verify",
        example="git pull --rebase origin main",
    ),
    G(
        "clone",
        "url brings?",
        does="network write",
        special="git_fetch",
        options="-u|--upload-pack:command -c|--config:config --template:text!template -o|--origin:text "
        "-b|--branch:branch "
        "--revision:text --depth:number --shallow-since:text --shallow-exclude:text -j|--jobs:number --filter:text "
        "--reference:read --reference-if-able:read --separate-git-dir:write --server-option:text --bundle-uri:url "
        "--recurse-submodules|--recursive?:text -l -s -n -q -v --bare --mirror!mirror --single-branch --no-checkout "
        "--no-tags --no-hardlinks --dissociate --sparse --shallow-submodules --remote-submodules --local --shared "
        "--progress",
        flags={"template": _TEMPLATE, "mirror": WHOLESALE},
        example="git clone --depth 1 https://github.com/pallets/flask",
    ),
    G(
        "remote",
        options="-v|--verbose",
        default=G("remote", options="-v|--verbose"),
        subs=(
            G("show", does="network read", under="remote", options="-n"),
            G("get-url", under="remote", options="--push --all"),
            G(
                "add",
                "remote url",
                does="write",
                under="remote",
                special="git_fetch",
                options="-t|--track:text -m|--master:text --mirror?:text -f --tags --no-tags",
                example="git remote add origin git@example.com:x.git",
            ),
            G(
                "set-url",
                "remote url text?",
                does="write",
                tags="redirects",
                under="remote",
                special="git_fetch",
                options="--push --add --delete",
            ),
            G("rename", "remote name", does="write", tags="redirects", under="remote", options="--progress"),
            G("remove", "remote", does="write", tags="redirects", under="remote", also="rm"),
            G("set-head", "remote text?", does="write", under="remote", options="-a -d --auto --delete"),
            G("set-branches", "remote text*", does="write", under="remote", options="--add"),
            G("prune", "remote*", does="network write", under="remote", options="-n|--dry-run", dryrun="-n"),
            G("update", "remote*", does="network write", under="remote", options="-p --prune"),
        ),
    ),
    G(
        "submodule",
        options="-q --quiet --cached",
        default=G("submodule", options="-q --quiet --cached"),
        subs=(
            G("status", under="submodule", options="--cached --recursive"),
            G("summary", under="submodule", options="-n:number --cached --files"),
            G("init", does="write", under="submodule"),
            G(
                "add",
                "url brings?",
                does="network write",
                under="submodule",
                special="git_fetch",
                options="-b|--branch:text --name:text --reference:text --depth:number --ref-format:text -f -q --force",
            ),
            G(
                "update",
                does="network write",
                under="submodule",
                options="--reference:text --depth:number -j|--jobs:number --filter:text --init --remote -N "
                "-f|--force!force "
                "--checkout --merge --rebase --recursive --recommend-shallow --single-branch --progress",
                flags={"force": _DISCARDS},
                example="git submodule update --init --recursive",
            ),
            G(
                "foreach",
                "command",
                does="execute",
                under="submodule",
                special="joined",
                options="--recursive -q --quiet",
            ),
            G("deinit", does="write", under="submodule", options="-f|--force!force --all", flags={"force": LOSES}),
            G("sync", does="write", under="submodule", options="--recursive"),
            G("set-url", "path url", does="write", tags="redirects", under="submodule", special="git_fetch"),
            G("set-branch", does="write", under="submodule", options="-b|--branch:text -d"),
            G("absorbgitdirs", does="write", under="submodule"),
        ),
    ),
    G(
        "subtree",
        does="write",
        options="-P|--prefix:path -m|--message:text -q -d --squash",
        subs=(
            *(
                G(
                    name,
                    "url? ref*",
                    does="network write",
                    under="subtree",
                    special="git_fetch",
                    options="-P|--prefix:brings -m|--message:text --squash -q -d",
                )
                for name in ("add", "pull")
            ),
            G("merge", "ref*", does="write", under="subtree", options="-P|--prefix:write -m:text --squash -q -d"),
            G(
                "split",
                does="write",
                under="subtree",
                options="-P|--prefix:path -b|--branch:branch --annotate:text --onto:text --rejoin --ignore-joins -q -d",
            ),
            G(
                "push",
                "remote ref",
                does="network",
                tags="external sends",
                risk="medium",
                under="subtree",
                options="-P|--prefix:path --force!force -q -d",
                flags={"force": _FORCE},
            ),
        ),
    ),
    G(
        "archive",
        does="read",
        special="git_archive",
        options="-o|--output:write --remote:url --exec:command --format:text --prefix:text --add-file:read "
        "--add-virtual-file:text --mtime:text -v -l -0 -1 -9 --worktree-attributes",
        flags={"--remote": Adds(effects=effects("network"))},
        example="git archive -o src.tar.gz HEAD",
    ),
    G(
        "bundle",
        subs=(
            G(
                "create",
                "write text*",
                does="write",
                under="bundle",
                options="--version:number -q --progress --all!all",
                flags={"all": WHOLESALE},
            ),
            G("verify", "read", under="bundle", options="-q"),
            G("list-heads", "read text*", under="bundle"),
            G("unbundle", "read text*", does="write", under="bundle"),
        ),
    ),
    G(
        "send-email",
        "send*",
        does="destructive network",
        tags="external sends",
        irreversible=True,
        risk="high",
        options="--to:to --cc:to --bcc:to --from:text --subject:text --in-reply-to:text --compose-encoding:text "
        "--smtp-server:server --smtp-server-port:number --smtp-server-option:text --smtp-user:text --smtp-pass?:text "
        "--smtp-encryption:text --smtp-domain:text --smtp-auth:text --smtp-debug:text --smtp-ssl-cert-path:text "
        "--sendmail-cmd:code.sh --to-cmd:code.sh --cc-cmd:code.sh --header-cmd:code.sh --envelope-sender:text "
        "--identity:text --confirm:text --suppress-cc:text --batch-size:number --relogin-delay:number "
        "--transfer-encoding:text --reply-to:text --8bit-encoding:text --dry-run --annotate --compose --quiet --force",
        dryrun="--dry-run",
        example="git send-email --to list@example.org 0001-fix.patch",
    ),
    G("imap-send", does="network", tags="external sends", options="-v -q --curl --no-curl -f:text --list"),
    G(
        "daemon",
        "list*",
        does="spawn network",
        tags="external",
        options="--base-path:list --interpolated-path:text "
        "--access-hook:script --pid-file:write --user:text --group:text --listen:text --port:number "
        "--init-timeout:number "
        "--timeout:number --max-connections:number --user-path?:text --enable:text --disable:text "
        "--allow-override:text "
        "--forbid-override:text --log-destination:text --detach --syslog --verbose --reuseaddr --export-all --inetd "
        "--strict-paths --informative-errors",
        example="git daemon --export-all --base-path=/srv/git",
    ),
    G(
        "instaweb",
        does="spawn network",
        options="-d|--httpd:code.sh -m|--module-path:text -b|--browser:code.sh -p|--port:number "
        "--start --stop --restart --local -l",
    ),
    G("http-backend", does="network"),
    G("upload-pack", "list", does="read", options="--timeout:number --strict --stateless-rpc --advertise-refs"),
    G("receive-pack", "edit", does="write", tags="unread"),
    G(
        "fetch-pack",
        "url ref*",
        does="network write",
        special="git_fetch",
        options="--upload-pack|--exec:command --depth:number "
        "--shallow-since:text --shallow-exclude:text --deepen-relative --all --stdin -q -k --thin --include-tag -v",
    ),
    G(
        "send-pack",
        does="network",
        tags="external sends",
        special="git_push",
        risk="medium",
        options="--receive-pack|--exec:command --remote:text -f|--force!force --force-with-lease?:text!lease "
        "--mirror!mirror "
        "--all --dry-run --signed?:text --push-option:text --atomic --thin --stdin -v",
        flags={"force": _FORCE, "mirror": _FORCE, "delete": _LOST},
        dryrun="--dry-run",
    ),
    G(
        "svn",
        subs=(
            *(
                G(
                    name,
                    does="network write",
                    under="svn",
                    options="-r|--revision:text -A|--authors-file:read "
                    "--authors-prog:command --prefix:text -T|--trunk:text -t|--tags:text -b|--branches:text -s "
                    "--stdlayout "
                    "--username:text --ignore-paths:text --include-paths:text --no-metadata -q",
                )
                for name in ("clone", "init", "fetch", "rebase")
            ),
            *(
                G(
                    name,
                    does="destructive network",
                    tags="external sends",
                    irreversible=True,
                    risk="high",
                    under="svn",
                    options="-n|--dry-run --commit-url:text --username:text -m:text -F:read --rmdir "
                    "--find-copies-harder -e",
                    dryrun="-n",
                    compensator="a commit that reverses it",
                )
                for name in ("dcommit", "set-tree", "commit-diff", "branch", "tag")
            ),
            *(
                G(name, does="read", under="svn")
                for name in ("log", "blame", "info", "find-rev", "show-ignore", "proplist")
            ),
        ),
    ),
    G(
        "p4",
        subs=(
            *(G(name, does="network write", under="p4") for name in ("clone", "sync", "rebase")),
            G(
                "submit",
                does="destructive network",
                tags="external sends",
                irreversible=True,
                risk="high",
                under="p4",
                options="-n|--dry-run --origin:text --commit:text --branch:text",
                dryrun="-n",
                compensator="p4 undo",
            ),
        ),
    ),
    G(
        "credential",
        subs=(
            G("fill", under="credential", tags="secret"),
            G("approve", does="write", under="credential", tags="secret"),
            G("reject", does="write", under="credential", tags="secret"),
            G("capability", does="", under="credential"),
        ),
    ),
    G("credential-store", tags="secret", does="read write", options="--file:edit"),
    G("credential-cache", tags="secret", does="spawn", options="--timeout:number --socket:write"),
    G(
        "filter-branch",
        does="destructive execute",
        irreversible=True,
        risk="high",
        tags="history",
        options="--setup:code.sh --env-filter:code.sh --tree-filter:code.sh --index-filter:code.sh "
        "--parent-filter:code.sh --msg-filter:code.sh --commit-filter:code.sh --tag-name-filter:code.sh "
        "--subdirectory-filter:text --original:text -d:write --state-branch:text -f|--force!force --prune-empty",
        compensator="git reset --hard refs/original/refs/heads/<branch>",
        example="git filter-branch --tree-filter 'rm -f secret' HEAD",
    ),
    G(
        "filter-repo",
        does="destructive",
        irreversible=True,
        risk="high",
        tags="history",
        options="--path:path --path-glob:path --path-regex:path --paths-from-file:read --path-rename:text "
        "--subdirectory-filter:text --to-subdirectory-filter:text --replace-text:read --replace-message:read "
        "--strip-blobs-bigger-than:text --strip-blobs-with-ids:read --mailmap:read --refs:ref --source:text "
        "--target:text "
        "--tag-rename:text --prune-empty:text --prune-degenerate:text --replace-refs:text --date-format:text "
        "--filename-callback:code.filter --file-info-callback:code.filter --message-callback:code.filter "
        "--name-callback:code.filter --email-callback:code.filter --refname-callback:code.filter "
        "--blob-callback:code.filter --commit-callback:code.filter --tag-callback:code.filter "
        "--reset-callback:code.filter --done-callback:code.filter --invert-paths --analyze --dry-run -f|--force!force",
        dryrun="--dry-run --analyze",
        example="git filter-repo --path src --dry-run",
    ),
    G(
        "reflog",
        options=f"{LOG} {DIFF}",
        default=G("reflog", options=f"{LOG} {DIFF}", flags=LOOKS),
        subs=(
            G("show", under="reflog", options=f"{LOG} {DIFF}", flags=LOOKS),
            G("list", under="reflog"),
            G("exists", under="reflog"),
            G(
                "expire",
                does="destructive",
                irreversible=True,
                risk="high",
                tags="history",
                under="reflog",
                options="--expire:text --expire-unreachable:text -n|--dry-run --all --rewrite --updateref --stale-fix "
                "-v",
                dryrun="-n",
            ),
            G(
                "delete",
                does="destructive",
                irreversible=True,
                risk="high",
                tags="history",
                under="reflog",
                options="-n|--dry-run --rewrite --updateref -v",
                dryrun="-n",
            ),
        ),
    ),
    G(
        "gc",
        does="write",
        options="--prune?:text!prune --keep-largest-pack --aggressive --auto --no-prune --cruft --max-cruft-size:text "
        "-q --force",
        flags={"prune": LOSES},
        example="git gc --auto",
    ),
    G(
        "prune",
        does="destructive",
        irreversible=True,
        risk="medium",
        options="-n|--dry-run --expire:text -v --progress",
        dryrun="-n",
    ),
    G(
        "maintenance",
        does="write",
        subs=(
            G("run", does="write", under="maintenance", options="--task:text --schedule:text --auto --quiet"),
            G("start", does="spawn", tags="scheduled", under="maintenance", options="--scheduler:text"),
            G("stop", does="write", under="maintenance"),
            G("register", does="write", under="maintenance", options="--config-file:edit"),
            G("unregister", does="write", under="maintenance", options="--config-file:edit --force"),
        ),
    ),
    G(
        "replace",
        "text*",
        does="write",
        tags="history",
        options="-d!delete -l|--list -e -g -f --format:text --convert-graft-file",
        dryrun="-l",
        example="git replace -l",
    ),
    G(
        "hook",
        subs=(
            G(
                "run",
                "hook text*",
                does="execute",
                tags="unread",
                under="hook",
                action="exec:project",
                options="--to-stdin:read --ignore-missing",
            ),
            G("list", under="hook"),
        ),
    ),
)
