"""A person whose Interlock is a package of its own, as `pipx install` would leave it, installed for a host."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hook_process import PACKAGE, Ran, new_machine
from person import TERMINAL, Answer

__all__ = ["Installed"]


class Installed:
    def __init__(self, place: Path) -> None:
        self.machine = new_machine(place)
        self.home, self.project = self.machine.home, self.machine.project
        self.site = place / "venv/lib/python3/site-packages"
        self.package = self.site / "interlock"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("*.pyc.*", "evals"))

    def command(self, *arguments: str, keys: str = "") -> Answer:
        words = [sys.executable, "-m", "interlock.cli", "--home", str(self.home), *arguments]
        done = subprocess.run(
            [sys.executable, str(TERMINAL), keys, *words],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(self.site)},
            cwd=self.project,
            check=False,
        )
        return Answer(done)

    @property
    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.home / ".claude/settings.json").read_text())
        return found

    def hook(self, name: str = "PreToolUse", **fields: Any) -> Ran:
        """As the host does it, with the entry that its settings have."""
        handler = self.settings["hooks"][name][0]["hooks"][0]
        event = self.machine.event(hook_event_name=name, **fields)
        done = subprocess.run(
            [handler["command"], *handler["args"]],
            input=json.dumps(event).encode(),
            cwd=self.project,
            env=self.machine.environment(),
            capture_output=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def change(self, name: str, old: str, new: str) -> None:
        file = self.package / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    @property
    def copy(self) -> Path:
        """What hooks run."""
        line = next(line for line in self.launcher.read_text().splitlines() if line.startswith("PACKAGE = "))
        return Path(line.partition(" = ")[2].strip("'"))

    @property
    def launcher(self) -> Path:
        return self.home / ".local/share/interlock/hook/guard.py"

    @property
    def copies(self) -> list[str]:
        return sorted(path.name for path in (self.home / ".local/share/interlock/engines").iterdir() if path.is_dir())

    def installs(self, version: str) -> None:
        """What `pip install` would leave: other files under the same path."""
        file = self.package / "build.py"
        file.write_text(re.sub(r'(?m)^BUILD = ".*?"', f'BUILD = "{version}"', file.read_text()))

    def an_hour_later(self) -> None:
        note = self.home / ".local/state/interlock/launch.note"
        digest, at, stamps = note.read_text().split(" ", 2)
        note.write_text(f"{digest} {int(at) - 4000} {stamps}")
