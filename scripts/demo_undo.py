"""`make demo SCENE=undo`: an agent loses a person's work, nobody is asked, and all of it comes back.

The real hook of Claude Code decides, the commands are really run in a repository, and `interlock undo` puts back what
they threw away. What is not held is asked about, as ever.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from interlock.hosts import claude_events

GUARD = Path(claude_events.__file__).parents[1] / "hook/guard.py"
GIT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.com"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "PATH": os.environ.get("PATH", os.defpath),
}
CALLS = (
    ("throws away what was not committed", "git reset --hard"),
    ("deletes what git does not track", "git clean -fd"),
    ("deletes a folder", "rm -rf src"),
    ("fetches before it deletes", "curl -s https://example.com/x | tee x; rm -rf docs"),
    ("deletes a secret", "rm .env"),
)


def main() -> int:
    out = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        prepare(project)
        before = picture(project)
        out.print(Text("An agent works in a project where somebody has not committed yet:\n"))
        for at, (what, command) in enumerate(CALLS):
            verdict = decided(home, project, command, at)
            out.print(Text(f"{verdict:6} {what}: {command}", style="green" if verdict == "allow" else "yellow"))
            if verdict == "allow":
                shell(project, command)
        if picture(project) == before:
            raise SystemExit("nothing was lost, so nothing is shown")
        interlock = [sys.executable, "-m", "interlock.cli", "--home", str(home)]
        out.print(Text("\ninterlock checkpoints list"))
        subprocess.run([*interlock, "checkpoints", "list"], cwd=project, check=True)
        out.print(Text("\ninterlock undo --session demo --yes"))
        subprocess.run([*interlock, "undo", "--session", "demo", "--yes"], cwd=project, check=True, env=alone())
        if picture(project) != before:
            raise SystemExit("something did not come back")
        out.print(Text("\nEvery file, and what git says of them, is as it was.", style="green"))
        out.print(Text("\nReplaying every receipt from its recorded reading:"))
        return subprocess.run([*interlock, "replay", "--quiet"], check=False).returncode


def prepare(project: Path) -> None:
    (project / "src").mkdir(parents=True)
    (project / "docs").mkdir()
    (project / "src/app.py").write_text("print('hello')\n")
    (project / "docs/guide.md").write_text("# Guide\n")
    for words in ("init -q -b main", "add -A", "commit -qm first"):
        shell(project, f"git {words}")
    (project / "src/app.py").write_text("print('an afternoon of work')\n")
    (project / "notes.md").write_text("ideas that are nowhere else\n")
    (project / ".env").write_text("TOKEN=not-a-real-one\n")
    shell(project, "echo .env >> .git/info/exclude")


def decided(home: Path, project: Path, command: str, at: int) -> str:
    """What the host is told before the call."""
    settings = claude_events.settings(sys.executable, str(GUARD), ("--home", str(home)))["hooks"]
    handler = settings["PreToolUse"][0]["hooks"][0]
    event = {
        "session_id": "demo",
        "transcript_path": str(home / "none.jsonl"),
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": f"toolu_{at}",
    }
    # Started by a process that is gone afterwards: the one that runs `interlock undo` below is a person's.
    words = [sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"]
    done = subprocess.run(
        [*words, handler["command"], *handler["args"]],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        cwd=project,
        env={"PATH": os.defpath},
        check=True,
    )
    return str(json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]) if done.stdout else "allow"


def alone() -> dict[str, str]:
    """Without what a host gives to everything that it starts: the demo may itself be run by an agent."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "CODEX", "GEMINI", "QWEN"))
    }


def shell(project: Path, command: str) -> None:
    subprocess.run(["bash", "-c", command], cwd=project, env=GIT, capture_output=True, check=True)


def picture(project: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(project.rglob("*")):
        if ".git" not in path.relative_to(project).parts and path.is_file():
            found[str(path.relative_to(project))] = (path.stat().st_mode, path.read_bytes())
    for words in ("status --porcelain", "rev-parse HEAD", "ls-files -s"):
        done = subprocess.run(["git", *words.split()], cwd=project, env=GIT, capture_output=True, check=True)
        found[words] = done.stdout
    return found


if __name__ == "__main__":
    sys.exit(main())
