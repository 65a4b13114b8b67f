"""The nouns of a checkpoint: what lay at each path, and how that is written down.

A checkpoint is one file: the contents, then a manifest that holds a digest of each, then the manifest's length and
digest. The manifest's digest is the checkpoint's name, so it binds every byte, and no clock or chance is in it.
"""

from __future__ import annotations

from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ABSENT",
    "COMMITTED",
    "FILE",
    "FOLDER",
    "LINK",
    "REWRITTEN",
    "Checkpoint",
    "GitHeld",
    "Node",
    "NotHeldError",
    "from_manifest",
    "manifest_of",
]

FILE, FOLDER, LINK, ABSENT = "file", "folder", "link", "absent"
COMMITTED, REWRITTEN = "committed", "rewritten"


class NotHeldError(StoreError):
    """It cannot be held, so it cannot be taken back: the call keeps its tier."""


class Node(Value):
    """What lay at one path when the checkpoint was made.

    path     from the project's root
    mode     permissions; `mtime` is in nanoseconds, `gid` the group
    size     of a file; its content is at `at` in the checkpoint, `sha256` its digest over the extents
    extents  parts of a file that hold data, where others are holes: offset and length; None: all of it
    link     where a link leads; of a file, the path of the node that is the same file by a hard link
    after    what the call leaves at the path: `absent`, `folder`, `git:BLOB`, `sha256:DIGEST` of a file, `link:GOAL`;
             `committed`: as the commit that HEAD is at then has it; `above`: it only lies above what is touched;
             nothing where that is not known
    """

    path: str
    kind: str
    mode: int = 0
    mtime: int = 0
    gid: int = 0
    size: int = 0
    sha256: str = ""
    at: int = 0
    extents: tuple[tuple[int, int], ...] | None = None
    link: str = ""
    after: str = ""


class GitHeld(Value):
    """What a repository says beside its work tree.

    top      the work tree, from the project's root; empty: the root itself
    refs     name -> what it held (an object's name, or `ref: …` for HEAD); empty: there was none
    after    the same once the call has run, for those names of which it is known; `rewritten`: its log tells of one
             step, from what it held to what it holds
    files    files below the git folder that were held as a whole: the index, reflogs; name -> content as a node
    objects  objects that nothing else keeps: name -> offset, length and kind in the checkpoint
    sections parts of the settings that go with a branch
    """

    top: str
    refs: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()
    files: tuple[Node, ...] = ()
    objects: tuple[tuple[str, int, int, str], ...] = ()
    sections: tuple[str, ...] = ()


class Checkpoint(Value):
    """
    id       the digest of the manifest
    root     the project's folder
    session  whose call it was made for; `call` is the digest of that call
    roots    the paths that the call touches, from the project's root
    nodes    what lay there, folders before what is in them
    undoes   the checkpoint that was put back when this one was made
    """

    id: str
    root: str
    session: str
    call: str
    roots: tuple[str, ...]
    nodes: tuple[Node, ...]
    git: tuple[GitHeld, ...] = ()
    undoes: str = ""


_ORDER = ("path", "kind", "mode", "mtime", "gid", "size", "sha256", "at", "extents", "link", "after")


def manifest_of(checkpoint: Checkpoint) -> bytes:
    import json

    wire: dict[str, Any] = {
        "call": checkpoint.call,
        "nodes": [_node_to_wire(node) for node in checkpoint.nodes],
        "root": checkpoint.root,
        "roots": checkpoint.roots,
        "session": checkpoint.session,
        "version": 1,
    }
    if checkpoint.git:
        wire["git"] = [
            {**held.as_dict(), "files": [_node_to_wire(node) for node in held.files]} for held in checkpoint.git
        ]
    if checkpoint.undoes:
        wire["undoes"] = checkpoint.undoes
    return json.dumps(wire, sort_keys=True, separators=(",", ":")).encode("ascii")


def _node_to_wire(node: Node) -> list[Any]:
    return [getattr(node, field) for field in _ORDER]


def from_manifest(raw: bytes, name: str) -> Checkpoint:
    import json

    try:
        wire = json.loads(raw)
        if wire["version"] != 1:
            raise StoreError(f"checkpoint `{name}` was made by a newer version of Interlock")
        return Checkpoint(
            id=name,
            root=wire["root"],
            session=wire["session"],
            call=wire["call"],
            roots=tuple(wire["roots"]),
            nodes=tuple([_node_from_wire(node) for node in wire["nodes"]]),
            git=tuple([_git_from_wire(held) for held in wire.get("git", ())]),
            undoes=wire.get("undoes", ""),
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError(f"checkpoint `{name}` is damaged: {error}") from None


def _node_from_wire(wire: list[Any]) -> Node:
    extents = wire[8]
    if extents is not None:
        wire[8] = tuple([(start, length) for start, length in extents])
    return Node.in_order(*wire)


def _git_from_wire(wire: dict[str, Any]) -> GitHeld:
    return GitHeld(
        top=wire["top"],
        refs=tuple([(name, text) for name, text in wire["refs"]]),
        after=tuple([(name, text) for name, text in wire["after"]]),
        files=tuple([_node_from_wire(node) for node in wire["files"]]),
        objects=tuple([(name, at, length, kind) for name, at, length, kind in wire["objects"]]),
        sections=tuple(wire["sections"]),
    )
