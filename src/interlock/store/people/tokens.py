"""Tokens of the HTTP service: who may ask, who may answer. A token is a row of the ledger, and revoking it another.

The text that a person gets to see once is `ilt_ID_SECRET`; the row keeps the digest of the secret. A secret has 256
bits of chance, so a plain digest cannot be searched for. Sessions that were asked about with a token belong to it:
the first call claims the session's name, and no other token can use it from then on.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Any

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import ApprovalError, InputError, StoreError
from ...record.chain import row_hash
from ...value import Value
from .. import sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...record.chain import Row
    from ..ledger.ledger import Ledger, Turn, View

__all__ = [
    "BY_SIGN_IN",
    "PREFIX",
    "ROLES",
    "Token",
    "Tokens",
    "checked",
    "claim",
    "create",
    "every_token",
    "is_good",
    "owner_of",
    "revoke",
]

PREFIX = "ilt_"
BY_SIGN_IN = "oidc"  # who made a token that is in one browser alone
# role -> what it may do
ROLES = {
    "agent": "asks about calls and redeems what was approved; it sees only what it asked itself",
    "approver": "sees everything, and answers once or for the session",
    "admin": "sees everything, and answers with any reach",
}
_ID_BYTES = 8
_ID_CHARS = 2 * _ID_BYTES
_SECRET_BYTES = 32
_MOST_KNOWN = 1000


class Token(Value):
    """
    person   who holds it: for an agent, whoever started it
    expires  milliseconds since 1970; 0: never
    """

    id: str
    name: str
    role: str
    person: str
    created: int
    expires: int
    by: str
    revoked: bool = False

    def is_over(self, at: int) -> bool:
        return self.revoked or 0 < self.expires <= at


def create(turn: Turn, *, name: str, role: str, person: str, expires: int, by: str) -> tuple[Token, str]:
    """A new token, and the text that stands for it, which nobody can see again."""
    if role not in ROLES:
        raise InputError(f"`{role}` is no role; a token is for {', '.join(ROLES)}")
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise InputError("a token needs a name of at most 100 characters")
    id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    token = Token(id=id, name=name, role=role, person=person, created=turn.at, expires=expires, by=by)
    turn.append("token", canonical({**_told(token), "says": "created", "digest": _digest(secret)}), key=id)
    return token, f"{PREFIX}{id}_{secret}"


def revoke(turn: Turn, id: str, *, by: str, why: str) -> Token:
    found = _found(turn, id)
    if found is None:
        raise ApprovalError(f"there is no token `{id[:40]}`; see: interlock token list")
    token, body = found
    if token.revoked:
        raise ApprovalError(f"the token {id} was revoked already")
    turn.append("token", canonical({**body, "says": "revoked", "by": by, "why": why}), key=id)
    return token.replace(revoked=True)


def every_token(ledger: Ledger) -> list[Token]:
    """All that were ever made, the oldest first."""
    found: dict[str, Token] = {}
    for row in ledger.connect().entries(sql.TOKENS):
        found[row.key] = _token(row, _body(row))
    return list(found.values())


def checked(view: View, text: str) -> Token | None:
    """The token that a text stands for; None where there is none. A wrong secret takes as long as a right one."""
    id, secret = _parts(text)
    return _right(_found(view, id), secret) if id else None


def _parts(text: str) -> tuple[str, str]:
    """Id and secret; nothing where a text is no token."""
    id, _, secret = text.removeprefix(PREFIX).partition("_")
    if not text.startswith(PREFIX) or len(id) != _ID_CHARS or not id.isalnum() or not id.isascii() or not secret:
        return "", ""
    return id, secret


def _right(found: tuple[Token, Mapping[str, Any]] | None, secret: str) -> Token | None:
    kept = str(found[1]["digest"]) if found is not None else _digest("")
    right = hmac.compare_digest(kept.encode(), _digest(secret).encode())
    return found[0] if found is not None and right else None


class Tokens:
    """Tokens as a process that stays looks them up: one statement says which row it is that counts now, and what a row
    says is known by its hash. A token that was revoked has another row, and is so at once. For any number of threads.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, tuple[Token, Mapping[str, Any]]]] = {}

    def checked(self, ledger: Ledger, text: str) -> tuple[Token | None, int]:
        """As `checked`, and the moment that counts."""
        id, secret = _parts(text)
        row = ledger.connect().look(sql.TOKEN_NOW, (id,))
        at = max(ledger.clock(), 0 if row is None else row[0])
        hash = None if row is None else row[1]
        if not id or hash is None:
            return (_right(None, secret) if id else None), at
        known = self._known.get(id)
        if known is None or known[0] != hash:
            with ledger.looking() as view:
                found = _found(view, id)
            if found is None:
                return None, at
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[id] = hash, found
        return _right(known[1], secret), at


def is_good(view: View, id: str) -> bool:
    """Whether the token with this id is neither revoked nor over."""
    found = _found(view, id)
    return found is not None and not found[0].is_over(view.at)


def claim(ledger: Ledger, session: str, token: str) -> bool:
    """Whether the session is the token's: it was before, or nobody has used that name and it is from now on."""
    with ledger.deciding(session) as turn:
        owner = owner_of(turn, session)
        if owner is None and turn.state is None and next(iter(turn.newest(session, 1)), None) is None:
            turn.append("owner", canonical({"token": token}), key=session)
            return True
        return owner == token


def owner_of(view: View, session: str) -> str | None:
    """The token that a session belongs to; None where it is none of the service's."""
    row = view.find(session, "owner")
    return None if row is None else str(_body(row).get("token"))


def _found(view: View, id: str) -> tuple[Token, Mapping[str, Any]] | None:
    row = view.find(id, "token")
    if row is None:
        return None
    body = _body(row)
    return _token(row, body), body


def _told(token: Token) -> dict[str, Any]:
    return {name: getattr(token, name) for name in ("name", "role", "person", "created", "expires", "by")}


def _token(row: Row, body: Mapping[str, Any]) -> Token:
    told: Any = {name: body.get(name) for name in ("name", "role", "person", "created", "expires", "by")}
    return Token(id=row.key, revoked=body.get("says") != "created", **told)


def _body(row: Row) -> Mapping[str, Any]:
    # INVARIANT: a row that was changed opens nothing.
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of the ledger was changed; look at it with: interlock audit verify")
    return parse_object(row.body, limit=MAX_STATE_BYTES)


def _digest(secret: str) -> str:
    return "sha256:" + hashlib.sha256(secret.encode()).hexdigest()
