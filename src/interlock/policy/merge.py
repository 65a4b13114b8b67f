"""Several sources become one policy. Lower sources only tighten.

Strongest first: managed, user, project; the built-in default lies under them. Managed and
user may loosen the default. What managed policy sets or pins, nobody below may loosen. A
project file may loosen nothing until a person has trusted its digest; until then each of
its values joins with the one in force in the tighter direction that the schema declares.
The policy of a campaign joins in the same way, and nobody can trust it.
"""

from __future__ import annotations

from ..approve.glob import is_plain, matches, may_meet
from ..bytes.canon import digest
from ..model.errors import PolicyError, printable
from ..model.obeyed import LEVELS
from ..model.posture import Posture
from ..model.toolnames import ALIASES, globs_of
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .hook import stricter_by_mode
from .model import Evidence, Policy, PolicyGrant, Rule, Tiers, ToolSpec
from .plan import PLAN_DEFAULTS, PlanSettings
from .rules import looked_at, windows_of
from .schema import BUDGET, SECTIONS, TOOL, TOP
from .settings import FIELDS
from .wire import grant_book, policy_to_wire, rule_book

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.errors import Problem
    from ..reading.machine.index import is_known
    from .judging import Judging
    from .model import Consult
    from .parse import Source
    from .people import Person, who_can_sign
else:
    is_known = lazy(globals(), "..reading.machine.index", "is_known")
    who_can_sign = lazy(globals(), ".people", "who_can_sign")

__all__ = ["merge"]

_DIRECTIONS = {
    **{field.key: field.tighter for field in TOP},
    "plan": "true",
    **{
        f"{section}.{field.key}": field.tighter
        for section, fields in {**SECTIONS, "budget": BUDGET, "tools": TOOL}.items()
        for field in fields
    },
}

_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "higher": max,
    "lower": lambda current, given: given if current is None else min(current, given),
    "true": lambda current, given: current or given,
    "false": lambda current, given: current and given,
    "union": lambda current, given: tuple(sorted({*current, *given})),
    "common": lambda current, given: given if current is None else tuple(p for p in current if p in given),
    "fixed": lambda current, given: current,
    "first": lambda current, given: current,
    "pinned": lambda current, given: current or given,
    "modes": stricter_by_mode,
}

# What even a trusted project does not change: whose word counts, and what is kept of other projects.
_NOT_BY_A_PROJECT = frozenset(("approvals.believe_transcript", "undo.days", "undo.bytes"))


def merge(
    default: Source,
    *,
    managed: Source | None = None,
    user: Source | None = None,
    project: Source | None = None,
    campaign: Source | None = None,
    project_trusted: bool = False,
    profiles: Mapping[str, Source] = FrozenMap({}),
) -> Policy:
    """The policy in force. PolicyError where the sources together leave a tool undefined."""
    merger = _Merger()
    merger.apply(default, loosens=lambda key: True)
    pinned: tuple[str, ...] = ()
    if managed is not None:
        profile = merger.apply_with_profile(managed, profiles, loosens=lambda key: True)
        pinned = (*managed.pin, *_set_by(managed), *_set_by(profile))
        pinned += ("consult",) if managed.consult is not None else ()
        pinned += ("judge",) if managed.judge is not None else ()
        pinned += ("store",) if managed.store else ()
        pinned += ("evidence",) if managed.evidence is not None else ()
        pinned += ("people",) if managed.people else ()
        if "approvals.allow_off" not in pinned:  # off lifts what managed policy says, so only it can let that happen
            merger.settings["approvals.allow_off"] = False
            pinned += ("approvals.allow_off",)
        if not managed.settings.get("hook.allow_observe"):  # as `off`: observing lifts what managed policy says
            pinned += ("hook.observe",)
        merger.settings["tiers.held"] = _held(managed, profile, merger.settings)
        freed = _freed_by_default(default, managed, profile)
        if merger.settings["tiers.held"] and freed:
            merger.settings["tiers.below"] = freed

    def free(key: str) -> bool:
        if managed is not None and _anew(key):
            return False
        return not any(key == pin or key.startswith(pin + ".") for pin in pinned)

    def by_project(key: str) -> bool:
        return project_trusted and key not in _NOT_BY_A_PROJECT and free(key)

    floor = Posture.INTERACTIVE if free("posture") else merger.settings["posture"]
    if user is not None:
        merger.apply_with_profile(user, profiles, loosens=free)
    if project is not None:
        merger.apply_with_profile(project, profiles, loosens=by_project)
        if not project_trusted and merger.held_back:
            merger.notices.append(
                f"{project.file} is not trusted, so it only tightens; left out: {', '.join(merger.held_back)}. "
                f"To trust it as it is now, run: interlock trust"
            )
    if campaign is not None:
        merger.apply_with_profile(campaign, profiles, loosens=lambda key: False)
        if merger.held_back:
            merger.notices.append(f"{campaign.file} only tightens; left out: {', '.join(merger.held_back)}")
    merger.check_two([source for source in (managed, user, project, campaign) if source is not None])
    return merger.policy(posture_floor=floor)


