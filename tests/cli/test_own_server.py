"""The entry of our own MCP server in a client's file: put in, brought up to date, and taken out to the byte."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from machine import Machine

OWN = ["-m", "interlock.cli"]
JSON = {
    "servers": '{\n  "numStartups": 3,\n  "mcpServers": {\n    "a": {"command": "a"}\n  },\n  "ratio": 1.0\n}\n',
    "none": '{"numStartups":3,"tips":{"x":1}}',
    "empty": '{\r\n\t"mcpServers": {}\r\n}',
}
TOML = {
    "tables": 'model = "x"  # mine\n\n[mcp_servers.a]\ncommand = "a"\n\n[projects."/p"]\ntrust_level = "trusted"\n',
    "no end of line": 'model = "x"',
    "windows": "[features]\r\nunified_exec_tty = false\r\n",
    "empty": "",
}


def file_of(machine: Machine, host: str) -> Path:
    path = machine.home / {"claude-code": ".claude.json", "codex": ".codex/config.toml"}[host]
    path.parent.mkdir(exist_ok=True)
    return path


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text()) if path.suffix == ".toml" else dict(json.loads(path.read_text()))


def servers(path: Path) -> dict[str, Any]:
    found = read(path)
    return dict(found.get("mcpServers") or found.get("mcp_servers") or {})


CASES = [("claude-code", text) for text in JSON.values()] + [("codex", text) for text in TOML.values()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("host", "text"), CASES, ids=[*JSON, *TOML])
def test_it_is_put_in_and_taken_out_to_the_byte(machine: Machine, host: str, text: str) -> None:
    path = file_of(machine, host)
    path.write_bytes(text.encode())
    path.chmod(0o640)
    before = read(path)
    assert machine.run("install", host, "--yes").code == 0
    entry = servers(path)["interlock"]
    assert (entry["args"][:1], entry["args"][1:3], entry["args"][-2:]) == (["-I"], OWN, ["mcp", "ask"])
    left = read(path)
    for table in ("mcpServers", "mcp_servers"):
        left.get(table, {}).pop("interlock", None)
        before.setdefault(table, {})
        left.setdefault(table, {})
    assert left == before
    assert machine.run("uninstall", host, "--yes").code == 0
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (text.encode(), 0o640)


def test_a_file_that_was_not_there_goes_again(machine: Machine) -> None:
    assert machine.run("install", "claude-code", "codex", "--yes").code == 0
    assert machine.run("uninstall", "claude-code", "codex", "--yes").code == 0
    assert [name.name for name in machine.home.iterdir() if name.name in (".claude.json", ".codex")] == []


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_what_the_client_has_written_since_stays(machine: Machine, host: str) -> None:
    path = file_of(machine, host)
    text = {"claude-code": JSON["servers"], "codex": TOML["tables"]}[host]
    path.write_text(text)
    machine.run("install", host, "--yes")
    if host == "codex":
        path.write_text(path.read_text() + '\n[hooks.state."x:stop:0:0"]\ntrusted_hash = "sha256:1"\n')
    else:
        path.write_text(path.read_text().replace('"numStartups": 3', '"numStartups": 4'))
    since = read(path)
    done = machine.run("uninstall", host, "--yes")
    assert (done.code, f"{path} has changed since" in done.out) == (0, True)
    since[{"claude-code": "mcpServers", "codex": "mcp_servers"}[host]].pop("interlock")
    assert read(path) == since


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_an_older_entry_is_brought_up_to_date_and_the_way_back_stays(machine: Machine, host: str) -> None:
    path = file_of(machine, host)
    text = {"claude-code": JSON["none"], "codex": TOML["tables"]}[host]
    path.write_text(text)
    machine.run("install", host, "--yes")
    new = path.read_text()
    path.write_text(new.replace(servers(path)["interlock"]["command"], "/old/python"))
    assert machine.run("install", host, "--yes").code == 0
    assert read(path) == (tomllib.loads(new) if host == "codex" else json.loads(new))
    machine.run("uninstall", host, "--yes")
    assert read(path).get("mcp_servers", {}).keys() == ({"a"} if host == "codex" else set())


def test_a_server_of_somebody_else_keeps_its_name(machine: Machine) -> None:
    path = file_of(machine, "claude-code")
    text = '{"mcpServers": {"interlock": {"command": "mine", "args": ["mcp", "ask"]}}}'
    path.write_text(text)
    done = machine.run("install", "claude-code", "--yes")
    assert (done.code, "questions are put as Claude Code itself does" in done.err) == (0, True)
    assert (machine.home / ".claude/settings.json").exists()
    machine.run("uninstall", "claude-code", "--yes")
    assert path.read_text() == text


def test_the_relay_leaves_it_alone(machine: Machine) -> None:
    path = file_of(machine, "claude-code")
    path.write_text(JSON["servers"])
    machine.run("install", "claude-code", "--yes")
    entry = servers(path)["interlock"]
    done = machine.run("install", "claude-code", "--mcp", "--yes")
    assert (done.code, servers(path)["interlock"]) == (0, entry)
    assert servers(path)["a"]["args"][-1] == "a"
    assert "interlock` in" not in done.out  # nothing is said of an address


def told_by_doctor(machine: Machine, host: str) -> list[tuple[str, str, str]]:
    done = machine.run("doctor", "--json", host)
    found = [row for row in done.json["findings"] if row["check"] == f"{host} questions"]
    return [(row["state"], row["text"], row["cure"] or "") for row in found]


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_doctor_tells_where_the_entry_is_missing_or_another(machine: Machine, host: str) -> None:
    path = file_of(machine, host)
    assert told_by_doctor(machine, host) == []  # not guarded at all, which is said already
    assert machine.run("install", host, "--project", "--yes").code == 0 or host == "codex"
    assert told_by_doctor(machine, host) == []  # a project's settings bring no server
    assert machine.run("install", host, "--yes").code == 0
    assert [state for state, _, _ in told_by_doctor(machine, host)] == ["ok"]
    text, entry = path.read_text(), servers(path)["interlock"]
    cure = f"interlock --home {machine.home} install {host}"
    for old, new, said in (
        (entry["command"], "/old/python", "another"),
        (f'"{machine.home}"', '"/elsewhere"', "another"),
        ("interlock.cli", "other.cli", "somebody else's"),
    ):
        path.write_text(text.replace(old, new))
        assert path.read_text() != text, old
        ((state, told, how),) = told_by_doctor(machine, host)
        assert (state, said in told, how) == ("warn", True, cure if said == "another" else ""), told
    path.write_text("")
    ((state, told, how),) = told_by_doctor(machine, host)
    assert (state, "missing" in told, str(path) in told, how) == ("warn", True, True, cure)
    assert told in machine.run("status").out
    assert machine.run("install", host, "--yes").code == 0
    assert [state for state, _, _ in told_by_doctor(machine, host)] == ["ok"]
