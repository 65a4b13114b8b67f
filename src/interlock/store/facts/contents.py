"""A short look into a file whose name does not say what is in it: a private key, or settings without a secret.

Only regular files are opened, never a device or a pipe, and nothing of what is seen is kept: the answer is one word.
"""

from __future__ import annotations

import os
import re

from ...limits import MAX_JUDGED_BYTES, MAX_KEY_HEAD_BYTES
from ...model.errors import StoreError
from ...reading.places.paths import folded
from ...reading.places.secret_files import sort_of
from ...value import TYPE_CHECKING, lazy
from ..home.files import read_file

if TYPE_CHECKING:
    from ...bytes.redact import redact
else:
    redact = lazy(globals(), "...bytes.redact", "redact")

__all__ = ["begins_with_key", "holds_settings", "what_is_in"]

_REGULAR, _KIND = 0o100000, 0o170000
# What else private keys begin with: PuTTY's, the first SSH's, age's, and the keystores of Java.
_STARTS = (
    b"PuTTY-User-Key-File-",
    b"SSH PRIVATE KEY FILE FORMAT",
    b"AGE-SECRET-KEY-",
    b"\xfe\xed\xfe\xed",
    b"\xce" * 4,
)


def what_is_in(path: str, at: str) -> str:
    """`key`: it begins with a private key. `plain`: its name is judged, and no secret was found. Else nothing."""
    head = _head(at)
    if head is None:
        return ""
    if begins_with_key(head):
        return "key"
    if not any(sort_of(folded(spelt).split("/")[1:]) == "judged" for spelt in (path, at)):
        return ""
    try:
        raw = read_file(at, limit=MAX_JUDGED_BYTES)
        text = "" if raw is None else raw.decode()
    except (StoreError, UnicodeDecodeError):
        return ""
    return "" if "\0" in text or _holds_secret(text) else "plain"


_SETTING = re.compile(r"\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*=(.*)")


def holds_settings(path: str) -> bool:
    """Whether each line is empty, a comment without a secret, or one setting, whose value ends with the line."""
    try:
        raw = read_file(path, limit=MAX_JUDGED_BYTES)
        text = "" if raw is None else raw.decode()
    except (StoreError, UnicodeDecodeError):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    return not _BREAKS.search(text) and bool(lines) and all(map(_is_setting, lines))


_BREAKS = re.compile(r"[\0\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)")  # where one reader or another ends a line


def _is_setting(line: str) -> bool:
    if line.lstrip()[:1] == "#":
        return not _holds_secret(line)
    setting = _SETTING.fullmatch(line)
    if setting is None:
        return False
    value = setting[1].strip()
    quote = value[:1]
    if quote in ("'", '"', "`"):
        return quote in value[1:]
    return not value.endswith("\\")


def begins_with_key(head: bytes) -> bool:
    """Whether one of the first lines is the header of a private key."""
    if head.startswith(_STARTS):
        return True
    if b"PRIVATE KEY" not in head and b"\nAGE-SECRET-KEY-" not in head:
        return False
    lines = [line.strip(b"\xef\xbb\xbf \t\r") for line in head.split(b"\n")]
    return any(
        (line.startswith((b"-----BEGIN ", b"---- BEGIN ")) and b"PRIVATE KEY" in line)
        or line.startswith(b"AGE-SECRET-KEY-")
        for line in lines
    )


def _holds_secret(text: str) -> bool:
    return redact(text) != text or any(line.strip().lower() == "kind: secret" for line in text.split("\n"))


def _head(at: str) -> bytes | None:
    """The beginning of a regular file."""
    try:
        if os.stat(at).st_mode & _KIND != _REGULAR:
            return None
        fd = os.open(at, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return None
    try:
        return os.read(fd, MAX_KEY_HEAD_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)
