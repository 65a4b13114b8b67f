"""The mutation check itself: which faults it makes up, and that its list is held to what it finds."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from scripts.mutants import Found, Row, found_in, rows_of
from scripts.mutation.operators import Mutant, mutants_of

ROOT = Path(__file__).parents[2]


def names_of(source: str) -> list[str]:
    return [mutant.name for mutant in mutants_of(dedent(source))]


def changed(source: str) -> set[str]:
    """The source with each of its faults, as text."""
    return {ast.unparse(_tree(mutant, source)) for mutant in mutants_of(source)}


def _tree(mutant: Mutant, source: str) -> ast.AST:
    tree = ast.parse(source)
    at: object = tree
    for step in mutant.path[:-1]:
        at = at[step] if isinstance(step, int) else getattr(at, step)  # type: ignore[index]
    last = mutant.path[-1]
    if isinstance(last, int):
        at[last] = mutant.new  # type: ignore[index]
    else:
        setattr(at, last, mutant.new)
    return ast.fix_missing_locations(tree)


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("x = a < b", {"x = a <= b"}),
        ("x = a is b", {"x = a is not b"}),
        ("x = a in b", {"x = a not in b"}),
        ("x = a and b", {"x = a or b", "x = a", "x = b"}),
        ("x = not a", {"x = a"}),
        ("x = a + b", {"x = a - b"}),
        ("x += y", {"x -= y"}),
        ("x = True", {"x = False"}),
        ("x = 3", {"x = 4"}),
        ("x = 'once'", {"x = 'once?'"}),
        ("x = max(a, b)", {"x = min(a, b)"}),
        ("x = a if b else c", {"x = a if not b else c"}),
        ("x = (a, b, c)", {"x = (b, c)", "x = (a, c)", "x = (a, b)"}),
        ("for x in y:\n    f(x)", {"for x in y:\n    pass"}),
        ("while x:\n    break", {"while not x:\n    break", "while x:\n    pass"}),
    ],
)
def test_what_may_stand_in_the_place_of_what(source: str, others: set[str]) -> None:
    assert changed(source) == others


def test_what_is_left_alone() -> None:
    source = '''
    """A reason."""
    from x import y
    __all__ = ["a"]
    if TYPE_CHECKING:
        z = 1
    class C:
        """Words."""
        field: "int"
    def f(a: "str") -> "int":
        """Words."""
        raise Wrong(f"{a} is wrong")
    SENTENCE = "for a person to read"
    '''
    assert names_of(source) == ["f: raise Wrong(f'{a} is wrong') -> pass"]


def test_a_mutant_is_named_by_its_function_and_not_by_its_line() -> None:
    source = """
    LIMIT = 5

    def f(a=1):
        return a == 1 or a == 1

    class C:
        kind: str = "k"

        def g(self):
            return lambda x: x + 1
    """
    names = names_of(source)
    assert names == names_of("# a line more\n" + dedent(source))
    assert "the module: 5 -> 6" in names
    assert "the module: 1 -> 2" in names, "a default is evaluated where the function is made"
    assert "f: a == 1 -> a != 1 (#2)" in names
    assert "the module: 'k' -> 'k?'" in names
    assert "C.g: x + 1 -> x - 1" in names
    assert len(set(names)) == len(names)


def test_no_member_of_a_long_table_is_passed_over() -> None:
    """Two faults that read alike once they are cut short are two all the same."""
    members = [f"member_{at:02}" for at in range(30)]
    source = f"TABLE = ({', '.join(members)})"
    assert changed(source) == {
        f"TABLE = ({', '.join([*members[:at], *members[at + 1 :]])})" for at in range(len(members))
    }
    names = names_of(source)
    assert len(set(names)) == len(members)
    assert names[15] == (
        "the module: … _12, member_13, member_14, member_15, member_16, member_17, member_18, … -> "
        "… _12, member_13, member_14, member_16, member_17, member_18, member_19, …"
    )


def test_a_package_is_known_by_its_own_name() -> None:
    row = Row("layers/__init__", (), {})
    assert (row.name, row.file) == ("interlock.layers", ROOT / "src/interlock/layers/__init__.py")
    assert Row("layers/two", (), {}).name == "interlock.layers.two"


def every_row() -> list[Row]:
    text = (ROOT / "tests/mutants.toml").read_text(encoding="utf-8")
    return [*rows_of(text), *rows_of(text, "not_yet")]


def test_no_layer_and_no_part_of_the_core_is_forgotten() -> None:
    modules = [row.module for row in every_row()]
    layers = {f"layers/{file.stem}" for file in (ROOT / "src/interlock/layers").glob("*.py")}
    core = {
        "decide",
        "approve/grant",
        "approve/glob",
        "approve/held",
        "approve/lifecycle",
        "approve/weigh",
        "record/chain",
    }
    assert sorted((layers | core) - set(modules)) == []
    assert len(set(modules)) == len(modules)


@pytest.mark.slow
def test_every_mutant_of_the_core_compiles_and_has_a_name_of_its_own() -> None:
    for row in every_row():
        source = row.file.read_text(encoding="utf-8")
        mutants = mutants_of(source)
        assert len({mutant.name for mutant in mutants}) == len(mutants), row.module
        for mutant in mutants[:: max(1, len(mutants) // 5)]:
            mutant.compiled(source, str(row.file))


def test_the_list_names_tests_that_exist_and_mutants_that_exist() -> None:
    for row in every_row():
        assert row.file.is_file(), row.module
        assert [test for test in row.tests if not (ROOT / test).is_file()] == [], row.module
        every = {mutant.name for mutant in row.mutants(None)}
        assert set(row.excused) - every == set(), row.module
        assert all(reason.strip() for reason in row.excused.values())


def test_survivors_must_be_listed_and_the_list_must_be_true() -> None:
    row = Row("m", (), {"f: a -> b": "the same", "f: c -> d": "the same", "gone": "the same"})
    verdicts = {"f: a -> b": "survived", "f: c -> d": "killed", "f: e -> g": "no test runs it"}
    found = found_in(row, verdicts, whole=True)
    assert found == Found("m", 1, 3, 1, {"f: e -> g": "no test runs it"}, ["f: c -> d", "gone"])
    assert found_in(row, verdicts, whole=False).stale == ["f: c -> d"], "a sample says nothing about the rest"
