"""An id token, checked: who signed it, for whom it is, until when, and that it answers what this browser asked.

Only signatures with a provider's own key count. `none` and keys that both sides know are refused before any key is
looked at, so nobody can have the public key taken for a shared one. A key is taken by its id, its kind and its use.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

__all__ = ["SignInError", "UnknownKeyError", "account_in", "claims_of"]

# algorithm -> the kind of key that it takes, and its curve
_ALGORITHMS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", "")),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
}
_SKEW = 60  # seconds that two clocks may differ
_OLDEST = 600  # seconds since it was made: it was asked for a moment ago
_NEVER = 1e12  # seconds
_LONGEST = 64 * 1024
_LEAST_RSA = 256  # bytes of the modulus: 2048 bits


class SignInError(Exception):
    """Ends a sign-in. The text is for the person, `inside` for the log of whoever runs the service."""

    def __init__(self, text: str, status: int = 400, inside: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.status = status
        self.inside = inside


class UnknownKeyError(Exception):
    """Signed with a key that is not among these; the provider may have new ones."""


def _wrong(inside: str) -> SignInError:
    return SignInError("The sign-in could not be checked. Start again.", 403, inside)


def claims_of(
    token: str, keys: Sequence[Mapping[str, Any]], *, issuer: str, client: str, nonce: str, now: float
) -> Mapping[str, Any]:
    """What the token says, if it is for us. `keys` are those that the provider has published."""
    header = _header(token)
    algorithm, id = header.get("alg"), header.get("kid")
    if type(algorithm) is not str or algorithm not in _ALGORITHMS:
        raise _wrong("the id token is signed with an algorithm that is not taken")
    if "crit" in header or (id is not None and type(id) is not str):
        raise _wrong("the id token has a header that is not taken")
    key = _key(keys, algorithm, id)
    try:
        claims = jwt.decode(token, key, algorithms=[algorithm]).claims
    except (JoseError, ValueError, TypeError):
        raise _wrong("the signature of the id token is not right") from None
    _check(claims, issuer=issuer, client=client, nonce=nonce, now=now)
    return claims


def _header(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    if len(parts) != 3 or not token.isascii() or len(token) > _LONGEST:
        raise _wrong("the id token is not a signed one")
    try:
        header = json.loads(base64.urlsafe_b64decode(parts[0] + "=" * (-len(parts[0]) % 4)))
    except ValueError:
        raise _wrong("the id token is not a signed one") from None
    if not isinstance(header, dict):
        raise _wrong("the id token is not a signed one")
    return header


def _key(keys: Sequence[Mapping[str, Any]], algorithm: str, id: str | None) -> RSAKey | ECKey:
    kind, curve = _ALGORITHMS[algorithm]
    fit = [
        key
        for key in keys
        if key.get("kty") == kind
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and (not curve or key.get("crv") == curve)
        and (id is None or key.get("kid") == id)
    ]
    if len(fit) != 1:  # none, or no telling which
        raise UnknownKeyError
    public = {name: value for name, value in fit[0].items() if name in ("kty", "n", "e", "crv", "x", "y")}
    try:
        if kind == "RSA":
            if len(str(public.get("n", ""))) * 3 // 4 < _LEAST_RSA:
                raise _wrong("the provider's key is too short")
            return RSAKey.import_key(public)
        return ECKey.import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        raise _wrong("the provider's key cannot be read") from None


def _check(claims: Mapping[str, Any], *, issuer: str, client: str, nonce: str, now: float) -> None:
    if claims.get("iss") != issuer:
        raise _wrong("the id token is another issuer's")
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience
    if not isinstance(audiences, list) or client not in audiences:
        raise _wrong("the id token is for another client")
    if ("azp" in claims or len(audiences) > 1) and claims.get("azp") != client:
        raise _wrong("the id token was made for another client")
    expires, made, begins = _moment(claims, "exp"), _moment(claims, "iat"), _moment(claims, "nbf", otherwise=now)
    if expires is None or expires + _SKEW <= now:
        raise _wrong("the id token is expired")
    if made is None or not now - _OLDEST - _SKEW <= made <= now + _SKEW or begins is None or begins > now + _SKEW:
        raise _wrong("the id token is of another time")
    said = claims.get("nonce")
    if not isinstance(said, str) or not hmac.compare_digest(said.encode(), nonce.encode()):
        raise _wrong("the id token does not answer what this browser asked")
    if not isinstance(claims.get("sub"), str) or not claims["sub"]:
        raise _wrong("the id token names nobody")


def _moment(claims: Mapping[str, Any], name: str, otherwise: float | None = None) -> float | None:
    """Seconds since 1970; None where it is no moment. NaN is not smaller than anything, and so is none."""
    value = claims.get(name, otherwise)
    return float(value) if type(value) in (int, float) and abs(value) < _NEVER else None


def account_in(claims: Mapping[str, Any], claim: str) -> str:
    """The account that a person is known by. INVARIANT: an address counts only where the provider has checked it."""
    account = claims.get(claim)
    if not isinstance(account, str) or not account.strip() or len(account) > 300:
        raise SignInError(f"Your account has no `{claim}`, by which people are known here.", 403)
    if claim == "email" and claims.get("email_verified") is not True:
        raise SignInError("The address of your account is not verified, so it does not count here.", 403)
    return account
