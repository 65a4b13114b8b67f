"""`interlock simulate`: recorded calls under another policy, and what would change."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from .. import __version__
from ..history.simulate import KINDS, Simulation, simulate, unknowns
from ..policy.model import Policy
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from .commands import pass_folders, project_root
from .counted import counted
from .recorded import Source, closed, live, progress, which
from .show import COLOURS, console, harmless

__all__ = ["command"]

_WORDS = {
    "newly_denied": "newly denied",
    "newly_asked": "newly asked",
    "newly_allowed": "newly allowed",
    "asked_not_denied": "asked instead of denied",
}


@click.command("simulate")
@which
@pass_folders
def command(
    folders: Folders,
    policy_file: str | None,
    root: str | None,
    against: str | None,
    since: str | None,
    session: str | None,
    as_json: bool,
) -> int:
    """Decide recorded calls again under another policy, and show what would change.

    The calls are those of the ledger and of what `interlock history import --keep` has kept, unless --against
    names a file. Nothing is run, recorded or changed.

    \b
    Examples:
      interlock simulate --policy new.toml --since 7d
      interlock simulate --policy new.toml --against ledger.jsonl --json
    """
    policy = load_policy(folders, None if policy_file else project_root(root), policy_file)
    source = Source(folders, against, since, session)
    with progress("simulating", shown=not as_json) as tick:
        found = simulate(source.rows(), policy, live=live, closed=closed, engine=__version__, tick=tick)
    if as_json:
        click.echo(json.dumps(_data(found, policy, source), ensure_ascii=False))
    else:
        _show(found, policy)
    return 0


def _data(found: Simulation, policy: Policy, source: Source) -> dict[str, Any]:
    return {
        "policy": policy.digest,
        "sources": source.names,
        "calls": found.calls,
        "before": dict(found.before),
        "after": dict(found.after),
        **{kind: found.count(kind) for kind in KINDS},
        "prompts_saved": found.prompts_saved,
        "changes": [{**group.as_dict(), "examples": list(group.examples)} for group in found.groups],
        "unknown": list(unknowns(policy, found)),
    }


def _show(found: Simulation, policy: Policy) -> None:
    out = console()
    saved = found.prompts_saved
    prompts = f"{counted(saved, 'prompt')} saved" if saved >= 0 else f"{counted(-saved, 'prompt')} more"
    counts = ", ".join(f"{found.count(kind)} {words}" for kind, words in _WORDS.items())
    out.print(Text(f"{counted(found.calls, 'call')}: {counts}; {prompts}"))
    if found.groups:
        table = Table(box=None, pad_edge=False, show_edge=False)
        for column in ("calls", "before", "after", "what", "for example"):
            table.add_column(column, header_style="dim", overflow="fold")
        for group in found.groups:
            table.add_row(
                str(group.count),
                Text(group.before, style=COLOURS[group.before]),
                Text(group.after, style=COLOURS[group.after]),
                Text(harmless(group.key)),
                Text(_short(harmless(group.examples[0]))),
            )
        out.print(table)
    out.print(Text("what this cannot know:", style="dim"))
    for line in unknowns(policy, found):
        out.print(Text(f"  {line}", style="dim"))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
