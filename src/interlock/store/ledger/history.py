"""Transcripts on the disk, and the file that keeps what was imported from them.

Transcripts are read and never changed. What is kept is a file of its own, redacted, one call a line: it is no part of
the ledger, because nobody decided those calls when they were made.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...bytes.canon import canonical_own
from ...bytes.strict import parse_object
from ...limits import MAX_INPUT_BYTES
from ...model.errors import InputError, StoreError
from ...value import FrozenMap
from ..home.folders import Folders
from .rows import decision_row

__all__ = ["FORMAT", "default_places", "history_line", "keep_history", "lines_of", "read_imported", "transcripts_in"]

FORMAT = "interlock-history-1"
_FIELDS = {"at", "attempt", "body", "format", "outcome", "refused", "source"}


def default_places(folders: Folders) -> tuple[str, ...]:
    """Where Claude Code and Codex keep their transcripts; `CLAUDE_CONFIG_DIR` and `CODEX_HOME` move them."""
    kept = {".claude": "/projects", ".codex": "/sessions"}
    moved = [folder + kept[place] for folder, place in folders.moved.items() if place in kept]
    return (*[f"{folders.home}/{place}{below}" for place, below in kept.items()], *moved)


def transcripts_in(place: str) -> list[str]:
    """The file itself, or all `.jsonl` files below a folder, in the order of their names."""
    if os.path.isfile(place):
        return [place]
    if not os.path.isdir(place):
        raise InputError(f"`{place}` is not there")
    return [
        os.path.join(folder, name)
        for folder, _, names in sorted(os.walk(place))
        for name in sorted(names)
        if name.endswith(".jsonl") and os.path.isfile(os.path.join(folder, name))
    ]


def lines_of(path: str) -> Iterator[bytes | None]:
    """The lines of a file; None for one beyond the limit, of which nothing is kept."""
    try:
        with open(path, "rb") as file:
            while line := file.readline(MAX_INPUT_BYTES + 1):
                if len(line) <= MAX_INPUT_BYTES or line.endswith(b"\n"):
                    yield line
                    continue
                while line and not line.endswith(b"\n"):
                    line = file.readline(MAX_INPUT_BYTES)
                yield None
    except OSError as error:
        raise StoreError(f"`{path}` could not be read: {error.strerror}") from None


def history_line(
    given: Mapping[str, Any],
    receipt: Mapping[str, Any],
    *,
    at: int | None,
    attempt: str,
    source: str,
    outcome: str,
    refused: bool,
) -> bytes:
    """One imported call as a line; `given` is redacted."""
    fixed = {
        "at": at, "attempt": attempt, "format": FORMAT, "outcome": outcome, "refused": refused, "source": source,
    }  # fmt: skip
    return b'{"body":' + decision_row(given, receipt) + b"," + canonical_own(fixed)[1:] + b"\n"


def read_imported(line: bytes, number: int) -> Mapping[str, Any] | None:
    """The row of an imported history in a line; None where it is something else, InputError where it is damaged."""
    data = parse_object(line)
    if data.get("format") is None:
        return None
    if data["format"] != FORMAT or set(data) != _FIELDS or type(data["body"]) is not FrozenMap:
        raise InputError(f"line {number} is not a line of an imported history that this version knows")
    return data


def keep_history(path: str, lines: Iterable[tuple[str, bytes]]) -> int:
    """Puts the lines into the file, each with the session that it belongs to; older lines of those sessions go.

    How many lines the file has then. The new file takes the place of the old one in one step.
    """
    beside = f"{path}.{os.getpid()}.new"
    count = 0
    sessions: set[str] = set()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            for session, line in lines:
                sessions.add(session)
                file.write(line)
                count += 1
            for old in lines_of(path) if os.path.exists(path) else ():
                if old is not None and not _is_of(old, sessions):
                    file.write(old)
                    count += 1
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise StoreError(f"`{path}` could not be written: {error.strerror}") from None
    finally:
        if os.path.exists(beside):
            os.unlink(beside)
    return count


def _is_of(line: bytes, sessions: set[str]) -> bool:
    try:
        data: Any = parse_object(line)
        return data["body"]["receipt"]["call"]["session"] in sessions
    except (InputError, KeyError, TypeError):
        return True  # what cannot be read is not kept on
