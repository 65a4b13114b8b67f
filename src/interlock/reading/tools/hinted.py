"""What the annotations of an MCP tool warn of, and a tool that counts for more because of them.

They come from whoever runs the server, so they only raise: what a server calls harmless counts as if it had said
nothing. What it says of a tool that the person's policy declares changes nothing: there the person has spoken.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.action import Action
    from ...model.facts import Facts

__all__ = ["as_hinted", "hints_in"]


def hints_in(annotations: Mapping[str, Any]) -> tuple[str, ...]:
    """`destructive`: what is there may be lost. `external`: it does something elsewhere; looking there, as a search
    does, is no more than any tool may do that nobody has declared.
    """
    found = []
    if annotations.get("destructiveHint") is True:
        found.append("destructive")
    if annotations.get("openWorldHint") is True and annotations.get("readOnlyHint") is not True:
        found.append("external")
    return tuple(found)


def as_hinted(action: Action, facts: Facts) -> Action:
    """INVARIANT: nothing of the action becomes looser."""
    definition, declared = facts.definition, facts.declared
    if definition is None or not definition.hints or (declared is not None and declared.registered):
        return action
    if "destructive" in definition.hints:
        effects = tuple(sorted({*action.effects, Effect.DESTRUCTIVE}, reverse=True))
        action = action.replace(effects=effects, irreversible=True, risk=max(action.risk, Risk.HIGH))
    if "external" in definition.hints:
        action = action.replace(tags=tuple(sorted({*action.tags, "external"})))
    return action
