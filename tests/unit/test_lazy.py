"""`lazy`: a function is imported when it is first called, and whoever follows imports sees it all the same."""

from __future__ import annotations

import ast
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import interlock
from interlock.value import lazy, preload
from lazies import FORM, absolute, late_imports, wrong_rows

MOST_LATE = 2.0  # imports inside functions, for every 1,000 lines

OF_THE_OTHER = """
calls = []
def double(number, *, more=0):
    calls.append(number)
    return 2 * number + more
"""
OF_THE_HOLDER = """
from interlock.value import lazy
double = lazy(globals(), ".other", "double")
TABLE = {"double": double}
def four():
    return double(2)
"""


@pytest.fixture
def holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module with a row for a function of the module beside it."""
    folder = tmp_path / "lazy_sample"
    folder.mkdir()
    for name, text in (("__init__", ""), ("other", OF_THE_OTHER), ("holder", OF_THE_HOLDER)):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__("lazy_sample.holder", fromlist=["holder"])
    for name in [name for name in sys.modules if name.startswith("lazy_sample")]:
        del sys.modules[name]


def other() -> ModuleType:
    return sys.modules["lazy_sample.other"]


def test_the_first_call_imports_and_puts_the_function_in_its_place(holder: ModuleType) -> None:
    assert "lazy_sample.other" not in sys.modules
    assert holder.four() == 4
    assert holder.double is other().double
    assert holder.double(3, more=1) == 7
    assert other().calls == [2, 3]


def test_what_is_preloaded_is_there_and_nothing_else_changes(holder: ModuleType) -> None:
    kept = holder.double
    preload(holder.__dict__, ".other")
    assert "lazy_sample.other" in sys.modules
    assert holder.double is kept
    assert holder.four() == 4


def test_what_a_table_kept_before_reaches_the_function(holder: ModuleType) -> None:
    kept = holder.TABLE["double"]
    assert (kept(1), kept(2, more=3)) == (2, 7)
    assert holder.double is other().double
    assert kept.__name__ == "double"


def test_many_threads_may_be_the_first(holder: ModuleType) -> None:
    kept = holder.TABLE["double"]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(kept, range(200))) == [2 * number for number in range(200)]
    assert len(other().calls) == 200


def test_what_a_test_puts_there_is_not_kept(holder: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(holder, "double", lambda _number: "here")
        assert holder.four() == "here"
        assert holder.TABLE["double"](1) == 2
        assert holder.four() == "here"
    assert holder.four() == 4
    with monkeypatch.context() as patched:
        fresh = lazy(holder.__dict__, ".other", "double")
        patched.setattr(other(), "double", lambda _number: "there")
        assert fresh(2) == "there"
    assert fresh(2) == 4


def test_a_pickle_names_it_as_the_module_that_holds_it(holder: ModuleType) -> None:
    kept = pickle.dumps(holder.double)
    assert b"lazy_sample.holder" in kept
    assert pickle.loads(kept) is holder.double
    holder.four()
    assert pickle.loads(kept) is other().double


def test_what_is_not_there_is_said_when_it_is_called(holder: ModuleType) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'treble'"):
        lazy(holder.__dict__, ".other", "treble")(1)
    with pytest.raises(ModuleNotFoundError, match=r"lazy_sample\.nowhere"):
        lazy(holder.__dict__, ".nowhere", "double")(1)


def test_a_function_of_the_standard_library_may_be_lazy_too() -> None:
    here: dict[str, Any] = {"__name__": "here"}
    here["fill"] = lazy(here, "textwrap", "fill")
    assert here["fill"]("a b", 1) == "a\nb"
    assert here["fill"].__module__ == "textwrap"


TEXTS = {"interlock.a.made": "def f(): ...\nclass C: ...\nX = 1\n@command\ndef g(): ..."}
SEEN = "if TYPE_CHECKING:\n    from .made import C, X, f\nelse:\n"
STRANGE = f"is not of the form {FORM}, after the import for `TYPE_CHECKING`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SEEN + '    f = lazy(globals(), ".made", "f")\ng = {1: f}', []),
        (SEEN + '    C = lazy(globals(), ".made", "C")\ndef g(c: C) -> C:\n    return C(c)', []),
        ('f = lazy(globals(), ".made", "f")', [f":1 {STRANGE}"]),
        (SEEN + '    f = lazy(globals(), f".{made}", "f")', [f":4 {STRANGE}"]),
        (SEEN + '    f = lazy(globals(), ".made", NAME)', [f":4 {STRANGE}"]),
        (SEEN + '    g = lazy(globals(), ".made", "f")', [f":4 {STRANGE}"]),
        (SEEN + '    for n in NAMES:\n        f = lazy(globals(), ".made", "f")', [f":5 {STRANGE}"]),
        (SEEN + '    f = lazy(globals(), ".other", "f")', [":4 `f` is not what is imported for `TYPE_CHECKING`"]),
        (
            SEEN.replace("X", "g") + '    g = lazy(globals(), ".made", "g")',
            [":4 `g` is no function that .made defines"],
        ),
        (SEEN + '    X = lazy(globals(), ".made", "X")', [":4 `X` is no function that .made defines"]),
        (
            SEEN + '    f = lazy(globals(), ".made", "f")\nf.cache_clear()',
            [":5 uses `f`, which is lazy, for more than a call"],
        ),
        ('preload(globals(), ".made", ".other", NAME)', [":1 preloads what is no module of ours"] * 2),
        (
            SEEN + '    C = lazy(globals(), ".made", "C")\nisinstance(1, C)',
            [":5 uses `C`, which is lazy, for more than a call"],
        ),
    ],
)
def test_a_row_that_could_not_be_followed_is_found(text: str, expected: list[str]) -> None:
    found = wrong_rows("interlock.a.here", ast.parse(text), "interlock.a", TEXTS)
    assert found == [f"interlock.a.here{wrong}" for wrong in expected]


@pytest.mark.parametrize(
    ("module", "expected"),
    [(".made", "interlock.a.made"), ("..b.made", "interlock.b.made"), ("..", "interlock"), ("json", "json")],
)
def test_a_module_is_named_as_imports_name_it(module: str, expected: str) -> None:
    assert absolute("interlock.a", module) == expected


def test_few_imports_stand_inside_functions() -> None:
    texts = [path.read_text() for path in Path(interlock.__file__).parent.rglob("*.py")]
    late = sum(len(list(late_imports(ast.parse(text)))) for text in texts)
    assert late * 1000 / sum(text.count("\n") for text in texts) <= MOST_LATE


def test_a_late_import_is_counted() -> None:
    text = "import a\ndef f():\n    if b:\n        import c\n    def g():\n        from d import e\n"
    assert list(late_imports(ast.parse(text))) == [4, 6]
