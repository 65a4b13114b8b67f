"""A grant: what a person permitted, and whether it covers an action.

A grant covers an action only if the name matches, the scope covers every part of the
target that it names, and effects, tags, risk and irreversibility stay within what the
person was shown. Whether it is still live (expiry, uses, revocation) is the store's
business: the grants that reach this code are live.
"""

from __future__ import annotations

from ..action import Action
from ..effects import Effect, effect_names
from ..value import TYPE_CHECKING, FrozenMap, Value
from ..verdict import Risk, Strength
from .glob import is_plain, matches, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DETOURS", "KINDS", "REACHES", "WIDENING", "Grant", "concerns", "covers", "shown_scope", "why_not"]

# once: an approval of one exact call; capability: made ahead; remembered: kept from an approval
KINDS = ("once", "capability", "remembered")

# Fields of a target that make more happen than its name says. Whoever gave a grant was not shown them unless its scope
# names them, so it covers such a call only then.
WIDENING = (
    *("all", "all-tags", "delete", "force", "mirror", "no-verify", "prune"),
    *("push-option", "submodules", "tags"),
)
# Fields that lead elsewhere than the rest of the target says: a proxy, another index, a remote made by the same call.
DETOURS = ("via",)
# What a yes to one call was said to besides its name: the files and the folder that it is made from, whose packages
# they are, where they come from and go to. Who gives a permission ahead writes its words, and is not asked about these.
_SHOWN = ("collection", "file", "global", "source", "system")
# A yes to one call was said to one remote of one repository: another name, or another clone, costs the agent nothing.
_SAID_TO = ("folder", "remote")
REACHES = ("once", "session", "folder", "repository", "everywhere")


class Grant(Value):
    """
    binds     set on a once-grant: the id of the approval, and so of the call, it answers
    strength  how sure it is that a person gave it
    """

    id: str
    kind: str
    action: str = ""
    scope: Mapping[str, str] = FrozenMap({})
    effects: tuple[Effect, ...] = Effect.members
    tags: tuple[str, ...] | None = None
    risk: Risk = Risk.CRITICAL
    irreversible: bool = True
    binds: str | None = None
    reach: str = "session"
    subject: str = ""
    by: str = ""
    why: str = ""
    strength: Strength = Strength.WEAK


def covers(grant: Grant, action: Action) -> bool:
    return why_not(grant, action) is None


def concerns(grant: Grant, action: Action) -> bool:
    """True if the grant is about this kind of action at all, whatever its limits."""
    return grant.kind != "once" and grant.binds is None and matches(grant.action, action.name)


def why_not(grant: Grant, action: Action) -> str | None:
    """None if the grant covers the action, else the first reason why it does not."""
    if not concerns(grant, action):
        return f"it is for {grant.action or 'one exact call'}"
    for field, pattern in grant.scope.items():
        value = action.target.get(field)
        if value is None:
            return f"the call names no {field}"
        for part in value if type(value) is tuple else (value,):
            if not _within(pattern, text_of(part)):
                return f"its scope is {field} = {pattern}, the call's is {text_of(part)}"
    for field in WIDENING:
        if action.target.get(field) is True and field not in grant.scope:
            return f"the call has {field} = true, which its scope does not name"
    for field in (*DETOURS, *_SAID_TO) if "folder" in grant.scope and grant.kind == "remembered" else DETOURS:
        if field in action.target and field not in grant.scope:
            return f"the call has {field} = {text_of(action.target[field])}, which its scope does not name"
    if grant.kind == "remembered":
        for field in _SHOWN:
            if field == "collection" and "system" in (grant.tags or ()):
                continue  # who lets the system's packages in, with root's rights, has said yes to more than a library
            if field in action.target and field not in grant.scope:
                return f"the call has {field} = {text_of(action.target[field])}, which nobody said yes to"
    real = action.target.get("real")  # a path is where it says and where it leads
    if real is not None and "path" in grant.scope and "real" not in grant.scope:
        if not _within(grant.scope["path"], str(real)):
            return f"its scope is path = {grant.scope['path']}, the call's leads to {real}"
    beyond = [effect for effect in action.effects if effect not in grant.effects]
    if beyond:
        return f"it was given without the effect {', '.join(effect_names(beyond))}"
    if grant.tags is not None:
        new = sorted(set(action.tags) - set(grant.tags))
        if new:
            return f"it was given without the mark {', '.join(new)}"
    if action.risk > grant.risk:
        return f"it was given for risk up to {grant.risk}, the call's is {action.risk}"
    if action.irreversible and not grant.irreversible:
        return "it was given for something that can be taken back"
    return None


def shown_scope(action: Action) -> dict[str, str] | None:
    """The fields with which an action does more, or goes elsewhere, than its key says; None where no scope says so."""
    scope = {field: "true" for field in (*WIDENING, *_SHOWN) if action.target.get(field) is True}
    for field in (*DETOURS, *_SHOWN, *_SAID_TO):
        value = action.target.get(field)
        if type(value) is tuple and len(set(value)) == 1:
            value = value[0]
        if value is not None and field not in scope:
            if type(value) is not str or not is_plain(value):
                return None
            scope[field] = value
    return scope


def _within(pattern: str, text: str) -> bool:
    """Whether all that the text may stand for is in the pattern: `?` is one character, and a `*` in a call is many."""
    return matches(pattern, text) and not ("?" in pattern and "*" in text)
