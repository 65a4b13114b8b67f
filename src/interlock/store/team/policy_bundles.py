"""Bundles on this machine: checked, put in force, kept.

What a bundle holds is written as plain files where managed policy is read from, so a hook reads what it always reads
and verifies nothing. Whoever can write there is root, who could change the policy anyway; the keys that sign bundles
are pinned in the same place. A bundle that does not hold changes nothing: the last good one stays in force, and what
was wrong is noted for `interlock doctor` and the start of each session.

    bundle.pub     the public keys, one a line; pinned by whoever sets the machine up
    bundle.json    the bundle in force, as it came
    bundle.state   the highest number seen, when a source was last asked, and what was wrong
"""

from __future__ import annotations

import os
import time

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_BUNDLE_BYTES, MAX_POLICY_BYTES, MAX_STATE_BYTES
from ...model.errors import ApprovalError, InputError, InterlockError, PolicyError, StoreError
from ...record.policy_bundle import KEYS, NAMES, POLICY, pinned_keys, read_bundle, refusal, signer_of
from ...value import TYPE_CHECKING, Value, lazy
from ..home.files import locked, read_file, write_file
from ..home.folders import MANAGED

if TYPE_CHECKING:
    from typing import Any

    from ...bytes.sshsig import PublicKey
    from ...policy.compile import SourceFile
    from ...record.policy_bundle import Bundle
    from ..home.policies import compile_sources, default_file
else:
    compile_sources = lazy(globals(), "..home.policies", "compile_sources")
    default_file = lazy(globals(), "..home.policies", "default_file")

__all__ = [
    "Standing",
    "Taken",
    "bundle_in_force",
    "check_policy",
    "note_trouble",
    "policy_files",
    "standing",
    "take_bundle",
    "told_of_bundle",
    "trusted_keys",
]

_WEEK = 7 * 24 * 3600 * 1000
_OTHERS_WRITE = 0o022
_READABLE = 0o644


class Standing(Value):
    """What `bundle.state` keeps.

    number, digest  of the highest bundle that was seen with a good signature; 0: none
    at              when a source was last asked and gave a bundle that holds, in milliseconds; 0: never
    source          which that was
    trouble         what is wrong since `since`; `away`: no bundle could be had at all
    """

    number: int = 0
    digest: str = ""
    at: int = 0
    source: str = ""
    trouble: str = ""
    since: int = 0
    away: bool = False


class Taken(Value):
    """What taking a bundle did, or would do. `changes` are the files that get another content, or go."""

    bundle: Bundle
    signer: PublicKey
    before: int  # the number in force before; 0: none
    changes: tuple[str, ...] = ()


def _in(name: str) -> str:
    return f"{MANAGED}/{name}"


def trusted_keys() -> tuple[PublicKey, ...]:
    """The pinned keys. StoreError where somebody but root could have written them."""
    for path in (MANAGED, _in(KEYS)):
        try:
            seen = os.stat(path)
        except OSError:
            continue
        if seen.st_uid != 0 or seen.st_mode & _OTHERS_WRITE:
            raise StoreError(
                f"`{path}` can be changed by others than root, so the keys in it are believed in nothing; "
                f"chown root {path}; chmod go-w {path}"
            )
    raw = read_file(_in(KEYS), limit=NAMES[KEYS])
    try:
        return () if raw is None else pinned_keys(raw.decode())
    except (InputError, UnicodeDecodeError) as error:
        raise StoreError(f"`{_in(KEYS)}` cannot be used: {error}") from None


def standing() -> Standing:
    """What is noted. A note that cannot be read is an error: without it an old bundle could come back."""
    raw = read_file(_in("bundle.state"), limit=MAX_STATE_BYTES)
    if raw is None:
        return Standing()
    try:
        wire: Any = parse_object(raw, limit=MAX_STATE_BYTES)
        if any(type(wire[name]) is not type(blank) for name, blank in Standing().as_dict().items()):
            raise InputError("a field is not what it must be")
        return Standing(**{name: wire[name] for name in Standing().as_dict()})
    except (InputError, KeyError, TypeError) as error:
        raise StoreError(f"`{_in('bundle.state')}` cannot be read: {error}; look at it, then remove it") from None


def _keep(noted: Standing) -> None:
    write_file(_in("bundle.state"), canonical(noted.as_dict()) + b"\n", mode=_READABLE)


def bundle_in_force() -> Bundle | None:
    """The bundle that is kept, if its signature holds. InterlockError where it does not."""
    raw = read_file(_in("bundle.json"), limit=MAX_BUNDLE_BYTES)
    if raw is None:
        return None
    bundle = read_bundle(raw)
    signer_of(bundle, trusted_keys())
    return bundle


def check_policy(bundle: Bundle, file: str) -> tuple[str, ...]:
    """What a person should know of its policy; PolicyError where this version of Interlock cannot use it."""
    return compile_sources(policy_files(bundle, file)).notices


def policy_files(bundle: Bundle, file: str) -> tuple[SourceFile, ...]:
    """Its policy as a machine compiles it: over the built-in one. `file` is what people read in messages."""
    base = read_file(default_file(), limit=MAX_POLICY_BYTES)
    if base is None:
        raise StoreError(f"`{default_file()}` is not there")
    return (("default", default_file(), base), ("managed", file, bundle.files[POLICY].encode()))


