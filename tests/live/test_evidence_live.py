"""The real clients end a session, and the end of the ledger leaves the machine."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from live.client import Live, Terminal, needs_client
from live.codex import PLAIN, Codex, needs_codex
from live.gemini import Gemini, needs_gemini
from live.qwen import Qwen, needs_qwen
from web_server import Web, web_server


@needs_client
def test_when_the_client_ends_the_last_row_is_sent(place: Path) -> None:
    live = Live.at(place)
    with web_server() as web:
        live.machine.user_policy.write_text(f'version = 1\n[evidence]\nsend = ["{web.url}"]\nmachine = "m"\n')
        live.headless([("Read", {"file_path": str(live.write("a.txt", "x"))}), "done"])
        assert live.verdicts() == ["allow"]
        number, _, name = (live.machine.state / "ledger.db.head").read_text().strip().partition(" ")
        end = time.monotonic() + 40
        # The one of the start may leave so late that it is the last row already, and then there is no other.
        while (int(number), name) not in (seen := [(head["seq"], head["hash"]) for head in web.taken]):
            assert time.monotonic() < end, json.dumps(seen)
            time.sleep(0.1)


# --- other clients: a head is sent at the start of a session and at its end


def sends(client: Any, web: Web) -> None:
    policy = client.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(f'version = 1\n[evidence]\nsend = ["{web.url}"]\nmachine = "m"\n')


def last_is_sent(client: Any, web: Web) -> None:
    """Whether the end of the ledger, as it is after the session, has left the machine."""
    end = time.monotonic() + 40
    while True:
        number, _, name = (client.home / ".local/state/interlock/ledger.db.head").read_text().strip().partition(" ")
        seen = [(head["seq"], head["hash"]) for head in web.taken]
        if (int(number), name) in seen:
            break
        assert time.monotonic() < end, json.dumps(seen)
        time.sleep(0.1)
    assert client.verdicts() == ["allow"]


def leaves(client: Any, terminal: Terminal) -> None:
    terminal.type("please go on")
    end = time.monotonic() + 60
    while "all done" not in terminal.screen():
        assert time.monotonic() < end, terminal.screen()
        time.sleep(2)
        if "› please go on" in terminal.screen():  # Codex loses a key that comes while it still starts
            terminal.press("Enter")
    terminal.type("/quit")
    terminal.until(lambda: not terminal.run("list-sessions"), "the client to leave")


@needs_gemini
def test_gemini_tells_the_end_of_a_headless_session(place: Path) -> None:
    gemini = Gemini(place)
    with web_server() as web:
        sends(gemini, web)
        gemini.headless([("run_shell_command", {"command": "ls", "description": "x"}), "all done"])
        last_is_sent(gemini, web)


@needs_codex
def test_codex_tells_the_end_of_a_headless_session(place: Path) -> None:
    codex = Codex(place)
    with web_server() as web:
        sends(codex, web)
        run = codex.headless([("exec_command", {"cmd": "ls"}), "all done"])
        last_is_sent(codex, web)
    assert "clamping" not in run.err


@needs_codex
def test_codex_tells_the_end_of_a_session_at_a_terminal(place: Path) -> None:
    codex = Codex(place)
    with web_server() as web:
        sends(codex, web)
        codex.headless(["all done"], model_name=PLAIN)  # its hooks are put in, and trusted
        before = len(web.taken)
        with codex.terminal([("exec_command", {"cmd": "ls"}), "all done"], trusts=True) as (terminal, _):
            leaves(codex, terminal)
        last_is_sent(codex, web)
        assert len(web.taken) > before


@needs_qwen
@pytest.mark.parametrize("how", ["quit", "clear"])
def test_qwen_tells_the_end_of_a_session_at_a_terminal(how: str, place: Path) -> None:
    qwen = Qwen(place)
    with web_server() as web:
        sends(qwen, web)
        with qwen.terminal([("run_shell_command", {"command": "ls", "description": "x"}), "all done"]) as (terminal, _):
            if how == "quit":
                leaves(qwen, terminal)
            else:
                terminal.type("please go on")
                terminal.wait_for("all done", 60)
                terminal.type("/clear")
                terminal.until(lambda: len(qwen.rows("session")) == 2, "the next session")
            last_is_sent(qwen, web)


@needs_qwen
def test_qwen_does_not_tell_the_end_of_a_headless_session(place: Path) -> None:
    """What docs/hosts.md says. Once this fails, it can be taken in there too."""
    qwen = Qwen(place)
    log = place / "ended"
    qwen.settle()
    settings = json.loads(qwen.settings.read_text())
    for event in ("SessionStart", "SessionEnd"):
        handler = {"type": "command", "command": f"echo {event} >> {log}"}
        settings["hooks"][event].append({"hooks": [handler]})
    qwen.settings.write_text(json.dumps(settings))
    qwen.headless([("run_shell_command", {"command": "ls", "description": "x"}), "all done"])
    assert log.read_text().split() == ["SessionStart"]
