"""glab for GitLab, tea for Gitea, hub for GitHub."""

from __future__ import annotations

from .forge_words import Forge, flat
from .spec import Adds, P, Program, effects

__all__ = ["OTHERS", "changes", "deletes", "group", "local", "looks"]

_GLAB = Forge("glab", "-h|--help -R|--repo:repo")
group, looks, changes, deletes, local = _GLAB.group, _GLAB.looks, _GLAB.changes, _GLAB.deletes, _GLAB.local
_TEA = Forge("tea", "-h|--help -r|--repo:repo -l|--login:text -R|--remote:text")
_HUB = Forge("hub", "-h|--help")
_GONE = Adds(effects=effects("destructive"), irreversible=True, risk=P("", risk="high").risk)
_TEXT = (
    "-t|--title:text -d|--description:text -a|--assignee:text -l|--label:text -m|--milestone:text -u|--unlabel:text "
    "--reviewer:text -b|--target-branch:base -s|--source-branch:branch -H|--head:text --copy-issue-labels "
    "-i|--related-issue:text -c|--confidential -f|--fill --fill-commit-body --draft --wip --push -y|--yes -w|--web "
    "--no-editor --recover --remove-source-branch --squash-before-merge --allow-collaboration --weight:text "
    "--due-date:text --epic:text --linked-issues:text --link-type:text --lock-discussion -r|--ready"
)
_LISTS = (
    "-P|--per-page:number -p|--page:number -a|--assignee:text --author:text -l|--label:text -m|--milestone:text "
    "-s|--source-branch:text -t|--target-branch:text -g|--group:text --not-label:text --reviewer:text --in:text "
    "-A|--all -c|--closed -M|--merged -d|--draft -o|--opened -b|--branch:text --status:text -r|--ref:text"
)

