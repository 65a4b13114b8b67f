"""What a policy file says without meaning anything: names that nothing has, rules that never match, grants that ended.

Such a file is sound, so it is in force. A *mistake* can only be one (`policy check` fails, and everybody is told); a
*doubt* may be meant (`policy check` points it out). Slow, and for people's commands only: it loads every table.
"""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches
from functools import cache

from ..approve.gated import GATES
from ..approve.glob import is_plain, matches
from ..approve.grant import DETOURS, WIDENING
from ..approve.index import family_of
from ..model.effects import Effect
from ..model.toolnames import ALIASES
from ..model.verdict import Risk
from ..reading.core.tags import close_to
from ..reading.tools.tools import TOOLS
from ..value import TYPE_CHECKING, Value, lazy
from .schema import SECTIONS, TOP

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..model.errors import Problem
    from ..reading.machine.index import all_actions, all_fields, is_known
    from .locate import Path
    from .model import Policy, Rule, When
    from .parse import Source
else:
    all_actions = lazy(globals(), "..reading.machine.index", "all_actions")
    all_fields = lazy(globals(), "..reading.machine.index", "all_fields")
    is_known = lazy(globals(), "..reading.machine.index", "is_known")

__all__ = ["Doubts", "action_trouble", "doubts_of", "field_trouble", "pattern_trouble"]

# Families whose names come from elsewhere than the tables of commands as well, so that few can be called unknown.
_OPEN = frozenset(
    "agent docker fs gcloud guard host kubectl mongo net proc redis secret server service shell sql ssh user".split()
)
_ANY = frozenset(("exec", "mcp", "tool"))  # and those whose names are other people's
# Fields of a target that no row of a table names: the reading itself gives them.
_FIELDS = frozenset(
    "archive cap command destination fetched file folder given global glob how in manifest obeyed object program "
    "protected real recursive socket statement system tunnel unguarded upstream variable".split()
)
_SURELY = 0.85  # how much alike two names are of which one is a mistyping


class Doubts(Value):
    mistakes: tuple[Problem, ...] = ()
    doubts: tuple[Problem, ...] = ()


def doubts_of(source: Source, policy: Policy, moment: str) -> Doubts:
    """`policy` is the one in force with this source; `moment` is now, as `2026-12-01T23:59:59Z`."""
    look = _Look(source, policy)
    look.mistakes += [source.problem(path, text) for path, text in source.unknown]
    look.settings()
    look.tools()
    for index, rule in enumerate(source.rules):
        look.rule(index, rule)
    for index, grant in enumerate(source.grants):
        path = ("grants", index)
        look.action((*path, "action"), grant["action"])
        look.scope((*path, "scope"), grant["action"], grant.get("scope", {}))
        if grant.get("expires") is not None and grant["expires"] < moment:
            look.doubt((*path, "expires"), f"the grant `{grant['id']}` has ended and covers nothing")
    return Doubts(mistakes=tuple(look.mistakes), doubts=tuple(look.doubts))


def action_trouble(pattern: str, own: Collection[str] = ()) -> tuple[str, bool]:
    """What is wrong with a pattern of action names, and whether that is sure. `own` are names that a policy makes.

    Some programs make names out of their own words (`aws:s3:sync`), so a name that is in no table may still be one. It
    is surely none where it is one letter or two away from one that there is.
    """
    if pattern.startswith("!"):
        return pattern_trouble(pattern), True
    known = {*_known_actions(), *own}
    family = pattern.partition(":")[0]
    if family_of(pattern) == "*" or family in _ANY or pattern in known or any(matches(pattern, name) for name in known):
        return "", False

    kin = [name for name in known if name.startswith(f"{family}:")]
    if not kin and is_known(family):
        return "", False
    near = get_close_matches(pattern, kin or sorted(known), n=1, cutoff=0.6)
    sure = bool(near) and SequenceMatcher(None, pattern, near[0]).ratio() >= _SURELY
    if family in _OPEN and not sure:
        return "", False
    return f"no action is called `{pattern[:80]}`{f'; did you mean `{near[0]}`?' if near else ''}", sure


