"""Which program called a hook: hosts that take hooks from the settings of another host send events of their own kind.

A caller is known by its executable, as the system's table of processes has it: not by its name, its arguments or its
variables, which a program chooses itself. Only the process that started the hook's command counts. Between it and
the hook stand at most the shells of our own line. Whatever cannot be told is no listed caller, and the event is judged.
"""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LISTED", "Caller", "caller_above"]


class Caller(Value):
    """
    title   the host, as people call it
    served  the host of `hosts/` whose file knows its events; empty: there is none
    lets    what its answer holds where it lets a call run: key and value
    cure    what keeps it from calling other hosts' hooks
    """

    title: str
    served: str = ""
    lets: tuple[str, str] = ("", "")
    cure: str = ""


LISTED: Mapping[str, Caller] = {
    "grok": Caller(
        title="Grok",
        cure="`hooks = false` below `[compat.claude]` and `[compat.cursor]` in ~/.grok/config.toml",
    ),
    "cursor": Caller(title="Cursor", served="cursor", lets=("permission", "allow")),
}

# Programs of our own lines (`lines.py`), and the shells in which hosts start a line.
_BETWEEN = frozenset(("sh", "dash", "bash", "zsh", "ash", "busybox", "timeout", "coreutils"))
_GUARD = b"/hook/guard.py"
_DEEPEST = 6
_MOST_WORDS = 1 << 16


def caller_above(pid: int) -> str:
    """The listed host that started the command with this process above the hook; empty where it is none.

    INVARIANT: every process that was looked at is still the same one at the end.
    """
    seen: list[tuple[int, bytes]] = []
    for _ in range(_DEEPEST):
        began = _began(pid)
        program = _program(pid)
        if not began or not program:
            return ""
        seen.append((pid, began))
        if not _is_between(program, pid):
            break
        pid = int(began.split()[0])
    else:
        return ""
    name = _listed(program)
    return name if all(_began(at) == began for at, began in seen) and _program(pid) == program else ""


def _listed(program: str) -> str:
    """By the file that runs: `~/.grok/bin/grok-1.0.41`, `…/cursor-agent/versions/2026.09.02/node`."""
    *folders, name = program.split("/")
    if name in ("grok", "grok-native") or (name.startswith("grok-") and _is_version(name[5:])):
        return "grok"
    if name in ("cursor", "cursor-agent") or (name == "node" and folders[-3:-1] == ["cursor-agent", "versions"]):
        return "cursor"
    return ""


def _is_version(text: str) -> bool:
    return text[:1].isdigit() and text.isascii() and text.replace(".", "").replace("-", "").isalnum()


def _is_between(program: str, pid: int) -> bool:
    """A shell with our own line, or what that starts. Any other shell is the caller itself."""
    if program.rpartition("/")[2] not in _BETWEEN:
        return False
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            return _GUARD in file.read(_MOST_WORDS)
    except OSError:
        return False


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def _began(pid: int) -> bytes:
    """The process above and the moment at which this one began: with its number, this and no later process."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            fields = file.read(4096).rpartition(b")")[2].split()
        return fields[1] + b" " + fields[19]
    except (OSError, IndexError):
        return b""
