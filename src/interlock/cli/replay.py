"""`interlock replay`: re-derive recorded decisions, byte for byte."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from ..errors import InputError, InterlockError, StoreError
from ..policy.model import Policy
from ..record.chain import Row
from ..record.replay import differences, rederive
from ..store.audit import find, open_for_reading, row_of_line, select
from ..store.folders import Folders
from ..store.rows import open_decision, open_policy
from ..store.sqlite import Database
from .commands import pass_folders

__all__ = ["command"]


@click.command()
@click.argument("what", metavar="[RECEIPT|FILE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object for each receipt.")
@click.option("--quiet", is_flag=True, help="Print only what differs, and the sum.")
@pass_folders
def command(folders: Folders, what: str | None, as_json: bool, quiet: bool) -> int:
    """Replay recorded decisions: one RECEIPT, those of a FILE, or all that this machine's ledger holds.

    FILE is what `interlock audit export` wrote; `-` reads it from stdin. Each decision is derived again
    from the recorded reading, under the recorded policy, and must come out as the same bytes. Exit
    code 0 if every receipt holds, 1 if one does not.

    \b
    Examples:
      interlock replay
      interlock replay sha256:5f1c
      interlock audit export | ssh elsewhere interlock replay -
    """
    source = _Ledger(folders, what) if what is None or _is_receipt(what) else _File(what, folders)
    held = failed = 0
    for number, row in source.decisions():
        result = _replay(row, source)
        good = not result["problems"]
        held, failed = held + good, failed + (not good)
        if as_json:
            click.echo(json.dumps({"row": number, **result}))
        elif not (good and quiet):
            _show(number, result)
    if held + failed == 0:
        raise InputError(f"there are no receipts in {source.name}")
    if not as_json:
        click.echo(f"{held} of {held + failed} receipts hold")
    return 1 if failed else 0


def _is_receipt(what: str) -> bool:
    name = what.removeprefix("sha256:")
    return what != "-" and not os.path.exists(what) and name != "" and set(name) <= set("0123456789abcdef")


class _Ledger:
    """The decisions of this machine's ledger, or those under one receipt."""

    def __init__(self, folders: Folders, receipt: str | None) -> None:
        self.name = folders.ledger
        self.receipt = receipt
        self.database: Database = open_for_reading(folders.ledger)
        self.known: dict[str, Policy] = {}

    def decisions(self) -> Iterator[tuple[int, Row | InterlockError]]:
        if self.receipt is None:
            rows: Any = select(self.database, kind="decision")
        else:
            rows = [row for row in find(self.database, self.receipt) if row[1] == "decision"]
            if not rows:
                raise InputError(f"no receipt `{self.receipt}` is kept")
        for row in rows:
            yield row[0], row

    def policy(self, digest: str) -> Policy:
        if digest not in self.known:
            rows = [row for row in find(self.database, digest) if row[1] == "policy"]
            if not rows:
                raise StoreError(f"the policy {digest} is not kept")
            self.known[digest] = open_policy(rows[0])
        return self.known[digest]


class _File:
    """The decisions of an export. Policies come from the export, or from this machine's ledger."""

    def __init__(self, path: str, folders: Folders) -> None:
        self.name = path
        self.folders = folders
        self.policies: dict[str, Row] = {}
        try:
            self.stream: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 - read to its end
        except OSError as error:
            raise StoreError(f"`{path}` could not be read: {error.strerror}") from None

    def decisions(self) -> Iterator[tuple[int, Row | InterlockError]]:
        for number, line in enumerate(self.stream, start=1):
            try:
                row = row_of_line(line.rstrip(b"\n"), number)
            except InterlockError as error:
                yield number, error
                continue
            if row[1] == "policy":
                self.policies[row[4]] = row
            elif row[1] == "decision":
                yield number, row

    def policy(self, digest: str) -> Policy:
        if digest in self.policies:
            return open_policy(self.policies[digest])
        return _Ledger(self.folders, None).policy(digest)


def _replay(row: Row | InterlockError, source: _Ledger | _File) -> dict[str, Any]:
    receipt = None
    try:
        if isinstance(row, InterlockError):
            raise row
        receipt, body = open_decision(row)
        problems = differences(body, rederive(body, source.policy(str(body.get("policy")))))
        verdict, tool = body["decision"]["verdict"], body["call"]["tool"]
    except InterlockError as error:
        return {"receipt": receipt, "verdict": None, "tool": None, "problems": [str(error)]}
    return {"receipt": receipt, "verdict": verdict, "tool": tool, "problems": problems}


def _show(number: int, result: dict[str, Any]) -> None:
    from .show import harmless

    if not result["problems"]:
        click.echo(f"holds    {result['receipt']}  {result['verdict']:5}  {harmless(result['tool'])}")
        return
    click.echo(f"differs  row {number}  {result['receipt'] or ''}")
    for problem in result["problems"]:
        click.echo(f"         {harmless(problem)}")
