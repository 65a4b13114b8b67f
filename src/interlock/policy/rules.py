"""Does a rule match a call and its actions? For the layer, and for the rule's own examples."""

from __future__ import annotations

from ..approve.glob import matches
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..action import Action, Broken
    from ..call import Call
    from ..posture import Posture
    from .model import Rule

__all__ = ["rule_matches", "rule_matches_call"]


def rule_matches_call(rule: Rule, call: Call, broken: tuple[Broken, ...], posture: Posture) -> bool:
    """True if everything that the rule names of the call itself is so."""
    when = rule.when
    if when.tool is not None and not matches(when.tool, call.tool):
        return False
    if when.host is not None and not matches(when.host, call.host):
        return False
    if when.agent is not None and not matches(when.agent, call.agent):
        return False
    if when.postures and posture not in when.postures:
        return False
    pattern = when.contract
    return pattern is None or any(matches(pattern, part.contract) for part in broken)


def rule_matches(rule: Rule, action: Action) -> bool:
    """True if everything that the rule names of an action is so of this one."""
    when = rule.when
    if when.action is not None and not matches(when.action, action.name):
        return False
    if when.risk is not None and action.risk < when.risk:
        return False
    if when.effects and not any(effect in when.effects for effect in action.effects):
        return False
    if when.tags and not any(tag in when.tags for tag in action.tags):
        return False
    return all(
        _field_matches(pattern, action.target.get(field))
        or (field == "path" and _field_matches(pattern, action.target.get("real")))  # where a link leads counts too
        for field, pattern in when.target.items()
    )


def _field_matches(pattern: str, value: object) -> bool:
    """A target that names several things matches if one of them does: a rule can only tighten."""
    if value is None:
        return False
    if type(value) is bool:
        return matches(pattern, "true" if value else "false")
    if type(value) is tuple:
        return any(matches(pattern, str(part)) for part in value)
    return matches(pattern, str(value))
