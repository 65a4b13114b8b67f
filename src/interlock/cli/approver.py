"""`interlock approver`: the keys that a person signs answers with."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from typing import Any

import click

from ..approve.statement import change_statement
from ..bytes.sshsig import HARDWARE, PublicKey, public_key
from ..model.errors import ApprovalError, InputError
from ..model.verdict import Strength
from ..policy.model import Policy
from ..record.approvers import ENROL, REMOVE, Approver, Approvers
from ..store.home.folders import MANAGED_POLICY, Folders
from ..store.home.policies import load_policy
from ..store.ledger.ledger import Ledger
from ..store.people.approvers import keep_change, keys_now, needed_to_loosen
from ..store.people.keys_beside import copy_keys
from .commands import pass_folders, project_root, with_home
from .listed import Listed
from .person import require_person, terminal, who
from .rows import moment
from .show import harmless
from .signing import own_signature, private_half, read_public, sign_with

__all__ = ["command"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_yes = click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")


@click.group(cls=Listed)
def command() -> None:
    """Enrol the key that you sign answers with, list the keys that count, remove one.

    An answer that is not signed could come from a program of the agent's user. A key in hardware (strong) or with a
    passphrase (medium) makes sure that it was you. Once one counts, whatever is in tier 3 needs a signature.

    \b
    Examples:
      interlock approver enrol --key ~/.ssh/id_ed25519_sk.pub
      interlock approver list
    """


@command.command()
@click.option("--key", type=click.Path(dir_okay=False), help="The key: its .pub file, the private half beside it.")
@click.option("--new", is_flag=True, help="Make a new key with ssh-keygen: one in hardware, or see --passphrase.")
@click.option("--passphrase", is_flag=True, help="With --new: a key on this machine, with a passphrase, instead.")
@click.option("--name", default="", help="Whose it is. Default: the key's comment.")
@click.option("--by", "old", metavar="KEY", help="The enrolled key that signs for the new one. Default: found.")
@_yes
@_json
@pass_folders
def enrol(
    folders: Folders, key: str | None, new: bool, passphrase: bool, name: str, old: str | None, yes: bool, as_json: bool
) -> int:
    """Enrol a key: an ssh key in hardware (ed25519-sk), or an ed25519 key with a passphrase.

    The first key counts after 24 hours, in which every session says at its start that it is there. A further one is
    signed for by a key that counts already. Keys that managed policy pins count at once.
    """
    if (key is None) != new or (passphrase and not new):
        raise InputError("name a key with --key FILE, or make one with --new")
    policy = load_policy(folders, project_root(None))
    if key is None:
        require_person(folders, f"Make a new key{'' if passphrase else ' in hardware'} and enrol it?", yes=yes)
        file = _new_key(folders, passphrase=passphrase)
        public = read_public(file)
        _check_private(file, public)
        _show(public, file)
    else:
        file = private_half(key)
        public = read_public(file)
        _check_private(file, public)
        _show(public, file)
        require_person(folders, "Enrol this key? It can approve calls in your name.", yes=yes)
    ledger = Ledger(folders.ledger, front="cli:approver")
    try:
        known = keys_now(ledger, policy, to_sign=True)
        if known.by_line(public.line) is not None:
            raise InputError("this key is enrolled already; see: interlock approver list")
        said = name or public.comment or who()
        body = _change(folders, policy, known, ENROL, public.line, said, old)
        body |= {"file": file, "own": own_signature(file, public, _statement(body))}
        with ledger.deciding() as turn:
            after = keep_change(turn, policy, body)
        copy_keys(ledger)
    finally:
        ledger.close()
    enrolled = next(one for one in after.keys if one.line == public.line)
    if as_json:
        click.echo(json.dumps(_facts(enrolled, after)))
        return 0
    click.echo(harmless(f"enrolled: {enrolled.name}, {public.fingerprint}, {enrolled.kind}"))
    if enrolled.since > after.at:
        click.echo(
            f"nobody vouches for it yet, so it counts from {moment(enrolled.since)} on; each session says so until then"
        )
    return 0


command.add_command(enrol, "enroll")


def _show(public: PublicKey, file: str) -> None:
    """The key before anything is asked or signed: whose it says it is, and what to compare it by."""
    kind = "a key in hardware" if public.kind == HARDWARE else "a key with a passphrase"
    comment = f"comment `{public.comment}`" if public.comment else "no comment"
    click.echo(harmless(f"{public.fingerprint}  {kind}, {comment}, {file}"), err=True)


@command.command("list")
@_json
@pass_folders
def list_(folders: Folders, as_json: bool) -> int:
    """List the keys whose signatures are taken, and what they count for now."""
    policy = load_policy(folders, project_root(None))
    known = Approvers()
    if policy.keys or os.path.exists(folders.ledger):
        ledger = Ledger(folders.ledger, front="cli:approver")
        try:
            known = keys_now(ledger, policy)
        finally:
            ledger.close()
    if as_json:
        keys = [_facts(one, known) for one in known.keys]
        needs = needed_to_loosen(policy, known).name
        click.echo(json.dumps({"keys": keys, "tier_3_needs": needs, "ignored": list(known.ignored)}))
        return 0
    for one in known.keys:
        facts = _facts(one, known)
        since = "" if facts["counts_as"] == one.kind.name else f", {one.kind} from {moment(one.since)} on"
        source = "pinned by managed policy" if one.pinned else f"enrolled {moment(one.enrolled)}"
        click.echo(harmless(f"{one.name}  {facts['fingerprint']}  {facts['counts_as']}{since}; {source}"))
    if not known.keys:
        click.echo(with_home("no key is enrolled: answers are weak; see: interlock approver enrol --help"))
    for note in known.ignored:
        click.echo(harmless(f"interlock: {note}"), err=True)
    click.echo(f"tier 3 needs: {needed_to_loosen(policy, known)}")
    return 0


@command.command()
@click.argument("name")
@click.option("--by", "old", metavar="KEY", help="The enrolled key that signs for it. Default: found.")
@_yes
@_json
@pass_folders
def remove(folders: Folders, name: str, old: str | None, yes: bool, as_json: bool) -> int:
    """Remove the key NAME (or its fingerprint). It signs for that itself, or any other key that counts does.

    A key that is lost while no other counts is replaced in managed policy: whatever you could do without a signature, a
    program of yours could do too.
    """
    policy = load_policy(folders, project_root(None))
    ledger = Ledger(folders.ledger, front="cli:approver")
    try:
        known = keys_now(ledger, policy, to_sign=True)
        gone = _one(known, name)
        require_person(folders, f"Remove the key of {harmless(gone.name)}?", yes=yes)
        try:
            body = _change(folders, policy, known, REMOVE, gone.line, gone.name, old, of=gone)
        except ApprovalError as error:
            raise ApprovalError(f"{error}. If the key is lost, pin another one in {MANAGED_POLICY}") from None
        with ledger.deciding() as turn:
            keep_change(turn, policy, body)
        copy_keys(ledger)
    finally:
        ledger.close()
    if as_json:
        removed = {"name": gone.name, "fingerprint": public_key(gone.line).fingerprint}
        click.echo(json.dumps({"removed": removed, "signer": body["signer"], "strength": body["strength"]}))
        return 0
    click.echo(harmless(f"removed: {gone.name}"))
    return 0


def _change(
    folders: Folders,
    policy: Policy,
    known: Approvers,
    change: str,
    line: str,
    name: str,
    old: str | None,
    of: Approver | None = None,
) -> dict[str, Any]:
    """The row of a change, signed by a key that counts, or by the key `of` which it is about and that does not yet."""
    body: dict[str, Any] = {
        "after": known.last,
        "at": known.at,
        "by": who(),
        "change": change,
        "key": line,
        "ledger": known.ledger,
        "name": name,
        "terminal": terminal(),
    }
    if not known.keys:
        return body
    if of is not None and known.strongest is Strength.WEAK:
        itself = known.replace(keys=(of,))
        return body | sign_with(itself, _statement(body), least=Strength.WEAK, key=old, home=folders.home)
    least = max(Strength.MEDIUM, needed_to_loosen(policy, known))
    return body | sign_with(known, _statement(body), least=least, key=old, home=folders.home)


def _statement(body: dict[str, Any]) -> bytes:
    return change_statement(**{field: body[field] for field in ("ledger", "change", "key", "name", "at", "after")})


def _one(known: Approvers, name: str) -> Approver:
    found = [one for one in known.keys if name in (one.name, public_key(one.line).fingerprint)]
    if len(found) != 1:
        what = "no key" if not found else "more than one key"
        raise InputError(f"{what} is called `{name[:60]}`; see: interlock approver list")
    if found[0].pinned:
        raise ApprovalError(f"the key of {found[0].name} is pinned by managed policy, and is removed there")
    return found[0]


def _facts(one: Approver, known: Approvers) -> dict[str, Any]:
    return {
        "name": one.name,
        "key": one.line,
        "fingerprint": public_key(one.line).fingerprint,
        "kind": one.kind.name,
        "counts_as": one.strength(known.at).name,
        "since": moment(one.since) if one.since else None,
        "enrolled": moment(one.enrolled) if one.enrolled else None,
        "pinned": one.pinned,
    }


def _new_key(folders: Folders, *, passphrase: bool) -> str:
    """Makes a key. ssh-keygen asks for the touch or the passphrase."""
    kind = "ed25519" if passphrase else "ed25519-sk"
    file = f"{folders.home}/.ssh/interlock_{kind.replace('-', '_')}"
    if os.path.lexists(file):
        raise InputError(f"`{file}` is there already; enrol it with --key {file}.pub")
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    empty = [] if passphrase else ["-N", ""]  # what protects a key in hardware is the touch
    made = ["ssh-keygen", "-q", "-t", kind, "-C", f"{who()}-approver", *empty, "-f", file]
    if subprocess.run(made, check=False).returncode != 0:  # noqa: S603 - the person's own ssh-keygen
        hint = "" if passphrase else "; without a security key, use: interlock approver enrol --new --passphrase"
        raise ApprovalError(f"no key was made: ssh-keygen says why above{hint}")
    return file


def _check_private(file: str, public: PublicKey) -> None:
    """InputError where a key on this machine can be used without a passphrase, or that cannot be told."""
    if public.kind == HARDWARE:
        return
    try:
        with open(file, encoding="ascii", errors="replace") as stream:
            lines = stream.read(1 << 16).split()
    except OSError:
        raise InputError(
            f"`{file}` is not there: whether the key has a passphrase can only be told from its private half. A key "
            "of another machine is pinned in managed policy"
        ) from None
    raw = b""
    try:
        raw = base64.b64decode("".join(lines[4:-4]))
        cipher = raw[19 : 19 + int.from_bytes(raw[15:19], "big")]
    except ValueError:
        cipher = b""
    if not raw.startswith(b"openssh-key-v1\0") or not cipher:
        raise InputError(f"`{file}` is not an OpenSSH private key; whether it has a passphrase cannot be told")
    if cipher == b"none":
        raise InputError(
            f"`{file}` has no passphrase, so any program of yours can sign with it and it counts as weak; "
            f"give it one: ssh-keygen -p -f {file}"
        )
