"""A real pgbouncer in front of the tests' PostgreSQL, which lends a connection for one transaction at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import pytest

from postgres_server import Server

__all__ = ["Pooler"]

_SETTINGS = """[databases]
* = host={server} user=interlock
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
unix_socket_mode = 0777
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
ignore_startup_parameters =
"""


def _program() -> str:
    found = shutil.which("pgbouncer") or ("/usr/sbin/pgbouncer" if os.path.exists("/usr/sbin/pgbouncer") else None)
    if found is None:
        why = "no pgbouncer on this machine; install it with: scripts/postgres.sh"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    return found


class Pooler:
    """`with Pooler(server) as pooler:` and `pooler.url(url)`, the same database through it."""

    def __init__(self, server: Server, *, mode: str = "transaction", size: int = 3) -> None:
        self.server = server
        self.program = _program()
        self.folder = Path(tempfile.mkdtemp(prefix="ilk-pool-", dir="/tmp"))
        self.folder.chmod(0o777)
        settings = self.folder / "settings.ini"
        settings.write_text(_SETTINGS.format(server=server.folder, folder=self.folder, mode=mode, size=size))
        settings.chmod(0o644)

    def __enter__(self) -> Self:
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, str(self.folder / "settings.ini")], stdout=log, stderr=log, **self.server.owner()
            )
        end = time.monotonic() + 10
        while not list(self.folder.glob(".s.PGSQL.*")):
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, self.said()
            time.sleep(0.02)
        return self

    def said(self) -> str:
        return (self.folder / "log").read_text()

    def url(self, url: str) -> str:
        return f"postgresql://interlock@/{urlsplit(url).path.strip('/')}?host={self.folder}&port=6432"

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)
