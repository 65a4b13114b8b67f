"""The keyed digest of a call whose secrets were redacted: it proves that two calls are equal, and tells nothing else.

HMAC-SHA-256 by hand, because importing `hmac` loads OpenSSL. The key is made when it is first needed and
is a file that only its owner reads. INVARIANT: of several who make it at once, all use the one that came first.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical, digest_of_bytes, sha256
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..home.files import make_file, read_file

if TYPE_CHECKING:
    from ...model.call import Call
    from ..home.folders import Folders

__all__ = ["key_of", "keyed", "keyed_by", "keyed_digest", "proof_of"]

_BLOCK = 64


def keyed_digest(key: bytes, raw: bytes) -> str:
    padded = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\0")
    inner = sha256(bytes([byte ^ 0x36 for byte in padded]) + raw).digest()
    name: str = sha256(bytes([byte ^ 0x5C for byte in padded]) + inner).hexdigest()
    return name


def proof_of(call: Call, folders: Folders) -> str:
    """Binds every field of the call but the attempt. Names the key, so that another key is not taken for a change."""
    fields = {name: value for name, value in call.as_dict().items() if name != "attempt"}
    return keyed(canonical(fields), folders)


def keyed(raw: bytes, folders: Folders) -> str:
    """Of anything that may hold a secret, or that is short enough to be guessed from a plain digest."""
    return keyed_by(key_of(folders), raw)


def keyed_by(key: bytes, raw: bytes) -> str:
    """The same, with the key that was read before."""
    return f"hmac-sha256:{digest_of_bytes(key)[7:15]}:{keyed_digest(key, raw)}"


def key_of(folders: Folders) -> bytes:
    path = folders.state + "/proof.key"
    raw = read_file(path, limit=1000)
    if raw is None:
        make_file(path, os.urandom(32).hex().encode() + b"\n")
        raw = read_file(path, limit=1000) or b""
    try:
        key = bytes.fromhex(raw.decode().strip())
    except ValueError:
        key = b""
    if len(key) != 32:
        raise StoreError(f"`{path}` is not a key")
    return key
