"""What a check tells: the verdict, a text for each reader, and what it takes to get on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..model.call import Call
from ..model.errors import Denied, NeedsApproval
from ..value import FrozenMap, Value

if TYPE_CHECKING:
    from ..calls.world import Outcome

__all__ = ["Checked", "refused"]


class Checked(Value):
    """
    verdict   `allow`, `ask` or `deny`
    person    the question, or why it was refused, for a person
    agent     what to tell the agent
    approval  what a person has to approve; empty where nothing would help
    expires   until when they can, in milliseconds since 1970; 0: it waits on
    receipt   what the decision can be replayed from; empty where there is none
    notes     advice that stops nothing
    enforced  False in observe mode: what was decided is not held to
    call      what was decided about
    outcome   all of it: the reading, the policy, every finding; None where a service decided, or nobody could
    """

    verdict: str
    person: str = ""
    agent: str = ""
    approval: str = ""
    expires: int = 0
    receipt: str = ""
    notes: tuple[str, ...] = ()
    enforced: bool = True
    call: Call = Call(tool="", input=FrozenMap({}))
    outcome: Outcome | None = None

    def __repr__(self) -> str:
        """What a person looks for who prints it. All of `outcome` would be hundreds of lines."""
        shown = [name for name in self._fields if name not in ("call", "outcome") and getattr(self, name)]
        return f"Checked({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

    @property
    def allowed(self) -> bool:
        return self.verdict == "allow"

    @property
    def input(self) -> Mapping[str, Any]:
        """The arguments that were decided about. Whoever makes the call makes it with these."""
        return self.call.input


def refused(checked: Checked) -> Denied | NeedsApproval:
    """The error that a call ends with which may not be made."""
    if checked.verdict == "ask":
        return NeedsApproval(
            checked.agent or checked.person, approval=checked.approval, person=checked.person, expires=checked.expires
        )
    return Denied(checked.agent or checked.person or "Refused.", receipt=checked.receipt, approval=checked.approval)
