"""Python programs are run where nothing is done: whatever one was about to do must have been read, or be opaque.

Every way of writing a call is run with calls that delete; ways are also put into one another. INTERLOCK_EXECUTIONS says
how many programs besides, 150 by default; the same ones each time.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from execution.python_sandbox import watch
from execution.python_techniques import HIDDEN, READ, write_out
from interlock.evals.case import Case, bash
from interlock.evals.lexical import Judged, bench_for, judge, start
from sizes import how_many

NESTED = how_many("INTERLOCK_EXECUTIONS", 150, quick=30)
DATA = "/srv/oracle/data"
DELETES = (
    ("os", "remove", f"'{DATA}'"),
    ("shutil", "rmtree", f"'{DATA}'"),
    ("os", "system", f"'rm -rf {DATA}'"),
    ("subprocess", "call", f"['rm', '-rf', '{DATA}']"),
)
LOOKS = ("os", "listdir", "'src'")
BENCH = bench_for()


def judged(program: str) -> Judged:
    command = f"python3 - <<'END OF PROGRAM'\n{program}\nEND OF PROGRAM"
    case = Case(id="program", file="", line=0, call=bash(command, "/repo"))
    return judge(case, BENCH, start(case, BENCH))


def seen(found: Judged) -> bool:
    """True if the reading says what the program does, or that it does not know."""
    reading = found.reading
    return bool(reading.opaque) or any(
        action.name == "fs:delete" and action.target.get("path") == DATA for action in reading.actions
    )


def nested(count: int) -> list[str]:
    """Programs in programs: one way of writing a call, in text or in a function of another."""
    chance = random.Random(7)
    ways = (*READ, *HIDDEN)
    made: list[str] = []
    while len(made) < count:
        program = write_out(chance.choice(ways), *chance.choice(DELETES))
        body, method = (program.replace("\n", "\n" + blanks) for blanks in ("    ", "        "))
        if "global " in program or "nonlocal " in program or " *\n" in program or '"""' in program:
            continue
        made.append(
            chance.choice(
                (
                    f"def outer():\n    {body}\nouter()",
                    f"try:\n    {body}\nexcept ImportError:\n    pass",
                    f"for _ in range(2):\n    {body}",
                    f"if True:\n    {body}\nelse:\n    print(1)",
                    f"class Outer:\n    def run(self):\n        {method}\nOuter().run()",
                    f"exec({program!r})",
                    f"print('start')\n{program}\nprint('end')",
                    f"with open('src/a') as f:\n    {body}",
                )
            )
        )
    return made


@pytest.fixture(scope="module")
def programs() -> list[str]:
    each = [write_out(way, *DELETES[at % len(DELETES)]) for at, way in enumerate((*READ, *HIDDEN))]
    return each + nested(NESTED)


@pytest.mark.slow
def test_whatever_a_program_does_was_read_or_is_opaque(programs: list[str], tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").touch()
    done = watch(programs, tmp_path)
    did = [any(DATA in event for event in events) for events in done]
    missed = [program for program, acted in zip(programs, did, strict=True) if acted and not seen(judged(program))]
    assert not missed, f"{len(missed)} of {len(programs)}\n" + "\n---\n".join(missed[:20])
    idle = [program for program, acted in zip(programs, did, strict=True) if not acted]
    assert len(idle) < 0.1 * len(programs), "programs that did nothing:\n" + "\n---\n".join(idle[:20])


@pytest.mark.parametrize("call", DELETES, ids=lambda call: f"{call[0]}.{call[1]}")
def test_no_way_of_writing_it_makes_a_deletion_allowed(call: tuple[str, str, str]) -> None:
    programs = [write_out(way, *call) for way in (*READ, *HIDDEN)]
    allowed = [program for program in programs if judged(program).decision.verdict.name == "allow"]
    assert not allowed, f"{len(allowed)} of {len(programs)}\n" + "\n---\n".join(allowed[:20])


def test_a_look_stays_readable_however_it_is_written() -> None:
    clouded = []
    for way in READ:
        found = judged(program := write_out(way, *LOOKS))
        if found.reading.opaque or found.decision.verdict.name != "allow":
            clouded.append(f"{program}\n  {[part.reason for part in found.reading.opaque]}")
    assert not clouded, f"{len(clouded)} of {len(READ)}\n" + "\n---\n".join(clouded[:20])
