"""A real PostgreSQL for tests: started in a folder of its own, on a Unix socket, and ended with the run.

The server's programs are those of the machine or of the distribution's packages (`scripts/postgres.sh` installs
them). Where there are none, tests that need them are skipped, and fail where `CI` is set: a run
that silently leaves out an engine proves nothing about it.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Server", "server_programs", "started_server"]


def server_programs() -> Path | None:
    """The folder with `initdb` and `postgres`, the newest where there are several."""
    named = [Path(found).parent for name in ("postgres", "initdb") if (found := shutil.which(name))]
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    return next((path for path in (*named, *packaged) if (path / "initdb").exists()), None)


class Server:
    """One cluster. `postgres` refuses to run as root, so root hands it to another account."""

    def __init__(self, programs: Path, *, fsync: bool = False) -> None:
        self.fsync = fsync
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="ilk-pg-", dir="/tmp"))
        self.account: str | None = None
        if os.getuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.account = "postgres" if "postgres" in names else "nobody"
            entry = pwd.getpwnam(self.account)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.folder.chmod(0o755)
        self.process: subprocess.Popen[bytes] | None = None
        self.settings: dict[str, str] = {}  # over those that every server here has
        self.count = 0
        self._as_owner("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "interlock", "-E", "UTF8", "-N")
        self.start()

    def _as_owner(self, program: str, *arguments: str) -> None:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [str(self.programs / program), *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **self.owner(),
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def owner(self) -> dict[str, Any]:
        if self.account is None:
            return {}
        entry = pwd.getpwnam(self.account)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def start(self) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "120",
            "fsync": "on" if self.fsync else "off",
            **self.settings,
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *options],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                **self.owner(),
            )
        import psycopg

        for _ in range(300):
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self) -> None:
        """At once, as a power cut would."""
        if self.process is not None:
            self.process.send_signal(3)
            self.process.wait(20)
            self.process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        port = f"&port={self.settings['port']}" if "port" in self.settings else ""
        return f"postgresql://interlock@/{database}?host={self.folder}{port}"

    def new_database(self) -> str:
        """The address of an empty database."""
        import psycopg

        self.count += 1
        name = f"t{os.getpid()}_{self.count}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


_started: list[Server] = []


def started_server() -> Server:
    """The one server of this run."""
    if not _started:
        programs = server_programs()
        if programs is None:
            why = "no PostgreSQL server on this machine; install one with: scripts/postgres.sh"
            if os.environ.get("CI"):
                pytest.fail(why)
            pytest.skip(why)
        server = Server(programs)
        owner = os.getpid()
        atexit.register(lambda: server.remove() if os.getpid() == owner else None)
        _started.append(server)
    if _started[0].process is None:
        _started[0].start()
    return _started[0]
