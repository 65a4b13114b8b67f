"""Public keys and signatures as OpenSSH writes them, read strictly.

`ssh-keygen -Y sign -n interlock` makes the signatures, so that agents, passphrases and hardware keys work without any
code of ours near a private key. Two kinds of keys are taken: `ssh-ed25519`, and `sk-ssh-ed25519@openssh.com`, which
lives in hardware and says with each signature whether somebody touched it. An untouched one is refused.
"""

from __future__ import annotations

from ..model.errors import ApprovalError, InputError
from ..value import TYPE_CHECKING, Value, lazy
from .ed25519 import is_sound, verified

if TYPE_CHECKING:
    from binascii import a2b_base64, b2a_base64
else:
    a2b_base64 = lazy(globals(), "binascii", "a2b_base64")
    b2a_base64 = lazy(globals(), "binascii", "b2a_base64")

__all__ = ["HARDWARE", "NAMESPACE", "PLAIN", "PublicKey", "public_key", "signed_by"]

NAMESPACE = "interlock"
PLAIN, HARDWARE = "ssh-ed25519", "sk-ssh-ed25519@openssh.com"

_MAGIC = b"SSHSIG"
_HASHES = ("sha256", "sha512")
_TOUCHED = 0x01
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_LONGEST = 8192


class PublicKey(Value):
    """
    kind         one of the two kinds
    blob         the key as OpenSSH encodes it, which is what names it
    point        its 32 bytes
    application  for hardware: what the key was made for, usually `ssh:`
    comment      what stands behind it in its file, usually whose it is
    """

    kind: str
    blob: bytes
    point: bytes
    application: str = ""
    comment: str = ""

    @property
    def line(self) -> str:
        """The key as one line, without its comment."""
        return f"{self.kind} {b2a_base64(self.blob, newline=False).decode('ascii')}"

    @property
    def fingerprint(self) -> str:
        from hashlib import sha256

        return "SHA256:" + b2a_base64(sha256(self.blob).digest(), newline=False).decode("ascii").rstrip("=")


def public_key(line: str) -> PublicKey:
    """The key of a `.pub` file's line. InputError where it is none, or one of a kind that is not taken."""
    words = line.split(None, 2)
    if len(words) < 2:
        raise InputError("not a public key; expected a line as in a .pub file: ssh-ed25519 AAAA…")
    if words[0] not in (PLAIN, HARDWARE):
        raise InputError(f"a key of the kind `{words[0][:60]}` is not taken; use ed25519-sk (hardware) or ed25519")
    key = _key(_decoded(words[1]))
    if key is None or key.kind != words[0]:
        raise InputError("not a public key: what it holds is not what it says")
    if not is_sound(key.point):
        raise InputError("not a public key: anybody could sign with it")
    comment = words[2].strip() if len(words) > 2 else ""
    return key.replace(comment="".join([char for char in comment if char.isprintable()])[:100])


def signed_by(message: bytes, signature: str) -> PublicKey:
    """The key that signed the message. ApprovalError with the reason where no key that is taken did."""
    raw = _decoded("".join(signature.replace(_BEGIN, "").replace(_END, "").split()))
    parts = _Parts(raw)
    if parts.take(len(_MAGIC)) != _MAGIC or parts.number() != 1:
        raise ApprovalError("the signature cannot be read: it is not one that `ssh-keygen -Y sign` makes")
    blob, namespace, reserved, hashed, inner = [parts.text() for _ in range(5)]
    if parts.rest or parts.broken:
        raise ApprovalError("the signature cannot be read: it is cut off, or something follows it")
    if namespace != NAMESPACE.encode():
        raise ApprovalError("the signature was made for something else than Interlock")
    name = hashed.decode("ascii", "replace")
    if name not in _HASHES:
        raise ApprovalError(f"the signature uses the hash `{name[:20]}`, which is not taken")
    key = _key(blob)
    if key is None:
        raise ApprovalError("the signature is by a kind of key that is not taken; use ed25519-sk or ed25519")
    digest = _digest(name, message)
    covered = _MAGIC + b"".join([_counted(part) for part in (namespace, reserved, hashed, digest)])
    _check(key, covered, inner)
    return key


def _check(key: PublicKey, covered: bytes, inner: bytes) -> None:
    parts = _Parts(inner)
    kind, signature = parts.text(), parts.text()
    if kind != key.kind.encode():
        raise ApprovalError("the signature is not by the kind of key that it names")
    if key.kind == HARDWARE:
        flags, counter = parts.take(1), parts.take(4)
        if len(counter) == 4 and not flags[0] & _TOUCHED:
            raise ApprovalError("the hardware key was not touched for this signature")
        covered = _digest("sha256", key.application.encode()) + flags + counter + _digest("sha256", covered)
    if parts.rest or parts.broken or not verified(key.point, covered, signature):
        raise ApprovalError("the signature is not one of this statement by this key")


def _key(blob: bytes) -> PublicKey | None:
    parts = _Parts(blob)
    kind, point = parts.text().decode("ascii", "replace"), parts.text()
    application = parts.text() if kind == HARDWARE else b""
    if kind not in (PLAIN, HARDWARE) or len(point) != 32 or parts.rest or parts.broken:
        return None
    try:
        return PublicKey(kind=kind, blob=blob, point=point, application=application.decode("utf-8"))
    except UnicodeDecodeError:
        return None


class _Parts:
    """Bytes that are taken from the front. What is not there is empty, and `broken` says so."""

    __slots__ = ("broken", "rest")

    def __init__(self, raw: bytes) -> None:
        self.rest = raw
        self.broken = False

    def take(self, count: int) -> bytes:
        if count > len(self.rest):
            self.rest, self.broken = b"", True
            return b""
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def text(self) -> bytes:
        return self.take(self.number())


def _counted(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def _digest(name: str, data: bytes) -> bytes:
    from hashlib import sha256, sha512

    return (sha256 if name == "sha256" else sha512)(data).digest()


def _decoded(text: str) -> bytes:
    """The bytes of base64; none where it is not that."""
    if len(text) > _LONGEST:
        return b""
    try:
        return a2b_base64(text.encode("ascii"), strict_mode=True)
    except ValueError:  # also where a character is not ASCII
        return b""