_SUBS = flat(
    group(
        "mr",
        looks("mr", "list ls", options=_LISTS),
        looks("mr", "view show", "number?", "-c|--comments -s|--system-logs -w|--web -p|--page:number"),
        looks("mr", "diff", "number?", "--color:text --raw"),
        looks("mr", "issues approvers", "number?"),
        local("mr", "checkout co", "number?", "-b|--branch:branch -u|--set-upstream-to:text", does="network write"),
        changes("mr", "create new", options=_TEXT, example="glab mr create --fill --draft"),
        changes("mr", "update", "number?", _TEXT),
        changes(
            "mr",
            "merge accept",
            "number?",
            "-m|--message:text --sha:text --squash-message:text -s|--squash -r|--rebase "
            "-d|--remove-source-branch!remove-source-branch --auto-merge --when-pipeline-succeeds -y|--yes",
            flags={"remove-source-branch": _GONE},
            irreversible=True,
            risk="high",
            compensator="git revert -m 1 <commit>",
        ),
        changes("mr", "approve revoke", "number?", "-s|--sha:text"),
        changes("mr", "note", "number?", "-m|--message:text --unique"),
        changes("mr", "close reopen rebase subscribe unsubscribe todo", "number?", "--skip-ci"),
        deletes("mr", "delete del", "number"),
        also="merge-request",
    ),
    group(
        "issue",
        looks("issue", "list ls", options=_LISTS),
        looks("issue", "view show", "number?", "-c|--comments -s|--system-logs -w|--web -p|--page:number"),
        changes("issue", "create new", options=_TEXT),
        changes("issue", "update", "number", _TEXT),
        changes("issue", "note", "number", "-m|--message:text"),
        changes("issue", "close reopen subscribe unsubscribe", "number"),
        deletes("issue", "delete del", "number"),
        also="incident",
    ),
    group(
        "repo",
        looks("repo", "view", "repo?", "-b|--branch:text"),
        looks("repo", "list ls search contributors", options=f"{_LISTS} --search:text -u|--user:text"),
        local(
            "repo",
            "clone",
            "repo brings? text*",
            "-g|--group:text -p|--preserve-namespace --paginate",
            special="clones",
            does="network write",
        ),
        local("repo", "archive", "repo? write?", "-f|--format:text -s|--sha:text", does="network write"),
        changes(
            "repo",
            "create new",
            "repo?",
            "-d|--description:text -g|--group:text -n|--name:text -t|--tag:text "
            "--defaultBranch:text --remoteName:text -p|--private -P|--public!public --internal --readme "
            "-s|--skipGitInit",
        ),
        changes("repo", "fork", "repo?", "-n|--name:text -p|--path:text -c|--clone --remote"),
        changes("repo", "transfer", "repo?", "-t|--target-namespace:text -y|--yes", risk="high"),
        changes("repo", "mirror", "repo?", "--url:url --direction:text --enabled", risk="high"),
        deletes("repo", "delete", "repo?", "-y|--yes"),
        also="project",
    ),
    group(
        "release",
        looks("release", "list ls view", "tag?"),
        local("release", "download", "tag?", "-D|--dir:write -n|--asset-name:text", does="network write"),
        changes(
            "release",
            "create",
            "tag send*",
            "-n|--name:text -N|--notes:text -F|--notes-file:send -r|--ref:text "
            "-m|--milestone:text -a|--assets-links:text -D|--released-at:text -T|--tag-message:text --no-update",
            does="destructive network",
            irreversible=True,
            risk="high",
            compensator="glab release delete <tag> --with-tag",
        ),
        changes("release", "upload", "tag send*", "-a|--assets-links:text", irreversible=True, risk="high"),
        deletes("release", "delete", "tag", "-y|--yes -t|--with-tag!with-tag"),
    ),
    group(
        "ci",
        looks(
            "ci", "list ls status view get", options=f"{_LISTS} --compact --live --with-variables --pipeline-id:text"
        ),
        looks("ci", "trace", options="-b|--branch:text --pipeline-id:text"),
        looks("ci", "lint", "send?", "--dry-run --include-jobs --ref:text"),
        changes(
            "ci",
            "run create",
            options="-b|--branch:branch --variables:text --variables-env:text --variables-file:text "
            "-f|--variables-from:send -w|--web -i|--input:text --mr",
            risk="medium",
        ),
        changes("ci", "retry trigger cancel", options="-b|--branch:text --pipeline-id:text --dry-run"),
        deletes(
            "ci",
            "delete",
            "id?",
            "-s|--status:text --older-than:text --source:text --paginate --dry-run",
            dryrun="--dry-run",
        ),
        local("ci", "artifact", options="-p|--path:write --list-paths", does="network write"),
        also="pipeline pipe",
    ),
    group(
        "label",
        looks("label", "list ls"),
        changes(
            "label",
            "create new edit",
            options="-n|--name:name -c|--color:text -d|--description:text -p|--priority:text",
        ),
        deletes("label", "delete", "name", risk="medium"),
    ),
    group(
        "variable",
        looks(
            "variable", "list ls get export", options="-g|--group:text -s|--scope:text -o|--output:text", tags="secret"
        ),
        changes(
            "variable",
            "set create update",
            "name",
            "-v|--value:text -g|--group:text -s|--scope:text -t|--type:text "
            "-m|--masked -p|--protected -r|--raw --hidden --description:text",
            tags="external sends secret",
            risk="high",
        ),
        deletes("variable", "delete remove", "name", "-g|--group:text -s|--scope:text"),
        also="var",
    ),
    group(
        "snippet",
        looks("snippet", "list ls view"),
        changes(
            "snippet",
            "create new",
            "send*",
            "-t|--title:text -d|--description:text -f|--filename:text -v|--visibility:text -p|--personal",
            does="destructive network",
            irreversible=True,
            risk="high",
        ),
    ),
    group(
        "ssh-key",
        looks("ssh-key", "list ls get", options="--show-id"),
        changes("ssh-key", "add", "send?", "-t|--title:text -e|--expires-at:text -u|--usage-type:text", risk="high"),
        deletes("ssh-key", "delete", "key"),
    ),
    group(
        "auth",
        looks("auth", "status", options="-t|--show-token --hostname:host -a|--all", tags="secret"),
        local(
            "auth",
            "login",
            options="-t|--token:text --hostname:host -j|--job-token:text --stdin -a|--api-host:text "
            "-g|--git-protocol:text",
            does="network write",
            tags="secret",
        ),
        local("auth", "logout", options="--hostname:host"),
    ),
    group(
        "alias",
        looks("alias", "list ls"),
        local(
            "alias",
            "set",
            options="-s|--shell!shell",
            flags={"shell": Adds(opaque="an alias that runs a command line later")},
        ),
        local("alias", "delete"),
    ),
    group(
        "config",
        looks("config", "get", options="-h|--host:text -g|--global"),
        local("config", "set", "key value?", "--host:text -g|--global", special="gh_config"),
        local("config", "edit init", tags="unread"),
    ),
    group(
        "schedule",
        looks("schedule", "list ls"),
        changes(
            "schedule",
            "create update run",
            options="--cron:text --ref:text --description:text --variable:text --active",
            tags="external sends scheduled",
        ),
        deletes("schedule", "delete", "id"),
    ),
    group("user", looks("user", "events")),
    group(
        "token",
        looks("token", "list ls", options="-g|--group:text -U|--user:text"),
        changes(
            "token",
            "create rotate",
            "name",
            "-g|--group:text -U|--user:text -S|--scope:text -A|--access-level:text -D|--duration:text "
            "-E|--expires-at:text",
            tags="external secret",
            risk="high",
        ),
        deletes("token", "revoke", "name", "-g|--group:text -U|--user:text"),
    ),
    looks("", "completion version help check-update", options="-s|--shell:text", does=""),
    P(
        "api",
        words=2,
        action="glab:api",
        special="gh_api",
        does="read",
        options="-X|--method:method -f|--raw-field:field "
        "-F|--field:field -H|--header:text --input:input --hostname:host --output:text -i|--include --paginate "
        "--silent -h|--help",
        dryrun="-h",
        flags={
            "changes": Adds(effects=effects("network"), tags=("external", "sends")),
            "deletes": _GONE.replace(effects=effects("destructive network"), tags=("external",)),
        },
        example="glab api projects/:id/issues",
    ),
)


