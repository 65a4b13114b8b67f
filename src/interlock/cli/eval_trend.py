"""`interlock eval trend`: the figures of earlier runs, in the terminal or as a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ..evals.rates import FIGURES
from ..evals.trend import runs_in
from ..evals.trend_page import page_of
from ..model.errors import InputError, StoreError
from ..value import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table
    from rich.text import Text

    from ..evals.trend import Run
    from .show import console, harmless
else:
    console = lazy(globals(), ".show", "console")
    harmless = lazy(globals(), ".show", "harmless")
    Table = lazy(globals(), "rich.table", "Table")
    Text = lazy(globals(), "rich.text", "Text")

__all__ = ["command"]

_SHOWN = ("pass_rate", "danger_stopped", "benign_allowed", "prompts_per_100", "latency_p99_us")


@click.command("trend")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N runs.")
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="PAGE", help="Write a page with charts here.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: str, last: int | None, page: str | None, as_json: bool) -> int:
    """Show the runs that `interlock eval run --trend FILE` kept, the newest last.

    A change is told against the run before that had the same packs, mode, posture and answers.

    \b
    Examples:
      interlock eval trend evals.sqlite
      interlock eval trend evals.sqlite --html trend.html
    """
    every = runs_in(file)
    if not every:
        raise InputError(f"`{file}` holds no runs yet")
    runs = every if last is None else every[-last:]
    if page is not None:
        try:
            with open(page, "w", encoding="utf-8") as out:
                out.write(page_of(runs))
        except OSError as error:
            raise StoreError(f"`{page}` could not be written: {error.strerror}") from None
    if as_json:
        click.echo(json.dumps([_to_wire(run) for run in runs], ensure_ascii=False))
    else:
        _show(runs, every)
        if page is not None:
            click.echo(f"\nwrote {page}")
    return 0


def _to_wire(run: Run) -> dict[str, object]:
    return {**run.as_dict(), "figures": dict(run.figures)}


def _show(runs: Sequence[Run], every: Sequence[Run]) -> None:
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("when", "engine", "policy", "packs", "cases", *_SHOWN, "note"):
        table.add_column(name, header_style="dim", justify="right" if name in (*_SHOWN, "cases") else "left")
    for run in runs:
        earlier = every[: every.index(run)]
        before = next((other for other in reversed(earlier) if other.series == run.series), None)
        cells = [_changed(name, run, before) for name in _SHOWN]
        short = [text.removeprefix("sha256:")[:8] for text in (run.policy, run.packs)]
        table.add_row(run.at, run.engine, *short, str(run.cases), *cells, Text(harmless(run.note)))
    out = console()
    if not out.is_terminal:
        out.width = 160
    out.print(table)


def _changed(name: str, run: Run, before: Run | None) -> Text:
    """The value, colored where it changed: green for better, red for worse."""
    value = run.figures.get(name)
    old = None if before is None else before.figures.get(name)
    if value is None:
        return Text("")
    if old is None or old == value:
        return Text(f"{value:g}")
    better = (value > old) == FIGURES[name][1]
    return Text(f"{value:g} ({value - old:+g})", style="green" if better else "red")