def _freed_by_default(default: Source, *above: Source | None) -> tuple[str, ...]:
    """Actions that the built-in policy frees by name, and of which managed policy says nothing itself."""
    own = [pattern for source in above if source is not None for pattern in source.settings.get("tiers.actions", ())]
    free = [name for name, tier in default.settings.get("tiers.actions", {}).items() if tier == 1]
    return tuple(sorted([name for name in free if not any(matches(pattern, name) for pattern in own)]))


def _held(managed: Source, profile: Source | None, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Marks and effects of which managed policy says the tier: what an entry for an action below it does not lower."""
    held: set[str] = set()
    for table in ("tiers.marks", "tiers.effects"):
        for source in (managed, profile):
            held.update(() if source is None else source.settings.get(table, ()))
        if table in managed.pin:
            held.update(settings.get(table, ()))
        held.update([pin.removeprefix(f"{table}.") for pin in managed.pin if pin.startswith(f"{table}.")])
    return tuple(sorted(held))


def _anew(key: str) -> bool:
    """Whether it describes a program anew that our tables know.

    Everything that managed policy says of actions hangs on how they are read: with another `git`, no rule of it holds.
    """
    section, _, name = key.partition(".")
    if section != "commands":
        return False

    return is_known(name)


def _may_be_first(key: str, named: bool) -> bool:
    """What nobody above has said: a plan is new and tightens, but how it may be lifted has its default.

    Where the run folder is `named` above, the file in it is no longer free: another file would be another plan.
    """
    return not key.startswith("plan.") or (_DIRECTIONS[key] == "first" and not named)


def _leads_out(folder: str) -> bool:
    return folder.startswith(("/", "~")) or ".." in folder.split("/")


def _is_budget(key: str) -> bool:
    """Budgets are named by the user; every other setting is in the schema."""
    return key.startswith("budget.") and key not in FIELDS


def _declared(key: str) -> str:
    return "budget.NAME" if _is_budget(key) else key


def _set_by(source: Source | None) -> tuple[str, ...]:
    return () if source is None else (*source.settings, *(f"tools.{tool}" for tool in source.tools))


class _Merger:
    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.tools: dict[str, dict[str, Any]] = {}
        self.commands: dict[str, Mapping[str, Any]] = {}
        self.consult: Consult | None = None
        self.judge: Judging | None = None
        self.store = ""
        self.evidence = Evidence()
        self.people: dict[str, Person] = {}
        self.rules: list[Rule] = []
        self.built_in: set[str] = set()
        self.declared: set[str] = set()  # tools that a file of somebody's own declares
        self.grants: list[PolicyGrant] = []
        self.notices: list[str] = []
        self.held_back: list[str] = []
        self.problems: list[Problem] = []

    def apply_with_profile(
        self, source: Source, profiles: Mapping[str, Source], *, loosens: Callable[[str], bool]
    ) -> Source | None:
        """The profile that the source names, then the source: both with the same rights."""
        self.held_back = []
        profile = None if source.profile in (None, "default") else profiles.get(str(source.profile))
        if profile is not None:
            self.apply(profile.replace(name=source.name, file=source.file), loosens=loosens)
        elif source.profile not in (None, "default"):
            self.problems.append(source.problem(("profile",), f"the profile `{source.profile}` is not installed"))
        self.apply(source, loosens=loosens)
        if self.held_back and source.name == "user":
            self.notices.append(f"{source.file}: managed policy holds back {', '.join(self.held_back)}")
        return profile

    def apply(self, source: Source, *, loosens: Callable[[str], bool]) -> None:
        named = "plan.dir" in self.settings
        for key, value in source.settings.items():
            if key == "plan.dir" and not loosens(key) and source.name == "project" and _leads_out(value):
                self.held_back.append(key)  # we keep a log and a lock in that folder: not in anybody else's
            elif key == "obeyed":
                self._relevel(value, loosens)
            elif _DIRECTIONS[_declared(key)] == "loosens" and not loosens(key):
                self.held_back.append(key)
            elif _DIRECTIONS[_declared(key)] == "raises":
                self._raise(key, value, loosens, below=source.name in ("user", "project"))
            elif loosens(key) or (key not in self.settings and _may_be_first(key, named)):
                self.settings[key] = value
            elif key not in self.settings:
                self.settings[key] = self._join(key, key, getattr(PLAN_DEFAULTS, key.partition(".")[2]), value)
            else:
                self.settings[key] = self._join(_declared(key), key, self.settings[key], value)
        for tool, entry in source.tools.items():
            self._tool(source, tool, entry, loosens)
            if source.name != "default" and loosens(f"tools.{tool}"):
                self.declared.add(tool)
        for rule in source.rules:
            self._rule(rule, source=source.name, may_loosen=loosens(f"rules.{rule.id}"))
        self.rules += source.guards
        for name, command in source.commands.items():
            if loosens(f"commands.{name}"):
                self.commands[name] = command
            else:
                self.held_back.append(f"commands.{name}")
        if source.consult is not None:
            if loosens("consult"):
                self.consult = source.consult
            else:
                self.held_back.append("consult")
        if source.judge is not None:  # calls are sent there, so the place is the person's to choose
            if loosens("judge") and source.name != "project":
                self.judge = source.judge
            else:
                self.held_back.append("judge")
        if source.store:
            # What is redeemed there is permitted here, so the place is the person's to choose, never a project's.
            if loosens("store") and source.name != "project":
                self.store = source.store
            else:
                self.held_back.append("store")
        if source.evidence is not None:  # as with the store; a project could have it sent nowhere
            if loosens("evidence") and source.name != "project":
                self.evidence = source.evidence
            else:
                self.held_back.append("evidence")
        if source.people:
            # Whoever says who is who says who the second person is: the strongest source alone, and never a project.
            if loosens("people") and source.name != "project":
                self.people = dict(source.people)
            else:
                self.held_back.append("people")
        for grant in source.grants:
            if loosens("grants"):
                self.grants.append(PolicyGrant(**grant))
            else:
                self.held_back.append(f"grant {grant['id']}")

    def _rule(self, rule: Rule, *, source: str, may_loosen: bool) -> None:
        """A rule is added. One that bears the name of a built-in rule stands in its place, from whoever may loosen.

        Where managed policy has put its own there, it stays: nobody below may loosen what that sets.
        """
        if source == "default":
            self.built_in.add(rule.id)
        elif rule.id in self.built_in and may_loosen:
            self.rules = [rule if own.id == rule.id else own for own in self.rules]
            if source == "managed":
                self.built_in.discard(rule.id)
            return
        self.rules.append(rule)

    def _raise(self, key: str, given: Mapping[str, int], loosens: Callable[[str], bool], *, below: bool) -> None:
        """A table of numbers, entry by entry. A pattern from a source that may only tighten is a lower bound."""
        bounded = "tiers.at_least" if key == "tiers.actions" else key
        for name, number in given.items():
            free = loosens(f"{key}.{name}")
            table = self.settings.setdefault(key if free else bounded, {})
            table[name] = number if free or name not in table else max(number, table[name])
            if free and below and key == "tiers.actions" and self.settings.get("tiers.held"):
                self.settings["tiers.below"] = tuple(sorted({*self.settings.get("tiers.below", ()), name}))

    def _relevel(self, given: Mapping[str, str], loosens: Callable[[str], bool]) -> None:
        """Levels of files that others obey. From a source that may only tighten, a level is a lower bound."""
        for pattern, level in given.items():
            table = self.settings.setdefault("obeyed" if loosens("obeyed") else "obeyed_at_least", {})
            if not loosens("obeyed"):
                level = max(level, table.get(pattern, level), key=LEVELS.index)
            table[pattern] = level

    def _tool(self, source: Source, tool: str, entry: Mapping[str, Any], loosens: Callable[[str], bool]) -> None:
        current = self.tools.get(tool)
        stands_for = ALIASES.get(tool, tool)
        if current is None and stands_for == tool:
            glob = self._glob_over(tool, loosens)
            if glob is not None and not matches(glob, tool):
                self.held_back.append(f"tools.{tool} (it meets tools.{glob})")
                return
            stands_for = glob or tool
        may_loosen = loosens(f"tools.{tool}") and loosens(f"tools.{stands_for}")
        held = not all(loosens(f"tools.{stands_for}.{field.key}") for field in TOOL)
        if current is None and held and stands_for in self.tools:
            # Under another host's name the same tool: what holds for it must not end where that name is declared. That
            # name is no better known by it; one that a glob means already is as known as the glob.
            current = self.tools[tool] = dict(self.tools[stands_for])
            if not matches(stands_for, tool):
                current["registered"] = may_loosen
        if current is None:
            named = self.tools.get(stands_for, {})
            if "confirm" in named and "confirm" not in entry:
                # Under another name the same tool, so what is confirmed of it is confirmed under this one too.
                entry = {**entry, "confirm": named["confirm"]}
            if "effects" not in entry:
                self.problems.append(source.problem(("tools", tool), f"`tools.{tool}` declares no `effects`"))
            if not may_loosen:
                self.held_back.append(f"tools.{tool} (new)")
            self.tools[tool] = {**entry, "registered": may_loosen}
            return
        current["registered"] = current["registered"] or may_loosen
        blank = ToolSpec(name=tool)
        for key, value in entry.items():
            # a pin may name the tool or one key of it
            if loosens(f"tools.{tool}.{key}") and loosens(f"tools.{stands_for}.{key}"):
                current[key] = value
            else:
                now = current.get(key, getattr(blank, key))
                current[key] = self._join(f"tools.{key}", f"tools.{tool}.{key}", now, value)

    def _glob_over(self, tool: str, loosens: Callable[[str], bool]) -> str | None:
        """The glob that an entry would stand before, of those that this source may not loosen: it says no less."""
        order = globs_of((*self.tools, tool))
        behind = order if is_plain(tool) else order[order.index(tool) + 1 :]
        return next((glob for glob in behind if may_meet(glob, tool) and not loosens(f"tools.{glob}")), None)

    def _spec(self, tool: str, entry: Mapping[str, Any]) -> ToolSpec:
        known = entry["registered"] and (self.settings.get("risk.built_in_tools", True) or tool in self.declared)
        return ToolSpec(name=tool, **{**entry, "registered": known})

    def _join(self, key: str, shown: str, current: Any, given: Any) -> Any:
        joined = _JOIN[_DIRECTIONS[key]](current, given)
        if joined != given:
            self.held_back.append(shown)
        return joined

    def check_two(self, sources: list[Source]) -> None:
        """Two persons are needed only where two can show that they are two: with keys that managed policy pins."""
        askers = [source for source in sources if source.settings.get("approvals.two_for")]
        if not askers:
            return

        path, told = ("approvals", "two_for"), ""
        known = who_can_sign(self.people, self.settings.get("approvals.keys", ()))
        if len(known) < 2:
            told = (
                "`two_for` needs two persons who can sign: pin a key of each in `[approvals] keys` of managed policy, "
                "and name the comments of the keys in `signers` of `[people.NAME]`; "
                f"so far: {', '.join(known) or 'nobody'}"
            )
        elif askers[0].name == "managed" and not askers[0].people:
            told = "`two_for` stands in managed policy, so `[people.NAME]` has to stand there too"
        if told:
            self.problems.append(askers[0].problem(path, printable(told)))

    def _plan(self) -> PlanSettings | None:
        if "plan" not in self.settings:
            return None
        return PlanSettings(
            **{key.partition(".")[2]: value for key, value in self.settings.items() if key.startswith("plan.")}
        )

    def policy(self, *, posture_floor: Posture) -> Policy:
        if self.problems:
            raise PolicyError(self.problems)
        tiers: dict[str, Any] = {
            key[len("tiers.") :]: _sorted(value)
            for key, value in self.settings.items()
            if key.startswith("tiers.") and (key != "tiers.held" or "tiers.below" in self.settings)
        }
        tools = {tool: self._spec(tool, entry) for tool, entry in sorted(self.tools.items())}
        policy = Policy(
            **{FIELDS[key]: _sorted(value) for key, value in self.settings.items() if key in FIELDS},
            tiers=Tiers(**tiers),
            plan=self._plan(),
            budgets=FrozenMap(
                {key[len("budget.") :]: self.settings[key] for key in sorted(self.settings) if _is_budget(key)}
            ),
            obeyed=_sorted(self.settings.get("obeyed", {})),
            obeyed_at_least=_sorted(self.settings.get("obeyed_at_least", {})),
            posture_floor=posture_floor,
            tools=FrozenMap(tools),
            traces=any(spec.traces for spec in tools.values()),
            tool_globs=globs_of(self.tools),
            commands=_sorted(self.commands),
            rules=rule_book(self.rules),
            grants=grant_book(self.grants),
            windows=windows_of(self.rules),
            looked=looked_at(self.rules),
            consult=self.consult,
            judge=self.judge,
            store=self.store,
            evidence=self.evidence,
            people=_sorted(self.people),
            notices=tuple([printable(notice) for notice in self.notices]),
        )
        return policy.replace(digest=digest(policy_to_wire(policy)))


def _sorted(value: Any) -> Any:
    """A table that was put together entry by entry, as it is kept; any other value as it is."""
    return FrozenMap(dict(sorted(value.items()))) if type(value) is dict else value
