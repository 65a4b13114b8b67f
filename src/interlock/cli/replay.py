"""`interlock replay`: re-derive recorded decisions, byte for byte."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from ..errors import InputError, InterlockError, StoreError
from ..policy.model import Policy
from ..record.replay import differences, open_line, rederive
from ..store.folders import Folders
from ..store.journal import read_policy
from .commands import pass_folders

__all__ = ["command"]


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), required=False)
@click.option(
    "--policies", type=click.Path(file_okay=False), help="The folder of kept policies. Default: `policies` beside FILE."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object for each receipt.")
@click.option("--quiet", is_flag=True, help="Print only what differs, and the sum.")
@pass_folders
def command(folders: Folders, file: str | None, policies: str | None, as_json: bool, quiet: bool) -> int:
    """Replay the receipts in FILE, one a line; `-` reads stdin. Without FILE: those kept on this machine.

    Each decision is derived again from the recorded reading, under the recorded policy, and must come
    out as the same bytes. Exit code 0 if every receipt holds, 1 if one does not.
    """
    path = file or folders.journal
    if file is None and not os.path.lexists(path):
        raise StoreError(
            f"nothing was recorded yet: `{path}` is not there. The hook keeps receipts, and so does "
            f"`interlock decide --record`"
        )
    beside = policies or (folders.policies if path == "-" else os.path.join(os.path.dirname(path) or ".", "policies"))
    stream = sys.stdin.buffer if path == "-" else _open(path)
    known: dict[str, Policy] = {}
    held = failed = 0
    for number, line in enumerate(stream, start=1):
        result = _replay(line.rstrip(b"\n"), beside, known)
        good = not result["problems"]
        held, failed = held + good, failed + (not good)
        if as_json:
            click.echo(json.dumps({"line": number, **result}))
        elif not (good and quiet):
            _show(number, result)
    if held + failed == 0:
        raise InputError(f"there are no receipts in {path}")
    if not as_json:
        click.echo(f"{held} of {held + failed} receipts hold")
    return 1 if failed else 0


def _open(path: str) -> Any:
    try:
        return open(path, "rb")
    except OSError as error:
        raise StoreError(f"`{path}` could not be read: {error.strerror}") from None


def _replay(line: bytes, policies: str, known: dict[str, Policy]) -> dict[str, Any]:
    try:
        receipt, body = open_line(line)
    except InterlockError as error:
        return {"receipt": None, "verdict": None, "tool": None, "problems": [str(error)]}
    try:
        wanted = str(body.get("policy"))
        if wanted not in known:
            known[wanted] = read_policy(policies, wanted)
        problems = differences(body, rederive(body, known[wanted]))
        verdict, tool = body["decision"]["verdict"], body["call"]["tool"]
    except InterlockError as error:
        return {"receipt": receipt, "verdict": None, "tool": None, "problems": [str(error)]}
    return {"receipt": receipt, "verdict": verdict, "tool": tool, "problems": problems}


def _show(number: int, result: dict[str, Any]) -> None:
    from .show import harmless

    if not result["problems"]:
        click.echo(f"holds    {result['receipt']}  {result['verdict']:5}  {harmless(result['tool'])}")
        return
    click.echo(f"differs  line {number}  {result['receipt'] or ''}")
    for problem in result["problems"]:
        click.echo(f"         {harmless(problem)}")
