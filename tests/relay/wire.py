"""A client of our own that speaks lines to `interlock mcp run`, and what the ledger and the server saw of it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, every_question

SERVER = Path(__file__).parent / "scripted_server.py"
INTERLOCK = (sys.executable, "-m", "interlock.cli")
FREE = '\n[tools."mcp__s__*"]\neffects = ["read"]\n'
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Home:
    """A person's home, with a policy and a ledger."""

    def __init__(self, at: Path, policy: str = FREE) -> None:
        self.at = at
        self.folders: Folders = folders_for(str(at))
        self.says(policy)

    def says(self, policy: str) -> None:
        file = Path(self.folders.user_policy)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"version = 1\n{policy}")

    def rows(self, kind: str) -> list[dict[str, Any]]:
        if not os.path.exists(self.folders.ledger):
            return []
        ledger = Ledger(self.folders.ledger, front="cli")
        try:
            with ledger.looking() as view:
                found = view.database.rows("SELECT body FROM ledger WHERE kind = ? ORDER BY seq", (kind,))
                return [json.loads(body) for (body,) in list(found)]
        finally:
            ledger.close()

    def verdicts(self) -> list[str]:
        return [row["receipt"]["decision"]["verdict"] for row in self.rows("decision")]

    def outcomes(self) -> list[str]:
        return [row["outcome"] for row in self.rows("outcome")]

    def answer(self, *, yes: bool = True, why: str = "") -> str:
        """Answers the one open question, at a terminal; its id."""
        ledger = Ledger(self.folders.ledger, front="cli:approvals")
        try:
            (asked,) = every_question(ledger)
            answered(ledger, asked, yes=yes, by="ann", why=why)
            return asked.question.id
        finally:
            ledger.close()


class Wire:
    """The client's end of a relay, or of a server without one."""

    def __init__(
        self, home: Home | None, command: Sequence[str], *, name: str = "s", cwd: Path | None = None, **more: str
    ) -> None:
        relay = () if home is None else (*INTERLOCK, "--home", str(home.at), "mcp", "run", "--name", name, "--")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end; a pipe that nobody reads would stop a server that talks much
        self.process = subprocess.Popen(
            [*relay, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._told,
            cwd=cwd,
            env={**environment, **more},
        )
        self._rest = b""

    def send(self, raw: bytes | dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(raw if isinstance(raw, bytes) else json.dumps(raw).encode() + b"\n")
        self.process.stdin.flush()

    def line(self, seconds: float = 30) -> bytes:
        """The next line; empty where the other side is gone."""
        assert self.process.stdout
        end = time.monotonic() + seconds
        fd = self.process.stdout.fileno()
        while b"\n" not in self._rest:
            ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("nothing came")
            piece = os.read(fd, 1 << 16)
            if not piece:
                return b""
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        return line + b"\n"

    def message(self, seconds: float = 30) -> dict[str, Any]:
        line = self.line(seconds)
        assert line, self.stderr()
        found: dict[str, Any] = json.loads(line)
        return found

    def nothing(self, seconds: float = 0.4) -> bool:
        try:
            return self.line(seconds) == b""
        except TimeoutError:
            return True

    def begin(self, client: str = "t", able: dict[str, Any] | None = None, version: str = "2025-11-25") -> None:
        params = {
            "protocolVersion": version,
            "capabilities": able or {},
            "clientInfo": {"name": client, "version": "1"},
        }
        self.send({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": params})
        assert self.message()["result"]["serverInfo"]["name"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(
        self, id: str | int, tool: str, message: str = "", meta: dict[str, Any] | None = None, **more: Any
    ) -> None:
        params: dict[str, Any] = {"name": tool, "arguments": {"message": message}, **more}
        if meta is not None:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    def said(self, id: str | int, tool: str, message: str = "", **more: Any) -> str:
        """Calls, and gives the text of the answer."""
        self.call(id, tool, message, **more)
        return self.answer_to(id)

    def answer_to(self, id: str | int, seconds: float = 30) -> str:
        while True:
            got = self.message(seconds)
            if got.get("id") == id or str(got.get("id")) == str(id):
                result: dict[str, Any] = got.get("result") or got["error"]
                return str(result["content"][0]["text"] if "content" in result else result)

    def end(self, seconds: float = 30) -> int:
        """Closes the line, and waits for the exit code."""
        assert self.process.stdin
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(seconds)

    def stderr(self) -> str:
        self._told.seek(0)
        return self._told.read().decode()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.process.poll() is None:
            try:
                self.end(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self._told):
            if stream:
                stream.close()


def scripted(log: Path, *faults: str) -> list[str]:
    return [sys.executable, str(SERVER), str(log), *faults]


def lines_in(log: Path) -> list[bytes]:
    return log.read_bytes().splitlines(keepends=True) if log.exists() else []


def calls_in(log: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in lines_in(log)]
    return [data for data in found if data.get("method") == "tools/call"]
