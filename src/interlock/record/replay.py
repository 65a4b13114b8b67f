"""Re-derives a decision from its receipt, byte for byte, and says what differs when it does not."""

from __future__ import annotations

from ..decide import decide
from ..errors import InputError
from ..value import TYPE_CHECKING, FrozenMap
from .canon import canonical
from .receipt import receipt_body, replay_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..policy.model import Policy

__all__ = ["differences", "rederive"]


def rederive(body: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """The receipt's body as this engine derives it from the recorded reading."""
    try:
        call, reading, session, grants = replay_inputs(body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a receipt of this format: {error}") from None
    return receipt_body(call, reading, policy.digest, session, decide(call, reading, policy, session, grants))


def differences(recorded: Any, derived: Any, path: str = "") -> list[str]:
    """Where two bodies differ, one line for each place. Empty: they are the same bytes."""
    if canonical(recorded) == canonical(derived):
        return []
    if isinstance(recorded, dict | FrozenMap) and isinstance(derived, dict | FrozenMap):
        found = []
        for key in sorted({*recorded, *derived}):
            found += differences(recorded.get(key), derived.get(key), f"{path}.{key}" if path else key)
        return found
    if isinstance(recorded, list | tuple) and isinstance(derived, list | tuple) and len(recorded) == len(derived):
        found = []
        for index, (one, other) in enumerate(zip(recorded, derived, strict=True)):
            found += differences(one, other, f"{path}[{index}]")
        return found
    return [f"{path}: recorded {canonical(recorded).decode()}, derived {canonical(derived).decode()}"]
