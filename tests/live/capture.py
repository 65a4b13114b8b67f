"""What the client really sends: every event of a run, taken down by a probe in the place of the guard."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from live.client import Live

__all__ = ["EVENTS", "captured", "probed"]

EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure PermissionRequest UserPromptSubmit UserPromptExpansion SessionStart "
    "SessionEnd Stop SubagentStart SubagentStop ConfigChange Notification"
).split()
PROBE = Path(__file__).parent / "probe.py"


def probed(folder: Path) -> Live:
    """A machine on which the probe is hooked to everything, and nothing guards."""
    live = Live.at(folder, guarded=False)
    handler = {"type": "command", "command": sys.executable, "args": ["-I", str(PROBE), str(folder / "events.jsonl")]}
    live.settings.write_text(json.dumps({"hooks": {event: [{"hooks": [handler]}] for event in EVENTS}}))
    return live


def captured(live: Live, name: str | None = None) -> list[dict[str, Any]]:
    """The events so far, in their order."""
    log = live.home.parent / "events.jsonl"
    rows = [json.loads(line)["event"] for line in log.read_text().splitlines()] if log.exists() else []
    return [row for row in rows if name in (None, row["hook_event_name"])]
