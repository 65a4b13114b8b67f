"""`interlock history`: what Interlock would have done with the calls of past sessions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ..evals.lexical import Bench
from ..evals.past import Judgement, Past
from ..history import claude_code, codex
from ..history.report import Report
from ..history.told import Transcript
from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.ledger.history import default_places, history_line, keep_history, lines_of, transcripts_in
from .commands import pass_folders, project_root
from .counted import counted
from .listed import Listed
from .recorded import progress
from .rows import parse_when
from .show import console, harmless

__all__ = ["command"]

_READERS: dict[str, Callable[..., Transcript]] = {
    claude_code.NAME: claude_code.read_transcript,
    codex.NAME: codex.read_transcript,
}
_SHOWN = 20  # rows of a table for people; --json has them all


@click.group("history", cls=Listed)
def command() -> None:
    """See what Interlock would have done in sessions that ran without it.

    \b
    Examples:
      interlock history import
      interlock history import --keep && interlock suggest
    """


@command.command("import")
@click.argument("places", nargs=-1, metavar="[FILE|FOLDER]…", type=click.Path())
@click.option("--from", "host", type=click.Choice(sorted(_READERS)), help="Whose transcripts. Default: told from them.")
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(dir_okay=False),
    help="Under this policy. Default: the one in force here.",
)
@click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
@click.option("--since", help="Only calls from this day or time on (2026-12-01, 12h, 7d).")
@click.option(
    "--keep", is_flag=True, help="Keep the calls, redacted, for `interlock simulate` and `interlock suggest`."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def import_(
    folders: Folders,
    places: tuple[str, ...],
    host: str | None,
    policy_file: str | None,
    root: str | None,
    since: str | None,
    keep: bool,
    as_json: bool,
) -> int:
    """Read transcripts of Claude Code and Codex, and report what Interlock would have done.

    Without FILE or FOLDER: those in `~/.claude/projects` and `~/.codex/sessions`. They are read and nothing else: no
    call is run, nothing is sent, secrets are redacted before anything is shown or kept.

    \b
    Examples:
      interlock history import
      interlock history import ~/.claude/projects/-home-me-app --since 30d --json
    """
    policy = load_policy(folders, None if policy_file else project_root(root), policy_file)
    report, past = Report(), Past(Bench(policy=policy, posture=policy.posture))
    files = _files(folders, places)
    with progress("reading transcripts", shown=not as_json) as tick:
        judged = _judged(files, host, past, report, parse_when(since), tick)
        if keep:
            kept = keep_history(folders.history, ((one.told.session, _line(one)) for one in judged))
        else:
            kept = sum(1 for _ in judged)
    data = report.as_data()
    if as_json:
        where = {"kept": {"file": folders.history, "calls": kept}} if keep else {}
        click.echo(json.dumps({"policy": policy.digest, **data, **where}, ensure_ascii=False))
        return 0
    _show(data)
    if keep:
        click.echo(f"kept {counted(kept, 'call')} in {folders.history}; go on with: interlock suggest")
    return 0


def _files(folders: Folders, places: tuple[str, ...]) -> list[str]:
    chosen = places or tuple(place for place in default_places(folders) if os.path.isdir(place))
    if not chosen:
        raise InputError(
            "there are no transcripts in `~/.claude/projects` or `~/.codex/sessions`; name a file or folder"
        )
    files = list(dict.fromkeys(os.path.abspath(file) for place in chosen for file in transcripts_in(place)))
    if not files:
        raise InputError("there are no transcripts (`.jsonl` files) there")
    return files


def _judged(
    files: list[str],
    host: str | None,
    past: Past,
    report: Report,
    since: int | None,
    tick: Callable[[], object],
) -> Iterator[Judgement]:
    for path in files:
        name = os.path.basename(path).removesuffix(".jsonl")
        transcript = _READERS[host or _host_of(path)](lines_of(path), name)
        report.read(transcript)
        for one in past.judge(transcript.told):
            tick()
            if since is not None and one.told.at is not None and one.told.at < since:
                continue  # judged all the same: what it wrote and what was approved counts for those after it
            report.add(one.told, one.given, one.decision)
            yield one


def _host_of(path: str) -> str:
    """Codex names its files `rollout-…`, and wraps each line's content into a `payload`."""
    if os.path.basename(path).startswith("rollout-"):
        return codex.NAME
    first = next((line for line in lines_of(path) if line), b"")
    return codex.NAME if b'"payload"' in first or b'"session_meta"' in first else claude_code.NAME


def _line(one: Judgement) -> bytes:
    told = one.told
    return history_line(
        one.given,
        one.body,
        at=told.at,
        attempt=told.attempt,
        source=told.host,
        outcome=told.outcome,
        refused=told.refused,
    )


def _show(data: dict[str, Any]) -> None:
    out = console()
    verdicts = data["verdicts"]
    head = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    files = "1 transcript" if data["files"] == 1 else f"{data['files']} transcripts"
    out.print(Text(f"{counted(data['calls'], 'call')} in {files}: {head}", style="bold"))
    out.print(Text(f"{data['prompts_per_100']:g} prompts in 100 calls"))
    skipped = sum(data["skipped"].values())
    if skipped:
        why = ", ".join(f"{count} {words}" for words, count in data["skipped"].items())
        out.print(Text(f"{skipped} of {data['lines']} lines were skipped: {why}", style="yellow"))
    _table("asked most often", ("calls", "to remember it as", "because", "for example"), [
        (row["count"], row["key"], row["why"], row["example"]) for row in data["asks"]
    ])  # fmt: skip
    if data["other_asks"]:
        out.print(Text(f"and {data['other_asks']} more", style="dim"))
    _table("denied", ("day", "call", "because"), [(r["day"], r["call"], r["why"]) for r in data["denies"]])
    counts = ("calls", "allow", "ask", "deny")
    _table("by day", ("day", *counts), [(row["day"] or "unknown", *[row[c] for c in counts]) for row in data["days"]])
    _table("by session", ("session", "day", *counts), [
        (row["session"], row["day"], *[row[c] for c in counts]) for row in data["sessions"][-_SHOWN:]
    ])  # fmt: skip
    if len(data["sessions"]) > _SHOWN:
        out.print(Text(f"the last {_SHOWN} of {len(data['sessions'])} sessions; --json has them all", style="dim"))
    for note in data["notes"]:
        out.print(Text(f"  {note}", style="dim"))


def _table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    if not rows:
        return
    out = console()
    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, header_style="dim", overflow="fold")
    for row in rows:
        table.add_row(*[Text(_short(harmless(cell))) for cell in row])
    out.print()
    out.print(Text(title, style="bold"))
    out.print(table)


def _short(text: str) -> str:
    return text if len(text) <= 70 else text[:69] + "…"