def field_trouble(action: str, field: str, own: Collection[str] = ()) -> tuple[str, bool]:
    """The same for a field of a target."""
    fields = {*DETOURS, *WIDENING, "destination", "protected"}
    fields |= {name for gate in GATES if gate.action == action for name in gate.scope}
    if any(gate.action == action for gate in GATES) and field not in fields:
        return f"`{action}` has no `{field[:60]}`; it may be {', '.join(sorted(fields))}", True
    known = {*_known_fields(), *own}
    return (
        ("", False) if field in known else (f"no target has `{field[:60]}`{close_to(field, frozenset(known))}", False)
    )


def pattern_trouble(pattern: str) -> str:
    if not pattern.startswith("!"):
        return ""
    return f"`{pattern[:60]}`: a pattern cannot say what it does not match; a rule has `unless` for that"


@cache  # the tables are the same for every rule of a policy, and walking them takes a while
def _known_actions() -> frozenset[str]:
    return all_actions() | {gate.action for gate in GATES} | {tool.action for tool in TOOLS.values()}


@cache
def _known_fields() -> frozenset[str]:
    from ..reading.tables.vocabulary import FIELDS

    named = {field for gate in GATES for field in gate.scope}
    return all_fields() | FIELDS | _FIELDS | named | {*WIDENING, *DETOURS}


class _Look:
    def __init__(self, source: Source, policy: Policy) -> None:
        self.source = source
        self.policy = policy
        self.mistakes: list[Problem] = []
        self.doubts: list[Problem] = []
        self.alike: dict[tuple[When, When | None], list[Rule]] = {}  # the rules so far, by what they look for
        self.actions, self.fields = _own_names(policy.commands)

    def mistake(self, path: Path, text: str) -> None:
        self.mistakes.append(self.source.problem(path, text))

    def doubt(self, path: Path, text: str) -> None:
        self.doubts.append(self.source.problem(path, text))

    def _say(self, path: Path, trouble: tuple[str, bool]) -> None:
        text, sure = trouble
        if text:
            (self.mistake if sure else self.doubt)(path, text)

    def action(self, path: Path, pattern: str) -> None:
        self._say(path, action_trouble(pattern, self.actions))

    def scope(self, path: Path, action: str | None, scope: Mapping[str, str]) -> None:
        for field, pattern in scope.items():
            self._say((*path, field), field_trouble(action or "", field, self.fields))
            self._say((*path, field), (pattern_trouble(pattern), True))

    def tool(self, path: Path, pattern: str) -> None:
        known = {*[name for name in self.policy.tools if is_plain(name)], *ALIASES, *TOOLS}
        if pattern.startswith("!"):
            self.mistake(path, pattern_trouble(pattern))
        elif not pattern.startswith("mcp__") and not any(matches(pattern, name) for name in known):
            self.doubt(
                path, f"no tool that is known here is called `{pattern[:60]}`{close_to(pattern, frozenset(known))}"
            )

    def tools(self) -> None:
        for pattern in self.source.tools:
            if is_plain(pattern) and not pattern.startswith("!"):
                continue
            own = sorted(name for name in {*TOOLS, *ALIASES} if matches(pattern, name))
            if own:
                shown = ", ".join(own[:3]) + (", …" if len(own) > 3 else "")
                text = f"`{pattern[:60]}` does not count for {shown}: what has an entry of its own goes by that"
                self.doubt(("tools", pattern), text)
            else:
                self.tool(("tools", pattern), pattern)

    def settings(self) -> None:
        said = self.source.settings
        for key in ("capability.actions", "approvals.two_for"):
            for pattern in said.get(key, ()):
                self.action(tuple(key.split(".")), pattern)
        for key in ("tiers.actions", "approvals.actions"):
            for pattern in said.get(key, ()):
                self.action((*key.split("."), pattern), pattern)
        for key in said:
            if key.startswith("budget.") and ":" in key:
                self.action(("budget", key.partition(".")[2]), key.partition(".")[2])
        for name in said.get("tiers.effects", ()):
            if name not in Effect.names():
                self.mistake(("tiers", "effects", name), f"no effect is called `{name}`{_near(name, Effect.names())}")
        for pin in self.source.pin:
            if not _is_setting(pin):
                self.doubt(("pin",), f"there is no setting `{pin[:60]}`{_near(pin, _settings())}")
        self._without_effect(said)

    def _without_effect(self, said: Mapping[str, object]) -> None:
        policy = self.policy
        if not policy.allow_phrases:
            for key in ("phrases", "phrase_minutes"):
                if f"approvals.{key}" in said:
                    self.doubt(("approvals", key), f"`{key}` has no effect: `allow_phrases` is false")
        if "loop.repeat" in said and policy.loop_lock <= policy.loop_repeat and policy.loop_enforce:
            self.doubt(("loop", "repeat"), "`repeat` has no effect: `lock` comes first, or at the same time")
        if "risk.ask_at" in said and policy.ask_at > policy.risk_max:
            self.doubt(("risk", "ask_at"), "`ask_at` has no effect: what is above `max` is denied already")
        if said.get("risk.allow_critical") and policy.risk_max < Risk.CRITICAL:
            why = f"what is above `max` is denied, and `max` is {policy.risk_max}"
            self.doubt(("risk", "allow_critical"), f"`allow_critical` has no effect: {why}")
        if said.get("risk.max") is Risk.CRITICAL and not policy.allow_critical:
            self.doubt(("risk", "max"), "critical stays denied: `allow_critical` is false")

    def rule(self, index: int, rule: Rule) -> None:
        path: Path = ("rules", index)
        for key, when in (("when", rule.when), ("unless", rule.unless)):
            if when is not None:
                self._when((*path, key), when, rule.when.action)
        if rule.unless is not None and _takes_all(rule.when, rule.unless):
            self.doubt((*path, "unless"), f"the rule `{rule.id}` is dead: `unless` takes out all that `when` matches")
        alike = self.alike.setdefault((rule.when, rule.unless), [])
        for other in alike:
            if other.verdict >= rule.verdict:
                self.doubt(path, f"the rule `{rule.id}` is dead: `{other.id}` says the same, and no less strictly")
                break
        alike.append(rule)
        tried = any(at == index and side == "matches" for at, side, *_ in self.source.examples)
        if not tried and rule.when.contract is None:
            self.doubt(path, f"the rule `{rule.id}` has no `matches`, so nothing shows that it matches what is meant")

    def _when(self, path: Path, when: When, action: str | None) -> None:
        if when.action is not None:
            self.action((*path, "action"), when.action)
        if when.tool is not None:
            self.tool((*path, "tool"), when.tool)
        self.scope((*path, "target"), when.action or action, when.target)


