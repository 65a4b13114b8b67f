"""Who is at the other end of a request: a token, and what its role may do."""

from __future__ import annotations

import hashlib
import hmac

from ..store.ledger.ledger import Ledger
from ..store.people.tokens import ROLES, Token, checked
from ..value import Value
from .errors import RefusedError

__all__ = ["ANYONE", "COOKIE", "PEOPLE", "Caller", "admitted", "bearer", "caller_of", "csrf_of"]

COOKIE = "interlock"
ANYONE = frozenset(ROLES)
PEOPLE = frozenset({"approver", "admin"})


class Caller(Value):
    """
    by_cookie  a browser sends it along by itself, so what changes something needs more than that
    csrf       what a form of the page has to carry
    via        how somebody without a token is known, for the record
    """

    token: Token
    by_cookie: bool = False
    csrf: str = ""
    via: str = ""

    @property
    def is_agent(self) -> bool:
        return self.token.role == "agent"

    @property
    def person(self) -> str:
        return self.token.person

    @property
    def by(self) -> str:
        """For the record."""
        return f"{self.token.person} {self.via or f'with token {self.token.id}'}"


def caller_of(ledger: Ledger, text: str, roles: frozenset[str], *, by_cookie: bool) -> Caller:
    """Whoever holds the token, if its role is among these."""
    with ledger.looking() as view:
        token, at = checked(view, text), view.at
    return admitted(token, at, roles).replace(by_cookie=by_cookie, csrf=csrf_of(text))


def admitted(token: Token | None, at: int, roles: frozenset[str]) -> Caller:
    """Whoever holds this token at this moment, if its role is among these."""
    if token is None or token.is_over(at):
        # One sentence for unknown, expired and revoked: nobody learns which of them a stolen text is.
        raise RefusedError("unauthenticated", "the token is not known, or no longer good", _CHALLENGE)
    if token.role not in roles:
        raise RefusedError("forbidden", f"a token of role {token.role} may not do this")
    return Caller(token=token)


def bearer(header: str) -> str:
    """The token that a program sends with `Authorization`."""
    scheme, _, text = header.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


_CHALLENGE = {"www-authenticate": 'Bearer realm="interlock"'}


def csrf_of(text: str) -> str:
    """What only a page that was made for this token knows."""
    return hmac.new(text.encode(), b"interlock csrf", hashlib.sha256).hexdigest()
