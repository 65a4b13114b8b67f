"""Our question in a dialog of a real client: what stands on its screen, and one day's errand that asks for all kinds
of tools, whichever dialog puts the questions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from live.client import Live, Terminal
from live.test_gemini import SERVER
from scripted_model import Step

__all__ = ["NO", "ONCE", "SESSION", "UNKNOWN", "Errand", "answers", "dialog_in", "pressed"]

ONCE, SESSION, NO = "Allow once", "Allow for this session", "Deny"
UNKNOWN = "read TOOL < tool; $TOOL"


def dialog_in(screen: str) -> str:
    """What is shown of the dialog, on one line; empty where there is none. Above it things move."""
    head = next((head for head in ("requests your input", "Field 1/1", "☐ Interlock") if head in screen), "")
    return " ".join(screen.rpartition(head)[2].split()) if head else ""


def pressed(at: Terminal, key: str, holds: Callable[[str], bool], what: str) -> None:
    """Presses the key until that holds of the dialog: one that has just come up takes none."""
    end = time.monotonic() + 30
    while not holds(before := dialog_in(at.screen())):
        assert time.monotonic() < end, f"pressed {key} for {what}; the screen shows:\n{at.screen()}"
        at.press(key)
        drawn = time.monotonic() + 2
        while dialog_in(at.screen()) == before and time.monotonic() < drawn:
            pass


def answers(questions: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """What the ledger keeps of the answers: what each says, where it was given, how strong it is."""
    return [({NO: "denied"}.get(choice, "approved"), "host", "weak") for _, choice in questions]


class Errand:
    """What Claude Code is told to do, the questions that come of it and the choices of the person, and what holds then.

    `command` runs what cannot be read, and `asks` is how its question begins.
    """

    def __init__(self, place: Path, live: Live, command: str, asks: str) -> None:
        self.live = live
        self.notes = live.home.parent / "notes"
        self.others = place / "others/d.md"
        live.write("tool", "touch\n")
        live.write(str(self.notes / "a.md"), "one\n")
        key = live.write(str(live.home / ".ssh/id_ed25519"), "PRIVATE\n")
        self.server = live.write(str(live.home / "server.py"), SERVER)
        self.script: list[Step] = [
            ("Bash", {"command": command, "description": "Run it"}),
            ("Read", {"file_path": str(key)}),
            ("Read", {"file_path": str(self.notes / "a.md")}),
            ("Edit", {"file_path": str(self.notes / "a.md"), "old_string": "one", "new_string": "two"}),
            ("Write", {"file_path": str(self.notes / "b.md"), "content": "x\n"}),
            ("Edit", {"file_path": str(self.notes / "b.md"), "old_string": "x", "new_string": "y"}),
            ("Write", {"file_path": str(self.others), "content": "x\n"}),
            ("WebFetch", {"url": "https://example.org/page", "prompt": "What is there?"}),
            ("mcp__till__open", {}),
            "all done",
        ]
        self.questions: list[tuple[str, str]] = [
            (asks, ONCE),
            ("id_ed25519`: passwords or keys are kept there.", NO),
            (f"Change `{self.notes}/a.md`: it is outside the project.", ONCE),
            (f"Change `{self.notes}/b.md`: it is outside the project.", SESSION),  # its edit asks nothing
            (f"Change `{self.others}`: it is outside the project.", NO),
            ("Fetch `https://example.org/page`:", NO),
            ("Use `open` of the tool server `till`: your policy does not declare the tool", ONCE),
        ]

    def holds(self, results: object) -> None:
        """What was allowed happened and nothing else did, and the ledger knows each answer. `results`: of the calls."""
        assert (self.live.project / "held.txt").exists()
        assert [(self.notes / name).read_text() for name in ("a.md", "b.md")] == ["two\n", "y\n"]
        assert not self.others.exists()
        assert "PRIVATE" not in json.dumps(results)
        said = [row["body"] for row in self.live.rows("answer")]
        assert [(row["answer"], row["surface"], row["strength"]) for row in said] == answers(self.questions)
