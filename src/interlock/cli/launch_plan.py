"""What `interlock launch` would start: the program, its words and variables, and whether the hook would hold in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING, Any

from ..hosts import host_named, part_of
from ..install.fragment import ours_in
from ..install.launching import LAUNCHING, cleared_by, holding_settings, refused_words
from ..model.errors import HostError, InputError
from ..store.home.folders import Folders, find_root
from ..store.home.seat import seat_of
from ..value import FrozenMap, Value
from .checkup import file_bytes, settings_in

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Planned", "is_installed", "planned_launch", "rests_on", "write_settings"]

_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")  # the first of them that is there counts


class Planned(Value):
    """
    words        what follows the program's name
    environment  the whole of it
    variables    what was set in it
    cleared      what was taken out of it
    plain        no session begins: nothing is checked or held
    refused      words of the person's that take away what holds, and why
    file, text   the topmost settings file that the client is to read
    """

    host: str
    program: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    variables: Mapping[str, str] = FrozenMap({})
    cleared: tuple[str, ...] = ()
    plain: bool = False
    refused: tuple[tuple[str, str], ...] = ()
    holds: str = ""
    open: str = ""
    file: str = ""
    text: str = ""


def planned_launch(
    folders: Folders, host: str, client: str | None, words: tuple[str, ...], environment: Mapping[str, str]
) -> Planned:
    """InputError where the client must not be started."""
    row, part = LAUNCHING[host], part_of(host, "install")
    cwd = os.path.realpath(os.getcwd())
    program = _program(client or part.PROGRAM, cwd)
    cleared = cleared_by(host, environment)
    kept = {name: value for name, value in environment.items() if name not in cleared}
    if words and words[0] in row.plain:
        return Planned(
            host=host, program=program, words=words, environment=FrozenMap(kept), cleared=tuple(cleared), plain=True
        )
    _check_installed(folders, host, cwd)
    _check_version(host, part, program, kept)
    file, text, is_held = _topmost(folders, host, environment)
    holds = row.holds if row.outranks and is_held else ""
    if not holds:
        _check_repository(host, cwd)
    _check_names(folders, host, cwd)
    variables = {**row.variables, **_instructions(host, cwd)}
    if file:
        variables[row.file] = file
        defaults = os.path.dirname(environment.get(row.file) or _of_machine(host)) + "/system-defaults.json"
        variables[row.defaults] = environment.get(row.defaults) or defaults
    unheld = row.open if holds else "; ".join(filter(None, (row.holds, row.open)))
    return Planned(
        host=host,
        program=program,
        words=(*_own_words(folders, host), *words),
        environment=FrozenMap({**kept, **variables}),
        variables=FrozenMap(variables),
        cleared=tuple([name for name in cleared if name not in variables]),
        refused=tuple(dict.fromkeys(refused_words(host, words))),
        holds=holds,
        open=unheld,
        file=file,
        text=text,
    )


def rests_on(planned: Planned) -> str:
    return "what outranks the repository" if planned.holds else "a look at the repository's files"


def write_settings(folders: Folders, planned: Planned) -> None:
    if not planned.file:
        return
    os.makedirs(os.path.dirname(planned.file), mode=0o700, exist_ok=True)
    beside = f"{planned.file}.{os.getpid()}.new"
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(planned.text)
    os.replace(beside, planned.file)


def is_installed(folders: Folders, host: str) -> bool:
    """Whether settings that are not the repository's name our hook in front of calls."""
    before = part_of(host, "install").BEFORE_CALLS
    return any(before in ours_in(settings_in(host, raw)) for raw in _own_files(folders, host, "/").values())


def _program(name: str, cwd: str) -> str:
    """The client, by its full path; it must not come from the repository."""
    found = shutil.which(name)
    if found is None:
        raise InputError(f"`{name}` was not found; name the program: interlock launch --client PATH")
    found = os.path.abspath(found)
    root = find_root(cwd)
    if root != "/" and (found.startswith(root + "/") or os.path.realpath(found).startswith(root + "/")):
        raise InputError(f"`{found}` lies in the repository, which could have brought its own client: not started")
    return found


def _own_words(folders: Folders, host: str) -> tuple[str, ...]:
    """The words of the table; for Claude Code with the name under which the shield is seated."""
    words = LAUNCHING[host].arguments
    if host != "claude-code" or not (seat := seat_of(folders, "/")).holds:
        return words
    settings = {**json.loads(words[1]), "enabledPlugins": {seat.id: True}}
    return words[0], json.dumps(settings, separators=(",", ":"))


def _own_files(folders: Folders, host: str, root: str) -> dict[str, bytes | None]:
    """The files of the person and of the machine, with what is in them."""
    part = part_of(host, "settings")
    theirs = part.project_files(root)
    files = part.settings_files(root, folders.home, folders.moved)
    return {path: file_bytes(path) for path in files if path not in theirs and not _is_theirs(path, root)}


def _is_theirs(path: str, root: str) -> bool:
    return root != "/" and path.startswith(root + "/")


