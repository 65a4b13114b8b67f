"""The journal of one apply: what was to be moved where, and how far it was decided. It outlives a killed process.

    prepared   nothing of the project has been touched; what lies beside is thrown away
    decided    everything new is durable: the steps are taken to their end
    done       they were; only what lies beside is left to remove

Whoever works on it holds its lock, so that a second process does not finish what the first one is still doing.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from ..model.errors import StoreError
from ..store.home.files import Descriptor
from ..value import Value

if TYPE_CHECKING:
    from .below import Mark

__all__ = ["Journal", "Step", "journals_left", "moved_with"]

_END = ".journal"


class Step(Value):
    """
    number  by which its files in the folder beside are named: `NUMBER.new`, `NUMBER.old`
    does    `put`, `take` or `mode`
    old     what the command saw at the path, as `below.Mark`; None where nothing was
    mode    before and after, for `mode`
    """

    number: int
    does: str
    path: str
    old: tuple[int, ...] | None = None
    modes: tuple[int, int] = (0, 0)


class Journal:
    def __init__(self, path: str, lock: int | None = None) -> None:
        self.path = path
        self._lock = lock
        self._told: dict[str, Any] = {}

    def begin(self, root: str, steps: Sequence[Step], below: Mapping[str, Mark]) -> str:
        """The name of the folder in the project in which everything new is laid down."""
        self._hold()
        beside = f".interlock-apply-{secrets.token_hex(8)}"
        moved = {step.path for step in steps}
        kept = {name: list(mark) for name, mark in below.items() if not name or moved_with(name, moved) is not None}
        told = [step.as_dict() for step in steps]
        self._told = {"root": root, "beside": beside, "steps": told, "below": kept, "state": "prepared"}
        self._write()
        return beside

    def decide(self) -> None:
        self._told["state"] = "decided"
        self._write()

    def done(self) -> None:
        self._told["state"] = "done"
        self._write()

    def end(self) -> None:
        for path in (self.path, self.path + ".lock"):
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def read(self) -> tuple[str, str, tuple[Step, ...], dict[str, Mark], str]:
        try:
            with open(self.path, encoding="utf-8", errors="surrogateescape") as file:
                told = self._told = json.load(file)
            steps = [
                Step(**{**step, "old": _tuple(step["old"]), "modes": tuple(step["modes"])}) for step in told["steps"]
            ]
            below: dict[str, Any] = {name: tuple(mark) for name, mark in told["below"].items()}
            return told["root"], told["beside"], tuple(steps), below, told["state"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.path} cannot be read: {error}") from None

    def _hold(self) -> None:
        self._lock = os.open(self.path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _write(self) -> None:
        new = self.path + ".new"
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(self._told, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
        with Descriptor(os.open(os.path.dirname(self.path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as folder:
            os.fsync(folder)


def moved_with(name: str, tops: Set[str]) -> str | None:
    """The one of the paths that this one is, or lies below."""
    while name and name not in tops:
        name = name.rpartition("/")[0]
    return name or None


def _tuple(found: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if found is None else tuple(found)


def journals_left(folder: str) -> Iterator[Journal]:
    """Those whose process is gone, each with its lock held."""
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    for name in names:
        if not name.endswith(_END):
            continue
        journal = Journal(f"{folder}/{name}")
        try:
            journal._hold()
        except OSError:  # somebody is at it
            continue
        yield journal
