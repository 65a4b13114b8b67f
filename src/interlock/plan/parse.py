"""A plan out of plain data: `metadata`, `setup` and `arms`, or a plain list of command lines.

Keys that are not known here belong to those who made the plan and are left alone. What is known must have its shape:
a plan of which a line would be lost is a broken plan, since nothing would be held against that line.
"""

from __future__ import annotations

from ..limits import MAX_PLAN_LINES
from ..model.errors import InputError
from ..reading.runs.programs import commands_in, programs_of
from ..value import TYPE_CHECKING, FrozenMap
from .model import Output, Plan, Step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..model.facts import Facts

__all__ = ["compile_plan", "plan_from"]

_COMMAND = ("cmd", "command")  # either name, as people write it
_ARM = ("arm_id", "id", "name")


def compile_plan(data: Any, facts: Facts) -> Plan:
    """The plan with the programs of each line, read as the commands that will be held against it are."""
    plan = plan_from(data)
    return plan.replace(
        steps=tuple(
            [
                step.replace(
                    programs=programs_of(step.text, cwd=facts.root, facts=facts), alone=_alone(step.text, facts)
                )
                for step in plan.steps
            ]
        )
    )


def _alone(text: str, facts: Facts) -> tuple[tuple[str, ...], ...]:
    found: dict[tuple[str, ...], None] = {}
    for command in commands_in(text, cwd=facts.root, facts=facts):
        words = tuple([word for word in command.program.words if word is not None])
        if words and len(words) == len(command.program.words) and command.plain and command.folder == facts.root:
            found[words] = None
    return tuple(found)


def plan_from(data: Any) -> Plan:
    """The lines and outputs of a plan; InputError with the place where it has not the shape of one."""
    steps: list[Step] = []
    outputs: list[Output] = []
    if isinstance(data, list | tuple):
        for where, entry in _entries(data, ""):
            steps.append(Step(text=entry if type(entry) is str else _command(entry, where)))
            outputs += _outputs(entry, "", where)
    elif isinstance(data, dict | FrozenMap):
        if "setup" not in data and "arms" not in data:
            raise InputError("it has neither `arms` nor `setup`")
        for where, entry in _entries(data.get("setup"), "setup"):
            steps.append(Step(text=entry if type(entry) is str else _command(entry, where)))
        for where, arm in _entries(data.get("arms"), "arms"):
            if not isinstance(arm, dict | FrozenMap):
                raise InputError(f"{where} must be a mapping with `conditions`")
            name = next((arm[key] for key in _ARM if type(arm.get(key)) is str), "")
            for inner, condition in _entries(arm.get("conditions"), f"{where}.conditions"):
                text = condition if type(condition) is str else _command(condition, inner)
                steps.append(Step(text=text, arm=name))
                outputs += _outputs(condition, name, inner)
                if len(steps) > MAX_PLAN_LINES:
                    raise InputError(f"it has more than {MAX_PLAN_LINES} lines")
    else:
        raise InputError("it is neither a mapping with `arms` nor a list of commands")
    if len(steps) > MAX_PLAN_LINES:
        raise InputError(f"it has more than {MAX_PLAN_LINES} lines")
    return Plan(steps=tuple(steps), outputs=tuple(outputs))


def _entries(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if value is None:
        return
    if not isinstance(value, list | tuple):
        raise InputError(f"{where} must be a list")
    for index, entry in enumerate(value):
        yield f"{where}[{index}]", entry


def _command(entry: Any, where: str) -> str:
    if not isinstance(entry, dict | FrozenMap):
        raise InputError(f"{where} must be a command line, or a mapping with `cmd`")
    given = [entry[key] for key in _COMMAND if entry.get(key) is not None]
    if len(given) != 1:
        raise InputError(f"{where} must have either `cmd` or `command`")
    text = given[0]
    if type(text) is not str or not text.strip():
        raise InputError(f"{where}: the command must be a text that is not empty")
    return text


def _outputs(entry: Any, arm: str, where: str) -> list[Output]:
    if not isinstance(entry, dict | FrozenMap):
        return []
    name = entry.get("name")
    found = []
    for key in ("output", "outputs"):
        value = entry.get(key)
        for path in value if isinstance(value, list | tuple) else () if value is None else (value,):
            if type(path) is not str or not path.strip():
                raise InputError(f"{where}: `{key}` must name files")
            found.append(Output(arm=arm, condition=name if type(name) is str else "", path=path))
    return found
