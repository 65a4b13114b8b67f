"""Makes a folder a git repository in which all of its files are committed, without running git.

Interlock reads a repository from its files (HEAD, refs, objects, settings), and what is committed there counts as the
project's own. So a stage has one: two branches, `main` and `feature`, at the same commit, and a remote `origin`.
Author and time are fixed, so that the same files give the same commit everywhere.
"""

from __future__ import annotations

import hashlib
import os
import zlib

__all__ = ["ORIGIN", "commit_all"]

ORIGIN = "https://git.example/acme/app.git"
_WHO = b"Ann <ann@acme.example> 1700000000 +0000"
_CONFIG = f"""[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[remote "origin"]
\turl = {ORIGIN}
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
"""


def commit_all(root: str) -> str:
    """The id of the commit. The folder must not be a repository yet."""
    place = os.path.join(root, ".git")
    tree = _tree(root, place)
    commit = _kept(place, b"commit", b"tree %s\nauthor %s\ncommitter %s\n\nbegin\n" % (tree.encode(), _WHO, _WHO))
    refs = dict.fromkeys(("refs/heads/main", "refs/heads/feature", "refs/remotes/origin/main"), f"{commit}\n")
    for name, text in {"HEAD": "ref: refs/heads/main\n", "config": _CONFIG, **refs}.items():
        _write(os.path.join(place, name), text.encode())
    return commit


def _tree(folder: str, place: str) -> str:
    rows = []
    for entry in os.scandir(folder):
        if entry.path == place:
            continue
        if entry.is_dir(follow_symlinks=False):
            rows.append((entry.name + "/", b"40000", _tree(entry.path, place)))
        else:
            with open(entry.path, "rb") as file:
                blob = _kept(place, b"blob", file.read())
            rows.append((entry.name, b"100755" if os.access(entry.path, os.X_OK) else b"100644", blob))
    rows.sort(key=lambda row: row[0].encode())  # git sorts folders as if their names ended with a slash
    body = b"".join(
        b"%s %s\0%s" % (mode, name.removesuffix("/").encode(), bytes.fromhex(id)) for name, mode, id in rows
    )
    return _kept(place, b"tree", body)


def _kept(place: str, kind: bytes, body: bytes) -> str:
    raw = b"%s %d\0%s" % (kind, len(body), body)
    id = hashlib.sha1(raw).hexdigest()  # noqa: S324 - it is how git names objects
    _write(os.path.join(place, "objects", id[:2], id[2:]), zlib.compress(raw))
    return id


def _write(path: str, raw: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(raw)
