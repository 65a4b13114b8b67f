"""Folders that a loop goes through by a pattern: `for d in packages/*/; do (cd "$d" && npm test); done`.

Which folders there are is a fact, and so are the files among them where the pattern has no slash at its end. With it
the loop is followed name by name; without it, or where this call may have made another, the pattern stays a pattern.
"""

from __future__ import annotations

from ...model.more_wants import Matching
from ...value import TYPE_CHECKING
from .words import Arg

if TYPE_CHECKING:
    from .state import Shell

__all__ = ["each_folder"]

_MOST = 16


def each_folder(values: list[Arg], shell: Shell) -> list[Arg]:
    """The values, with each pattern replaced by the names that it stands for."""
    found = [_named(value, shell) for value in values]
    words = [word for words in found for word in words]
    return words if len(words) <= _MOST else values


def _named(value: Arg, shell: Shell) -> list[Arg]:
    parent, _, name = value.text.rstrip("/").rpartition("/")
    plain = value.glob and not value.unknown and shell.folders is not None
    if not plain or len(shell.folders or ()) != 1 or not set("*?[]{}~\\").isdisjoint(parent) or "*" not in name:
        return [value]
    if not set("?[]{}~\\").isdisjoint(name) or ".." in parent.split("/"):
        return [value]
    here = (shell.folders or ("",))[0].rstrip("/")
    base = parent if value.text[:1] == "/" else f"{here}/{parent}".rstrip("/")
    if any(path.startswith(base + "/") for path in (*shell.files, *shell.links, *shell.found.made)):
        return [value]
    slash = "/" if value.text.endswith("/") else ""
    named = shell.found.ask(Matching(f"{base}/{name}", not slash))
    if named is None or "" in named:
        return [value]
    if not named:
        return [Arg(value.text, value.span, quoted=True)]  # there is none: the pattern stands for itself
    start = value.text.rstrip("/")[: -len(name)]
    return [Arg(f"{start}{path.rpartition('/')[2]}{slash}", value.span, quoted=True) for path in named]
