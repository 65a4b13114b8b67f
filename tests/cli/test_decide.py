"""`interlock decide`: one call and streams of calls, as scripts use it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from interlock import __version__
from machine import Machine

GOOD = {"tool": "Read", "input": {"file_path": "README.md"}}


@pytest.mark.parametrize(
    ("tool", "fields", "code", "verdict"),
    [
        ("Read", {"file_path": "README.md"}, 0, "allow"),
        ("Write", {"file_path": ".claude/settings.json", "content": "{}"}, 1, "deny"),
        ("Bash", {"command": "$TOOL x"}, 2, "ask"),
    ],
)
def test_the_exit_code_is_the_verdict(
    machine: Machine, tool: str, fields: dict[str, str], code: int, verdict: str
) -> None:
    run = machine.decide(tool, **fields)
    assert (run.code, run.json["verdict"]) == (code, verdict)


def test_a_decision_is_printed_as_the_wire_format_says(machine: Machine) -> None:
    decision = machine.decide("Write", file_path="/opt/x/sub/y.conf", content="a").json
    assert {key: decision[key] for key in decision if key not in ("approval", "policy", "receipt")} == {
        "verdict": "ask",
        "effect": "write",
        "effects": ["write"],
        "actions": [
            {
                "name": "fs:write",
                "target": {"path": "/opt/x/sub/y.conf"},
                "effects": ["write"],
                "tags": ["new", "outside"],
                "risk": "low",
                "irreversible": False,
                "compensator": None,
                "field": "file_path",
                "span": [0, 17],
            }
        ],
        "opaque": [],
        "reasons": [
            {
                "layer": "manifest",
                "rule": "confirm",
                "verdict": "ask",
                "text": "Change `/opt/x/sub/y.conf`: it is outside the project.",
                "instead": "Keep to files inside the project folder.",
                "grant": "fs:write path=/opt/x/sub/y.conf",
            }
        ],
        "satisfied": [],
        "near_misses": [],
        "notes": [],
        "posture": "interactive",
        "engine": __version__,
        "person": "Change `/opt/x/sub/y.conf`: it is outside the project.\n"
        "Yes also covers other changes to `/opt/x/sub/y.conf`, for the rest of this session.\n"
        "To stop these questions: interlock grant fs:write --scope path=/opt/x/sub/y.conf --reach repository "
        "--for ever",
        "agent": "Interlock has asked the person about this call. If they say no: Keep to files inside the project "
        "folder.",
    }
    assert decision["approval"].startswith("ap_")
    assert decision["policy"].startswith("sha256:")
    assert decision["receipt"].startswith("sha256:")


BAD_INPUT: list[tuple[str, bytes, str]] = [
    ("empty", b"", "the input is empty"),
    ("blank", b" \n", "the input is empty"),
    ("truncated", b'{"tool": "Read", "input', "not JSON"),
    ("not UTF-8", b'{"tool": "\xff"}', "not UTF-8 (byte 10)"),
    ("byte-order mark", b'\xef\xbb\xbf{"tool": "Read", "input": {}}', "byte-order mark"),
    ("duplicate keys", b'{"tool": "Read", "tool": "Write", "input": {}}', "`tool` occurs twice"),
    ("NaN", b'{"tool": "t", "input": {"n": NaN}}', "`NaN` is not JSON"),
    ("infinite", b'{"tool": "t", "input": {"n": 1e999}}', "numbers must be finite"),
    ("half a surrogate pair", rb'{"tool": "t", "input": {"x": "\ud800"}}', "surrogate pair"),
    ("too deep", b'{"tool": "t", "input": {"x": ' + b"[" * 101 + b"]" * 101 + b"}}", "deeper than 100"),
    ("far too deep", b"[" * 100_000, "deeper than 100"),
    ("10 MB", b'{"tool": "t", "input": {"x": "' + b"a" * 10_000_000 + b'"}}', "larger than"),
    ("an array", b"[1, 2]", "expected a JSON object, got an array"),
    ("two values", b"{} {}", "goes on after the JSON value"),
    ("no tool", b'{"input": {}}', "no `tool`"),
    ("empty tool", b'{"tool": "", "input": {}}', "`tool` must be a text"),
    ("tool is a number", b'{"tool": 4, "input": {}}', "`tool` must be a text"),
    ("no input", b'{"tool": "Read"}', "no `input`"),
    ("input is an array", b'{"tool": "Read", "input": []}', "`input` must be an object"),
    ("relative cwd", b'{"tool": "Read", "input": {}, "cwd": "x"}', "`cwd` must be an absolute path"),
    ("session is a number", b'{"tool": "Read", "input": {}, "session": 1}', "`session` must be a text"),
]


@pytest.mark.parametrize(("raw", "message"), [row[1:] for row in BAD_INPUT], ids=[row[0] for row in BAD_INPUT])
def test_bad_input_ends_with_64_and_one_clear_line(machine: Machine, raw: bytes, message: str) -> None:
    run = machine.run("decide", stdin=raw)
    assert (run.code, run.out, run.err.count("\n")) == (64, "", 1)
    assert run.err.startswith("interlock: ")
    assert message in run.err


@pytest.mark.slow
def test_a_bad_line_gets_an_error_on_its_line_and_the_stream_goes_on(machine: Machine) -> None:
    good = json.dumps(GOOD).encode()
    bad = [raw.replace(b"\n", b"") for _, raw, _ in BAD_INPUT]
    run = machine.run("decide", "--jsonl", stdin=b"\n".join([line for raw in bad for line in (raw, good)]) + b"\n")
    assert run.code == 0
    assert len(run.lines) == 2 * len(bad)
    for number, (name, _, message) in enumerate(BAD_INPUT):
        error = run.lines[2 * number]["error"]
        assert (error["kind"], error["line"]) == ("input", 2 * number + 1), name
        assert message in error["message"], name
        assert run.lines[2 * number + 1]["verdict"] == "allow", name


def test_a_stream_is_answered_line_by_line_as_it_comes(machine: Machine) -> None:
    with subprocess.Popen(
        machine.command("decide", "--jsonl"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=machine.project
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(json.dumps(GOOD).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["verdict"] == "allow"
        process.stdin.close()
        assert process.wait(30) == 0


def _stream(machine: Machine, calls: list[dict[str, Any]], *options: str) -> list[str]:
    text = "".join(json.dumps({"cwd": str(machine.project), **call}) + "\n" for call in calls)
    return [line["verdict"] for line in machine.run("decide", "--jsonl", *options, stdin=text).lines]


def _outside(name: str, session: str) -> dict[str, Any]:
    return {"tool": "Write", "input": {"file_path": f"/opt/team/notes/{name}", "content": ""}, "session": session}


def test_an_approval_is_remembered_for_its_session_and_no_other(machine: Machine) -> None:
    calls = [_outside("a", "one"), _outside("a", "one"), _outside("a", "two"), _outside("a", "")]
    assert _stream(machine, calls, "--answer", "approve") == ["ask", "allow", "ask", "ask"]


def test_a_refusal_is_the_default_and_grants_nothing(machine: Machine) -> None:
    calls = [_outside("a", "one"), _outside("a", "one"), _outside("a", "two")]
    assert _stream(machine, calls) == ["ask", "deny", "ask"]
    assert _stream(machine, calls, "--answer", "open") == ["ask", "ask", "ask"]


def test_a_call_that_is_told_to_have_run_was_not_refused(machine: Machine) -> None:
    ran = {**_outside("a", "one"), "outcome": "ran"}
    assert _stream(machine, [ran, _outside("a", "one")]) == ["ask", "ask"]


def test_in_strict_mode_nothing_is_remembered(machine: Machine) -> None:
    calls = [_outside("a", "one"), _outside("b", "one")]
    assert _stream(machine, calls, "--answer", "approve", "--mode", "strict") == ["ask", "ask"]


def test_an_approved_file_outside_the_project_covers_nothing_beside_it(machine: Machine) -> None:
    names = ("a", "b", ".env", "../other/a", "sub/c", "a")
    calls = [_outside(name, "s") for name in names]
    assert _stream(machine, calls, "--answer", "approve") == ["ask", "ask", "ask", "ask", "ask", "allow"]


def test_a_folder_outside_the_project_that_the_session_made_is_one_question(machine: Machine) -> None:
    made = {"tool": "Bash", "input": {"command": "mkdir /opt/team-notes"}, "session": "s"}
    calls = [
        {**_outside("", "s"), "input": {"file_path": f"/opt/team-notes/x/{name}", "content": ""}} for name in "abc"
    ]
    assert _stream(machine, [made, *calls], "--answer", "approve") == ["ask", "ask", "allow", "allow"]
    assert _stream(machine, calls, "--answer", "approve") == ["ask", "ask", "ask"]


def test_what_cannot_be_read_is_asked_each_time_even_when_approved(machine: Machine) -> None:
    call = {"tool": "Bash", "input": {"command": "$TOOL x"}, "session": "s"}
    assert _stream(machine, [call, call], "--answer", "approve") == ["ask", "ask"]


@pytest.mark.parametrize(
    ("posture", "verdicts"),
    [
        ("interactive", ["allow", "allow", "ask"]),
        ("autonomous", ["allow", "allow", "deny"]),
        ("dry_run", ["allow", "deny", "deny"]),
        ("locked", ["allow", "deny", "deny"]),
    ],
)
def test_the_posture_has_the_last_word(machine: Machine, posture: str, verdicts: list[str]) -> None:
    calls: list[dict[str, Any]] = [
        GOOD,
        {"tool": "Write", "input": {"file_path": "a.txt", "content": ""}},
        {"tool": "Bash", "input": {"command": "$TOOL x"}},
    ]
    assert _stream(machine, calls, "--posture", posture) == verdicts


def test_nothing_is_kept_unless_it_is_asked_for(machine: Machine) -> None:
    machine.decide("Read", file_path="README.md")
    assert not machine.ledger.exists()
    decided = machine.decide("Read", "--record", file_path="README.md").json
    assert [row["key"] for row in machine.rows()] == [decided["receipt"]]


def test_a_broken_policy_ends_with_65_and_every_problem(machine: Machine) -> None:
    file = machine.user_policy('version = 1\nposture = "asleep"\n[risk]\nmaks = "high"\n')
    run = machine.decide("Read", file_path="README.md")
    assert (run.code, run.out) == (65, "")
    assert run.err == (
        "interlock: 2 problems in the policy; nothing of it was applied\n"
        f"  {file}:2:1: `posture` must be one of interactive, autonomous, dry_run, locked\n"
        f"  {file}:4:1: unknown key `maks`; did you mean `max`?\n"
    )


def test_a_policy_file_that_is_given_stands_in_for_user_and_project(machine: Machine) -> None:
    machine.user_policy('version = 1\nposture = "locked"\n')
    given = machine.project / "given.toml"
    given.write_text('version = 1\n[tools.frobnicate]\neffects = ["read"]\n')
    assert machine.decide("frobnicate", "--policy", str(given)).json["verdict"] == "allow"
    assert machine.decide("frobnicate").json["verdict"] == "deny"


def test_a_wrong_option_is_not_mistaken_for_an_ask(machine: Machine) -> None:
    run = machine.run("decide", "--bogus")
    assert (run.code, run.out) == (64, "")


def test_a_reader_that_leaves_does_not_make_a_traceback(machine: Machine) -> None:
    lines = (json.dumps(GOOD) + "\n").encode() * 2000
    with subprocess.Popen(
        machine.command("decide", "--jsonl"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=machine.project,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        try:
            process.stdin.write(lines)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(30) == 141


@pytest.mark.slow
def test_a_long_stream_is_answered_in_order_whoever_decides(machine: Machine) -> None:
    """Long batches are shared among processes; what comes out must not show it."""
    calls: list[bytes] = []
    for n in range(1500):
        path = f"/opt/team/n{n}" if n % 3 else f"n{n}"
        call = {"tool": "Write", "input": {"file_path": path, "content": ""}, "cwd": str(machine.project)}
        calls.append(b"{broken" if n % 7 == 0 else json.dumps(call).encode())
    together = machine.run("decide", "--jsonl", stdin=b"\n".join(calls) + b"\n").lines
    assert len(together) == len(calls)
    for n, answer in enumerate(together):
        if n % 7 == 0:
            assert answer["error"]["line"] == n + 1
        else:
            assert answer["actions"][0]["target"]["path"].endswith(f"/n{n}")
            assert answer["verdict"] == ("ask" if n % 3 else "allow")
    few = machine.run("decide", "--jsonl", stdin=b"\n".join(calls[:20]) + b"\n").lines
    assert few == together[:20]
