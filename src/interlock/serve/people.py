"""Which person an account of a sign-in provider is, and what they may do. Whoever is not named is nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..model.errors import InputError
from ..policy.people import IDENTITIES
from ..store.people.tokens import ROLES
from ..value import Value
from .callers import PEOPLE

if TYPE_CHECKING:
    from .api import Api
    from .service import Service

__all__ = ["Person", "declared", "people_in", "person_of"]


class Person(Value):
    name: str
    role: str


def people_in(table: Mapping[str, str], where: str) -> dict[str, Person]:
    """`"ann@example.com" = "ann:approver"`: account -> person. InputError names what is wrong."""
    found: dict[str, Person] = {}
    for account, text in table.items():
        name, _, role = text.rpartition(":")
        if not name.strip() or not name.isprintable() or len(name) > 100:
            raise InputError(f"{where}: `{account}` must be `NAME:ROLE`, such as `ann:approver`")
        if role not in PEOPLE:
            wrong = "agents do not sign in" if role in ROLES else f"`{role}` is no role of a person"
            raise InputError(f"{where}: `{account}`: {wrong}; it is approver or admin")
        if _key(account) in found:
            raise InputError(f"{where}: `{account}` is there twice")
        found[_key(account)] = Person(name=name, role=role)
    return found


def person_of(api: Api, account: str) -> Person | None:
    """INVARIANT: the one place that says who somebody is; None: nobody, and nothing is opened for them."""
    oidc = api.settings.oidc
    if oidc is None:
        return None
    return declared(api.service, "oidc", account) or people_in(oidc.people, "[oidc.people]").get(_key(account))


def declared(service: Service, surface: str, identity: str) -> Person | None:
    """Whoever the policy says it is (`[people.NAME]`)."""
    for person in service.policy().people.values():
        if _key(identity) in [_key(known) for known in getattr(person, IDENTITIES[surface])]:
            return Person(name=person.name, role=person.role.name)
    return None


def _key(account: str) -> str:
    """Addresses do not differ by their capitals. Other letters stay: `ſ` is no `s`, whatever folding makes of it."""
    return account.lower() if "@" in account and account.isascii() else account
