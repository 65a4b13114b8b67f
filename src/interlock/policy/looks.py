"""What rules ask of a call's own words, as the texts that `reading/looks.py` answers.

Which rules ask anything of a tool's calls is found on a shelf of their own, so a policy without such rules, and a call
of a tool that none of them is about, pays nothing.
"""

from __future__ import annotations

from ..approve.glob import is_plain
from ..bytes.canon import canonical
from ..value import TYPE_CHECKING
from .book import on_shelf
from .rules import looked_at

if TYPE_CHECKING:
    from typing import Any

    from .model import Policy, Rule, When

__all__ = ["ANY_TOOL", "look_of", "looks_for", "rules_that_look", "shelf_of"]

ANY_TOOL = "*"
_SHELF = "?"


def look_of(when: When | None, *, every: bool) -> str:
    """The question that a condition asks of the call's words; empty: it asks none."""
    if when is None or not when.of_words:
        return ""
    asked: dict[str, Any] = {"input": dict(when.input)} if when.input else {}
    if when.command:
        asked["command"] = when.command
    return canonical({**asked, "every": True} if every else asked).decode()


def shelf_of(rule: Rule) -> str:
    """Where a rule lies that looks at the words of a call."""
    tool = rule.when.tool
    return _SHELF + (tool if tool is not None and is_plain(tool) else ANY_TOOL)


def rules_that_look(policy: Policy, names: tuple[str, ...]) -> list[tuple[int, Rule]]:
    """Those that may look at the words of a call of a tool with these names, each with its place."""
    looked = policy.looked or looked_at(policy.rules)
    found: dict[int, Any] = {}
    for name in (*names, ANY_TOOL):
        if name in looked:
            found.update([row for row in on_shelf(policy.rules, _SHELF + name) if row[1].of_words])
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
