"""`interlock replay`: re-derive recorded decisions, byte for byte."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from ..bytes.redact import MARK
from ..bytes.strict import parse_object
from ..evals.lexical import read_lexically
from ..evals.past import home_of
from ..limits import MAX_STATE_BYTES
from ..model.errors import InputError, InterlockError, StoreError
from ..policy.facts import facts_under
from ..policy.model import Policy
from ..record.chain import Row
from ..record.receipt import replay_inputs
from ..record.replay import is_of_this_engine, replayed, reread
from ..store.home.folders import Folders
from ..store.ledger.audit import find, open_for_reading, row_of_line, select
from ..store.ledger.exports import lines_of
from ..store.ledger.rows import open_decision, open_policy
from ..store.ledger.sqlite import Database
from ..value import FrozenMap
from .commands import pass_folders
from .recorded import progress
from .rows import parse_when
from .show import harmless

__all__ = ["command"]


@click.command()
@click.argument("what", metavar="[RECEIPT|FILE]", required=False)
@click.option("--all", "everything", is_flag=True, help="All of the ledger; of what differs, show the first alone.")
@click.option("--since", help="From this day or time on (2026-12-01, 2026-12-01T10:00, 90m, 12h, 7d).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object for each receipt.")
@click.option("--quiet", is_flag=True, help="Print only what differs, and the sum.")
@pass_folders
def command(folders: Folders, what: str | None, everything: bool, since: str | None, as_json: bool, quiet: bool) -> int:
    """Replay recorded decisions: one RECEIPT, those of a FILE, or all that this machine's ledger holds.

    FILE is what `interlock audit export` wrote; `-` reads it from stdin. Each decision is derived again
    from the recorded reading, under the recorded policy, and must come out as the same bytes. Exit
    code 0 if every receipt holds, 1 if one does not.

    A receipt of another version of Interlock is verified, and its verdict joined again from its findings; what this
    version would read or decide instead is shown, and is no failure.

    \b
    Examples:
      interlock replay
      interlock replay --all --since 7d
      interlock replay sha256:5f1c
      interlock audit export | ssh elsewhere interlock replay -
    """
    if everything and what is not None:
        raise InputError("`--all` is about the whole ledger; leave it out, or the receipt")
    is_ours = what is None or _is_receipt(what)
    source = _Ledger(folders, what, parse_when(since)) if is_ours else _File(str(what), folders, parse_when(since))
    held = failed = elsewhere = 0
    with progress("replaying", shown=everything and not as_json) as tick:
        for number, row in source.decisions():
            result = _replay(row, source)
            good = not result["problems"]
            held, failed = held + good, failed + (not good)
            elsewhere += bool(good and result["engine"])
            if as_json:
                click.echo(json.dumps({"row": number, **result}))
            elif (failed == 1 and not good) if everything else not (good and quiet):
                _show(number, result)
            tick()
    if held + failed == 0:
        raise InputError(f"there are no receipts in {source.name}")
    if not as_json:
        click.echo(f"{held} of {held + failed} receipts hold")
        if elsewhere:
            click.echo(f"{elsewhere} of them by another version: verified, and joined again from what it recorded")
    return 1 if failed else 0


def _is_receipt(what: str) -> bool:
    name = what.removeprefix("sha256:")
    return what != "-" and not os.path.exists(what) and name != "" and set(name) <= set("0123456789abcdef")


class _Ledger:
    """The decisions of this machine's ledger, or those under one receipt."""

    def __init__(self, folders: Folders, receipt: str | None, since: int | None = None) -> None:
        self.name = folders.ledger
        self.receipt = receipt
        self.since = since
        self.database: Database = open_for_reading(folders.ledger)
        self.known: dict[str, Policy] = {}

    def decisions(self) -> Iterator[tuple[int, Row | InterlockError]]:
        if self.receipt is None:
            rows: Any = select(self.database, kind="decision", since=self.since)
        else:
            rows = [row for row in find(self.database, self.receipt) if row.kind == "decision"]
            if not rows:
                raise InputError(f"no receipt `{self.receipt}` is kept")
        for row in rows:
            yield row.seq, row

    def policy(self, digest: str) -> Policy:
        if digest not in self.known:
            rows = [row for row in find(self.database, digest) if row.kind == "policy"]
            if not rows:
                raise StoreError(f"the policy {digest} is not kept")
            self.known[digest] = open_policy(rows[0])
        return self.known[digest]


class _File:
    """The decisions of an export. Policies come from the export, or from this machine's ledger."""

    def __init__(self, path: str, folders: Folders, since: int | None = None) -> None:
        self.name = path
        self.since = since
        self.folders = folders
        self.policies: dict[str, Row] = {}
        try:
            self.stream: Any = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: SIM115 - read to its end
        except OSError as error:
            raise StoreError(f"`{path}` is no receipt, and could not be read as a file: {error.strerror}") from None

    def decisions(self) -> Iterator[tuple[int, Row | InterlockError]]:
        for number, line in lines_of(self.stream):
            try:
                row = row_of_line(line, number)
            except InterlockError as error:
                yield number, error
                continue
            if row.kind == "policy":
                self.policies[row.key] = row
            elif row.kind == "decision" and (self.since is None or row.at >= self.since):
                yield number, row

    def policy(self, digest: str) -> Policy:
        if digest in self.policies:
            return open_policy(self.policies[digest])
        return _Ledger(self.folders, None).policy(digest)


def _replay(row: Row | InterlockError, source: _Ledger | _File) -> dict[str, Any]:
    """`engine` is there for another version alone, with what this one would say instead."""
    receipt = None
    try:
        if isinstance(row, InterlockError):
            raise row
        receipt, body = open_decision(row)
        policy = source.policy(str(body.get("policy")))
        found = replayed(body, policy)
        call, decision = body.get("call"), body.get("decision")
        tool = call.get("tool") if isinstance(call, FrozenMap) else None
        verdict = decision.get("verdict") if isinstance(decision, FrozenMap) else None
        other = not is_of_this_engine(body)
        changes = [*found.changes, *(_read_again(row, body, policy) if other and not found.problems else ())]
    except InterlockError as error:
        return {"receipt": receipt, "verdict": None, "tool": None, "problems": [str(error)], "engine": None}
    result = {"receipt": receipt, "verdict": verdict, "tool": tool, "problems": list(found.problems)}
    return {**result, "engine": found.engine if other else None, **({"changes": changes} if other else {})}


def _read_again(row: Row, body: Mapping[str, Any], policy: Policy) -> list[str]:
    """What this engine reads in the call, where it was kept whole; of the disk nothing is looked at."""
    given: Any = parse_object(row.body, limit=MAX_STATE_BYTES).get("input")
    if type(given) is not FrozenMap or any(mark in str(given) for mark in (MARK, "[cut")):
        return ["the call was not kept whole: it cannot be read again"]
    cwd = str(body["call"]["cwd"])
    call = replay_inputs(body)[0].replace(input=given)
    facts = facts_under(policy, call, root=cwd, home=home_of(cwd))
    return [f"read again: {line}" for line in reread(body, policy, read_lexically(call, facts)[0])]


def _show(number: int, result: dict[str, Any]) -> None:
    if result["problems"]:
        click.echo(f"differs  row {number}  {result['receipt'] or ''}")
        for problem in result["problems"]:
            click.echo(f"         {harmless(problem)}")
        return
    by = f"  by version {harmless(result['engine'])}" if result["engine"] else ""
    click.echo(f"holds    {result['receipt']}  {result['verdict']:5}  {harmless(result['tool'])}{by}")
    for change in result.get("changes", ()):
        click.echo(f"         now {harmless(change)}")
