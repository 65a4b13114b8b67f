"""Nothing that a previewed command does changes anything outside its view, whoever runs it."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.preview.calls import FORBIDDEN
from preview_escapes import ATTEMPTS
from previewing import USERS, Project, needs_views, tree_of

pytestmark = needs_views


class Outside:
    """The world as it was before: files, servers, a process, settings of the kernel."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.heard: list[bytes] = []
        self.victim = project.beside
        (self.victim / "file").write_text("untouched")
        project.write("kept.txt", "kept")
        project.write("run.sh", "#!/bin/sh\n", 0o755)
        project.write("sub/inner", "inner")
        project.write(".env", "SECRET")
        (project.root / "was-a-link").symlink_to(self.victim / "file")
        (project.root / "linked-folder").symlink_to(self.victim)
        os.mkfifo(project.root / "pipe", 0o666)
        self.abstract = f"interlock-{os.urandom(4).hex()}"
        self.port = 0
        self.sockets = [self._tcp(), self._unix(f"\0{self.abstract}")]
        self.sockets += [self._unix(str(project.root / "own.sock")), self._unix(str(self.victim / "out.sock"))]
        os.chmod(project.root / "own.sock", 0o777)
        os.chmod(self.victim / "out.sock", 0o777)
        project.owned()
        self.pipe = os.open(project.root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.process = subprocess.Popen([*project.prefix, "-c", "import time; time.sleep(300)"])
        self.before = self.state()

    def _tcp(self) -> socket.socket:
        made = socket.create_server(("127.0.0.1", 0))
        self.port = made.getsockname()[1]
        return self._listening(made)

    def _unix(self, at: str) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.bind(at)
        made.listen()
        return self._listening(made)

    def _listening(self, made: socket.socket) -> socket.socket:
        def listen() -> None:
            while True:
                try:
                    connection, _ = made.accept()
                except OSError:
                    return
                self.heard.append(b"connected")
                connection.close()

        threading.Thread(target=listen, daemon=True).start()
        return made

    def state(self) -> dict[str, object]:
        settings = ("kernel/core_pattern", "kernel/hostname", "vm/overcommit_memory", "fs/file-max")
        return {
            "project": tree_of(self.project.root),
            "victim": tree_of(self.victim),
            "home": sorted(os.listdir(self.project.home)),
            "heard": list(self.heard),
            "lives": self.process.poll() is None,
            "settings": [Path("/proc/sys", name).read_bytes() for name in settings],
            "places": [
                os.path.exists(place) for place in ("/usr/local/owned", "/etc/owned", "/tmp/owned", "/etc/passwd")
            ],
            "key": _has_key(),
            "devices": [_node(f"/dev/{name}") for name in ("null", "zero", "full", "random", "urandom")],
        }

    def close(self) -> None:
        for made in self.sockets:
            made.close()
        os.close(self.pipe)
        self.process.kill()
        self.process.wait()


def _node(path: str) -> tuple[int, int, int, int]:
    found = os.stat(path)
    return found.st_mode, found.st_uid, found.st_gid, found.st_ctime_ns


def _has_key() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if os.uname().machine != "x86_64":
        return False
    return bool(libc.syscall(250, 10, -4, b"user", b"interlock-owned", 0) > 0)


def _piped(pipe: int) -> bytes:
    try:
        return os.read(pipe, 10)
    except BlockingIOError:
        return b""


@pytest.fixture
def outside(project: Project) -> Iterator[Outside]:
    (project.home / ".local/state/interlock").mkdir(parents=True)
    project.owned()
    made = Outside(project)
    yield made
    made.close()


# Each attempt as one of the users in `make test`, as each of them in `make full`.
EVERY = [
    (user, name)
    for at, name in enumerate(ATTEMPTS)
    for user in (USERS if os.environ.get("INTERLOCK_ESCAPES") else USERS[at % len(USERS) :][:1])
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("project", "name"), EVERY, indirect=["project"])
def test_nothing_outside_the_view_changes(outside: Outside, name: str) -> None:
    project = outside.project
    world = {"VICTIM": outside.victim, "PORT": outside.port, "ABSTRACT": outside.abstract, "PID": outside.process.pid}
    given = "".join(
        f"export {key}='{value}'\n" for key, value in {**world, "SOCKET": outside.victim / "out.sock"}.items()
    )
    used = {"seconds": 8, "bytes": 64 << 20, "processes": 100}
    found = project.preview(given + ATTEMPTS[name], limits=used)
    assert outside.state() == outside.before, found["output"]
    assert _piped(outside.pipe) == b""
    assert "SECRET" not in found["output"]
    assert not [change for change in found["changes"] if change["path"].startswith("/")]


def test_no_capability_is_left_and_none_comes_back(project: Project) -> None:
    found = project.preview("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; id -u")
    lines = dict(line.split(":\t") for line in found["output"].splitlines()[:-1])
    assert {value for name, value in lines.items() if name.startswith("Cap")} == {"0" * 16}
    assert (lines["NoNewPrivs"], lines["Seccomp"]) == ("1", "2")


def test_only_its_own_processes_are_there(project: Project) -> None:
    found = project.preview("echo /proc/[0-9]*")
    assert len(found["output"].split()) <= 3


def test_forbidden_calls_fail_and_are_told(project: Project) -> None:
    found = project.preview(ATTEMPTS["keyrings"] + ATTEMPTS["trace the first process"])
    assert found["refused"] == ["add_key", "keyctl", "request_key", "ptrace"]
    assert found["output"].count("Operation not permitted") == 5


def test_the_numbers_of_forbidden_calls_are_those_of_this_kernel() -> None:
    """Compared with the headers of the machine, where it has them."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if os.uname().machine != "x86_64" or not header.exists():
        pytest.skip("this machine has no headers of the kernel for x86_64")
    lines = [line.split() for line in header.read_text().splitlines() if line.startswith("#define __NR_")]
    known = {line[1].removeprefix("__NR_"): int(line[2]) for line in lines}
    assert {name: number for name, (number, _) in FORBIDDEN.items() if known.get(name, number) != number} == {}


def test_nothing_of_the_preview_is_left_among_our_files(project: Project) -> None:
    project.preview("echo x > a")
    assert os.listdir(project.home / ".local/state/interlock/previews") == []


def test_the_view_needs_no_place_that_others_can_write(project: Project) -> None:
    found = project.asked(command="true", keep=True)
    stage = project.home / ".local/state/interlock/previews" / found["id"]
    assert stage.stat().st_mode & 0o777 == 0o700
    assert tempfile.gettempdir() not in str(os.listdir(stage))
