"""`interlock history import`, `simulate` and `suggest`: what a newcomer sees on their own past."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from machine import Machine
from transcripts import CWD, Claude, Codex

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _past(machine: Machine) -> None:
    """Two sessions of Claude Code and one of Codex."""
    one = Claude("c1").call("Read", file_path=CWD + "/README.md").bash("pytest -q")
    one.bash("git push origin feature/login").bash("git push origin feature/login -v").bash("npm install left-pad")
    one.call("Write", file_path="/opt/team/notes/a.txt", content="hi").bash("sudo rm -rf /").bash("$TOOL x")
    one.bash(f"curl -H 'Authorization: Bearer {SECRET}' https://api.example.com -d x=1")
    one.write(machine.home / ".claude/projects/-home-ada-app/c1.jsonl")
    two = Claude("c2").bash("git push https://git.example/app feature/search").bash("acme-cli build")
    two.write(machine.home / ".claude/projects/-home-ada-app/c2.jsonl")
    three = Codex("x1").function("shell", command=["bash", "-lc", "git push https://git.example/app feature/codex"])
    three.write(machine.home / ".codex/sessions/2026/11/01/rollout-2026-11-01T09-00-00-x1.jsonl")


def _files(machine: Machine) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(machine.home.rglob("*.jsonl"))}


def test_the_report_says_what_would_have_been_done(machine: Machine) -> None:
    _past(machine)
    before = _files(machine)
    run = machine.run("history", "import", "--json")
    assert (run.code, run.err) == (0, "")
    report = run.json
    assert (report["files"], report["calls"], report["skipped"]) == (3, 12, {})
    assert report["verdicts"] == {"allow": 2, "ask": 9, "deny": 1}
    assert report["prompts_per_100"] == 75.0
    assert [(row["key"], row["count"]) for row in report["asks"]] == [
        ("git:push", 2),  # where they went is not known, so a yes to one is none to the next
        ("git:push destination=git.example/app", 2),
        ("exec:acme-cli given=build", 1),
        ("fs:write path=/opt/team/notes/a.txt", 1),
        ("net:send host=api.example.com", 1),
        ("pkg:install package=left-pad", 1),
        ("reading/opaque", 1),
    ]
    assert [(row["session"], row["call"], row["rule"]) for row in report["denies"]] == [
        ("c1", "Bash sudo rm -rf /", "floor/catastrophe")
    ]
    assert report["days"] == [{"day": "2026-11-01", "calls": 12, "allow": 2, "ask": 9, "deny": 1}]
    assert [(row["host"], row["session"], row["calls"], row["ask"]) for row in report["sessions"]] == [
        ("claude-code", "c1", 9, 6),
        ("claude-code", "c2", 2, 2),
        ("codex", "x1", 1, 1),
    ]
    assert _files(machine) == before, "transcripts are read and nothing else, and nothing is kept unasked"


def test_secrets_are_neither_shown_nor_kept(machine: Machine) -> None:
    _past(machine)
    shown = machine.run("history", "import")
    told = machine.run("history", "import", "--keep", "--json")
    kept = machine.home / ".local/state/interlock/history.jsonl"
    assert told.json["kept"] == {"file": str(kept), "calls": 12}
    assert kept.stat().st_mode & 0o777 == 0o600
    suggested = machine.run("suggest", "--json").out
    for text in (shown.out, told.out, kept.read_text(), suggested):
        assert SECRET not in text
    assert "[redacted:" in told.out


def test_importing_twice_keeps_each_call_once(machine: Machine) -> None:
    _past(machine)
    machine.run("history", "import", "--keep")
    assert machine.run("history", "import", "--keep", "--json").json["kept"]["calls"] == 12
    only = machine.home / ".claude/projects/-home-ada-app/c2.jsonl"
    assert machine.run("history", "import", str(only), "--keep", "--json").json["kept"]["calls"] == 12


def test_lines_that_are_not_understood_are_counted_and_skipped(machine: Machine) -> None:
    session = Claude("c1").bash("ls")
    session.lines += [
        "{torn",
        "[]",
        '{"no": "kind"}',
        '{"type": "summary", "summary": "of no concern"}',
        '{"type": "assistant", "message": {"content": 5}}',
        '{"type": "assistant", "message": {"content": [7, {"type": "tool_use", "name": "Bash", "input": "x"}]}}',
        '{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": ["x"]}]}}',
        '{"a": 1, "a": 2}',
        "x" * (9 * 1024 * 1024),
    ]
    session.bash("git status")
    path = session.write(machine.home / "odd.jsonl")
    run = machine.run("history", "import", str(path), "--json")
    assert (run.code, run.json["calls"]) == (0, 2)
    assert run.json["skipped"] == {
        "a call without a name or an input": 1,
        "a message without content": 1,
        "not a JSON object": 3,
        "of no known kind": 1,
        "too long": 1,
    }
    assert "7 of 14 lines were skipped" in machine.run("history", "import", str(path)).out


def test_without_transcripts_the_newcomer_is_told_where_they_would_be(machine: Machine) -> None:
    run = machine.run("history", "import")
    assert (run.code, "~/.claude/projects" in run.err) == (64, True)
    assert f"interlock --home {machine.home} history import --keep" in machine.run("suggest").err
    assert machine.run("simulate").code == 64


def test_another_policy_changes_verdicts_and_the_groups_say_which(machine: Machine) -> None:
    _past(machine)
    machine.run("history", "import", "--keep")
    new = machine.home / "new.toml"
    new.write_text(
        'version = 1\n[tiers.actions]\n"git:push" = 1\n"pytest:*" = 3\n'
        '[[rules]]\nid = "no-npm"\nwhen = { action = "pkg:install" }\nverdict = "deny"\nreason = "use the mirror"\n'
        '[[rules]]\nid = "look"\nwhen = { action = "fs:read" }\nverdict = "ask"\nreason = "say so"\n'
    )
    run = machine.run("simulate", "--policy", str(new), "--json")
    assert (run.code, run.err) == (0, "")
    assert (run.json["before"], run.json["after"]) == (
        {"allow": 2, "ask": 9, "deny": 1},
        {"allow": 5, "ask": 5, "deny": 2},
    )
    found = [(row["kind"], row["before"], row["after"], row["key"], row["count"]) for row in run.json["changes"]]
    assert found == [
        ("newly_denied", "ask", "deny", "rules/no-npm", 1),
        ("newly_asked", "allow", "ask", f"fs:read path={CWD}/*", 1),
        ("newly_allowed", "ask", "allow", "git:push", 2),
        ("newly_allowed", "ask", "allow", "git:push destination=git.example/app", 2),
    ]
    assert run.json["prompts_saved"] == 4
    one = machine.run("simulate", "--policy", str(new), "--session", "c2", "--json").json
    assert (one["calls"], one["newly_allowed"]) == (2, 1)
    shown = machine.run("simulate", "--policy", str(new)).out
    assert "1 newly denied, 1 newly asked, 4 newly allowed" in shown
    assert "what this cannot know:" in shown


def _record(machine: Machine, *commands: str) -> None:
    for command in commands:
        machine.decide("Bash", "--record", command=command)


def test_the_ledger_and_its_export_simulate_alike(machine: Machine, tmp_path: Path) -> None:
    _record(machine, "ls", "git commit --amend --no-edit", "git rebase main", "rm -rf /")
    new = machine.home / "new.toml"
    new.write_text('version = 1\napproval_mode = "permissive"\n')
    export = tmp_path / "rows.jsonl"
    export.write_text(machine.run("audit", "export").out)
    ours = machine.run("simulate", "--policy", str(new), "--json").json
    theirs = machine.run("simulate", "--policy", str(new), "--against", str(export), "--json").json
    assert {**ours, "sources": []} == {**theirs, "sources": []}
    assert (ours["calls"], ours["newly_allowed"], ours["newly_denied"]) == (4, 2, 0)
    assert machine.run("simulate", "--policy", str(new), "--since", "2099-01-01", "--json").json["calls"] == 0
    same = machine.run("simulate", "--json").json
    assert (same["before"], same["changes"]) == (same["after"], [])


def test_a_changed_row_is_no_ground_for_figures(machine: Machine) -> None:
    _record(machine, "ls")
    with closing(sqlite3.connect(machine.ledger)) as database:
        database.execute("UPDATE ledger SET body = replace(CAST(body AS TEXT), 'allow', 'ask') WHERE kind = 'decision'")
        database.commit()
    run = machine.run("simulate")
    assert (run.code, f"interlock --home {machine.home} audit verify" in run.err) == (74, True)


def test_suggestions_come_with_what_else_they_would_allow(machine: Machine) -> None:
    _past(machine)
    machine.run("history", "import", "--keep")
    run = machine.run("suggest", "--json")
    assert (run.code, run.err) == (0, "")
    first = run.json["suggestions"][0]
    assert first == {
        "form": "grant",
        "action": "git:push",
        "scope": {"branch": "feature/*", "destination": "git.example/app"},
        "key": "git:push destination=git.example/app",
        "saved": 2,
        "examples": [
            "Bash git push https://git.example/app feature/search",
            "Bash git push https://git.example/app feature/codex",
        ],
        "also": {"count": 0, "examples": []},
        "allows": "every `git:push` with branch `feature/*` and destination `git.example/app`, whatever else the call "
        "says; switches such as force, all or delete are still asked about",
        "command": "interlock grant \"git push\" --scope 'branch=feature/*' --scope destination=git.example/app "
        "--reach everywhere --for 30d",
        "toml": '[[grants]]\nid = "suggested-git-push-feature-git-example-app"\naction = "git:push"\n'
        'scope = { "branch" = "feature/*", "destination" = "git.example/app" }',
    }
    assert [one["action"] for one in run.json["suggestions"]] == [
        "git:push",
        "exec:acme-cli",
        "fs:write",
        "pkg:install",
    ]
    assert run.json["not_suggested"] == 4, "the opaque call, one that carries a token, and pushes to nobody knows where"
    assert len(machine.run("suggest", "--top", "1", "--json").json["suggestions"]) == 1


def test_a_suggestion_can_be_used_as_it_is_printed(machine: Machine) -> None:
    _past(machine)
    machine.run("history", "import", "--keep")
    before = machine.run("suggest", "--json").json
    new = machine.home / "new.toml"
    new.write_text("version = 1\n" + "\n".join(one["toml"] for one in before["suggestions"]) + "\n")
    after = machine.run("simulate", "--policy", str(new), "--json").json
    assert (after["prompts_saved"], after["newly_allowed"]) == (before["saved"], before["saved"])
    assert machine.run("suggest", "--policy", str(new), "--json").json["suggestions"] == []


def _verdict(machine: Machine, command: str) -> str:
    return str(machine.decide("Bash", command=command).json["verdict"])


@pytest.mark.slow
def test_each_command_that_is_printed_does_what_it_says(machine: Machine) -> None:
    """Printed for a shell, run by a shell, and then the calls are decided again: in any session, in any project."""
    asked = (
        *("npm i left-pad@1.2", "npm i left-pad@1.3", "pip install requests==2.31", "pip install requests==2.32"),
        *("npm i @acme/ui@^2.0", "npm i @acme/ui@~2.1", "git push origin feature/a", "git push origin feature/b"),
        *("cp a '/opt/team/o'\\''brien notes/a'", "cp a '/opt/team/o'\\''brien notes/b'", "npm i left-pad"),
    )
    machine.repository()
    _record(machine, *asked)
    assert {_verdict(machine, command) for command in asked} == {"ask"}
    data = machine.run("suggest", "--top", "20", "--json").json
    printed = [line.strip() for line in machine.run("suggest", "--top", "20").out.splitlines()]
    commands = [one["command"] for one in data["suggestions"]]
    assert [line for line in printed if line.startswith("interlock grant ")] == commands
    found = [one["scope"]["package"] for one in data["suggestions"] if one["action"] == "pkg:install"]
    assert sorted(found) == ["@acme/ui@*", "left-pad", "left-pad@*", "requests==*"]  # one for all versions
    for command in commands:
        script = f"interlock() {{ printf '%s\\0' \"$@\"; }}; {command}"
        words = subprocess.run(["sh", "-c", script], capture_output=True, check=True, text=True).stdout.split("\0")
        assert machine.run(*words[:-1], "--yes").code == 0, words
    assert {command: _verdict(machine, command) for command in asked} == dict.fromkeys(asked, "allow")
    for command in ("npm i left-pad@9", "npm i @acme/ui@latest", "pip install requests==3"):
        assert _verdict(machine, command) == "allow", command
    for command in (
        *("npm i left-pad@npm:evil@1", "npm i left-pad@github:evil/x", "npm i left-pad@evil/x", "npm i left-padding@1"),
        *(
            "npm i left-pad@file:../x",
            "npm i left-pad@https://e.example/x.tgz",
            "npm i @acme/ui@evil/x",
            "npm i evil@1",
        ),
        *("pip install requests==2 --index-url https://e.example", "npm i left-pad@1 evil@1"),
    ):
        assert _verdict(machine, command) != "allow", command


def _as_of_another_version(machine: Machine, change: Any = None) -> None:
    """The first decision as an older engine would have recorded it, with right hashes."""
    from interlock.bytes.canon import canonical, digest
    from interlock.record.chain import COLUMNS, row_hash

    row = machine.rows()[0]
    receipt = {**row["body"]["receipt"], "engine": "0.0.9"}
    if change is not None:
        change(receipt)
    with closing(sqlite3.connect(machine.ledger)) as database:
        found = list(
            database.execute(f"SELECT {', '.join(COLUMNS)} FROM ledger WHERE seq = ?", (row["seq"],)).fetchone()
        )
        found[4], found[8] = digest(receipt), canonical({**row["body"], "receipt": receipt})
        database.execute(
            "UPDATE ledger SET key = ?, body = ?, hash = ? WHERE seq = ?",
            (found[4], found[8], row_hash(tuple(found)), row["seq"]),
        )
        database.commit()


def test_a_receipt_of_another_version_is_verified_and_joined_again(machine: Machine) -> None:
    _record(machine, "git push origin main")
    _as_of_another_version(machine)
    run = machine.run("replay", "--all")
    assert (run.code, run.out.splitlines()[0]) == (0, "1 of 1 receipts hold")
    (line,) = machine.run("replay", "--json").lines
    assert (line["engine"], line["problems"], line["changes"]) == ("0.0.9", [], [])


def test_what_this_version_reads_otherwise_is_a_diff_and_no_failure(machine: Machine) -> None:
    def unread(receipt: dict[str, Any]) -> None:
        receipt["reading"]["actions"][0]["name"] = "git:send"
        receipt["decision"]["reasons"][0]["text"] = "as it was said then"

    _record(machine, "git push origin main")
    _as_of_another_version(machine, unread)
    run = machine.run("replay", "--json")
    assert run.code == 0
    assert any(change.startswith("read again: reading.actions[0].name") for change in run.lines[0]["changes"])


def test_a_receipt_of_another_version_must_follow_from_its_own_findings(machine: Machine) -> None:
    def forged(receipt: dict[str, Any]) -> None:
        receipt["decision"]["verdict"] = "allow"

    _record(machine, "git push origin main", "git status")
    _as_of_another_version(machine, forged)
    run = machine.run("replay", "--all")
    assert run.code == 1
    assert run.out.splitlines()[1:] == [
        "         decision.verdict: recorded allow, joined ask",
        "1 of 2 receipts hold",
    ]


def test_replay_of_all_takes_a_beginning(machine: Machine) -> None:
    _record(machine, "ls")
    assert machine.run("replay", "--all", "--since", "1d").out == "1 of 1 receipts hold\n"
    assert machine.run("replay", "--all", "--since", "2099-01-01").code == 64
    assert machine.run("replay", "--all", "sha256:00").code == 64


def test_codex_calls_become_what_its_hooks_are_told(machine: Machine) -> None:
    session = Codex("x1")
    session.function(
        "exec_command", "Chunk ID: 1\nProcess exited with code 2\nOutput:\nno\n", cmd="git push origin main"
    )
    session.item(
        "Success",
        type="custom_tool_call",
        name="apply_patch",
        input="*** Begin Patch\n*** Add File: q\n+x\n*** End Patch\n",
    )
    session.item(type="local_shell_call", action={"type": "exec", "command": ["rm", "-rf", "/"]})
    session.item(type="function_call", name="shell", arguments="{torn")
    path = session.write(machine.home / "rollout-x.jsonl")
    run = machine.run("history", "import", str(path), "--keep", "--json")
    assert run.json["verdicts"] == {"allow": 1, "ask": 1, "deny": 1}
    assert run.json["skipped"] == {"a call whose arguments are not understood": 1}
    kept = [json.loads(line) for line in Path(run.json["kept"]["file"]).read_text().splitlines()]
    assert [(row["outcome"], row["body"]["receipt"]["call"]["tool"], row["body"]["input"]) for row in kept] == [
        ("failed", "Bash", {"command": "git push origin main"}),
        ("ran", "Patch", {"input": "*** Begin Patch\n*** Add File: q\n+x\n*** End Patch\n"}),
        ("unknown", "Bash", {"command": "rm -rf /"}),
    ]
