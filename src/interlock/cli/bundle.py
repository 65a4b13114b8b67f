"""`interlock bundle`: the managed policy of many machines as one signed file."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import click

from ..limits import MAX_BUNDLE_BYTES
from ..model.errors import InputError, InterlockError, PolicyError, StoreError
from ..record.policy_bundle import (
    CONTRACTS,
    KEYS,
    POLICY,
    Bundle,
    bundle_bytes,
    checked,
    pinned_keys,
    read_bundle,
    signer_of,
)
from ..store.home.files import read_file, write_file
from ..store.home.folders import MANAGED, Folders
from ..store.team.bundle_sources import bundle_from, publish
from ..store.team.policy_bundles import (
    Taken,
    bundle_in_force,
    check_policy,
    note_trouble,
    policy_files,
    standing,
    take_bundle,
    told_of_bundle,
    trusted_keys,
)
from ..value import FrozenMap
from .commands import pass_folders
from .listed import Listed
from .policy_doubts import policy_doubts
from .rows import moment
from .show import harmless
from .signing import own_signature, private_half, read_public
from .store import address

__all__ = ["command"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_dry = click.option("--dry-run", is_flag=True, help="Check everything, and change nothing.")
_replace = click.option("--replace", is_flag=True, help="Take the place of a policy that no bundle has put there.")
_FILE = click.Path(dir_okay=False)


@click.group(cls=Listed)
def command() -> None:
    """Sign a managed policy as a bundle, publish it, and put it in force on the machines that pin your key.

    A machine takes a bundle whose signature is by a key in /etc/interlock/bundle.pub, and never an older one than it
    has seen. See docs/fleet.md.

    \b
    Examples:
      interlock bundle sign policy.toml --number 7 --key ~/.ssh/id_ed25519_sk.pub --output interlock.bundle
      interlock bundle fetch https://policy.example/interlock.bundle
      interlock bundle show
    """


@command.command()
@click.argument("policy", type=_FILE)
@click.option("--number", type=click.IntRange(1), required=True, help="Its number: higher than any before.")
@click.option("--key", required=True, type=_FILE, help="The key that signs: its .pub file, the private half beside it.")
@click.option("--contracts", type=_FILE, help="A catalogue of contracts for /etc/interlock/contracts.json.")
@click.option("--keys", type=_FILE, help="The keys that sign from now on, one a line; yours has to be among them.")
@click.option("--output", "-o", required=True, type=_FILE, help="Where the bundle is written.")
@_dry
@_json
@pass_folders
def sign(
    folders: Folders,
    policy: str,
    number: int,
    key: str,
    contracts: str | None,
    keys: str | None,
    output: str,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Make a bundle of the managed policy in the file POLICY, and sign it with an ssh key.

    The policy is checked first: what `interlock policy check` refuses is not signed. ssh-keygen asks for the passphrase
    or the touch.
    """
    named = {POLICY: policy, CONTRACTS: contracts, KEYS: keys}
    texts = {name: _text(file) for name, file in named.items() if file is not None}
    bundle = checked(Bundle(number=number, files=FrozenMap(texts)))
    notices = check_policy(bundle, policy)
    seen = policy_doubts(policy_files(bundle, policy), folders)
    if seen.mistakes:
        raise PolicyError(list(seen.mistakes))
    notices += tuple([f"doubt: {doubt}" for doubt in seen.doubts])
    public = read_public(key)
    if KEYS in texts and public.line not in [one.line for one in pinned_keys(texts[KEYS])]:
        raise InputError(f"`{keys}` has to hold the key that signs; take it away with the bundle after this one")
    if not dry_run:
        bundle = bundle.replace(signature=own_signature(private_half(key), public, bundle.message))
        signer_of(bundle, (public,))
        write_file(os.path.abspath(output), bundle_bytes(bundle), mode=0o644)
    said = {**_facts(bundle), "signer": public.fingerprint, "output": None if dry_run else output}
    if as_json:
        click.echo(json.dumps({**said, "notices": notices}))
        return 0
    for notice in notices:
        click.echo(harmless(f"note: {notice}"), err=True)
    done = "nothing was signed (--dry-run)" if dry_run else f"written to {output}"
    click.echo(f"bundle {number}, {bundle.digest}: {done}")
    return 0


@command.command()
@click.argument("file", type=_FILE)
@click.option("--keys", type=_FILE, help="Public keys, one a line, instead of those that this machine pins.")
@_json
def verify(file: str, keys: str | None, as_json: bool) -> int:
    """Check who signed the bundle in FILE, and that this version of Interlock can use its policy."""
    raw = read_file(file, limit=MAX_BUNDLE_BYTES)
    if raw is None:
        raise StoreError(f"`{file}` is not there")
    bundle = read_bundle(raw)
    signer = signer_of(bundle, trusted_keys() if keys is None else pinned_keys(_text(keys)))
    notices = check_policy(bundle, file)
    if as_json:
        said = {**_facts(bundle), "signer": signer.fingerprint, "name": signer.comment, "notices": notices}
        click.echo(json.dumps(said))
        return 0
    click.echo(harmless(f"good: bundle {bundle.number}, signed by {signer.comment or 'a pinned key'}"))
    click.echo(f"  key {signer.fingerprint}, content {bundle.digest}")
    for notice in notices:
        click.echo(harmless(f"  note: {notice}"))
    return 0


