"""The tiers of the slow decider: the table written out, once for what is read and once for what is declared."""

from __future__ import annotations

from interlock.model.action import Action
from interlock.policy.model import Tiers
from oracle_grants import like

__all__ = ["passes", "tier", "tier_by_table"]


GRAVE = set(
    "device disguised elsewhere history identity near-miss outside persistence posts privileged secret security".split()
)


def tier(action: Action, table: Tiers) -> int:
    """1, 2 or 3, for what was read from a command line, files that are removed, and tools that are declared."""
    if _is_declared(action):
        return tier_by_table(action, table)
    removes_rows = action.name.startswith("sql:") and "destructive" in {effect.name for effect in action.effects}
    if action.field != "command" and action.name not in ("fs:delete", "fs:wipe") and not removes_rows:
        return 1
    return tier_by_table(action, table)


def _is_declared(action: Action) -> bool:
    return action.field == "" and (like("tool:*", action.name) or like("mcp:*:*", action.name))


def _by_declaration(action: Action, table: Tiers) -> int:
    """A tool without a row: network, execute and write are tier 2 where the table says nothing, read is tier 1."""
    usual = {"network": 2, "execute": 2, "write": 2}
    unknown = "unknown" in action.tags  # nothing counts of its effects but that its server warns of a loss
    effects = [effect.name for effect in action.effects if effect.name == "destructive" or not unknown]
    levels = [table.effects.get(effect, usual.get(effect, 1)) for effect in effects]
    levels += [table.marks.get(tag, 1) for tag in action.tags if tag != "unknown"]
    if action.irreversible and "network" in [effect.name for effect in action.effects]:
        levels.append(table.marks.get("external", 1))
    bounds = [1, *[level for pattern, level in table.at_least.items() if like(pattern, action.name)]]
    if action.name in table.actions:
        return max(table.actions[action.name], *bounds)
    fitting = [pattern for pattern in table.actions if like(pattern, action.name)]
    if fitting:
        best = max(fitting, key=lambda pattern: (len(pattern), table.actions[pattern]))
        return max([table.actions[best], *bounds, *[level for level in levels if level == 3]])
    return max([*levels, *bounds])


def _had_again(action: Action) -> bool:
    tags = set(action.tags)
    kept = {"guard", "secret", "root", "home", "device", "earlier", "project-root", "unread"}
    made = tags & {"created", "regenerable", "temp"}
    return action.name in ("fs:delete", "fs:wipe") and bool(made) and not tags & kept


STOPS = set("external posts sends elsewhere install near-miss redirects written-here".split())


def passes(action: Action, table: Tiers) -> bool:
    """Whether the permissive mode lets it through: what stays here and can be undone."""
    if table.permissive == 3:
        return "written-here" not in action.tags
    tags, effects = set(action.tags), {effect.name for effect in action.effects}
    fetches_and_runs = {"network", "execute"} <= effects
    if tags & STOPS or fetches_and_runs or ("network" in effects and action.irreversible):
        return False
    if "destructive" in effects and not _had_again(action):
        return False
    if action.name.split(":")[0] in ("git", "jj"):
        action = action.replace(tags=tuple(tag for tag in action.tags if tag != "history"))
    return tier(action, table) <= 2


def tier_by_table(action: Action, table: Tiers) -> int:
    if _is_declared(action):
        return _by_declaration(action, table)
    effects, tags = {effect.name for effect in action.effects}, set(action.tags)
    if _had_again(action):
        effects -= {"destructive"}
    if not {effect.name for effect in action.effects} & {"write", "destructive"}:
        tags -= {"outside"}
    grave = [table.marks.get(tag, 1) for tag in tags & GRAVE]
    grave += [table.effects.get(effect, 1) for effect in effects & {"destructive"}]
    usual = [table.marks.get(tag, 1) for tag in tags] + [table.effects.get(effect, 1) for effect in effects]
    bounds = [level for pattern, level in table.at_least.items() if like(pattern, action.name)]
    fitting = [pattern for pattern in table.actions if like(pattern, action.name)]
    if fitting:
        best = (
            action.name
            if action.name in fitting
            else max(fitting, key=lambda pattern: (len(pattern), table.actions[pattern]))
        )
        return max([table.actions[best], *grave, *bounds])
    return max([1, *usual, *bounds])
