"""What the tables of the forges share: how a row is named, what reading, changing and deleting there means."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .spec import P, Program

if TYPE_CHECKING:
    from typing import Any

    Rows = tuple[Program, ...]

__all__ = ["Forge", "flat"]

# What commands that look take, to choose and to print.
_PRINTS = (
    "--json:text -q|--jq:text -t|--template:text -w|--web -L|--limit:number -s|--state:text -l|--label:text "
    "-a|--assignee:text -A|--author:text -S|--search:text -O|--output-format:text -F|--output:text "
    "-P|--per-page:number "
    "-p|--page:number -c|--comments --sort:text --order:text --format:text"
)


# Names that are another name of the command before them.
_SAME = frozenset(
    (
        "ls", "new", "co", "remove", "del", "show", "accept", "rm", "m", "c", "e", "o", "C", "autocomplete", "a11y",
    )
)  # fmt: skip


class Forge:
    """Rows of one program: `looks` observes, `changes` is seen by others, `deletes` is gone for all."""

    __slots__ = ("everywhere", "program")

    def __init__(self, program: str, everywhere: str) -> None:
        self.program = program
        self.everywhere = everywhere

    def group(self, name: str, *subs: Program | Rows, **more: Any) -> Rows:
        more.setdefault("options", self.everywhere)
        return (P(name, subs=flat(*subs), action=f"{self.program}:{name}", words=2, **more),)

    def row(self, group: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> Rows:
        """A row for each of the names; an abbreviation shares the row of the name before it."""
        given = {name for item in options.split() for name in _names(item)}
        shared = f"{self.everywhere} {_PRINTS}" if more.get("does") == "read" else self.everywhere
        kept = [item for item in shared.split() if given.isdisjoint(_names(item))]
        more.setdefault("words", 3 if group else 2)
        more["dryrun"] = f"-h {more.get('dryrun', '')}".strip()
        called: list[list[str]] = []
        for name in names.split():
            if name in _SAME and called:
                called[-1].append(name)
            else:
                called.append([name])
        rows = []
        for name, *also in called:
            action = f"{self.program}:{group}-{name}" if group else f"{self.program}:{name}"
            rows.append(
                P(name, operands, options=" ".join([options, *kept]), also=" ".join(also), **{"action": action, **more})
            )
        return tuple(rows)

    def looks(self, group: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> Rows:
        return self.row(group, names, operands, options, **{"does": "read", **more})

    def changes(self, group: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> Rows:
        return self.row(group, names, operands, options, **{"does": "network", "tags": "external sends", **more})

    def deletes(self, group: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> Rows:
        kept = {"does": "destructive network", "tags": "external", "irreversible": True, "risk": "high"}
        return self.row(group, names, operands, options, **{**kept, **more})

    def local(self, group: str, names: str, operands: str = "text*", options: str = "", **more: Any) -> Rows:
        return self.row(group, names, operands, options, **{"does": "write", **more})


def flat(*items: Program | Rows) -> Rows:
    """Rows, and tuples of rows, in one tuple."""
    return tuple([row for item in items for row in (item if isinstance(item, tuple) else (item,))])


def _names(item: str) -> list[str]:
    """The names of one option; the command's own go before those that all commands have."""
    return item.partition(":")[0].partition("!")[0].rstrip("?").split("|")
