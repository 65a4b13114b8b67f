"""Signatures that the real `ssh-keygen` makes are taken; anything else is refused with a reason, and never crashes."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.bytes.ed25519 import is_sound, verified
from interlock.bytes.sshsig import HARDWARE, PLAIN, public_key, signed_by
from interlock.model.errors import ApprovalError, InputError
from ssh_keys import PASSPHRASE, Key, ask_pass, new_key, signature_of

# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28"
        "dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80"
        "e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17"
        "ad9bef1177331a704",
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS, ids=["empty", "one byte", "two bytes", "digest"])
def test_vectors_of_the_rfc(key: str, message: str, signature: str) -> None:
    public, said, signed = bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature)
    assert verified(public, said, signed)
    assert not verified(public, said + b"x", signed)
    assert not verified(public, said, signed[:40] + bytes([signed[40] ^ 1]) + signed[41:])
    second = signed[:32] + (int.from_bytes(signed[32:], "little") + ORDER).to_bytes(32, "little")
    assert not verified(public, said, second)  # the same signature, written another way


def test_a_key_that_anybody_can_sign_with_is_not_sound() -> None:
    assert is_sound(bytes.fromhex(VECTORS[0][0]))
    for point in (bytes(32), b"\x01" + bytes(31), b"\xff" * 32, b"\xec" + b"\xff" * 30 + b"\x7f"):
        assert not is_sound(point)


@given(st.binary(max_size=200), st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64))
def test_any_bytes_are_no_signature(message: bytes, key: bytes, signature: bytes) -> None:
    assert not verified(key, message, signature)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return new_key(tmp_path_factory.mktemp("keys") / "plain")


@pytest.fixture(scope="module")
def hardware(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return new_key(tmp_path_factory.mktemp("keys") / "sk", hardware=True)


def test_what_ssh_keygen_signs_is_taken(plain: Key, hardware: Key, tmp_path: Path) -> None:
    locked = new_key(tmp_path / "locked", passphrase=PASSPHRASE)
    for key, kind, more in ((plain, PLAIN, {}), (hardware, HARDWARE, {}), (locked, PLAIN, ask_pass(tmp_path))):
        signer = signed_by(b"yes", signature_of(key, b"yes", **more))
        known = public_key(key.line)
        assert (signer.kind, signer.blob) == (kind, known.blob)
        assert known.line == key.line.rpartition(" ")[0]


def test_a_hardware_key_has_to_be_touched(hardware: Key) -> None:
    untouched = signature_of(hardware, b"yes", INTERLOCK_TEST_UNTOUCHED="1")
    with pytest.raises(ApprovalError, match="was not touched"):
        signed_by(b"yes", untouched)
    raw = bytearray(decoded(untouched))
    raw[-5] |= 1  # the flag is part of what is signed
    with pytest.raises(ApprovalError, match="not one of this statement"):
        signed_by(b"yes", encoded(bytes(raw)))


@pytest.mark.parametrize("which", ["plain", "hardware"])
def test_a_signature_is_for_one_statement_and_one_purpose(which: str, request: pytest.FixtureRequest) -> None:
    key: Key = request.getfixturevalue(which)
    with pytest.raises(ApprovalError, match="not one of this statement"):
        signed_by(b"no", signature_of(key, b"yes"))
    with pytest.raises(ApprovalError, match="something else than Interlock"):
        signed_by(b"yes", signature_of(key, b"yes", namespace="git"))


def test_every_changed_byte_and_every_cut_is_refused(hardware: Key) -> None:
    raw = decoded(signature_of(hardware, b"yes"))
    for at in range(0, len(raw), 3):
        with pytest.raises(ApprovalError):
            signed_by(b"yes", encoded(raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :]))
        with pytest.raises(ApprovalError):
            signed_by(b"yes", encoded(raw[:at]))
    with pytest.raises(ApprovalError):
        signed_by(b"yes", encoded(raw + b"x"))


@given(st.one_of(st.text(max_size=300), st.binary(max_size=300).map(lambda raw: base64.b64encode(raw).decode())))
def test_any_text_is_no_signature_and_no_key(text: str) -> None:
    with pytest.raises(ApprovalError):
        signed_by(b"yes", text)
    with pytest.raises(InputError):
        public_key(f"ssh-ed25519 {text}")


def test_other_kinds_of_keys_are_named(tmp_path: Path) -> None:
    line = "sk-ecdsa-sha2-nistp256@openssh.com AAAA"
    with pytest.raises(InputError, match=r"`sk-ecdsa-sha2-nistp256@openssh.com` is not taken; use ed25519-sk"):
        public_key(line)


def decoded(signature: str) -> bytes:
    return base64.b64decode("".join(line for line in signature.splitlines() if not line.startswith("-----")))


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
