"""One attempt to get past the guard, tried twice: without the guard, where it must succeed, and with it.

The evidence is what lies on the disk afterwards. An attempt that does not succeed without the guard proves nothing, so
the control run is part of every attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from live.client import Live, Run
from scripted_model import Step

__all__ = ["Attempt", "tried"]


def _nothing(_: Live) -> None:
    pass


@dataclass(frozen=True)
class Attempt:
    """
    name       what is tried, in a few words
    script     the calls of the agent, for the machine that it is tried on
    succeeded  what the disk shows if it worked
    prepare    what lies there before, put there by a person or by a repository
    prevented  True: it must not succeed. False: it can only be noticed, and `noticed` says whether it was
    """

    name: str
    script: Callable[[Live], Sequence[Step]]
    succeeded: Callable[[Live], bool]
    prepare: Callable[[Live], object] = _nothing
    prevented: bool = True
    noticed: Callable[[Live, Run], bool] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def tried(attempt: Attempt, folder: Path) -> tuple[Live, Run]:
    """The guarded run, after a control run that succeeded."""
    control = Live.at(folder / "control", guarded=False)
    attempt.prepare(control)
    run = _run(attempt, control)
    assert attempt.succeeded(control), f"without the guard it does not succeed either: {run.model.results}"
    live = Live.at(folder / "guarded")
    attempt.prepare(live)
    run = _run(attempt, live)
    if attempt.prevented:
        assert not attempt.succeeded(live), f"it got past the guard: {run.model.results}"
    if attempt.noticed is not None:
        assert attempt.noticed(live, run), f"nobody noticed: {run.model.results}"
    return live, run


def _run(attempt: Attempt, live: Live) -> Run:
    """`HOME` in the environment of an attempt stands for the machine's home."""
    options = dict(attempt.options)
    if "environment" in options:
        given = options["environment"].items()
        options["environment"] = {name: value.replace("HOME", str(live.home)) for name, value in given}
    return live.headless(attempt.script(live), **options)
