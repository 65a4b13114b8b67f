"""A root folder in which every program is a stub, and a runner that executes commands there.

Nothing of the machine is reachable from inside: the folder is the root of its own namespaces, without a network, and
holds bash, a few text tools, and one small program under all other names, which only logs what it was given.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["HOME", "LEAVES", "PROJECT", "Sandbox", "Unavailable", "available", "executed"]

PROJECT = "/w/d"  # the working folder of every command, inside
HOME = "/home/u"
BATCH = 1000
WORKERS = 2
_SOURCE = Path(__file__).with_name("stub.c")

# Programs that only log: the ones that the commands are about, and their harmless twins.
LEAVES = frozenset(
    "rm curl git dd chmod chown mkfs mkfs.ext4 npm ssh scp wget mv pkill killall shutdown docker kubectl terraform aws "
    "psql pip twine shred truncate crontab systemctl rsync ls wc stat".split()
)
# Programs that log and then work, from the machine, where it has them; and wrappers that the stub plays.
_REAL = (
    "bash sh dash env xargs find base64 printf rev tr xxd cat echo timeout nohup nice setsid true false cut head tail "
    "sort sed tee cp seq basename time flock mkdir touch sleep test expr uniq"
).split()
_PLAYED = ("sudo", "doas", "busybox", "stdbuf", "ionice")
_FOLDERS = ("bin", "real", "cases", "w", "dev", "proc", "home", "etc", "usr", "workers")


class Unavailable(Exception):
    """Why commands cannot be executed here."""


def available(program: str) -> bool:
    return program in _PLAYED or program in LEAVES or shutil.which(program) is not None


class Sandbox:
    def __init__(self, folder: Path) -> None:
        for program in ("gcc", "bash", "ldd"):
            if shutil.which(program) is None:
                raise Unavailable(f"{program} is not installed")
        self.root = folder / "root"
        self.runner = folder / "runner"
        for name in _FOLDERS:
            (self.root / name).mkdir(parents=True)
        for name in ("sbin", "usr/bin", "usr/sbin", "usr/local"):
            (self.root / name).symlink_to("/bin" if name != "usr/local" else "/usr")
        # the home folder of a shell that has no HOME
        (self.root / "etc").mkdir(exist_ok=True)
        (self.root / "etc/passwd").write_text(f"u:x:{os.getuid()}:{os.getgid()}:u:{HOME}:/bin/bash\n")
        (self.root / "home/u").symlink_to("/w/home")
        (self.root / "tmp").symlink_to("/w/tmp")
        (self.root / "dev/null").touch()
        (self.root / "dev/fd").symlink_to("/proc/self/fd")
        (self.root / "dev/stdin").symlink_to("/proc/self/fd/0")
        self._compile()
        for name in (*_REAL, *_PLAYED, *LEAVES):
            if available(name):
                (self.root / "bin" / name).hardlink_to(self.root / "bin/stub")
        for name in _REAL:
            self._bring(name)
        self._try()

    def _compile(self) -> None:
        stub = self.root / "bin/stub"
        for extra in (["-static"], []):
            done = subprocess.run(
                ["gcc", "-O1", *extra, "-o", str(stub), str(_SOURCE)], capture_output=True, check=False, timeout=60
            )
            if done.returncode == 0:
                break
        else:
            raise Unavailable(f"the stub does not compile: {done.stderr.decode()[:300]}")
        shutil.copy(stub, self.runner)
        self._libraries(stub)

    def _bring(self, name: str) -> None:
        found = shutil.which("bash" if name == "sh" else name)  # the same `sh` on every machine
        if found is not None:
            shutil.copy(Path(found).resolve(), self.root / "real" / name)
            self._libraries(Path(found))

    def _libraries(self, program: Path) -> None:
        listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False, timeout=20).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            inside = self.root / library[1:]
            if not inside.exists():
                inside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, inside)

    def _try(self) -> None:
        try:
            logs = self.run(["rm -rf a", "bash -lc 'rm b; env -i rm c; command -p rm d'"])
        except subprocess.SubprocessError as error:
            raise Unavailable(f"namespaces cannot be made: {error}") from error
        wanted = [[["rm", "-rf", "a"]], [["rm", "b"], ["rm", "c"], ["rm", "d"]]]
        leaves = [[call for call in log if call[0] in LEAVES] for log in logs]
        if leaves != wanted:
            raise Unavailable(f"the sandbox does not log what is run: {leaves}")

    def run(self, commands: list[str]) -> list[list[list[str]]]:
        """What each command executed, call by call; a command that takes too long is ended."""
        results: list[list[list[str]]] = []
        for at in range(0, len(commands), BATCH):
            results.extend(self._batch(commands[at : at + BATCH]))
        return results

    def _batch(self, commands: list[str]) -> list[list[list[str]]]:
        for number, command in enumerate(commands):
            (self.root / "cases" / str(number)).write_bytes(command.encode("utf-8", "surrogateescape"))
        share = -(-len(commands) // WORKERS)
        shares = [(first, min(first + share, len(commands))) for first in range(0, len(commands), share)]
        with ThreadPoolExecutor(WORKERS) as pool:
            return [
                log for logs in pool.map(lambda job: self._work(job[0], *job[1]), enumerate(shares)) for log in logs
            ]

    def _work(self, worker: int, first: int, last: int) -> list[list[list[str]]]:
        place = self.root / "workers" / str(worker)
        shutil.rmtree(place, ignore_errors=True)
        for name in ("logs", "old"):
            (place / name).mkdir(parents=True)
        done = subprocess.run(
            [str(self.runner), str(self.root), str(worker), str(first), str(last)],
            capture_output=True,
            check=False,
            timeout=60 + 3 * (last - first),
        )
        if done.returncode != 0:
            raise subprocess.SubprocessError(done.stderr.decode()[:300])
        return [executed(place / "logs" / str(number)) for number in range(first, last)]


def executed(log: Path) -> list[list[str]]:
    """The calls in a log: words that end with NUL, a newline and NUL after the last one."""
    if not log.exists():
        return []
    text = log.read_bytes().decode("utf-8", "surrogateescape")
    return [call.split("\0") for call in text.split("\0\n\0") if call]
