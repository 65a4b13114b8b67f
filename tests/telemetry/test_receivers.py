"""What a hook decides arrives at each kind of receiver, once the ledger is followed."""

from __future__ import annotations

import json
import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from collecting import Collected, Datagrams, Lines, attributes, collector, parsed, until
from hook_process import ALLOW, ASK, DENY, Machine, new_machine
from interlock.bytes.canon import canonical
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.tokens import create
from telling import command, telemetry

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)


def three(machine: Machine) -> None:
    assert machine.call("Write").taken == ALLOW
    assert machine.call("Write", file_path="/etc/hosts").taken == ASK
    assert machine.call("Bash", command=f"rm -rf ~ # {SECRET}").taken == DENY


def test_each_decision_of_a_hook_is_one_span_also_a_deny(machine: Machine) -> None:
    three(machine)
    with collector() as got:
        telemetry(machine, otlp=got.url)
        done = command(machine, "run", "--once", "--all")
    assert done.code == 0, done.err
    assert [span.name for span in got.spans] == ["interlock.decide Write"] * 2 + ["interlock.decide Bash"]
    allowed, asked, denied = [attributes(span.attributes) for span in got.spans]
    rows = machine.rows()
    assert allowed["interlock.verdict"] == "allow"
    assert "error.type" not in allowed
    assert {
        name: value for name, value in denied.items() if name not in ("gen_ai.tool.call.id", "interlock.policy")
    } == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Bash",
        "gen_ai.conversation.id": rows[2]["session"],
        "gen_ai.agent.name": "claude-code",
        "interlock.verdict": "deny",
        "interlock.effect": "destructive",
        "interlock.effects": denied["interlock.effects"],
        "interlock.layer": "floor",
        "interlock.rule": denied["interlock.rule"],
        "interlock.reasons": denied["interlock.reasons"],
        "interlock.receipt": rows[2]["key"],
        "interlock.posture": "interactive",
        "interlock.front": "hook:claude-code",
        "interlock.host": "claude-code",
        "interlock.enforced": True,
        "interlock.engine": denied["interlock.engine"],
        "interlock.row": rows[2]["seq"],
        "error.type": "interlock.denied",
    }
    assert denied["gen_ai.tool.call.id"].startswith("toolu_")
    assert denied["interlock.policy"].startswith("sha256:")
    assert "destructive" in denied["interlock.effects"]
    assert asked["interlock.approval"].startswith("ap_")
    assert got.spans[2].status.code == 2
    assert got.spans[0].status.code == 0
    assert len({span.trace_id for span in got.spans}) == 3
    (resource,) = {tuple(attributes(m.resource_spans[0].resource.attributes).items()) for m in got.of("/v1/traces")}
    assert dict(resource)["service.name"] == "interlock"


def test_logs_and_metrics_come_with_the_spans(machine: Machine) -> None:
    three(machine)
    with collector() as got:
        telemetry(machine, otlp=got.url, service="guard")
        assert command(machine, "run", "--once", "--all").code == 0
    events = [(record.event_name, record.severity_text) for record in got.logs]
    assert ("interlock.decision", "INFO") in events
    assert ("interlock.decision", "INFO2") in events
    assert ("interlock.decision", "WARN") in events
    decided = [record for record in got.logs if record.event_name == "interlock.decision"]
    assert [(r.trace_id, r.span_id) for r in decided] == [(s.trace_id, s.span_id) for s in got.spans]
    points = [(attributes(p.attributes), p.as_int) for p in got.metrics["interlock.decisions"].sum.data_points]
    verdicts = {(labels["interlock.verdict"], labels["interlock.front"]): count for labels, count in points}
    assert verdicts == {(verdict, "hook:claude-code"): 1 for verdict in ("allow", "ask", "deny")}
    assert got.metrics["interlock.prompts.pending"].gauge.data_points[0].as_int == 0
    assert set(got.metrics) == {
        "interlock.decisions",
        "interlock.answers",
        "interlock.answer.time",
        "interlock.prompts.pending",
    }


def test_the_same_row_has_the_same_ids_each_time(machine: Machine) -> None:
    three(machine)
    found = []
    for _ in range(2):
        with collector() as got:
            telemetry(machine, otlp=got.url)
            command(machine, "run", "--once", "--all")
            found.append([(span.trace_id, span.span_id) for span in got.spans])
    assert found[0] == found[1]


