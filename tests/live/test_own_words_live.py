"""The real clients put our question before their person: the reason stands on the screen before any answer, for every
kind of tool and in each mode, and the answer means what it says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from interlock.hosts import codex as codex_host
from live.client import Terminal, needs_client
from live.codex import CALLS, Codex, needs_codex
from live.dialogs import NO, ONCE, SESSION, UNKNOWN, Errand, answers, dialog_in, pressed
from live.shield import installed
from live.test_codex import patch, run
from live.test_gemini import SERVER
from scripted_model import Step

TITLE = "Run it (Interlock asks)"
ASKS = "Run `$TOOL held.txt`: Interlock could not read all of it"


# --- Claude Code ----------------------------------------------------------------------------------------------------


def shown_at(at: Terminal, what: str) -> None:
    """Waits until the question stands on the screen, whole, with what can be answered."""
    at.until(lambda: all(text in dialog_in(at.screen()) for text in (what, TITLE)), what)


def chosen(at: Terminal, what: str, choice: str) -> None:
    """What a person presses in the dialog of Claude Code; it is gone afterwards."""
    pressed(at, "Right", lambda shown: "Space to select" in shown, "the choices")
    pressed(at, "Down", lambda shown: f"❯ ◯ {choice}" in shown, choice)
    pressed(at, "Enter", lambda shown: "Space to select" not in shown, "the choice")
    pressed(at, "Enter", lambda shown: what not in shown, "the dialog to go")


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
@needs_client
def test_the_reason_is_on_the_screen_before_the_answer_in_claude_code(place: Path, mode: str) -> None:
    live = installed(place)
    errand = Errand(place, live, f"{UNKNOWN} held.txt", ASKS)
    known = json.loads((live.home / ".claude.json").read_text())
    known["mcpServers"]["till"] = {"command": sys.executable, "args": [str(errand.server)]}
    (live.home / ".claude.json").write_text(json.dumps(known))
    with live.terminal(errand.script, mode=mode) as (at, model):
        at.until(lambda: list((live.home / ".local/state/interlock/ask").glob("*-*")), "the server")
        at.type("please do it")
        for what, choice in errand.questions:
            shown_at(at, what)
            chosen(at, what, choice)
        at.wait_for("all done")
    errand.holds(model.results)


# --- Codex ----------------------------------------------------------------------------------------------------------


def picked(at: Terminal, what: str, choice: str) -> None:
    """What a person presses in the dialog of Codex."""
    pressed(at, "Down", lambda shown: any(f"› {n}. {choice}" in shown for n in (1, 2, 3)), choice)
    pressed(at, "Enter", lambda shown: what not in shown, "the dialog to go")


def in_codex(place: Path) -> Codex:
    home = place / "home"
    (place / "server.py").write_text(SERVER)
    own = ["-I", "-m", "interlock.cli", "--home", str(home), "mcp", "ask"]
    servers = {"till": [str(place / "server.py")], "interlock": own}
    config = "".join(
        [
            f'[mcp_servers.{name}]\ncommand = "{sys.executable}"\nargs = {json.dumps(words)}\n'
            for name, words in servers.items()
        ]
    )
    found = Codex(place, config=config)
    arguments = ("--home", str(found.home), "--wait", "540")
    found.hooks.write_text(json.dumps(codex_host.settings(found.python, str(found.guard), arguments)))
    (found.project / "tool").write_text("touch\n")
    return found


@needs_codex
def test_the_reason_is_on_the_screen_before_the_answer_in_codex(place: Path) -> None:
    client = in_codex(place)
    notes = client.home.parent / "notes"
    script: list[Step] = [
        run(f"{UNKNOWN} held.txt"),
        patch(f"*** Add File: {notes}/a.md", "+one"),
        run(f"{UNKNOWN} never.txt"),
        ("mcp__till open", {}),
        ("mcp__till open", {}),
        "all done",
    ]
    questions: list[tuple[str, str]] = [
        (ASKS, ONCE),
        (f"Change `{notes}/a.md`: it is outside the project.", ONCE),
        ("Run `$TOOL never.txt`: Interlock could not read all of it", NO),
        ("Use `open` of the tool server `till`: your policy does not declare the tool", SESSION),  # asked once
    ]
    with client.terminal(script, trusts=True, asks=True, model_name=CALLS) as (at, _):
        at.answer("Use existing model", "2")  # the client offers another one first
        at.until(lambda: list((client.home / ".local/state/interlock/ask").glob("*-*")), "the server")
        at.type("please do it")
        for what, choice in questions:
            shown_at(at, what)
            picked(at, what, choice)
        at.answer("Allow the till MCP server", "2")  # this client's own question, which no hook takes away
        at.wait_for("all done")
    assert (client.project / "held.txt").exists()
    assert not (client.project / "never.txt").exists()
    assert (notes / "a.md").read_text() == "one\n"
    assert client.verdicts() == ["ask", "allow", "ask", "allow", "ask", "deny", "ask", "allow", "allow"]
    said = [row["body"] for row in client.rows("answer")]
    assert [(row["answer"], row["surface"], row["strength"]) for row in said] == answers(questions)
