"""The fronts that stay, and the cold hook, each in processes of its own, with one way to call and one way to answer.

`front.call(tool, input)` is `Answer`, whatever the front says and however it says it. Tools have the names that the
front's callers use: `front.named` tells them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import httpx

from hook_process import Machine, Ran
from interlock.hook.client import exchanged, note_in
from interlock.model.essence import essence_of
from interlock.store.facts.watch import written_by_a_person
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, one_question
from postgres_server import started_server
from proxy.fake_model import Reply, fake_model
from proxy.proxy_process import proxy_process
from proxy.said import request, whole
from relay.wire import Home, Wire
from residing import Residence
from serve_process import ServeProcess
from soak.weather import Weather

__all__ = ["FRONTS", "Answer", "Front", "Hooked", "opened"]

_HERE = Path(__file__).parent
AWAY = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
_APPROVAL = re.compile(r"ap_[0-9a-f]{16,}")
POLICY = """version = 1
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.give]
effects = ["network"]
risk = "high"
irreversible = true
[tools."mcp__s__refund"]
effects = ["network"]
risk = "high"
irreversible = true
[tools."mcp__s__give"]
effects = ["network"]
risk = "high"
irreversible = true
[tools."mcp__s__write_file"]
effects = ["write"]
args = { path = "write" }
[tools."mcp__s__read_file"]
effects = ["read"]
args = { path = "read" }
[approvals]
by = ["terminal", "http"]
max_pending = 1000
"""


class Answer(NamedTuple):
    verdict: str  # `allow`, `ask` or `deny`
    approval: str = ""
    text: str = ""


class Front:
    """One home and one project. `pid` is the process that is looked at."""

    named: Mapping[str, str] = {"write": "Write", "read": "Read", "pay": "refund", "give": "give", "extra": "extra"}
    path = "file_path"
    has_shell = True
    reads_unrecorded = True  # whether a read passes that cannot be recorded
    more_steps = 1.4  # of the database, for a call at the end of the day against one at its beginning

    def __init__(self, folder: Path, weather: Weather) -> None:
        self.home, self.project, self.weather = folder / "home", folder / "project", weather
        for made in (self.home, self.project):
            made.mkdir(exist_ok=True)
        self.folders = folders_for(str(self.home))
        self.ids = count(1)
        self.pid = 0
        self.says("")

    def says(self, more: str) -> None:
        """The policy, with something more in it."""
        file = Path(self.folders.user_policy)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_text(POLICY + more)
        new.replace(file)

    def declare(self, tool: str) -> None:
        self.says(f'[tools."{tool}"]\neffects = ["read"]\n')

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        raise NotImplementedError

    def answer(self, approval: str, *, yes: bool, why: str = "") -> None:
        with self.ledger() as ledger:
            answered(ledger, one_question(ledger, approval), yes=yes, by="ann", why=why)

    def steps(self) -> int:
        """What was asked of the database so far: statements and rows."""
        return self.weather.steps

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """As a person's command opens it."""
        ledger = Ledger(self.folders.ledger, front="cli:approvals")
        try:
            yield ledger
        finally:
            ledger.close()

    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.weather.environment, "HOME": str(self.home)}

    @contextmanager
    def open(self) -> Iterator[None]:
        raise NotImplementedError
        yield


class Served(Front):
    database = ""
    reads_unrecorded = False  # over HTTP there is 503 for whatever cannot be recorded

    @contextmanager
    def open(self) -> Iterator[None]:
        options: dict[str, Any] = {"options": {"database": self.database}, "settings": {"database": self.database}}
        with patch.dict(os.environ, self.weather.environment):
            self.service = ServeProcess(self.home.parent, **(options if self.database else {}))
            self.service.start()
        assert self.service.process is not None
        self.pid = self.service.process.pid
        self.agent, self.person = self.service.agent, self.service.approver
        try:
            yield
        finally:
            for client in self.service.clients.values():
                client.close()
            self.service.stop()

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        call = self.service.call(tool, given, session="long")
        got = self.agent.post("/v1/decisions", json=call)
        body = got.json()
        assert got.status_code in (200, 202, 403, 503), got.text
        if got.status_code == 200:
            told = self.agent.post("/v1/outcomes", json={**call, "outcome": "ran"})
            assert told.status_code in (200, 503), told.text
        verdict = {200: "allow", 202: "ask"}.get(got.status_code, "deny")
        return Answer(verdict, body.get("approval_id") or "", got.text)

    def answer(self, approval: str, *, yes: bool, why: str = "") -> None:
        say = {"answer": "approve" if yes else "deny", **({"reason": why} if why else {})}
        done = self.person.post(f"/v1/approvals/{approval}", json=say)
        assert done.status_code == 200, done.text

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        ledger = self.service.ledger()
        try:
            yield ledger
        finally:
            ledger.close()


class ServedByPostgres(Served):
    more_steps = 3.0  # rows of indexes are counted as well, and until it has looked at a table it guesses

    def __init__(self, folder: Path, weather: Weather) -> None:
        super().__init__(folder, weather)
        self.database = started_server().new_database()

    def steps(self) -> int:
        """As the server counts them."""
        with self.ledger() as ledger:
            ((done,),) = ledger.connect().rows(
                "SELECT xact_commit + xact_rollback + tup_returned + tup_fetched FROM pg_catalog.pg_stat_database"
                " WHERE datname = current_database()"
            )
        return int(done)


