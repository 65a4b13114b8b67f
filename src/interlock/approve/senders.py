"""A granted publish publishes: whoever permits an action that sends files permits it to read them.

Only for files that are marked with nothing else, and only where every action of the call that sends anything is
covered by a grant that a person gave ahead: which of them sends the file need not be told then. What is secret,
outside, or a whole folder of the project is still asked about.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .grant import is_outward

if TYPE_CHECKING:
    from ..model.action import Action, Reading
    from ..model.decision import Finding

__all__ = ["senders_of"]

_ORDINARY = frozenset(("sends", "regenerable", "created", "new", "built", "temp"))


def senders_of(finding: Finding, index: int, reading: Reading) -> list[Action]:
    """The actions that may send the file which this one reads; none where reading it is a question of its own."""
    action = reading.actions[index]
    if finding.layer != "tiers" or "remembered" not in finding.lifted_by or action.name != "fs:read":
        return []
    if "sends" not in action.tags or not _ORDINARY.issuperset(action.tags):
        return []
    return [other for other in reading.actions if is_outward(other) and "sends" in other.tags]
