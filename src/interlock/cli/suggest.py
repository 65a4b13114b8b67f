"""`interlock suggest`: the few grants or entries that would remove most prompts, and what else they would allow."""

from __future__ import annotations

import json

import click
from rich.text import Text

from ..history.candidates import command_of, toml_of, toml_of_all, words_of
from ..history.suggest import Suggestion, Suggestions, suggest, to_data
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from .commands import pass_folders, project_root
from .counted import counted
from .recorded import Source, closed, live, progress, which
from .show import console, harmless

__all__ = ["command", "show_suggestion"]


@click.command("suggest")
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="At most so many.")
@which
@pass_folders
def command(
    folders: Folders,
    top: int,
    policy_file: str | None,
    root: str | None,
    against: str | None,
    since: str | None,
    session: str | None,
    as_json: bool,
) -> int:
    """Propose the few grants or policy entries that would have saved most prompts.

    Nothing is suggested for what is denied, could not be read, concerns secrets or other rights, or cannot be taken
    back. Each suggestion says what else it would allow; nothing is changed unless you run or copy it.

    \b
    Examples:
      interlock suggest
      interlock suggest --since 30d --top 3 --json
    """
    policy = load_policy(folders, None if policy_file else project_root(root), policy_file)
    source = Source(folders, against, since, session)
    with progress("looking", shown=not as_json) as tick:
        found = suggest(source.rows(), policy, live=live, closed=closed, top=top, tick=tick)
    if as_json:
        click.echo(json.dumps({"policy": policy.digest, "sources": source.names, **to_data(found)}, ensure_ascii=False))
    else:
        _show(found)
    return 0


def _show(found: Suggestions) -> None:
    out = console()
    out.print(
        Text(f"{counted(found.prompts, 'prompt')} in {counted(found.calls, 'call')}; these would save {found.saved}")
    )
    if found.unsafe:
        out.print(Text(f"{found.unsafe} are left alone: nothing may be suggested for them", style="dim"))
    for number, one in enumerate(found.found, start=1):
        show_suggestion(number, one)
    if sum([one.candidate.form == "tier" for one in found.found]) > 1:
        out.print(Text("\nall of them, for policy.toml (a table that it has already stays one table):"))
        for line in toml_of_all(tuple([one.candidate for one in found.found])).splitlines():
            out.print(Text(f"   {harmless(line)}", style="dim"))


def show_suggestion(number: int, one: Suggestion) -> None:
    out = console()
    out.print()
    out.print(Text(f"{number}. saves {one.saved}: {harmless(one.key)}", style="bold"))
    for example in one.examples:
        out.print(Text(f"   such as {_short(harmless(example))}", style="dim"))
    if one.also:
        out.print(Text(f"   of these, {one.also} were asked about as something else"))
        for example in one.also_examples:
            out.print(Text(f"   such as {_short(harmless(example))}", style="dim"))
    out.print(Text(f"   it would allow {harmless(words_of(one.candidate))}"))
    said = command_of(one.candidate)
    if said is not None:
        out.print(Text(f"   {harmless(said)}"))
    for line in toml_of(one.candidate).splitlines():
        out.print(Text(f"   {harmless(line)}", style="dim" if said is not None else ""))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
