"""Runs the cold hook as a host runs it, and takes its answer as a host takes it.

Nothing here stands in for our own code: each call runs the guarded entry in a process of its own, started from
nothing, with real pipes, limits and signals. `Machine(warm=True)` forks it from one that has imported it (warm.py)
unless a call needs more than that.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import interlock
import warm
from interlock.hosts import claude_events
from interlock.limits import HOST_TIMEOUT_SECONDS
from ledger_rows import ledger_rows
from wire import FIELDS, sent

PACKAGE = Path(interlock.__file__).parent
GUARD = PACKAGE / "hook" / "guard.py"

# The verdicts as a host takes them; OPEN is when it goes on as if there were no guard.
ALLOW, ASK, DENY, NO_OPINION, OPEN = "allow", "ask", "deny", "no opinion", "open"


OURS = ("CLAUDE", "INTERLOCK")  # variables that mean nothing to an interpreter or to the loader

_attempts = count(1)  # a host gives each attempt an id of its own

# Our modules that a call on a warm cache imports: `faults/test_hook_imports.py` holds the hook to them.
INTERLOCK = (
    "interlock interlock.approve interlock.approve.approval interlock.approve.glob interlock.approve.grant "
    "interlock.approve.held interlock.approve.index interlock.approve.keys interlock.approve.lifecycle "
    "interlock.approve.mode interlock.approve.standing interlock.approve.weigh interlock.build interlock.bytes "
    "interlock.bytes.canon interlock.bytes.redact interlock.bytes.secrets interlock.bytes.strict interlock.calls "
    "interlock.calls.between interlock.calls.commit interlock.calls.prepare interlock.calls.replies "
    "interlock.calls.world interlock.calls.worlds interlock.contracts interlock.contracts.check "
    "interlock.contracts.model interlock.contracts.plain interlock.decide interlock.engine interlock.follow "
    "interlock.follow.watching interlock.hook interlock.hook.bundle interlock.hook.run interlock.hook.stdin "
    "interlock.hosts interlock.hosts.claude_code interlock.hosts.traits interlock.hosts.wire interlock.layers "
    "interlock.layers.capability interlock.layers.conformance interlock.layers.faults interlock.layers.floor "
    "interlock.layers.flow interlock.layers.judge interlock.layers.loop interlock.layers.manifest "
    "interlock.layers.obeyed interlock.layers.plan interlock.layers.risk interlock.layers.rules "
    "interlock.layers.tiers interlock.layers.two interlock.layers.unread interlock.layers.watch interlock.limits "
    "interlock.model interlock.model.action interlock.model.answer interlock.model.call interlock.model.decision "
    "interlock.model.effects interlock.model.environment interlock.model.errors interlock.model.events "
    "interlock.model.facts interlock.model.heard interlock.model.obeyed interlock.model.posture "
    "interlock.model.wants "
    "interlock.model.session interlock.model.steps interlock.model.toolnames interlock.model.touched "
    "interlock.model.verdict interlock.policy interlock.policy.book interlock.policy.facts interlock.policy.model "
    "interlock.policy.rules interlock.policy.settings interlock.policy.wire interlock.reading interlock.reading.places "
    "interlock.reading.places.kinds interlock.reading.places.marks interlock.reading.places.paths "
    "interlock.reading.places.place_table interlock.reading.places.places "
    "interlock.reading.places.secret_files interlock.reading.places.secret_places "
    "interlock.reading.places.system_places interlock.reading.places.watched interlock.reading.read "
    "interlock.reading.tools interlock.reading.tools.calls interlock.reading.tools.tools interlock.record "
    "interlock.record.chain interlock.record.receipt interlock.record.resume interlock.record.sessions "
    "interlock.record.slice interlock.runtime interlock.store interlock.store.clock interlock.store.facts "
    "interlock.store.facts.facts interlock.store.facts.links interlock.store.facts.look "
    "interlock.store.facts.obeyed_facts interlock.store.home interlock.store.home.contracts "
    "interlock.store.home.files interlock.store.home.folders interlock.store.home.policies "
    "interlock.store.home.postures interlock.store.ledger interlock.store.ledger.heads interlock.store.ledger.ledger "
    "interlock.store.ledger.repeated interlock.store.ledger.rows interlock.store.ledger.snapshot "
    "interlock.store.ledger.sqlite interlock.store.sql interlock.value interlock.words interlock.words.said"
)


@dataclass(frozen=True)
class Ran:
    """How a hook's process ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def taken(self) -> str:
        """What the host makes of it: exit code 2 blocks, else one whole JSON object counts, or nothing at all."""
        if self.code == 2:
            return DENY
        if self.code != 0:
            return OPEN
        if not self.out:
            return NO_OPINION
        try:
            said = json.loads(self.out)
        except ValueError:
            return OPEN
        if not isinstance(said, dict):
            return OPEN
        return str(said.get("hookSpecificOutput", {}).get("permissionDecision", NO_OPINION))

    @property
    def answer(self) -> Any:
        """The whole answer. Fails where there is none."""
        assert (self.code, self.err) == (0, b""), self
        return json.loads(self.out)

    @property
    def reason(self) -> str:
        return str(json.loads(self.out)["hookSpecificOutput"]["permissionDecisionReason"])