def take_bundle(raw: bytes, *, source: str, replace: bool = False, dry_run: bool = False) -> Taken:
    """Puts a bundle in force. InterlockError with the reason where it does not hold; nothing has changed then.

    `replace`: a policy that no bundle has put there may be replaced; it is kept beside it.
    """
    bundle = read_bundle(raw)
    signer = signer_of(bundle, trusted_keys())
    if dry_run:
        return _judged(bundle, signer, standing(), replace)
    unlock = locked(_in("bundle.lock"))
    try:
        noted = standing()
        refused = refusal(bundle, noted.number, noted.digest)
        if refused is not None:
            raise ApprovalError(refused)
        if bundle.number > noted.number:  # seen, whether or not this version of Interlock can use it
            noted = noted.replace(number=bundle.number, digest=bundle.digest)
            _keep(noted)
        taken = _judged(bundle, signer, noted, replace)
        _put(bundle, raw, taken)
        now = time.time_ns() // 1_000_000
        _keep(Standing(number=bundle.number, digest=bundle.digest, at=now, source=source))
        return taken
    finally:
        unlock()


def _judged(bundle: Bundle, signer: PublicKey, noted: Standing, replace: bool) -> Taken:
    refused = refusal(bundle, noted.number, noted.digest)
    if refused is not None:
        raise ApprovalError(refused)
    check_policy(bundle, _in(POLICY))
    try:
        before = bundle_in_force()
    except InterlockError:  # damaged: a good one takes its place
        before = None
    if before is not None:  # also where the note was lost
        refused = refusal(bundle, before.number, before.digest)
        if refused is not None:
            raise ApprovalError(refused)
    there = read_file(_in(POLICY), limit=MAX_POLICY_BYTES)
    has_bundle = os.path.lexists(_in("bundle.json"))
    if there not in (None, bundle.files[POLICY].encode()) and not has_bundle and not replace:
        raise ApprovalError(
            f"`{_in(POLICY)}` was not put there by a bundle; --replace keeps it beside the new one and goes on"
        )
    changes = [name for name in bundle.files if not _is_as_in(bundle, name)]
    gone = [] if before is None else [name for name in before.files if name not in bundle.files and name != KEYS]
    number = 0 if before is None else before.number
    return Taken(bundle=bundle, signer=signer, before=number, changes=(*changes, *gone))


def _bytes(name: str) -> bytes | None:
    return read_file(_in(name), limit=MAX_STATE_BYTES)


def _put(bundle: Bundle, raw: bytes, taken: Taken) -> None:
    """Each file in one step, the bundle first: whoever is killed in between leaves a policy that is whole, and a
    difference between the two that is told and that the next run mends.
    """
    if not os.path.lexists(_in("bundle.json")):
        there = _bytes(POLICY)
        if there is not None and POLICY in taken.changes:
            write_file(_in(POLICY + ".before-bundles"), there, mode=_READABLE)
    if _bytes("bundle.json") != raw:
        write_file(_in("bundle.json"), raw, mode=_READABLE)
    for name in taken.changes:
        if name in bundle.files:
            write_file(_in(name), bundle.files[name].encode(), mode=_READABLE)
        else:
            try:
                os.unlink(_in(name))
            except OSError as error:
                raise StoreError(f"`{_in(name)}` could not be removed: {error.strerror}") from None


def note_trouble(text: str, *, away: bool = False) -> None:
    """Keeps what is wrong for whoever looks, and since when. What was noted of numbers stays."""
    unlock = locked(_in("bundle.lock"))
    try:
        noted = standing()
        since = noted.since if noted.trouble and noted.away is away else time.time_ns() // 1_000_000
        _keep(noted.replace(trouble=text[:1000], since=since, away=away))
    finally:
        unlock()


def told_of_bundle(*, at_start: bool = False) -> tuple[str, ...]:
    """What is wrong with the bundle in force or with the last try to get a newer one; nothing where there is none.

    At the start of a session, that a source cannot be reached is said only after a week: laptops travel.
    """
    if not os.path.lexists(_in("bundle.json")) and not os.path.lexists(_in("bundle.state")):
        return ()
    told = []
    try:
        noted = standing()
        now = time.time_ns() // 1_000_000
        if noted.trouble and not (at_start and noted.away and now - noted.since < _WEEK):
            day = time.strftime("%Y-%m-%d", time.gmtime(noted.since / 1000))
            told.append(f"no newer policy bundle was taken since {day}, and the last good one stays: {noted.trouble}")
    except StoreError as error:
        told.append(str(error))
    try:
        bundle = bundle_in_force()
    except PolicyError as error:
        told.append(error.for_people())
    except InterlockError as error:
        told.append(f"the bundle in `{_in('bundle.json')}` does not hold ({error}); the policy that it brought stays")
    else:
        changed = () if bundle is None else [name for name in bundle.files if not _is_as_in(bundle, name)]
        if bundle is not None and changed:
            names = ", ".join([f"`{_in(name)}`" for name in changed])
            cure = f"interlock bundle install {_in('bundle.json')}"
            told.append(f"{names} is not as bundle {bundle.number} says; root can put it back: {cure}")
    return tuple(told)


def _is_as_in(bundle: Bundle, name: str) -> bool:
    return _bytes(name) == bundle.files[name].encode()
