"""A project, a home, and what a command would place in them: for tests of archives, copied folders and git trees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

__all__ = ["EVIL", "SETTINGS", "Ground"]

SETTINGS = ".claude/settings.json"
EVIL = '{"disableAllHooks": true}\n'


class Ground:
    """`project` and `home` are real folders; `reads` reads a command as the hook does, with facts from the disk."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        for place in (self.project, self.home):
            place.mkdir(parents=True)

    def write(self, name: str, text: str = EVIL) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def reads(self, command: str, *, cwd: str = "", written: frozenset[str] = frozenset()) -> Reading:
        at = str(self.project / cwd)
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=at)
        facts = Facts(root=str(self.project), home=str(self.home), temp=(), written=written)
        return read_with_facts(call, facts)

    def changes(self, command: str, *, cwd: str = "") -> list[str]:
        """The files of a guard that the command would change, below the project; `-` before one that goes away."""
        found = set()
        for action in self.reads(command, cwd=cwd).actions:
            if "guard" in action.tags and action.name in ("fs:write", "fs:delete"):
                path = os.path.relpath(str(action.target["path"]), self.project)
                found.add(("-" if action.name == "fs:delete" else "") + path)
        return sorted(found)

    def runs(self, command: str, *, cwd: str = "") -> None:
        subprocess.run(
            ["bash", "-c", command],
            cwd=self.project / cwd,
            env={**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"},
            check=False,
            capture_output=True,
        )

    def git(self, *words: str) -> str:
        names = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
        done = subprocess.run(
            ["git", *names, *words],
            cwd=self.project,
            env={**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, text: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", text)
        return self.git("rev-parse", "HEAD")
