"""Which clients were started by `interlock launch`: one small file for each, named by its process.

`interlock launch` becomes the client, so it knows the process that the client will be. A session counts as launched if
every process from the one that called the hook up to the one in the file was started with the same words and carries
the same variables: the system tells both, and they are what holds the hook. So the file alone proves nothing. The
folder is one of ours, which agents are denied; a program of the same user outside the check can write there.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...model.errors import InputError, StoreError
from ...value import TYPE_CHECKING
from ..people.surface import began, parent_of
from .files import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .folders import Folders

__all__ = ["keep_launch", "launches_now", "was_launched"]

_FEW = 4  # processes between the one that was started and the one that calls hooks: a wrapper, a restart
_MAX_BYTES = 1 << 20


def _folder(folders: Folders) -> str:
    return folders.state + "/launched"


def keep_launch(folders: Folders, host: str, words: Sequence[str], variables: Mapping[str, str]) -> None:
    """Notes that this process is about to become the client. `words` follow the program's name."""
    folder = _folder(folders)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _forget_the_dead(folder)
    body = {"host": host, "start": began(os.getpid()), "variables": dict(variables), "words": list(words)}
    beside = f"{folder}/{os.getpid()}.new"
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(canonical(body))
    os.replace(beside, f"{folder}/{os.getpid()}.json")


def launches_now(folders: Folders) -> dict[str, int]:
    """Host -> how many of its clients run that were launched."""
    found: dict[str, int] = {}
    for pid in _noted(_folder(folders)):
        kept = _kept(folders, pid)
        if kept is not None:
            host = str(kept["host"])
            found[host] = found.get(host, 0) + 1
    return found


def was_launched(folders: Folders, host: str, pid: int) -> bool:
    """Whether the process that calls hooks for the host was started by `interlock launch`, and is held as it was."""
    passed = []
    at: int | None = pid
    for _ in range(_FEW):
        if at is None or at <= 1:
            return False
        passed.append(at)
        kept = _kept(folders, at)
        if kept is not None:
            return kept["host"] == host and all(_is_held(one, kept) for one in passed)
        at = parent_of(at)
    return False


def _kept(folders: Folders, pid: int) -> Mapping[str, object] | None:
    """What is noted of the process, if it still is the same one."""
    try:
        raw = read_file(f"{_folder(folders)}/{pid}.json", limit=_MAX_BYTES)
        kept = parse_object(raw or b"{}", limit=_MAX_BYTES)
    except (InputError, StoreError):
        return None
    start = kept.get("start")
    return kept if type(start) is int and began(pid) == start else None


def _is_held(pid: int, kept: Mapping[str, object]) -> bool:
    """Whether the process has the words and the variables of the launch."""
    words, variables = kept.get("words"), kept.get("variables")
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            given = file.read(_MAX_BYTES).decode("utf-8", "replace").split("\0")[:-1]
        with open(f"/proc/{pid}/environ", "rb") as file:
            has = {*file.read(_MAX_BYTES).decode("utf-8", "replace").split("\0")}
    except OSError:
        return False
    if type(words) is not tuple or not hasattr(variables, "items"):
        return False
    before = given[1 : len(given) - len(words)]
    # Before the words there may be the file that an interpreter runs, and how it may use memory.
    is_same = given[len(given) - len(words) :] == [*words] and all(
        word.startswith(("/", "--max-old-space-size=")) or word == "--expose-gc" for word in before
    )
    return is_same and all(f"{name}={value}" in has for name, value in variables.items())


def _noted(folder: str) -> list[int]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdecimal()]


def _forget_the_dead(folder: str) -> None:
    for pid in _noted(folder):
        if began(pid) is None:
            try:
                os.unlink(f"{folder}/{pid}.json")
            except OSError:
                pass
