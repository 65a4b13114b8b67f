"""The command and the hook in processes of their own that need not start from nothing.

A server imports all of Interlock once and forks for each start: the child has its own streams, folder,
environment, process id and exit code, as any process has, and saves what a cold start pays (0.2 s for the command,
0.08 s for the hook). What is about starting itself (imports, interpreters, limits, signals, broken packages) starts
cold: tests/faults, tests/crash, tests/live.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["command", "hook"]

HERE = Path(__file__)
COMMAND, HOOK = "command", "hook"
_RUNS_WHEN_IMPORTED = {"interlock.hook.guard", "interlock.cli.__main__"}


def command(
    arguments: Sequence[str], *, cwd: Path, stdin: bytes = b"", apart: bool = False, patience: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """`interlock ARGUMENTS`. `apart`: as a person does, see apart.py."""
    return _run(COMMAND, arguments, cwd, dict(os.environ), stdin, apart, patience)


def hook(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: bytes, patience: float
) -> subprocess.CompletedProcess[bytes]:
    """`guard.py ARGUMENTS` of the package here."""
    return _run(HOOK, arguments, cwd, dict(environment), stdin, False, patience)


_idle: dict[str, list[Server]] = {COMMAND: [], HOOK: []}  # threads that run something at once have a server each


def _run(kind: str, *asked: Any) -> subprocess.CompletedProcess[bytes]:
    server = _idle[kind].pop() if _idle[kind] else Server(kind)
    done = server.run(*asked)
    _idle[kind].append(server)  # one that was given up on is used no more
    return done


class Server:
    def __init__(self, kind: str) -> None:
        self.ours, theirs = socket.socketpair()
        with theirs:
            # The hook's own flags; the rest is as `python -m interlock.cli` has it.
            flags = ["-I", "-S"] if kind == HOOK else []
            self.process = subprocess.Popen(
                [sys.executable, *flags, str(HERE), kind, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self.ours.settimeout(300)
        self.ours.recv(1)  # it is ready; until then nobody's patience counts
        owner = os.getpid()
        atexit.register(lambda: self.end() if os.getpid() == owner else None)

    def end(self) -> None:
        self.ours.close()
        self.process.kill()
        self.process.wait()

    def run(
        self, arguments: Sequence[str], cwd: Path, env: dict[str, str], stdin: bytes, apart: bool, patience: float
    ) -> subprocess.CompletedProcess[bytes]:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            asked = json.dumps({"arguments": list(arguments), "cwd": str(cwd), "env": env, "apart": apart}).encode()
            self.ours.settimeout(patience)
            socket.send_fds(self.ours, [b"%8d" % len(asked)], [stream.fileno() for stream in (given, out, err)])
            self.ours.sendall(asked)
            try:
                code = int(self.ours.recv(16))
            except TimeoutError:
                self.end()
                raise
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(list(arguments), code, out.read(), err.read())


# What runs in the server


def _serve(kind: str, number: int) -> None:
    start = {COMMAND: _ready_command, HOOK: _ready_hook}[kind]()
    with socket.socket(fileno=number) as theirs:
        theirs.send(b".")
        while True:
            size, streams, _, _ = socket.recv_fds(theirs, 8, 3)
            if not size:
                return
            asked = json.loads(theirs.recv(int(size), socket.MSG_WAITALL))
            child = os.fork()
            if child == 0:
                theirs.close()
                _become(start, asked, streams)
            for stream in streams:
                os.close(stream)
            theirs.send(b"%16d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _become(start: Callable[[], object], asked: Mapping[str, Any], streams: Sequence[int]) -> None:
    """This process becomes what was asked for, and never returns."""
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update(asked["env"])
        os.chdir(asked["cwd"])
        sys.argv[1:] = asked["arguments"]
        code = _apart(start) if asked["apart"] else _exit_code(start)
    finally:
        os._exit(code)


def _exit_code(start: Callable[[], object]) -> int:
    try:
        start()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _apart(start: Callable[[], object]) -> int:
    from apart import run_apart

    return run_apart(lambda: os._exit(_exit_code(start)))


def _ready_command() -> Callable[[], object]:
    _import_everything()
    from interlock.cli.main import main

    return main


def _ready_hook() -> Callable[[], object]:
    sys.path.insert(0, str(HERE.parent.parent / "src"))
    import interlock.hook.run

    sys.path.pop(0)
    _import_everything()
    guard = Path(interlock.hook.run.__file__).parent / "guard.py"
    code = compile(guard.read_bytes(), str(guard), "exec")
    return lambda: exec(code, {"__name__": "__main__", "__file__": str(guard)})


def _import_everything() -> None:
    import interlock

    package = Path(interlock.__file__).parent
    for path in sorted(package.rglob("*.py")):
        name = ".".join(("interlock", *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")
        if name not in _RUNS_WHEN_IMPORTED:
            with suppress(ImportError):  # the hook goes without what others wrote
                import_module(name)


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
