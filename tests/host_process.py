"""Runs the hook of any host as that host runs it: by the line or the words in the settings that Interlock prints.

A process stands in for the host between the test and the hook. At a terminal or not, as the test says: some hosts do
not tell their hooks whether somebody attends, and then the hook looks at them.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hook_process import ALLOW, ASK, DENY, GUARD, OPEN, Ran, made
from interlock.hosts import host_named
from interlock.hosts.traits import EXIT_1, GARBAGE

__all__ = ["PAYLOADS", "Client", "payloads_of", "taken_from"]

PAYLOADS = Path(__file__).parent / "hosts/payloads"
_LONGEST = 60

_STAND_IN = """
import json, os, resource, subprocess, sys
how = json.loads(sys.argv[1])
def limited():
    if how["memory"]: resource.setrlimit(resource.RLIMIT_AS, (how["memory"], how["memory"]))
with open(how["in"], "rb") as given, open(how["out"], "wb") as out, open(how["err"], "wb") as err:
    try:
        code = subprocess.call(
            how["command"], stdin=given, stdout=out, stderr=err, cwd=how["cwd"], env=how["env"], preexec_fn=limited
        )
    except OSError:
        code = 127
with open(how["code"], "w") as file: file.write(str(code) + " " + str(os.getpid()))
"""


@cache
def payloads_of(host: str) -> Any:
    return json.loads((PAYLOADS / f"{host}.json").read_text())


@dataclass(frozen=True)
class Client:
    """A host on somebody's machine, and what it makes of its hook's answers."""

    host: str
    folder: Path
    python: str = sys.executable
    guard: str = str(GUARD)

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def payloads(self) -> Any:
        return self.here(payloads_of(self.host))

    def here(self, value: Any) -> Any:
        """The value with this machine's folders in it."""
        text = json.dumps(value)
        return json.loads(text.replace("<project>", str(self.project)).replace("<home>", str(self.home)))

    def event(self, case: str, kind: str = "proposed") -> dict[str, Any]:
        return {**self.payloads["common"], **self.payloads[kind][case]["event"]}

    @property
    def settings(self) -> dict[str, Any]:
        return host_named(self.host).settings(self.python, self.guard, ("--home", str(self.home)))

    def shell(self, command: str) -> dict[str, Any]:
        """The event before this command."""
        case = next(case for case, row in self.payloads["proposed"].items() if row["tool"] == "Bash")
        text = json.dumps(self.event(case))
        row = self.payloads["proposed"][case]
        given = row.get("line") or self.told(self.event(case), "input")["command"]
        assert text.count(json.dumps(given)) == 1
        made: dict[str, Any] = json.loads(text.replace(json.dumps(given), json.dumps(command)))
        return made

    def way(self, what: str) -> list[Any] | None:
        """Where an event says its `event`, `session`, `cwd`, `tool` or `input`; None: this host does not tell."""
        usual = {"event": "hook_event_name", "session": "session_id", "tool": "tool_name", "input": "tool_input"}
        name = usual.get(what, what)
        found: list[Any] | None = self.payloads.get("at", {}).get(
            what, [self.payloads.get("fields", {}).get(name, name)]
        )
        return found

    def told(self, event: Mapping[str, Any], what: str) -> Any:
        way, found = self.way(what), event
        for key in way or ():
            found = found[key]
        return None if way is None else found

    def changed(self, event: dict[str, Any], what: str, *value: Any) -> dict[str, Any]:
        """The event with another value there, or none."""
        *way, last = self.way(what) or [""]
        inside: Any = event
        for key in way:
            inside = inside[key]
        if value:
            inside[last] = value[0]
        else:
            del inside[last]
        return event

    def handler(self, event: str) -> dict[str, Any]:
        group: dict[str, Any] = self.settings["hooks"][event][0]
        found: dict[str, Any] = group["hooks"][0] if "hooks" in group else group
        return found

    @property
    def gate(self) -> str:
        """The event before a call, as the settings name it first."""
        return str(next(iter(self.settings["hooks"])))

    def named(self, event: Mapping[str, Any]) -> str:
        """Which event of the host it is: some do not say, and then their fields show it."""
        if "at" in self.payloads:
            return str(self.told(event, "event") or self.gate)
        if "gate" not in self.payloads:
            return str(event["hook_event_name"])
        rows = [row for kind in ("proposed", "followed") for row in self.payloads[kind].values()]
        fits = [row for row in rows if row["event"].keys() <= event.keys()]
        return str(max(fits, key=lambda row: len(row["event"]), default={"to": self.payloads["gate"]})["to"])

    @property
    def process(self) -> int:
        """The process that stood in for the host the last time."""
        return int((self.folder / "hook.code").read_text().split()[1])

    def send(
        self, event: Mapping[str, Any] | bytes, *, to: str = "", attended: bool = True, memory: int = 0
    ) -> tuple[Ran, str]:
        """How the hook ended, and what the host makes of that. `to`: the event's name, where it does not tell."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        handler = self.handler(to or self.named(event))  # type: ignore[arg-type]
        line = handler["command"]
        words = [line, *handler["args"]] if "args" in handler else ["bash", "-c", line]
        files = {name: str(self.folder / f"hook.{name}") for name in ("in", "out", "err", "code")}
        Path(files["in"]).write_bytes(data)
        unattended = {} if attended else self.payloads["unattended"]
        env = {"PATH": os.defpath, **self.payloads["environment"], **unattended}
        how = {**files, "command": words, "cwd": str(self.project), "env": env, "memory": memory}
        ours, terminal = pty.openpty()
        try:
            stream = terminal if attended else subprocess.DEVNULL
            stand_in = [sys.executable, "-I", "-S", "-c", _STAND_IN, json.dumps(how)]
            subprocess.run(stand_in, stdin=stream, stdout=stream, check=True, timeout=_LONGEST)
        finally:
            os.close(ours)
            os.close(terminal)
        code = int(Path(files["code"]).read_text().split()[0])
        ran = Ran(code, Path(files["out"]).read_bytes(), Path(files["err"]).read_bytes())
        return ran, taken_from(self.host, ran, handler)


def taken_from(host: str, ran: Ran, handler: Mapping[str, Any]) -> str:
    """What the host makes of an answer: exit code 2 blocks if something is said, else one whole JSON object counts.

    Where an object without a verdict lets a call run, it is how this host is told so. Where a host goes by the exit
    code alone (`by_code`), 0 is an allow whatever is said.
    """
    traits, payloads = host_named(host).TRAITS, payloads_of(host)
    if ran.code == 2 and ran.err.strip():
        return DENY
    if ran.code != 0 and EXIT_1 not in traits.runs_after:
        return DENY
    if ran.code != 0:
        return DENY if traits.blocks_on and handler.get(traits.blocks_on) in ("block", True) else OPEN
    if payloads.get("by_code"):
        return ALLOW
    try:
        said = json.loads(ran.out)
        for key in payloads["verdict_at"]:
            said = said[key]
        said = payloads.get("verdicts", {}).get(json.dumps(said), said)
    except KeyError:
        return ALLOW if payloads_of(host).get("silent_allow") else OPEN
    except (ValueError, TypeError):
        return OPEN if GARBAGE in traits.runs_after else DENY
    return said if said in (ALLOW, ASK, DENY) else OPEN
