"""`interlock audit`: look at the ledger, check it, take it elsewhere, keep it small."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
from collections.abc import Iterable
from typing import IO

import click

from ..model.errors import InputError, InterlockError, StoreError
from ..record.chain import COLUMNS, DAMAGE, KINDS, Row
from ..store.home.folders import Folders
from ..store.ledger.audit import entry, find, line_of, open_for_reading, select, tail
from ..store.ledger.exports import verify_export
from ..store.ledger.gaps import gaps_in
from ..store.ledger.sqlite import nothing_yet
from ..store.ledger.verify import never_begun
from ..store.ledger.verify import verify as check
from ..store.people.signing import known_keys
from ..value import TYPE_CHECKING, lazy
from .audit_summary import command as summary_command
from .commands import pass_folders, with_home
from .counted import counted
from .heads import heads, verify_against
from .listed import Listed
from .person import refuse_an_agent, require_person
from .rows import decided, moment, parse_when, show_row, summary, walked_data
from .show import harmless

if TYPE_CHECKING:
    from ..store.undo.undone import compensators_in
    from .store import verify_store
else:
    compensators_in = lazy(globals(), "..store.undo.undone", "compensators_in")
    verify_store = lazy(globals(), ".store", "verify_store")

__all__ = ["command"]

BROKEN = 2
GAPS = 3
# What to do about a kind of damage, the mildest first. Nothing here begins with giving up the rows that are left.
_LAST_CURE = (
    "put back the newest whole copy if you have one; keep a copy of this one for whoever looks into it",
    "only if nothing brings it back: interlock audit restart keeps it aside and begins a new ledger",
)
_CURES = {
    "head": (
        "put the head back if you have it, from where the ledger was copied",
        "if you know how it got lost: interlock audit restore-head checks the rows, writes it anew and records that",
    ),
    "unavailable": ("nothing says that rows are lost: remove the cause named above, and look again",),
}
_TOLD = ("verdict", "tool", "command")  # of a decision, in columns of their own
_SOME = 5  # of the ids that are meant by too short a beginning
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object for each row.")


@click.group(cls=Listed)
def command() -> None:
    """Look at the ledger of decisions, check it, export it, keep it small.

    \b
    Examples:
      interlock audit verify
      interlock audit tail
      interlock audit summary
      interlock audit search --verdict deny --since 7d
      interlock audit export --format csv > decisions.csv
    """


command.add_command(summary_command)


@command.command()
@click.option("--quick", is_flag=True, help="Leave out SQLite's own examination of its file.")
@click.option("--store", metavar="URL", help="Check a team store instead: its own chain and each one shipped to it.")
@click.option("--export", metavar="FILE", help="Check the chain of an export instead; `-` reads it from stdin.")
@click.option(
    "--against",
    metavar="FILE|URL|git:URL",
    help="Also compare with heads that were sent off this machine: a file, an address, or a repository.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def verify(
    folders: Folders, quick: bool, store: str | None, export: str | None, against: str | None, as_json: bool
) -> int:
    """Check that no row was changed, removed, swapped or added, no older database put back, no call left out.

    Exit code 0 if the ledger is whole, 2 if it is not or could not be opened; the first bad row and the kind of damage
    are named, or what kept it from being opened. Exit code 3 if it is whole, but the host's transcripts tell of tool
    calls that ran and that no hook saw. Of an export, what was cut off at its beginning or end does not show: keep the
    hash of its last row.
    """
    if against is not None:
        return verify_against(folders, against, as_json)
    if export is not None:
        return _verify_export(folders, export, as_json)
    if store is not None:
        return verify_store(folders, store, as_json)
    _need_a_ledger(folders)
    walked = check(folders, deep=not quick)
    damage = walked.damage
    gaps = _gaps(folders) if damage is None else {}
    if as_json:
        click.echo(json.dumps({**walked_data(walked), "gaps": gaps}))
    elif damage is None:
        click.echo(f"whole: {counted(walked.count, 'row')}, the last is row {walked.seq} with hash {walked.hash}")
        for session, unseen in gaps.items():
            calls = "1 tool call" if len(unseen) == 1 else f"{len(unseen)} tool calls"
            some = ", ".join([f"{tool} {name[:60]}".strip() for name, tool in list(unseen.items())[:_SOME]])
            more = ", …" if len(unseen) > _SOME else ""
            click.echo(harmless(f"gap: session {session}: {calls} ran unseen: {some}{more}"))
    else:
        if damage.kind == "unavailable":
            click.echo(f"not checked: {damage.text}")
        else:
            where = f"row {damage.seq}" if damage.seq else folders.ledger
            click.echo(f"broken: {damage.kind} at {where}: {damage.text}")
            click.echo(f"  {DAMAGE[damage.kind]}; {walked.count} rows before it are whole")
        for line in _CURES.get(damage.kind, _LAST_CURE):
            click.echo(with_home(f"  {line}"))
    return BROKEN if damage is not None else GAPS if gaps else 0


def _gaps(folders: Folders) -> dict[str, dict[str, str]]:
    database = open_for_reading(folders.ledger)
    try:
        return gaps_in(database)
    finally:
        database.close()


def _verify_export(folders: Folders, path: str, as_json: bool) -> int:
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as stream:
            first, walked = verify_export(stream, known_keys(folders))
    except OSError as error:
        raise StoreError(f"`{path}` could not be read: {error.strerror}") from None
    damage = walked.damage
    if damage is None and walked.count == 0:
        raise InputError(f"there are no rows in `{path}`")
    if as_json:
        click.echo(json.dumps({"first": first, **walked_data(walked)}))
    elif damage is None:
        click.echo(f"whole: {counted(walked.count, 'row')}, {first} to {walked.seq}, the last with hash {walked.hash}")
    else:
        click.echo(f"broken: {damage.kind} at row {damage.seq}: {harmless(damage.text)}")
        click.echo(f"  {DAMAGE[damage.kind]}; {walked.count} rows before it are whole")
    return 0 if damage is None else BROKEN


command.add_command(heads)


@command.command("tail")
@click.option("-n", "--lines", "count", type=click.IntRange(1, 100_000), default=20, show_default=True)
@_json
@pass_folders
def tail_(folders: Folders, count: int, as_json: bool) -> int:
    """Show the newest rows."""
    database = open_for_reading(folders.ledger)
    return _print(tail(database, count), as_json)


@command.command()
@click.argument("name", metavar="ROW|ID")
@_json
@pass_folders
def show(folders: Folders, name: str, as_json: bool) -> int:
    """Show everything about one row: its number, or the beginning of its receipt, grant or approval id."""
    rows = find(open_for_reading(folders.ledger), name)
    if not rows:
        raise InputError(f"no row has the number or id `{name}`")
    ids = list(dict.fromkeys([str(row.key) for row in rows]))
    if len(ids) > 1 and name not in ids:
        some = ", ".join([harmless(key[:23]) for key in ids[:_SOME]]) + (", …" if len(ids) > _SOME else "")
        raise InputError(f"`{name}` is the beginning of {len(ids)} ids; write more of one: {some}")
    rows = [row for row in rows if row.key == (name if name in ids else ids[0])]
    if as_json:
        return _print(rows[:1], as_json)
    shown = entry(rows[0])
    undos: list[tuple[str, str]] = []
    if rows[0].kind == "decision":
        undos = compensators_in(rows[0])
    show_row(shown, same=len(rows) - 1, undos=undos)
    return 0


@command.command()
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(sorted(KINDS)), help="Only rows of this kind.")
@click.option("--verdict", type=click.Choice(["allow", "ask", "deny"]), help="Only decisions with this verdict.")
@click.option("--session", help="Only rows of this session.")
@click.option("--since", help="From this day or time on (2026-12-01, 2026-12-01T10:00, 90m, 12h, 7d).")
@click.option("--until", help="Before this day or time.")
@click.option("-n", "--lines", "count", type=click.IntRange(1), help="At most so many rows.")
@_json
@pass_folders
def search(
    folders: Folders,
    text: str | None,
    kind: str | None,
    verdict: str | None,
    session: str | None,
    since: str | None,
    until: str | None,
    count: int | None,
    as_json: bool,
) -> int:
    """Find rows that mention TEXT, upper or lower case alike, and fit the options."""
    rows = select(
        open_for_reading(folders.ledger),
        kind=kind,
        session=session,
        since=parse_when(since),
        until=parse_when(until),
        verdict=verdict,
        text=text,
    )
    return _print(rows if count is None else (row for _, row in zip(range(count), rows, strict=False)), as_json)


@command.command()
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False, writable=True), help="Write to this file, not to stdout.")
@click.option("--since", help="From this day or time on; as for search.")
@click.option("--until", help="Before this day or time.")
@pass_folders
def export(folders: Folders, form: str, output: str | None, since: str | None, until: str | None) -> int:
    """Write the rows out. JSONL is whole: it replays and its hashes can be checked. CSV is for spreadsheets.

    A file that --output names is readable by you alone, also where it was there before.
    """
    rows = select(open_for_reading(folders.ledger), since=parse_when(since), until=parse_when(until))
    if output is None:
        _export(rows, form, sys.stdout.buffer)
        return 0
    try:
        with _private(output) as out:
            _export(rows, form, out)
    except OSError as error:
        raise StoreError(f"`{output}` could not be written: {error.strerror}") from None
    return 0


def _private(path: str) -> IO[bytes]:
    """A file that only its owner reads, a file that was there before included; a pipe or a device stays as it is."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.fchmod(fd, 0o600)
            os.ftruncate(fd, 0)
        return os.fdopen(fd, "wb")
    except BaseException:
        os.close(fd)
        raise


