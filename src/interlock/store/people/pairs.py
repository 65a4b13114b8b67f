"""Where two persons are needed: who they are, as their signatures show it.

INVARIANT: what a row says of a person counts for nothing. A person is told by the key that signed, by the keys that
managed policy pins and by the people that the policy names. The table of approvals, the status in it and the words
of the rows can be written by any program of the agent's user; the signatures cannot.
"""

from __future__ import annotations

from ...approve.lifecycle import APPROVED, HALFWAY, Pair
from ...model.errors import ApprovalError
from ...model.verdict import Strength
from ...policy.people import person_from, person_of
from ...value import TYPE_CHECKING, lazy
from .approvers import signer_of_answer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...approve.lifecycle import Question
    from ...policy.model import Policy
    from ...record.approvers import Approver
    from ..ledger.ledger import View
    from ..ledger.rows import open_policy
else:
    open_policy = lazy(globals(), "..ledger.rows", "open_policy")

__all__ = ["Said", "pair_of", "who_said_yes"]

Said = tuple[Strength, str, tuple[str, ...]]  # how strong both are together, why not stronger, and who counts


def who_said_yes(
    view: View, question: Question, answers: list[Mapping[str, Any]], policy: Policy, starters: tuple[str, ...]
) -> Said:
    """Of the answers to this question: the weaker of the two, and the persons whose yes counts.

    `starters` are those who started the run, as the question's row says it and as this process sees it.
    """
    out = {person_from(policy, starter) for starter in starters if starter}
    strengths: list[tuple[Strength, str]] = []
    persons: list[str] = []
    for said in answers:
        if said.get("answer") not in (HALFWAY, APPROVED):
            continue
        signer, why = signer_of_answer(view, question, said, policy)
        person = None if signer is None else _person(signer, policy)
        if signer is None or person is None or person in out:
            strengths.append((Strength.WEAK, why if signer is None else f"the key of {signer.name} is nobody's here"))
            continue
        persons.append(person)
        strengths.append((signer.strength(view.at), why))
    strength, why = min(strengths, default=(Strength.WEAK, "nobody has said yes"), key=lambda one: one[0].rank)
    return strength, why, tuple(sorted(set(persons)))


def _person(signer: Approver, policy: Policy) -> str | None:
    """Whose key it is; None where that is not known. A key that was enrolled here shows nobody to be another person:
    whoever holds one key can enrol more, under any name."""
    name = person_of(policy, "signer", signer.name)
    return name if signer.pinned and name in policy.people else None


def pair_of(
    view: View,
    question: Question,
    body: Mapping[str, Any],
    signed: Mapping[str, Any] | None,
    answers: list[Mapping[str, Any]],
) -> Pair:
    """Who answers now, who has before (`answers`), and who started the run.

    ApprovalError where the signature shows nobody. The policy
    is the one that asked, as the ledger keeps it; the hook looks once more with the one in force.
    """
    row = view.find(str(body["policy"]), "policy")
    if row is None:
        raise ApprovalError(f"{question.id} was asked under a policy that is no longer in the ledger")
    policy = open_policy(row)
    if signed is None:
        raise ApprovalError(f"{question.id} needs the signed yes of two persons, and this one is not signed")
    asked = question.replace(expires=int(signed["expires"]))
    said = {"signature": signed["signature"], "expires": asked.expires}
    signer, why = signer_of_answer(view, asked, said, policy)
    if signer is None:
        raise ApprovalError(f"{question.id} needs the signed yes of two persons: {why}")
    person = _person(signer, policy)
    if person is None:
        raise ApprovalError(
            f"{question.id} needs the yes of two persons whom the policy names; the key of {signer.name} is not "
            f"pinned, or no `[people]` has it"
        )
    starter = str(body.get("starter", ""))
    before = who_said_yes(view, question, answers, policy, (starter,))[2]
    return Pair(person=person, first="".join(before[:1]), starter=person_from(policy, starter) if starter else "")
