"""gh, the command line of GitHub: what a repository holds that others see."""

from __future__ import annotations

from .forge_words import Forge, flat
from .spec import Adds, P, effects

__all__ = ["SHARED", "changes", "deletes", "group", "local", "looks"]

_GH = Forge("gh", "-h|--help -R|--repo:repo")
group, looks, changes, deletes, local = _GH.group, _GH.looks, _GH.changes, _GH.deletes, _GH.local
_HIGH = P("", risk="high").risk
_GONE = Adds(effects=effects("destructive"), irreversible=True, risk=_HIGH)
_BYPASS = Adds(tags=("force",), risk=_HIGH)
_BODY = "-b|--body:text -F|--body-file:send -e|--editor --edit-last --create-if-none"
_WRITE = (
    "-t|--title:text -b|--body:text -F|--body-file:send -T|--template:text -a|--assignee:text -l|--label:text "
    "-m|--milestone:text -p|--project:text --recover:read -e|--editor -w|--web"
)
_EDIT = (
    "-t|--title:text -b|--body:text -F|--body-file:send -m|--milestone:text --add-assignee:text --remove-assignee:text "
    "--add-label:text --remove-label:text --add-project:text --remove-project:text --add-reviewer:text "
    "--remove-reviewer:text -B|--base:text --remove-milestone"
)

