"""A second decider, slow and obvious, written from the design and not from the code.

It works on words and sets, asks every question of every action, and shares nothing with
`decide()` but the values it is given. Where the two disagree, one of them is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

from interlock.approve.grant import Grant
from interlock.model.action import Action
from interlock.model.steps import Ran
from interlock.policy.model import Rule
from oracle_approvals import approval_id
from oracle_grants import RISKS, covers_slowly, leaves, like, words_of
from oracle_tiers import passes, tier, tier_by_table
from strategies import Case

__all__ = ["Judgement", "covers_slowly", "judge_slowly", "like"]

VERDICTS = ["allow", "ask", "deny"]
STRENGTHS = ["weak", "medium", "strong"]
PRECEDENCE = ["destructive", "spawn", "execute", "network", "write", "read"]


class Judgement(NamedTuple):
    verdict: str
    effect: str | None
    effects: tuple[str, ...]
    used: tuple[Grant, ...]
    approval: str | None


class Ask(NamedTuple):
    """A question to a person: which actions it is about, which kinds of grant answer it."""

    actions: tuple[int, ...]
    kinds: frozenset[str]
    by_tier: bool = False
    two: bool = False


ONCE = frozenset({"once"})
STRONG = frozenset({"once", "capability"})
ANY = frozenset({"once", "capability", "remembered"})


def judge_slowly(case: Case) -> Judgement:
    if case.session.off:  # everything but the floor, and a policy that is broken
        locked: list[Action] = []
        asks: list[Ask] = _two(case)
        return _judged(case, locked, asks, denied=_floor(case) or _broken(case))
    locked = [*_capabilities(case), *_tier_denies(case)]  # what a capability opens, and nothing else
    asks = [*_unread(case), *_manifest_asks(case), *_irreversible(case), *_rules(case, "ask"), *_tier_asks(case)]
    asks += _over_budget(case, "ask")
    asks += _two(case)
    denied = (
        _floor(case)
        or _broken(case)
        or _manifest_denies(case)
        or _too_risky(case)
        or bool(_rules(case, "deny"))
        or _loops(case)
        or bool(_over_budget(case, "deny"))
    )
    return _judged(case, locked, asks, denied=denied)


def _judged(case: Case, locked: list[Action], asks: list[Ask], *, denied: bool) -> Judgement:
    approval, first = approval_id(case, case.session.asked_before), approval_id(case, 0)
    open_asks: list[Ask] = []
    used: list[Grant] = []
    for lock in locked:
        key = _key_to(lock, case)
        if key is None:
            denied = True
        else:
            used.append(key)
    for ask in asks:
        answer = _answer(ask, case, approval)
        if answer is None:
            open_asks.append(ask)
        else:
            used += answer
    denied = denied or (bool(open_asks) and _answered_before(open_asks, case, approval, first))
    verdict = "deny" if denied else "ask" if open_asks else "allow"
    posture = case.session.posture.name
    waits = False
    needs = max([_needs(ask.actions, case, two=ask.two) for ask in open_asks], default=0)
    if verdict == "ask" and needs and posture in ("interactive", "autonomous"):
        # The host's dialog cannot give more than a weak yes: the call is held, and has an id if somebody can sign.
        verdict = "deny"
        waits = posture == "interactive" and needs <= STRENGTHS.index(case.session.signing or "weak")
    if posture in ("locked", "dry_run") and (verdict == "ask" or not _only_reads(case)):
        verdict = "deny"
    if posture == "autonomous" and verdict == "ask":
        verdict = "deny"
    present = {effect.name for action in case.reading.actions for effect in action.effects}
    effects = tuple(effect for effect in PRECEDENCE if effect in present)
    in_order: list[Grant] = []
    for grant in case.grants:
        if grant in used and grant not in in_order:
            in_order.append(grant)
    return Judgement(
        verdict=verdict,
        effect=effects[0] if effects else None,
        effects=effects,
        used=tuple(in_order),
        approval=approval if verdict == "ask" or waits else None,
    )


# --- how strong a yes must be -----------------------------------------------------------------------


def _tier_3_needs(case: Case) -> int:
    least = STRENGTHS.index(case.policy.strength.name)
    return max(least, STRENGTHS.index("medium")) if case.session.signing else least


def _needs(actions: tuple[int, ...], case: Case, *, two: bool = False) -> int:
    """For a yes to these actions, or to the whole call where none is named. Two persons show with keys who they are."""
    chosen = [case.reading.actions[index] for index in actions] if actions else case.reading.actions
    needs = [_tier_3_needs(case)] if not actions and case.reading.opaque else []
    needs += [STRENGTHS.index("medium")] if two else []
    for action in chosen:
        needs += [
            STRENGTHS.index(least.name) for glob, least in case.policy.strengths.items() if like(glob, action.name)
        ]
        needs += [_tier_3_needs(case)] if tier_by_table(action, case.policy.tiers) == 3 else []
    return max(needs, default=0)


def _is_strong_enough(grant: Grant, actions: tuple[int, ...], case: Case) -> bool:
    has = STRENGTHS.index(grant.strength.name)
    if has == 0 and grant.reach not in ("once", "session") and _tier_3_needs(case) > 0:
        return False
    return has >= _needs(actions, case)


def _only_reads(case: Case) -> bool:
    everything = [effect.name for action in case.reading.actions for effect in action.effects]
    return len(case.reading.opaque) == 0 and set(everything) <= {"read"}


# --- what denies -----------------------------------------------------------------------------------


def _floor(case: Case) -> bool:
    for action in case.reading.actions:
        effects = {effect.name for effect in action.effects}
        if "guard" in action.tags and effects - {"read"}:
            return True
        if "destructive" in effects and set(action.tags) & {"root", "home", "device"}:
            return True
        if "fork-bomb" in action.tags:
            return True
    return False


def _broken(case: Case) -> bool:
    return bool(case.policy.faults) and not _only_reads(case)


def _manifest_denies(case: Case) -> bool:
    spec = case.policy.tools.get(case.call.tool)
    if (spec is None or not spec.registered) and case.policy.unregistered.name == "deny":
        return True
    if spec is None or spec.postures is None:
        return False
    return case.session.posture.name not in [posture.name for posture in spec.postures]


def _level(action: Action, case: Case) -> int:
    spec = case.policy.tools.get(case.call.tool)
    declared = 0 if spec is None else RISKS.index(spec.risk.name)
    return max(declared, RISKS.index(action.risk.name))


def _too_risky(case: Case) -> bool:
    ceiling = RISKS.index(case.policy.risk_max.name)
    for action in case.reading.actions:
        level = _level(action, case)
        if RISKS[level] == "critical" and not case.policy.allow_critical:
            return True
        if level > ceiling:
            return True
    return False


def _tier_denies(case: Case) -> list[Action]:
    if _mode(case) != "strict":
        return []
    return [action for action in case.reading.actions if tier(action, case.policy.tiers) == 3]


# --- what only a capability opens ------------------------------------------------------------------

GATED = ["git:push"]  # of the actions that the strategies make up


def _capabilities(case: Case) -> list[Action]:
    globs = [*(GATED if case.policy.enforce else ()), *case.policy.gated]
    return [
        action
        for action in case.reading.actions
        if "dryrun" not in action.tags and any(like(glob, action.name) for glob in globs)
    ]


def _key_to(action: Action, case: Case) -> Grant | None:
    place = (case.reading.actions.index(action),)
    fitting = [grant for grant in case.grants if grant.kind == "capability" and covers_slowly(grant, action)]
    fitting = [grant for grant in fitting if _is_strong_enough(grant, place, case)]
    return fitting[0] if fitting else None


# --- what asks -------------------------------------------------------------------------------------


def _unread(case: Case) -> list[Ask]:
    if not case.reading.opaque and not case.reading.actions:
        return [Ask((), ONCE)]
    return [Ask((), ONCE) for _ in case.reading.opaque]


def _two(case: Case) -> list[Ask]:
    """What two persons have to say yes to: the actions that are named, and what may be one of them."""
    asks = []
    for index, action in enumerate(case.reading.actions):
        effects = {effect.name for effect in action.effects}
        free = "read" in effects and effects <= {"read", "network"} and tier_by_table(action, case.policy.tiers) == 1
        if not free and any(like(glob, action.name) for glob in case.policy.two_for):
            asks.append(Ask((index,), ONCE, two=True))
    if case.policy.two_for and case.reading.opaque:
        asks.append(Ask((), ONCE, two=True))
    return asks


def _tier_asks(case: Case) -> list[Ask]:
    asks = []
    for index, action in enumerate(case.reading.actions):
        level, mode = tier(action, case.policy.tiers), _mode(case)
        if mode == "permissive" and passes(action, case.policy.tiers):
            continue
        if level == 3 and mode != "strict":
            asks.append(Ask((index,), STRONG))
        if level == 2:
            asks.append(Ask((index,), ANY, by_tier=True))
    return asks


def _manifest_asks(case: Case) -> list[Ask]:
    asks = []
    spec = case.policy.tools.get(case.call.tool)
    actions = case.reading.actions
    everything = tuple(range(len(actions)))
    if actions and "unknown" in actions[0].tags:  # what only looks needs no yes of its own
        looks = [not action.tags and {effect.name for effect in action.effects} == {"read"} for action in actions]
        everything = tuple(index for index in everything if index == 0 or not looks[index])
    if (spec is None or not spec.registered) and case.policy.unregistered.name == "ask":
        asks.append(Ask(everything, ANY))
    if spec is None:
        return asks
    declared = {effect.name for effect in spec.effects} | ({"read"} if spec.effects else set())
    for index, action in enumerate(case.reading.actions):
        if spec.registered and not {effect.name for effect in action.effects} <= declared:
            asks.append(Ask((index,), STRONG))
        marks = set(spec.confirm) & ({"*"} | set(action.tags))
        if marks:
            asks.append(Ask((index,), STRONG if marks & {"*", "posts", "secret"} else ANY))
    return asks


def _irreversible(case: Case) -> list[Ask]:
    spec = case.policy.tools.get(case.call.tool)
    by_tool = spec is not None and spec.irreversible
    threshold = RISKS.index(case.policy.ask_at.name)
    return [
        Ask((index,), STRONG)
        for index, action in enumerate(case.reading.actions)
        if (action.irreversible or by_tool) and _level(action, case) >= threshold
    ]


def _rules(case: Case, verdict: str) -> list[Ask]:
    return [
        Ask((index,), ANY)
        for rule in case.policy.rules
        if rule.verdict.name == verdict
        for index, action in enumerate(case.reading.actions)
        if _applies(rule, action, case)
    ]


def _applies(rule: Rule, action: Action, case: Case) -> bool:
    when = rule.when
    conditions = [
        when.tool is None or like(when.tool, case.call.tool),
        when.action is None or like(when.action, action.name),
        when.host is None or like(when.host, case.call.host),
        when.agent is None or like(when.agent, case.call.agent),
        not when.postures or case.session.posture in when.postures,
        when.risk is None or RISKS.index(action.risk.name) >= RISKS.index(when.risk.name),
        not when.effects or bool(set(when.effects) & set(action.effects)),
        not when.tags or bool(set(when.tags) & set(action.tags)),
        not when.place or bool(set(when.place) & set(action.tags)),  # of the places, only those that are marks
        when.window not in case.session.closed,
    ]
    for field, pattern in when.target.items():
        values = words_of(action, field)
        if field == "path":
            values += words_of(action, "real")
        conditions.append(any(like(pattern, value) for value in values))
    return all(conditions)


# --- what the session adds ---------------------------------------------------------------------------


def _mode(case: Case) -> str:
    mode = case.policy.approval_mode.name
    return "permissive" if mode == "default" and case.session.raised and case.policy.allow_phrases else mode


def _loops(case: Case) -> bool:
    """Written out: the call begins the n-th round of the same up to eight calls, each with the same outcome."""
    manner = _manner(case)
    quiet, changing = ("waits", "idles", "looks"), ("edits", "writes", "acts")
    past = list(case.session.recent)
    while manner in quiet and any(ran.manner not in quiet for ran in past):
        past = past[1:]
    if manner == "acts":
        past = [ran for ran in past if ran.manner not in quiet]
        past = [ran for ran in past if ran.agent == case.call.agent or ran.manner == "edits"]
    elif manner in quiet:
        past = [ran for ran in past if ran.agent == case.call.agent]
    else:
        past = [ran for ran in past if ran.agent == case.call.agent or ran.manner in changing]
        past = [ran for ran in past if ran.manner != "idles"]
    limit = min(case.policy.loop_repeat, case.policy.loop_lock)
    return case.policy.loop_enforce and any(_rounds(past, size, case, manner) + 1 >= limit for size in range(1, 17))


def _rounds(past: list[Ran], size: int, case: Case, manner: str) -> int:
    """With how many rounds the past ends that are the same as its last `size` calls; 0 if those are none."""
    last = past[-size:]
    if len(past) < size or last[0].projection != case.reading.projection:
        return 0
    edited = manner != "edits" and any(ran.manner == "edits" and ran.outcome.startswith("ran") for ran in last)
    manners = {ran.manner for ran in last}
    polled = "waits" in manners and not manners & {"edits", "writes", "acts"}
    if (
        edited
        or polled
        or len({(ran.projection, ran.outcome) for ran in last}) > 8
        or any(ran.outcome == "unknown" for ran in last)
    ):
        return 0
    same = {(ran.projection, ran.outcome) for ran in last}
    return _rounds_like(past[: len(past) - size], same, case.reading.projection, 1)


def _rounds_like(past: list[Ran], same: set[tuple[str, str]], call: str, found: int) -> int:
    for length in range(1, min(16, len(past)) + 1):
        piece = past[-length:]
        if piece[0].projection == call and {(ran.projection, ran.outcome) for ran in piece} == same:
            return _rounds_like(past[: len(past) - length], same, call, found + 1)
    return found


def _manner(case: Case) -> str:
    """How the call bears on a loop."""
    actions = case.reading.actions
    effects = {effect.name for action in actions for effect in action.effects}
    tags = {tag for action in actions for tag in action.tags}
    names = [action.name for action in actions]
    if any(name in ("fs:write", "fs:move", "git:apply", "exec:patch") for name in names):
        return "edits"
    reaches = tags & {"external", "install", "privileged", "sends", "unknown"}
    if case.reading.opaque or effects & {"spawn", "destructive"} or reaches:
        return "acts"
    for action in actions:
        own = {effect.name for effect in action.effects}
        talks = "network" in own and not own & {"read", "execute"}
        if "write" in own or (talks and action.name not in ("net:fetch", "net:lookup", "net:ping")):
            return "writes"
    if any(
        name in ("exec:sleep", "proc:read") or name.endswith((":wait", "-wait", ":watch", "-watch")) for name in names
    ):
        return "waits"
    if "execute" in effects:
        return "runs"
    return "looks" if effects or any(name.startswith("agent:") for name in names) else "idles"


def _over_budget(case: Case, over: str) -> list[Ask]:
    asks = []
    for budget, limit in case.policy.budgets.items():
        if budget in PRECEDENCE:
            wanted = sum(budget == e.name for action in case.reading.actions for e in action.effects)
            used = case.session.spent.get(budget, 0)
        else:
            wanted = sum(like(budget, action.name) for action in case.reading.actions)
            spent = {name: n for name, n in case.session.spent.items() if name not in PRECEDENCE}
            used = sum(n for name, n in spent.items() if like(budget, name) or name == "*others*")
        if wanted and wanted + used > limit and case.policy.budget_over.name == over:
            asks.append(Ask((), ONCE))
    return asks


def _answered_before(asks: list[Ask], case: Case, approval: str, first: str) -> bool:
    keys = {first}
    for index in {index for ask in asks for index in ask.actions}:
        action = case.reading.actions[index]
        target = dict(action.target)
        words = [action.name]
        if "path" in target:
            folder = str(target["path"]).rsplit("/", 1)[0]
            words.append(f"path={folder}/*" if len(folder.split("/")) > 3 else f"path={target['path']}")
            words += [f"real={target['real']}"] if "real" in target else []
        elif "host" in target:
            words.append(f"host={target['host']}")
        if "*" not in action.name and "*" not in str(target.get("path")):
            flags = sorted(field for field, value in target.items() if value is True)
            keys |= {" ".join(words), " ".join(words + flags)}
    if any(set(no) <= keys for no in case.session.refused):
        return True
    return any(asked.tries >= case.policy.loop_pending for asked in case.session.pending if asked.approval == approval)


# --- what answers ----------------------------------------------------------------------------------


def _answer(ask: Ask, case: Case, approval: str) -> list[Grant] | None:
    """The grants that answer, the first of those given that does for each action; None if it stays open."""
    kinds = ask.kinds - {"remembered"} if _mode(case) == "strict" else ask.kinds
    for grant in case.grants:
        alone = ask.two and (len({*grant.persons}) < 2 or grant.strength.name == "weak")
        if grant.kind == "once" and grant.binds == approval and _is_strong_enough(grant, ask.actions, case):
            if not alone:
                return [grant]
    if not ask.actions:
        return None
    answer = []
    for index in ask.actions:
        covering = [g for g in case.grants if g.kind in kinds and covers_slowly(g, case.reading.actions[index])]
        covering = [grant for grant in covering if _is_strong_enough(grant, ask.actions, case)]
        if not covering and ask.by_tier:
            lent = _lent_by_what_sends_it(case.reading.actions[index], ask, case)
            if lent:
                answer += lent
                continue
        if not covering:
            return None
        answer.append(covering[0])
    return answer


def _lent_by_what_sends_it(action: Action, ask: Ask, case: Case) -> list[Grant]:
    """A plain file that is read to be sent needs no more than the capabilities for all that sends."""
    if action.name != "fs:read" or "sends" not in action.tags or set(action.tags) - PLAIN:
        return []
    lent = []
    for other in case.reading.actions:
        if not leaves(other) or "sends" not in other.tags:
            continue
        given = [g for g in case.grants if g.kind == "capability" and covers_slowly(g, other)]
        given = [grant for grant in given if _is_strong_enough(grant, ask.actions, case)]
        if not given:
            return []
        lent.append(given[0])
    return lent


PLAIN = {"sends", "regenerable", "created", "new", "built", "temp"}
