"""Does a rule match a call and its actions? For the layer, and for the rule's own examples.

A rule matches what an action may be about. Where a field that it names is not known, the rule cannot be ruled out: it
is found as well, and `unsettled` says which field that is. Such a match asks, and never denies.

A time window is the last thing that is looked at: which windows are open is a fact that the
store brings, and only for the windows that this call turns on.
"""

from __future__ import annotations

from ..approve.glob import OPEN, is_open, is_plain, is_within, matches, text_of, texts_of
from ..approve.index import ANYWHERE, family_of, mark_of
from ..value import TYPE_CHECKING, lazy
from .book import Book, found_in, on_shelf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..approve.index import Mark
    from ..model.action import Action, Broken, Reading
    from ..model.call import Call
    from ..model.posture import Posture
    from .left_open import told_elsewhere, why_left_open
    from .looks import look_of, shelf_of, shelf_of_tool
    from .model import Policy, PolicyGrant, Rule, When
    from .places import places_of
else:
    told_elsewhere = lazy(globals(), ".left_open", "told_elsewhere")
    why_left_open = lazy(globals(), ".left_open", "why_left_open")
    look_of = lazy(globals(), ".looks", "look_of")
    shelf_of = lazy(globals(), ".looks", "shelf_of")
    shelf_of_tool = lazy(globals(), ".looks", "shelf_of_tool")
    places_of = lazy(globals(), ".places", "places_of")

__all__ = [
    "excepted",
    "looked_at",
    "looks_for",
    "matching",
    "place_of_grant",
    "place_of_rule",
    "rule_matches",
    "rule_matches_call",
    "rules_that_look",
    "unsettled",
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
        places = places_of(action, call.cwd)
        if not places or not places.issubset(unless.place):
            return False
    return all(_is_whole(field, pattern, action) for field, pattern in unless.target.items())


def _holds(when: When, holds: tuple[str, ...], *, every: bool) -> bool:
    return look_of(when, every=every) in holds


def _is_whole(field: str, pattern: str, action: Action) -> bool:
    """Of an exception, all that a field names must be in the pattern, and where a path leads too."""
    for key in (field, "real") if field == "path" else (field,):
        value = action.target.get(key)
        if value is None and key == "real":
            continue
        parts = () if value is None else texts_of(value)
        if not parts or not all(is_within(pattern, text_of(part)) for part in parts):
            return False
    return True


def _is_agent(pattern: str, call: Call) -> bool:
    """By its type, which a person knows, or by the id that the host gave it for this run."""
    return matches(pattern, call.agent) or (call.agent_type != "" and matches(pattern, call.agent_type))


def rule_matches(rule: Rule, action: Action, cwd: str, *, surely: bool = False) -> bool:
    """True if everything that the rule names of an action is so of this one, or may be so as far as is known.

    `surely`: a field that is not known does not count. `cwd` is the folder of the call.
    """
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
        if places_of(action, cwd).isdisjoint(when.place):
            return False
    return all(
        _is_said(field, pattern, action) or (not surely and _why_not_known(field, action) is not None)
        for field, pattern in when.target.items()
    )


def _is_said(field: str, pattern: str, action: Action) -> bool:
    if _field_matches(pattern, action.target.get(field)):
        return True
    if field == "path":
        return _field_matches(pattern, action.target.get("real"))  # where a link leads counts too
    return any(matches(pattern, text) for text in told_elsewhere(field, action))


def _why_not_known(field: str, action: Action) -> str | None:
    why = _why_open(action.target.get(field))
    return why_left_open(field, action) if why is None else why


def _field_matches(pattern: str, value: object) -> bool:
    """A target that names several things matches if one of them does: a rule can only tighten."""
    if value is None:
        return False
    if type(value) is bool:
        return matches(pattern, "true" if value else "false")
    if type(value) is tuple:
        return any(matches(pattern, str(part)) for part in texts_of(value) if not is_open(part))
    return matches(pattern, str(value)) and not is_open(value)


def _why_open(value: object) -> str | None:
    """Why the field is not known, as far as that is said; None if it is known."""
    if type(value) is not str and type(value) is not tuple:
        return None
    return next((str(part)[len(OPEN) + 1 :] for part in texts_of(value) if is_open(part)), None)


def unsettled(rule: Rule, action: Action, cwd: str) -> tuple[str, str] | None:
    """Of a rule that may match: the field that would have to be known, and why it is not; None if it surely matches."""
    if rule_matches(rule, action, cwd, surely=True):
        return _unsettled_exception(rule, action)
    for field, pattern in rule.when.target.items():
        why = None if _is_said(field, pattern, action) else _why_not_known(field, action)
        if why is not None:
            return field, why
    return None


def _unsettled_exception(rule: Rule, action: Action) -> tuple[str, str] | None:
    """The same for `unless`: all that is known of the field is in its pattern, and the rest may be."""
    found = None
    for field, pattern in rule.unless.target.items() if rule.unless is not None else ():
        value = action.target.get(field)
        why = _why_open(value)
        if why is None and not _is_whole(field, pattern, action):
            return None
        known = [part for part in texts_of(value) if not is_open(part)]
        if why is not None and all(is_within(pattern, text_of(part)) for part in known):
            found = found or (field, why)
    return found


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
        return shelf_of(rule), ("", "")
    head = family_of(when.action)
    if head == ANYWHERE and when.tool is not None and is_plain(when.tool):
        head = _of_tool(when.tool)
    return head, mark_of(when.target)


def place_of_grant(grant: PolicyGrant) -> tuple[str, Mark]:
    return family_of(grant.action), mark_of(grant.scope)


def rules_that_look(policy: Policy, names: tuple[str, ...]) -> list[tuple[int, Rule]]:
    """Those that may look at the words of a call of a tool with these names, each with its place."""
    looked = policy.looked or looked_at(policy.rules)
    found: dict[int, Any] = {}
    for name in (*names, "*"):
        if name in looked:
            found.update([row for row in on_shelf(policy.rules, shelf_of_tool(name)) if row[1].of_words])
    return sorted(found.items(), key=lambda row: row[0])


def looks_for(policy: Policy, *names: str) -> tuple[str, ...]:
    """Every question that the reading of a call of this tool has to answer, each once."""
    if not policy.looked:
        return ()
    asked = [
        look
        for _, rule in rules_that_look(policy, names)
        for look in (look_of(rule.when, every=False), look_of(rule.unless, every=True))
        if look
    ]
    return tuple(dict.fromkeys(asked))


def looked_at(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The tools whose words some rule looks at; `*`: any."""
    return tuple(sorted({place_of_rule(rule)[0][1:] for rule in rules if rule.of_words}))


def _of_tool(tool: str) -> str:
    return "@" + tool
