"""`interlock install --observe`: the first week, as a line in the person's own policy."""

from __future__ import annotations

import time
from difflib import unified_diff
from typing import NamedTuple

import click

from ..errors import ApprovalError, InputError
from ..limits import MAX_POLICY_BYTES
from ..policy.observing import observing_until
from ..store.files import read_file, write_file
from ..store.folders import Folders
from ..store.noted import changed_by_a_person
from ..store.policies import compile_sources, load_policy, source_files
from .person import terminal, who
from .signing import signed_statement

__all__ = ["FirstWeek", "first_week", "keep_first_week", "show_first_week"]

_DAYS = 7
_HELD_BACK = "the managed policy does not let you observe: `[hook] allow_observe` is not true in it"


class FirstWeek(NamedTuple):
    day: str
    before: str
    after: str


def first_week(folders: Folders, scope: str, root: str) -> FirstWeek | None:
    """What would be written; None where it is there already. InputError where it cannot be."""
    if scope == "managed":
        raise InputError("`--observe` is about your own policy; put `observe` into the managed policy yourself")
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + _DAYS * 86_400))
    before = (read_file(folders.user_policy, limit=MAX_POLICY_BYTES) or b"").decode("utf-8", "replace")
    after = observing_until(before, day, folders.user_policy)
    files = [file for file in source_files(folders, root) if file[0] in ("default", "managed")]
    merged = compile_sources((*files, ("user", folders.user_policy, after.encode())))
    if merged.observe != f"{day}T23:59:59Z":
        raise ApprovalError(_HELD_BACK)
    return None if after == before else FirstWeek(day, before, after)


def show_first_week(folders: Folders, week: FirstWeek) -> None:
    click.echo(f"Policy: {folders.user_policy}")
    for line in list(unified_diff(week.before.splitlines(), week.after.splitlines(), lineterm="", n=1))[2:]:
        click.echo(f"  {line}")


def keep_first_week(folders: Folders, week: FirstWeek, root: str) -> None:
    said = {"file": folders.user_policy, "until": week.day}
    signed = signed_statement(folders, load_policy(folders, root), "observe", **said)
    changed_by_a_person(
        folders,
        "override",
        "observe",
        {"by": who(), "terminal": terminal(), "why": f"observe mode until {week.day}", **said, **signed},
        lambda: write_file(folders.user_policy, week.after.encode()),
        loosens=True,
        files=(folders.user_policy,),
    )
