"""The decision that a hook made about a call which now comes by on the wire, found by the host's id of the attempt.

INVARIANT: it is about this very call: the same id, tool and input, under the policy that is still in force, not settled
yet, and not refused. What a hook asked has been answered in the host, or the call would not be here.
"""

from __future__ import annotations

from ...approve.approval import digest_of_call, projection_of
from ...bytes.redact import redacted
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.call import Call
from ...model.errors import StoreError
from ...record.chain import row_hash
from ...value import TYPE_CHECKING
from .. import sql
from ..ledger.rows import attempt_mark, open_decision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...value import Json
    from ..ledger.ledger import View

__all__ = ["decided_by_hook"]

_MOST_ROWS = 256  # the hook has just asked


def decided_by_hook(
    view: View, attempt: str, tool: str, given: Mapping[str, Json], policy: str
) -> tuple[int, str, str] | None:
    """The row, what it says (`allow` or `ask`), and by which known server's table the call was read; None where no hook
    let just this call pass.
    """
    if redacted(given) != given:  # a digest without its secrets does not tell two such calls apart
        return None
    mark = attempt_mark(attempt)
    settled = set()
    for row in view.database.entries(sql.NEWEST, (_MOST_ROWS,)):
        if row.kind == "outcome":
            settled.add(parse_object(row.body, limit=MAX_STATE_BYTES).get("decision"))
        if row.kind != "decision" or not row.body.startswith(mark):
            continue
        if row.hash != row_hash(row):
            raise StoreError(f"row {row.seq} of the ledger was changed; look at it with: interlock audit verify")
        front = parse_object(row.body, limit=MAX_STATE_BYTES).get("front")
        if type(front) is not str or not front.startswith("hook:"):
            continue
        _, body = open_decision(row)
        head = body["call"]
        call = Call(
            tool=tool,
            input=given,
            cwd=head["cwd"],
            session=head["session"],
            agent=head["agent"],
            host=head.get("host", ""),
            agent_type=head.get("agent_type", ""),
        )
        same = head["tool"] == tool and head["digest"] == digest_of_call(call, projection_of(call))
        verdict = str(body["decision"]["verdict"])
        passed = verdict != "deny" and body["policy"] == policy
        server = str(body["reading"].get("server", ""))
        return (row.seq, verdict, server) if same and passed and row.seq not in settled else None
    return None
