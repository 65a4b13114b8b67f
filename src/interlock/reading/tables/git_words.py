"""What the tables of git share: how a row is named, and the options that many of its commands take."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import Adds, P, Program, effects

if TYPE_CHECKING:
    from typing import Any

__all__ = ["DIFF", "LOG", "LOOKS", "LOSES", "MERGE", "WHOLESALE", "G"]


def G(name: str, operands: str = "", *, does: str = "read", under: str = "", **more: Any) -> Program:
    """A command of git: its action is `git:<name>`, or `git:<under>-<name>` for one of a group."""
    action = f"git:{under}-{name}" if under else f"git:{name}"
    more.setdefault("words", 3 if under else 2)
    operands = operands or ("shown*" if does == "read" else "text*")  # revisions, and paths
    return P(name, operands, does=does, **{"action": action, **more})


# All branches and all of history at once: a copy that is made to be carried elsewhere.
WHOLESALE = Adds(tags=("wholesale",))

DIFF = (
    "--output:write!saves --output-indicator-new:text --output-indicator-old:text --output-indicator-context:text "
    "--ext-diff!ext-diff --textconv!textconv --no-ext-diff --no-textconv --no-index -O:read -S:words -G:words "
    "-I|--ignore-matching-lines:text -U|--unified?:number -M|--find-renames?:text -C|--find-copies?:text "
    "-B|--break-rewrites?:text -X|--dirstat?:text -l:number --stat?:text --stat-width:number --stat-count:number "
    "--stat-name-width:number --stat-graph-width:number --color?:text --color-moved?:text --color-moved-ws:text "
    "--word-diff?:text "
    "--word-diff-regex:text --color-words?:text --diff-filter:text --diff-algorithm:text --anchored:text "
    "--skip-to:text --rotate-to:text --find-object:text --inter-hunk-context:number --src-prefix:text "
    "--dst-prefix:text --line-prefix:text --relative?:text --abbrev?:text --submodule?:text "
    "--ignore-submodules?:text --ws-error-highlight:text --name-only --name-status --numstat --shortstat --summary "
    "--check --patch --raw --minimal --patience --histogram --cached --staged --merge-base --exit-code --quiet "
    "-p -u -s -z -R -a -b -w -c -W"
)
LOG = (
    "-n|--max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text "
    "--committer:text --grep:text --grep-reflog:text --format?:text --pretty?:text --date:text --decorate?:text "
    "--decorate-refs:text --decorate-refs-exclude:text --branches?:text --tags?:text --remotes?:text --glob:text "
    "--exclude:text --exclude-hidden:text -L:text --encoding:text --notes?:text --show-notes?:text --all --oneline "
    "--graph --stdin --follow --reverse --merges --no-merges --first-parent --show-signature --walk-reflogs"
)
LOOKS = {
    "ext-diff": Adds(opaque="the configuration names the program that compares"),
    "textconv": Adds(opaque="the configuration names the program that converts"),
    "saves": Adds(tags=("disguised",)),  # a look that writes a file, where `>` would say so
}
LOSES = Adds(effects=effects("destructive"), irreversible=True, risk=P("", risk="medium").risk)
MERGE = "-s|--strategy:text -X|--strategy-option:text -S|--gpg-sign?:text --cleanup:text"
