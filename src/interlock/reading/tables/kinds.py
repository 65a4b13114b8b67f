"""Rows that build tools and package managers have in common, so that a table says only what differs."""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

    from .spec import Program

__all__ = [
    "ALL_TOOLS",
    "EDITS",
    "NAMED",
    "OWN",
    "SETS",
    "apart",
    "drops",
    "each",
    "installs",
    "project",
    "publishes",
    "removes",
    "restores",
    "runs_in_env",
    "worded",
]

OWN = Adds(action="pkg:restore", tags=("project",))
NAMED = Adds(tags=("install",))
ALL_TOOLS = Adds(tags=("guard",))  # every tool is named, and Interlock is one of them
EDITS = Adds(effects=effects("write"), role="edit")  # `--fix`: what would be looked at is changed
SETS = Adds(effects=effects("write"))  # with a word or an option more, what was shown is set


def apart(rows: tuple[Program, ...]) -> tuple[Program, ...]:
    """A row for each name, so that programs that are alike on paper are not approved under one another's name."""
    return tuple([row.replace(name=name, also=()) for row in rows for name in (row.name, *row.also)])


def worded(row: Program, names: str, *subs: Program) -> Program:
    """A row whose first word may say what is done, and is no path then; `subs` do something else than the row."""
    same = row.replace(also=(), example="")
    below = dict.fromkeys(names.split(), same)
    below.update({name: sub for sub in subs for name in (sub.name, *sub.also)})
    return row.replace(subs=FrozenMap(below), default=same)


def each(program: str, names: str, does: str = "", **more: Any) -> tuple[Program, ...]:
    """One row for each name: `npm:ls`, `npm:outdated`, …, all with the same effects.

    `version=` shows it alone; with a word it sets, so that only alone it is a look.
    """
    rows = []
    for spelt in names.split():
        name = spelt.removesuffix("=")
        flags = {**more.get("flags", {}), **({"operand": SETS} if name != spelt else {})}
        rows.append(P(name, action=f"{program}:{name}", does=does, words=2, **{**more, "flags": flags}))
    return tuple(rows)


def project(name: str, operands: str = "text*", *, does: str = "execute", **more: Any) -> Program:
    """Runs the project's own code: a build, a test, a script."""
    return P(name, operands, action="exec:project", does=does, tags="unread", **more)


def restores(name: str, operands: str = "text*", *, options: str = "", dryrun: str = "", **more: Any) -> Program:
    """Brings in what the project's manifest names."""
    return P(
        name,
        operands,
        action="pkg:restore",
        does="network write execute",
        tags="project",
        options=f"{options} --help",
        dryrun=f"{dryrun} --help",
        **more,
    )


def installs(name: str, *, options: str = "", dryrun: str = "", flags: Any = None, **more: Any) -> Program:
    """Brings in the packages that are named; without a name, what the project's manifest names."""
    return P(
        name,
        "package*",
        action="pkg:install",
        special="installs",
        does="network write execute",
        options=f"{options} --help",
        dryrun=f"{dryrun} --help",
        flags={"own": OWN, "named": NAMED, **(flags or {})},
        **more,
    )


def removes(name: str, *, options: str = "", does: str = "write", **more: Any) -> Program:
    """Takes packages away; sources.py knows whose packages lie outside the project."""
    return P(name, "package*", action="pkg:remove", does=does, options=options, **more)


def publishes(name: str, action: str, operands: str = "text*", *, options: str = "", **more: Any) -> Program:
    """Makes something public: others may have taken it before it can be withdrawn."""
    return P(
        name,
        operands,
        action=action,
        does="destructive network",
        tags="external sends",
        risk="high",
        irreversible=True,
        options=f"{options} --help",
        dryrun=f"{more.pop('dryrun', '')} --help",
        words=more.pop("words", 2),
        **more,
    )


def drops(name: str, also: str = "") -> Program:
    """A task that empties a database."""
    return P(
        name,
        also=also,
        action="sql:drop",
        does="destructive execute",
        tags="external unread",
        risk="high",
        irreversible=True,
        compensator="restore a backup of the database",
        words=2,
    )


def runs_in_env(name: str, *, options: str = "", **more: Any) -> Program:
    """`poetry run CMD`: a command in the project's environment, where scripts of the project have names too."""
    return P(name, "command", special="env_run", does="execute", options=options, **more)
