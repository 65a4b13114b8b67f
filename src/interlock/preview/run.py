"""Runs a command in its view, in a process of its own, and brings back what it did there.

The stage is a folder of ours, readable by nobody else: two empty folders for mounts that only the view's own namespace
sees, and the bytes of what the command left. Where this machine cannot make a view, it says which step was refused.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from .. import PACKAGE
from ..model.errors import InputError, InterlockError
from ..store.home.folders import Folders
from ..value import Value
from .below import Mark, marks_below
from .offered import why_not_offered
from .view import Limits, Order, told_inside, why_no_project

__all__ = ["NoPreviewError", "Ran", "new_stage", "run", "why_not_here"]

_SLACK_SECONDS = 120  # beyond the command's own time: the view is built, and what was left is brought out
_PROGRAM = "import sys; sys.path.append({source!r}); from interlock.preview.inside import main; main()"


class NoPreviewError(InterlockError):
    """This machine, or this folder, cannot be previewed on."""

    exit_code = 69


class Ran(Value):
    """
    below    the project just before
    entries  what the command left in the upper layer (left.py)
    told     everything else: exit code, output, what it tried
    masks    what was hidden from it
    stage    where the bytes lie
    """

    order: Order
    below: Mapping[str, Mark]
    entries: tuple[Mapping[str, Any], ...]
    told: Mapping[str, Any]
    masks: tuple[str, ...]
    stage: str


def new_stage(folders: Folders) -> str:
    """A folder for one preview; whoever made it removes it."""
    place = f"{folders.state}/previews"
    os.makedirs(place, mode=0o700, exist_ok=True)
    stage = f"{place}/pv_{secrets.token_hex(6)}"
    os.mkdir(stage, 0o700)
    for name in ("scratch", "root", "bytes"):
        os.mkdir(f"{stage}/{name}", 0o700)
    return stage


def run(order: Order, folders: Folders, stage: str, environment: Mapping[str, str] | None = None) -> Ran:
    """NoPreviewError where it cannot be; the stage is the caller's to remove in any case."""
    why = why_no_project(order.root, folders)
    if why is not None:
        raise NoPreviewError(why)
    if os.path.commonpath([order.root, order.cwd]) != order.root:
        raise InputError(f"`{order.cwd}` is not in the project {order.root}")
    if "\0" in order.command or not order.command.strip():
        raise InputError("there is no command to preview")
    below = marks_below(order.root)
    told: dict[str, Any] = told_inside(order, folders, below, stage, os.environ if environment is None else environment)
    answered = _started(told, order.limits.seconds + _SLACK_SECONDS)
    if "cannot" in answered:
        raise NoPreviewError(f"this machine cannot preview a command: {answered['cannot']}")
    entries = tuple(answered.pop("entries"))
    return Ran(
        order=order,
        below=below,
        entries=entries,
        told=answered,
        masks=tuple(told["masks"]),
        stage=stage,
    )


def _started(told: Mapping[str, object], seconds: float) -> dict[str, Any]:
    why = why_not_offered()
    if why is not None:
        return {"cannot": why}
    source = os.path.dirname(PACKAGE)
    program = [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM.format(source=source)]
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            program, input=json.dumps(told).encode(), capture_output=True, timeout=seconds, cwd="/", env={}, check=False
        )
    except subprocess.TimeoutExpired:
        return {"cannot": "it did not come to an end"}
    try:
        answered: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return {"cannot": f"the view broke down{': ' + last[0] if last else ''}"}
    return answered


def why_not_here(folders: Folders, root: str) -> str | None:
    """Why nothing can be previewed here, found by trying; None where it can."""
    stage = None
    try:
        stage = new_stage(folders)
        ran = run(Order(command="true", root=root, cwd=root, limits=Limits(seconds=10)), folders, stage)
    except (InterlockError, OSError) as error:
        return str(error)
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
    return None if ran.told["exit"] == 0 else "a command that does nothing failed in the view"
