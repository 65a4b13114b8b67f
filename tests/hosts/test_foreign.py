"""Hosts that call hooks of other hosts: who is believed to be one, what becomes of its calls, and what agents try.

The caller is a real process of a real executable: a copy of a shell stands in for the client, at the place and under
the name that the client's own file has. What the client itself sends is in `payloads/grok.json`; `tests/live` has the
client.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import GUARD
from host_process import Client
from interlock.hosts import host_named
from interlock.store.home.folders import folders_for
from interlock.store.home.foreign import keep_left_alone
from ledger_rows import ledger_rows

SHELL = os.path.realpath("/bin/sh")
GROK = json.loads((Path(__file__).parent / "payloads/grok.json").read_text())
HARMLESS, CATASTROPHE = "ls", "rm -rf ~"


class Machine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project = folder / "home", folder / "project"
        self.home.mkdir()
        self.project.mkdir()

    def program(self, path: str) -> Path:
        """A program of its own at this place, with nothing but the name of the client."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SHELL, file)
        return file

    def grok(self) -> Path:
        return self.program("home/.grok/bin/grok-1.0.41")

    def line(self, host: str, event: str = "") -> str:
        """The command of the hook before a call, or of another event, as a host that takes its arguments runs it."""
        from shlex import join

        hooks = host_named(host).settings(sys.executable, str(GUARD), ("--home", str(self.home)))["hooks"]
        group = hooks[event or next(iter(hooks))][0]
        handler = group["hooks"][0] if "hooks" in group else group
        return join([handler["command"], *handler["args"]]) if "args" in handler else str(handler["command"])

    def call(
        self, by: Path, line: str, event: dict[str, Any] | bytes, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        """The program starts the line as a client does, and waits for it."""
        given = event if isinstance(event, bytes) else json.dumps(event).encode()
        return subprocess.run(
            [by, "-c", f"{line}\nexit $?"],
            input=given,
            capture_output=True,
            cwd=self.project,
            env={"PATH": os.defpath, **environment},
            timeout=60,
            check=False,
        )

    def rows(self, kind: str = "watch") -> list[dict[str, Any]]:
        return [row["body"] for row in ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)]

    def says(self) -> list[tuple[str, str, str]]:
        return [(row["says"], row["caller"], row["through"]) for row in self.rows() if "caller" in row]

    def leave(self, *names: str) -> None:
        keep_left_alone(folders_for(str(self.home)), names)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def of_grok(machine: Machine, command: str = HARMLESS) -> dict[str, Any]:
    text = json.dumps(GROK["proposed"]["a command"]["event"] | GROK["common"])
    event: dict[str, Any] = json.loads(text.replace("<project>", str(machine.project)))
    for key in ("toolInput", "tool_input"):
        event[key]["command"] = command
    return event


def of_host(host: str, machine: Machine, command: str) -> dict[str, Any]:
    return Client(host, machine.folder).shell(command)


@pytest.mark.parametrize("host", ["claude-code", "cursor"])
def test_a_call_of_grok_is_refused_until_a_person_leaves_it_alone_and_each_leaves_a_row(
    host: str, machine: Machine
) -> None:
    grok, line, event = machine.grok(), machine.line(host), of_grok(machine)
    refused = machine.call(grok, line, event)
    assert refused.returncode == 2
    assert b"interlock foreign leave grok" in refused.stderr
    machine.leave("grok")
    passed = machine.call(grok, line, event)
    assert (passed.returncode, passed.stdout) == (0, b"{}\n"), passed.stderr
    machine.leave()
    assert machine.call(grok, line, event).returncode == 2
    assert machine.says() == [(says, "grok", host) for says in ("foreign", "left alone", "foreign")]
    assert {row["tool"] for row in machine.rows() if "caller" in row} == {"run_terminal_command"}


def test_a_call_that_cannot_be_recorded_is_refused(machine: Machine) -> None:
    machine.leave("grok")
    (machine.home / ".local/state/interlock/ledger.db").write_bytes(b"no database" * 1000)
    done = machine.call(machine.grok(), machine.line("claude-code"), of_grok(machine))
    assert (done.returncode, b"not recorded" in done.stderr) == (2, True)


def test_what_follows_a_call_of_grok_is_not_taken_in(machine: Machine) -> None:
    event = of_grok(machine) | {"hookEventName": "post_tool_use", "hook_event_name": "PostToolUse"}
    done = machine.call(machine.grok(), machine.line("claude-code", "PostToolUse"), event)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("command", "code", "verdict"), [(HARMLESS, 0, "allow"), (CATASTROPHE, 2, "deny"), ("git push", 2, "ask")]
)
@pytest.mark.parametrize("path", ["share/cursor/cursor", "share/cursor-agent/versions/2026.09.02-4fdd/node"])
def test_a_call_of_cursor_through_claude_s_settings_is_judged_as_cursor_s(
    command: str, code: int, verdict: str, path: str, machine: Machine
) -> None:
    done = machine.call(machine.program(path), machine.line("claude-code"), of_host("cursor", machine, command))
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["permission"] == ("deny" if code else "allow")
    (row,) = machine.rows("decision")
    assert (row["receipt"]["call"]["host"], row["receipt"]["decision"]["verdict"]) == ("cursor", verdict)


