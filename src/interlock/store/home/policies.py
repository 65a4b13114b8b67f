"""Finds the policy files, and loads the policy in force from them or from the compiled cache.

The cache is keyed by the engine's version and the digest of every source's bytes and trust, so
a changed file is never answered from it; a cache that cannot be read is as good as none. It is
lines, not one text, so that a call reads only those of its rules that it may meet.
"""

from __future__ import annotations

import os

from ... import PACKAGE, __version__
from ...build import BUILD
from ...bytes.canon import canonical, digest, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_POLICY_BYTES, MAX_PROJECT_POLICY_BYTES, MAX_STATE_BYTES
from ...model.environment import CAMPAIGN
from ...model.errors import InterlockError, PolicyError, Problem, StoreError, printable
from ...policy.wire import compiled_lines, policy_from_lines
from ...value import TYPE_CHECKING, lazy
from ..clock import knows_zone
from .files import DISK, read_derived, write_derived, write_file
from .folders import MANAGED_POLICY, PROJECT_POLICY

if TYPE_CHECKING:
    from ...policy.compile import SourceFile, broken_policy, compile_policy
    from ...policy.meaning import doubts_of
    from ...policy.model import Policy
    from ...policy.parse import Source, parse_policy
    from .files import Disk
    from .folders import Folders
else:
    broken_policy = lazy(globals(), "...policy.compile", "broken_policy")
    compile_policy = lazy(globals(), "...policy.compile", "compile_policy")
    doubts_of = lazy(globals(), "...policy.meaning", "doubts_of")
    parse_policy = lazy(globals(), "...policy.parse", "parse_policy")

__all__ = [
    "beginning_with",
    "compile_sources",
    "default_file",
    "is_trusted",
    "load_policy",
    "load_policy_or_faults",
    "own_sources",
    "profile_files",
    "read_trust",
    "source_files",
    "with_profiles",
    "write_trust",
]


_MOST_KNOWN = 64  # policies that one process keeps: one for each project, or an attacker's many
_DIGEST_CHARS = len("sha256:") + 64
_OTHER_CAMPAIGN = "this is not the policy that the campaign was started with; start it again: interlock campaign run"
_MOST_NOTICES = 5  # about names in policy files; `policy check` tells all


def default_file() -> str:
    return os.path.join(PACKAGE, "policy", "default.toml")


def profile_files(disk: Disk = DISK) -> tuple[SourceFile, ...]:
    """The profiles that come with Interlock. Whichever cannot be read is left out; naming it is an error then."""
    from ...policy.schema import PROFILES

    folder = os.path.join(os.path.dirname(default_file()), "profiles")
    found = []
    for name in PROFILES[1:]:
        path = os.path.join(folder, f"{name}.toml")
        raw = disk.read(path, limit=MAX_POLICY_BYTES)
        if raw is not None:
            found.append((f"profile:{name}", path, raw))
    return tuple(found)


def with_profiles(files: tuple[SourceFile, ...], disk: Disk = DISK) -> tuple[SourceFile, ...]:
    """The files, with the profiles right above the default if one of the others may name one."""
    if any(name != "default" and b"profile" in raw for name, _, raw in files):
        return files[:1] + profile_files(disk) + files[1:]
    return files


def compile_sources(files: tuple[SourceFile, ...], *, project_trusted: bool = False) -> Policy:
    """The policy of these files, with what this machine knows: the profiles, and the zones of time windows."""
    return compile_policy(with_profiles(files), project_trusted=project_trusted, knows_zone=knows_zone)


def source_files(
    folders: Folders, root: str | None, policy_file: str | None = None, campaign: str = "", disk: Disk = DISK
) -> tuple[SourceFile, ...]:
    """The files there are, weakest first. A file that is given takes the place of user and project.

    `campaign` names one more, `sha256:…:/its/path`, which only tightens. A run is held to it as it was at its start:
    one that is gone or has another content is an error.
    """
    found = []
    began_with, campaign_file = campaign[:_DIGEST_CHARS], campaign[_DIGEST_CHARS + 1 :]
    if campaign and not campaign_file.startswith("/"):
        raise PolicyError([Problem(file=CAMPAIGN, line=1, column=1, text="it names no policy: `sha256:…:/its/path`")])
    for name, path in _wanted(folders, root, policy_file, campaign_file):
        raw = _read(name, path, disk)
        if raw is not None and name == "campaign" and digest_of_bytes(raw) != began_with:
            raise PolicyError([Problem(file=path, line=1, column=1, text=_OTHER_CAMPAIGN)])
        if raw is not None:
            found.append((name, path, raw))
        elif name in ("default", "campaign") or path == policy_file:
            raise PolicyError([Problem(file=path, line=1, column=1, text="the file is not there")])
    return tuple(found)


def beginning_with(files: tuple[SourceFile, ...], profile: str, user: str) -> tuple[SourceFile, ...]:
    """The files, the user's with this profile where it names none. Where there is no such file, the profile alone."""
    at = next((i for i, (name, _, _) in enumerate(files) if name == "user"), None)
    if at is None:
        alone = ("user", user, f'version = 1\nprofile = "{profile}"\n'.encode())
        at = next((i for i, (name, _, _) in enumerate(files) if name == "project"), len(files))
        return (*files[:at], alone, *files[at:])

    name, file, raw = files[at]
    if parse_policy(raw, name=name, file=file).profile is not None:
        return files
    lines = raw.split(b"\n")
    first = next((i for i, line in enumerate(lines) if line.lstrip().startswith(b"[")), len(lines))
    for i in range(first):
        if lines[i].lstrip().startswith(b"version"):
            lines.insert(i + 1, f'profile = "{profile}"'.encode())
            break
    return (*files[:at], (name, file, b"\n".join(lines)), *files[at + 1 :])


