"""The keys that sign answers, as the ledger keeps them: looked up where a decision hangs on them, changed by a command.

Most machines have none, and find that out with one look at an index. Nothing here holds a private key.
"""

from __future__ import annotations

import time

from ...bytes.canon import canonical
from ...model.errors import ApprovalError, StoreError
from ...model.verdict import Strength
from ...record.chain import row_hash
from ...value import TYPE_CHECKING, lazy
from .. import sql

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...approve.lifecycle import Question
    from ...approve.statement import answer_statement
    from ...approve.strength import strength_of_tier_3
    from ...bytes.sshsig import public_key
    from ...policy.model import Policy
    from ...record.approvers import Approver, Approvers, approvers, check_signature
    from ..ledger.identity import ledger_names, named
    from ..ledger.ledger import AnyDatabase, Ledger, Turn, View
else:
    answer_statement = lazy(globals(), "...approve.statement", "answer_statement")
    strength_of_tier_3 = lazy(globals(), "...approve.strength", "strength_of_tier_3")
    public_key = lazy(globals(), "...bytes.sshsig", "public_key")
    approvers = lazy(globals(), "...record.approvers", "approvers")
    check_signature = lazy(globals(), "...record.approvers", "check_signature")
    ledger_names = lazy(globals(), "..ledger.identity", "ledger_names")
    named = lazy(globals(), "..ledger.identity", "named")

__all__ = [
    "KEYS",
    "announced",
    "approvers_at",
    "keep_change",
    "keys_now",
    "needed_to_loosen",
    "signer_of_answer",
    "signing_at",
    "strength_of_answer",
]

KEYS = "keys"  # the key of every row of the kind `approver`


def signing_at(database: AnyDatabase, policy: Policy, at: int) -> str:
    """How strong a signature can be had now: `medium`, `strong`, or nothing where no key counts."""
    strongest = approvers_at(database, policy, at).strongest
    return "" if strongest.name == "weak" else strongest.name


def keys_now(ledger: Ledger, policy: Policy, *, to_sign: bool = False) -> Approvers:
    """The keys as they are now; with `to_sign` also the name of the ledger, which whatever is signed holds."""
    with ledger.deciding() as turn:
        name = named(turn) if to_sign else ""
        return approvers_at(turn.database, policy, turn.at).replace(ledger=name)


def needed_to_loosen(policy: Policy, known: Approvers) -> Strength:
    """How strong a yes must be that reaches beyond its session."""
    strongest = known.strongest
    return strength_of_tier_3(policy, "" if strongest is Strength.WEAK else strongest.name)


def approvers_at(database: AnyDatabase, policy: Policy, at: int, *, thorough: bool = False) -> Approvers:
    """Every key that is pinned or enrolled. StoreError where a row was changed."""
    rows = list(database.entries(sql.ALL_BY_KEY, (KEYS, "approver")))
    for row in rows:
        if row.hash != row_hash(row):
            raise StoreError(f"row {row.seq} of `{database.path}` was changed")

    return approvers(policy.keys, rows, at, ledgers=ledger_names(database) if rows else (), thorough=thorough)


def strength_of_answer(turn: View, question: Question, said: Mapping[str, Any], policy: Policy) -> tuple[Strength, str]:
    """How strong a kept yes is, and why it is not stronger. A signature that does not hold is worth nothing."""
    by, why = signer_of_answer(turn, question, said, policy)
    return (Strength.WEAK, why) if by is None else (by.strength(turn.at), why)


def signer_of_answer(
    turn: View, question: Question, said: Mapping[str, Any], policy: Policy
) -> tuple[Approver | None, str]:
    """Whose signature a kept yes bears; None where it bears none that holds, and why."""
    signature = said.get("signature")
    if signature is None:
        return None, "it is not signed"

    row = turn.database.entry(sql.BY_SEQ, (question.seq,))
    if row is None or said.get("expires") != question.expires:
        return None, "its row says something else"
    message = answer_statement(
        approval=question.id, row=(question.seq, str(row.hash)), yes=True, reach="once", expires=question.expires
    )
    known = approvers_at(turn.database, policy, turn.at)
    try:
        by = check_signature(known, message, str(signature))
    except ApprovalError as error:
        return None, str(error)
    return by, f"the key of {by.name} counts as {by.strength(turn.at)}"


def announced(turn: View, policy: Policy) -> tuple[str, ...]:
    """What a person is told at the start of each session: the keys that can sign for them and that nobody pinned."""
    from ..home.folders import MANAGED_POLICY

    known = approvers_at(turn.database, policy, turn.at)
    told = [f"{note}; look with: interlock approver list" for note in known.ignored]
    for key in known.keys:
        if key.pinned:
            continue
        since = "" if turn.at >= key.since else f" from {_moment(key.since)} on"
        told.append(
            f"the key `{key.name}` ({public_key(key.line).fingerprint}), enrolled {_moment(key.enrolled)}, can approve "
            f"calls in your name and counts as {key.kind}{since}. If you did not enrol it, a program did: pin a key of "
            f"your own in {MANAGED_POLICY}, and this one no longer counts"
        )
    return tuple(told)


def _moment(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at / 1000))


def keep_change(turn: Turn, policy: Policy, body: dict[str, Any]) -> Approvers:
    """Keeps a change of the keys if it counts; the keys after it. ApprovalError where it does not."""
    before = len(approvers_at(turn.database, policy, turn.at, thorough=True).ignored)
    turn.append("approver", canonical(body), key=KEYS, session="")
    after = approvers_at(turn.database, policy, turn.at, thorough=True)
    if len(after.ignored) > before:
        raise ApprovalError(after.ignored[-1].partition(": ")[2] + "; nothing was changed")
    return after
