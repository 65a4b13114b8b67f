"""`make demo SCENE=preview`: an agent's command waits, a person previews it, applies it, and the agent gets its output.

The real hook, the real command in a terminal of its own, and the files on disk as the proof.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n[undo]\nlowers = false\n'
COMMAND = "rm -rf legacy && sed -i 's/1.0/1.1/' version.py && curl -s https://example.com/done; echo cleaned up"


def main() -> int:
    out = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.toml").write_text(POLICY)
        (project / ".git").mkdir(parents=True)
        (project / "legacy").mkdir()
        (project / "legacy/old.py").write_text("print('old')\n")
        (project / "version.py").write_text('VERSION = "1.0"\n')
        command = [sys.executable, "-m", "interlock.cli", "--home", str(home)]
        out.print(Text(f"An agent wants to run:  {COMMAND}\n"))
        said = hook(home, project)
        out.print(Text(f"{said['permissionDecision']}     {said['permissionDecisionReason']}\n", style="yellow"))
        (waiting,) = json.loads(run([*command, "approvals", "list", "--json"], project))
        out.print(Text(f"A second terminal:  interlock preview --approval {waiting['id'][:11]} --apply\n"))
        shown = terminal([*command, "preview", "--approval", waiting["id"], "--apply", "--yes"], project)
        out.print(Text.from_ansi("".join(f"    {line}\n" for line in shown.splitlines())))
        if (project / "legacy").exists() or "1.1" not in (project / "version.py").read_text():
            raise SystemExit("it was not applied")
        out.print(Text("The agent makes the call again, and is answered with what the preview recorded:\n"))
        said = hook(home, project)
        out.print(Text(f"{said['permissionDecision']}     {said['permissionDecisionReason']}\n", style="green"))
        if "cleaned up" not in said["permissionDecisionReason"]:
            raise SystemExit("the agent was not told the output")
        out.print(Text("Replaying every receipt from its recorded reading:"))
        return subprocess.run([*command, "replay", "--quiet"], check=False, cwd=project).returncode


def hook(home: Path, project: Path) -> dict[str, Any]:
    """What Claude Code does before it runs a command, with nobody in front of it."""
    event = {
        "session_id": "demo",
        "transcript_path": "",
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": COMMAND},
    }
    guard = HERE.parent / "src/interlock/hook/guard.py"
    asked = [sys.executable, "-I", "-S", str(guard), "claude-code", "--home", str(home)]
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "0", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        asked, input=json.dumps(event).encode(), capture_output=True, check=False, env=environment, cwd=project
    )
    found: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"]
    return found


def run(command: list[str], folder: Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout


def terminal(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / "terminal.py"), "", *command], capture_output=True, check=False, cwd=folder
    )
    shown = done.stdout.decode().replace("\r\n", "\n")
    if done.returncode != 0:
        raise SystemExit(shown)
    return shown


if __name__ == "__main__":
    sys.exit(main())
