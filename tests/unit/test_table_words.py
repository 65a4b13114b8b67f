"""Every word in the tables of programs is one of a closed set. A typing error fails here, not on somebody's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from interlock.reading.core.tags import PROGRAM_TAGS, TAGS
from interlock.reading.machine.options import compiled, split_roles
from interlock.reading.specials import SPECIALS
from interlock.reading.tables.spec import ROLES, P, Program
from interlock.reading.tables.vocabulary import FIELDS, LANGUAGES, SPOKEN, STDIN, role_trouble
from table_rows import every_row

ROWS = every_row()

# Keys of `flags` that the engine or the function of a row sets, beside the options.
SET_BY_FUNCTIONS = {"operand", "own", "named", "sends", "edits", "discards", "makes"}


def _roles_of(row: Program) -> Iterator[str]:
    yield from (role for role, _ in split_roles(row.operands))
    yield from (option.role for option in compiled(row).by_name.values() if option.role is not None)
    yield from (adds.role for adds in row.flags.values() if adds.role is not None)


@cache
def roles() -> dict[int, tuple[str, ...]]:
    """By row: each is looked at by many."""
    return {id(row.program): tuple(_roles_of(row.program)) for row in ROWS}


def roles_of(row: Program) -> tuple[str, ...]:
    return roles()[id(row)]


def test_every_role_is_known() -> None:
    assert [
        f"{row}: {trouble}" for row in ROWS for trouble in map(role_trouble, roles_of(row.program)) if trouble
    ] == []


@pytest.mark.parametrize("function", SPOKEN)
def test_a_role_that_one_function_reads_stands_only_in_rows_of_such_functions(function: str) -> None:
    mine = [role for role in SPOKEN[function].split() if role_trouble(role, ours=False) is not None]
    readers = {role: {other for other, roles in SPOKEN.items() if role in roles.split()} for role in mine}
    astray = [
        f"{row}: {role}"
        for row in ROWS
        for role in set(roles_of(row.program)) & set(mine)
        if readers[role].isdisjoint(row.functions)
    ]
    assert astray == []


def test_no_word_of_the_sets_is_idle() -> None:
    used = {role for row in ROWS for role in roles_of(row.program)}
    assert sorted(FIELDS - used) == []
    assert sorted({role for roles in SPOKEN.values() for role in roles.split()} - used) == []
    ran = {role[5:] for role in used | {row.program.stdin for row in ROWS} if role.startswith("code.")}
    assert sorted(LANGUAGES - ran) == ["bash"]  # which functions hand on


def test_every_tag_of_a_row_is_known() -> None:
    said = {
        (str(row), tag)
        for row in ROWS
        for tags in (row.program.tags, *[adds.tags for adds in row.program.flags.values()])
        for tag in tags
    }
    assert sorted((where, tag) for where, tag in said if tag not in PROGRAM_TAGS) == []
    assert sorted({tag for role in ROLES.values() for tag in role.tags} - TAGS) == []


def test_every_function_and_use_of_standard_input_is_known() -> None:
    assert {row.program.special for row in ROWS} - {None} <= set(SPECIALS)
    assert {row.program.stdin for row in ROWS} <= STDIN


def test_every_addition_belongs_to_an_option_of_its_row() -> None:
    shown: dict[str, set[str]] = {}  # additions that rows of a family share are of use to one of them at least
    for row in ROWS:
        shown.setdefault(row.family, set(SET_BY_FUNCTIONS)).update(compiled(row.program).shows)
    lost = [
        f"{row}: {name}"
        for row in ROWS
        for name in row.program.flags
        if name not in known_switches(row.program) and name not in shown[row.family] and row.program.special is None
    ]
    assert lost == []


def known_switches(row: Program) -> set[str]:
    table = compiled(row)
    return {*table.shows, *[option.name for option in table.by_name.values()]}


def test_every_option_begins_with_a_dash_and_every_action_has_two_parts() -> None:
    shown = {name for row in ROWS for name in compiled(row.program).shows}  # `dryrun` may name one of those
    words = {(str(row), name) for row in ROWS for name in compiled(row.program).by_name if name not in shown}
    assert sorted((where, name) for where, name in words if name[:1] not in "-+") == []
    names = {row.program.action for row in ROWS if row.program.special != "cloud_cli"}  # which adds the second part
    names |= {adds.action for row in ROWS for adds in row.program.flags.values()}
    assert [
        name for name in sorted(names - {None}, key=str) if not re.fullmatch(r"[\w.+-]+:[\w.:+-]+", str(name))
    ] == []


@pytest.mark.parametrize("bad", [{"tags": "exernal"}, {"does": "wirte"}, {"risk": "hgih"}])
def test_a_row_with_a_mistyped_word_cannot_be_made(bad: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad.values()))):
        P("frob", **bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"options": "--log:wirte"}, {"operands": "raed*"}, {"options": "--log:"}])
def test_a_row_with_a_mistyped_role_cannot_be_used(bad: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="role"):
        compiled(P("frob", **bad))  # type: ignore[arg-type]


def test_every_known_tag_is_explained() -> None:
    text = (Path(__file__).parents[2] / "docs/reading.md").read_text(encoding="utf-8")
    table = text.partition("\n## Marks\n")[2].partition("\n## ")[0]
    assert sorted(tag for tag in TAGS if f"`{tag}`" not in table) == []
