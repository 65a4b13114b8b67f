"""Writes the generated parts of docs/: the policy reference from the schema, the command reference
from the commands' own help, the life of a question and the words of the ledger from their tables.
`--check` writes nothing and ends with 1 where a page is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from interlock.approve.gated import GATES
from interlock.approve.lifecycle import EDGES, PENDING
from interlock.cli.commands import cli
from interlock.model.obeyed import GROUPS
from interlock.policy.command import COMMAND, SWITCH
from interlock.policy.kind_words import kind_words
from interlock.policy.people import PERSON
from interlock.policy.schema import BUDGET, GRANT, RULE, SECTIONS, TOOL, TOP, WHEN, Field
from interlock.policy.schema_outside import CONSULT, EVIDENCE, JUDGE, JUDGE_MODEL, STORE
from interlock.reading.servers.identity import KNOWN
from interlock.reading.servers.rows import KINDS as DEEDS
from interlock.reading.servers.rows import rows_of
from interlock.record.chain import DAMAGE, FRONTS, KINDS

DOCS = Path(__file__).parent.parent / "docs"
BEGIN, END = "<!-- generated: {} -->", "<!-- end of generated: {} -->"

TABLES = (
    ("Top level", TOP),
    *[(f"`[{name}]`", fields) for name, fields in SECTIONS.items()],
    ("`[budget]`", BUDGET),
    ("`[tools.NAME]`", TOOL),
    ("`[commands.NAME]`", COMMAND),
    ("`[commands.NAME.switches.OPTION]`", SWITCH),
    ("`[[rules]]`", RULE),
    ("`when` of a rule", WHEN),
    ("`[[grants]]`", GRANT),
    ("`[consult]`", CONSULT),
    ("`[judge]`", JUDGE),
    ("`[judge.first]`, `[judge.second]`", JUDGE_MODEL),
    ("`[store]`", STORE),
    ("`[evidence]`", EVIDENCE),
    ("`[people.NAME]`", PERSON),
)

TIGHTER = {
    "higher": "the stricter of the two",
    "lower": "the lower of the two",
    "true": "`true` wins",
    "false": "`false` wins",
    "union": "what either names",
    "common": "what both name",
    "fixed": "cannot be changed",
    "raises": "the higher number of the two",
    "adds": "entries add up",
    "loosens": "left out",
    "modes": "the stricter of the two for each mode",
    "first": "only where nobody has said it",
    "pinned": "only where nobody has said it",
    "": "",
}


def policy_reference() -> str:
    lines = []
    for title, fields in TABLES:
        directed = any(field.tighter for field in fields)
        lines += [f"### {title}", "", *_table(fields, directed), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(fields: tuple[Field, ...], directed: bool) -> list[str]:
    head = ["key", "value", "meaning"] + (["from a source that may only tighten"] if directed else [])
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for field in fields:
        cells = [f"`{field.key}`" + (" (required)" if field.required else ""), kind_words(field.kind), field.doc]
        rows.append("| " + " | ".join(cells + ([TIGHTER[field.tighter]] if directed else [])) + " |")
    return rows


def command_reference() -> str:
    root = click.Context(cli, info_name="interlock", max_content_width=100, terminal_width=100)
    return "\n".join(_command(cli, root)).rstrip() + "\n"


def _command(command: click.Command, context: click.Context) -> list[str]:
    lines = [f"## {context.command_path}", "", "```", command.get_help(context).rstrip(), "```", ""]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                inner = click.Context(child, info_name=name, parent=context, max_content_width=100, terminal_width=100)
                lines += _command(child, inner)
    return lines


def gates_reference() -> str:
    rows = ["| action | done by | compensator |", "|---|---|---|"]
    rows += [f"| `{gate.action}` | {gate.done_by} | {gate.undo.replace('<', '&lt;')} |" for gate in GATES]
    return "\n".join(rows) + "\n"


def obeyed_reference() -> str:
    """One row for each group of `interlock.model.obeyed`: the floor is marked, as no policy lowers it."""
    rows = ["| obeyed by | level | where | files | why |", "|---|---|---|---|---|"]
    for group in GROUPS:
        files = ", ".join(f"`{pattern}`" for pattern in (*group.patterns, *[f"{root}/**" for root in group.roots]))
        level = f"{group.level}, floor" if group.floor else group.level
        rows.append(f"| {group.who} | {level} | {group.where} | {files} | {group.reason} |")
    return "\n".join(rows) + "\n"


def servers_reference() -> str:
    """One row for each known server and kind of tool."""
    rows = ["| server | started by | its tools |", "|---|---|---|"]
    for known in sorted(KNOWN, key=lambda known: known.rows):
        started = ", ".join(f"`{name}`" for name in (*known.npm, *known.pypi, *known.images, *known.urls))
        by_kind = {kind: [row.tool for row in rows_of(known.rows) if row.kind == kind] for kind in DEEDS}
        for kind, tools in by_kind.items():
            if tools:
                told = f"{DEEDS[kind].says}: {', '.join(f'`{tool}`' for tool in tools)}"
                rows.append(f"| {known.rows if started else ''} | {started} | {told} |")
                started = ""
    return "\n".join(rows) + "\n"


def lifecycle_reference() -> str:
    """The table of edges, drawn."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {PENDING}: a call is asked about"]
    for state, edges in EDGES.items():
        lines += [f"    {state} --> {after}: {by}" for after, by in edges.items()]
        lines += [] if edges else [f"    {state} --> [*]"]
    return "\n".join([*lines, "```"]) + "\n"


def _meanings(key: str, meaning: str, table: dict[str, str], code: str = "`") -> str:
    rows = [f"| {code}{name}{code} | {what} |" for name, what in table.items()]
    return "\n".join([f"| {key} | {meaning} |", "|---|---|", *rows]) + "\n"


PAGES = {
    ("approvals.md", "lifecycle"): lifecycle_reference,
    ("capabilities.md", "gates"): gates_reference,
    ("ledger.md", "damage"): lambda: _meanings("damage", "what happened", DAMAGE, code=""),
    ("ledger.md", "kinds"): lambda: _meanings("kind", "what it says (and what `key` is)", KINDS),
    ("ledger.md", "fronts"): lambda: _meanings("front", "what writes through it", FRONTS),
    ("mcp.md", "servers"): servers_reference,
    ("policy.md", "obeyed"): obeyed_reference,
    ("policy.md", "reference"): policy_reference,
    ("cli.md", "commands"): command_reference,
}


def updated(page: str, name: str, content: str) -> str:
    text = (DOCS / page).read_text()
    begin, end = BEGIN.format(name), END.format(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"docs/{page} has no generated part `{name}`")
    return f"{before}{begin}\n\n{content}\n{end}{after}"


def main() -> int:
    stale = []
    for (page, name), generate in PAGES.items():
        text = updated(page, name, generate())
        if text != (DOCS / page).read_text():
            stale.append(page)
            if "--check" not in sys.argv:
                (DOCS / page).write_text(text)
    for page in stale:
        print(f"docs/{page} {'is out of date; run: make docs' if '--check' in sys.argv else 'written'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
