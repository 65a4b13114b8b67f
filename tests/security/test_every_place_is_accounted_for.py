"""Every program × a guarded, secret, root or home place × every position: allowed only if something was read of it.

The rows of all tables are sampled; `INTERLOCK_PLACES=all` tries every row with every place.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from interlock.evals.case import HOME, Case, bash
from interlock.evals.lexical import bench_for, judge, start
from interlock.model.action import Reading
from interlock.model.effects import Effect
from interlock.reading.core.accounting import FREE, WORDED
from interlock.reading.evaluate.words import literal
from interlock.reading.machine.options import by_role, compiled
from table_rows import Row, every_row

PLACES = {
    ".claude/settings.json": "/repo/.claude/settings.json",
    f"{HOME}/.config/interlock/ledger.key": f"{HOME}/.config/interlock/ledger.key",
    f"{HOME}/.ssh/id_ed25519": f"{HOME}/.ssh/id_ed25519",
    ".env": "/repo/.env",
    "/": "/",
    HOME: HOME,
}
SAMPLE = 2500
BENCH = bench_for()


def forms(row: Row, place: str) -> Iterator[tuple[str, str]]:
    """Commands in which the place stands at each position, and the role that the table gives it there."""
    line, table = " ".join(row.words), compiled(row.program)
    if row.words[0] == "time":
        line = f"command {line}"  # the program: alone, it is a word of the shell
    for before, after in (("", ""), ("x ", ""), ("", " x")):
        words = [literal(word) for word in f"{before}{place}{after}".split()]
        roles = {word.text: role for role, taken in by_role(table.roles, words) for word in taken}
        yield f"{line} {before}{place}{after}", roles.get(place, "")
    for strange in (f"--zz={place}", f"--zz {place}", f"-9{place}"):
        yield f"{line} {strange}", compiled(row.program).roles[0][0] if " " in strange and table.roles else ""
    for name, option in table.by_name.items():
        worded = {other for other, same in table.by_name.items() if same is option} & WORDED
        role = "words" if option.role == "text" and worded else option.role or ""
        first = table.roles[0][0] if table.roles else ""
        yield f"{line} {name}={place}" if len(name) > 2 else f"{line} {name}{place}", role
        yield f"{line} {name} {place}", first if option.role is None or option.attached else role


def judged(command: str) -> tuple[str, Reading]:
    case = Case(id="x", file="", line=1, call=bash(command, "/repo"), root="/repo", home=HOME)
    found = judge(case, BENCH, start(case, BENCH))
    return str(found.decision.verdict), found.reading


def is_looked_at(reading: Reading, place: str) -> bool:
    """A plain read, or a change of git's index alone, which leaves the file: the layers have seen it, and let it be."""
    looked = [
        action
        for action in reading.actions
        if not {place, PLACES[place]}.isdisjoint((action.target.get("path"), action.target.get("real")))
    ]
    return bool(looked) and all(
        {*action.effects} <= {Effect.READ, Effect.EXECUTE}
        or (action.name[:4] == "git:" and not {"cached", "staged"}.isdisjoint(action.target))
        for action in looked
    )


def cases() -> Iterator[tuple[str, str, str]]:
    everything = os.environ.get("INTERLOCK_PLACES") == "all"
    chance = random.Random(2026)
    rows = every_row()
    for row in rows if everything else (chance.choice(rows) for _ in range(SAMPLE)):
        for place in PLACES if everything else (chance.choice(sorted(PLACES)),):
            found = list(forms(row, place))
            for command, role in found if everything else (chance.choice(found),):
                yield command, role, place


@pytest.mark.slow
def test_no_program_is_given_a_place_that_nobody_accounts_for() -> None:
    passed = []
    for command, role, place in cases():
        if (
            role in FREE
            or role[:5] == "code."
            or (role in STORED and PLACES[place] in ("/", HOME))
            or command.split()[0] in SAYS
        ):
            continue
        verdict, reading = judged(command)
        if verdict == "allow" and not is_looked_at(reading, place):
            passed.append((command, role, [action.name for action in reading.actions]))
    assert passed == []


STORED = frozenset(("key", "path"))  # names in a store of keys and values
# Builtins of the shell that only say or compare, and what looks a name up.
SAYS = frozenset("echo printf true false : pwd umask interlock".split())