@command.command()
@click.argument("file", type=_FILE)
@_replace
@_dry
@_json
@pass_folders
def install(folders: Folders, file: str, replace: bool, dry_run: bool, as_json: bool) -> int:
    """Put the bundle in FILE in force on this machine. It takes root.

    An older bundle than this machine has seen is refused. The same one again puts changed files back.
    """
    raw, source = bundle_from(file, folders)
    taken = take_bundle(raw, source=os.path.abspath(source), replace=replace, dry_run=dry_run)
    _say(taken, dry_run, as_json)
    return 0


@command.command()
@click.argument("source", required=False)
@_replace
@_dry
@click.option("--quiet", is_flag=True, help="Say nothing where nothing is new.")
@_json
@pass_folders
def fetch(folders: Folders, source: str | None, replace: bool, dry_run: bool, quiet: bool, as_json: bool) -> int:
    """Get the newest bundle from SOURCE, https://… or postgresql://…, and put it in force. For a timer; it takes root.

    Without SOURCE it comes from the team store that the policy names. What does not hold changes nothing: the
    last good bundle stays in force, and `interlock doctor` and each session say what was wrong.
    """
    try:
        raw, shown = bundle_from(address(folders, None) if source is None else source, folders)
    except StoreError as error:
        _noted(str(error), dry_run, away=True)
        raise
    try:
        taken = take_bundle(raw, source=shown, replace=replace, dry_run=dry_run)
    except InterlockError as error:
        _noted(str(error), dry_run, away=False)
        raise
    if not (quiet and not taken.changes and taken.before == taken.bundle.number):
        _say(taken, dry_run, as_json)
    return 0


def _noted(text: str, dry_run: bool, *, away: bool) -> None:
    if dry_run:
        return
    try:
        note_trouble(text, away=away)
    except StoreError as error:  # not root, or no such folder: whoever called is told the first error anyway
        click.echo(harmless(f"interlock: {error}"), err=True)


@command.command("publish")
@click.argument("file", type=_FILE)
@click.option("--to", "url", metavar="URL", help="Another store than the one that the policy names.")
@_dry
@_json
@pass_folders
def publish_(folders: Folders, file: str, url: str | None, dry_run: bool, as_json: bool) -> int:
    """Put the bundle in FILE into the team store, where machines fetch it."""
    raw, _ = bundle_from(file, folders)
    bundle = read_bundle(raw)
    check_policy(bundle, file)
    where = address(folders, url)
    if not dry_run:
        publish(where, folders, bundle, raw)
    if as_json:
        click.echo(json.dumps({**_facts(bundle), "published": not dry_run}))
    else:
        click.echo(f"bundle {bundle.number} {'would be' if dry_run else 'is'} published")
    return 0


@command.command()
@_json
def show(as_json: bool) -> int:
    """Show the bundle in force, where it came from, and what is wrong, if anything."""
    noted, troubles = standing(), told_of_bundle()
    try:
        bundle = bundle_in_force()
    except InterlockError:
        bundle = None
    if as_json:
        said: dict[str, Any] = {
            "bundle": None if bundle is None else _facts(bundle),
            "highest_seen": noted.number or None,
            "source": noted.source or None,
            "checked": moment(noted.at) if noted.at else None,
            "keys": [key.fingerprint for key in trusted_keys()],
            "troubles": troubles,
        }
        click.echo(json.dumps(said))
        return 1 if troubles else 0
    if bundle is None:
        click.echo(f"no bundle is in force; pin a key in {MANAGED}/{KEYS}, then: interlock bundle install FILE")
    else:
        click.echo(f"bundle {bundle.number}, {bundle.digest}")
        click.echo(f"  holds {', '.join(bundle.files)}")
        if noted.at:
            hours = max(0, time.time_ns() // 1_000_000 - noted.at) // 3_600_000
            click.echo(harmless(f"  from {noted.source}, asked {moment(noted.at)} ({hours} hours ago)"))
    for trouble in troubles:
        click.echo(harmless(f"  wrong: {trouble}"))
    return 1 if troubles else 0


def _say(taken: Taken, dry_run: bool, as_json: bool) -> None:
    bundle = taken.bundle
    if as_json:
        said = {"before": taken.before or None, "changes": taken.changes, "signer": taken.signer.fingerprint}
        click.echo(json.dumps({**_facts(bundle), **said, "installed": not dry_run}))
        return
    if not taken.changes and taken.before == bundle.number:
        click.echo(f"bundle {bundle.number} is in force already")
        return
    before = f", in the place of bundle {taken.before}" if taken.before not in (0, bundle.number) else ""
    click.echo(f"bundle {bundle.number} {'would be' if dry_run else 'is'} in force{before}")
    for name in taken.changes:
        click.echo(f"  {MANAGED}/{name} {'changes' if name in bundle.files else 'goes'}")


def _facts(bundle: Bundle) -> dict[str, Any]:
    return {"number": bundle.number, "digest": bundle.digest, "files": list(bundle.files)}


def _text(file: str) -> str:
    raw = read_file(file, limit=MAX_BUNDLE_BYTES)
    if raw is None:
        raise StoreError(f"`{file}` is not there")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InputError(f"`{file}` is not UTF-8") from None
