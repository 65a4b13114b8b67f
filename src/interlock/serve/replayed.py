"""An allow whose answer was lost on the way: the same call, under the same idempotency key, gets it again.

INVARIANT: a key names an attempt and proves nothing. The call has to be the same, secrets included, and the policy too;
and nobody may have told what became of it. Then using it once more is the same use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..approve.approval import digest_of_call, projection_of
from ..bytes.strict import parse_object
from ..limits import MAX_FOLLOWED_ROWS, MAX_STATE_BYTES
from ..model.errors import StoreError
from ..record.chain import row_hash
from ..store.ledger.proofs import proof_of
from ..store.ledger.rows import attempt_mark, open_decision, was_enforced

if TYPE_CHECKING:
    from ..model.call import Call
    from ..record.chain import Row
    from ..store.home.folders import Folders
    from ..store.ledger.ledger import View

__all__ = ["allowed_before"]


def allowed_before(view: View, call: Call, policy: str, folders: Folders) -> Mapping[str, Any] | None:
    """The receipt's body of the newest decision about this attempt of this call, with the receipt's name, where an
    approval let it through; None where there is none, or where it no longer counts.
    """
    if call.attempt is None:
        return None
    mark, wanted = attempt_mark(call.attempt), digest_of_call(call, projection_of(call))
    settled = set()
    for row in view.newest(call.kept_session, MAX_FOLLOWED_ROWS):
        if row.kind == "outcome":
            settled.add(parse_object(row.body, limit=MAX_STATE_BYTES).get("decision"))
        elif row.kind == "decision" and row.body.startswith(mark):
            receipt, body = _opened(row)
            if body["call"]["digest"] != wanted or body["call"]["tool"] != call.tool or body["policy"] != policy:
                continue
            if row.proof is not None and row.proof != proof_of(call, folders):
                continue
            counts = row.seq not in settled and body["decision"]["verdict"] == "allow" and was_enforced(row)
            once = any(grant.get("kind") == "once" for grant in body["grants"])
            return {**body, "receipt": receipt} if counts and once else None
    return None


def _opened(row: Row) -> tuple[str, Mapping[str, Any]]:
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of the ledger was changed; look at it with: interlock audit verify")
    return open_decision(row)
