"""Who gives an answer to a question, and that no program does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..model.errors import ApprovalError
from ..policy.people import person_of
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.answering import Asked, hooks_that_ran
from ..store.people.offers import policy_of
from ..store.people.surface import why_not_a_person
from .person import terminal, who

__all__ = ["answerer", "person_answering", "refuse_a_program"]


def person_answering(folders: Folders, asked: Asked, signed: Mapping[str, Any] | None) -> str:
    """Who answers: whose key it is signed with, else whose login it is. Empty where the signature alone tells."""
    if asked.needs_two:
        return ""
    policy = policy_of(folders, asked)
    if signed is not None:
        name = person_of(policy, "signer", str(signed["signer"]))
        if name in policy.people:
            return name
    return person_of(policy, "login", who())


def refuse_a_program(ledger: Ledger, *, asks: bool = True) -> None:
    """ApprovalError unless a person's terminal is at the other end."""
    why = why_not_a_person(hooks_that_ran(ledger), os.environ, asks=asks)
    if why is not None:
        raise ApprovalError(f"this answer is not taken: {why}; answer in a terminal of your own")


def answerer() -> str:
    """Who answers, for the record."""
    return f"{who()} at {terminal() or 'a terminal'}"
