"""Whether the programs of planned commands are what they were when a person gave the plan.

A command's key is made of its words and of the files that it runs: the program where `PATH` or its path leads to, and
the script, of a program that runs whatever it is given. A file outside the project counts with its size and times, or
as one that is not there. One in the project may be built anew by the run; it counts while no call of a session has
written it.
"""

from __future__ import annotations

import os

from ...bytes.canon import digest
from ...model.effects import Effect
from ...model.environment import CAMPAIGN
from ...model.runs_anything import runs_anything
from ...plan.ahead import parts_of
from ...reading.places.system_places import SYSTEM_FOLDERS
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...calls.world import World
    from ...model.action import Line, Reading
    from ...model.call import Call
    from ...model.facts import Facts
    from ...plan.ahead import Part, Planned

    Wrote = Callable[[str], bool]

__all__ = ["given_under", "with_planned"]

_KEY_CHARS = 20
_DIGEST_CHARS = len("sha256:") + 64


def given_under(campaign: str, plan: str) -> str:
    """What a yes to the lines of a plan is kept under: the campaign's policy and the plan, by their digests."""
    return "plan " + digest([campaign[:_DIGEST_CHARS], plan])


def with_planned(line: Line, world: World, call: Call, facts: Facts, reading: Reading, wrote: Wrote | None) -> Line:
    """The line with its planned commands, where a person may have permitted some ahead."""
    campaign, plan = world.environment.get(CAMPAIGN, ""), world.plan
    planned = None if plan is None else plan.policy.planned
    if not campaign or plan is None or plan.plan is None or planned is None:
        return line
    if planned.fault or plan.settings.digest != planned.digest:  # no plan that a person has given to this campaign
        return line
    parts = parts_of(call, reading, facts, plan.plan)
    path = world.environment.get("PATH", os.defpath)
    actions: list[tuple[str, int]] = []
    unclear: list[tuple[str, int]] = []
    changed = _changed_by(reading)
    for part in parts:
        keys = [_key(command, path, part, facts, wrote, changed) for command in part.commands]
        if None in keys:
            continue
        (unclear if part.opaque else actions).extend([(key, part.at) for key in dict.fromkeys(keys) if key])
    if not actions and not unclear:
        return line
    return line.replace(given=given_under(campaign, planned.digest), planned=tuple(actions), unclear=tuple(unclear))


def _key(
    command: Planned, path: str, part: Part, facts: Facts, wrote: Wrote | None, changed: tuple[str, ...] | None
) -> str | None:
    """None where what would run cannot be told, or is changed by a session, this call included."""
    files = _files_run(command, path)
    if part.program and part.program != files[0].rpartition("/")[2]:  # started by the script that is planned
        files.append(_found_on(path, part.program, command.folder))
    if not command.line and (changed is None or any(_may_be(one, file) for one in changed for file in files)):
        return None
    if part.elsewhere and not any(map(_is_elsewhere(facts.root), files)):
        return None
    known = []
    for file in files:
        real = os.path.realpath(file)
        inside = real.startswith(facts.root + "/")
        if inside and any(_is_written(one, facts, wrote) for one in (file, real)):
            return None
        mark = "" if inside else _mark(real)
        known.append([file, real, mark])
    return digest([command.words, command.line, command.folder, known])[len("sha256:") :][:_KEY_CHARS]


def _files_run(command: Planned, path: str) -> list[str]:
    """The program first, by its name alone where there is none of that name."""
    first, folder = str(command.words[0]), command.folder
    program = os.path.join(folder, first) if "/" in first else _found_on(path, first, folder)
    takes_code = runs_anything(first.rpartition("/")[2])
    named = [os.path.join(folder, word) for word in command.words[1:] if word and word[:1] != "-"]
    return [program, *[file for file in named if os.path.isfile(file) and (takes_code or os.access(file, os.X_OK))]]


def _found_on(path: str, name: str, folder: str) -> str:
    for place in path.split(os.pathsep):
        file = os.path.join(folder, place or ".", name)
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    return name


def _is_elsewhere(root: str) -> Callable[[str], bool]:
    """Says of a file that it lies neither in the project nor among the programs of the system."""

    def is_elsewhere(file: str) -> bool:
        real = os.path.realpath(file)
        return not real.startswith(root + "/") and os.path.dirname(real) + "/" not in SYSTEM_FOLDERS

    return is_elsewhere


def _is_written(path: str, facts: Facts, wrote: Wrote | None) -> bool:
    """Whether a session has written the file, or brought the folder that it lies in."""
    if "/" in facts.written or "/" in facts.kept or (wrote is not None and wrote(path)):
        return True
    mine = facts.written | facts.created | facts.kept
    while path.startswith(facts.root + "/"):
        if path in mine or f"{path}/" in mine:
            return True
        path = path.rpartition("/")[0]
    return False


def _changed_by(reading: Reading) -> tuple[str, ...] | None:
    """The files that the call itself writes; None where it changes anything in another way."""
    found: list[str] = []
    for action in reading.actions:
        if Effect.WRITE not in action.effects and Effect.DESTRUCTIVE not in action.effects:
            continue
        path = action.target.get("path")
        if action.name != "fs:write" or type(path) is not str:
            return None
        found += [path, str(action.target.get("real", path))]
    return tuple(found)


def _may_be(written: str, file: str) -> bool:
    """Whether the file written is the one that runs, or one of its name that `PATH` may find instead."""
    return written.rpartition("/")[2] in (file.rpartition("/")[2], os.path.realpath(file).rpartition("/")[2])


def _mark(path: str) -> str:
    """A file as it is, without reading it: nobody sets the time of its last change of any kind."""
    try:
        found = os.stat(path)
    except OSError:
        return "absent"
    return f"{found.st_mode} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
