"""A plan that a person gave to a run, as a grant: it names the commands that it is for, by their keys.

The key of a command is made of its words and of the files that it runs (planned.py). The grant lies under the
plan that it was given for. It satisfies that a program is not known or asked about on first use, and nothing else:
only a finding that names the kind `planned` looks here.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .grant import Grant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..model.action import Reading
    from ..model.decision import Finding
    from .held import Held

__all__ = ["KIND", "answers_for", "covers_all", "grant_of_plan", "keys_wanted"]

KIND = "planned"
_COMMANDS = "commands"  # the field of its scope


def grant_of_plan(given: str, keys: Iterable[str], *, by: str, why: str) -> Grant:
    """The yes to these commands of a plan."""
    scope = FrozenMap({_COMMANDS: "\n".join(sorted(set(keys)))})
    return Grant(id="", kind=KIND, binds=given, scope=scope, reach="repository", by=by, why=why)


def covers_all(grant: Grant, given: str, keys: Iterable[str]) -> bool:
    """Whether the grant is a yes to this plan, and to each of these commands."""
    permitted = grant.scope.get(_COMMANDS, "").split("\n")
    return grant.kind == KIND and grant.binds == given and {*keys} <= {*permitted}


def keys_wanted(finding: Finding, reading: Reading) -> tuple[str, ...]:
    """The keys of all commands that would have to be permitted for this finding; empty: no plan speaks of it."""
    line = reading.line
    if line is None or KIND not in finding.lifted_by:
        return ()
    if finding.actions:
        found = [_keys_at(line.planned, index) for index in finding.actions]
    else:
        spans = [(part.field, *part.span) for part in reading.opaque]
        found = [_keys_at(line.unclear, index) for index, span in enumerate(spans) if span == finding.evidence]
        found = [keys for keys in found if keys]
    return () if not found or () in found else tuple([key for keys in found for key in keys])


def answers_for(
    finding: Finding, reading: Reading, held: Held, weak: Callable[[Grant], str | None]
) -> dict[int, Grant]:
    """The grant of the plan that satisfies the finding, by its place; empty where there is none."""
    line, wanted = reading.line, keys_wanted(finding, reading)
    if line is None or not wanted:
        return {}
    for at, grant in held.bound_to(line.given):
        if covers_all(grant, line.given, wanted) and weak(grant) is None:
            return {at: grant}
    return {}


def _keys_at(rows: tuple[tuple[str, int], ...], index: int) -> tuple[str, ...]:
    return tuple([key for key, at in rows if at == index])
