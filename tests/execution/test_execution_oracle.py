"""Commands are executed by bash, where every program is a stub: whatever ran must have been read, or be opaque.

INTERLOCK_EXECUTIONS says how many commands, 2,000 by default; the same ones each time.
"""

from __future__ import annotations

from itertools import islice

import pytest

from execution.compare import Outcome, Tally, read
from execution.generator import cases, techniques, twins
from execution.sandbox import LEAVES, Sandbox, Unavailable
from sizes import how_many

EXECUTIONS = how_many("INTERLOCK_EXECUTIONS", 2000, quick=400)
STEP = 2000
FOLDED = 0.8  # the share of techniques that follow from the text alone and must be read, not opaque


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    try:
        return Sandbox(tmp_path_factory.mktemp("execution"))
    except Unavailable as why:
        pytest.skip(f"commands cannot be executed in a sandbox here: {why}")


@pytest.fixture(scope="module")
def tally(sandbox: Sandbox) -> Tally:
    found = Tally()
    made = cases(EXECUTIONS)
    while batch := list(islice(made, STEP)):
        for case, calls in zip(batch, sandbox.run([case.text for case in batch]), strict=True):
            found.add(case, calls)
    return found


def test_nothing_runs_that_was_not_read(tally: Tally) -> None:
    assert not tally.silent, tally.report()


def test_most_commands_do_run(tally: Tally) -> None:
    assert tally.outcomes[Outcome.NOTHING] < 0.25 * sum(tally.outcomes.values())


def test_what_folds_is_read(tally: Tally) -> None:
    met = {name: tally.alone[name] for name, folds in techniques().items() if folds and name in tally.alone}
    ran = {name: outcome for name, outcome in met.items() if outcome is not Outcome.NOTHING}
    opaque = sorted(name for name, outcome in ran.items() if outcome is not Outcome.READ)
    assert len(ran) - len(opaque) >= FOLDED * len(ran), opaque


def test_harmless_twins_stay_readable() -> None:
    clouded = []
    made = list(twins())
    for case in made:
        found = read(case.text)
        named = any(args[0].text.rpartition("/")[2] in LEAVES for args, _ in found.commands if args)
        if found.opaque or not named:
            clouded.append(f"{case.techniques[0]}: {[part.reason for part in found.opaque]}")
    assert len(clouded) <= (1 - FOLDED) * len(made), "\n".join(clouded)
