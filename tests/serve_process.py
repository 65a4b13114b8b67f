"""`interlock serve` as a process of its own, which can be killed, with what it writes to its streams."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from serving import Serving

__all__ = ["ServeProcess"]


class ServeProcess(Serving):
    """Started and stopped like `Serving`, and started again after a kill with the same tokens and port."""

    def __init__(
        self, folder: Path, *, policy: str = "", options: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(folder, policy=policy, **more)
        self.options = dict(options or {})
        self.log = folder / "serve.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        given = [part for name, value in self.options.items() for part in (f"--{name}", value)]
        command = [sys.executable, "-m", "interlock.cli", "--home", str(self.home), "serve"]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.settings.port), "--rate", "10000", *given],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self.project,
                env={**os.environ, "HOME": str(self.home)},
            )
        end = time.monotonic() + 40
        while True:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, "the service did not start in time"
            try:
                if httpx.get(f"{self.url}/healthz", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
