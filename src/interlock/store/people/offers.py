"""A yes that reaches further than one call: what may be offered for a question, and giving it.

For every surface the same: `offers_for` lists the reaches with what each would cover, `answered_for` says yes with one
of them. The yes to the call and the grants beside it are kept in one transaction, or none of them is. A grant that goes
beyond its session needs what `interlock grant` needs; where a signature is needed, the surface hands in how to sign.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ...approve.reaches import ONCE, Offer, offers_of
from ...bytes.redact import redact
from ...model.errors import ApprovalError, InterlockError
from ...model.verdict import Strength
from ...policy.model import Policy
from ...record.approvers import Approvers, check_signature
from ...record.receipt import grant_from_wire
from ..home.folders import Folders
from ..home.policies import load_policy
from ..ledger.approvals import subject_of
from ..ledger.grants import GivenGrant, holder_of, message_of
from ..ledger.ledger import Ledger
from .answering import Asked, answered
from .approvers import keys_now, needed_to_loosen

__all__ = ["LASTS", "Sign", "answered_for", "needed_for_reach", "offers_for", "policy_of"]

LASTS = 2 * 3600 * 1000  # milliseconds that a grant beside a yes counts, where nobody says otherwise

# The keys that count, what is signed, and how strong it must be -> the signature and whose it is.
Sign = Callable[[Approvers, bytes, Strength], Mapping[str, Any]]


def policy_of(folders: Folders, asked: Asked) -> Policy:
    """The policy in force where the question was asked."""
    root, file, profile = (str(asked.body.get(name) or "") for name in ("root", "policy_file", "profile"))
    return load_policy(folders, root or None, file or None, profile=profile)


def offers_for(asked: Asked) -> tuple[Offer, ...]:
    """Every reach of a yes to this question, the shortest first; one that cannot be had says why."""
    body, told = asked.body, asked.body.get("reach")
    if not isinstance(told, Mapping):  # asked by an older version, or not by a hook
        return offers_of((), {}, "the question does not say what a yes that reaches further would cover")
    if body.get("two"):
        return offers_of((), {}, "it needs the yes of two persons, each time")
    try:
        grants = tuple([grant_from_wire(wire) for wire in told["grants"]])
    except (InterlockError, KeyError, TypeError, ValueError) as error:
        return offers_of((), {}, f"what it would cover cannot be read: {str(error)[:100]}")
    folder = str(body["folder"])
    places = {
        "session": str(body["session"]),
        "folder": os.path.realpath(folder) if folder else "",
        "repository": str(body.get("root") or ""),
    }
    return offers_of(grants, places, str(told.get("refused", "")))


def needed_for_reach(asked: Asked, reach: str, policy: Policy, known: Approvers) -> Strength:
    """How strong the grants beside a yes must be: what the question needs, and beyond its session what loosens."""
    beyond = Strength.WEAK if reach in (ONCE, "session") else needed_to_loosen(policy, known)
    return max(asked.needs, beyond)


def answered_for(
    folders: Folders,
    ledger: Ledger,
    asked: Asked,
    *,
    reach: str,
    by: str,
    person: str = "",
    why: str = "",
    where: str = "terminal",
    signed: Mapping[str, Any] | None = None,
    sign: Sign | None = None,
    lasts: int = LASTS,
    terminal: str = "",
    unseen: bool = False,
) -> tuple[Asked, tuple[GivenGrant, ...]]:
    """Says yes to the question with this reach: the one call, and its like within the reach. What was given with it.

    `signed` is the signature of the yes itself, and `unseen` what it counts for, as `answered` takes them. `sign`
    signs a grant where that is needed; None: this surface cannot. `lasts`: milliseconds that the grants count; 0:
    without an end.
    """
    offer = next((one for one in offers_for(asked) if one.reach == reach), None)
    if offer is None or offer.refused:
        told = f"`{reach}` is no reach" if offer is None else offer.refused
        raise ApprovalError(f"{asked.question.id} cannot be approved for more than this call: {told}")
    gives: tuple[GivenGrant, ...] = ()
    if offer.grants:
        policy = policy_of(folders, asked)
        known = keys_now(ledger, policy, to_sign=True)
        least = needed_for_reach(asked, reach, policy, known)
        gives = tuple(
            [
                _signed(
                    GivenGrant(
                        grant=grant.replace(id="", by=by, why=redact(why) or grant.why),
                        holder=holder_of(reach, offer.place),
                        expires=known.at + lasts if lasts else 0,
                        words=subject_of(asked.body.get("input") or {}),
                        call=str(asked.body["receipt"]),
                        folder=str(asked.body["folder"]),
                        terminal=terminal,
                        nonce=known.at,
                    ),
                    known,
                    least,
                    sign,
                )
                for grant in offer.grants
            ]
        )
    done = answered(
        ledger,
        asked,
        yes=True,
        by=by,
        person=person,
        why=why,
        where=where,
        signed=signed,
        reach=reach,
        gives=gives,
        unseen=unseen,
    )
    return done, done.gave


def _signed(given: GivenGrant, known: Approvers, least: Strength, sign: Sign | None) -> GivenGrant:
    """The grant, signed where it has to be."""
    # INVARIANT: the signature is checked here, whatever the surface says of it.
    if least is Strength.WEAK:
        return given.replace(nonce=0)
    if sign is None:
        raise ApprovalError(f"a yes that reaches so far needs a signature ({least} or more); sign it at a terminal")
    message = message_of(given, known.ledger)
    made = sign(known, message, least)
    signer = check_signature(known, message, str(made["signature"]))
    strength = signer.strength(known.at)
    if strength < least:
        raise ApprovalError(f"the key of {signer.name} counts as {strength} and this needs {least}")
    grant = given.grant.replace(strength=strength)
    return given.replace(grant=grant, signature=str(made["signature"]), signer=signer.name)