def test_json_lines_and_a_rotation(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "logs/interlock.jsonl"
    telemetry(machine, jsonl=str(file))
    three(machine)
    assert command(machine, "run", "--once", "--all").code == 0
    moved = file.rename(tmp_path / "logs/interlock.jsonl.1")
    machine.call("Read")
    assert command(machine, "run", "--once").out == f"jsonl {file}: 1 sent\n"
    old, new = ([json.loads(line) for line in path.read_text().splitlines()] for path in (moved, file))
    decided = [line for line in old if line["event"] == "interlock.decision"]
    assert [line["interlock.verdict"] for line in decided] == ["allow", "ask", "deny"]
    assert [line["severity"] for line in decided] == ["info", "notice", "warning"]
    assert [(line["event"], line["gen_ai.tool.name"]) for line in new] == [("interlock.decision", "Read")]
    assert new[0]["row"] > old[-1]["row"]
    assert file.stat().st_mode & 0o077 == 0


def test_syslog_by_udp_tcp_and_a_socket(machine: Machine, tmp_path: Path) -> None:
    three(machine)
    with Datagrams() as udp, Datagrams(tmp_path / "log") as unix, Lines() as tcp:
        for address, receiver in (
            (f"udp://127.0.0.1:{udp.port}", udp),
            (f"unix:{tmp_path / 'log'}", unix),
            (f"tcp://127.0.0.1:{tcp.port}", tcp),
        ):
            telemetry(machine, syslog=address)
            done = command(machine, "run", "--once", "--all")
            assert done.code == 0, done.err
            count = int(done.out.rpartition(": ")[2].split()[0])
            until(partial(_has, receiver, count))
            messages = [parsed(line) for line in receiver.got]
            decided = [message for message in messages if message["kind"] == "decision"]
            assert [message["pri"] for message in decided] == [13 * 8 + 6, 13 * 8 + 5, 13 * 8 + 4]
            assert [message["data"]["interlock.verdict"] for message in decided] == ["allow", "ask", "deny"]
            assert decided[2]["text"].startswith("deny Bash by floor/")
            assert decided[2]["data"]["interlock.enforced"] == "true"


def _has(receiver: Datagrams, count: int) -> bool:
    return len(receiver.got) == count


def everything(machine: Machine, tmp_path: Path, got: Collected, udp: Datagrams, **more: Any) -> str:
    file = tmp_path / "all.jsonl"
    telemetry(machine, otlp=got.url, jsonl=str(file), syslog=f"udp://127.0.0.1:{udp.port}", **more)
    assert command(machine, "run", "--once", "--all").code == 0
    until(lambda: len(udp.got) == len(file.read_text().splitlines()))
    return file.read_text() + b"".join(udp.got).decode() + got.raw.decode("latin-1")


def test_no_argument_leaves_unless_it_is_asked_for(machine: Machine, tmp_path: Path) -> None:
    machine.call("Write", file_path=str(machine.project / "quarterly.txt"), content="merger with Initech")
    machine.call("Bash", command="curl https://shop.example/hidden-path -d @x")
    machine.call("mcp__pay__send", to="iban-de00")
    with collector() as got, Datagrams() as udp:
        sent = everything(machine, tmp_path, got, udp)
    for argument in ("quarterly", "merger", "hidden-path", "shop.example", "iban-de00"):
        assert argument not in sent


def test_arguments_that_are_asked_for_come_without_secrets(machine: Machine, tmp_path: Path) -> None:
    machine.call("Bash", command=f"git push https://x:{SECRET}@git.example/a.git main")
    machine.call("Write", content=f'token = "{SECRET}"')
    machine.call("mcp__" + SECRET)
    machine.run(machine.event("Read", session_id=SECRET))
    with collector() as got, Datagrams() as udp:
        sent = everything(machine, tmp_path, got, udp, arguments=True)
    assert "git.example" in sent
    assert "[redacted:" in sent
    assert SECRET not in sent


def test_text_that_a_terminal_or_a_parser_obeys_does_not_get_through(machine: Machine, tmp_path: Path) -> None:
    evil = 'x"] <13>1 - - - - - - forged\n<13>1 \x1b[31m\u202e\\'
    machine.run(machine.event("Read", session_id=evil), odd=True)
    machine.call(evil)
    with collector() as got, Datagrams() as udp, Lines() as tcp:
        everything(machine, tmp_path, got, udp)
        telemetry(machine, syslog=f"tcp://127.0.0.1:{tcp.port}")
        assert command(machine, "run", "--once", "--all").code == 0
        lines = [*udp.got, *tcp.got]
    assert len(lines) >= 4
    for line in lines:
        assert b"\n" not in line
        assert b"\x1b" not in line
        assert "\u202e" not in line.decode()
        assert parsed(line)["kind"] != "-"
    for text in (tmp_path / "all.jsonl").read_text().splitlines():
        assert json.loads(text)["event"].startswith("interlock.")


def test_a_row_that_was_changed_is_told_as_that_and_holds_nothing_up(machine: Machine, tmp_path: Path) -> None:
    three(machine)
    with sqlite3.connect(machine.ledger) as database:
        seqs = [seq for (seq,) in database.execute("SELECT seq FROM ledger WHERE kind = 'decision' ORDER BY seq")]
        database.execute("UPDATE ledger SET body = replace(body, 'deny', 'allow') WHERE seq = ?", (seqs[1],))
        database.execute("UPDATE ledger SET body = x'ff' WHERE seq = ?", (seqs[1],))
    database.close()
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    assert command(machine, "run", "--once", "--all").code == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["event"] for line in lines if line["row"] in seqs] == [
        "interlock.decision",
        "interlock.changed",
        "interlock.decision",
    ]


