"""Previews that wait for a person: each is a folder among Interlock's own files, which the floor guards.

It holds the bytes that the command left, and one file that says the rest. What is read back counts only if its changes
have the digest that was shown; each file's bytes are compared with theirs when they are laid down.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from typing import Any

from ..bytes.redact import redact
from ..limits import MAX_PREVIEWS_KEPT
from ..model.errors import InputError, StoreError
from ..store.home.folders import Folders
from ..value import Value
from .below import Mark
from .changes import Change, Changes, Side, digest_of_changes
from .run import Ran
from .view import Limits, Order

__all__ = ["Preview", "every_preview", "forget", "keep", "made_of", "make_room", "one_preview"]

_FILE = "preview.json"


class Preview(Value):
    """
    id        names it, and its folder
    approval  the question that it was made for; empty: a person started it by themselves
    told      exit code, output, what the command tried
    """

    id: str
    order: Order
    found: Changes
    below: Mapping[str, Mark]
    told: Mapping[str, Any]
    masks: tuple[str, ...]
    stage: str
    approval: str = ""

    def as_told(self) -> dict[str, Any]:
        """For a program that asked, and for the page."""
        return {
            "id": self.id,
            "command": self.order.command,
            "root": self.order.root,
            "cwd": self.order.cwd,
            "approval": self.approval or None,
            "digest": self.found.digest,
            "changes": [change.told() for change in self.found.changes],
            "hindrances": list(self.found.hindrances),
            "masked": list(self.masks),
            **{name: self.told.get(name) for name in _TOLD},
        }


_TOLD = (
    "exit",
    "stopped",
    "seconds",
    "output",
    "dropped",
    "reached",
    "ran",
    "not_run",
    "refused",
    "left_running",
    "outside",
)


def made_of(ran: Ran, found: Changes, *, approval: str = "") -> Preview:
    told = {**ran.told, "output": redact(str(ran.told.get("output", "")))}
    return Preview(
        id=os.path.basename(ran.stage),
        order=ran.order,
        found=found,
        below=ran.below,
        told=told,
        masks=ran.masks,
        stage=ran.stage,
        approval=approval,
    )


def keep(preview: Preview) -> None:
    told = {
        "order": {**preview.order.as_dict(), "limits": preview.order.limits.as_dict()},
        "digest": preview.found.digest,
        "changes": [_change_told(change) for change in preview.found.changes],
        "hindrances": preview.found.hindrances,
        "below": preview.below,
        "told": preview.told,
        "masks": preview.masks,
        "approval": preview.approval,
    }
    descriptor = os.open(f"{preview.stage}/{_FILE}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        json.dump(told, file, default=list)


def _change_told(change: Change) -> dict[str, Any]:
    sides = {name: None if side is None else side.as_dict() for name, side in _sides(change)}
    return {**change.as_dict(), **sides}


def _sides(change: Change) -> tuple[tuple[str, Side | None], ...]:
    return (("before", change.before), ("after", change.after))


def every_preview(folders: Folders) -> list[Preview]:
    """Those that can be read, the oldest first."""
    place = f"{folders.state}/previews"
    try:
        names = [name for name in os.listdir(place) if os.path.exists(f"{place}/{name}/{_FILE}")]
    except FileNotFoundError:
        return []
    names.sort(key=lambda name: os.stat(f"{place}/{name}/{_FILE}").st_mtime_ns)
    found = []
    for name in names:
        try:
            found.append(_read(f"{place}/{name}"))
        except StoreError:
            continue
    return found


def one_preview(folders: Folders, id: str) -> Preview:
    """By its name, or the beginning of it."""
    found = [preview for preview in every_preview(folders) if preview.id.startswith(id)] if id else []
    if len(found) != 1:
        many = "more than one preview is called so" if found else "there is no preview of that name"
        raise InputError(f"`{id[:40]}`: {many}; see: interlock preview --list")
    return found[0]


def _read(stage: str) -> Preview:
    path = f"{stage}/{_FILE}"
    try:
        with open(path, encoding="ascii") as file:
            told = json.load(file)
        order = told["order"]
        changes = tuple([_change(change) for change in told["changes"]])
        if digest_of_changes(changes) != told["digest"]:
            raise StoreError(f"{path} was changed after it was written")
        listed = {name: tuple(order[name]) for name in ("shows", "passes")}
        return Preview(
            id=os.path.basename(stage),
            order=Order(**{**order, **listed, "limits": Limits(**order["limits"])}),
            found=Changes(changes=changes, digest=told["digest"], hindrances=tuple(told["hindrances"])),
            below={name: tuple(mark) for name, mark in told["below"].items()},
            told=told["told"],
            masks=tuple(told["masks"]),
            stage=stage,
            approval=told["approval"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from None


def _change(told: Mapping[str, Any]) -> Change:
    sides = {name: None if told[name] is None else _side(told[name]) for name in ("before", "after")}
    return Change(**{**told, **sides})


def _side(told: Mapping[str, Any]) -> Side:
    return Side(**{**told, "attributes": tuple([(name, value) for name, value in told["attributes"]])})


def forget(preview: Preview) -> None:
    shutil.rmtree(preview.stage, ignore_errors=True)


def make_room(folders: Folders) -> None:
    """InputError where too many wait already: nothing that a person may still want is thrown away."""
    if len(every_preview(folders)) >= MAX_PREVIEWS_KEPT:
        raise InputError(f"{MAX_PREVIEWS_KEPT} previews are kept already; discard some: interlock preview --list")
