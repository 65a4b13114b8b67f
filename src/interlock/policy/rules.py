"""Does a rule match a call and its actions? For the layer, and for the rule's own examples.

A time window is the last thing that is looked at: which windows are open is a fact that the
store brings, and only for the windows that this call turns on.
"""

from __future__ import annotations

from ..approve.glob import is_plain, matches
from ..approve.index import ANYWHERE, family_of, mark_of
from ..value import TYPE_CHECKING
from .book import found_in, on_shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..action import Action, Broken, Reading
    from ..approve.index import Mark
    from ..call import Call
    from ..posture import Posture
    from .model import Policy, PolicyGrant, Rule

__all__ = [
    "matching",
    "place_of_grant",
    "place_of_rule",
    "rule_matches",
    "rule_matches_call",
    "windows_of",
    "windows_read",
]

_BY_CONTRACT = "!"  # the shelf of rules that look at what a call breaks: most calls break nothing


def rule_matches_call(rule: Rule, call: Call, broken: tuple[Broken, ...], posture: Posture) -> bool:
    """True if everything that the rule names of the call itself is so."""
    when = rule.when
    if when.tool is not None and not matches(when.tool, call.tool):
        return False
    if when.host is not None and not matches(when.host, call.host):
        return False
    if when.agent is not None and not _is_agent(when.agent, call):
        return False
    if when.postures and posture not in when.postures:
        return False
    pattern = when.contract
    return pattern is None or any(matches(pattern, part.contract) for part in broken)


def _is_agent(pattern: str, call: Call) -> bool:
    """By its type, which a person knows, or by the id that the host gave it for this run."""
    return matches(pattern, call.agent) or (call.agent_type != "" and matches(pattern, call.agent_type))


def rule_matches(rule: Rule, action: Action, cwd: str) -> bool:
    """True if everything that the rule names of an action is so of this one. `cwd` is the folder of the call."""
    when = rule.when
    if when.action is not None and not matches(when.action, action.name):
        return False
    if when.risk is not None and action.risk < when.risk:
        return False
    if when.effects and not any(effect in when.effects for effect in action.effects):
        return False
    if when.tags and not any(tag in when.tags for tag in action.tags):
        return False
    if when.place:
        from .places import places_of

        if places_of(action, cwd).isdisjoint(when.place):
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


def matching(call: Call, reading: Reading, policy: Policy, posture: Posture) -> list[tuple[Rule, tuple[int, ...]]]:
    """The rules that match, whatever time it is, in their order: each with the actions that it matches."""
    if not policy.rules:
        return []
    found: dict[int, tuple[Rule, tuple[int, ...]]] = {}
    also = _of_tool(call.tool)
    for index, action in enumerate(reading.actions):
        for position, rule in found_in(policy.rules, action, also):
            if rule.when.contract is None and rule_matches(rule, action, call.cwd):
                if rule_matches_call(rule, call, (), posture):
                    found[position] = (rule, (*found.get(position, (rule, ()))[1], index))
    if reading.broken:
        for position, rule in on_shelf(policy.rules, _BY_CONTRACT):
            if rule.when.contract is not None and rule_matches_call(rule, call, reading.broken, posture):
                matched = [at for at, action in enumerate(reading.actions) if rule_matches(rule, action, call.cwd)]
                if matched or not rule.when.of_action:
                    found[position] = (rule, tuple(matched))
    return [found[position] for position in sorted(found)]


def windows_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """Every window that one of the rules names."""
    return tuple(sorted({rule.when.window for rule in rules if rule.when.window is not None}))


def windows_read(call: Call, reading: Reading, policy: Policy, posture: Posture) -> tuple[str, ...]:
    """The windows on which the decision of this call turns. Mostly none."""
    if not policy.windows:
        return ()
    return windows_of([rule for rule, _ in matching(call, reading, policy, posture)])


def place_of_rule(rule: Rule) -> tuple[str, Mark]:
    """Where a rule lies in a book: with its action, else with its tool, else with what fits anywhere."""
    when = rule.when
    if when.contract is not None:
        return _BY_CONTRACT, ("", "")
    head = family_of(when.action)
    if head == ANYWHERE and when.tool is not None and is_plain(when.tool):
        head = _of_tool(when.tool)
    return head, mark_of(when.target)


def place_of_grant(grant: PolicyGrant) -> tuple[str, Mark]:
    return family_of(grant.action), mark_of(grant.scope)


def _of_tool(tool: str) -> str:
    return "@" + tool
