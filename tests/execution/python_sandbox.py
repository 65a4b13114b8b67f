"""Runs Python programs, each in a process of its own, and says what they were about to do; nothing of it is done.

Python itself tells (`sys.addaudithook`) before it removes, starts or connects, by whatever name it was asked to. The
hook writes it down and refuses.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["main", "watch"]

ACTS = frozenset(
    "os.remove os.rmdir os.rename os.system subprocess.Popen shutil.rmtree os.exec os.posix_spawn os.spawn os.kill "
    "socket.connect os.link os.symlink os.truncate os.chmod os.chown shutil.move shutil.copyfile os.mkdir".split()
)


def watch(programs: list[str], folder: Path) -> list[list[str]]:
    """What each program was about to do, in its order: the event and what it was about."""
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            "import sys; sys.path.insert(0, sys.argv[1]); import python_sandbox as s; s.main()",
            str(Path(__file__).parent),
        ],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def _child(program: str, out: int) -> None:
    import __main__

    def refuse(event: str, args: tuple[object, ...]) -> None:
        if event in ACTS:
            os.write(out, (json.dumps(f"{event} {args[:2]!r}") + "\n").encode())
            raise PermissionError(event)

    names = {"__name__": "__main__", "__builtins__": __main__.__builtins__}
    __main__.__dict__.clear()
    __main__.__dict__.update(names)
    signal.alarm(3)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    sys.addaudithook(refuse)
    exec(compile(program, "<program>", "exec"), __main__.__dict__)


def _run(program: str) -> list[str]:
    import atexit

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _child(program, writing)
        except BaseException as error:
            sys.excepthook(type(error), error, None) if sys.excepthook is not sys.__excepthook__ else None
        atexit._run_exitfuncs()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        found = [json.loads(line) for line in lines]
    os.waitpid(child, 0)
    return found


def main() -> None:
    print(json.dumps([_run(program) for program in json.load(sys.stdin)]))