def _export(rows: Iterable[Row], form: str, out: IO[bytes]) -> None:
    if form == "csv":
        out.write(_csv_line(["time", *_TOLD, *COLUMNS]))
    for row in rows:
        out.write(line_of(row) if form == "jsonl" else _csv_row(row))
    out.flush()


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def checkpoint(folders: Folders, as_json: bool) -> int:
    """Sign the ledger as it is now, inside it and in a file beside your policy.

    The key is made when it is first needed. Who keeps a copy of a checkpoint elsewhere can later prove that
    nothing before it was changed.
    """
    from ..store.ledger.upkeep import checkpoint as sign

    said = sign(folders)
    click.echo(json.dumps(said) if as_json else f"signed row {said['seq']} with key {said['key']}: {said['hash']}")
    return 0


@command.command()
@click.option("--keep", type=click.IntRange(1), help="Keep this many of the newest rows.")
@click.option("--before", help="Remove rows from before this day or time; as for search.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def prune(folders: Folders, keep: int | None, before: str | None, yes: bool, as_json: bool) -> int:
    """Remove the oldest rows for good, and leave a signed stub in the chain that says which they were.

    What is left still verifies. Rows of live grants stay.
    """
    from ..store.ledger.upkeep import prune as remove

    if keep is None and before is None:
        raise InputError("say what to remove: --keep ROWS or --before TIME")
    refuse_an_agent(folders)
    _need_a_ledger(folders)
    _confirm(yes, "Remove old rows of the ledger for good?")
    stub = remove(folders, keep=keep, before=parse_when(before))
    if as_json:
        click.echo(json.dumps(stub))
    elif stub is None:
        click.echo("nothing to remove")
    else:
        click.echo(f"removed {stub['count']} rows, {stub['from']} to {stub['to']}; a signed stub says so")
    return 0


@command.command()
@click.option("--why", default="", help="Words for whoever reads the ledger later.")
@click.option("--without-keys", is_flag=True, help="Go on although enrolled keys are lost, or there were none.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def restart(folders: Folders, why: str, without_keys: bool, yes: bool, as_json: bool) -> int:
    """Begin a new ledger after damage. The old files are kept aside, and the first row says why.

    Enrolled keys are taken along, from the database or from the copy beside it. Where neither can be read, nothing is
    done unless you say --without-keys. What was signed for the old ledger does not count in the new one.
    """
    from ..store.ledger.upkeep import restart as anew

    refuse_an_agent(folders, damaged=True)
    _need_a_ledger(folders)
    _confirm(yes, "Put the present ledger aside and begin a new one?")
    damage, aside, keys = anew(folders, why, without_keys=without_keys)
    if as_json:
        found = None if damage is None else damage.as_dict()
        click.echo(json.dumps({"aside": aside, "damage": found, "changes_of_keys": keys, "without_keys": without_keys}))
        return 0
    was = "nothing was wrong with it" if damage is None else f"damage: {damage.kind} at row {damage.seq}"
    click.echo(f"a new ledger was begun; the old one ({was}) is kept at {aside}")
    if without_keys:
        click.echo("no enrolled key came along: until one counts, tier 3 takes answers without a signature")
    elif keys:
        click.echo(with_home("the enrolled keys came along; check them: interlock approver list"))
    return 0


@command.command("restore-head")
@click.option("--why", default="", help="Words for whoever reads the ledger later: how the head got lost.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def restore_head(folders: Folders, why: str, yes: bool, as_json: bool) -> int:
    """Write the head of the ledger anew after it was lost. All rows stay, and a new row tells of it.

    The head tells how many rows there are. If it vanished together with the newest rows, only a checkpoint that you
    keep elsewhere can show that.
    """
    from ..store.ledger.upkeep import restore_head as restore

    _need_a_ledger(folders)
    require_person(folders, "Take the ledger as it is for whole, and write its head anew?", yes=yes)
    rows = restore(folders, why)
    said = f"the head was written anew for {rows} rows; a new row says so"
    click.echo(json.dumps({"restored": True, "rows": rows}) if as_json else said)
    return 0


def _need_a_ledger(folders: Folders) -> None:
    """Nothing can be kept small, repaired or checked where nothing was ever recorded."""
    if never_begun(folders):
        raise nothing_yet(folders.ledger)


def _confirm(yes: bool, question: str) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("this needs a person at a terminal; --yes stands in for the question")
    click.confirm(question, abort=True)


def _print(rows: Iterable[Row], as_json: bool) -> int:
    """Every row that can be read; those that cannot are named, and make the exit code 2."""
    bad = 0
    for row in rows:
        try:
            found = entry(row)
        except InterlockError as error:
            bad += 1
            click.echo(f"interlock: {error}", err=True)
            continue
        click.echo(json.dumps(found, ensure_ascii=False) if as_json else summary(found))
    return BROKEN if bad else 0


def _csv_row(row: Row) -> bytes:
    checked = entry(row)
    told = decided(checked)
    columns = [row.body.decode() if name == "body" else checked[name] for name in COLUMNS]
    return _csv_line([moment(checked["at"]), *map(told.get, _TOLD), *columns])


def _csv_line(cells: list[object]) -> bytes:
    """One line. A cell that a spreadsheet would run as a formula gets a quote in front."""
    text = io.StringIO()
    safe = [f"'{cell}" if str(cell)[:1] in ("=", "+", "-", "@", "\t", "\r") else cell for cell in cells]
    csv.writer(text, lineterminator="\n").writerow(["" if cell is None else cell for cell in safe])
    return text.getvalue().encode()
