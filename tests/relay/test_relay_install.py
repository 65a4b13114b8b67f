"""The relay in a client's own files: put in, found, and taken out as if it had never been there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from interlock.install.mcp_servers import put_behind, servers_in, taken_back
from live.client import Live, needs_client
from live.codex import CODEX as CODEX_BIN
from live.codex import needs_codex
from namespaces import needs_namespaces
from person import at_a_terminal

from .wire import INTERLOCK, calls_in, scripted

CLAUDE = """{
  "numStartups": 1.0, "name": "\\u00e9",
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server-filesystem", "/x"], "env": {"A": "1"}},
    "bare": { "command": "/usr/bin/bare" },
    "far": {"type": "http", "url": "https://mcp.example.org"}
  },
  "projects": {"/p": {"mcpServers": {"my own": {"type": "stdio", "command": "one", "args": []}}, "x": []}}
}
"""


def relay(name: str) -> tuple[str, ...]:
    return ("/py", "-I", "-m", "interlock.cli", "mcp", "run", "--name", name)


def test_every_server_that_is_a_program_gets_the_relay_and_nothing_else_moves() -> None:
    text = put_behind(CLAUDE, relay)
    found = {server.name: (server.command, server.relayed) for server in servers_in(text)}
    assert found == {
        "files": (("npx", "-y", "server-filesystem", "/x"), True),
        "bare": (("/usr/bin/bare",), True),
        "far": ((), False),
        "my own": (("one",), True),
    }
    data = json.loads(text)
    assert data["mcpServers"]["files"] == {
        "command": "/py",
        "args": [*relay("files")[1:], "--", "npx", "-y", "server-filesystem", "/x"],
        "env": {"A": "1"},
    }
    assert '"numStartups": 1.0, "name": "\\u00e9",' in text
    assert put_behind(text, relay) == text  # once is enough


def test_taking_it_back_leaves_what_changed_meanwhile() -> None:
    text = put_behind(CLAUDE, relay).replace('"numStartups": 1.0', '"numStartups": 2')
    back = json.loads(taken_back(text))
    was = json.loads(CLAUDE)
    was["numStartups"] = 2
    del was["projects"]["/p"]["mcpServers"]["my own"]["args"]  # it was empty
    assert back == was


def test_a_server_whose_own_words_look_like_ours_is_not_taken_for_the_relay() -> None:
    text = json.dumps({"mcpServers": {"a": {"command": "x", "args": ["mcp", "run", "--", "y"]}}})
    assert servers_in(text)[0].relayed is False
    assert taken_back(text) == text


@pytest.mark.parametrize("text", ["", "{}", '{"mcpServers": []}', '{"mcpServers": {"a": 1, "b": {"command": 2}}}'])
def test_what_names_no_server_stays(text: str) -> None:
    assert put_behind(text, relay) == text


@pytest.mark.slow
def test_there_and_back_by_command(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    files = {home / ".claude.json": CLAUDE, project / ".mcp.json": '{"mcpServers":{"a":{"command":"b"}}}'}
    for file, text in files.items():
        file.write_text(text)
    done = at_a_terminal(home, "install", "--mcp", keys="y\n", folder=project)
    assert done.code == 0, done.out
    assert f"`far` in {home}/.claude.json is reached by an address, and goes past the relay." in done.out
    run = f"interlock --home {home} mcp serve --name far --url https://mcp.example.org --port 8788"
    assert f"  Keep this running: {run}\n" in done.out
    assert "  and name http://127.0.0.1:8788/mcp there in place of its own" in done.out
    entry = json.loads((project / ".mcp.json").read_text())["mcpServers"]["a"]
    own = [sys.executable, "-I", "-m", "interlock.cli", "--home", str(home), "mcp", "run", "--name", "a", "--", "b"]
    assert [entry["command"], *entry["args"]] == own
    again = at_a_terminal(home, "install", "--mcp", "--json", folder=project)
    assert [row["result"] for row in json.loads(again.out)["files"]] == ["unchanged", "unchanged"]
    assert json.loads(again.out)["files"][0]["by_address"] == [
        {"name": "far", "run": run, "address": "http://127.0.0.1:8788/mcp"}
    ]
    status = json.loads(at_a_terminal(home, "status", "--json", folder=project).out)
    assert status["mcp"] == {str(home / ".claude.json"): ["files", "bare", "my own"], str(project / ".mcp.json"): ["a"]}
    told = at_a_terminal(home, "doctor", folder=project).out
    assert f"3 servers in {home}/.claude.json go through the relay" in told
    by_agent = subprocess.run(
        [*INTERLOCK, "--home", str(home), "uninstall", "--mcp", "--yes"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=project,
        check=False,
    )
    assert "only a person at a terminal may do this" in by_agent.stderr
    out = at_a_terminal(home, "uninstall", "--mcp", "--yes", folder=project)
    assert out.code == 0, out.out
    assert {file: file.read_text() for file in files} == files


CODEX = """model = "x"   # mine

[mcp_servers.files]
command = "npx"  # starts it
args = [
  "-y", # yes
  'server-filesystem', "/x y",
]
env = { "A" = "1" }

  [mcp_servers."my own"]
  command = 'bare'
[mcp_servers.far]
url = "https://mcp.example.org/mcp"

[[profiles]]
command = "not a server"

