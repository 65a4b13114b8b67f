"""`interlock eval agents`: agents that call APIs, with and without an injected task."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from ..evals.agent_files import SHIPPED, load_suites
from ..evals.agents import Figures, figures
from ..model.errors import InputError
from ..value import lazy
from .show import harmless

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
else:
    CompletionItem = lazy(globals(), "click.shell_completion", "CompletionItem")

__all__ = ["command"]


def _complete_suite(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """The suites in the folder that was named."""
    folder = context.params.get("folder") or SHIPPED
    try:
        names = [suite.name for suite in load_suites(folder)] if os.path.isdir(folder) else []
    except InputError:
        names = []
    return [CompletionItem(name) for name in names if name.startswith(begun)]


@click.command("agents")
@click.argument("folder", metavar="[FOLDER]", required=False, type=click.Path(exists=True, file_okay=False))
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete_suite,
    help="Only this suite. May be repeated.",
)
@click.option("--missed", is_flag=True, help="List the pairs that were not stopped, and forbidden tasks that passed.")
@click.option("--asked", is_flag=True, help="List the user tasks that were asked about, with the reasons.")
@click.option("--min-free", type=click.FloatRange(0, 1), metavar="SHARE", help="Fail if fewer tasks pass unasked.")
@click.option("--min-stopped", type=click.FloatRange(0, 1), metavar="SHARE", help="Fail if fewer pairs are stopped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    folder: str | None,
    suites: tuple[str, ...],
    missed: bool,
    asked: bool,
    min_free: float | None,
    min_stopped: float | None,
    as_json: bool,
) -> int:
    """Replay user tasks and injected tasks of API agents, from the suites in FOLDER.

    Without a FOLDER, from those that come with Interlock: a support desk, and a team that runs services.

    A suite is a manifest NAME.toml, written as a policy, and its tasks NAME.jsonl; docs/eval.md says what a line is.
    The files of AgentDojo, tau2 and Mind2Web-SC are recognized by their names, and judged under manifests that come
    with Interlock: what their tools do, what their arguments are, which fields of their results the service fills in.

    A task is let through with so many prompts. A pair of a user task and an injected one is stopped if one of the
    injected calls is not allowed. A file without rows, or with a row that cannot be taken, is an error: exit code 64.

    \b
    Examples:
      interlock eval agents
      interlock eval agents corpora/ --suite banking --missed
      interlock eval agents suites/ --min-free 0.8 --min-stopped 0.95
    """
    folder = folder or SHIPPED
    there = load_suites(folder)
    unknown = [name for name in suites if name not in [suite.name for suite in there]]
    if unknown:
        names = ", ".join([suite.name for suite in there])
        raise InputError(f"there is no suite `{unknown[0]}` in `{folder}`; there are {names}")
    chosen = [suite for suite in there if not suites or suite.name in suites]
    found = [figures(suite) for suite in chosen]
    total = _total(found)
    lost = _below(total, min_free, min_stopped)
    if as_json:
        told = {"suites": [_plain(one) for one in found], "total": total, "missed": lost}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return 1 if lost else 0
    _show(found)
    if missed:
        for one in found:
            for pair in one.missed:
                click.echo(harmless(f"not stopped: {one.suite} {pair}"))
    if asked:
        for one in found:
            for task, reasons in one.held.items():
                click.echo(harmless(f"asked: {one.suite} {task}: {' '.join(reasons)}"))
    for line in lost:
        click.echo(f"missed: {line}")
    return 1 if lost else 0


def _show(found: list[Figures]) -> None:
    columns = (
        "suite",
        "tasks",
        "unasked",
        "prompts x tasks",
        "calls",
        "asked",
        "pairs",
        "stopped",
        "forbidden",
        "stopped",
    )
    rows = [
        (
            harmless(one.suite),
            str(one.tasks),
            str(one.free),
            ", ".join([f"{prompts} x {count}" for prompts, count in one.prompts]),
            str(one.calls),
            str(one.asked + one.denied),
            *([str(one.pairs), str(one.stopped)] if one.pairs else ["-", "-"]),
            *([str(one.forbidden), str(one.refused)] if one.forbidden else ["-", "-"]),
        )
        for one in found
    ]
    widths = [max([len(row[at]) for row in (columns, *rows)]) for at in range(len(columns))]
    for row in (columns, *rows):
        cells = [
            cell.ljust(width) if at in (0, 3) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())
    for collection in dict.fromkeys([one.collection for one in found]):
        click.echo(_sentence(collection, _total([one for one in found if one.collection == collection])))
    for one in found:
        suite = harmless(one.suite)
        if one.apart:
            click.echo(f"{suite}: apart, with calls of another hand: {one.apart_stopped} of {one.apart} pairs stopped")
        if one.least is not None:
            click.echo(
                f"{suite}: its rows hold neither words nor results, so values count as the person's; "
                f"if none did, {one.least} of {one.tasks} tasks would pass"
            )
        for why, count in one.excluded.items():
            click.echo(harmless(f"{one.suite}: {count} rows not tried: {why}"))


def _sentence(collection: str, total: dict[str, Any]) -> str:
    parts = [f"{total['free_share']:.1%} of {total['tasks']} tasks without a prompt"]
    if total["pairs"]:
        parts.append(f"{total['stopped_share']:.1%} of {total['pairs']} pairs stopped")
    if total["forbidden"]:
        parts.append(f"{total['refused_share']:.1%} of {total['forbidden']} forbidden tasks stopped")
    return f"{collection or 'in all'}: {', '.join(parts)}, {total['prompts_per_100']:.1f} prompts per 100 calls"


def _below(total: dict[str, Any], free: float | None, stopped: float | None) -> list[str]:
    found = []
    if free is not None and total["free_share"] < free:
        found.append(f"{total['free_share']:.1%} of the tasks without a prompt, {free:.1%} demanded")
    if stopped is not None and (not total["pairs"] or total["stopped_share"] < stopped):
        found.append(f"{total['stopped_share']:.1%} of the pairs stopped, {stopped:.1%} demanded")
    return found


def _plain(one: Figures) -> dict[str, Any]:
    return {
        **one.as_dict(),
        "prompts": {str(prompts): count for prompts, count in one.prompts},
        "excluded": dict(one.excluded),
        "held": {task: list(reasons) for task, reasons in one.held.items()},
    }


def _total(found: list[Figures]) -> dict[str, Any]:
    tasks, pairs = sum([one.tasks for one in found]), sum([one.pairs for one in found])
    calls, forbidden = sum([one.calls for one in found]), sum([one.forbidden for one in found])
    return {
        "tasks": tasks,
        "free_share": sum([one.free for one in found]) / tasks if tasks else 0.0,
        "pairs": pairs,
        "stopped_share": sum([one.stopped for one in found]) / pairs if pairs else 0.0,
        "forbidden": forbidden,
        "refused_share": sum([one.refused for one in found]) / forbidden if forbidden else 0.0,
        "prompts_per_100": 100 * sum([one.asked + one.denied for one in found]) / calls if calls else 0.0,
    }
