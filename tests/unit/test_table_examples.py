"""The examples beside the rows are read, and the index of programs is what its generator writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.core.tags import TAGS
from interlock.reading.places.paths import Unsettled, settle
from table_rows import Row, every_row

ROOT = Path(__file__).parents[2]


class EveryPathLeadsWhereItSays(dict[str, str]):
    def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
        try:
            return settle(path, cwd="/", home="/home/user")
        except Unsettled:
            return default


FACTS = Facts(root="/repo", home="/home/user", real=EveryPathLeadsWhereItSays())

# Rows whose example cannot be read to the end, and why that is so.
OPAQUE = {
    "sftp host": "what is typed into the session is not in the call",
    "ed -s a.txt": "what is typed into the editor is not in the call",
    "k9s --readonly": "what is typed into the screen is not in the call",
}

# Rows whose function gives the action another name where the example only looks.
LOOKS = {"agent_host": "agent:look", "configure": ":show", "on_loopback": ":local"}

EXAMPLES = {row.program.example: row for row in every_row() if row.program.example}


def actions_of(row: Row) -> set[str]:
    """The names that a row, or a sub-command of it, gives."""
    found: set[str] = set()
    rows = [row.program]
    while rows:
        program = rows.pop()
        found.add(program.action or f"exec:{program.name}")
        found.update(adds.action for adds in program.flags.values() if adds.action is not None)
        rows += [*program.subs.values(), *([program.default] if program.default is not None else [])]
    return found


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_an_example_is_read_as_its_row_says(example: str) -> None:
    row = EXAMPLES[example]
    reading = follow_bash(example, cwd="/repo", facts=FACTS)
    assert bool(reading.opaque) is (example in OPAQUE), [part.reason for part in reading.opaque]
    names = {action.name for action in reading.actions}
    assert reading.actions
    assert {tag for action in reading.actions for tag in action.tags} <= TAGS
    if example != "goose --version":  # a tool for migrations has that name as well
        assert [action.name for action in reading.actions if "unknown" in action.tags] == []
    if row.program.action is None or not names.isdisjoint(actions_of(row)):
        return
    if row.program.special == "cloud_cli":
        assert any(name.startswith(f"{row.program.action}:") for name in names)
    elif example != "goose --version":
        looks = LOOKS.get(row.program.special or "", "no row")
        assert any(name.endswith(looks) for name in names), names


def test_the_index_of_programs_is_what_its_generator_writes() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/program_names.py", "--check"], check=False)
    assert done.returncode == 0, "run: python scripts/program_names.py"


def test_a_name_that_two_rows_have_is_refused() -> None:
    twice = "import program_names as p; p.FAMILIES = ('wrap', 'wrap'); p.text()"
    done = subprocess.run(
        [sys.executable, "-c", twice], cwd=ROOT / "scripts", capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.endswith("has two rows, in wrap and in wrap: only one would be read\n")
