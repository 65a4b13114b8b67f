"""A decision as it was, from its row in the ledger: for whoever shows it again.

A receipt keeps no input, and of each finding what a replay compares. So the decision is derived once more from what
the receipt holds, and where that gives the very receipt, the derived one is shown: it also knows which action each
finding is about, which the words for a person are made from. Otherwise the recorded one is shown as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..bytes.redact import MARK
from ..bytes.strict import parse_object
from ..calls.world import Outcome
from ..decide import decide
from ..limits import MAX_STATE_BYTES
from ..model.errors import InterlockError
from ..record.receipt import decision_from_wire, receipt_body, receipt_of, replay_inputs
from ..store.ledger.rows import open_decision, open_policy
from ..value import FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..record.chain import Row
    from ..store.ledger.ledger import View
    from ..value import Json

__all__ = ["input_kept", "outcome_from", "outcome_kept", "spans_hold"]


def outcome_kept(view: View, receipt: str) -> Outcome | None:
    """The decision under this receipt, with the input left out; None where it, or its policy, was pruned."""
    row = view.find(receipt, "decision")
    return None if row is None else outcome_from(view, row, FrozenMap({}))


def outcome_from(view: View, row: Row, given: Mapping[str, Json]) -> Outcome | None:
    """The decision of a row, about a call with this input; None where its policy was pruned."""
    receipt, body = open_decision(row)
    kept = view.find(str(body["policy"]), "policy")
    if kept is None:
        return None
    policy = open_policy(kept)
    call, reading, session, grants = replay_inputs(body)
    decision = decision_from_wire(body)
    try:
        again = decide(call, reading, policy, session, grants)
        if receipt_of(receipt_body(call, reading, policy.digest, session, again))[0] == receipt:
            decision = again
    except InterlockError:
        pass  # of another version, which is shown as it was
    return Outcome(
        call=call.replace(input=given), reading=reading, decision=decision, policy=policy, body=body, receipt=receipt
    )


def input_kept(row: Row) -> Mapping[str, Any]:
    """The input of a decision's call, secrets left out and long texts cut."""
    given: Any = parse_object(row.body, limit=MAX_STATE_BYTES).get("input")
    return given if isinstance(given, FrozenMap | dict) else FrozenMap({})


def spans_hold(text: str) -> bool:
    """Whether characters of a kept text are still where they were read: not where a secret was taken out, or an end."""
    return MARK not in text and "… [cut, " not in text
