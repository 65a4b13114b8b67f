"""What only one of the hosts does that are known by their documentation: their quirks, as that tells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY
from host_process import Client
from interlock.hosts import HOSTS, host_named

UNPROVEN = [host for host in HOSTS if not host_named(host).TRAITS.proven]


def test_these_hosts_are_unproven() -> None:
    assert UNPROVEN == ["cursor", "vscode", "goose", "windsurf", "cline", "kiro", "amp"]


@pytest.mark.parametrize("host", UNPROVEN)
def test_its_payloads_say_that_no_client_sent_them(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    assert client.payloads["client"].startswith("none: after ")
    assert client.payloads["client"].endswith("not captured from a client")


@pytest.mark.parametrize("host", UNPROVEN)
def test_its_line_is_one_for_any_shell(host: str, tmp_path: Path) -> None:
    assert Client(host, tmp_path).handler(Client(host, tmp_path).gate)["command"].startswith("/bin/sh -c 'watch=")


@pytest.mark.parametrize("host", UNPROVEN)
def test_an_answer_that_never_comes_denies(host: str, tmp_path: Path) -> None:
    guard = tmp_path / "hook/guard.py"
    guard.parent.mkdir()
    guard.write_text("import sys; sys.exit()")  # it leaves with 0 and says nothing
    client = Client(host, tmp_path, guard=str(guard))
    _, taken = client.send(client.shell("ls"))
    assert taken == DENY


@pytest.mark.parametrize("host", UNPROVEN)
def test_a_command_that_shells_take_differently_does_not_run(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    _, taken = client.send(client.shell("ls $'\\'; touch x\n#\\''"))
    assert taken == (ASK if host_named(host).TRAITS.asks else DENY)


# --- Cursor, goose, Kiro: what their settings must have -------------------------------------------------------------

SETTINGS: dict[str, dict[str, Any]] = {
    "cursor": {"timeout": 10, "failClosed": True},
    "goose": {"type": "command", "timeout": 10, "on_failure": "block"},
    "vscode": {"type": "command", "timeout": 10},
    "windsurf": {"show_output": True},
    "kiro": {"matcher": "*", "timeout_ms": 10_000, "cache_ttl_seconds": 0},
}


@pytest.mark.parametrize("host", SETTINGS)
def test_its_settings_have_this_beside_the_line(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    handler = client.handler(client.gate)
    assert {key: value for key, value in handler.items() if key != "command"} == SETTINGS[host]


def test_goose_is_given_a_regular_expression_that_matches_every_tool(tmp_path: Path) -> None:
    assert Client("goose", tmp_path).settings["hooks"]["PreToolUse"][0]["matcher"] == ".*"


def test_cursor_is_told_its_version_of_the_format(tmp_path: Path) -> None:
    assert Client("cursor", tmp_path).settings["version"] == 1


def test_windsurf_has_the_line_for_each_action_that_can_be_blocked(tmp_path: Path) -> None:
    assert [*Client("windsurf", tmp_path).settings["hooks"]] == [
        "pre_run_command",
        "pre_write_code",
        "pre_read_code",
        "pre_mcp_tool_use",
    ]


# --- VS Code --------------------------------------------------------------------------------------------------------


def test_vs_code_s_older_names_of_fields_are_read_too(tmp_path: Path) -> None:
    client = Client("vscode", tmp_path)
    event = client.shell("ls")
    event["sessionId"], event["hookEventName"] = event.pop("session_id"), event.pop("hook_event_name")
    assert client.send(event, to=client.gate)[1] == ALLOW


# --- Cline ----------------------------------------------------------------------------------------------------------


def test_cline_is_told_to_cancel_on_both_ways_where_no_answer_came(tmp_path: Path) -> None:
    client = Client("cline", tmp_path, guard=str(tmp_path / "gone.py"))
    ran, _ = client.send(client.shell("ls"))
    assert (ran.code, json.loads(ran.out)["cancel"]) == (2, True)


@pytest.mark.parametrize("roots", [[], ["<project>", "<home>"], None], ids=["none", "two", "not told"])
def test_cline_denies_where_the_folder_is_not_told(tmp_path: Path, roots: list[str] | None) -> None:
    client = Client("cline", tmp_path)
    event = {**client.shell("ls"), "workspaceRoots": client.here(roots)}
    assert client.send(event)[1] == DENY


# --- Windsurf -------------------------------------------------------------------------------------------------------


def test_a_folder_that_windsurf_reads_counts_with_all_that_is_in_it(tmp_path: Path) -> None:
    client = Client("windsurf", tmp_path)
    (client.home / ".ssh").mkdir()
    (client.home / ".ssh/id_ed25519").write_text("key")
    for folder, taken in ((client.home / ".ssh", DENY), (client.project, ALLOW)):
        event = client.event("a file that is read") | {"tool_info": {"file_path": str(folder)}}
        assert (folder, client.send(event)[1]) == (folder, taken)


# --- Amp ------------------------------------------------------------------------------------------------------------


def test_amp_denies_a_call_of_which_the_tool_is_not_told(tmp_path: Path) -> None:
    client = Client("amp", tmp_path)
    frozen: Any = client.event("a command")
    with pytest.raises(Exception, match="no `tool_name`"):
        host_named("amp").event_from(frozen, {}, 0)
