"""Does a rule match a call and its actions? For the layer, and for the rule's own examples.

A time window is the last thing that is looked at: which windows are open is a fact that the
store brings, and only for the windows that this call turns on.
"""

from __future__ import annotations

from ..approve.glob import is_plain, is_within, matches, text_of
from ..approve.index import ANYWHERE, family_of, mark_of
from ..value import TYPE_CHECKING
from .book import Book, found_in, on_shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..approve.index import Mark
    from ..model.action import Action, Broken, Reading
    from ..model.call import Call
    from ..model.posture import Posture
    from .model import Policy, PolicyGrant, Rule, When

__all__ = [
    "excepted",
    "looked_at",
    "matching",
    "place_of_grant",
    "place_of_rule",
    "rule_matches",
    "rule_matches_call",
    "windows_of",
    "windows_read",
]

_BY_CONTRACT = "!"  # the shelf of rules that look at what a call breaks: most calls break nothing


def rule_matches_call(
    rule: Rule, call: Call, broken: tuple[Broken, ...], posture: Posture, holds: tuple[str, ...] = ()
) -> bool:
    """True if everything that the rule names of the call itself is so."""
    when = rule.when
    if when.of_words and not _holds(when, holds, every=False):
        return False
    if not _is_of_call(when, call, posture):
        return False
    pattern = when.contract
    return pattern is None or any(matches(pattern, part.contract) for part in broken)


def _is_of_call(when: When, call: Call, posture: Posture) -> bool:
    if when.tool is not None and not (matches(when.tool, call.tool) or matches(when.tool, call.named or call.tool)):
        return False
    if when.host is not None and not matches(when.host, call.host):
        return False
    if when.agent is not None and not _is_agent(when.agent, call):
        return False
    return not when.postures or posture in when.postures


def excepted(rule: Rule, action: Action, call: Call, posture: Posture, holds: tuple[str, ...]) -> bool:
    """True if the rule's `unless` takes this action out: every part of it must be what `unless` says."""
    unless = rule.unless
    if unless is None or not _is_of_call(unless, call, posture):
        return False
    if unless.of_words and not _holds(unless, holds, every=True):
        return False
    if unless.action is not None and not matches(unless.action, action.name):
        return False
    if unless.effects and not (action.effects and all(effect in unless.effects for effect in action.effects)):
        return False
    if unless.tags and not any(tag in unless.tags for tag in action.tags):
        return False
    if unless.place:
        from .places import places_of

        places = places_of(action, call.cwd)
        if not places or not places.issubset(unless.place):
            return False
    return all(_is_whole(field, pattern, action) for field, pattern in unless.target.items())


def _holds(when: When, holds: tuple[str, ...], *, every: bool) -> bool:
    from .looks import look_of  # few rules look at the words of a call, and an import costs time on every run

    return look_of(when, every=every) in holds


def _is_whole(field: str, pattern: str, action: Action) -> bool:
    """Of an exception, all that a field names must be in the pattern, and where a path leads too."""
    for key in (field, "real") if field == "path" else (field,):
        value = action.target.get(key)
        if value is None and key == "real":
            continue
        parts = value if type(value) is tuple else () if value is None else (value,)
        if not parts or not all(is_within(pattern, text_of(part)) for part in parts):
            return False
    return True


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
    names = (call.tool, call.named) if call.named else (call.tool,)
    for index, action in enumerate(reading.actions):
        for position, rule in dict(
            [row for name in names for row in found_in(policy.rules, action, _of_tool(name))]
        ).items():
            if rule.when.contract is None and rule_matches(rule, action, call.cwd):
                if rule.of_words or excepted(rule, action, call, posture, ()):
                    continue
                if rule_matches_call(rule, call, (), posture):
                    found[position] = (rule, (*found.get(position, (rule, ()))[1], index))
    on_words = on_shelf(policy.rules, _BY_CONTRACT) if reading.broken else []
    on_words = [row for row in on_words if row[1].when.contract is not None]
    if policy.looked or not isinstance(policy.rules, Book):
        from .looks import rules_that_look

        on_words += rules_that_look(policy, names)
    for position, rule in on_words:
        if rule_matches_call(rule, call, reading.broken, posture, reading.holds):
            matched = [
                at
                for at, action in enumerate(reading.actions)
                if rule_matches(rule, action, call.cwd) and not excepted(rule, action, call, posture, reading.holds)
            ]
            if matched or not (rule.when.of_action or reading.actions):
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
    if rule.of_words:
        from .looks import shelf_of

        return shelf_of(rule), ("", "")
    head = family_of(when.action)
    if head == ANYWHERE and when.tool is not None and is_plain(when.tool):
        head = _of_tool(when.tool)
    return head, mark_of(when.target)


def place_of_grant(grant: PolicyGrant) -> tuple[str, Mark]:
    return family_of(grant.action), mark_of(grant.scope)


def looked_at(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The tools whose words some rule looks at; `*`: any."""
    return tuple(sorted({place_of_rule(rule)[0][1:] for rule in rules if rule.of_words}))


def _of_tool(tool: str) -> str:
    return "@" + tool
