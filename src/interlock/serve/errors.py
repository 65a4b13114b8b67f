"""What a request is refused with: a status, a word for programs and a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.errors import ApprovalError, HostError, InputError, InterlockError, PolicyError, PostureError, StoreError
from ..value import FrozenMap

__all__ = ["CODES", "RefusedError", "refused_by"]

# word for programs -> status
CODES = {
    "bad_request": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "misdirected": 421,
    "unprocessable": 422,
    "rate_limited": 429,
    "unavailable": 503,
}


class RefusedError(Exception):
    """Ends a request. `headers` go out with it."""

    def __init__(self, code: str, text: str, headers: Mapping[str, str] = FrozenMap({})) -> None:
        super().__init__(text)
        self.code = code
        self.status = CODES[code]
        self.text = text
        self.headers = headers


# our own error -> how a request ends with it; the first that fits
_OURS: tuple[tuple[type[InterlockError], str], ...] = (
    (InputError, "bad_request"),
    (HostError, "bad_request"),
    (ApprovalError, "conflict"),
    (PostureError, "conflict"),
    (StoreError, "unavailable"),
    (PolicyError, "unavailable"),
    (InterlockError, "unavailable"),
)
_SHORT = {"unavailable": "the service cannot decide or record now; nothing was allowed"}


def refused_by(error: InterlockError, *, verbose: bool) -> RefusedError:
    """How a request ends that one of our errors stopped. What is wrong inside is for those who run the service."""
    code = next(code for kind, code in _OURS if isinstance(error, kind))
    headers = {"retry-after": "2"} if code == "unavailable" else {}
    return RefusedError(code, str(error) if verbose or code not in _SHORT else _SHORT[code], headers)
