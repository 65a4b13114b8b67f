"""Checks an Ed25519 signature (RFC 8032) with whole numbers and nothing else.

The hook runs without site-packages and must not trust a program that it finds on a path, so it does this one
operation itself. There is no private key here and nothing to keep secret, so time does not matter and the code can be
the formulas of the RFC. Anything that is not a valid signature is False, never an error.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    Point = tuple[int, int, int, int]  # extended coordinates: x = X/Z, y = Y/Z, x * y = T/Z

__all__ = ["is_sound", "verified"]

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # a square root of -1
_NEUTRAL: Point = (0, 1, 1, 0)


def verified(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether this is a signature of the message by the key."""
    from hashlib import sha512

    if len(public) != 32 or len(signature) != 64:
        return False
    key, commitment = _point(public), _point(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or answer >= _L:  # the same signature written another way is none
        return False
    if _is_small(key):
        return False
    challenge = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % _L
    opposite = (_P - key[0], key[1], key[2], _P - key[3])
    return _same(_both(answer, _BASE, challenge, opposite), commitment)


def is_sound(public: bytes) -> bool:
    """Whether the bytes are a key that only its owner can sign with: a point of small order fits many signatures."""
    point = _point(public) if len(public) == 32 else None
    return point is not None and not _is_small(point)


def _is_small(point: Point) -> bool:
    return _same(_twice(_twice(_twice(point))), _NEUTRAL)


def _point(raw: bytes) -> Point | None:
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= _P:
        return None
    x = _x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % _P)


def _x_of(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _ROOT % _P
    if (x * x - square) % _P != 0:
        return None
    return _P - x if (x & 1) != sign else x


def _sum(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _twice(point: Point) -> Point:
    a, b = point[0] * point[0] % _P, point[1] * point[1] % _P
    c, h = 2 * point[2] * point[2] % _P, a + b
    e = h - (point[0] + point[1]) * (point[0] + point[1]) % _P
    g = a - b
    f = c + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _both(first: int, one: Point, second: int, other: Point) -> Point:
    """`first` times the one point and `second` times the other, together, doubled along the way only once."""
    added = {(1, 0): one, (0, 1): other, (1, 1): _sum(one, other)}
    total = _NEUTRAL
    for at in range(max(first.bit_length(), second.bit_length()) - 1, -1, -1):
        total = _twice(total)
        point = added.get((first >> at & 1, second >> at & 1))
        if point is not None:
            total = _sum(total, point)
    return total


def _same(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _P == 0 and (one[1] * other[2] - other[1] * one[2]) % _P == 0


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE_X = _x_of(_BASE_Y, 0) or 0
_BASE: Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)
