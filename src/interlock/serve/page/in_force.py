"""The policy as it is in force, and where each part of it comes from."""

from __future__ import annotations

import json

from ...bytes.canon import digest_of_bytes
from ...engine import Engine
from ...policy.model import Policy
from ...policy.parse import parse_policy
from ...policy.toml import policy_to_toml
from ...store.home.policies import beginning_with, is_trusted, load_policy, source_files
from ...store.ledger.ledger import View
from ...store.ledger.rows import open_policy
from ...value import Value

__all__ = ["InForce", "Source", "TomlLine", "in_force", "kept_policy", "known_roots", "toml_lines"]

_MOST_ROOTS = 50
_KNOWN = "SELECT body FROM ledger WHERE kind = 'policy' ORDER BY seq DESC LIMIT ?"


class Source(Value):
    name: str
    file: str
    digest: str
    profile: str
    trusted: bool


class TomlLine(Value):
    """`kind` is table, key, comment or empty."""

    kind: str
    key: str
    rest: str


class InForce(Value):
    root: str
    digest: str
    policy: Policy
    sources: tuple[Source, ...]
    notices: tuple[str, ...]


def in_force(engine: Engine, root: str) -> InForce:
    """As a call in that project would meet it; empty: as one in no project. PolicyError where it cannot be read."""
    folders, given = engine.folders, engine.worlds.given
    policy = load_policy(folders, root or given.root, given.policy, profile=given.profile)
    files = source_files(folders, root or given.root, given.policy)
    if given.profile:
        files = beginning_with(files, given.profile, given.policy or folders.user_policy)
    sources = [
        Source(
            name=name,
            file=file,
            digest=digest_of_bytes(raw),
            profile=parse_policy(raw, name=name, file=file).profile or "",
            trusted=name != "project" or is_trusted(folders, file, raw),
        )
        for name, file, raw in files
    ]
    return InForce(
        root=root, digest=policy.digest, policy=policy, sources=tuple(sources), notices=tuple(policy.notices)
    )


def known_roots(view: View) -> list[str]:
    """Projects in which something was decided lately: the only folders that are looked into for the page."""
    found: dict[str, None] = {}
    for (body,) in view.database.rows(_KNOWN, (_MOST_ROOTS,)):
        root = json.loads(body).get("root")
        if isinstance(root, str) and root:
            found[root] = None
    return sorted(found)


def kept_policy(view: View, digest: str) -> Policy | None:
    """A policy that was in force when something was decided."""
    row = view.find(digest, "policy")
    return None if row is None else open_policy(row)


def toml_lines(policy: Policy) -> list[TomlLine]:
    return [_line(line) for line in policy_to_toml(policy).splitlines()]


def _line(line: str) -> TomlLine:
    if line.startswith("#"):
        return TomlLine(kind="comment", key="", rest=line)
    if line.startswith("["):
        return TomlLine(kind="table", key="", rest=line)
    key, equals, rest = line.partition(" = ")
    if equals and not line.startswith((" ", "]", "}", '"""')):
        return TomlLine(kind="key", key=key, rest=rest)
    return TomlLine(kind="", key="", rest=line)
