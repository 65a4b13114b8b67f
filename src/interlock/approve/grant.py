"""A grant: what a person permitted, and whether it covers an action.

A grant covers an action only if the name matches, the scope covers every part of the target that it names, and
effects, tags, risk and irreversibility stay within what the person was shown. What leaves this machine is covered
only where the scope says where it may go: `destination`, of which `*` is anywhere, also where that is not known.
Whether it is still live (expiry, uses, revocation) is the store's business: the grants that reach this code are live.
"""

from __future__ import annotations

from ..model.action import Action
from ..model.effects import Effect, effect_names
from ..model.verdict import Risk, Strength
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .glob import OPEN, is_open, is_plain, is_within, matches, text_of, texts_of
from .index import LESS_IS_COVERED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .well_known import is_well_known
else:
    is_well_known = lazy(globals(), ".well_known", "is_well_known")

__all__ = [
    "ANYWHERE",
    "DESTINATION",
    "DETOURS",
    "REACHES",
    "WIDENING",
    "Grant",
    "concerns",
    "covers",
    "is_outward",
    "shown",
    "shown_scope",
    "why_not",
]

# Fields of a target that make more happen than its name says. Whoever gave a grant was not shown them unless its scope
# names them, so it covers such a call only then.
WIDENING = (
    *("all", "all-tags", "delete", "force", "mirror", "no-verify", "prune"),
    *("push-option", "submodules", "tags"),
)
# Fields that lead elsewhere than the rest of the target says: a proxy, another index, a remote made by the same call.
DETOURS = ("via",)
# A yes to one call was said to all of its target, field by field. These are the ones in which another call may differ
# and still be what the person meant; a path is held to its folder, and an address to its host.
_FREE = frozenset(
    (
        *("branch", "tag", "ref"),  # a day's work has many
        *("glob", "real"),  # the path says it; where it leads has a rule of its own
        *("detach", "dev", "quiet", "optional", "exact"),
        *("line", "does"),  # shown of what a digest stands for
        *("like", "locked"),  # shown of a package, whose name and version are bound
    )
)
# What a yes is for this once, whatever else of the call it is remembered for: a call that has it is asked about again.
_ONLY_ONCE = ("carries",)
_PUSHES = ("git:push", "git:send-pack", "git:http-push", "jj:git-push")
# Words that a person wrote (`npm install`) say nothing of these, so they have to be named.
_BESIDES = ("collection", "file", "global", "source", "system")
# What says where an action that leaves this machine may go, and the pattern for anywhere.
DESTINATION, ANYWHERE = "destination", "*"
_TOOLS = ("mcp:", "tool:", "agent:")
# With one of these, the address is one of many at the same place.
_PLACES = ("host", "destination")
REACHES = ("once", "session", "folder", "repository", "everywhere")


class Grant(Value):
    """
    kind      once: an approval of one exact call; capability: made ahead; remembered: kept from an approval
    binds     set on a once-grant: the id of the approval, and so of the call, it answers
    asks      set on a once-grant: the asks that were shown, and that it covers; None: it covers each ask of the call
    strength  how sure it is that a person gave it
    whole     it is a yes to one call, and holds all of that call's target; otherwise what its words and scope say
    persons   who gave it, where that was shown by signatures and counts: two persons may be needed
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
    whole: bool = False
    persons: tuple[str, ...] = ()
    asks: tuple[str, ...] | None = None


def covers(grant: Grant, action: Action) -> bool:
    return why_not(grant, action) is None


def concerns(grant: Grant, action: Action) -> bool:
    """True if the grant is about this kind of action at all, whatever its limits."""
    return grant.kind != "once" and grant.binds is None and matches(grant.action, action.name)


def why_not(grant: Grant, action: Action) -> str | None:
    """None if the grant covers the action, else the first reason why it does not."""
    if not concerns(grant, action):
        return f"it is for {grant.action or 'one exact call'}"
    # INVARIANT: no destination is covered that the scope does not name, and an unknown one only by `*`.
    if is_outward(action) and grant.scope.get(DESTINATION) != ANYWHERE:
        value = action.target.get(DESTINATION)
        if value is None:
            return "where the call goes is not known; only a scope with destination = * covers that"
        if DESTINATION not in grant.scope:
            return f"its scope names no destination, the call's is {_listed(value)}"
    for field, pattern in grant.scope.items():
        value = action.target.get(field)
        if field == DESTINATION and pattern == ANYWHERE:
            continue
        if value is None:
            if field in LESS_IS_COVERED:
                continue
            return f"the call names no {field}"
        # What was left out counts too: `--dry-run`.
        if field == "given" and grant.whole and type(value) is tuple and {*pattern.split("\n")} != {*value}:
            return f"its scope is {field} = {shown(pattern)}, the call's is {', '.join(value)}"
        for part in texts_of(value):
            if is_open(part) and pattern != ANYWHERE:
                return f"its scope is {field} = {shown(pattern)}, and the call's is not known"
            if field == "mounts" and _is_below(part, pattern):
                continue
            if not is_within(pattern, _named(field, part, action) if grant.whole else text_of(part)):
                return f"its scope is {field} = {shown(pattern)}, the call's is {text_of(part)}"
    for field in WIDENING:
        if action.target.get(field) is True and field not in grant.scope:
            return f"the call has {field} = true, which its scope does not name"
    for field in DETOURS:
        if field in action.target and field not in grant.scope:
            return f"the call has {field} = {text_of(action.target[field])}, which its scope does not name"
    if grant.kind == "remembered":
        for field, value in action.target.items():
            counts = not _is_free(field, action) if grant.whole else field in _BESIDES
            if counts and field in _ONLY_ONCE:
                return f"the call {field} {_listed(value).removeprefix(OPEN + ' ')}, which a yes covers only once"
            if counts and value is not False and field not in grant.scope:
                return f"the call has {field} = {text_of(value)}, which nobody said yes to"
    real = action.target.get("real")  # a path is where it says and where it leads
    if real is not None and "path" in grant.scope and "real" not in grant.scope:
        if not is_within(grant.scope["path"], str(real)):
            return f"its scope is path = {grant.scope['path']}, the call's leads to {real}"
    beyond = [effect for effect in action.effects if effect not in grant.effects]
    if beyond:
        return f"it was given without the effect {', '.join(effect_names(beyond))}"
    if grant.tags is not None:
        # The scope says where it goes, so that it goes elsewhere than usual is nothing new.
        led = ("redirects",) if DESTINATION in grant.scope and DESTINATION in action.target else ()
        new = sorted(set(action.tags) - {*grant.tags, *led})
        if new:
            return f"it was given without the mark {', '.join(new)}"
    if action.risk > grant.risk:
        return f"it was given for risk up to {grant.risk}, the call's is {action.risk}"
    if action.irreversible and not grant.irreversible:
        return "it was given for something that can be taken back"
    return None


def is_outward(action: Action) -> bool:
    """Whether it leaves this machine. A tool's own name says where it goes."""
    return "external" in action.tags and not action.name.startswith(_TOOLS)


