"""A bundle: the managed policy of many machines in one signed file with a version number.

    {"interlock": "bundle", "number": 7, "files": {"policy.toml": "…"}, "signature": "…"}

The signature covers the number and the digest of each file, so where a bundle came from does not matter: a mirror, a
cache or a proxy can withhold one, and nothing else. Numbers only go up, and each stands for one content. Pure: bytes
and pinned keys come in, a bundle or the reason against it comes out.
"""

from __future__ import annotations

from ..approve.statement import statement
from ..bytes.canon import canonical, digest_of_bytes
from ..bytes.sshsig import public_key, signed_by
from ..bytes.strict import parse_object
from ..limits import MAX_BUNDLE_BYTES, MAX_CONTRACTS_BYTES, MAX_POLICY_BYTES, SAFE_INTEGER
from ..model.errors import ApprovalError, InputError
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..bytes.sshsig import PublicKey

__all__ = [
    "CONTRACTS",
    "KEYS",
    "NAMES",
    "POLICY",
    "Bundle",
    "bundle_bytes",
    "checked",
    "pinned_keys",
    "read_bundle",
    "refusal",
    "signer_of",
]

POLICY, CONTRACTS, KEYS = "policy.toml", "contracts.json", "bundle.pub"
NAMES = {POLICY: MAX_POLICY_BYTES, CONTRACTS: MAX_CONTRACTS_BYTES, KEYS: 64 * 1024}  # file -> its largest size

_FIELDS = ("interlock", "number", "files", "signature")


class Bundle(Value):
    """
    number     its version
    files      name -> text; `policy.toml` is always there, `bundle.pub` changes the keys that are pinned
    signature  as `ssh-keygen -Y sign` makes it, without its frame
    """

    number: int
    files: Mapping[str, str] = FrozenMap({})
    signature: str = ""

    @property
    def message(self) -> bytes:
        """What is signed."""
        return statement("bundle", number=self.number, files={name: _digest(self.files[name]) for name in self.files})

    @property
    def digest(self) -> str:
        """Of what it says. Signing it once more, or with another key, leaves it as it is."""
        return digest_of_bytes(self.message)


def bundle_bytes(bundle: Bundle) -> bytes:
    wire = {"interlock": "bundle", "number": bundle.number, "files": bundle.files, "signature": bundle.signature}
    return canonical(wire) + b"\n"


def read_bundle(raw: bytes) -> Bundle:
    """The bundle. InputError where the bytes are not exactly one; whose it is, is another question."""
    if len(raw) > MAX_BUNDLE_BYTES:
        raise InputError(f"not a bundle: it is larger than {MAX_BUNDLE_BYTES} bytes")
    try:
        wire = parse_object(raw, limit=MAX_BUNDLE_BYTES)
    except InputError as error:
        raise InputError(f"not a bundle, or cut off: {error}") from None
    if tuple(sorted(wire)) != tuple(sorted(_FIELDS)) or wire["interlock"] != "bundle":
        raise InputError(f"not a bundle: it has other fields than {', '.join(_FIELDS)}")
    number, files, signature = wire["number"], wire["files"], wire["signature"]
    if type(number) is not int or not 0 < number <= SAFE_INTEGER:
        raise InputError("not a bundle: its number is not a whole number from 1 on")
    if not isinstance(files, FrozenMap) or type(signature) is not str:
        raise InputError("not a bundle: its files or its signature are not what they must be")
    return checked(Bundle(number=number, files=files, signature=signature))


def checked(bundle: Bundle) -> Bundle:
    """The bundle, if its files are ones that a bundle may have."""
    for name, text in bundle.files.items():
        if name not in NAMES:
            raise InputError(f"a bundle holds {', '.join(NAMES)}, and nothing called `{ascii(name)[1:-1][:60]}`")
        if type(text) is not str or len(text.encode()) > NAMES[name]:
            raise InputError(f"`{name}` in the bundle is not a text of at most {NAMES[name]} bytes")
    if POLICY not in bundle.files:
        raise InputError(f"a bundle without `{POLICY}` says nothing")
    if KEYS in bundle.files and not pinned_keys(bundle.files[KEYS]):
        raise InputError(f"`{KEYS}` in the bundle names no key: nobody could sign the next one")
    return bundle


def pinned_keys(text: str) -> tuple[PublicKey, ...]:
    """The keys of a file with one public key a line; empty lines and those that begin with # are left out."""
    lines = [line.strip() for line in text.splitlines()]
    return tuple([public_key(line) for line in lines if line and not line.startswith("#")])


def signer_of(bundle: Bundle, pins: Sequence[PublicKey]) -> PublicKey:
    """The pinned key that signed it. ApprovalError with the reason where none did."""
    if not pins:
        raise ApprovalError(f"no key is pinned that could have signed it; put one into {KEYS}")
    key = signed_by(bundle.message, bundle.signature)
    pinned = next((pin for pin in pins if pin.line == key.line), None)
    if pinned is None:
        raise ApprovalError(f"it is signed with the key {key.fingerprint}, which is not pinned here")
    if KEYS in bundle.files and key.line not in [new.line for new in pinned_keys(bundle.files[KEYS])]:
        raise ApprovalError(
            f"it takes away the key {key.fingerprint} that signed it; let the next bundle do that, signed with a key "
            "that stays"
        )
    return pinned


def refusal(bundle: Bundle, number: int, digest: str) -> str | None:
    """Why a machine that has seen bundle `number` with that digest does not take this one; None: it does."""
    if bundle.number < number:
        return (
            f"bundle {bundle.number} is older than bundle {number}, which this machine has seen: a policy is never "
            f"rolled back. Sign what you want in force as bundle {number + 1}"
        )
    if bundle.number == number and bundle.digest != digest:
        return (
            f"this machine has seen bundle {number} with another content, and a number stands for one content. "
            f"Sign this one as bundle {number + 1}"
        )
    return None


def _digest(text: str) -> str:
    return digest_of_bytes(text.encode())