class Gated(Front):
    manner = "plain"

    @contextmanager
    def open(self) -> Iterator[None]:
        words = [sys.executable, str(_HERE / "gate_child.py"), str(self.home), self.manner]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(words, cwd=self.project, env=self.environment(), **pipes) as self.child:
            assert self.child.stdout is not None
            self.pid = json.loads(self.child.stdout.readline())["pid"]
            try:
                yield
            finally:
                assert self.child.stdin is not None
                self.child.stdin.close()
                assert self.child.wait(30) == 0

    def _line(self, line: Mapping[str, Any]) -> dict[str, Any]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps(line) + "\n")
        self.child.stdin.flush()
        found: dict[str, Any] = json.loads(self.child.stdout.readline())
        return found

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        return Answer(**self._line({"tool": tool, "input": given, "session": "long", "id": f"c{next(self.ids)}"}))

    def declare(self, tool: str) -> None:
        self._line({"declare": tool})


class GatedAsync(Gated):
    manner = "async"


class GatedForked(Gated):
    manner = "forked"


class Relayed(Front):
    named: Mapping[str, str] = {
        "write": "write_file",
        "read": "read_file",
        "pay": "refund",
        "give": "give",
        "extra": "extra",
    }
    path = "path"
    has_shell = False

    @contextmanager
    def open(self) -> Iterator[None]:
        home = Home(self.home)
        self.says("")
        server = [sys.executable, str(_HERE / "files_server.py")]
        with Wire(home, server, cwd=self.project, **self.weather.environment, HOME=str(self.home)) as self.wire:
            self.wire.begin()
            self.pid = self.wire.process.pid
            yield

    def declare(self, tool: str) -> None:
        super().declare(f"mcp__s__{tool}")

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        id = next(self.ids)
        params = {"name": tool, "arguments": given}
        self.wire.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        text = self.wire.answer_to(id)
        return _told(text, allowed=text == f"did {id}")


class Proxied(Front):
    @contextmanager
    def open(self) -> Iterator[None]:
        with ExitStack() as stack:
            self.model = stack.enter_context(fake_model())
            words = ["proxy", "--upstream", self.model.url, "--root", str(self.project)]
            stack.enter_context(patch.dict(os.environ, {**self.weather.environment, "HOME": str(self.home)}))
            port = stack.enter_context(proxy_process(self.home, words))
            for name in self.weather.environment:
                del os.environ[name]
            self.pid = _listening(port)
            self.client = stack.enter_context(
                httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False)
            )
            yield

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        self.model.asked.clear()
        self.model.says(Reply.json(whole("chat", "", [(tool, dict(given), f"c{next(self.ids)}")])))
        path, body = request("chat", "go on", stream=False)
        got = self.client.post(path, json=body, headers={"authorization": "Bearer sk-of-a-test"})
        message = got.json()["choices"][0]["message"]
        return _told(json.dumps(message), allowed=bool(message.get("tool_calls")))


class Hooked(Front):
    """A cold hook for each call. The person edits the policy with a command, since a hook asks about other changes."""

    machine: Machine

    @contextmanager
    def open(self) -> Iterator[None]:
        self.machine = Machine(home=self.home, project=self.project, warm=True)
        yield

    def says(self, more: str) -> None:
        super().says(more)
        if hasattr(self, "machine"):
            with self.ledger() as ledger, ledger.deciding() as turn:
                written_by_a_person(turn, (self.folders.user_policy,), lambda path, raw: (essence_of(path, raw), {}))

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        ran = self.machine.run(self.machine.event(tool, given), environment=AWAY)
        return _told((ran.out + ran.err).decode(), allowed=ran.taken in ("allow", "no opinion"))


class Resident(Hooked):
    left = 0

    @contextmanager
    def open(self) -> Iterator[None]:
        self.machine = Machine(home=self.home, project=self.project, warm=True)
        spawn = os.posix_spawn

        def with_weather(program: str, words: list[str], variables: Mapping[str, str], **more: Any) -> int:
            return spawn(program, words, {**variables, **self.weather.environment}, **more)

        with Residence(self.machine) as self.residence:
            with patch.object(os, "posix_spawn", with_weather):
                self.residence.on()
            self.pid = self.residence.pid
            yield

    def call(self, tool: str, given: Mapping[str, Any]) -> Answer:
        event = self.machine.event(tool, given)
        note = note_in(self.residence.folder)
        assert note is not None
        words = ["claude-code", "--home", str(self.home)]
        variables = {**AWAY, "CLAUDE_PROJECT_DIR": str(self.project)}
        try:
            with patch.dict(os.environ, variables):
                code, out, err = exchanged(self.residence.folder, note, words, json.dumps(event).encode())
            ran = Ran(int(code), out, err)
        except EOFError:  # it left the call to its hook
            self.left += 1
            ran = self.machine.run(event, environment={**AWAY, **self.weather.environment})
        return _told((ran.out + ran.err).decode(), allowed=ran.taken in ("allow", "no opinion"))


def _told(text: str, *, allowed: bool) -> Answer:
    if allowed:
        return Answer("allow", "", text)
    found = _APPROVAL.search(text)
    return Answer("deny", "", text) if found is None else Answer("ask", found[0], text)


def _listening(port: int) -> int:
    """The process of ours that listens on that port."""
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"proxy" in words and str(port).encode() in words:
                return int(name)
    raise AssertionError("the proxy is gone")


FRONTS: Mapping[str, type[Front]] = {
    "serve": Served,
    "serve on PostgreSQL": ServedByPostgres,
    "Gate": Gated,
    "async Gate": GatedAsync,
    "forked Gate": GatedForked,
    "relay": Relayed,
    "proxy": Proxied,
    "resident": Resident,
}


@contextmanager
def opened(kind: type[Front], folder: Path, library: Path) -> Iterator[Front]:
    front = kind(folder, Weather(library, folder, "/.local/state/interlock"))
    with front.open():
        yield front
