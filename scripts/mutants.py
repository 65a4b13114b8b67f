"""The mutation check: small faults are put into the core one at a time, and the tests must see nine of ten.

    python scripts/mutants.py [MODULE …] [--sample N | --listed] [--jobs N] [--json FILE] [--list] [--keep]

tests/mutants.toml says which tests judge which module, and lists each mutant that survives with the reason why it may.
The run fails where less than 90 % are killed, where a mutant survives that is not listed, and where the list names one
that is killed or gone by now. `--sample 5` takes every so manieth mutant, five for each module: a quick look, which
checks the list for those alone. `--keep` prints the rows that the list lacks, for a reason to be written beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.mutation.judged import KILLED, Task, judged, prepare
from scripts.mutation.operators import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
Verdicts = dict[str, dict[str, str]]
LIST = ROOT / "tests" / "mutants.toml"
BAR = 0.9


class Row(NamedTuple):
    """A module of the core, the tests that judge it, and the mutants that may survive, each with the reason."""

    module: str
    tests: tuple[str, ...]
    excused: dict[str, str]

    @property
    def name(self) -> str:
        return f"interlock.{self.module.replace('/', '.')}".removesuffix(".__init__")

    @property
    def file(self) -> Path:
        return ROOT / "src" / "interlock" / f"{self.module}.py"

    def mutants(self, sample: int | None, *, listed: bool = False) -> list[Mutant]:
        every = mutants_of(self.file.read_text(encoding="utf-8"))
        if listed:
            return [mutant for mutant in every if mutant.name in self.excused]
        if sample is None or len(every) <= sample:
            return every
        return [every[at * len(every) // sample] for at in range(sample)]


def rows_of(text: str, table: str = "judges") -> list[Row]:
    """The modules of a table: `judges`, or `not_yet`, whose survivors nobody has gone through."""
    data = tomllib.loads(text)
    excused: dict[str, dict[str, str]] = {module: {} for module in (*data["judges"], *data.get("not_yet", {}))}
    for group in data.get("survivors", []):
        for name in group["mutants"]:
            excused[group["module"]][name] = group["reason"]
    return [
        Row(module, tuple(f"tests/{test}" for test in tests), excused[module])
        for module, tests in data.get(table, {}).items()
    ]


class Found(NamedTuple):
    """
    killed   how many of how many
    new      survivors that the list does not know, and how each was found
    stale    names on the list that are killed or gone
    """

    module: str
    killed: int
    total: int
    excused: int
    new: dict[str, str]
    stale: list[str]


def found_in(row: Row, verdicts: dict[str, str], *, whole: bool) -> Found:
    alive = {name: verdict for name, verdict in verdicts.items() if verdict != KILLED}
    stale = [name for name in row.excused if name not in alive and (whole or name in verdicts)]
    new = {name: verdict for name, verdict in alive.items() if name not in row.excused}
    killed = len(verdicts) - len(alive)
    return Found(row.module, killed, len(verdicts), len(alive) - len(new), new, stale)


def run(rows: Sequence[Row], jobs: int, mutants: dict[str, list[Mutant]], log: Path | None) -> Verdicts:
    """By module and mutant what became of it. The log gets a line for each as soon as it is known."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    tasks = [Task(row.name, str(row.file), row.tests, mutant) for row in rows for mutant in mutants[row.module]]
    verdicts: Verdicts = {row.name: {} for row in rows}
    columns = (TextColumn("{task.description:32}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress, open(log or os.devnull, "w") as told:
        bar = progress.add_task("each test once, without a mutant", total=len(tasks))
        for task, verdict in judged(tasks, jobs):
            verdicts[task.module][task.mutant.name] = verdict
            print(json.dumps([task.module, task.mutant.name, verdict], ensure_ascii=False), file=told, flush=True)
            progress.update(bar, advance=1, description=task.module)
    return {row.module: verdicts[row.name] for row in rows}


def told(found: Sequence[Found], *, keep: bool) -> bool:
    """Prints the table, and says whether all is as it must be."""
    killed, total = sum(one.killed for one in found), sum(one.total for one in found)
    for one in found:
        share = f"{one.killed / one.total:7.1%}" if one.total else "      -"
        print(
            f"{one.module:24} {one.killed:5} of {one.total:5} {share}   {one.excused:3} excused, {len(one.new):3} new"
        )
    whole = killed / total if total else 0.0
    print(f"{'together':24} {killed:5} of {total:5} {whole:7.1%}   bar {BAR:.0%} {'met' if whole >= BAR else 'MISSED'}")
    for one in found:
        for name, verdict in one.new.items():
            print(f"    {json.dumps(name, ensure_ascii=False)}," if keep else f"{one.module}: {verdict}: {name}")
        for name in one.stale:
            print(f"{one.module}: listed in tests/mutants.toml, but killed or gone: {name}")
    kinds = Counter(kind for one in found for kind in ("new",) * len(one.new) + ("stale",) * len(one.stale))
    if kinds["new"]:
        print(f"{kinds['new']} survivors are not listed. Write a test that sees them, or list them with a reason.")
    if kinds["stale"]:
        print(f"{kinds['stale']} rows of tests/mutants.toml are out of date. Remove them.")
    return whole >= BAR and not kinds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as decide or layers/tiers; all by default")
    parser.add_argument("--sample", type=int, help="so many mutants of each module")
    parser.add_argument("--listed", action="store_true", help="only those of the list: do they still survive?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, help="write what became of each mutant into this file, a line for each")
    parser.add_argument("--list", action="store_true", help="print the mutants, and judge none")
    parser.add_argument("--keep", action="store_true", help="print new survivors as rows for tests/mutants.toml")
    given = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets, too, is the same each time
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    os.chdir(ROOT)
    text = LIST.read_text(encoding="utf-8")
    rows, later = rows_of(text), rows_of(text, "not_yet")
    unknown = sorted(set(given.modules) - {row.module for row in (*rows, *later)})
    if unknown:
        parser.error(f"tests/mutants.toml has no module {', '.join(unknown)}")
    if given.modules:
        rows = [row for row in (*rows, *later) if row.module in given.modules]
    elif later:
        print(f"not judged, because nobody has gone through them yet: {', '.join(row.module for row in later)}")
    if given.list:
        for row in rows:
            for mutant in row.mutants(given.sample):
                print(f"{row.module}: {mutant.name}")
        return 0
    prepare(ROOT / "tests")
    mutants = {row.module: row.mutants(given.sample, listed=given.listed) for row in rows}
    rows = [row for row in rows if mutants[row.module]]
    verdicts = run(rows, max(1, given.jobs), mutants, given.json)
    found = [found_in(row, verdicts[row.module], whole=given.sample is None) for row in rows]
    if given.listed:
        stale = [f"{one.module}: killed, so take it off the list: {name}" for one in found for name in one.stale]
        print("\n".join(stale) or "every listed mutant survives")
        return 1 if stale else 0
    return 0 if told(found, keep=given.keep) else 1


if __name__ == "__main__":
    sys.exit(main())