def _check_installed(folders: Folders, host: str, cwd: str) -> None:
    title = host_named(host).TRAITS.title
    if not is_installed(folders, host):
        raise InputError(f"not started: Interlock's hooks are not installed for {title}; run: interlock install {host}")
    if not os.path.lexists(folders.launcher) and not _is_managed(host):
        raise InputError(f"not started: the launcher `{folders.launcher}` is gone; run: interlock install {host}")
    part, files = part_of(host, "settings"), _own_files(folders, host, find_root(cwd))
    wrong = list(part.unhooks(files, {}))
    wrong += [f"{text} ({cure})" for bad, text, cure in getattr(part, "checked", lambda _: ())(files) if bad]
    if wrong:
        raise InputError("not started, because the check would not be called: " + "; ".join(wrong))


def _of_machine(host: str) -> str:
    """The settings that an administrator gives every user; empty where the host has none."""
    try:
        return str(part_of(host, "install").settings_file("managed", "", "", {}))
    except HostError:
        return ""


def _is_managed(host: str) -> bool:
    file = _of_machine(host)
    return bool(file and ours_in(settings_in(host, file_bytes(file))))


def _check_version(host: str, part: Any, program: str, environment: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - the client that is started next
            [program, "--version"], capture_output=True, timeout=30, check=False, env=dict(environment)
        )
        numbers = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    except (OSError, subprocess.SubprocessError):
        numbers = None
    if numbers is None:
        raise InputError(f"not started: `{program} --version` does not say which version it is")
    version = tuple(map(int, numbers.groups()))
    if version < part.PROVEN:
        shown, proven = (".".join(map(str, one)) for one in (version, part.PROVEN))
        raise InputError(f"not started: version {shown} is older than {proven}, with which it was seen what holds")


def _topmost(folders: Folders, host: str, environment: Mapping[str, str]) -> tuple[str, str, bool]:
    """The settings file that outranks all others, its text, and whether what holds is in force with it."""
    row = LAUNCHING[host]
    if not row.file:
        return "", "", True
    base = environment.get(row.file) or _of_machine(host)
    raw = file_bytes(base)
    try:
        settings = json.loads(raw or b"{}")
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise InputError(f"not started: `{base}`, which outranks all other settings, cannot be read as JSON")
    text = holding_settings(host, settings)
    if text is None:
        raise InputError(f"not started: `{base}`, which outranks all other settings, switches hooks off")
    if json.loads(text) == settings and (not row.roots or _is_roots(base)):
        return "", "", True  # an administrator holds it already
    file = f"{folders.state}/launched/{host}.settings.json"
    if row.roots and not _is_roots(file):
        return "", "", False
    return file, text, True


def _is_roots(path: str) -> bool:
    """Whether root owns the file, if it is there, and each folder above it, and nobody else may write there."""
    at = os.path.realpath(path)
    while True:
        try:
            seen = os.stat(at)
        except OSError:
            seen = None  # not there yet: it will be ours, and we are asked about below
            if os.geteuid() != 0:
                return False
        if seen is not None and (seen.st_uid != 0 or seen.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            return False
        if at == "/":
            return True
        at = os.path.dirname(at)


def _folders_above(cwd: str) -> list[str]:
    """The folder and those above it up to the repository's root: clients look in any of them."""
    root, found = find_root(cwd), [cwd]
    while found[-1] not in (root, "/"):
        found.append(os.path.dirname(found[-1]))
    return found


def _repository_files(host: str, cwd: str) -> dict[str, bytes | None]:
    part = part_of(host, "settings")
    return {path: file_bytes(path) for folder in _folders_above(cwd) for path in part.project_files(folder)}


def _check_repository(host: str, cwd: str) -> None:
    """Nothing outranks the repository here: what it brings must not switch hooks off."""
    wrong = part_of(host, "settings").unhooks(_repository_files(host, cwd), {})
    if wrong:
        raise InputError("not started, because the check would not be called: " + "; ".join(wrong))


def _check_names(folders: Folders, host: str, cwd: str) -> None:
    """A list of hooks by name, which clients join from all layers: nothing outranks it."""
    if host != "gemini-cli":
        return
    names = {
        str(handler.get("name"))
        for raw in _own_files(folders, host, find_root(cwd)).values()
        for entries in ours_in(settings_in(host, raw)).values()
        for _, handler in entries
    }
    for path, raw in _repository_files(host, cwd).items():
        settings = settings_in(host, raw)
        for key in ("hooksConfig", "hooks"):
            table = settings.get(key)
            off = table.get("disabled") if isinstance(table, dict) else None
            if isinstance(off, list) and names.intersection(map(str, off)):
                raise InputError(f"not started: `{path}` switches the check off by its name (`{key}.disabled`)")


def _instructions(host: str, cwd: str) -> dict[str, str]:
    """OpenCode without the project's settings also leaves its instructions out, which are only text: named again."""
    if host != "opencode":
        return {}
    for name in _INSTRUCTIONS:
        found = [f"{folder}/{name}" for folder in _folders_above(cwd) if os.path.isfile(f"{folder}/{name}")]
        if found:
            return {"OPENCODE_CONFIG_CONTENT": json.dumps({"instructions": found}, separators=(",", ":"))}
    return {}