def _read(name: str, path: str, disk: Disk) -> bytes | None:
    return disk.read(path, limit=MAX_PROJECT_POLICY_BYTES if name in ("project", "campaign") else MAX_POLICY_BYTES)


def _wanted(folders: Folders, root: str | None, policy_file: str | None, campaign: str) -> list[tuple[str, str]]:
    wanted = [("default", default_file()), ("managed", MANAGED_POLICY)]
    if policy_file is not None:
        return [*wanted, ("user", policy_file)]
    wanted.append(("user", folders.user_policy))
    if root is not None:
        wanted.append(("project", os.path.join(root, PROJECT_POLICY)))
    if campaign:
        wanted.append(("campaign", campaign))
    return wanted


def load_policy(
    folders: Folders,
    root: str | None,
    policy_file: str | None = None,
    known: dict[str, Policy] | None = None,
    campaign: str = "",
    disk: Disk = DISK,
    profile: str = "",
) -> Policy:
    """The policy in force; PolicyError or StoreError where it cannot be had.

    `known` are policies that this process has loaded before, by what they were made from: the files are read anew each
    time, and a changed one is never answered from it.
    """
    files = source_files(folders, root, policy_file, campaign, disk)
    if profile:
        files = beginning_with(files, profile, policy_file or folders.user_policy)
    trusted = _project_trust(folders, files, disk)
    whole = with_profiles(files, disk)
    key = digest([__version__, BUILD, trusted, *([name, file, digest_of_bytes(raw)] for name, file, raw in whole)])
    cache = f"{folders.cache}/policy-{key[len('sha256:') :]}.json"
    policy = None if known is None else known.get(key)
    if policy is not None:
        return policy
    policy = _from_cache(cache) or _compiled(files, trusted, cache)
    if known is not None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[key] = policy
    return policy


def _compiled(files: tuple[SourceFile, ...], trusted: str, cache: str) -> Policy:
    policy = _with_mistakes(compile_sources(files, project_trusted=trusted == "trusted"), files)
    if trusted == "changed":
        changed = next(file for name, file, _ in files if name == "project")
        notice = (
            f"{changed} has changed since it was trusted, so it only tightens now; look at it, then: interlock trust"
        )
        policy = policy.replace(notices=(notice, *policy.notices))
    write_derived(cache, b"\n".join(compiled_lines(policy)))
    return policy


def own_sources(files: tuple[SourceFile, ...]) -> list[Source]:
    """Those that somebody wrote, parsed."""
    return [parse_policy(raw, name=name, file=file) for name, file, raw in files if name != "default"]


def _with_mistakes(policy: Policy, files: tuple[SourceFile, ...]) -> Policy:
    """The policy with a notice for each name in its files that nothing has. Once for each content: it is slow."""
    found = [mistake for source in own_sources(files) for mistake in doubts_of(source, policy, "").mistakes]
    if not found:
        return policy
    notices = tuple([printable(f"{mistake}; see: interlock policy check") for mistake in found[:_MOST_NOTICES]])
    return policy.replace(notices=(*policy.notices, *notices))


def load_policy_or_faults(
    folders: Folders,
    root: str | None,
    policy_file: str | None = None,
    known: dict[str, Policy] | None = None,
    campaign: str = "",
    disk: Disk = DISK,
    profile: str = "",
) -> Policy:
    """As load_policy, for those who must answer anyway: a broken policy lets only reads pass."""
    try:
        return load_policy(folders, root, policy_file, known, campaign, disk, profile)
    except PolicyError as error:
        faults = tuple(str(problem) for problem in error.problems)
    except StoreError as error:
        faults = (str(error),)

    return broken_policy(with_profiles(_readable_files(folders, root, policy_file, disk), disk), faults)


def _readable_files(folders: Folders, root: str | None, policy_file: str | None, disk: Disk) -> tuple[SourceFile, ...]:
    """Those of the files that can be read at all."""
    found = []
    for name, path in _wanted(folders, root, policy_file, ""):
        try:
            raw = _read(name, path, disk)
        except StoreError:
            continue
        if raw is not None:
            found.append((name, path, raw))
    return tuple(found)


def _from_cache(path: str) -> Policy | None:
    try:
        body = read_derived(path, limit=MAX_STATE_BYTES)
        return None if body is None else policy_from_lines(body.split(b"\n"))
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError):
        return None


def read_trust(folders: Folders, disk: Disk = DISK) -> dict[str, str]:
    """Project file -> the digest that a person trusted."""
    raw = disk.read(folders.trust, limit=MAX_STATE_BYTES)
    if raw is None:
        return {}
    trusted = parse_object(raw, limit=MAX_STATE_BYTES)
    return {path: value for path, value in trusted.items() if type(value) is str}


def write_trust(folders: Folders, trust: dict[str, str]) -> None:
    write_file(folders.trust, canonical(trust) + b"\n")


def is_trusted(folders: Folders, file: str, raw: bytes) -> bool:
    return read_trust(folders).get(os.path.realpath(file)) == digest_of_bytes(raw)


def _project_trust(folders: Folders, files: tuple[SourceFile, ...], disk: Disk) -> str:
    """`none`, `untrusted`, `changed` or `trusted`."""
    for name, file, raw in files:
        if name == "project":
            try:
                known = read_trust(folders, disk).get(disk.real(file))
            except InterlockError:
                return "untrusted"
            if known is None:
                return "untrusted"
            return "trusted" if known == digest_of_bytes(raw) else "changed"
    return "none"
