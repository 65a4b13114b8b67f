"""Receipts on disk: one line each, and beside them every policy that they name.

A line is `{"body": …, "receipt": "sha256:…"}`, canonical, so that the receipt's digest can be
checked with any SHA-256 tool. Policies are kept once, under their digest.
"""

from __future__ import annotations

import os

from ..errors import InputError, StoreError
from ..limits import MAX_STATE_BYTES
from ..policy.wire import policy_from_wire, policy_to_wire
from ..record.canon import canonical, digest_of_bytes
from ..record.strict import parse_object
from ..value import TYPE_CHECKING
from .files import append_line, read_file, write_file

if TYPE_CHECKING:
    from ..policy.model import Policy
    from .folders import Folders

__all__ = ["read_policy", "record"]


def record(folders: Folders, receipt: str, body: bytes, policy: Policy) -> None:
    """Appends the receipt; StoreError if it is not safely there afterwards."""
    kept = _policy_file(folders.policies, policy.digest)
    if not os.path.exists(kept):
        write_file(kept, canonical(policy_to_wire(policy)))
    append_line(folders.journal, b'{"body":' + body + b',"receipt":"' + receipt.encode() + b'"}')


def read_policy(folder: str, digest: str) -> Policy:
    """The policy with this digest, from a folder of kept policies. StoreError if it is not what it says."""
    path = _policy_file(folder, digest)
    raw = read_file(path, limit=MAX_STATE_BYTES)
    if raw is None:
        raise StoreError(f"the policy {digest} is not kept in {folder}")
    if digest_of_bytes(raw) != digest:
        raise StoreError(f"`{path}` does not have the digest that its name says")
    try:
        return policy_from_wire(parse_object(raw, limit=MAX_STATE_BYTES), digest=digest)
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"`{path}` is not a policy: {error}") from None


def _policy_file(folder: str, digest: str) -> str:
    name = digest.removeprefix("sha256:")
    if len(name) != 64 or not name.isalnum():
        raise StoreError(f"`{digest[:80]}` is not a digest")
    return f"{folder}/{name}.json"
