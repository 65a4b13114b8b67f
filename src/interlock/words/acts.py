"""What one action would do, as a phrase that begins a sentence: "Push `main` to `origin` (github.com/acme/app)".

Rows of phrases.py first; without one, the words of the command, which whoever has the call passes in; else the program
and the fields of the target. Never an inner name, and never the name of a program that the person did not see.
"""

from __future__ import annotations

from ..approve.glob import is_open
from ..value import TYPE_CHECKING
from .said import plain, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.action import Action

__all__ = ["does", "phrase_of"]

# Fields that say on what an action works, the plainest first, and how they are told.
_NAMING = {
    "path": "{}", "url": "{}", "host": "{}", "destination": "{}", "package": "{}", "image": "{}", "repo": "{}",
    "branch": "the branch {}", "remote": "the remote {}", "tag": "the tag {}", "resource": "{}", "name": "{}",
    "unit": "{}", "service": "{}", "database": "the database {}", "table": "the table {}", "user": "the user {}",
    "bucket": "{}", "project": "the project {}", "key": "{}", "id": "{}", "ids": "{}", "instances": "{}", "app": "{}",
    "stack": "{}", "site": "{}", "cluster": "the cluster {}", "context": "the cluster {}", "secret": "{}",
    "process": "the process {}", "runs": "{}", "fetched": "{}", "folder": "{}",
}  # fmt: skip
# Families whose names join the words of a command with `-`: `gh:pr-create` is `gh pr create`.
_JOINED = frozenset(("argocd", "conda", "git", "gh", "glab", "hub", "jj", "tea"))
_FALLBACK_FIELDS = 2


def does(action: Action, words: str = "") -> str:
    """The phrase, with a capital. `words` is the part of the command that it was read from, where that is at hand."""
    phrase = phrase_of(action)
    if phrase is None:
        phrase = _run(action, words)
    elif words and "`" not in phrase:  # it names nothing by which the person can tell it from others
        phrase = f"{phrase} ({quoted(words)})"
    return phrase[:1].upper() + phrase[1:]


def phrase_of(action: Action) -> str | None:
    """What the table says; None where it says nothing about this action."""
    from .phrases import PHRASES  # only what is asked about pays for the table

    row = PHRASES.get(action.name)
    if row is None:
        return None
    fields = _fields(action)
    for template in row.split(" | "):
        phrase = _filled(template, fields)
        if phrase is not None:
            return phrase
    return None


def _fields(action: Action) -> dict[str, str]:
    fields = {
        field: quoted(value)
        for field, value in action.target.items()
        if value is not False and value != "" and not is_open(value)
    }
    if "method" in fields:
        fields["method"] = plain(action.target["method"])
    to = _to(action.target)
    if to:
        fields["to"] = to
    return fields


def _to(target: Mapping[str, object]) -> str:
    """Where something goes: the name that the person gave the place, and its address."""
    name = next((target[field] for field in ("to", "remote", "registry", "repo", "project") if target.get(field)), "")
    place = next((target[field] for field in ("destination", "host", "url") if target.get(field)), "")
    if name and place and str(name) not in str(place):
        return f"{plain(name)} ({plain(place)})"
    return plain(place or name) if name or place else ""


def _filled(template: str, fields: Mapping[str, str]) -> str | None:
    """The template with the fields put in; None where one is missing."""
    out = []
    for at, part in enumerate(template.split("{")):
        if at == 0:
            out.append(part)
            continue
        field, _, rest = part.partition("}")
        asked = field.startswith("?")
        if field.lstrip("?") not in fields:
            return None
        out.append(rest if asked else fields[field] + rest)
    return "".join(out)


def _run(action: Action, words: str) -> str:
    from .phrases import FAMILIES

    family, _, rest = action.name.partition(":")
    if words:
        return f"run {quoted(words)}"
    if family in ("mcp", "tool"):
        return _tool(action.name)
    if family == "exec":
        return f"run {quoted(rest)}{_on(action)}"
    command = rest.replace("-" if family in _JOINED else ":", " ")
    label = FAMILIES.get(family)
    if label is not None:
        return f"run {quoted(command)} on {label}{_on(action, ': ')}"
    return f"run {quoted(f'{family} {command}')}{_on(action)}"


def _tool(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "tool":
        return f"use the tool {quoted(rest)}"
    server, _, tool = rest.partition(":")
    return f"use {quoted(tool)} of the tool server {quoted(server)}"


def _on(action: Action, before: str = " on ") -> str:
    found = [
        told.format(quoted(action.target[field]))
        for field, told in _NAMING.items()
        if action.target.get(field) and not is_open(action.target[field])
    ]
    return before + ", ".join(list(dict.fromkeys(found))[:_FALLBACK_FIELDS]) if found else ""
