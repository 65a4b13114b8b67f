"""The real clients put our question before their person: the reason stands on the screen before any answer, for every
kind of tool and in each mode, and the answer means what it says.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.hosts import codex as codex_host
from live.client import Terminal, needs_client
from live.codex import CALLS, Codex, needs_codex
from live.shield import installed
from live.test_codex import patch, run
from live.test_gemini import SERVER
from scripted_model import Step

ONCE, SESSION, NO = "Allow once", "Allow for this session", "Deny"
TITLE = "Run it (Interlock asks)"
UNKNOWN = "read TOOL < tool; $TOOL"


# --- Claude Code ----------------------------------------------------------------------------------------------------


def dialog_in(screen: str) -> str:
    """What is shown of the dialog, on one line; empty where there is none. Above it things move."""
    head = next((head for head in ("requests your input", "Field 1/1", "☐ Interlock") if head in screen), "")
    return " ".join(screen.rpartition(head)[2].split()) if head else ""


def shown_at(at: Terminal, what: str) -> None:
    """Waits until the question stands on the screen, whole, with what can be answered."""
    at.until(lambda: all(text in dialog_in(at.screen()) for text in (what, TITLE)), what)


def pressed(at: Terminal, key: str, holds: Callable[[str], bool], what: str) -> None:
    """Presses the key until that holds of the dialog: one that has just come up takes none."""
    end = time.monotonic() + 30
    while not holds(before := dialog_in(at.screen())):
        assert time.monotonic() < end, f"pressed {key} for {what}; the screen shows:\n{at.screen()}"
        at.press(key)
        drawn = time.monotonic() + 2
        while dialog_in(at.screen()) == before and time.monotonic() < drawn:
            pass


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
    notes = live.home.parent / "notes"
    live.write("tool", "touch\n")
    live.write(str(notes / "a.md"), "one\n")
    live.write(str(live.home / ".ssh/id_ed25519"), "PRIVATE\n")
    server = live.write(str(live.home / "server.py"), SERVER)
    known = json.loads((live.home / ".claude.json").read_text())
    known["mcpServers"]["till"] = {"command": sys.executable, "args": [str(server)]}
    (live.home / ".claude.json").write_text(json.dumps(known))
    script: list[Step] = [
        ("Bash", {"command": f"{UNKNOWN} held.txt", "description": "Run it"}),
        ("Read", {"file_path": str(live.home / ".ssh/id_ed25519")}),
        ("Read", {"file_path": str(notes / "a.md")}),
        ("Edit", {"file_path": str(notes / "a.md"), "old_string": "one", "new_string": "two"}),
        ("Write", {"file_path": str(notes / "b.md"), "content": "x\n"}),
        ("Write", {"file_path": str(notes / "c.md"), "content": "x\n"}),
        ("Write", {"file_path": str(place / "others/d.md"), "content": "x\n"}),
        ("WebFetch", {"url": "https://example.org/page", "prompt": "What is there?"}),
        ("mcp__till__open", {}),
        "all done",
    ]
    questions: list[tuple[str, str]] = [
        ("Run `$TOOL held.txt`: Interlock could not read all of it", ONCE),
        ("id_ed25519`: passwords or keys are kept there.", NO),
        (f"Change `{notes}/a.md`: it is outside the project.", ONCE),
        (f"Change `{notes}/b.md`: it is outside the project.", SESSION),  # and so nothing is asked about c.md
        (f"Change `{place}/others/d.md`: it is outside the project.", NO),
        ("Fetch `https://example.org/page`:", NO),
        ("Use `open` of the tool server `till`: your policy does not declare the tool", ONCE),
    ]
    with live.terminal(script, mode=mode) as (at, model):
        at.until(lambda: list((live.home / ".local/state/interlock/ask").glob("*-*")), "the server")
        at.type("please do it")
        for what, choice in questions:
            shown_at(at, what)
            chosen(at, what, choice)
        at.wait_for("all done")
    assert (live.project / "held.txt").exists()
    assert [(notes / name).read_text() for name in ("a.md", "b.md", "c.md")] == ["two\n", "x\n", "x\n"]
    assert not (place / "others/d.md").exists()
    assert "PRIVATE" not in json.dumps(model.results)
    said = [row["body"] for row in live.rows("answer")]
    assert [(row["answer"], row["surface"], row["strength"]) for row in said] == [
        ({NO: "denied"}.get(choice, "approved"), "host", "weak") for _, choice in questions
    ]


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
        ("Run `$TOOL held.txt`: Interlock could not read all of it", ONCE),
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
    assert [(row["answer"], row["surface"], row["strength"]) for row in said] == [
        ({NO: "denied"}.get(choice, "approved"), "host", "weak") for _, choice in questions
    ]
