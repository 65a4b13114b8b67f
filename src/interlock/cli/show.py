"""Decisions for a person at a terminal. All text from outside is made harmless first."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..approve.compensators import undo_to_show
from ..calls.world import Outcome
from ..model.action import Action, Reading
from ..model.decision import Finding
from ..model.effects import effect_names
from ..model.verdict import Verdict

__all__ = ["COLOURS", "console", "harmless", "reading_tree", "reasons_table", "show_outcome", "verdict_text"]

_UNCUT = 1 << 16
COLOURS = {"allow": "green", "ask": "yellow", "deny": "red"}


def console() -> Console:
    """Where nobody looks at a terminal, nothing is cut to the width of one."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _UNCUT)


def harmless(text: object) -> str:
    """The text with control and direction-changing characters shown, not obeyed."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(text))


def verdict_text(verdict: Verdict) -> Text:
    return Text(verdict.name, style=f"bold {COLOURS[verdict.name]}")


def show_outcome(outcome: Outcome) -> None:
    """The short form: verdict, effect, reasons, receipt."""
    out = console()
    decision = outcome.decision
    effect = "no effect" if decision.effect is None else decision.effect.name
    out.print(Text.assemble(verdict_text(decision.verdict), f"  {effect}  {harmless(outcome.call.tool)}"))
    for finding in decision.reasons:
        out.print(Text(f"  {finding.layer}/{finding.rule}: {harmless(finding.text)}"))
        if finding.instead:
            out.print(Text(f"    instead: {harmless(finding.instead)}", style="dim"))
        for line in finding.remedy.splitlines():
            out.print(Text(f"    {harmless(line)}"))
    for note in decision.notes:
        out.print(Text(f"  note: {harmless(note)}"))
    if decision.approval is not None:
        out.print(Text(f"  approval {decision.approval}", style="dim"))
    out.print(Text(f"  receipt  {outcome.receipt}", style="dim"))


def reading_tree(reading: Reading, title: str) -> Tree:
    """What was read, as a tree, each part with the characters it was read from."""
    tree = Tree(Text(harmless(title), style="bold"))
    for action in reading.actions:
        branch = tree.add(Text.assemble((harmless(action.name), "bold"), "  ", _facts_of(action)))
        for field, value in action.target.items():
            branch.add(Text(f"{field} = {harmless(value)}"))
        if undone := undo_to_show(action):
            branch.add(Text(f"undo: {harmless(undone)}"))
        if action.field:
            branch.add(Text(f"read from `{action.field}`, characters {action.span[0]}–{action.span[1]}", style="dim"))
    for part in reading.opaque:
        branch = tree.add(Text(f"not understood: {harmless(part.reason)}", style="yellow"))
        if part.field:
            branch.add(Text(f"in `{part.field}`, characters {part.span[0]}–{part.span[1]}", style="dim"))
    return tree


def _facts_of(action: Action) -> str:
    parts = [", ".join(effect_names(action.effects)) or "no effect", f"risk {action.risk}"]
    if action.irreversible:
        parts.append("irreversible")
    if action.tags:
        parts.append("marks: " + ", ".join(action.tags))
    return "; ".join(parts)


def reasons_table(findings: tuple[Finding, ...]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in ("layer", "rule", "says", "because"):
        table.add_column(column, header_style="dim", overflow="fold")
    rows = [(finding.layer, finding.rule, finding.verdict, finding.text) for finding in findings]
    for layer, rule, verdict, text in dict.fromkeys(rows):  # two parts of a call may say the same
        table.add_row(layer, harmless(rule), verdict_text(verdict), Text(harmless(text)))
    return table