def _tea(name: str, also: str = "") -> Program:
    """A noun of tea: without a verb it lists."""
    given = "-o|--output:text -f|--fields:text --state:text --limit:number -p|--page:number --kind:text --author:text"
    return P(
        name,
        also=also,
        action=f"tea:{name}",
        words=2,
        options=f"{given} -h|--help -r|--repo:repo -l|--login:text -R|--remote:text",
        default=_TEA.looks("", name, options=given)[0],
        subs=flat(
            _TEA.looks(name, "list ls search", options=given),
            _TEA.changes(
                name,
                "create c edit e close reopen open approve reject review lgtm comment fork migrate unread read pin",
                "number*",
                "-t|--title:text -d|--description:text -b|--base:text --head:text -a|--assignees:text "
                "-L|--labels:text -m|--milestone:text --tag:tag --target:text -n|--note:text --name:text --owner:text "
                "--asset:send --body:text --draft --prerelease --private",
            ),
            _TEA.changes(
                name,
                "merge m",
                "number*",
                "-s|--style:text -t|--title:text -m|--message:text",
                irreversible=True,
                risk="high",
            ),
            _TEA.local(name, "checkout co clean", "number*", does="network write"),
            _TEA.deletes(name, "delete rm", "number*", "--confirm -y --delete-tag"),
        ),
    )


