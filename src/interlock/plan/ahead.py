"""The commands of a call that stand in the plan of its run, and what of the call they could answer for.

A person gives a plan to a run ahead of it. A command stands in the plan if its words are planned and nothing else in
the call changes how it runs, or if the call is a line of the plan as it is written. What could be answered for is that
a program is not known, or asked about on first use: that it stands here decides nothing yet. Whether the program still
is what it was when the plan was given is looked up by `store/facts/planned.py`; a grant lifts the ask or does not.
"""

from __future__ import annotations

from ..model.action import COMMAND_FIELDS
from ..model.effects import Effect
from ..reading.runs.programs import commands_in
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from ..model.action import Action, Opaque, Reading
    from ..model.call import Call
    from ..model.facts import Facts
    from ..reading.runs.programs import Command
    from .model import Plan

__all__ = ["Part", "Planned", "parts_of"]

_BLANKS = " \t\n"
_RUNS = frozenset((Effect.EXECUTE, Effect.SPAWN))


class Planned(Value):
    """A command that stands in the plan: by its words, or in the line that the call is."""

    words: tuple[str | None, ...]
    line: str = ""
    folder: str = ""


class Part(Value):
    """An action of the reading, or an opaque part of it, with the planned commands that it comes from.

    elsewhere  a file outside the project is run, and only that file could be answered for
    program    the name of a program that is run, by the command itself or from its script
    """

    opaque: bool
    at: int
    commands: tuple[Planned, ...] = ()
    elsewhere: bool = False
    program: str = ""


def parts_of(call: Call, reading: Reading, facts: Facts, plan: Plan) -> tuple[Part, ...]:
    """What planned commands could answer for; empty where the call runs none of them."""
    text = call.input.get("command")
    if call.tool != "Bash" or type(text) is not str or call.input.get("run_in_background"):
        return ()
    line = text.strip(_BLANKS)
    whole = call.cwd == facts.root and any(step.text.strip(_BLANKS) == line for step in plan.steps)
    words = frozenset([words for step in plan.steps for words in step.alone])
    commands = commands_in(text, cwd=call.cwd, facts=facts)
    runs = [
        (Part(opaque=False, at=at, program=_program_of(action)), action.span)
        for at, action in enumerate(reading.actions)
        if _is_run(action)
    ]
    unclear = [
        (Part(opaque=True, at=at, elsewhere=part.kind == "outside"), part.span)
        for at, part in enumerate(reading.opaque)
        if _is_unclear(part, reading)
    ]
    parts = []
    for part, span in (*runs, *unclear):
        found = [
            _planned(command, line if whole else "", words, facts.root)
            for command in commands
            if _meet(command.span, span)
        ]
        known = tuple([one for one in found if one is not None])
        if known and len(known) == len(found):
            parts.append(part.replace(commands=known))
    return tuple(parts)


def _planned(command: Command, line: str, planned: frozenset[tuple[str | None, ...]], root: str) -> Planned | None:
    words = command.program.words
    if not words or words[0] is None:
        return None
    if command.plain and command.folder == root and words in planned:
        return Planned(words=words, folder=root)
    return Planned(words=words, line=line, folder=command.folder or root) if line else None


def _program_of(action: Action) -> str:
    """The name by which an unknown program is found."""
    return action.name.partition(":")[2] if "unknown" in action.tags else ""


def _is_run(action: Action) -> bool:
    return action.field in COMMAND_FIELDS and not _RUNS.isdisjoint(action.effects)


def _is_unclear(part: Opaque, reading: Reading) -> bool:
    """Whether all that is not clear of it is what a program would do that runs here, for all that is known."""
    if part.field not in COMMAND_FIELDS or part.kind not in ("program", "outside"):
        return False
    return all(
        {*action.effects} <= _RUNS | {Effect.READ} and {*action.tags} <= {"unread"}
        for action in reading.actions
        if _meet(action.span, part.span) and action.name[:3] != "fs:"
    )


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
