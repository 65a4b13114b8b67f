"""Who is answering: a person at a terminal, or a program below an agent's host.

An answer counts only from a terminal, and from a process that no agent's host stands above: neither one that
is known by name, nor one that the ledger knows to have started a hook. A program of the same user that leaves the tree
(`setsid -f`, two forks, a tmux of its own) is not stopped by this, so such an answer is weak and is recorded as that;
a signed one is not (docs/approvers.md). The floor refuses the commands that would do it where it sees them.
"""

from __future__ import annotations

import os

from ...value import TYPE_CHECKING, Value
from ..home.files import Descriptor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "HOSTS",
    "Process",
    "ancestors",
    "began",
    "is_below",
    "parent_of",
    "process_of",
    "why_an_agent",
    "why_not_a_person",
]

# Programs that run agents, as the name of a process or of the file that it runs.
HOSTS = frozenset(
    "aider amp auggie claude claude-code cline codex continue copilot crush cursor cursor-agent droid gemini "
    "gemini-cli goose grok kimi kiro-cli opencode openhands plandex qwen qwen-code".split()
)
# Variables that hosts give to everything they start.
_MARKS = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE")
# Programs that run the file they are given. The arguments of any other program are no programs: `tmux -L claude`.
_INTERPRETERS = ("node", "nodejs", "bun", "deno", "python", "pypy", "ruby", "perl", "sh", "bash", "dash", "zsh", "env")
_ENDINGS = (".js", ".mjs", ".cjs", ".py", ".exe")
_DEEPEST = 200


class Process(Value):
    pid: int
    start: int  # in ticks since the machine began; with the number, this and no later process
    names: tuple[str, ...]


def process_of(pid: int) -> tuple[int, int] | None:
    """The process, and when it began; None where that cannot be told."""
    start = began(pid) if pid > 0 else None
    return None if start is None else (pid, start)


def began(pid: int) -> int | None:
    """When a process began; None where that cannot be told."""
    fields = _stat(pid)
    return None if fields is None else fields[2]


def parent_of(pid: int) -> int | None:
    """The process above; None where that cannot be told."""
    fields = _stat(pid)
    return None if fields is None else fields[1]


def is_below(pid: int, process: tuple[int, int]) -> bool:
    """Whether the process is this one or runs somewhere below it, as far as that can be told."""
    at: int | None = pid
    for _ in range(_DEEPEST):
        if at is None or at <= 0:
            return False
        if at == process[0]:
            return began(at) == process[1] and (at != 1 or pid == 1)  # everything runs below the first process
        at = parent_of(at)
    return False


def ancestors(pid: int | None = None) -> list[Process]:
    """The process and everything above it, nearest first."""
    found: list[Process] = []
    at = os.getpid() if pid is None else pid
    while at > 0 and len(found) < _DEEPEST:
        fields = _stat(at) or _asked(at)
        if fields is None:
            break
        name, parent, start = fields
        found.append(Process(pid=at, start=start, names=(name, *_files(at))))
        at = parent
    return found


def why_not_a_person(
    hooks: Iterable[tuple[int, int]], environment: Mapping[str, str], *, asks: bool = True
) -> str | None:
    """None if a person's terminal is at the other end, else why it is not taken for one.

    `hooks` are the processes that started hooks; `asks`: a question is put, so the terminal must show it as well.
    """
    if not os.isatty(0) or (asks and not os.isatty(1)):
        return "it was not given at a terminal"
    return why_an_agent(hooks, environment)


def why_an_agent(hooks: Iterable[tuple[int, int]], environment: Mapping[str, str]) -> str | None:
    """None unless an agent's host stands above this process, or has given it its environment."""
    mark = next((name for name in _MARKS if environment.get(name)), None)
    if mark is not None:
        return f"it comes from inside an agent's host: `{mark}` is set"
    above = ancestors()
    if not above:
        return "the processes above this one cannot be told"
    started = set(hooks)
    for process in above[1:]:
        name = next((name for name in process.names if name in HOSTS), None)
        if name is not None:
            return f"it comes from below an agent's host: process {process.pid}, `{name}`"
        if (process.pid, process.start) in started:
            return f"it comes from below process {process.pid}, which runs an agent: it started the hook of a session"
    return None


def _stat(pid: int) -> tuple[str, int, int] | None:
    """Name, parent and beginning, from the table of processes."""
    try:
        with Descriptor(os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)) as fd:
            raw = os.read(fd, 4096)
        # The name stands in brackets and may hold brackets itself.
        head, _, rest = raw.rpartition(b")")
        name, fields = head.partition(b"(")[2], rest.split()
        return name.decode("utf-8", "replace"), int(fields[1]), int(fields[19])
    except (OSError, ValueError, IndexError):
        return None


def _asked(pid: int) -> tuple[str, int, int] | None:
    """The same where there is no such table: names and parents, no beginnings."""
    if os.path.isdir("/proc/self"):
        return None
    import subprocess

    try:
        told = subprocess.run(  # noqa: S603 - a number of ours
            ["/bin/ps", "-o", "ppid=,comm=", "-p", str(pid)], capture_output=True, check=True, timeout=5
        ).stdout.decode("utf-8", "replace")
        parent, _, name = told.strip().partition(" ")
        return os.path.basename(name.strip()), int(parent), 0
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _files(pid: int) -> tuple[str, ...]:
    """The names of the program and, for an interpreter, of what it runs and of the package that is from."""
    paths = []
    try:
        paths.append(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        pass
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            arguments = file.read(8192).decode("utf-8", "replace").split("\0")[:3]
    except OSError:
        arguments = []
    program, *rest = arguments or [""]
    paths.append(program)
    if any(_runs_files(path) for path in paths):
        paths += [argument for argument in rest if argument and not argument.startswith("-")][:1]
    names = []
    for path in filter(None, paths):
        name = os.path.basename(path)
        names.append(next((name.removesuffix(end) for end in _ENDINGS if name.endswith(end)), name))
        parts = path.split("/node_modules/")
        if len(parts) > 1:  # …/node_modules/@scope/package/cli.js
            names += parts[-1].split("/")[:2]
    return tuple(names)


def _runs_files(path: str) -> bool:
    """Whether it is an interpreter, whatever version its name ends with."""
    return os.path.basename(path).rstrip("0123456789.") in _INTERPRETERS
