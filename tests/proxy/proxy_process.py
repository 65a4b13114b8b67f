"""`interlock proxy` as people start it, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from serving import free_port

__all__ = ["proxy_process"]


@contextmanager
def proxy_process(home: Path, words: Sequence[str]) -> Iterator[int]:
    """The port that it listens on. `words` are those of the command, from `proxy` on."""
    port = free_port()
    proxy = subprocess.Popen(
        [sys.executable, "-m", "interlock.cli", "--home", str(home), *words, "--port", str(port), "--hold", "0"],
        cwd=home.parent,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 40
        while True:
            assert proxy.poll() is None
            assert time.monotonic() < end, "the proxy did not start"
            try:
                httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield port
    finally:
        proxy.terminate()
        proxy.wait(timeout=20)
