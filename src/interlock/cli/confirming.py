"""Which engine hooks run, and a person's word that they run another one: for `install`, `update` and `campaign`."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import Any

import click

from .. import __version__
from ..build import BUILD
from ..hook import residence
from ..hook.client import FOLDER
from ..hosts import HOSTS, host_named
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import StoreError
from ..model.events import Refusal, Tell
from ..store.home.confirmed import make_copy, one_at_a_time, prune
from ..store.home.files import read_file, write_file
from ..store.home.folders import Folders
from ..store.home.launch import (
    DAMAGED,
    OLDER,
    Launcher,
    build_in,
    digest_of_copy,
    digest_of_package,
    is_pinned,
    kept_launcher,
    launcher_text,
    own_package,
    update_command,
)
from ..store.ledger.noted import changed_by_a_person
from ..value import FrozenMap, Value
from .person import terminal, who

__all__ = ["Update", "about_update", "build_here", "put_update", "update_due", "words_for"]

_COPY = "a working copy, not held to its files"


class Update(Value):
    """
    was      what the launcher starts now; None: there is none
    package  what a person is asked to confirm
    version  of its build; empty: a working copy, which hooks start as it is
    sources  its digest
    why      what is wrong with what the launcher starts now, or with the launcher; empty: it is another engine
    """

    was: Launcher | None
    package: str
    version: str
    sources: str
    why: str = ""


def build_here() -> str:
    return BUILD or __version__


def update_due(folders: Folders) -> Update | None:
    """What `install` and `update` change about the engine; None where hooks run this one, as it was confirmed."""
    was, package = kept_launcher(folders), own_package()
    pinned = is_pinned(package)
    sources = digest_of_package(package) if pinned else ""
    update = Update(was=was, package=package, version=build_here() if pinned else "", sources=sources)
    if was is None:
        return update
    if not pinned:
        text = launcher_text(folders, _working(package), ("", ""))
        return None if _bytes(folders.launcher) == text.encode() else update
    if was.version and not was.is_copy:
        return update.replace(why=OLDER.format(new=build_in(was.package)))
    if not was.is_copy or (was.origin, was.sources) != (package, sources) or was.version != update.version:
        return update
    if not os.path.isdir(was.package) or digest_of_copy(was.package) != was.digest:
        return update.replace(why=_damaged(was.package))
    if was.python != sys.implementation.cache_tag:
        return update.replace(why=f"its bytecode is for another Python ({was.python})")
    answers = _answers(folders, was.package)
    text = launcher_text(folders, was, (_answers_file(folders), _digest(answers)))
    if _bytes(folders.launcher) != text.encode() or _bytes(_answers_file(folders)) != answers:
        return update.replace(why="the launcher is not as this version writes it")
    return None


def _working(package: str) -> Launcher:
    return Launcher(package=package, version="", digest="")


def _damaged(folder: str) -> str:
    return DAMAGED.partition("; ")[0].format(folder=os.path.dirname(folder))


def about_update(folders: Folders, update: Update) -> str:
    """What a person reads before they confirm."""
    new = f"{update.package}, {words_for(update.version)}"
    if update.was is None:
        return f"Launcher: {folders.launcher}\n  new: starts {_started(update, new)}"
    was = update.was
    old = f"{was.origin or was.package}, {words_for(was.version)}"
    lines = [f"Launcher: {folders.launcher}", f"  was: starts {'a copy of ' * was.is_copy}{old}"]
    lines += [f"  new: starts {_started(update, new)}"]
    if update.why:
        lines += [f"  why: {update.why}"]
    elif was.is_copy and was.version == update.version and was.sources != update.sources:
        lines += ["  why: the version is the same, and the files are not"]
    return "\n".join(lines)


def _started(update: Update, new: str) -> str:
    return f"a copy of {new}" if update.version else new


def words_for(version: str) -> str:
    return f"version {version}" if version else _COPY


def put_update(folders: Folders, update: Update, *, replaces: bool, key: str = "install") -> None:
    """Makes the copy, and has the launcher start it. What fails leaves hooks with the engine that they have."""
    with one_at_a_time(folders):
        if update.version:
            launcher = make_copy(folders, update.package, update.sources, update.version)
            answers = _answers(folders, launcher.package)
            write_file(_answers_file(folders), answers)
            text = launcher_text(folders, launcher, (_answers_file(folders), _digest(answers)))
        else:
            text = launcher_text(folders, _working(update.package), ("", ""))
        said = {"by": who(), "file": folders.launcher, "terminal": terminal()}
        was = update.was.version if update.was is not None else ""
        trouble = changed_by_a_person(
            folders,
            "override",
            key,
            {**said, "from": was, "to": update.version, "why": f"hooks start version {update.version or __version__}"},
            lambda: write_file(folders.launcher, text.encode()),
            loosens=replaces,
            files=(folders.launcher,),
        )
        prune(folders, update.was.package if update.was is not None else "")
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)
    _end_resident(folders)


def _end_resident(folders: Folders) -> None:
    """The service of the engine before. A hook starts another one."""
    try:
        folder = residence.folder_at(folders.home)
    except OSError:
        return
    try:
        if not residence.end(folder):
            click.echo(f"interlock: the resident service ({folders.home}/{FOLDER}) does not end", err=True)
    finally:
        os.close(folder)


def _answers_file(folders: Folders) -> str:
    return folders.data + "/hook/answers.json"


def _answers(folders: Folders, package: str) -> bytes:
    """What each host is told, for each of its events, while the copy is not as it was confirmed."""
    why = DAMAGED.format(folder=os.path.dirname(package), command=update_command(folders))
    return (json.dumps({name: _answers_of(name, why) for name in HOSTS}, indent=1, sort_keys=True) + "\n").encode()


def _answers_of(name: str, why: str) -> dict[str, Any]:
    host = host_named(name)
    found: dict[str, Any] = {"gated": {}, "passing": {"": [0, "", ""]}}
    for event in ("", *host.settings("", "", ())["hooks"]):
        data = FrozenMap({"hook_event_name": event} if event else {})
        gates = host.gates(data)
        said = host.spoken(data, None, Refusal(reason=why, person=(f"{why}.",)) if gates else Tell(person=(f"{why}.",)))
        found["gated" if gates else "passing"][event] = [said.code, said.stdout.decode(), said.stderr.decode()]
    return found


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _bytes(path: str) -> bytes | None:
    try:
        return read_file(path, limit=MAX_WATCHED_BYTES)
    except StoreError:
        return None
