"""The streams that the docs show give the answers that the docs show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from machine import Machine

ROOT = Path(__file__).parent.parent
SHOWN = re.compile(
    r"```jsonl\n(?P<lines>.*?)```\n(?P<between>[^`]*(?:`[^`\n]+`[^`]*)*?)```\n(?P<answers>.*?)```", re.DOTALL
)
STREAMS = [(page.name, shown) for page in sorted(ROOT.glob("docs/*.md")) for shown in SHOWN.finditer(page.read_text())]


def test_there_are_streams_in_the_docs() -> None:
    in_docs = sum(page.read_text().count("```jsonl") for page in ROOT.glob("docs/*.md"))
    assert len(STREAMS) == in_docs >= 4


@pytest.mark.parametrize(("page", "shown"), STREAMS, ids=[f"{page}-{at}" for at, (page, _) in enumerate(STREAMS)])
def test_a_stream_in_the_docs_is_answered_so(page: str, shown: re.Match[str], tmp_path: Path) -> None:
    said = re.search(r"--answer (\w+)", shown["between"])
    options = [] if said is None else ["--answer", said[1]]
    machine = Machine(tmp_path)
    run = machine.run("decide", "--jsonl", *options, stdin=shown["lines"])
    told = []
    for line in run.out.splitlines():
        answer = json.loads(line)
        reasons = answer.get("reasons") or [{"text": ""}]
        told.append(f"{answer.get('verdict', answer.get('mode'))}  {reasons[0]['text']}".rstrip())
    assert [line.replace(str(machine.project), "/home/ada/app") for line in told] == shown["answers"].splitlines()