@dataclass(frozen=True)
class Machine:
    """One person's machine: a home and a project, and the hook that is installed there."""

    home: Path
    project: Path
    guard: Path = GUARD
    python: str = sys.executable
    warm: bool = False  # forked where that makes no difference, see warm.py

    def event(self, tool: str = "Write", arguments: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
        """An event as the host sends it, by default a PreToolUse; None takes a field out."""
        whole: dict[str, Any] = {
            "session_id": "3d0d2c1e-0b60-4d0e-9a39-7a6f7f1a4c11",
            "transcript_path": str(self.home / ".claude/projects/-project/3d0d2c1e.jsonl"),
            "cwd": str(self.project),
            "prompt_id": "b2a7c9f0-54c1-4a5e-8a0b-1f5a3c0d9e22",
            "permission_mode": "default",
            "effort": {"level": "medium"},
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": self.sample(tool) if arguments is None else dict(arguments),
            "tool_use_id": f"toolu_{next(_attempts)}",
            **changes,
        }
        of_event = FIELDS.get(whole["hook_event_name"], FIELDS["PreToolUse"]).split()
        return {key: whole[key] for key in whole if whole[key] is not None and (key in changes or key in of_event)}

    def sample(self, tool: str) -> dict[str, Any]:
        """An everyday input for the tool, inside the project."""
        path = str(self.project / "notes.txt")
        samples: dict[str, dict[str, Any]] = {
            "Read": {"file_path": path},
            "Write": {"file_path": path, "content": "hello\n"},
            "Edit": {"file_path": path, "old_string": "a", "new_string": "b"},
            "MultiEdit": {"file_path": path, "edits": [{"old_string": "a", "new_string": "b"}]},
            "NotebookEdit": {"notebook_path": str(self.project / "notes.ipynb"), "new_source": "1"},
            "Bash": {"command": "$TOOL made.txt", "description": "Something that cannot be read"},
        }
        return samples.get(tool, {})

    def command(self) -> list[str]:
        """What the printed settings have the host run before a call."""
        hooks = claude_events.settings(self.python, str(self.guard), ("--home", str(self.home)))["hooks"]
        handler = hooks["PreToolUse"][0]["hooks"][0]
        return [handler["command"], *handler["args"]]

    def environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        return {"PATH": os.defpath, "CLAUDE_PROJECT_DIR": str(self.project), **(changes or {})}

    def start(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        before: Callable[[], object] | None = None,
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(),
            cwd=self.project,
            env=self.environment(environment),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            preexec_fn=before,  # noqa: PLW1509 - these tests have one thread
        )

    def run(
        self,
        event: Mapping[str, Any] | bytes,
        *,
        environment: Mapping[str, str] | None = None,
        before: Callable[[], object] | None = None,
        stdout: int = subprocess.PIPE,
        patience: float = HOST_TIMEOUT_SECONDS,
        odd: bool = False,
    ) -> Ran:
        """Hands the hook an event. `odd`: one that the client does not send."""
        if not odd and not isinstance(event, bytes) and event.get("hook_event_name") in FIELDS:
            sent(event)
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        plain = (self.guard, self.python, before, stdout) == (GUARD, sys.executable, None, subprocess.PIPE)
        if self.warm and plain and all(name.startswith(OURS) for name in environment or ()):
            words = self.command()
            done = warm.hook(
                words[words.index(str(GUARD)) + 1 :],
                cwd=self.project,
                environment=self.environment(environment),
                stdin=raw,
                patience=patience,
            )
            return Ran(done.returncode, done.stdout, done.stderr)
        with self.start(environment=environment, before=before, stdout=stdout) as process:
            return ended(process, raw, patience)

    def call(self, tool: str, **arguments: Any) -> Ran:
        """A call of the tool with these fields over its sample input."""
        return self.run(self.event(tool, {**self.sample(tool), **arguments}))

    @property
    def user_policy(self) -> Path:
        return made(self.home / ".config/interlock") / "policy.toml"

    @property
    def project_policy(self) -> Path:
        return made(self.project / ".interlock") / "policy.toml"

    @property
    def state(self) -> Path:
        return made(self.home / ".local/state/interlock")

    @property
    def ledger(self) -> Path:
        return self.state / "ledger.db"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.ledger, kind)

    @property
    def cache(self) -> Path:
        """The compiled policy, which the first call writes."""
        if not any((self.home / ".cache/interlock").glob("policy-*.json")):
            assert self.call("Read").taken == ALLOW
        (found,) = (self.home / ".cache/interlock").glob("policy-*.json")
        return found


