"""Every row names the front that wrote it, and what goes in at one front changes nothing that belongs to another."""

from __future__ import annotations

import ast
import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import interlock
import warm
from hook_process import ALLOW, Machine
from interlock.record.chain import FRONTS
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify

PACKAGE = Path(interlock.__file__).parent


def cli(machine: Machine, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """As a person types it, unless something is piped in."""
    words, given = ("--home", str(machine.home), *arguments), (stdin or "").encode()
    done = warm.command(words, cwd=machine.project, stdin=given, apart=stdin is None)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


def rows(machine: Machine) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(machine.ledger)) as database:
        found = database.execute("SELECT seq, kind, session, key, attempt, body FROM ledger ORDER BY seq").fetchall()
    names = ("seq", "kind", "session", "key", "attempt", "body")
    return [{**dict(zip(names, row, strict=True)), "body": json.loads(row[5])} for row in found]


def sessions(machine: Machine) -> dict[str, bytes]:
    with closing(sqlite3.connect(machine.ledger)) as database:
        return dict(database.execute("SELECT id, state FROM sessions"))


def call_of(event: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The hook's event as a call that `interlock decide` takes, under the hook's own names."""
    return {
        "tool": event["tool_name"],
        "input": event["tool_input"],
        "cwd": event["cwd"],
        "session": event["session_id"],
        "host": "claude-code",
        "attempt": event.get("tool_use_id"),
        **more,
    }


def test_every_row_names_its_front(machine: Machine) -> None:
    event = machine.event("Write")
    assert machine.run(event).taken == ALLOW
    cli(machine, "decide", "--record", stdin=json.dumps(call_of(event)))
    cli(machine, "grant", "git:push", "--scope", "branch=feature/*", "--scope", "destination=*", "--yes", "--for", "1h")
    cli(machine, "posture", "set", "locked", "--yes")
    cli(machine, "audit", "checkpoint")
    cli(machine, "audit", "prune", "--keep", "3", "--yes")
    found = rows(machine)
    assert {row["body"].get("front") for row in found} <= set(FRONTS)
    assert {"cli:decide", "cli:grants", "cli:audit"} <= {row["body"]["front"] for row in found}
    assert verify(folders_for(str(machine.home))).damage is None


@pytest.mark.parametrize("claimed", [{}, {"front": "hook:claude-code"}])
def test_decide_cannot_write_a_row_of_the_hook(claimed: dict[str, str], machine: Machine) -> None:
    event = machine.event("Write")
    assert machine.run(event).taken == ALLOW
    before, kept = rows(machine), sessions(machine)
    done = cli(machine, "decide", "--record", stdin=json.dumps(call_of(event, **claimed)))
    assert done.returncode == 0, done.stderr
    new = rows(machine)[len(before) :]
    assert [(row["kind"], row["body"]["front"], row["session"]) for row in new] == [
        ("decision", "cli:decide", f":decide:{event['session_id']}")
    ]
    assert sessions(machine) == kept


def test_decide_cannot_decide_an_attempt_before_the_hook_does(machine: Machine) -> None:
    event = machine.event("Write")
    cli(machine, "decide", "--record", stdin=json.dumps(call_of(event)))
    assert machine.run(event).taken == ALLOW
    decided = [row for row in rows(machine) if row["kind"] == "decision"]
    assert [row["body"]["front"] for row in decided] == ["cli:decide", "hook:claude-code"]
    assert len({row["attempt"] for row in decided}) == 2


def test_decide_uses_up_no_approval_of_the_hooks_session(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    event = machine.event("Bash", {"command": "git push --force origin main", "description": "Push"})
    machine.run(event)
    (asked,) = [row["key"] for row in rows(machine) if row["kind"] == "prompt"]
    approved = cli(machine, "approvals", "approve", asked, "--yes")
    assert approved.returncode == 0, approved.stderr
    call = call_of(event, attempt="toolu_other")
    done = cli(machine, "decide", "--record", stdin=json.dumps(call))
    assert json.loads(done.stdout)["verdict"] == "ask"
    assert json.loads(done.stdout)["approval"] != asked
    assert [row["key"] for row in rows(machine) if row["kind"] == "redemption"] == []
    again = machine.run({**event, "tool_use_id": "toolu_again"})
    assert again.taken == ALLOW  # which the person's yes was for
    assert [row["key"] for row in rows(machine) if row["kind"] == "redemption"] == [asked]


def test_what_a_body_says_of_its_front_does_not_count(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path / "ledger.db"), front="cli:decide")
    with ledger.deciding() as turn:
        turn.append("override", b'{"front":"hook:claude-code","why":"x"}', key="x")
    ledger.close()
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as database:
        assert database.execute("SELECT body FROM ledger").fetchall() == [(b'{"front":"cli:decide","why":"x"}',)]
    with pytest.raises(ValueError, match="is not a front"):
        Ledger(str(tmp_path / "ledger.db"), front="hook:mine")


@pytest.mark.slow
def test_whoever_opens_the_ledger_of_this_machine_names_a_front() -> None:
    """`Ledger.on` is for other databases, whose rows have an origin."""
    bare = []
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Ledger":
                if not any(keyword.arg == "front" for keyword in node.keywords):
                    bare.append(f"{file.relative_to(PACKAGE)}:{node.lineno}")
    assert bare == []
