"""gh, the command line of GitHub. What others can see is `external`; what is gone for all is destructive."""

from __future__ import annotations

from .forge_others import OTHERS
from .forge_shared import SHARED, changes, deletes, group, local, looks
from .forge_words import flat
from .spec import Adds, P, effects

__all__ = ["PROGRAMS", "changes", "deletes", "group", "local", "looks"]

_HIGH = P("", risk="high").risk
_GONE = Adds(effects=effects("destructive"), irreversible=True, risk=_HIGH)
_STORE = (
    "-b|--body:text -e|--env:text -o|--org:org -u|--user -f|--env-file:send -v|--visibility:text -r|--repos:text "
    "-a|--app:text --no-store --no-repos-selected"
)
_PORTS = "-c|--codespace:codespace -R|--repo:repo --repo-owner:owner -h|--help"
_OWNER = "--owner:owner --format:text -q|--jq:text -t|--template:text --closed -w|--web"

_SUBS = flat(
    SHARED,
    group(
        "auth",
        looks(
            "auth",
            "status",
            options="--hostname:host -a|--active -t|--show-token!show-token",
            flags={"show-token": Adds(tags=("secret",))},
        ),
        looks("auth", "token", options="--hostname:host -u|--user:text --secure-storage", tags="secret"),
        local(
            "auth",
            "login",
            options="--hostname:host -p|--git-protocol:text -s|--scopes:text -w|--web --with-token -c "
            "--insecure-storage --skip-ssh-key",
            does="network write",
            tags="secret",
        ),
        local("auth", "logout switch", options="--hostname:host -u|--user:text", tags="secret"),
        local(
            "auth",
            "refresh",
            options="--hostname:host -s|--scopes:scopes -r|--remove-scopes:text --reset-scopes -c --insecure-storage",
            does="network write",
            tags="secret external",
            risk="high",
        ),
        local("auth", "setup-git", options="--hostname:host -f|--force"),
        looks("auth", "git-credential", tags="secret"),
    ),
    group(
        "secret",
        looks("secret", "list ls", options="-e|--env:text -o|--org:text -u|--user --app:text"),
        changes(
            "secret", "set", "name?", _STORE, tags="external sends secret", risk="high", example="gh secret set TOKEN"
        ),
        deletes(
            "secret",
            "delete remove",
            "name",
            "-e|--env:text -o|--org:org -u|--user -a|--app:text",
            tags="external secret",
        ),
    ),
    group(
        "variable",
        looks("variable", "list ls get", options="-e|--env:text -o|--org:text"),
        changes("variable", "set", "name?", _STORE),
        deletes("variable", "delete remove", "name", "-e|--env:text -o|--org:org"),
    ),
    group(
        "label",
        looks("label", "list ls"),
        changes("label", "create edit", "name", "-c|--color:text -d|--description:text -n|--name:text -f|--force"),
        changes("label", "clone", "repo", "-f|--force"),
        deletes("label", "delete", "name", "--yes", risk="medium"),
    ),
    group(
        "cache",
        looks("cache", "list ls", options="-k|--key:text -r|--ref:text -O|--order:text -S|--sort:text"),
        deletes("cache", "delete", "key?", "-a|--all!all -r|--ref:text --succeed-on-no-caches", risk="medium"),
    ),
    group(
        "ssh-key",
        looks("ssh-key", "list ls"),
        changes("ssh-key", "add", "send?", "-t|--title:text --type:text", risk="high"),
        deletes("ssh-key", "delete", "key", "-y|--yes"),
    ),
    group(
        "gpg-key",
        looks("gpg-key", "list ls"),
        changes("gpg-key", "add", "send?", "-t|--title:text", risk="high"),
        deletes("gpg-key", "delete", "key", "-y|--yes"),
    ),
    group(
        "ruleset", looks("ruleset", "list ls view check", options="-o|--org:text -p|--parents -b|--default"), also="rs"
    ),
    group("org", looks("org", "list ls")),
    group(
        "search",
        *(
            looks(
                "search",
                name,
                options="--owner:text --language:text --extension:text --filename:text --size:text "
                "--match:text --topic:text --stars:text --created:text --updated:text --visibility:text "
                "--license:text --base:text "
                "--head:text --review:text --committer:text --hash:text --mentions:text --milestone:text "
                "--involves:text",
            )
            for name in ("code", "commits", "issues", "prs", "repos")
        ),
    ),
    group(
        "attestation",
        *(
            looks(
                "attestation",
                name,
                "read?",
                "-o|--owner:text -b|--bundle:read --custom-trusted-root:read --signer-workflow:text "
                "--signer-repo:text --predicate-type:text -d|--digest-alg:text --cert-identity:text --format:text "
                "--source-ref:text",
            )
            for name in ("verify", "trusted-root")
        ),
        local(
            "attestation",
            "download",
            "read?",
            "-o|--owner:text -d|--digest-alg:text --predicate-type:text",
            does="network write",
        ),
        also="at",
    ),
    group(
        "agent-task",
        looks("agent-task", "list ls view", options="--log --follow"),
        changes("agent-task", "create", options="-F|--from-file:send -b|--base:text -a|--custom-agent:text --follow"),
        also="agent",
    ),
    group(
        "alias",
        looks("alias", "list ls"),
        local(
            "alias",
            "set",
            options="-s|--shell!shell --clobber",
            flags={"shell": Adds(opaque="an alias that runs a command line later")},
        ),
        local("alias", "import", "read?", "--clobber", tags="unread"),
        local("alias", "delete", options="--all"),
    ),
    group(
        "config",
        looks("config", "list ls get", options="-h|--host:text", special="asked_setting"),
        local("config", "set", "key value?", "-H|--host:text", special="gh_config"),
        local("config", "clear-cache"),
    ),
    group(
        "extension",
        looks("extension", "list ls"),
        looks("extension", "search", options="--owner:text --license:text"),
        local(
            "extension",
            "browse",
            "",
            "--debug --single-column",
            action="pkg:install",
            does="network write execute",
            tags="install",
        ),
        local(
            "extension",
            "install",
            "package",
            "--pin:text --force",
            action="pkg:install",
            does="network write execute",
            tags="install",
        ),
        local(
            "extension",
            "upgrade",
            "package?",
            "--all --force --dry-run",
            action="pkg:install",
            does="network write execute",
            tags="install",
            dryrun="--dry-run",
        ),
        local("extension", "create", "write?", "--precompiled:text"),
        local("extension", "remove", "package"),
        local("extension", "exec", action="gh:extension-exec", does="execute", tags="unknown"),
        also="ext extensions",
    ),
    group(
        "codespace",
        looks(
            "codespace",
            "list ls view logs",
            options="-c|--codespace:text -o|--org:text -u|--user:text -f|--follow",
        ),
        P(
            "ports",
            action="gh:codespace-ports",
            words=3,
            options=f"{_PORTS} --json:text -q|--jq:text -t|--template:text",
            default=looks("codespace", "ports", options="-c|--codespace:text --json:text")[0],
            subs=flat(
                changes("codespace-ports", "visibility", options=_PORTS, risk="high"),
                local("codespace-ports", "forward", options=_PORTS, does="spawn network"),
            ),
        ),
        changes(
            "codespace",
            "create",
            options="-b|--branch:text -m|--machine:text -l|--location:text -d|--display-name:text "
            "--devcontainer-path:text --idle-timeout:text --retention-period:text --default-permissions --status",
        ),
        changes(
            "codespace",
            "edit rebuild stop",
            options="-c|--codespace:codespace -m|--machine:text -d|--display-name:text "
            "-o|--org:text -u|--user:text --full",
        ),
        deletes(
            "codespace",
            "delete",
            options="-c|--codespace:codespace --days:number -o|--org:text -u|--user:text --all!all -f|--force",
        ),
        changes(
            "codespace",
            "ssh",
            "remote-command*",
            "-c|--codespace:codespace --profile:text --server-port:number --config",
            does="network execute",
            tags="external unread",
        ),
        changes(
            "codespace",
            "cp",
            "path*",
            "-c|--codespace:codespace -e|--expand -r|--recursive -p|--profile:text",
            does="network write",
        ),
        local(
            "codespace", "code jupyter", options="-c|--codespace:codespace --insiders -w|--web", does="spawn network"
        ),
        also="cs",
    ),
    group(
        "project",
        *(looks("project", name, "number?", _OWNER) for name in ("list", "view", "field-list", "item-list")),
        *(
            changes(
                "project",
                name,
                "number?",
                f"{_OWNER} --title:text --url:text --body:text --id:text --field-id:text "
                "--project-id:text --text:text --date:text --single-select-option-id:text --iteration-id:text "
                "--name:text "
                "--data-type:text --readme:text --visibility:text -d|--description:text --drafts --undo --number:text "
                "--source-owner:text --target-owner:text --team:text --user:text --single-select-options:text --clear",
            )
            for name in (
                "create",
                "edit",
                "close",
                "copy",
                "link",
                "unlink",
                "field-create",
                "item-add",
                "item-create",
                "item-edit",
                "item-archive",
                "mark-template",
            )
        ),
        *(
            deletes("project", name, "number?", f"{_OWNER} --id:text")
            for name in ("delete", "field-delete", "item-delete")
        ),
    ),
    looks("", "status", options="-e|--exclude:text -o|--org:text"),
    looks(
        "",
        "browse",
        options="-b|--branch:text -c|--commit?:text -n|--no-browser -p|--projects -r|--releases -s|--settings --wiki",
    ),
    looks("", "completion", options="-s|--shell:text", does=""),
    looks("", "help version environment formatting mintty reference accessibility a11y exit-codes", does=""),
    P("copilot", "text*", words=2, action="gh:copilot", does="execute network", tags="nested"),  # an agent of its own
    P(
        "api",
        words=2,
        action="gh:api",
        special="gh_api",
        does="read",
        options="-X|--method:method -f|--raw-field:field "
        "-F|--field:field -H|--header:text --input:input --hostname:host -p|--preview:text -q|--jq:text "
        "-t|--template:text "
        "--cache:text -i|--include --paginate --slurp --silent --verbose -h|--help",
        dryrun="-h",
        flags={
            "changes": Adds(effects=effects("network"), tags=("external", "sends")),
            "deletes": _GONE.replace(effects=effects("destructive network"), tags=("external",)),
        },
        example="gh api repos/pallets/flask/releases",
    ),
)

PROGRAMS = (
    P(
        "gh",
        subs=_SUBS,
        options="-R|--repo:repo -h|--help --version",
        words=3,
        does="",
        example="gh pr list --state open",
    ),
    *OTHERS,
)
