"""The key that signs checkpoints and stubs: made on first use by a command, never by the hook.

Ed25519. The private key is a file that only its owner reads; every public key that was ever ours is
kept in `known`, so that old statements still verify after a new key was made. The package that
does the mathematics is imported only when something is signed or checked.
"""

from __future__ import annotations

import os
from typing import Any

from ...bytes.canon import canonical, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ..home.files import read_file, write_file
from ..home.folders import Folders

__all__ = ["Signer", "known_keys", "trouble_with"]


def _private(folders: Folders) -> str:
    return folders.config + "/ledger.key"


def _known(folders: Folders) -> str:
    return folders.config + "/ledger-keys.json"


def known_keys(folders: Folders) -> dict[str, bytes]:
    """Key id -> public key, for every key that was ever ours."""
    raw = read_file(_known(folders), limit=MAX_STATE_BYTES)
    if raw is None:
        return {}
    try:
        return {name: bytes.fromhex(str(key)) for name, key in parse_object(raw).items()}
    except (InputError, ValueError) as error:
        raise StoreError(f"`{_known(folders)}` cannot be read: {error}") from None


class Signer:
    """This machine's key."""

    def __init__(self, folders: Folders) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        path = _private(folders)
        raw = read_file(path, limit=1000)
        if raw is None:
            raw = Ed25519PrivateKey.generate().private_bytes_raw().hex().encode() + b"\n"
            write_file(path, raw)
        elif os.stat(path).st_mode & 0o077:
            raise StoreError(f"`{path}` can be read by others; make it yours alone: chmod 600 {path}")
        try:
            self.private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(raw.decode().strip()))
        except ValueError:
            raise StoreError(f"`{path}` is not a signing key") from None
        public = self.private.public_key().public_bytes_raw()
        self.id = digest_of_bytes(public)[len("sha256:") :][:16]
        known = known_keys(folders)
        if known.get(self.id) != public:
            kept = {**{name: key.hex() for name, key in known.items()}, self.id: public.hex()}
            write_file(_known(folders), canonical(kept) + b"\n")

    def signed(self, statement: dict[str, Any]) -> dict[str, Any]:
        named = {**statement, "key": self.id}
        return {**named, "signature": self.private.sign(canonical(named)).hex()}


def trouble_with(statement: dict[str, Any], known: dict[str, bytes]) -> tuple[str, str] | None:
    """Why a signed statement is not to be believed, as a kind of damage and words; None if it holds."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    name = statement.get("key")
    public = known.get(name) if isinstance(name, str) else None
    if public is None:
        return "unknown key", f"it is signed with the key `{str(name)[:40]}`"
    said = {field: value for field, value in statement.items() if field != "signature"}
    try:
        signature = bytes.fromhex(str(statement.get("signature")))
        Ed25519PublicKey.from_public_bytes(public).verify(signature, canonical(said))
    except (InvalidSignature, ValueError):
        return "signature", "its signature is not that of what it says"
    return None
