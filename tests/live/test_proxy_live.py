"""The real Claude Code behind `interlock proxy`, without a hook; its model is a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from live.client import CLIENT, Live, needs_client
from scripted_model import Model, Step, scripted_model
from serving import free_port

pytestmark = needs_client


@contextmanager
def proxied(live: Live, model: Model, *options: str) -> Iterator[str]:
    """The address of a proxy before the model, as a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "interlock.cli", "--home", str(live.home), "proxy", "--upstream", model.url]
    log = live.home / "proxy.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--host", "claude-code", "--root", str(live.project), *options],
            stdout=out,
            stderr=out,
            cwd=live.project,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 40
        while True:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, "the proxy did not start"
            try:
                httpx.get(url, timeout=2, trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def run(live: Live, script: Sequence[Step], *options: str) -> tuple[dict[str, Any], Model]:
    """One headless run, and what Claude Code printed of it."""
    with scripted_model(script) as model, proxied(live, model, *options) as url:
        done = subprocess.run(
            [str(CLIENT), "-p", "please go on", "--output-format", "json", "--permission-mode", "bypassPermissions"],
            cwd=live.project,
            env={**live.variables(model), "ANTHROPIC_BASE_URL": url, "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found, model


@pytest.fixture
def live(place: Path) -> Live:
    return Live.at(place, guarded=False)


def test_an_allowed_call_runs_and_a_withheld_one_ends_the_turn(live: Live) -> None:
    keys = live.write(str(live.home / ".ssh/id_ed25519"), "a key")
    script: list[Step] = [
        ("Bash", {"command": "echo made > made.txt"}),
        ("Bash", {"command": f"rm -rf {live.home}"}),
        "never said",
    ]
    result, _ = run(live, script, "--hold", "0")
    assert (live.project / "made.txt").read_text() == "made\n"
    assert keys.exists()
    assert "was not called" in result["result"]
    assert "never said" not in result["result"]
    assert live.verdicts() == ["allow", "deny"]
    sessions = {row["session"] for row in live.rows()}
    assert sessions == {result["session_id"]}  # the client's own: a hook beside the proxy has the same


def test_the_agent_goes_on_after_a_refusal_and_its_model_knows_of_it(live: Live) -> None:
    keys = live.write(str(live.home / ".ssh/id_ed25519"), "a key")
    script: list[Step] = [
        ("Bash", {"command": f"rm -rf {live.home}"}),
        ("Bash", {"command": "echo instead > instead.txt"}),
        "All done.",
    ]
    result, model = run(live, script, "--hold", "0", "--withheld", "continue")
    assert keys.exists()
    assert (live.project / "instead.txt").exists()
    assert result["result"] == "All done."
    assert "Refused" in model.results["toolu_step_0"]
    assert live.verdicts() == ["deny", "allow"]
