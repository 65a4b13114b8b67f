"""The two-minute guide, followed to the letter with the real server and the client of the `mcp` package."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from person import at_a_terminal

from .peers import FILESYSTEM, needs_peers
from .test_peers import driven

GUIDE = (Path(__file__).parents[2] / "docs/guides/mcp.md").read_text()


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    return found.group(1)


def commands() -> list[list[str]]:
    return [line.split()[1:] for line in re.findall(r"^    (interlock .*)$", GUIDE, re.MULTILINE)]


@pytest.mark.slow
@needs_peers
def test_the_guide_works_as_it_is_written(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "notes.txt").write_text("remember")
    policy = home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(block("toml"))
    config = project / ".mcp.json"
    # The server lies where the tests have put it, and not in npm's registry.
    text = block("json").replace('"npx"', json.dumps(FILESYSTEM[0]))
    text = text.replace('"-y", "@modelcontextprotocol/server-filesystem", "."', f'"{FILESYSTEM[1]}", "{project}"')
    config.write_text(text)
    install, listed, approve, show, uninstall = commands()

    assert at_a_terminal(home, *install, keys="y\n", folder=project).code == 0
    entry = json.loads(config.read_text())["mcpServers"]["files"]
    steps: list[Any] = [
        ["read_text_file", {"path": str(project / "notes.txt")}],
        ["write_file", {"path": str(project / "new.txt"), "content": "x"}],
    ]
    was = os.getcwd()
    os.chdir(project)
    try:
        read, write = driven(None, [entry["command"], *entry["args"]], steps)["results"]
    finally:
        os.chdir(was)
    assert read["text"] == ["remember"]
    assert "approval pending" in write["text"][0]
    assert not (project / "new.txt").exists()

    waiting = at_a_terminal(home, *listed, folder=project).out
    id = re.search(r"ap_[0-9a-f]+", waiting)
    assert id is not None, waiting
    assert approve[-1] == "ap_…"
    assert at_a_terminal(home, *approve[:-1], id.group(), "--yes", folder=project).code == 0
    assert "write_file" in at_a_terminal(home, *show, folder=project).out
    assert at_a_terminal(home, *uninstall, "--yes", folder=project).code == 0
    assert config.read_text() == text
