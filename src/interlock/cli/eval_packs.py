"""`interlock eval packs`: the packs that come with Interlock, and the names by which `eval run --pack` takes them."""

from __future__ import annotations

import json
from collections import Counter

import click
from click.shell_completion import CompletionItem

from ..evals.case import Case
from ..evals.pack import load_pack
from ..evals.shipped import Shipped, path_of, shipped
from ..model.errors import InterlockError

__all__ = ["command", "complete_pack", "paths_of"]


def complete_pack(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    try:
        return [CompletionItem(pack.name, help=pack.about) for pack in shipped() if pack.name.startswith(typed)]
    except InterlockError:
        return []


def paths_of(paths: tuple[str, ...], packs: tuple[str, ...]) -> list[str]:
    """What is to be run: the files and folders that are named and the packs of ours; without either, all of those."""
    named = [path_of(name) for name in packs]
    return [*paths, *named] or [pack.path for pack in shipped()]


@click.command("packs")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """List the packs that come with Interlock.

    `interlock eval run` runs them all, `interlock eval run --pack NAME` one of them. The path is printed with --json,
    for whoever wants to begin a pack of their own with a copy.
    """
    rows = [_row(pack, load_pack(pack.path)) for pack in shipped()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
    else:
        from .eval_shown import show_packs

        show_packs(rows)
    return 0


def _row(pack: Shipped, cases: tuple[Case, ...]) -> dict[str, object]:
    expected = Counter(case.expect for case in cases)
    calls = Counter(case.call.session for case in cases if case.call.session)
    return {
        "pack": pack.name,
        "cases": len(cases),
        "danger": expected["ask"] + expected["deny"] + expected["not_allow"],
        "benign": expected["allow"],
        "sessions": sum(count > 1 for count in calls.values()),
        "about": pack.about,
        "path": pack.path,
    }
