"""Which way the arrows go inside `reading/`, room by room, and that no modules import each other in a circle.

An import inside a function, a row of `lazy` and a module that a table names count like any other: what postpones an
import does not turn it round. Like the checks of test_architecture.py, these are tried on bad modules as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from interlock.reading.machine.index import FAMILIES
from interlock.reading.specials import SPECIALS
from unit.test_architecture import MODULES, imports

READING = "interlock.reading."
GRAMMAR = READING + "shell."  # a grammar is recursive: its modules may import each other

# Room -> the rooms that it may import, from the lowest up. Where a row names a room below it, a module stands in the
# wrong one: no such word is added.
ROOMS: dict[str, str] = {
    "tables": "core",
    "inline": "",
    "filters": "",
    "shell": "",
    "cosmetic": "",
    "any_shell": "shell",
    "resolve": "",
    "places": "reach core lands evaluate machine",
    "reach": "resolve places evaluate machine",
    "core": "places reach evaluate machine",
    "sql": "evaluate machine",
    "lands": "shell places reach core evaluate machine",
    "evaluate": "shell places core lands machine runs",
    "machine": "tables shell places reach core evaluate",
    "python": "places reach core sql lands evaluate machine runs",
    "written": "tables places reach lands evaluate machine python",
    "tasks": "tables places lands evaluate machine python",
    "runs": "tables shell places reach core lands evaluate machine written tasks specials bash",
    "specials": (
        "tables inline filters shell resolve places reach core sql lands evaluate machine python written tasks runs"
    ),
    "follow": "evaluate machine python runs specials",
    "bash": "shell any_shell places core evaluate machine follow",
    "servers": "places evaluate machine follow bash tools",
    "tools": "servers places reach core sql evaluate machine written runs follow bash",
    "looks": "runs tools",
    "read": "cosmetic servers places reach tools looks",
}

# Whose module names stand in a table: what loads it -> what it loads.
TABLED: dict[str, tuple[str, ...]] = {
    f"{READING}machine.index": tuple(f"{READING}tables.{family}" for family in FAMILIES),
    f"{READING}specials": tuple(f"{READING}specials.{name}" for name in set(SPECIALS.values())),
}


def room_of(name: str) -> str:
    return name.removeprefix(READING).partition(".")[0]


def edges(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """What each module imports when it runs, sooner or later."""
    found = {name: {wanted for _, wanted in imports(name, text, typing=False)} for name, text in texts.items()}
    for name, more in TABLED.items():
        found.get(name, set()).update(more)
    return {name: (wanted & texts.keys()) - {name} for name, wanted in found.items()}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The modules that reach each other, each group in order: Tarjan's strongly connected components."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for wanted in sorted(graph[name]):
            if wanted not in number:
                visit(wanted)
            if wanted in stack:
                lowest[name] = min(lowest[name], lowest[wanted])
        if lowest[name] == number[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in graph:
        if name not in number:
            visit(name)
    return sorted(found)


def wrong_circles(texts: Mapping[str, str]) -> list[list[str]]:
    """All but the grammar."""
    return [circle for circle in circles(edges(texts)) if not all(name.startswith(GRAMMAR) for name in circle)]


def wrong_rooms(texts: Mapping[str, str]) -> Iterator[str]:
    for name, wanted in edges(texts).items():
        own = room_of(name)
        for other in sorted(wanted) if name.startswith(READING) else ():
            room = room_of(other)
            if other.startswith(READING) and room != own and room not in ROOMS[own].split():
                yield f"{name} ({own}) imports {other} ({room})"


def test_every_room_has_a_row() -> None:
    assert {room_of(name) for name in MODULES if name.startswith(READING)} == ROOMS.keys()


def test_rooms_of_reading_import_what_their_row_says() -> None:
    assert list(wrong_rooms(MODULES)) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert wrong_circles(MODULES) == []


def test_the_grammar_is_the_circle_that_is_found() -> None:
    grammar = [circle for circle in circles(edges(MODULES)) if circle[0].startswith(GRAMMAR)]
    assert len(grammar) == 1
    assert len(grammar[0]) > 5


# --- that the checks can fail ----------------------------------------------------------------------

LATE = "def f():\n    from .{} import g"
LAZY = "if TYPE_CHECKING:\n    from .{0} import g\nelse:\n    g = lazy(globals(), '.{0}', 'g')"


@pytest.mark.parametrize("form", ["from .{} import g", LATE, LAZY], ids=["plain", "late", "lazy"])
def test_a_circle_is_found_however_it_is_closed(form: str) -> None:
    texts = {
        "interlock.model.one": "from .two import g",
        "interlock.model.two": "from .three import g",
        "interlock.model.three": form.format("one"),
    }
    assert wrong_circles(texts) == [["interlock.model.one", "interlock.model.three", "interlock.model.two"]]


def test_a_circle_through_a_table_is_found() -> None:
    module = f"{READING}specials.{SPECIALS['git']}"
    texts = {f"{READING}specials": "", module: "from . import run_special"}
    assert wrong_circles(texts) == [[f"{READING}specials", module]]


@pytest.mark.parametrize(
    "text", ["from .three import g", "if TYPE_CHECKING:\n    from .one import g"], ids=["ahead", "typing"]
)
def test_what_is_no_circle_is_none(text: str) -> None:
    texts = {"interlock.model.one": "from .two import g", "interlock.model.two": text, "interlock.model.three": ""}
    assert wrong_circles(texts) == []


def test_a_circle_is_the_grammar_only_as_a_whole() -> None:
    texts = {f"{GRAMMAR}one": "from ..core.two import g", f"{READING}core.two": "from ..shell.one import g"}
    assert len(wrong_circles(texts)) == 1


def test_an_arrow_up_is_found() -> None:
    texts = {
        f"{READING}places.bad": "def f():\n    from ..runs.bad import g",
        f"{READING}runs.bad": "from ..places.bad import g",
    }
    assert list(wrong_rooms(texts)) == [f"{READING}places.bad (places) imports {READING}runs.bad (runs)"]
