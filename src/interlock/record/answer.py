"""A decision as `interlock decide` prints it: plain JSON data, in the order a person reads it."""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.decision import Decision

__all__ = ["decision_to_wire"]


def decision_to_wire(decision: Decision, body: Mapping[str, Any], receipt: str) -> dict[str, Any]:
    """`body` is the receipt's, which holds most of it already."""
    decided = body["decision"]
    return {
        "verdict": decided["verdict"],
        "effect": decided["effect"],
        "effects": decided["effects"],
        "actions": body["reading"]["actions"],
        "opaque": body["reading"]["opaque"],
        "reasons": decided["reasons"],
        "satisfied": decided["satisfied"],
        "near_misses": [miss.as_dict() for miss in decision.near_misses],
        "notes": decision.notes,
        "posture": decided["posture"],
        "approval": decided["approval"],
        "engine": body["engine"],
        "policy": body["policy"],
        "receipt": receipt,
    }
