"""The layers: plain functions `(call, reading, policy, session, grants) -> findings`.

The order is for reporting only; findings join with `max`. A new layer is a new file and a
new line here. Layers look at the call's head (tool, host, agent, folder) and at the
reading, never at the call's input: that is what lets a receipt be replayed without it.
A finding whose verdict is `allow` is a note to the agent and to the record.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .capability import capability
from .conformance import conformance
from .faults import faults
from .floor import floor
from .flow import flow
from .judge import judge
from .loop import loop
from .manifest import manifest
from .obeyed import obeyed
from .plan import plan
from .risk import risk
from .rules import rules
from .tiers import tiers
from .two import two
from .unread import unread
from .watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.decision import Finding
    from ..model.session import Session
    from ..policy.model import Policy

    Layer = Callable[[Call, Reading, Policy, Session, Sequence[Grant]], Sequence[Finding]]

__all__ = ["ADVISORY", "FAIL_CLOSED", "LAYERS", "STAY_ON", "TYPED"]

LAYERS: tuple[Layer, ...] = (
    floor,
    obeyed,
    faults,
    watch,
    unread,
    manifest,
    risk,
    capability,
    two,
    rules,
    tiers,
    flow,
    plan,
    loop,
    judge,
    conformance,
)

# Layers whose failure denies, where that of others asks.
FAIL_CLOSED: tuple[Layer, ...] = (floor, capability, two)

# Layers that hold while a person has switched the rest off: the floor, what keeps a broken policy from being none, and
# what one person alone cannot let through.
STAY_ON: tuple[Layer, ...] = (floor, faults, two)

# Layers that judge a command for what it would do, whoever runs it and when.
TYPED: tuple[Layer, ...] = (floor, obeyed, unread, risk, capability, rules, tiers, flow)

# Layers that only add notes: whatever they find or however they fail, they never block.
ADVISORY: tuple[Layer, ...] = (conformance,)
