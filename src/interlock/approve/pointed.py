"""Grants that a person should look at again: dead, shadowed, or broader than anyone means.

Pure. A grant is dead if it can cover nothing (any more), shadowed if another live one covers all that it does, and
over-broad if it would let through far more than a person thinks of when they give it. Nothing here changes a decision.
"""

from __future__ import annotations

from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, Value
from .gated import GATES
from .glob import is_plain, matches
from .grant import ANYWHERE as ANY_PLACE
from .grant import DESTINATION, WIDENING, Grant
from .index import ANYWHERE, family_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..policy.model import Rule

__all__ = ["IDLE_DAYS", "Point", "Standing", "pointed_out", "state_of"]

IDLE_DAYS = 30
_DAY = 24 * 3600 * 1000
# Families whose names come from elsewhere than the tables of commands as well, so that none can be called unknown.
_ELSEWHERE = "docker exec fs gcloud guard kubectl mcp mongo net proc redis secret service shell sql ssh user"
_FREE_FAMILIES = frozenset([f"{name}:" for name in _ELSEWHERE.split()])


class Standing(Value):
    """A grant as it stands. Moments in milliseconds since 1970, 0 where there is none; `uses` 0: any number.

    place is whom it reaches: empty for everywhere, else its reach and which session or folder.
    """

    grant: Grant
    place: str = ""
    given: int = 0
    expires: int = 0
    uses: int = 0
    used: int = 0
    revoked: int = 0
    last_used: int = 0


class Point(Value):
    """kind is dead, shadowed or over-broad."""

    grant: str
    kind: str
    text: str


def state_of(standing: Standing, moment: int) -> str:
    """live, or why it is not."""
    if standing.revoked:
        return "revoked"
    if standing.expires and standing.expires <= moment:
        return "expired"
    if standing.uses and standing.used >= standing.uses:
        return "used up"
    return "live"


def pointed_out(
    grants: Sequence[Standing],
    rules: Sequence[Rule],
    moment: int,
    *,
    known: Collection[str] = (),
    idle: int = IDLE_DAYS,
) -> list[Point]:
    """Everything worth saying. `known` are names of actions; a family that it has none of is not judged by it."""
    live = [standing for standing in grants if state_of(standing, moment) == "live"]
    denied = [rule for rule in rules if rule.verdict is Verdict.DENY and _by_action_alone(rule)]
    known = {*known, *[gate.action for gate in GATES]} if known else known
    families = {family_of(f"{name.partition(':')[0]}:*") for name in known}
    found = []
    for standing in grants:
        state = state_of(standing, moment)
        name = standing.grant.id
        if state != "live":
            found.append(Point(grant=name, kind="dead", text=f"it is {state}"))
            continue
        dead = _dead(standing, denied, moment, known, families, idle)
        if dead:
            found.append(Point(grant=name, kind="dead", text=dead))
        other = next((o for o in live if o is not standing and _shadows(o, standing, live)), None)
        if other is not None:
            found.append(Point(grant=name, kind="shadowed", text=f"{other.grant.id} covers all that it covers"))
        found += [Point(grant=name, kind="over-broad", text=text) for text in _broad(standing)]
    return found


def _dead(
    standing: Standing, denied: Sequence[Rule], moment: int, known: Collection[str], families: set[str], idle: int
) -> str:
    pattern = standing.grant.action
    for rule in denied:
        if _contains(rule.when.action or "", pattern):
            return f"the rule {rule.id} denies it, and no grant lifts that"
    family = family_of(pattern if not is_plain(pattern) else f"{pattern.partition(':')[0]}:*")
    if family in families and family not in _FREE_FAMILIES and not any(matches(pattern, name) for name in known):
        return f"no action that is known is called {pattern}"
    since = standing.last_used or standing.given
    if since and moment - since >= idle * _DAY:
        return f"it was not used for {(moment - since) // _DAY} days"
    return ""


def _by_action_alone(rule: Rule) -> bool:
    when = rule.when
    return bool(when.action) and rule.unless is None and when == type(when)(action=when.action)


def _shadows(other: Standing, one: Standing, live: Sequence[Standing]) -> bool:
    """Whether `other` covers all that `one` does. Of two that are the same, the later one shadows."""
    if not _covers_all(other, one):
        return False
    return not _covers_all(one, other) or live.index(other) > live.index(one)


def _covers_all(wide: Standing, narrow: Standing) -> bool:
    a, b = wide.grant, narrow.grant
    if a.kind != b.kind and a.kind != "capability":
        return False
    if wide.uses or (wide.expires and (not narrow.expires or wide.expires < narrow.expires)):
        return False
    if wide.place and wide.place != narrow.place and not _folder_within(narrow.place, wide.place):
        return False
    if a.subject not in ("", b.subject) or not _contains(a.action, b.action):
        return False
    for field, pattern in a.scope.items():
        if field not in b.scope or not _contains(pattern, b.scope[field]):
            return False
    if "path" in a.scope and ("real" in a.scope) != ("real" in b.scope):
        return False
    if a.kind == "capability":  # it covers what makes more happen only where its scope says so
        if any(field not in a.scope and (field in b.scope or b.kind != "capability") for field in WIDENING):
            return False
    if a.tags is not None and (b.tags is None or not set(b.tags) <= set(a.tags)):
        return False
    return set(b.effects) <= set(a.effects) and b.risk <= a.risk and (a.irreversible or not b.irreversible)


def _folder_within(narrow: str, wide: str) -> bool:
    return narrow.startswith("folder ") and narrow.startswith(wide.rstrip("/") + "/")


def _contains(wide: str, narrow: str) -> bool:
    """Whether every text that the narrow pattern matches is matched by the wide one; False where that is not sure."""
    return wide == narrow or (matches(wide, narrow) and not ("?" in wide and "*" in narrow))


def _broad(standing: Standing) -> list[str]:
    grant = standing.grant
    found = []
    if family_of(grant.action) == ANYWHERE:
        found.append(f"{grant.action} is for every action")
    elif not is_plain(grant.action) and grant.kind == "capability":
        found.append(f"{grant.action} is for whatever begins so, also what is asked about each time")
    elif not grant.scope and grant.kind == "capability" and _is_external(grant):
        found.append("it is for something outside this machine, and its scope names no target")
    if grant.scope.get(DESTINATION) == ANY_PLACE and grant.kind == "capability":
        found.append("it may go anywhere: its destination is *")
    if not standing.place and not standing.expires:
        found.append("it holds everywhere and for ever")
    return found


def _is_external(grant: Grant) -> bool:
    if grant.tags is not None:
        return "external" in grant.tags
    return any(gate.action == grant.action for gate in GATES)
