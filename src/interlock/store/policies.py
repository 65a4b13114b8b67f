"""Finds the policy files, and loads the policy in force from them or from the compiled cache.

The cache is keyed by the engine's version and the digest of every source's bytes and trust, so
a changed file is never answered from it; a cache that cannot be read is as good as none.
"""

from __future__ import annotations

import os

from .. import __version__
from ..errors import InterlockError, PolicyError, Problem, StoreError
from ..limits import MAX_POLICY_BYTES, MAX_STATE_BYTES
from ..policy.wire import policy_from_wire, policy_to_wire
from ..record.canon import canonical, digest, digest_of_bytes
from ..record.strict import parse_object
from ..value import TYPE_CHECKING
from .files import read_file, write_file
from .folders import MANAGED_POLICY, PROJECT_POLICY

if TYPE_CHECKING:
    from ..policy.compile import SourceFile
    from ..policy.model import Policy
    from .folders import Folders

__all__ = [
    "default_file",
    "is_trusted",
    "load_policy",
    "load_policy_or_faults",
    "read_trust",
    "source_files",
    "write_trust",
]


def default_file() -> str:
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "policy", "default.toml")


def source_files(folders: Folders, root: str | None, policy_file: str | None = None) -> tuple[SourceFile, ...]:
    """The files there are, weakest first. A file that is given takes the place of user and project."""
    found = []
    for name, path in _wanted(folders, root, policy_file):
        raw = read_file(path, limit=MAX_POLICY_BYTES)
        if raw is not None:
            found.append((name, path, raw))
        elif name == "default" or path == policy_file:
            raise PolicyError([Problem(file=path, line=1, column=1, text="the file is not there")])
    return tuple(found)


def _wanted(folders: Folders, root: str | None, policy_file: str | None) -> list[tuple[str, str]]:
    wanted = [("default", default_file()), ("managed", MANAGED_POLICY)]
    if policy_file is not None:
        return [*wanted, ("user", policy_file)]
    wanted.append(("user", folders.user_policy))
    if root is not None:
        wanted.append(("project", os.path.join(root, PROJECT_POLICY)))
    return wanted


def load_policy(folders: Folders, root: str | None, policy_file: str | None = None) -> Policy:
    """The policy in force; PolicyError or StoreError where it cannot be had."""
    files = source_files(folders, root, policy_file)
    trusted = _project_trust(folders, files)
    key = digest([__version__, trusted, *([name, file, digest_of_bytes(raw)] for name, file, raw in files)])
    cache = f"{folders.cache}/policy-{key[len('sha256:') :]}.json"
    policy = _from_cache(cache)
    if policy is not None:
        return policy
    from ..policy.compile import compile_policy

    policy = compile_policy(files, project_trusted=trusted == "trusted")
    if trusted == "changed":
        changed = next(file for name, file, _ in files if name == "project")
        notice = (
            f"{changed} has changed since it was trusted, so it only tightens now; look at it, then: interlock trust"
        )
        policy = policy.replace(notices=(notice, *policy.notices))
    _to_cache(cache, policy)
    return policy


def load_policy_or_faults(folders: Folders, root: str | None, policy_file: str | None = None) -> Policy:
    """As load_policy, for those who must answer anyway: a broken policy lets only reads pass."""
    try:
        return load_policy(folders, root, policy_file)
    except PolicyError as error:
        faults = tuple(str(problem) for problem in error.problems)
    except StoreError as error:
        faults = (str(error),)
    from ..policy.compile import broken_policy

    return broken_policy(_readable_files(folders, root, policy_file), faults)


def _readable_files(folders: Folders, root: str | None, policy_file: str | None) -> tuple[SourceFile, ...]:
    """Those of the files that can be read at all."""
    found = []
    for name, path in _wanted(folders, root, policy_file):
        try:
            raw = read_file(path, limit=MAX_POLICY_BYTES)
        except StoreError:
            continue
        if raw is not None:
            found.append((name, path, raw))
    return tuple(found)


def _from_cache(path: str) -> Policy | None:
    try:
        raw = read_file(path, limit=MAX_STATE_BYTES)
        if raw is None:
            return None
        checksum, _, body = raw.partition(b"\n")
        if digest_of_bytes(body).encode() != checksum:
            return None
        data = parse_object(body, limit=MAX_STATE_BYTES)
        return policy_from_wire(data["policy"], digest=data["digest"], notices=data["notices"])  # type: ignore[arg-type]
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _to_cache(path: str, policy: Policy) -> None:
    body = canonical({"digest": policy.digest, "notices": policy.notices, "policy": policy_to_wire(policy)})
    try:
        write_file(path, digest_of_bytes(body).encode() + b"\n" + body, durable=False)
    except StoreError:
        pass  # slower next time, and nothing else


def read_trust(folders: Folders) -> dict[str, str]:
    """Project file -> the digest that a person trusted."""
    raw = read_file(folders.trust, limit=MAX_STATE_BYTES)
    if raw is None:
        return {}
    trusted = parse_object(raw, limit=MAX_STATE_BYTES)
    return {path: value for path, value in trusted.items() if type(value) is str}


def write_trust(folders: Folders, trust: dict[str, str]) -> None:
    write_file(folders.trust, canonical(trust) + b"\n")


def is_trusted(folders: Folders, file: str, raw: bytes) -> bool:
    return read_trust(folders).get(os.path.realpath(file)) == digest_of_bytes(raw)


def _project_trust(folders: Folders, files: tuple[SourceFile, ...]) -> str:
    """`none`, `untrusted`, `changed` or `trusted`."""
    for name, file, raw in files:
        if name == "project":
            try:
                known = read_trust(folders).get(os.path.realpath(file))
            except InterlockError:
                return "untrusted"
            if known is None:
                return "untrusted"
            return "trusted" if known == digest_of_bytes(raw) else "changed"
    return "none"
