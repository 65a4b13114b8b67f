"""Every command of the README, in its order: from the wheel, in a fresh home, without network.

`make demo` and `make test` are what `.ci/run` itself runs. What the tests need lies in a folder that
`scripts/wheels.sh` fills.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import pwd
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from namespaces import needs_namespaces
from person import TERMINAL, Answer
from transcripts import Claude

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DEVELOPERS = ("make demo", "make test")  # .ci/run runs them


def commands() -> list[str]:
    """Indented lines, and those of a block that begin with a prompt."""
    lines = [line for line in README.splitlines() if line.startswith(("    ", "$ ")) and "─" not in line]
    return [line.lstrip("$ ").partition("  #")[0].strip() for line in lines]


def cache() -> Path | None:
    """Where scripts/wheels.sh puts things for this pyproject.toml."""
    made_of = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + (ROOT / "scripts/wheels.sh").read_bytes())
    folder = os.environ.get("INTERLOCK_DEV_CACHE") or os.path.expanduser("~/.cache/interlock-dev")
    found = Path(folder, f"wheels-{made_of.hexdigest()[:16]}")
    return found if (found / ".ready").exists() else None


class Newcomer:
    """Somebody with a fresh home folder, an agent host that they worked with, and the wheel."""

    def __init__(self, place: Path, cache: Path) -> None:
        self.home, self.project = place / "home", place / "repo"
        Claude().bash("npm test").write(self.home / ".claude/projects/-home-ada-app/c1.jsonl")
        (self.project / ".git").mkdir(parents=True)
        (self.project / "dist").mkdir()
        me = pwd.getpwuid(os.getuid())
        self.passwd = place / "passwd"
        self.passwd.write_text(f"{me.pw_name}:x:{me.pw_uid}:{me.pw_gid}::{self.home}:/bin/bash\n")
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.home}/.local/bin:{cache}/tools/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(cache / "packages"),
            "UV_OFFLINE": "1",
            "UV_FIND_LINKS": str(cache / "packages"),
            "UV_PYTHON": sys.executable,
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }
        done = subprocess.run(
            [cache / "tools/bin/python", "-m", "hatchling", "build", "-t", "wheel", "-d", self.project / "dist"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def apart(self, *words: str | Path) -> list[str]:
        """In a mount namespace of its own, in which the user table names this home."""
        swap = f'mount --bind {shlex.quote(str(self.passwd))} /etc/passwd && exec "$@"'
        return ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "sh", "-c", swap, "sh", *map(str, words)]

    def type(self, command: str, keys: str = "") -> Answer:
        """At a terminal of their own."""
        words = self.apart(sys.executable, TERMINAL, keys, "bash", "-c", command)
        done = subprocess.run(
            words, cwd=self.project, env=self.environment, stdout=subprocess.PIPE, check=False, timeout=90
        )
        return Answer(done)

    def hook(self, tool: str, **given: Any) -> dict[str, Any]:
        """What the agent host does, with the entry in its settings."""
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        event = {
            "session_id": "s",
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": f"toolu_{tool}",
        }
        done = subprocess.run(
            self.apart(handler["command"], *handler["args"]),
            input=json.dumps(event).encode(),
            cwd=self.project,
            env={**self.environment, "CLAUDE_PROJECT_DIR": str(self.project)},
            stdout=subprocess.PIPE,
            check=False,
        )
        told: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"]
        return told


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    found = cache()
    if found is None and os.environ.get("CI"):
        pytest.fail("scripts/wheels.sh was not run")
    if found is None:
        pytest.skip("scripts/wheels.sh was not run")
    return Newcomer(tmp_path, found)


def shown_in_the_readme(command: str) -> str:
    return README.partition(f"$ {command}\n")[2].partition("```")[0]


def plain(newcomer: Newcomer, shown: str) -> str:
    """Without what differs from folder to folder and from policy to policy, and blanks that nobody sees."""
    text = re.sub(r"(ap_|sha256:)[0-9a-f]+", r"\1…", shown.replace(str(newcomer.project), "/repo"))
    return "\n".join(line.rstrip() for line in text.splitlines())


@needs_namespaces
def test_every_command_of_the_readme_works_in_its_order(newcomer: Newcomer) -> None:
    left = commands()
    assert left[0] == "make wheel"  # done: it needs the network for what it builds with
    assert [command for command in left if command in DEVELOPERS] == list(DEVELOPERS)
    for command in [one for one in left[1:] if one not in DEVELOPERS]:
        done = newcomer.type(command, keys="y\n" if command == "interlock install" else "")
        assert done.code == 0, f"{command}\n{done.out}"
        if f"$ {command}" in README:
            assert plain(newcomer, done.out) == plain(newcomer, shown_in_the_readme(command))
        if command == "interlock install":
            assert newcomer.hook("Read", file_path=str(newcomer.project / "a"))["permissionDecision"] == "allow"
            assert newcomer.hook("Bash", command="rm -rf ~")["permissionDecision"] == "deny"
    assert "deny" in newcomer.type("interlock audit tail").out


@needs_namespaces
def test_uv_installs_it_as_well(newcomer: Newcomer) -> None:
    (command,) = re.findall(r"`(uv tool install [^`]+)`", README)
    done = newcomer.type(f"{command} && interlock --version")
    assert done.code == 0, done.out
    (wheel,) = glob.glob(str(newcomer.project / "dist/*.whl"))
    assert done.out.splitlines()[-1].split()[-1] in wheel


def test_what_developers_run_is_what_ci_runs() -> None:
    assert [line for line in (ROOT / ".ci/run").read_text().splitlines() if line in DEVELOPERS] == [
        "make test",
        "make demo",
    ]
