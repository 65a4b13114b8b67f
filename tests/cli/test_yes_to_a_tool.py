"""A yes to a call of a tool server's tool keeps its word: the next calls of the session are played, and counted.

For each message of the catalogue that offers one (told.yaml), and for the tools that people use most: what the text
names as free may be anything, what it names as the same may not, and no other argument comes along.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from machine import Machine

ROWS = yaml.safe_load((Path(__file__).parents[1] / "unit/told.yaml").read_text())
OFFERS = [
    (row["tool"], row["input"])
    for row in ROWS
    if row.get("tool", "").startswith("mcp__")
    and "Yes also covers" in row["person"]
    and "policy" not in row
    and "everything else" not in row["person"]
]
# Ten calls of tools that nobody declared, as agents make them.
ORDINARY: list[tuple[str, dict[str, Any]]] = [
    ("mcp__db__query", {"sql": "select 1 from a"}),
    ("mcp__web__screenshot", {}),
    ("mcp__web__screenshot", {"fullPage": True}),
    ("mcp__web__click", {"element": "Save", "ref": "e1"}),
    ("mcp__hub__get_issue", {"owner": "acme", "repo": "app", "number": 1}),
    ("mcp__hub__list_issues", {"repo": "app", "state": "open", "labels": ["bug", "ui"]}),
    ("mcp__mail__send", {"to": "ada@example.com", "subject": "Hello", "body": "x " * 90}),
    ("mcp__bank__pay", {"amount": 40, "recipient": "ada"}),
    ("mcp__notes__create_page", {"title": "a", "content": "b"}),
    ("mcp__notes__think", {"thought": "first things first"}),
    ("mcp__box__resize", {"width": 1, "height": 2}),
    ("mcp__box__read_file", {"path": "src/a.py"}),
    ("mcp__box__write_file", {"path": "src/a.py", "content": "x"}),
    ("mcp__box__run_command", {"command": "ls -l"}),
    ("mcp__box__fetch", {"url": "https://docs.example.org/a"}),
]


def told(machine: Machine, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The answers to calls of one session, the first question answered with yes and every later one with no."""
    lines = [{"cwd": str(machine.project), "session": "s1", "tool": tool, "input": given} for tool, given in calls]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    run = machine.run("decide", "--jsonl", "--answer", "approve", stdin=text)
    assert (run.code, run.err) == (0, "")
    return run.lines


def yes_of(person: str) -> str:
    return next(line for line in person.splitlines() if line.startswith("Yes "))


def named(yes: str, before: str, after: tuple[str, ...]) -> set[str]:
    """The names in backticks that stand between two words of the text."""
    rest = yes.partition(before)[2]
    for word in after:
        rest = rest.partition(word)[0]
    return set(rest.split("`")[1::2])


def other(value: Any, count: int = 1) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + count
    if isinstance(value, list):
        return [other(item, count) for item in value]
    return f"{value} {'again ' * count}".strip()


@pytest.mark.parametrize(("tool", "given"), [*OFFERS, *ORDINARY])
def test_what_the_text_says_is_over_is_over_and_nothing_else_is(
    machine: Machine, tool: str, given: dict[str, Any]
) -> None:
    (first,) = told(machine, [(tool, given)])
    yes = yes_of(first["person"])
    assert "calls of this tool" in yes or "the same call again" in yes
    ends = (" and any ", " and a `", " but no other", " that ")
    same = named(yes, "with the same ", ends)
    free = named(yes, " any ", (" and a `", " but no other"))
    read = named(yes, " a `", (" that ",)) if " a `" in yes else set()
    read = {part for part in given if f"a `{part}` that" in yes} | (read & set(given))
    assert same | free | read == set(given), yes

    changes: list[set[str]] = [free, *[{name} for name in sorted(free)]] if free else []
    covered = (
        [(tool, {**given, **{n: other(given[n], at) for n in changes[at % len(changes)]}}) for at in range(1, 10)]
        if changes
        else []
    )
    answers = told(machine, [(tool, given), (tool, given), *covered])
    assert [answer["verdict"] for answer in answers[1:]] == ["allow"] * (len(covered) + 1)
    beyond = [{**given, name: other(given[name])} for name in same]
    beyond.append({**given, "unheard_of": "x"})
    for change in beyond:
        assert [answer["verdict"] for answer in told(machine, [(tool, given), (tool, change)])] == ["ask", "ask"], yes


READ_AS: list[tuple[str, dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "mcp__db__query",
        {"sql": "select name, count(*) from vessels group by name"},
        [
            {"sql": text}
            for text in (
                "select tablename, indexdef from pg_indexes where schemaname = 'public'",
                "select * from orders where id = 3",
                "with a as (select 1) select * from a",
                "explain select 1",
                "select version()",
                "show tables",
                "select count(*) from users",
                "SELECT 1",
                "select a.x from a join b on a.id = b.id",
                "-- again\nselect 2",
            )
        ],
        [
            {"sql": text}
            for text in (
                "delete from users",
                "select 1; drop table users",
                "insert into a values (1)",
                "update users set admin = true",
                "create table x (a int)",
                "copy users to program 'sh'",
            )
        ],
    ),
    (
        "mcp__box__read_file",
        {"path": "src/a.py"},
        [{"path": path} for path in ("src/b.py", "README.md", "docs/x.md", "tests/a.py", "package.json")],
        [{"path": path} for path in ("~/.ssh/id_rsa", ".env", "/home/other/.aws/credentials")],
    ),
    (
        "mcp__box__run_command",
        {"command": "ls"},
        [{"command": text} for text in ("ls -l src", "git status", "cat README.md", "grep -rn x src")],
        [{"command": text} for text in ("rm -rf src", "git push", "curl https://x.example", "cat ~/.ssh/id_rsa")],
    ),
    (
        "mcp__box__fetch",
        {"url": "https://docs.example.org/a"},
        [{"url": f"https://docs.example.org/{page}"} for page in ("b", "c", "d")],
        [{"url": "https://other.example/a"}],
    ),
]


@pytest.mark.parametrize(("tool", "first", "covered", "beyond"), READ_AS)
def test_what_is_read_of_an_argument_is_covered_as_far_as_it_was_said(
    machine: Machine, tool: str, first: dict[str, Any], covered: list[dict[str, Any]], beyond: list[dict[str, Any]]
) -> None:
    answers = told(machine, [(tool, given) for given in (first, *covered)])
    assert [answer["verdict"] for answer in answers] == ["ask", *["allow"] * len(covered)]
    for given in beyond:
        assert told(machine, [(tool, first), (tool, given)])[1]["verdict"] != "allow", given


def test_a_statement_that_looks_and_one_that_removes_do_not_read_alike(machine: Machine) -> None:
    asked = [
        told(machine, [("mcp__db__query", {"sql": text})])[0]["person"].splitlines()
        for text in ("select name from users", "delete from users")
    ]
    assert asked[0][0].startswith("Use `query` of the tool server `db` (sql `select name from users`):")
    assert asked[1][0].startswith("Delete rows of `users`: it cannot be undone.")
    assert "Yes counts for this call only" not in asked[0][1]
    assert "everything else counts for this call only" in asked[1][1]
