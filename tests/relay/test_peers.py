"""The `mcp` package as the client, in both eras, and servers that others wrote, with the relay between them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from interlock.store.home.pins import read_pins

from .peers import CASES, EVERYTHING, FILESYSTEM, MCP_PYTHON, needs_peers
from .wire import INTERLOCK, Home

pytestmark = needs_peers

MODERN = (MCP_PYTHON, str(CASES / "modern_server.py"))
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def driven(
    home: Home | None, server: Sequence[str], steps: list[Any], *, mode: str = "auto", elicits: str = ""
) -> dict[str, Any]:
    relay = () if home is None else (*INTERLOCK, "--home", str(home.at), "mcp", "run", "--name", "s", "--")
    done = subprocess.run(
        [MCP_PYTHON, str(CASES / "client.py"), mode, elicits, json.dumps(steps), "--", *relay, *server],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def said(text: str, *, error: bool = False) -> dict[str, Any]:
    return {"error": error, "text": [text]}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ERAS)
def test_allowed_refused_and_pending_in_both_eras(home: Home, mode: str) -> None:
    home.says('\n[tools.mcp__s__echo]\neffects = ["read"]\n')
    steps = [["echo", {"message": "hi"}], ["slow", {"steps": 2}], "list"]  # a call before any list
    got = driven(home, MODERN, steps, mode=mode)
    assert got["version"] == ERAS[mode]
    echo, slow, tools = got["results"]
    assert echo == said("Echo: hi")
    assert slow["error"] is True
    assert slow["text"][0].startswith("Interlock: approval pending, ap_")
    assert tools == ["echo", "slow"]
    assert sorted(read_pins(home.folders, "s")) == ["echo", "slow"]
    assert home.outcomes() == ["ran"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("answer", ["this call", "decline"])
def test_a_trusted_client_answers_in_both_eras(home: Home, mode: str, answer: str) -> None:
    home.says('\n[approvals]\nelicit = ["mcp"]\n')
    got = driven(home, MODERN, [["echo", {"message": "hi"}]], mode=mode, elicits=answer)
    assert len(got["asked"]) == 1
    assert got["asked"][0].startswith("Interlock: Use `echo` of the tool server `s`")
    (echo,) = got["results"]
    if answer == "decline":
        assert echo["error"] is True
        assert echo["text"][0].startswith("Refused")
    else:
        assert echo == said("Echo: hi")
    assert [row["surface"] for row in home.rows("answer")] == ["elicitation"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ERAS)
def test_progress_and_cancelling_pass(home: Home, mode: str) -> None:
    steps = [["slow", {"steps": 3}, "progress"], ["slow", {"steps": 40}, "cancel"], "wait", ["echo", {"message": "on"}]]
    got = driven(home, MODERN, steps, mode=mode)
    assert got["results"] == [{**said("slow done"), "progress": 3}, "cancelled", None, said("Echo: on")]
    assert home.outcomes() == ["ran", "unknown", "ran"]


@pytest.mark.slow
def test_server_everything_is_as_it_is_without_the_relay(home: Home) -> None:
    steps = [
        "list",
        "wait",
        ["echo", {"message": "hi"}],
        ["get-sum", {"a": 1, "b": 2}],
        ["get-structured-content", {"location": "Chicago"}],
        ["echo", {"wrong": 1}],
        ["trigger-long-running-operation", {"duration": 0.4, "steps": 2}, "progress"],
    ]
    through, direct = driven(home, EVERYTHING, steps), driven(None, EVERYTHING, steps)
    assert through == direct
    assert through["results"][2] == said("Echo: hi")
    assert home.outcomes() == ["ran", "ran", "ran", "failed", "ran"]
    assert len(read_pins(home.folders, "s")) >= 13


def test_server_filesystem_stays_in_its_folder_and_asks_before_it_writes(home: Home, tmp_path: Path) -> None:
    home.says('\n[tools."mcp__s__read_*"]\neffects = ["read"]\n')
    place = tmp_path / "place"
    place.mkdir()
    (place / "a.txt").write_text("hello")
    steps = [
        ["read_text_file", {"path": str(place / "a.txt")}],
        ["write_file", {"path": str(place / "b.txt"), "content": "x"}],
    ]
    read, write = driven(home, [*FILESYSTEM, str(place)], steps)["results"]
    assert read["text"] == ["hello"]
    assert write["text"][0].startswith("Interlock: approval pending")
    assert not (place / "b.txt").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("server", [EVERYTHING, (*FILESYSTEM, "/tmp")], ids=["everything", "filesystem"])
def test_nothing_is_pointed_out_in_the_definitions_of_honest_servers(home: Home, server: Sequence[str]) -> None:
    from interlock.relay.definitions import pinned_tool, pointed_out

    driven(home, server, ["list"])
    pins = read_pins(home.folders, "s")
    assert pins
    assert {name: found for name, pin in pins.items() if (found := pointed_out(pinned_tool(name, pin.parts)))} == {}