def _listed(value: object) -> str:
    return ", ".join(value) if type(value) is tuple else text_of(value)


def _is_free(field: str, action: Action) -> bool:
    """Whether a call with another value there, or with none, is still what a yes to this one was said to."""
    if field == "url":  # what changes something at an address is held to it; one that only looks, to the host
        return any(place in action.target for place in _PLACES) and not _is_posted(action)
    if field in ("branch", "tag", "ref"):
        return action.name not in _PUSHES
    if field == "remote":
        return "destination" in action.target
    if field == "registry":
        return "collection" in action.target and "via" not in action.target  # one of the usual ones
    if field == "manifest":
        return "package" in action.target
    if field in ("name", "service"):
        # The file of compose says which there are, and is bound; a new container may have any name.
        return action.name.startswith("compose:") or action.name in ("docker:run", "docker:create")
    # A distribution's archive is one publisher's; to an open registry anybody uploads, and there each name is another.
    return field in _FREE or (field == "package" and "system" in action.tags)


def _is_posted(action: Action) -> bool:
    """Whether it is a request that may change what is at the address."""
    return action.name == "net:send" and action.target.get("method") not in ("GET", "HEAD")


def shown_scope(action: Action) -> dict[str, str] | None:
    """The fields of the target that a yes is bound to besides its key; None where no scope says so."""
    scope = {}
    for field, value in action.target.items():
        if value is False or field == "path" or field in _ONLY_ONCE or _is_free(field, action):
            continue
        given = texts_of(value)
        if any(is_open(part) for part in given):
            return None  # nobody was shown what it is
        parts = [_named(field, part, action) for part in given]
        if not all(is_plain(part) and "\n" not in part for part in parts):
            return None
        scope[field] = "\n".join(sorted(set(parts)))
    return scope


def _is_below(mount: object, pattern: str) -> bool:
    """Whether it is one of the mounts, or a folder below it, or the same to read only."""
    path = text_of(mount).removesuffix(":ro")
    fixed = text_of(mount).endswith(":ro")
    wide = [one.removesuffix(":ro") for one in pattern.split("\n") if fixed or not one.endswith(":ro")]
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in wide)


def _named(field: str, value: object, action: Action) -> str:
    """The text that a pattern is held against: of an address what comes before a query, of a package what was asked
    for, version and all. The widely used ones of a language are one, unless a version is asked for or it is installed
    for more than the project.
    """
    text = text_of(value)
    if field == "url":
        return text.partition("#")[0].partition("?")[0]
    if field != "package" or "global" in action.target or "system" in action.target:
        return text
    collection = action.target.get("collection")
    return f"(well-known: {collection})" if is_well_known(text, collection) else text


def shown(pattern: str) -> str:
    """A pattern of a scope as a person reads it: several plain values stand on lines of their own."""
    return pattern.replace("\n", ", ")
