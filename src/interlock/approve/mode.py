"""The approval mode that is in force for a session: the policy's, or permissive where a person's own words raised it.

A phrase raises `default` to `permissive` and nothing else: `strict` was chosen for a reason, and stays.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.session import Session
    from ..policy.model import ApprovalMode, Policy

__all__ = ["mode_in_force"]


def mode_in_force(policy: Policy, session: Session) -> ApprovalMode:
    """INVARIANT: the session was brought up to date with `session.until`, so what is raised has not run out."""
    mode = policy.approval_mode
    if session.raised is None or not policy.allow_phrases or mode.name != "default":
        return mode
    return type(mode).of("permissive")