def test_a_token_and_a_switch_are_told_without_what_opens_anything(machine: Machine, tmp_path: Path) -> None:
    machine.call("Read")
    ledger = Ledger(str(machine.ledger), front="cli:token")
    with ledger.deciding() as turn:
        token, text = create(turn, name="robot", role="agent", person="ann", expires=0, by="root")
    with ledger.deciding() as turn:
        turn.append(
            "override", canonical({"by": "ann", "until": 7, "why": "in a hurry", "signature": "s1g"}), key="off"
        )
    ledger.close()
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    assert command(machine, "run", "--once", "--all").code == 0
    made, switched = [json.loads(line) for line in file.read_text().splitlines()][-2:]
    common = {"service", "machine", "row", "hash", "at", "interlock.front", "text", "severity"}
    assert {name: value for name, value in made.items() if name not in common} == {
        "event": "interlock.token",
        "interlock.token": token.id,
        "interlock.says": "created",
        "interlock.role": "agent",
        "interlock.person": "ann",
        "interlock.by": "root",
    }
    assert {name: value for name, value in switched.items() if name not in common} == {
        "event": "interlock.override",
        "interlock.override": "off",
        "interlock.by": "ann",
        "interlock.until": 7,
    }
    assert switched["severity"] == "warning"
    for secret in (text.rpartition("_")[2], "sha256", "hurry", "s1g"):
        assert secret not in file.read_text().splitlines()[-2] + file.read_text().splitlines()[-1]


def test_a_dry_run_prints_and_moves_nothing(machine: Machine, tmp_path: Path) -> None:
    three(machine)
    telemetry(machine, jsonl=str(tmp_path / "all.jsonl"))
    first = command(machine, "run", "--dry-run", "--all")
    assert [line["event"] for line in first.lines].count("interlock.decision") == 3
    assert command(machine, "run", "--dry-run", "--all").out == first.out
    assert not (tmp_path / "all.jsonl").exists()
    assert not os.path.exists(machine.state / "telemetry")


def test_without_a_ledger_there_is_nothing_to_send_and_none_is_begun(machine: Machine, tmp_path: Path) -> None:
    telemetry(machine, jsonl=str(tmp_path / "all.jsonl"))
    assert command(machine, "run", "--once").out.endswith("nothing is recorded yet\n")
    assert not machine.ledger.exists()


WRONG = {
    "": "it names nothing to send to",
    'otlp = "collector:4318"': "`otlp` must be http://HOST:PORT",
    'otlp = "https://me:key@collector"': "keys go into `headers`",
    'syslog = "log.example"': "`syslog` must be udp://HOST:PORT",
    'syslog = "tls://log.example:6514"': "`syslog` must be udp://HOST:PORT",
    'syslog = "udp://log.example"': "`syslog` must be udp://HOST:PORT",
    'jsonl = "all.jsonl"': "`jsonl` must be a whole path",
    'jsonl = "/x"\narguments = "yes"': "`arguments` must be true or false",
    'jsonl = "/x"\nheaders = "/y"': "`headers` are for `otlp`",
    'json = "/x"': "`json` is no setting of telemetry",
    "jsonl = 1": "`jsonl` must be a text",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_the_settings_is_said(machine: Machine, text: str) -> None:
    (machine.user_policy.parent / "telemetry.toml").write_text(f"[telemetry]\n{text}\n")
    done = command(machine, "run", "--once")
    assert done.code == 64
    assert WRONG[text] in done.err


@pytest.mark.slow
def test_headers_of_a_vendor_come_from_a_file(machine: Machine, tmp_path: Path) -> None:
    three(machine)
    (tmp_path / "headers").write_text("api-key: abc123\n\n")
    with collector() as got:
        telemetry(machine, otlp=got.url, headers=str(tmp_path / "headers"))
        assert command(machine, "run", "--once", "--all").code == 0
    assert {headers.get("Api-Key") or headers.get("api-key") for headers in got.headers} == {"abc123"}
    (tmp_path / "headers").write_text("only-a-secret-key\n")
    done = command(machine, "run", "--once")
    assert done.code == 64
    assert "only-a-secret-key" not in done.err + done.out
