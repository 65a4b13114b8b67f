"""The guide is true: its policy, its commands and its program, with the official client, print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from person import at_a_terminal
from proxy.conftest import Clients
from proxy.environment import path_of_clients
from proxy.fake_model import Reply, fake_model
from proxy.proxy_process import proxy_process
from proxy.said import whole

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guides/proxy.md").read_text()


@pytest.mark.slow
def test_the_guide_does_what_it_shows(clients: Clients, tmp_path: Path) -> None:
    assert clients.versions  # they are here
    blocks = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", GUIDE, re.MULTILINE)
    commands = [block.strip() for block in blocks]
    (_, policy), (_, shown) = re.findall(r"```(toml|)\n(.*?)```", GUIDE, re.DOTALL)
    program = next(block for block in blocks if "import anthropic" in block)
    program = "\n".join(line[4:] for line in program.splitlines())
    start = next(command for command in commands if command.startswith("interlock proxy"))
    home = tmp_path / "home"
    (home / ".config/interlock").mkdir(parents=True)
    (home / ".config/interlock/policy.toml").write_text(policy)
    calls = [(name, {"id": 7}, f"c_{name}") for name in ("delete_customer", "lookup_order", "refund")]
    with fake_model() as model:
        model.says(Reply.json(whole("anthropic", "", calls)))
        words = start.replace("https://api.anthropic.com", model.url).split()[1:]
        with proxy_process(home, words) as port:
            first = _run(program, port)
            approval = re.findall(r"ap_[0-9a-f]+", first)[0]
            assert first.replace(approval, "ap_…") == shown
            approve = next(line for line in "\n".join(commands).splitlines() if "approvals approve" in line)
            said = at_a_terminal(home, *approve.strip().replace("ap_…", approval).split()[1:], "--yes")
            assert said.code == 0, said.out
            assert _run(program, port).splitlines()[1:] == ["lookup_order", "refund"]


def _run(program: str, port: int) -> str:
    """In the environment of the client."""
    done = subprocess.run(
        [str(path_of_clients() / "bin/python"), "-W", "ignore", "-c", program.replace("8787", str(port))],
        env={"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-of-a-test"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
