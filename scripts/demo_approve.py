"""`make demo SCENE=approve`: a call is held by the service, approved from a second terminal, and fires.

The real `interlock serve`, a real agent's request that waits, a person's terminal, and a file on disk as the proof.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""
HERE = Path(__file__).parent


def main() -> int:
    out = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as folder:
        home, done = Path(folder, "home"), Path(folder, "refunded")
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.toml").write_text(POLICY)
        command = [sys.executable, "-m", "interlock.cli", "--home", str(home)]
        token = at_a_terminal([*command, "token", "create", "--role", "agent", "--name", "billing", "--yes", "--json"])
        agent = json.loads(token)["token"]
        port = free_port()
        with subprocess.Popen([*command, "serve", "--port", str(port)], stderr=subprocess.DEVNULL) as service:
            try:
                until_it_answers(port)
                out.print(Text("An agent wants to refund 5000. It asks, and waits for an answer:\n"))
                asked: list[tuple[int, dict[str, Any]]] = []
                waits = threading.Thread(target=lambda: asked.append(decide(port, agent, done)))
                waits.start()
                (waiting,) = pending(command)
                out.print(Text(f"held     {waiting['id']}  refund {waiting['input']}", style="yellow"))
                if done.exists():
                    raise SystemExit("the call fired before anybody had approved it")
                out.print(Text("\nA second terminal:  interlock approvals approve " + waiting["id"]))
                told = at_a_terminal([*command, "approvals", "approve", waiting["id"], "--yes", "--why", "agreed"])
                out.print(Text(told.strip() + "\n"))
                waits.join(30)
                status, answer = asked[0]
                out.print(Text(f"{status}      {answer['verdict']}; the call fired: {done.read_text()}", style="green"))
                status, answer = request(port, agent, "decisions")
                out.print(Text(f"{status}      made once more, it asks anew: {answer['approval_id']}", style="yellow"))
                if (asked[0][0], status) != (200, 202):
                    raise SystemExit("expected 200 for the approved call and 202 for the next one")
            finally:
                service.terminate()
        out.print(Text("\nReplaying every receipt from its recorded reading:"))
        return subprocess.run([*command, "replay", "--quiet"], check=False).returncode


def decide(port: int, agent: str, done: Path) -> tuple[int, dict[str, Any]]:
    """What an agent does: ask, and make the call only if it may."""
    status, answer = request(port, agent, "decisions?wait=30")
    if status == 200:
        done.write_text("refunded 5000")
    return status, answer


def request(port: int, token: str, path: str) -> tuple[int, dict[str, Any]]:
    call = {"tool": "refund", "input": {"amount": 5000}, "session": "billing-1"}
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/{path}",
        json.dumps(call).encode(),
        {"authorization": f"Bearer {token}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.status, json.load(answer)


def pending(command: list[str]) -> list[dict[str, Any]]:
    for _ in range(100):
        listed = subprocess.run([*command, "approvals", "list", "--json"], stdout=subprocess.PIPE, check=True)
        found: list[dict[str, Any]] = json.loads(listed.stdout or b"[]")
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit("nothing was asked")


def at_a_terminal(command: list[str]) -> str:
    """What a person does: the commands that permit things refuse to run without one."""
    terminal = [sys.executable, str(HERE / "terminal.py"), ""]
    return subprocess.run([*terminal, *command], stdout=subprocess.PIPE, check=True).stdout.decode()


def until_it_answers(port: int) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit("the service did not start")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
