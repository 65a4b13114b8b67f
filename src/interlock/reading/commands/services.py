"""What is left running, and what it is made from: a yes for one file of services is none for another."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .acts import Target

__all__ = ["made_from"]

_NAMED_BY = ("COMPOSE_FILE", "COMPOSE_ENV_FILES")


def made_from(target: Target, span: tuple[int, int], shell: Shell) -> None:
    """What is left running does what its files say, and those of the folder: `compose -f x.yml up` is another `up`."""
    found = shell.found
    within = span if shell.frozen_span is None else shell.frozen_span
    named = [
        str(action.target["path"])
        for action in found.actions
        if action.name in ("fs:read", "fs:list")
        and within[0] <= action.span[0] <= within[1]
        and "path" in action.target
    ]
    named += [value.text for name in _NAMED_BY for value in shell.variables.get(name, ())]
    if shell.folders != (found.facts.root,):
        named += shell.folders or ("?",)
    if named:
        target["file"] = " ".join(dict.fromkeys(named))
