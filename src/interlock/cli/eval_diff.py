"""`interlock eval diff`: every case that two runs decide or read differently."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import click
from rich.text import Text

from ..evals.baseline import read_baseline
from ..evals.changes import KINDS, Change, Changes, Moved, changes_between, changes_to_wire, part_changes
from ..evals.results import Kept, read_results
from ..value import lazy

if TYPE_CHECKING:
    from rich.console import Console

    from .show import console, harmless
else:
    console = lazy(globals(), ".show", "console")
    harmless = lazy(globals(), ".show", "harmless")

__all__ = ["command"]

_STYLES = {"worse": "bold red", "looser": "yellow", "better": "green"}


@click.command("diff")
@click.argument("before", metavar="A", type=click.Path(exists=True))
@click.argument("after", metavar="B", type=click.Path(exists=True))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every case.")
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Show at most N cases of each kind and class.",
)
def command(before: str, after: str, as_json: bool, most: int) -> int:
    """List every case that changed between two results.

    A and B are files that `eval run --results` or `eval scoreboard --results` wrote, or the folder of a baseline. Cases
    are told by kind, the worse ones first, and by class. A baseline has no readings: what moved in a reading is told
    where both sides are results.

    The exit code is 1 if anything got worse: a case lowers a figure that it did not lower before, a figure fell, or
    more of a class lowers one.

    \b
    Examples:
      interlock eval diff before.jsonl after.jsonl
      interlock eval diff tests/baseline after.jsonl --json
    """
    changes = changes_between(_kept(before), _kept(after))
    if as_json:
        click.echo(json.dumps(changes_to_wire(changes), ensure_ascii=True))
    else:
        _show(changes, most)
    return 1 if changes.worse else 0


def _kept(path: str) -> Kept:
    return read_baseline(path) if os.path.isdir(path) else read_results(path)


def _show(changes: Changes, most: int) -> None:
    out = console()
    if not out.is_terminal:
        out.width = 200
    for line in changes.not_compared:
        out.print(Text(f"not compared: {harmless(line)}", style="yellow"))
    kinds = Counter(change.kind for change in changes.cases)
    for kind, of_kind in groupby(changes.cases, key=lambda change: change.kind):
        out.print(Text(f"{kinds[kind]:,} cases {KINDS[kind]}", style=_STYLES.get(kind, "bold")))
        by_class = sorted(of_kind, key=lambda change: (change.file, change.group))
        for (file, group), inside in groupby(by_class, key=lambda change: (change.file, change.group)):
            cases = list(inside)
            out.print(Text(f"  {harmless(file)} · {harmless(group) or '-'}: {len(cases):,}"))
            for change in cases[:most]:
                _show_case(out, change)
            if len(cases) > most:
                out.print(Text(f"    … and {len(cases) - most:,} more; --most N shows more", style="dim"))
    _show_moved(out, "figures", changes.figures)
    _show_moved(out, "classes", changes.classes)
    if not changes.cases and not changes.figures:
        out.print("nothing changed")


def _show_case(out: Console, change: Change) -> None:
    sides = [row.verdict or "-" for row in (change.before, change.after) if row is not None]
    moved = " → ".join(dict.fromkeys(sides))
    was = set() if change.before is None else set(change.before.lowers)
    lowers = [] if change.after is None else [figure for figure in change.after.lowers if figure not in was]
    told = f"  lowers {', '.join(lowers)}" if lowers and change.kind == "worse" else ""
    out.print(Text.assemble(f"    {harmless(change.id)}  {moved}", (told, "dim")))
    for line in part_changes(change):
        out.print(Text(f"      {harmless(line)}", style="dim"))


def _show_moved(out: Console, title: str, moved: tuple[Moved, ...]) -> None:
    if moved:
        out.print(Text(f"\n{title}", style="bold"))
    for one in sorted(moved, key=lambda one: not one.worse):
        style = "bold red" if one.worse else ""
        mark = "worse: " if one.worse else ""
        out.print(Text(f"  {mark}{harmless(one.name)}: {one.before} → {one.after}", style=style))