def ended(process: subprocess.Popen[bytes], event: bytes = b"", patience: float = HOST_TIMEOUT_SECONDS) -> Ran:
    """Gives the process its event and waits for its end, at most until the host would give up."""
    try:
        out, err = process.communicate(event, timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Ran(process.returncode, out or b"", err or b"")


def pythons() -> dict[str, str]:
    """Every Python here that we support, by version."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    for path in sorted(Path.home().glob(".pyenv/versions/*/bin/python3.1[1-9]")):
        found.setdefault(path.name.removeprefix("python"), str(path))
    return found


def words(text: str) -> list[str]:
    return text.split()


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def new_machine(folder: Path, **changes: Any) -> Machine:
    return Machine(**{"home": made(folder / "home"), "project": made(folder / "project"), **changes})


def copy_of_the_package(folder: Path) -> Path:
    """The package installed elsewhere, with the bytecode that it has; its guarded entry is what is returned."""
    half_written = "*.pyc.*"  # by a process beside this one
    shutil.copytree(PACKAGE, folder / "interlock", ignore=shutil.ignore_patterns(half_written, "cli", "evals"))
    return folder / "interlock/hook/guard.py"


def wait_until_guarded(process: subprocess.Popen[bytes]) -> None:
    """Until the last of the guard's handlers is in place; what it does not have by then, it waits for."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        status = Path(f"/proc/{process.pid}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if int(fields.get("SigCgt", "0"), 16) >> (signal.SIGPWR - 1) & 1:
            return
        time.sleep(0.002)
    raise AssertionError("the hook's handlers were never installed")


def limits(*pairs: tuple[int, int]) -> Callable[[], None]:
    """For `before`: these limits, soft and hard alike."""
    import resource

    def apply() -> None:
        for kind, value in pairs:
            resource.setrlimit(kind, (value, value))

    return apply


def heed_permissions() -> None:
    """For `before`: even root is bound by the permission bits (what else reads a home that is read-only?)."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "prctl")
