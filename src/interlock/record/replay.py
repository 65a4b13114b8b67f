"""Re-derives a decision from its receipt, byte for byte, and says what differs when it does not.

A receipt of another version of the engine cannot be asked for the same bytes. It is verified by what does not hang
on the version: the verdict must be the join of the recorded findings, the effects those of the recorded reading. What
this engine would decide from that reading is then told as a change, and is no fault of the receipt.
"""

from __future__ import annotations

from .. import __version__
from ..bytes.canon import canonical
from ..decide import decide
from ..model.action import effects_of
from ..model.effects import most_restrictive
from ..model.errors import InputError
from ..model.verdict import join
from ..value import TYPE_CHECKING, FrozenMap, Value
from .receipt import decision_from_wire, receipt_body, replay_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.action import Reading
    from ..policy.model import Policy

__all__ = ["Replayed", "differences", "is_of_this_engine", "rederive", "replayed", "reread"]


class Replayed(Value):
    """
    engine    the version that recorded the receipt
    problems  why it does not hold; none: it does
    changes   where this engine decides otherwise from the same reading; for receipts of other versions alone
    """

    engine: str
    problems: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def is_of_this_engine(body: Mapping[str, Any]) -> bool:
    return body.get("engine") == __version__


def replayed(body: Mapping[str, Any], policy: Policy) -> Replayed:
    """What a replay of the receipt shows."""
    engine = str(body.get("engine"))
    if is_of_this_engine(body):
        return Replayed(engine=engine, problems=tuple(differences(body, rederive(body, policy))))
    problems = tuple(_joined_wrong(body))
    try:
        derived = rederive(body, policy)
    except InputError as error:
        return Replayed(engine=engine, problems=problems, changes=(f"this engine cannot derive it again: {error}",))
    return Replayed(
        engine=engine, problems=problems, changes=tuple(differences({**body, "engine": __version__}, derived))
    )


def _joined_wrong(body: Mapping[str, Any]) -> list[str]:
    """Where the recorded decision does not follow from the recorded findings and the recorded reading."""
    try:
        decision = decision_from_wire(body)
        reading = replay_inputs(body)[1]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [f"not a receipt of this format: {error}"]
    effects = effects_of(reading)
    effect = most_restrictive(effects) if effects else None
    expected = (
        ("verdict", decision.verdict, join(finding.verdict for finding in decision.reasons)),
        ("effects", decision.effects, effects),
        ("effect", decision.effect, effect),
    )
    return [
        f"decision.{name}: recorded {_word(recorded)}, joined {_word(joined)}"
        for name, recorded, joined in expected
        if recorded != joined
    ]


def _word(value: Any) -> str:
    return ", ".join([str(part) for part in value]) if type(value) is tuple else str(value)


def rederive(body: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """The receipt's body as this engine derives it from the recorded reading."""
    try:
        call, reading, session, grants = replay_inputs(body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a receipt of this format: {error}") from None
    return receipt_body(call, reading, policy.digest, session, decide(call, reading, policy, session, grants))


def reread(body: Mapping[str, Any], policy: Policy, reading: Reading) -> list[str]:
    """What differs if the call reads so today: in what it would do, and in the verdict."""
    call, recorded, session, grants = replay_inputs(body)
    # what is not kept of the call cannot be told anew: the digests stay, and what contracts and plans said
    now = recorded.replace(actions=reading.actions, opaque=reading.opaque)
    derived = receipt_body(call, now, policy.digest, session, decide(call, now, policy, session, grants))
    found = []
    for part in ("actions", "opaque"):
        found += differences(body["reading"][part], derived["reading"][part], f"reading.{part}")
    return found + differences(body["decision"]["verdict"], derived["decision"]["verdict"], "decision.verdict")


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
