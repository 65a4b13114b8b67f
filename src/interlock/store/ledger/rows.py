"""What the rows of the ledger say, as canonical bytes, and a decision's row read back."""

from __future__ import annotations

from ...bytes.canon import canonical, canonical_own, digest, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_ID_CHARS, MAX_KEPT_BYTES, MAX_KEPT_CHARS, MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...policy.wire import policy_from_wire, policy_to_wire
from ...value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.call import Call
    from ...model.posture import Posture
    from ...model.session import Session
    from ...policy.model import Policy
    from ...record.chain import Row

__all__ = [
    "attempt_key",
    "attempt_mark",
    "decision_row",
    "kept_input",
    "open_decision",
    "open_policy",
    "policy_row",
    "posture_row",
    "session_row",
    "was_enforced",
]


def attempt_key(
    call: Call, reading: list[Any], policy: str, posture: Posture, proof: str | None, front: str = ""
) -> str:
    """One try of one call. The same id with another call, reading, policy, posture or front is another try."""
    who = [call.host, call.session, call.agent, call.attempt, call.cwd]
    return digest([front, *who, reading, policy, posture.name, proof])


def attempt_mark(attempt: str) -> bytes:
    """How the row of a decision about this attempt begins: what comes of the call is told under the host's id."""
    return b'{"attempt":' + canonical(attempt if len(attempt) <= MAX_ID_CHARS else digest(attempt)) + b","


def decision_row(
    given: Mapping[str, Any],
    receipt: Mapping[str, Any] | bytes,
    attempt: str | None = None,
    front: str = "",
    *,
    enforced: bool = True,
) -> bytes:
    """`given` is the call's redacted input: what a later engine would read again. `receipt` is its body, or the
    canonical bytes of that.
    """
    kept = _kept_bytes(given)
    raw = receipt if isinstance(receipt, bytes) else canonical_own(receipt)
    begin = b"{" if attempt is None else attempt_mark(attempt)
    said = b"" if enforced else b'"enforced":false,'
    said += b'"front":' + canonical(front) + b"," if front else b""
    return begin + said + b'"input":' + kept + b',"receipt":' + raw + b"}"


def kept_input(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of a redacted input is kept."""
    kept: Mapping[str, Any] = _cut(given)
    size = len(canonical(kept))
    return kept if size <= MAX_KEPT_BYTES else _too_long(size)


def _kept_bytes(given: Mapping[str, Any]) -> bytes:
    """The same, as canonical bytes."""
    raw = canonical(_cut(given))
    return raw if len(raw) <= MAX_KEPT_BYTES else canonical(_too_long(len(raw)))


def _too_long(size: int) -> dict[str, Any]:
    return {"[cut]": f"{size} bytes"}


def _cut(value: Any) -> Any:
    """Long texts, the contents of files above all, are not kept whole."""
    kind = type(value)
    if kind is str:
        return value if len(value) <= MAX_KEPT_CHARS else f"{value[:200]}… [cut, {len(value)} characters]"
    if kind is FrozenMap or kind is dict:
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if kind is tuple or kind is list else value


def policy_row(policy: Policy, root: str) -> bytes:
    return canonical({"policy": policy_to_wire(policy), "root": root})


def posture_row(before: Posture, after: Posture, receipt: str, by: str = "the loop guard") -> bytes:
    """What moved a session by itself; what a person sets is written down by the command."""
    return canonical({"by": by, "from": before.name, "receipt": receipt, "to": after.name})


def session_row(
    call: Call, session: Session, root: str, parent: tuple[int, int] | None, more: Mapping[str, Any] | None = None
) -> bytes:
    """`parent` is the process that started the hook, with when it began: nobody below it may answer an approval.

    `more` is what the host tells when the session begins.
    """
    told = {
        "agent": call.agent,
        "host": call.host,
        "parent": parent,
        "posture": session.posture.name,
        "root": root,
    }
    return canonical({**told, **(more or {})})


def open_decision(row: Row) -> tuple[str, Mapping[str, Any]]:
    """Id and body of the receipt in a decision's row. StoreError where the row is not that."""
    body = _object(row, "receipt")
    actual = digest_of_bytes(canonical(body))
    if actual != row.key:
        raise StoreError(f"row {row.seq} is malformed: the receipt says {row.key}, its content has {actual}")
    return actual, body


def was_enforced(row: Row) -> bool:
    """Whether what the row of a decision says was held to. It was not in observe mode."""
    return parse_object(row.body, limit=MAX_STATE_BYTES).get("enforced") is not False


def open_policy(row: Row) -> Policy:
    wire = _object(row, "policy")
    actual = digest_of_bytes(canonical(wire))
    if actual != row.key:
        raise StoreError(f"row {row.seq} is malformed: the policy says {row.key}, its content has {actual}")
    try:
        return policy_from_wire(wire, digest=actual)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"row {row.seq} is malformed: not a policy: {error}") from None


def _object(row: Row, name: str) -> Mapping[str, Any]:
    try:
        found = parse_object(row.body, limit=MAX_STATE_BYTES).get(name)
    except (InputError, TypeError, AttributeError) as error:
        raise StoreError(f"row {row.seq} is malformed: {error}") from None
    if type(found) is not FrozenMap:
        raise StoreError(f"row {row.seq} is malformed: it has no {name}")
    return found