def test_an_event_that_cursor_s_file_does_not_know_is_refused_with_a_row(machine: Machine) -> None:
    event = of_host("cursor", machine, HARMLESS) | {"hook_event_name": "beforeSomething"}
    machine.leave("cursor")  # nobody can: its calls are judged
    done = machine.call(machine.program("cursor"), machine.line("claude-code"), event)
    assert (done.returncode, machine.says()) == (2, [("foreign", "cursor", "claude-code")])


# --- what an agent, or a project, might try: everything here is judged as the settings' own host -------------------


def test_a_call_of_claude_code_is_judged_whoever_the_caller_is(machine: Machine) -> None:
    machine.leave("grok")
    for program in (machine.grok(), machine.program("bin/grok"), machine.program("cursor")):
        done = machine.call(program, machine.line("claude-code"), of_host("claude-code", machine, CATASTROPHE))
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.says() == []


@pytest.mark.parametrize("field", ["hook_event_name", "session_id", "tool_name", "tool_input", "cwd"])
def test_a_call_without_one_of_its_fields_is_refused(field: str, machine: Machine) -> None:
    machine.leave("grok")
    event = of_host("claude-code", machine, CATASTROPHE)
    del event[field]
    done = machine.call(machine.program("bin/claude"), machine.line("claude-code"), event, GROK_HOOK_EVENT="x")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.says() == []


def _symlink(machine: Machine) -> Path:
    link = machine.folder / "bin/grok"
    link.parent.mkdir()
    link.symlink_to(SHELL)
    return link


def _alike(machine: Machine) -> Path:
    return machine.program("bin/grok-build")


def _below_its_folder(machine: Machine) -> Path:
    return machine.program("home/.grok/bin/agent")


def _any_node(machine: Machine) -> Path:
    return machine.program("home/cursor-agent/node")


@pytest.mark.parametrize("made", [_symlink, _alike, _below_its_folder, _any_node])
def test_a_program_that_only_looks_like_a_listed_host_is_none(made: Any, machine: Machine) -> None:
    machine.leave("grok")
    done = machine.call(made(machine), machine.line("claude-code"), of_grok(machine), GROK_SESSION_ID="x")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.says() == []


def test_a_shell_or_a_program_between_is_the_caller(machine: Machine) -> None:
    """Grok above it counts for nothing: an agent in Grok could start what it likes."""
    machine.leave("grok")
    script = machine.project / "go.sh"
    script.write_text(f"{machine.line('claude-code')}\nexit $?\n")
    done = machine.call(machine.grok(), f"/bin/sh {script}", of_grok(machine))
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.says() == []


def test_a_process_that_takes_another_name_or_other_arguments_stays_what_it_is(machine: Machine) -> None:
    machine.leave("grok")
    text = (
        "import ctypes, subprocess, sys\n"
        "ctypes.CDLL(None).prctl(15, b'grok', 0, 0, 0)\n"
        "sys.exit(subprocess.call(['sh', '-c', sys.argv[1]]))\n"
    )
    done = subprocess.run(
        ["/home/u/.grok/bin/grok", "-c", text, machine.line("claude-code")],
        executable=sys.executable,
        input=json.dumps(of_grok(machine)).encode(),
        capture_output=True,
        cwd=machine.project,
        env={"PATH": os.defpath},
        timeout=60,
        check=False,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert machine.says() == []


def test_a_caller_that_ends_before_it_is_looked_at_is_none(machine: Machine) -> None:
    """The hook is given its event only once the caller is gone, and somebody else stands above the hook."""
    machine.leave("grok")
    out, go = machine.folder / "out", machine.folder / "go"
    os.mkfifo(go)
    line = f"{machine.line('claude-code')} < {go} > {out} 2>&1 & echo $!"
    caller = subprocess.Popen([machine.grok(), "-c", line], stdout=subprocess.PIPE)
    assert caller.stdout is not None
    caller.stdout.readline()
    caller.stdout.close()
    assert caller.wait(30) == 0
    go.write_bytes(json.dumps(of_grok(machine)).encode())  # opens once the hook does
    end = time.monotonic() + 60
    while time.monotonic() < end and not (out.exists() and out.read_text().endswith("\n")):
        time.sleep(0.05)
    assert '"permissionDecision":"deny"' in out.read_text()
    assert machine.says() == []


def test_an_agent_may_neither_leave_a_host_alone_nor_write_that_down(machine: Machine) -> None:
    for command in (
        "interlock foreign leave grok --yes",
        "echo '{\"grok\":true}' > ~/.local/state/interlock/foreign.json",
    ):
        done = machine.call(
            machine.program("bin/claude"), machine.line("claude-code"), of_host("claude-code", machine, command)
        )
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny", command