[mcp_servers]
inline = { command = "one", env = { B = "2" } }
dotted.command = \"\"\"two\"\"\"
"""


def test_codex_servers_get_the_relay_and_nothing_else_moves() -> None:
    text = put_behind(CODEX, relay, "toml")
    before, after = tomllib.loads(CODEX), tomllib.loads(text)
    own = {
        "files": ["npx", "-y", "server-filesystem", "/x y"],
        "my own": ["bare"],
        "inline": ["one"],
        "dotted": ["two"],
    }
    for name, words in own.items():
        entry = after["mcp_servers"][name]
        assert [entry["command"], *entry["args"]] == [*relay(name), "--", *words]
        assert entry.pop("env", None) == before["mcp_servers"].pop(name).get("env")
        del after["mcp_servers"][name]
    assert after == before
    assert 'model = "x"   # mine\n' in text
    assert "# starts it" in text
    assert put_behind(text, relay, "toml") == text
    back = tomllib.loads(taken_back(text, "toml"))
    assert back["mcp_servers"]["files"] == tomllib.loads(CODEX)["mcp_servers"]["files"]
    assert back["mcp_servers"]["dotted"] == {"command": "two", "args": []}
    crlf = put_behind(CODEX.replace("\n", "\r\n"), relay, "toml")
    assert tomllib.loads(crlf) == tomllib.loads(text)
    assert "\n" not in crlf.replace("\r\n", "")


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers.a.command = "x"\nmcp_servers.a."args" = ["y"]\n',
        '"mcp_servers"."a b" = {command="x"}',
        '[mcp_servers.a]\n"command" = "x"',
        "[mcp_servers.a]\ncommand='x' # [a] = { \" \n\n# args = []\n[b]\nargs = 1979-05-27\n",
        '[mcp_servers.a.env]\nX = "1"\n[mcp_servers.a]\ncommand = "x"\n',
    ],
)
def test_other_ways_to_write_them_down_are_edited_or_refused(text: str) -> None:
    changed = put_behind(text, relay, "toml")
    (server,) = servers_in(changed, "toml")
    assert server.relayed
    assert server.command[0] == "x"
    assert servers_in(taken_back(changed, "toml"), "toml") == servers_in(text, "toml")


OPENCODE = """{
  "$schema": "https://opencode.ai/config.json", "theme": "\\u00e9",
  "mcp": {
    "files": {"type": "local", "command": ["npx", "-y", "server-filesystem"], "enabled": true},
    "far": {"type": "remote", "url": "https://mcp.example.org"},
    "servers": {"newer": {"type": "local", "command": ["two"]}}
  }
}
"""


def test_opencode_servers_get_the_relay_and_nothing_else_moves() -> None:
    text = put_behind(OPENCODE, relay, "opencode")
    found = {server.name: (server.command, server.relayed, server.url) for server in servers_in(text, "opencode")}
    assert found["files"] == (("npx", "-y", "server-filesystem"), True, "")
    assert found["newer"] == (("two",), True, "")
    assert found["far"] == ((), False, "https://mcp.example.org")
    assert json.loads(text)["mcp"]["files"]["command"] == [*relay("files"), "--", "npx", "-y", "server-filesystem"]
    assert '"theme": "\\u00e9"' in text
    assert taken_back(text, "opencode") == OPENCODE


def test_codex_and_opencode_there_and_back_by_command(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    files = {home / ".codex/config.toml": CODEX, home / ".config/opencode/opencode.json": OPENCODE}
    for file, text in files.items():
        file.parent.mkdir(parents=True)
        file.write_text(text)
    dry = at_a_terminal(home, "install", "codex", "--mcp", "--dry-run", folder=project)
    assert '+command = "' in dry.out
    assert {file: file.read_text() for file in files} == files
    assert at_a_terminal(home, "install", "--mcp", "--yes", folder=project).code == 0
    for file, text in files.items():
        assert file.read_text() != text
    told = at_a_terminal(home, "doctor", folder=project).out
    assert f"4 servers in {home}/.codex/config.toml go through the relay" in told
    assert at_a_terminal(home, "uninstall", "--mcp", "--yes", folder=project).code == 0
    assert {file: file.read_text() for file in files} == files


@needs_codex
def test_codex_itself_reads_the_file_so(tmp_path: Path) -> None:
    file = tmp_path / "home/config.toml"
    file.parent.mkdir()
    file.write_text(put_behind(CODEX.replace("[[profiles]]", "[[unknown]]"), relay, "toml"))
    done = subprocess.run(
        [str(CODEX_BIN), "mcp", "list", "--json"],
        env={**os.environ, "CODEX_HOME": str(file.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    told = {server["name"]: server["transport"] for server in json.loads(done.stdout)}
    assert told["files"]["command"] == "/py"
    assert told["files"]["args"] == [*relay("files")[1:], "--", "npx", "-y", "server-filesystem", "/x y"]
    assert told["far"]["url"] == "https://mcp.example.org/mcp"


@pytest.mark.slow
@needs_client
@needs_namespaces
def test_claude_code_starts_the_servers_of_its_own_files_through_it(tmp_path: Path, log: Path) -> None:
    live = Live.at(tmp_path / "machine", guarded=False)
    command, *args = scripted(log)
    (live.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": {"command": command, "args": args}}}))
    file = live.home / ".claude.json"
    told = json.loads(file.read_text())
    told["projects"][str(live.project)]["enabledMcpjsonServers"] = ["s"]
    file.write_text(json.dumps(told))
    assert at_a_terminal(live.home, "install", "claude-code", "--mcp", "--yes", folder=live.project).code == 0
    run = live.headless([("mcp__s__echo", {"message": "x"}), "done"])
    assert "approval pending" in run.told(0)
    assert at_a_terminal(live.home, "uninstall", "claude-code", "--mcp", "--yes", folder=live.project).code == 0
    run = live.headless([("mcp__s__echo", {"message": "x"}), "done"])
    assert "ran echo" in run.told(0)
    assert len(calls_in(log)) == 1