SHARED = flat(
    group(
        "pr",
        looks("pr", "list ls", options="-B|--base:text -H|--head:text -d|--draft --app:text"),
        looks("pr", "view", "number*"),
        looks("pr", "diff", options="--color:text --patch --name-only"),
        looks("pr", "checks", options="-i|--interval:number --watch --required --fail-fast"),
        looks("pr", "status", options="-c|--conflict-status"),
        local(
            "pr",
            "checkout co",
            "number?",
            "-b|--branch:branch --detach -f|--force!force --recurse-submodules",
            does="network write",
            flags={"force": Adds(effects=effects("destructive"), irreversible=True)},
        ),
        changes(
            "pr",
            "create new",
            options=f"{_WRITE} -B|--base:base -H|--head:branch -r|--reviewer:text -d|--draft -f|--fill "
            "--fill-first --fill-verbose --no-maintainer-edit --dry-run",
            dryrun="--dry-run",
            example="gh pr create --title 'Fix' --body 'See issue 1'",
        ),
        changes(
            "pr",
            "merge",
            "number?",
            "-b|--body:text -F|--body-file:send -t|--subject:text -A|--author-email:text "
            "--match-head-commit:text -m|--merge -r|--rebase -s|--squash -d|--delete-branch!delete-branch --auto!auto "
            "--disable-auto --admin!admin",
            flags={"admin": _BYPASS, "delete-branch": _GONE},
            irreversible=True,
            risk="high",
            compensator="gh pr revert <number>",
            example="gh pr merge 12 --squash",
        ),
        changes("pr", "comment", "number?", _BODY),
        changes("pr", "review", "number?", f"{_BODY} -a|--approve!approve -r|--request-changes -c|--comment"),
        changes("pr", "edit", "number?", _EDIT),
        changes(
            "pr",
            "close",
            "number",
            "-c|--comment:text -d|--delete-branch!delete-branch",
            flags={"delete-branch": _GONE},
        ),
        changes("pr", "reopen", "number", "-c|--comment:text"),
        changes("pr", "ready", "number?", "--undo"),
        changes("pr", "revert", "number", "-b|--body:text -F|--body-file:send -t|--title:text -d|--draft"),
        changes("pr", "update-branch", "number?", "--rebase"),
        changes("pr", "lock", "number", "-r|--reason:text"),
        changes("pr", "unlock", "number"),
    ),
    group(
        "issue",
        looks("issue", "list ls", options="-m|--milestone:text --mention:text --app:text"),
        looks("issue", "view", "number*"),
        looks("issue", "status"),
        changes("issue", "create new", options=_WRITE, example="gh issue create --title Bug --body 'It fails'"),
        changes("issue", "comment", "number", _BODY),
        changes("issue", "edit", "number*", _EDIT),
        changes("issue", "close", "number", "-c|--comment:text -r|--reason:text --duplicate-of:text"),
        changes("issue", "reopen", "number", "-c|--comment:text"),
        changes(
            "issue", "develop", "number", "-b|--base:text --branch-repo:text -c|--checkout -n|--name:branch -l|--list"
        ),
        changes("issue", "lock", "number", "-r|--reason:text"),
        changes("issue", "unlock pin unpin", "number"),
        changes("issue", "transfer", "number repo"),
        deletes("issue", "delete", "number", "--yes --confirm"),
    ),
    group(
        "repo",
        looks("repo", "view", "repo?", "-b|--branch:text"),
        looks(
            "repo",
            "list ls",
            options="--language:text --topic:text --visibility:text --fork --source --archived --no-archived",
        ),
        looks("repo", "license gitignore"),
        local(
            "repo",
            "clone",
            "repo brings? text*",
            "-u|--upstream-remote-name:text --no-upstream",
            special="clones",
            does="network write",
            example="gh repo clone pallets/flask",
        ),
        changes(
            "repo",
            "create new",
            "repo?",
            "-d|--description:text -g|--gitignore:text -l|--license:text -h|--homepage:text "
            "-s|--source:list -r|--remote:text -t|--team:text -p|--template:text --public!public --private --internal "
            "--push!push --clone -c --add-readme --disable-issues --disable-wiki --include-all-branches",
        ),
        changes(
            "repo",
            "fork",
            "repo?",
            "--org:text --fork-name:text --remote-name:text --clone --remote --default-branch-only",
        ),
        changes("repo", "sync", "repo?", "-b|--branch:branch -s|--source:text --force!force", flags={"force": _GONE}),
        changes(
            "repo",
            "edit",
            "repo?",
            "-d|--description:text -h|--homepage:text --default-branch:text --visibility:visibility "
            "--add-topic:text --remove-topic:text --accept-visibility-change-consequences --template --enable-issues "
            "--enable-wiki --enable-projects --allow-forking --delete-branch-on-merge --enable-auto-merge",
            risk="high",
        ),
        changes("repo", "rename", "name?", "-y|--yes", risk="high"),
        changes("repo", "archive unarchive", "repo?", "-y|--yes", risk="high"),
        deletes("repo", "delete", "repo?", "--yes --confirm", example="gh repo delete me/old --yes"),
        local("repo", "set-default", "repo?", "-v|--view -u|--unset"),
        group(
            "deploy-key",
            looks("repo-deploy-key", "list ls"),
            changes("repo-deploy-key", "add", "send", "-t|--title:text -w|--allow-write!write", risk="high"),
            deletes("repo-deploy-key", "delete", "key"),
        ),
        group(
            "autolink",
            looks("repo-autolink", "list ls view"),
            changes("repo-autolink", "create", options="-n|--numeric"),
            deletes("repo-autolink", "delete", "key", "--yes"),
        ),
    ),
    group(
        "release",
        looks("release", "list ls", options="--exclude-drafts --exclude-pre-releases -O|--order:text"),
        looks("release", "view", "tag?"),
        looks("release", "verify verify-asset"),
        local(
            "release",
            "download",
            "tag?",
            "-D|--dir:brings -O|--output:brings -p|--pattern:text -A|--archive:text --clobber --skip-existing",
            does="network write",
        ),
        changes(
            "release",
            "create new",
            "tag? send*",
            "-n|--notes:text -F|--notes-file:send -t|--title:text --target:text "
            "--discussion-category:text --notes-start-tag:text -d|--draft!draft -p|--prerelease --latest "
            "--generate-notes "
            "--notes-from-tag --verify-tag --fail-on-no-commits",
            does="destructive network",
            irreversible=True,
            risk="high",
            example="gh release create v1.0 dist/app.tgz",
        ),
        changes(
            "release",
            "upload",
            "tag send*",
            "--clobber!clobber",
            flags={"clobber": _GONE},
            irreversible=True,
            risk="high",
        ),
        changes(
            "release",
            "edit",
            "tag",
            "-n|--notes:text -F|--notes-file:send -t|--title:text --target:text --tag:text "
            "--discussion-category:text --draft --prerelease --latest --verify-tag",
        ),
        deletes("release", "delete", "tag", "-y|--yes --cleanup-tag!cleanup-tag"),
        deletes("release", "delete-asset", "tag name", "-y|--yes"),
    ),
    group(
        "run",
        looks(
            "run",
            "list ls",
            options="-b|--branch:text -c|--commit:text -e|--event:text -u|--user:text -s|--status:text "
            "-w|--workflow:text --created:text --all",
        ),
        looks("run", "view", options="-j|--job:text -a|--attempt:number --log --log-failed --exit-status -v|--verbose"),
        looks("run", "watch", options="-i|--interval:number --exit-status --compact"),
        local("run", "download", "run?", "-D|--dir:brings -n|--name:text -p|--pattern:text", does="network write"),
        changes("run", "rerun", "run?", "-j|--job:text --failed -d|--debug"),
        changes("run", "cancel", "run?", "--force"),
        deletes("run", "delete", "run?"),
    ),
    group(
        "workflow",
        looks("workflow", "list ls", options="-a|--all"),
        looks("workflow", "view", options="-r|--ref:text -y|--yaml"),
        changes(
            "workflow",
            "run",
            "workflow?",
            "-f|--raw-field:text -F|--field:text -r|--ref:ref --json",
            risk="medium",
            example="gh workflow run deploy.yml --ref main",
        ),
        changes("workflow", "enable disable", "workflow?"),
    ),
    group(
        "gist",
        looks("gist", "list ls", options="--public --secret --filter:text --include-content"),
        looks("gist", "view", "gist?", "-f|--filename:text -r|--raw --files"),
        changes(
            "gist",
            "create new",
            "send*",
            "-d|--desc:text -f|--filename:text -p|--public!public -w|--web",
            does="destructive network",
            irreversible=True,
            risk="high",
            compensator="gh gist delete <id>",
        ),
        changes("gist", "edit", "gist", "-a|--add:send -d|--desc:text -f|--filename:text -r|--remove:text"),
        changes("gist", "rename", "gist"),
        deletes("gist", "delete", "gist?", "--yes"),
        local("gist", "clone", "gist brings?", special="clones", does="network write"),
    ),
)
