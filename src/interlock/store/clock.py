"""The clock, and which of the policy's grants are live by it."""

from __future__ import annotations

import time

from ..approve.grant import Grant
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..policy.model import Policy

__all__ = ["live_grants", "minutes_from_now", "now"]


def now() -> str:
    """This moment as `2026-12-01T23:59:59Z`; such texts compare like the moments they name."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def minutes_from_now(minutes: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60 * minutes))


def live_grants(policy: Policy, moment: str) -> tuple[Grant, ...]:
    """The policy's grants that have not expired, as capabilities."""
    return tuple(
        [
            Grant(
                id=grant.id,
                kind="capability",
                action=grant.action,
                scope=grant.scope,
                reach="everywhere",
                why=grant.why,
            )
            for grant in policy.grants
            if grant.expires is None or moment <= grant.expires
        ]
    )
