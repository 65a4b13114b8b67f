"""Secrets that whoever runs the service keeps in files: read once at the start, never told again.

A file that everybody on the machine can read, or the agent's group can change, keeps nothing secret, so the service
does not start with it. An error names the file and never what is in it.
"""

from __future__ import annotations

import os
import stat

from ..model.errors import InputError, StoreError
from ..store.home.files import read_file

__all__ = ["secret_in"]

_MOST = 4096  # bytes


def secret_in(file: str, what: str, *, base: str = "", least: int = 1) -> str:
    """The text in the file, without what surrounds it. `base`: the folder that a relative name is in."""
    path = os.path.join(base, os.path.expanduser(file))
    try:
        raw = read_file(path, limit=_MOST)
    except StoreError as error:
        raise InputError(f"{what}: {error}") from None
    if raw is None:
        raise InputError(f"{what}: `{path}` is not there")
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & 0o027:  # a group may read it: that is how containers are given theirs
        raise InputError(f"{what}: others can read or change `{path}`; make it yours alone: chmod 600 {path}")
    text = raw.decode("utf-8", "replace").strip()
    if len(text) < least or not text.isprintable() or " " in text:
        raise InputError(f"{what}: `{path}` must hold one line of at least {least} characters, without blanks")
    return text
