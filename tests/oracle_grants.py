"""What a grant covers, decided slowly: the part of the slow decider that is about grants."""

from __future__ import annotations

import re

from interlock.approve.grant import Grant
from interlock.model.action import Action

__all__ = ["RISKS", "covers_slowly", "leaves", "like", "words_of"]

RISKS = ["low", "medium", "high", "critical"]


def like(pattern: str, text: str) -> bool:
    expression = "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def words_of(action: Action, field: str) -> list[str]:
    """Each thing that this field of the target names, as text."""
    value = action.target.get(field)
    if value is None:
        return []
    if isinstance(value, tuple):
        return list(value)
    return [{True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)]


def leaves(action: Action) -> bool:
    return "external" in action.tags and action.name.split(":")[0] not in ("mcp", "tool", "agent")


WIDER = ["force", "delete", "mirror", "prune", "all", "tags", "all-tags"]


MAY_DIFFER = {"branch", "tag", "ref", "glob", "real", "detach", "dev", "quiet", "optional", "exact"}


def covers_slowly(grant: Grant, action: Action) -> bool:
    if grant.kind == "once" or grant.binds is not None or not like(grant.action, action.name):
        return False
    anywhere = grant.scope.get("destination") == "*"
    if leaves(action) and not anywhere and not {"destination"} <= set(grant.scope) & set(action.target):
        return False
    for field, pattern in grant.scope.items():
        if field == "destination" and anywhere:
            continue
        values = words_of(action, field)
        if field == "path" and "real" not in grant.scope:
            values = values and values + words_of(action, "real")
        if not values or not all(any(like(one, value) for one in pattern.split("\n")) for value in values):
            return False
        if "?" in pattern and any("*" in value for value in values):
            return False
    if any(action.target.get(field) is True and field not in grant.scope for field in WIDER):
        return False
    if grant.kind == "remembered" and grant.whole:
        places = {"host", "destination"} & set(action.target)
        shown = {field for field, value in action.target.items() if value is not False} - MAY_DIFFER
        if shown - set(grant.scope) - ({"url"} if places else set()):
            return False
    led = {"redirects"} if "destination" in grant.scope and "destination" in action.target else set()
    return (
        set(action.effects) <= set(grant.effects)
        and (grant.tags is None or set(action.tags) <= set(grant.tags) | led)
        and RISKS.index(action.risk.name) <= RISKS.index(grant.risk.name)
        and (grant.irreversible or not action.irreversible)
    )
