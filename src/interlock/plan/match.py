"""Holds a command against a plan: which of its programs are not planned, and to which arm it comes closest.

INVARIANT: a line that stands in the plan is planned, whatever is in it (`no_planned_command_is_refused`). Any other
line is planned if every program that it would run is, or is one that may run besides.
"""

from __future__ import annotations

from ..model.action import Line
from ..model.runs_anything import runs_anything
from ..policy.plan import Matching
from ..reading.runs.programs import UNKNOWN, programs_of
from ..reading.shell.comments import has_comment
from ..reading.tools.tools import TOOLS
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.call import Call
    from ..model.facts import Facts
    from ..policy.plan import Planned
    from ..reading.runs.programs import Program
    from .model import Plan

    Command = str | tuple[str, ...]  # a command line, or words as `execve` takes them

__all__ = ["command_text", "line_of", "nearest_arm", "unplanned"]

_BLANKS = " \t\n"  # to a shell; any other space is part of a name
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash"))


def line_of(call: Call, facts: Facts, plan: Plan | None, planned: Planned) -> Line | None:
    """What the plan has to say about the call's commands; None if the call runs none."""
    commands = _commands(call, facts)
    if commands is None:
        return None
    if plan is None:
        return Line()
    known = frozenset([step.text.strip(_BLANKS) for step in plan.steps])
    names: dict[str, None] = {}
    programs: list[Program] = []
    marked = []
    for command in commands:
        if command is None:  # the tool runs a command, and which one cannot be told
            found: tuple[Program, ...] = (UNKNOWN,)
        else:
            found = programs_of(command, cwd=call.cwd, facts=facts)
        programs.extend(found)
        line = _line(command)
        marked.append(line is not None and has_comment(line, planned.marker))
        if line is None or line.strip(_BLANKS) not in known:
            missing = unplanned(found, plan, planned.match)
            names.update(dict.fromkeys([name for name in missing if name not in planned.programs]))
    return Line(unplanned=tuple(names), marker=bool(marked) and all(marked), arm=nearest_arm(tuple(programs), plan))


def command_text(call: Call, facts: Facts) -> str:
    """The call's commands as one text, for the log."""
    return "\n".join(
        [
            command if type(command) is str else " ".join(command)
            for command in _commands(call, facts) or ()
            if command is not None
        ]
    )


def unplanned(programs: tuple[Program, ...], plan: Plan, match: Matching) -> list[str]:
    """The names of those that are not planned, each once."""
    planned = [program for step in plan.steps for program in step.programs]
    by_name = frozenset([program.name for program in planned if program.name and _is_known_by_name(program, match)])
    if match is Matching.PROGRAM:
        return list(dict.fromkeys([program.name for program in programs if program.name not in by_name]))
    # A word that is not known is like no other, and not like itself: it may be another one each time.
    known = frozenset([program.words for program in planned if program.name and None not in program.words])
    found = []
    for program in programs:
        words = program.words
        if program.name in by_name:
            continue
        first = 1 if match is Matching.PREFIX else min(2, len(words))  # `python` alone plans no `python x.py`
        lengths = (len(words),) if match is Matching.EXACT else range(first, len(words) + 1)
        if not program.name or not any(words[:length] in known for length in lengths):
            found.append(program.name)
    return list(dict.fromkeys(found))


def _is_known_by_name(program: Program, match: Matching) -> bool:
    """Whether the name says what runs, as far as this plan asks."""
    return match is Matching.PROGRAM or (match is Matching.LINE and not runs_anything(program.name))


def nearest_arm(programs: tuple[Program, ...], plan: Plan) -> str:
    """The arm with the longest run of first words in common; the first of several; empty if there is none."""
    best, arm = 0, ""
    for step in plan.steps:
        if not step.arm:
            continue
        for planned in step.programs:
            for program in programs:
                common = _common(program, planned)
                if common > best:
                    best, arm = common, step.arm
    return arm


def _common(one: Program, other: Program) -> int:
    if not one.name or one.name != other.name:
        return 0
    count = 1
    for mine, theirs in zip(one.words[1:], other.words[1:], strict=False):
        if mine is None or mine != theirs:
            break
        count += 1
    return count


def _commands(call: Call, facts: Facts) -> list[Command | None] | None:
    tool = TOOLS.get(call.tool)
    if tool is not None:
        if tool.shell is None:
            return None
        return [_command(call.input.get(tool.shell, call.input.get("cmd")))]
    roles = {} if facts.declared is None else facts.declared.args
    given = [call.input[field] for field, role in roles.items() if role == "command" and field in call.input]
    texts = [item for value in given for item in (value if type(value) is tuple else (value,))]
    return [item if type(item) is str else None for item in texts] if given else None


def _command(value: object) -> Command | None:
    if type(value) is str:
        return value
    if type(value) is tuple and value and all(type(word) is str for word in value):
        return value
    return None


def _line(command: Command | None) -> str | None:
    """The command as a line of shell, where it is one: `["bash", "-lc", "make"]` is `make`."""
    if type(command) is tuple:
        return command[2] if len(command) == 3 and command[0] in _SHELLS and command[1] in ("-c", "-lc") else None
    return command  # type: ignore[return-value]
