"""Who a person is: the names under which one and the same person answers.

A login at the terminal, a signing key, an address of a sign-in service and a user of Slack may all be one person. The
tables `[people.NAME]` say so. They change no verdict by themselves: where two persons are needed, they tell who
is another one.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale, Value, lazy
from .field import Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from ..bytes.sshsig import public_key
    from .model import Policy
else:
    public_key = lazy(globals(), "..bytes.sshsig", "public_key")

__all__ = ["IDENTITIES", "PERSON", "Person", "Role", "person_from", "person_of", "who_can_sign"]

# What an identity is called on the surface that saw it -> the key of a person's table that lists it
IDENTITIES = {"login": "logins", "signer": "signers", "oidc": "oidc", "slack": "slack"}


class Role(Scale, words="approver admin"):
    """What a person may do on a surface with several of them. Weakest first."""

    __slots__ = ()
    if TYPE_CHECKING:
        APPROVER: ClassVar[Role]
        ADMIN: ClassVar[Role]


class Person(Value):
    """
    logins   accounts of the operating system
    signers  names of approver keys
    oidc     addresses that a sign-in service vouches for
    slack    ids of users of Slack
    """

    name: str
    logins: tuple[str, ...] = ()
    signers: tuple[str, ...] = ()
    oidc: tuple[str, ...] = ()
    slack: tuple[str, ...] = ()
    role: Role = Role.APPROVER


PERSON = (
    Field(key="logins", kind="texts", tighter="", doc="Accounts of the operating system, such as `ann`."),
    Field(
        key="signers",
        kind="texts",
        tighter="",
        doc="Names of keys that sign: the comment of a pinned key, or the name that a key was enrolled under.",
    ),
    Field(key="oidc", kind="texts", tighter="", doc="Addresses that a sign-in service vouches for."),
    Field(key="slack", kind="texts", tighter="", doc="Ids of users of Slack, such as `U024BE7LH`."),
    Field(
        key="role",
        kind="role",
        tighter="",
        doc="`approver` (default) or `admin`. Kept for surfaces that several persons share; no answer at a terminal "
        "hangs on it.",
    ),
)


def person_of(policy: Policy, surface: str, identity: str) -> str:
    """The name of the person whose identity it is; `login:ann` where nobody has declared it."""
    key = IDENTITIES.get(surface)
    if key is not None:
        for person in policy.people.values():
            if identity in getattr(person, key):
                return person.name
    return f"{surface}:{identity}"


def person_from(policy: Policy, told: str) -> str:
    """The same for an identity that is written with its kind, such as `login:ann`. A person's own name stays."""
    surface, colon, identity = told.partition(":")
    return person_of(policy, surface, identity) if colon else told


def who_can_sign(people: Mapping[str, Person], keys: Sequence[str]) -> tuple[str, ...]:
    """The persons who have a key among these, which managed policy pins.

    INVARIANT: an enrolled key shows nobody to be another person: whoever holds one key can enrol more, under any name.
    """
    first: dict[str, str] = {}  # a key that is pinned under two names is known by the first
    for line in keys:
        key = public_key(line)
        first.setdefault(key.line, key.comment)
    names = set(first.values())
    return tuple([name for name, person in people.items() if not names.isdisjoint(person.signers)])