def _takes_all(when: When, unless: When) -> bool:
    """Whether whatever `when` matches is an exception too. False where that is not plain."""
    if unless.input or unless.command or unless.effects or unless.tags or unless.place or unless.postures:
        return unless == when
    named = [("action", unless.action), ("tool", unless.tool), ("host", unless.host), ("agent", unless.agent)]
    given = when.as_dict()
    if any(pattern is not None and not _within(given[key], pattern) for key, pattern in named):
        return False
    return all(_within(when.target.get(field), pattern) for field, pattern in unless.target.items())


def _within(narrow: str | None, wide: str) -> bool:
    return narrow is not None and matches(wide, narrow) and not ("?" in wide and "*" in narrow)


def _own_names(commands: Mapping[str, Mapping[str, object]]) -> tuple[set[str], set[str]]:
    """Actions and fields that the policy's own programs have."""
    actions: set[str] = set()
    fields: set[str] = set()
    for name, entry in _entries(commands):
        actions.update((str(entry.get("action") or ""), f"exec:{name}"))
        words = (
            f"{entry.get('operands', '')} {entry.get('options', '')}".replace(":", " ").replace("!", " field.").split()
        )
        fields.update([word[len("field.") :].rstrip("?*+") for word in words if word.startswith("field.")])
    return actions, fields


def _entries(commands: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, entry in commands.items():
        yield name, entry  # type: ignore[misc]
        yield from _entries(entry.get("commands", {}))  # type: ignore[attr-defined]


def _settings() -> tuple[str, ...]:
    return (*[field.key for field in TOP], *[f"{name}.{f.key}" for name, fields in SECTIONS.items() for f in fields])


def _is_setting(pin: str) -> bool:
    section = pin.partition(".")[0]
    named = ("tools", "commands", "budget", "tiers", "rules", "plan", "obeyed")
    return pin in _settings() or (section in named and section in [field.key for field in TOP])


def _near(word: str, known: Collection[str]) -> str:
    return close_to(word, frozenset(known))
