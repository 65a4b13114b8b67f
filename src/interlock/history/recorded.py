"""A call as the ledger, an export or an imported history holds it: what `decide` was given, and what it said."""

from __future__ import annotations

from ..approve.grant import Grant
from ..bytes.redact import redact
from ..model.action import Reading
from ..model.call import Call
from ..model.decision import Decision
from ..model.errors import InputError
from ..model.session import Session
from ..record.receipt import decision_from_wire, replay_inputs
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..value import Json

__all__ = ["Recorded", "reason_for_people", "recorded_from", "subject_of"]

_SEAM = "`: "  # between what a call does and why a person is told
_TELLING = ("command", "file_path", "path", "url", "notebook_path", "pattern", "query")


class Recorded(Value):
    """
    at       milliseconds since 1970; None where nobody said
    given    the redacted input of the call
    source   `ledger`, or the host whose transcript told of it
    engine   the version that decided
    policy   digest of the policy that it was decided under
    refused  a person said no to it
    enforced what was decided was held to; otherwise it was only observed
    """

    at: int | None
    call: Call
    reading: Reading
    session: Session
    grants: tuple[Grant, ...]
    decision: Decision
    engine: str
    policy: str
    given: Mapping[str, Json] = FrozenMap({})
    source: str = "ledger"
    refused: bool = False
    enforced: bool = True


def recorded_from(
    body: Mapping[str, Any], *, at: int | None, source: str = "ledger", refused: bool = False
) -> Recorded:
    """From the body of a decision's row. InputError where it is none."""
    try:
        receipt, given = body["receipt"], body.get("input")
        call, reading, session, grants = replay_inputs(receipt)
        return Recorded(
            at=at,
            call=call,
            reading=reading,
            session=session,
            grants=grants,
            decision=decision_from_wire(receipt),
            engine=str(receipt["engine"]),
            policy=str(receipt["policy"]),
            given=given if type(given) is FrozenMap else FrozenMap({}),
            source=source,
            refused=refused,
            enforced=body.get("enforced") is not False,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a decision of this format: {error}") from None


def reason_for_people(text: str) -> str:
    """The sentence without secrets. What it quotes and what it says of it are gone through apart.

    In "Read `~/.aws/credentials`: passwords or keys are kept there." the file's name is no name of a value.
    """
    return _SEAM.join([redact(part) for part in text.split(_SEAM)])


def subject_of(tool: str, given: Mapping[str, Any]) -> str:
    """The tool, and the text of its input that says most."""
    for name in _TELLING:
        if type(given.get(name)) is str:
            return f"{tool} {given[name]}"
    return next((f"{tool} {value}" for value in given.values() if type(value) is str), tool)
