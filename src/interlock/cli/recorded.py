"""Where recorded calls come from: the ledger, an export, or what was imported from transcripts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console

from ..approve.grant import Grant
from ..bytes.strict import parse_object
from ..evals.past import moment
from ..history.recorded import Recorded, recorded_from
from ..limits import MAX_STATE_BYTES
from ..model.action import Reading
from ..model.errors import InputError, StoreError
from ..policy.model import Policy
from ..policy.rules import windows_read
from ..record.chain import row_hash
from ..store.clock import closed_windows, live_grants
from ..store.home.folders import Folders
from ..store.ledger.audit import open_for_reading, row_of_line, select
from ..store.ledger.history import lines_of, read_imported
from ..value import TYPE_CHECKING, lazy
from .rows import parse_when

if TYPE_CHECKING:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
else:
    BarColumn = lazy(globals(), "rich.progress", "BarColumn")
    MofNCompleteColumn = lazy(globals(), "rich.progress", "MofNCompleteColumn")
    Progress = lazy(globals(), "rich.progress", "Progress")
    TextColumn = lazy(globals(), "rich.progress", "TextColumn")

__all__ = ["Source", "closed", "live", "progress", "which"]


class Source:
    """The recorded calls that the options choose, in the order in which they were recorded."""

    def __init__(
        self,
        folders: Folders,
        against: str | None,
        since: str | None,
        session: str | None,
        *,
        ledger_only: bool = False,
    ) -> None:
        self.folders = folders
        self.against = against
        self.since = parse_when(since)
        self.session = session
        self.names: list[str] = []
        if against is not None:
            if not os.path.isfile(against):
                raise InputError(f"`{against}` is not there")
            self.names = [against]
            return
        places = (folders.ledger,) if ledger_only else (folders.ledger, folders.history)
        self.names = [path for path in places if os.path.exists(path)]
        if not self.names and ledger_only:
            raise InputError("nothing is recorded yet")
        if not self.names:
            raise InputError(
                "there are no recorded calls: no ledger yet, and no imported history; "
                "begin with: interlock history import --keep"
            )

    def rows(self) -> Iterator[Recorded]:
        if self.against is not None:
            yield from self._file(self.against, frozenset())
            return
        decided: set[str] = set()
        if self.folders.ledger in self.names:
            for row in self._ledger():
                decided.add(row.call.session)
                yield row
        if self.folders.history in self.names:
            # what a transcript tells of a session that the ledger has too is the same calls again
            yield from self._file(self.folders.history, frozenset(decided - {""}))

    def _ledger(self) -> Iterator[Recorded]:
        database = open_for_reading(self.folders.ledger)
        try:
            for row in select(database, kind="decision", since=self.since, session=self.session):
                try:
                    own = row.hash == row_hash(row)
                    body = parse_object(row.body, limit=MAX_STATE_BYTES)
                except (InputError, ValueError, TypeError, AttributeError):
                    own = False
                if not own:
                    raise StoreError(f"row {row.seq} is malformed; look at it with: interlock audit verify")
                yield recorded_from(body, at=row.at)
        finally:
            database.close()

    def _file(self, path: str, without: frozenset[str]) -> Iterator[Recorded]:
        for number, line in enumerate(lines_of(path), start=1):
            if line is None:
                raise InputError(f"line {number} of `{path}` is too long")
            row = _of_line(line.rstrip(b"\n"), number)
            if row is None or row.call.session in without:
                continue
            if self.session is not None and row.call.session != self.session:
                continue
            if self.since is None or row.at is None or row.at >= self.since:
                yield row


def _of_line(line: bytes, number: int) -> Recorded | None:
    try:
        data = read_imported(line, number)
    except InputError as error:
        raise InputError(f"line {number} is malformed: {error}") from None
    if data is not None:
        at = data["at"] if type(data["at"]) is int else None
        return recorded_from(data["body"], at=at, source=str(data["source"]), refused=data["refused"] is True)
    row = row_of_line(line, number)
    return recorded_from(parse_object(row.body), at=row.at) if row.kind == "decision" else None


def live(policy: Policy, at: int | None, reading: Reading) -> tuple[Grant, ...]:
    """The grants of the policy that were live when the call came."""
    return live_grants(policy, moment(at), reading) if policy.grants else ()


def closed(row: Recorded, policy: Policy) -> frozenset[str]:
    """The windows of the policy that were closed when the call came."""
    if not policy.windows:
        return frozenset()
    return closed_windows(windows_read(row.call, row.reading, policy, row.session.posture), moment(row.at))


def which(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that choose recorded calls, and the policy under which they are decided again."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--session", help="Only calls of this session."),
        click.option("--since", help="From this day or time on (2026-12-01, 2026-12-01T10:00, 90m, 12h, 7d)."),
        click.option(
            "--against",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Take the calls from this file: an export of the ledger, or an imported history.",
        ),
        click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here."),
        click.option(
            "--policy",
            "policy_file",
            type=click.Path(dir_okay=False),
            help="Decide under this policy. Default: the one in force here.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def progress(what: str, *, shown: bool) -> Iterator[Callable[[], object]]:
    """A bar on stderr while something takes long; nothing where nobody looks."""
    if not shown or not sys.stderr.isatty():
        yield lambda: None
        return

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda: bar.advance(task)
