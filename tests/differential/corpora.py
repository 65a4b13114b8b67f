"""Commands that people and agents have written, from a folder of JSON lines files that INTERLOCK_CORPORA names.

Each line is an object with `command`; `tool`, where there is one, is `bash`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["CLEAR", "commands", "folder"]

# file -> the least share of what bash accepts, in percent, that must be read without an opaque part
CLEAR = {
    "agent_commands": 99.0,
    "nl2bash": 97.0,
    "tldr_common": 97.0,
    "tldr_linux": 97.0,
    "bypasses": 0.0,
    "gtfobins": 0.0,
    "agentshield": 0.0,
    "nah": 0.0,
    "atomic_red_team": 0.0,
    "redcode_exec_bash": 0.0,
}


def folder() -> Path | None:
    named = os.environ.get("INTERLOCK_CORPORA")
    return Path(named) if named else None


def commands(name: str) -> list[str]:
    """The distinct commands of a file; none if it is not there."""
    place = folder()
    path = place / f"{name}.jsonl" if place is not None else None
    if path is None or not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [row.get("command") for row in rows if row.get("tool", "bash") == "bash"]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))
