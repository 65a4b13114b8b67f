"""The guides to past calls show what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from machine import Machine

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["history.md", "simulate.md"])
def test_the_guide_shows_what_is_printed(page: str, machine: Machine) -> None:
    text = (DOCS / page).read_text()
    blocks = re.findall(r"```(transcript|toml|)\n(.*?)```", text, re.DOTALL)
    (transcript,) = [body for kind, body in blocks if kind == "transcript"]
    place = machine.home / ".claude/projects/-home-ada-app/s1.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(transcript)
    if page == "simulate.md":
        machine.run("history", "import", "--keep")
    for kind, body in blocks:
        if kind == "toml":
            (machine.project / "new.toml").write_text(body)
        if kind == "":
            command, _, shown = body.partition("\n")
            run = machine.run(*command.removeprefix("$ interlock ").split())
            assert (run.code, run.err) == (0, "")
            printed = "\n".join(line.rstrip() for line in run.out.replace(str(machine.home), "~").splitlines())
            assert printed == shown.rstrip("\n")
