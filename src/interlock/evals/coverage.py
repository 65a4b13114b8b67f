"""Which of a policy's own rules the cases try: each should match in one and stay silent in another.

A rule that no case matches may say anything; one that matches in every case may say too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..policy.compile import SourceFile
from ..policy.parse import parse_policy
from ..value import Value
from .runner import Result

__all__ = ["RuleCoverage", "coverage_of", "coverage_to_wire", "own_rules", "percent_of"]

_OWN = ("managed", "user", "project")


class RuleCoverage(Value):
    """`matched` and `silent` count cases."""

    rule: str
    file: str
    matched: int
    silent: int

    @property
    def tried(self) -> bool:
        return self.matched > 0 and self.silent > 0


def own_rules(files: Iterable[SourceFile]) -> list[tuple[str, str]]:
    """Id and file of each rule that people wrote: not of the built-in policy, not of a profile."""
    return [
        (rule.id, file)
        for name, file, raw in files
        if name in _OWN
        for rule in parse_policy(raw, name=name, file=file).rules
    ]


def coverage_of(rules: Iterable[tuple[str, str]], results: Sequence[Result]) -> list[RuleCoverage]:
    counts: dict[str, int] = {}
    for result in results:
        for rule in result.rules:
            counts[rule] = counts.get(rule, 0) + 1
    return [
        RuleCoverage(rule=rule, file=file, matched=counts.get(rule, 0), silent=len(results) - counts.get(rule, 0))
        for rule, file in rules
    ]


def percent_of(covered: Sequence[RuleCoverage]) -> float:
    """Of a policy without rules everything is tried."""
    return round(100 * sum(row.tried for row in covered) / len(covered), 1) if covered else 100.0


def coverage_to_wire(covered: Sequence[RuleCoverage]) -> dict[str, Any]:
    return {"percent": percent_of(covered), "rules": [{**row.as_dict(), "tried": row.tried} for row in covered]}
