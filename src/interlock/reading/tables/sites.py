"""Tools that put a site on Pages: what they send is what the world sees next."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import project
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

    from .spec import Program

__all__ = ["PROGRAMS"]

_HIGH = P("", risk="high").risk
_FORCE = Adds(effects=effects("destructive"), tags=("force",), risk=_HIGH, irreversible=True)


def _pages(name: str, operands: str = "text*", *, does: str = "network execute", **more: Any) -> Program:
    return P(
        name,
        operands,
        action="pages:deploy",
        does=does,
        tags="external sends",
        risk="medium",
        flags={"force": _FORCE},
        **more,
    )


PROGRAMS = (
    _pages(
        "gh-pages",
        options="-d|--dist:send -s|--src:text -b|--branch:branch -e|--dest:text -a|--add -v|--version -t|--dotfiles "
        "-r|--repo:repo -p|--silent -o|--remote:remote -m|--message:text -g|--tag:text -u|--user:text "
        "-f|--no-history!force -x|--no-push -n|--nojekyll --cname:text -h|--help",
        dryrun="-v -h",
        example="gh-pages -d dist",
    ),
    _pages(
        "ghp-import",
        "send?",
        options="-n|--no-jekyll -c|--cname:text -m|--message:text -p|--push -x|--prefix:text -f|--force!force "
        "-o|--no-history!force -r|--remote:remote -b|--branch:branch -s|--shell -l|--follow-links -h|--help",
        dryrun="-h",
        also="ghp_import",
        example="ghp-import -p docs/_build",
    ),
    P(
        "mike",
        words=2,
        example="mike deploy --push 1.0",
        subs=(
            *[
                _pages(
                    verb,
                    options="-p|--push -r|--remote:remote -b|--branch:branch -m|--message:text -u|--update-aliases "
                    "-t|--title:text -F|--config-file:runs --deploy-prefix:text --alias-type:text -T:text "
                    "--allow-empty --ignore-remote-status -h|--help",
                    dryrun="-h",
                )
                for verb in ("deploy", "delete", "alias", "retitle", "set-default", "props")
            ],
            P("list", action="mike:list", does="read"),
            project("serve", does="spawn execute"),
        ),
    ),
    P(
        "docusaurus",
        words=2,
        example="docusaurus deploy",
        subs=(
            _pages("deploy", options="--skip-build --out-dir:write --locale:text -l:text"),
            project("start", does="spawn execute", also="serve"),
        ),
        default=project("docusaurus"),
    ),
    _pages(
        "angular-cli-ghpages",
        also="ngh",
        options="-d|--dir:send -r|--repo:repo -b|--branch:branch -m|--message:text -S|--no-silent --dry-run "
        "--cname:text",
        dryrun="--dry-run",
        example="ngh --dir dist/app",
    ),
)
