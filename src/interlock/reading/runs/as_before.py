"""A `pyproject.toml` that the session has edited, and by which nothing else runs than when the session began.

Installers and builders run what a manifest says: its build backend, its hooks, its packages. A new version, a
description or an entry point into the project's own package says nothing of that. So what is left of the file without
those is compared with what the commit has in which the session began.
"""

from __future__ import annotations

import re

from ...model.more_wants import TextAt
from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..machine.index import is_known
from ..reach.git_facts import asked
from ..written.manifests import toml_of

if TYPE_CHECKING:
    from typing import Any

    from ..evaluate.state import Shell

__all__ = ["runs_as_before"]

_ONLY_TOLD = ("authors", "classifiers", "description", "keywords", "maintainers", "urls", "version")
_POINTS = re.compile(r"([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def runs_as_before(path: str, shell: Shell) -> bool:
    began = shell.found.facts.began
    if not began:
        return False
    texts = texts_of_file(path, shell)
    before = toml_of(asked(shell.found, TextAt(path, began))) if texts else None
    if before is None or not texts:
        return False
    kept = _what_runs(before, before)
    return kept is not None and all(_what_runs(toml_of(text), before) == kept for text in texts)


def _what_runs(data: dict[str, Any] | None, before: dict[str, Any]) -> dict[str, Any] | None:
    """All but what is only told, and new entry points into the package that the project was."""
    project = None if data is None else data.get("project")
    if data is None or not isinstance(project, dict):
        return None
    known = before["project"].get("scripts")
    scripts = project.get("scripts", {})
    if not isinstance(scripts, dict):
        return None
    added = {name: at for name, at in scripts.items() if not isinstance(known, dict) or known.get(name) != at}
    own = str(before["project"].get("name", "")).replace("-", "_").replace(".", "_").lower()
    if not all(_is_own(name, at, own) for name, at in added.items()):
        return None
    left = {key: value for key, value in project.items() if key not in (*_ONLY_TOLD, "scripts")}
    return {**data, "project": left}


def _is_own(name: str, at: object, package: str) -> bool:
    """No name of a program: a script `git` would be found before git."""
    points = _POINTS.fullmatch(at) if isinstance(at, str) else None
    return points is not None and points[1].lower() == package and not is_known(name)
