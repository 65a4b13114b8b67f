"""`interlock audit summary`: what was asked and denied, what would have been, and what would end most prompts."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.text import Text

from ..history.suggest import suggest, to_data
from ..history.summary import summed_up
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.given import CANARY
from .commands import pass_folders, project_root
from .counted import counted, times
from .recorded import Source, closed, live, progress
from .rows import moment
from .show import console, harmless
from .suggest import show_suggestion

__all__ = ["command"]


@click.command("summary")
@click.option("--since", default="7d", show_default=True, help="From this day or time on (2026-12-01, 12h, 7d).")
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="At most so many of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, since: str, top: int, as_json: bool) -> int:
    """Sum up the last days: prompts, denials, their reasons, and the few grants that would end most prompts.

    Decisions that were only observed (see docs/observe.md) are counted apart: what would have been asked or denied. A
    question that a session would have asked once, because your yes is remembered, is counted once.

    \b
    Examples:
      interlock audit summary
      interlock audit summary --since 24h --json
    """
    policy = load_policy(folders, project_root(None))
    source = Source(folders, None, since, None, ledger_only=True)
    with progress("looking", shown=not as_json) as tick:
        rows = [row for row in source.rows() if not row.call.session.startswith(CANARY)]
        told = summed_up(rows, policy, live=live, closed=closed, top=top, tick=tick)
        found = suggest(rows, policy, live=live, closed=closed, top=top, tick=tick)
    told = {"since": moment(source.since or 0), **told}
    if as_json:
        click.echo(json.dumps({**told, "grants": to_data(found)}, ensure_ascii=False))
        return 0
    _show(told)
    if found.found:
        console().print(Text(f"\nthese would end {found.saved} of {counted(found.prompts, 'question')}:", style="bold"))
        for number, one in enumerate(found.found, start=1):
            show_suggestion(number, one)
    return 0


def _show(told: dict[str, Any]) -> None:
    out = console()
    prompts = f"{told['prompts_per_100']:g} prompts per 100"
    out.print(Text(f"{counted(told['calls'], 'call')} since {told['since']}; {prompts}", style="bold"))
    was, would = told["enforced"], told["observed"]
    if was["calls"]:
        out.print(Text(f"enforced: {counted(was['calls'], 'call')}; {was['ask']} asked, {was['deny']} denied"))
    if would["calls"]:
        often = f" (as {counted(would['prompts'], 'prompt')})" if would["prompts"] != would["ask"] else ""
        said = f"{would['ask']} would have been asked{often}, {would['deny']} denied"
        out.print(Text(f"observed: {counted(would['calls'], 'call')}; {said}"))
    for name in ("asks", "denies"):
        for row in told[name]:
            seen = "" if row["enforced"] else " (observed)"
            out.print()
            verb = "asked" if name == "asks" else "denied"
            out.print(Text(f"{verb} {times(row['count'])}{seen}: {harmless(row['why'])}"))
            out.print(Text(f"   such as {harmless(row['example'])}", style="dim"))
