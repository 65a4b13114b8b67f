"""`interlock install --observe` and `--profile`: lines in the person's own policy."""

from __future__ import annotations

import time
from difflib import unified_diff
from typing import NamedTuple

import click

from ..limits import MAX_POLICY_BYTES
from ..model.errors import ApprovalError, InputError
from ..policy.observing import observing_until, with_profile
from ..store.home.files import read_file, write_file
from ..store.home.folders import Folders
from ..store.home.policies import compile_sources, load_policy, source_files
from ..store.ledger.noted import changed_by_a_person
from .person import terminal, who
from .signing import signed_statement

__all__ = ["Lines", "keep_lines", "policy_lines", "show_lines"]

_DAYS = 7
_HELD_BACK = "the managed policy does not let you observe: `[hook] allow_observe` is not true in it"


class Lines(NamedTuple):
    """The policy before and after. `day`: until when is observed; empty: that is not touched."""

    day: str
    profile: str
    before: str
    after: str


def policy_lines(folders: Folders, scope: str, root: str, *, observe: bool, profile: str) -> Lines | None:
    """What would be written; None where it is there already. InputError where it cannot be."""
    if scope == "managed":
        named = "`--observe`" if observe else "`--profile`"
        raise InputError(f"{named} is about your own policy; put it into the managed policy yourself")
    file = folders.user_policy
    before = (read_file(file, limit=MAX_POLICY_BYTES) or b"").decode("utf-8", "replace")
    after = with_profile(before, profile, file) if profile else before
    day = ""
    if observe:
        day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + _DAYS * 86_400))
        after = observing_until(after, day, file)
    files = [one for one in source_files(folders, root) if one[0] in ("default", "managed")]
    merged = compile_sources((*files, ("user", file, after.encode())))
    if observe and merged.observe != f"{day}T23:59:59Z":
        raise ApprovalError(_HELD_BACK)
    return None if after == before else Lines(day, profile, before, after)


def show_lines(folders: Folders, lines: Lines) -> None:
    click.echo(f"Policy: {folders.user_policy}")
    for line in list(unified_diff(lines.before.splitlines(), lines.after.splitlines(), lineterm="", n=1))[2:]:
        click.echo(f"  {line}")


def keep_lines(folders: Folders, lines: Lines, root: str) -> None:
    """Both may loosen, so they are signed where a key is enrolled."""
    kind = "observe" if lines.day else "profile"
    said = {"file": folders.user_policy}
    said |= {"until": lines.day} if lines.day else {}
    said |= {"profile": lines.profile} if lines.profile else {}
    signed = signed_statement(folders, load_policy(folders, root), kind, **said)
    why = [f"observe mode until {lines.day}"] if lines.day else []
    why += [f"profile {lines.profile}"] if lines.profile else []
    changed_by_a_person(
        folders,
        "override",
        kind,
        {"by": who(), "terminal": terminal(), "why": ", ".join(why), **said, **signed},
        lambda: write_file(folders.user_policy, lines.after.encode()),
        loosens=True,
        files=(folders.user_policy,),
    )