OTHERS = (
    P("glab", subs=_SUBS, options="-R|--repo:repo -h|--help -v|--version", words=3, does="", example="glab mr list"),
    P(
        "tea",
        words=3,
        does="",
        options="-h|--help -v|--version",
        subs=flat(
            _tea("issues", "issue i"),
            _tea("pulls", "pull pr"),
            _tea("repos", "repo"),
            _tea("releases", "release r"),
            _tea("labels", "label"),
            _tea("milestones", "milestone ms"),
            _tea("notifications", "notification n"),
            _tea("times", "time t"),
            _tea("organizations", "organization org"),
            _tea("branches", "branch b"),
            P(
                "logins",
                action="tea:login",
                words=2,
                also="login",
                default=_TEA.looks("", "logins")[0],
                subs=flat(
                    _TEA.looks("login", "list ls default helper", tags="secret"),
                    _TEA.local(
                        "login",
                        "add edit delete rm",
                        options="-n|--name:text -u|--url:host -t|--token:text --user:text "
                        "--password:text -s|--ssh-key:text -i --scopes:text",
                        tags="secret",
                    ),
                ),
            ),
            _TEA.looks("", "open o whoami man help"),
            _TEA.looks("", "shellcompletion autocomplete", does=""),
            _TEA.local("", "clone C", "repo write?", "-d|--depth:number", does="network write"),
            _TEA.changes("", "comment c", "number text*"),
            _TEA.local("", "logout"),
        ),
    ),
    P(
        "hub",
        words=2,
        options="--noop -h|--help --version",
        does="",
        default=P("hub", special="git_dashed"),
        subs=flat(
            P(
                "pr",
                action="hub:pr",
                words=2,
                default=_HUB.looks("", "pr")[0],
                subs=flat(
                    _HUB.looks(
                        "pr", "list show", options="-b|--base:text -h|--head:text -f|--format:text -o:text -u --url"
                    ),
                    _HUB.local("pr", "checkout", "number text?", does="network write"),
                    _HUB.changes(
                        "pr",
                        "merge",
                        "number",
                        "--squash --rebase -m:text -F:send --head-sha:text -d",
                        irreversible=True,
                        risk="high",
                    ),
                ),
            ),
            P(
                "issue",
                action="hub:issue",
                words=2,
                options="-s|--state:text -a|--assignee:text -l|--labels:text -L|--limit:number "
                "-f|--format:text -M|--milestone:text -c|--creator:text -o|--sort:text",
                default=_HUB.looks("", "issue")[0],
                subs=flat(
                    _HUB.looks("issue", "show labels"),
                    _HUB.changes(
                        "issue",
                        "create update",
                        options="-m|--message:text -F|--file:send -a|--assign:text -l|--labels:text "
                        "-M|--milestone:text -s|--state:text -o -c -e",
                    ),
                ),
            ),
            P(
                "release",
                action="hub:release",
                words=2,
                default=_HUB.looks("", "release")[0],
                subs=flat(
                    _HUB.looks("release", "show"),
                    _HUB.local("release", "download", "tag", "-i:text", does="network write"),
                    _HUB.changes(
                        "release",
                        "create edit",
                        "tag",
                        "-a|--attach:send -m|--message:text -F|--file:send -t|--commitish:text -d -p -e -o -c",
                        does="destructive network",
                        irreversible=True,
                        risk="high",
                    ),
                    _HUB.deletes("release", "delete", "tag"),
                ),
            ),
            P(
                "gist",
                action="hub:gist",
                words=2,
                subs=flat(
                    _HUB.looks("gist", "show"),
                    _HUB.changes(
                        "gist",
                        "create",
                        "send*",
                        "--public!public -o -c",
                        does="destructive network",
                        irreversible=True,
                        risk="high",
                    ),
                ),
            ),
            P(
                "api",
                words=2,
                action="hub:api",
                special="gh_api",
                does="read",
                options="-X|--method:method -f|--raw-field:field "
                "-F|--field:field -H|--header:text --input:input --cache:text --obey-ratelimit -t|--flat -i|--include "
                "--paginate "
                "--color?:text -h|--help",
                dryrun="-h",
                flags={
                    "changes": Adds(effects=effects("network"), tags=("external", "sends")),
                    "deletes": _GONE.replace(effects=effects("destructive network"), tags=("external",)),
                },
            ),
            _HUB.looks("", "browse ci-status compare", options="-f|--format:text -v -u -c -b:text --color?:text"),
            _HUB.changes(
                "",
                "pull-request",
                options="-m|--message:text -F|--file:send -b|--base:base -h|--head:branch -i|--issue:text "
                "-r|--reviewer:text -a|--assign:text -l|--labels:text -M|--milestone:text -p -f -d -o -c -e --no-edit",
            ),
            _HUB.changes(
                "", "create", "repo?", "-p|--private -d|--description:text -h|--homepage:text --remote-name:text -o -c"
            ),
            _HUB.changes("", "fork", "repo?", "--remote-name:text --org:text --no-remote"),
            _HUB.deletes("", "delete", "repo", "-y|--yes"),
            _HUB.local("", "sync", options="--color?:text", does="network write"),
            _HUB.looks("", "alias version help", does=""),
        ),
    ),
)
