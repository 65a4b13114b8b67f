"""Which person a user of Slack is, and as whom they answer.

INVARIANT: somebody whom nobody has named is nobody, and cannot answer.
"""

from __future__ import annotations

from ...store.people.tokens import Token
from ..callers import Caller
from ..people import Person, declared
from ..service import Service
from ..settings import Slack

__all__ = ["caller_for", "person_for"]


def person_for(service: Service, settings: Slack, user: str) -> Person | None:
    """Whom the policy names, else whom the settings do; None where the user is nobody's."""
    person = settings.people.get(user, "").strip()
    return declared(service, "slack", user) or (Person(name=person, role="approver") if person else None)


def caller_for(service: Service, settings: Slack, user: str) -> Caller | None:
    """Who answers, for the service. It has no token: Slack says who it is, so what it says is weak."""
    found = person_for(service, settings, user)
    if found is None:
        return None
    person, role = found.name, found.role
    token = Token(id=f"slack:{user}", name=person, role=role, person=person, created=0, expires=0, by="slack")
    return Caller(token=token, via=f"in Slack as {user}")
