"""A person's signature, made by `ssh-keygen`: it asks for the passphrase or the touch, and the key never comes here.

What needs a signature is decided in one place: whatever loosens needs what tier 3 needs. The signature is checked right
away, so that one which would not count is refused while the person is still there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from glob import glob
from typing import Any

import click

from ..approve.statement import statement
from ..bytes.sshsig import HARDWARE, NAMESPACE, PublicKey, public_key
from ..model.errors import ApprovalError, InputError
from ..model.verdict import Strength
from ..policy.model import Policy
from ..record.approvers import Approver, Approvers, check_signature
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.ledger import Ledger
from ..store.people.answering import Asked, why_not_answered
from ..store.people.approvers import keys_now, needed_to_loosen

__all__ = [
    "Signed",
    "own_signature",
    "private_half",
    "read_public",
    "sign_with",
    "signature_elsewhere",
    "signature_for",
    "signed_answer",
    "signed_statement",
    "signing_with",
]

Signed = dict[str, Any]  # what a row keeps of it: how strong it is, and where more than weak, by whom and the signature


def signature_for(
    folders: Folders,
    policy: Policy,
    message: Callable[[str], bytes],
    *,
    key: str | None = None,
    least: Strength = Strength.WEAK,
) -> Signed:
    """What a row keeps of how sure it is that a person wants this. Signs only where more than a terminal is needed.

    `message` makes what is signed from the name of the ledger.
    """
    ledger = Ledger(folders.ledger, front="cli:approver")
    try:
        known = keys_now(ledger, policy)
        least = max(least, needed_to_loosen(policy, known))
        if least is Strength.WEAK:
            return {"strength": Strength.WEAK.name}
        known = keys_now(ledger, policy, to_sign=True)
    finally:
        ledger.close()
    return sign_with(known, message(known.ledger), least=least, key=key, home=folders.home)


def signed_statement(folders: Folders, policy: Policy, kind: str, **fields: Any) -> Signed:
    """The same for a statement that nothing makes again from other rows: its row keeps the text that was signed."""
    at = Ledger(folders.ledger, front="cli:approver").clock()
    said = b""

    def message(ledger: str) -> bytes:
        nonlocal said
        said = statement(kind, ledger=ledger, at=at, **fields)
        return said

    signed = signature_for(folders, policy, message)
    return {**signed, "statement": said.decode()} if said else signed


def sign_with(known: Approvers, message: bytes, *, least: Strength, key: str | None, home: str) -> Signed:
    """A signature of a key that counts for that much. ApprovalError where there is none."""
    approver, file = _choose(known, least, key, home)
    signature = _signed(file, public_key(approver.line), message)
    by = check_signature(known, message, signature)
    strength = by.strength(known.at)
    if strength < least:
        raise ApprovalError(f"the key of {by.name} counts as {strength} and this needs {least}")
    return {"signature": signature, "signer": by.name, "strength": strength.name}


def signed_answer(folders: Folders, ledger: Ledger, asked: Asked, *, always: bool, key: str | None) -> Signed | None:
    """A signed yes, where the question needs one or the person wants one; None where it takes none."""
    if not asked.is_open or (asked.needs is Strength.WEAK and not always and key is None):
        return None
    refused = why_not_answered(asked, yes=True)
    if refused is not None:
        raise ApprovalError(refused)
    policy = load_policy(folders, str(asked.body.get("root") or "") or None)
    known = keys_now(ledger, policy)
    expires = asked.signed_until(known.at)
    message = asked.statement(expires=expires)
    return sign_with(known, message, least=asked.needs, key=key, home=folders.home) | {"expires": expires}


def signing_with(key: str | None, home: str) -> Callable[[Approvers, bytes, Strength], Signed]:
    """How a grant beside a yes is signed at a terminal."""
    return lambda known, message, least: sign_with(known, message, least=least, key=key, home=home)


def signature_elsewhere(folders: Folders, message: bytes, key: str | None) -> str:
    """A signature for another machine, whose keys are not known here: by the key that is named, or one of ours."""
    if key is not None:
        return _signed(private_half(key), read_public(key), message)
    ledger = Ledger(folders.ledger, front="cli:approver")
    try:
        known = keys_now(ledger, load_policy(folders, None))
    finally:
        ledger.close()
    if not known.keys:
        raise ApprovalError("this needs a signature, and no key is enrolled here; name yours with --key FILE")
    approver, file = _choose(known, Strength.WEAK, None, folders.home)
    return _signed(file, public_key(approver.line), message)


def own_signature(file: str, key: PublicKey, message: bytes) -> str:
    return _signed(file, key, message)


def _choose(known: Approvers, least: Strength, key: str | None, home: str) -> tuple[Approver, str]:
    usable = [one for one in known.keys if one.strength(known.at) >= least]
    if not usable:
        raise ApprovalError(
            f"this needs a signature that is {least} or more, and no key here makes one; see: interlock approver enrol"
        )
    if key is not None:
        line = read_public(key).line
        chosen = next((one for one in usable if one.line == line), None)
        if chosen is None:
            raise ApprovalError(f"the key in `{key}` does not count for this; see: interlock approver list")
        return chosen, private_half(key)
    for one in usable:
        for file in [one.file, *sorted(glob(f"{home}/.ssh/*.pub"))]:
            try:
                if file and read_public(file).line == one.line:
                    return one, private_half(file)
            except InputError:
                continue  # not a key, or gone
    names = ", ".join([one.name for one in usable])
    raise ApprovalError(f"the private key of {names} is not found; name its file with --key")


def read_public(file: str) -> PublicKey:
    """The public key in a `.pub` file, or beside the private one that is named. InputError where there is none."""
    path = os.path.expanduser(file)
    path = path if path.endswith(".pub") else path + ".pub"
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return public_key(stream.read(4096).strip())
    except OSError as error:
        raise InputError(f"`{path}` cannot be read: {error.strerror}") from None


def private_half(file: str) -> str:
    path = os.path.expanduser(file)
    return os.path.abspath(path.removesuffix(".pub"))


def _signed(file: str, key: PublicKey, message: bytes) -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise ApprovalError("ssh-keygen is not installed, and signing needs it (OpenSSH 8.2 or newer)")
    environment = dict(os.environ)
    if key.kind != HARDWARE:
        # An agent that holds the key signs for whoever asks it; the passphrase is what makes this one worth more.
        environment.pop("SSH_AUTH_SOCK", None)
    else:
        click.echo("interlock: touch your security key when it blinks", err=True)
    source = file if os.path.exists(file) else file + ".pub"
    done = subprocess.run(  # noqa: S603 - the person's own ssh-keygen and key
        [program, "-Y", "sign", "-q", "-n", NAMESPACE, "-f", source],
        input=message,
        stdout=subprocess.PIPE,
        env=environment,
        check=False,
    )
    if done.returncode != 0 or not done.stdout:
        raise ApprovalError("nothing was signed: ssh-keygen says why above; nothing was changed")
    return "".join([line for line in done.stdout.decode("ascii").splitlines() if not line.startswith("-----")])
