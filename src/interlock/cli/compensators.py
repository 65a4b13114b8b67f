"""`interlock compensators`: the gated actions, and how each is taken back."""

from __future__ import annotations

import click

from ..approve.gated import GATES
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from rich.table import Table

    from .show import console
else:
    console = lazy(globals(), ".show", "console")
    Table = lazy(globals(), "rich.table", "Table")

__all__ = ["command"]


@click.command("compensators")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
def command(as_json: bool) -> None:
    """The actions that `[capability] enforce` gates, and the named undo of each.

    \b
    Example:
      interlock compensators
    """
    if as_json:
        import json

        rows = [
            {
                "action": gate.action,
                "compensator": gate.undo,
                "done_by": gate.done_by,
                "scope": list(gate.scope),
                "where": dict(gate.where),
            }
            for gate in GATES
        ]
        click.echo(json.dumps(rows, indent=2))
        return

    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in ("action", "done by", "compensator", "a scope may name"):
        table.add_column(column, header_style="dim", overflow="fold")
    for gate in GATES:
        table.add_row(gate.action, gate.done_by, gate.undo, " ".join(gate.scope))
    console().print(table)
