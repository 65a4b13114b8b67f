"""What each figure has to reach, and for which issue. The one place to change a bar.

A bar counts from its issue on: `--issue policy` counts those of `reading` too. A figure whose
bar does not count yet, or that has none, is shown as `info`.
"""

from __future__ import annotations

from ..value import Value

__all__ = ["BARS", "ISSUES", "Bar", "counts", "status"]

ISSUES = ("reading", "policy", "contracts", "capability")  # in the order in which they are met


class Bar(Value):
    """The value must be at least, or at most, the limit."""

    issue: str
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        sign, limit = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return f"{sign} {limit:g}"

    def met(self, value: float) -> bool:
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


def _none(issue: str) -> Bar:
    return Bar(issue=issue, at_most=0)


def _all(issue: str) -> Bar:
    return Bar(issue=issue, at_least=100)


# figure -> bar; what a figure is stands in figures.py. Shares are in percent.
BARS = {
    "rows": _none("reading"),
    "exceptions": _none("reading"),
    "syntax.agent_commands": Bar(issue="reading", at_least=99),
    "syntax.nl2bash": Bar(issue="reading", at_least=97),
    "syntax.tldr": Bar(issue="reading", at_least=97),
    "bypasses.harmless_attacks": _none("reading"),
    "bypasses.opaque_twins": _none("reading"),
    "bypasses.attacks": _all("policy"),
    "bypasses.twins": _all("policy"),
    "gtfobins": _all("policy"),
    "cpu.p99": Bar(issue="reading", at_most=1000),  # microseconds
    "cpu.typical": Bar(issue="reading", at_most=100),
    "plans": _all("policy"),
    "agent_commands.denies": _none("policy"),
    "signet.inspector": _all("capability"),
    "spine.decisions": _all("capability"),
    "spine.postures": _all("capability"),
    "agent_commands.prompts": Bar(issue="policy", at_most=73.5),  # what a plain list of read-only programs reaches
    "bfcl.valid": _none("contracts"),
    "bfcl.mutants": _all("contracts"),
    "roleos.live": _none("contracts"),
    "roleos.live_broken": Bar(issue="contracts", at_least=91),  # its own floor proves 71 of 78, and 57 of 106 below
    "roleos.effective": _none("contracts"),
    "roleos.effective_broken": Bar(issue="contracts", at_least=53.7),
}


def counts(bar: Bar, issue: str) -> bool:
    return ISSUES.index(bar.issue) <= ISSUES.index(issue)


def status(key: str, value: float | None, issue: str) -> str:
    """`met`, `missed` or `info`. A figure that could not be taken misses its bar."""
    bar = BARS.get(key)
    if bar is None or not counts(bar, issue):
        return "info"
    return "met" if value is not None and bar.met(value) else "missed"
