"""A group of commands whose help lists each of them with a whole sentence, under headings where it has some."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Listed"]

_WHOLE = 1000  # click cuts a longer sentence off in its middle; the list wraps it instead


class Listed(click.Group):
    sections: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in (self.sections or {"Commands": tuple(self.list_commands(ctx))}).items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                if command is not None and not command.hidden:
                    rows.append((name, command.get_short_help_str(_WHOLE)))
            with formatter.section(title):
                formatter.write_dl(rows)
