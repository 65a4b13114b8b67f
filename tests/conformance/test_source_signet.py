"""Every cell of a registry of risk tiers: through the check, which is the library's gate, and through the hook.

`wanted` writes the order of the rules down once more, by hand. A tool has one of four tiers and can be taken back or
not, or no registry knows it: nine tools, under each ceiling, threshold and opt-in. All 576 cells are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from hook_process import NO_OPINION, new_machine
from interlock.checks import RiskTier, ToolCallInspectorCheck, ToolSpec

SPECS = {
    f"{tier.name.lower()}_{'for_good' if irreversible else 'undoable'}": ToolSpec(tier, irreversible)
    for tier, irreversible in product(RiskTier, (False, True))
}
TOOLS = (*SPECS, "nobody_knows")
OPT_INS = tuple(product((False, True), repeat=2))
TABLES = [
    pytest.param(most, threshold, id=f"{most.name}-{threshold.name}") for most, threshold in product(RiskTier, RiskTier)
]
HOOK_SAYS = {"allow": "allow", NO_OPINION: "allow", "ask": "escalate", "deny": "block"}


def wanted(tool: str, most: RiskTier, threshold: RiskTier, critical: bool, unregistered: bool) -> str:
    spec = SPECS.get(tool)
    if spec is None:
        return "allow" if unregistered else "block"
    if spec.risk_tier is RiskTier.CRITICAL and not critical:
        return "block"
    if spec.risk_tier > most:
        return "block"
    return "escalate" if spec.irreversible and spec.risk_tier >= threshold else "allow"


def checks(home: Path, most: RiskTier, threshold: RiskTier) -> Iterator[tuple[bool, bool, ToolCallInspectorCheck]]:
    (home / "project").mkdir()
    for critical, unregistered in OPT_INS:
        made = ToolCallInspectorCheck(
            SPECS,
            most,
            threshold,
            critical,
            unregistered,
            root=home / "project",
            home=home / f"{critical}{unregistered}",
        )
        made.gate.deadline = 60
        with closing(made):
            yield critical, unregistered, made


def test_the_table_has_576_cells() -> None:
    assert len(TABLES) * len(OPT_INS) * len(TOOLS) == 576


@pytest.mark.parametrize(("most", "threshold"), TABLES)
def test_the_check_decides_each_cell_as_its_source(most: RiskTier, threshold: RiskTier, tmp_path: Path) -> None:
    given, expected = {}, {}
    for critical, unregistered, check in checks(tmp_path, most, threshold):
        for tool in TOOLS:
            cell = (tool, critical, unregistered)
            given[cell] = check.inspect(tool, {"to": "a"}, session=tool).decision
            expected[cell] = wanted(tool, most, threshold, critical, unregistered)
    assert given == expected


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("most", "threshold"), TABLES)
def test_the_hook_decides_each_cell_as_its_source(most: RiskTier, threshold: RiskTier, tmp_path: Path) -> None:
    """The registry's own policy file, as the policy of the person whose host calls the hook."""
    given, expected = {}, {}
    for critical, unregistered, check in checks(tmp_path, most, threshold):
        (registry,) = (tmp_path / f"{critical}{unregistered}/.local/state/interlock/registries").iterdir()
        check.close()
        machine = new_machine(tmp_path / f"hook-{critical}{unregistered}", warm=True)
        machine.user_policy.write_bytes(registry.read_bytes())
        for tool in TOOLS:
            cell = (tool, critical, unregistered)
            said = machine.run(machine.event(tool, {"to": "a"}, session_id=tool), odd=True)
            given[cell] = HOOK_SAYS[said.taken]
            expected[cell] = wanted(tool, most, threshold, critical, unregistered)
    assert given == expected
