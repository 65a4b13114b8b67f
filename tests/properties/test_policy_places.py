"""The locator finds every key of a TOML text, where it stands."""

from __future__ import annotations

import tomllib
from typing import Any

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from interlock.policy.locate import locate, nearest

Path = tuple[str | int, ...]

_keys = st.sampled_from(["a", "b", "a.b", "a b", "", "é", '"', "'", "\\", "#", "]", "=", "1", "-", "\n", "\t", "\x7f"])
_scalars = st.sampled_from([True, 1, -1.5, "", "x", 'a"b', "a'b", "]", "}", "#", "a\nb", '"""', "'''", "\\", "=", ","])
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=10,
)
tables = st.dictionaries(_keys, _values, max_size=4)


def paths_of(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """Every key path of a document, with what stands there."""
    if isinstance(value, dict):
        inside = [((*path, key), item) for key, item in value.items()]
    elif isinstance(value, list):
        inside = [((*path, at), item) for at, item in enumerate(value)]
    else:
        return []
    return [pair for below, item in inside for pair in [(below, item), *paths_of(item, below)]]


def assert_all_found(text: str) -> None:
    places = locate(text)
    lines = text.split("\n")
    wanted = paths_of(tomllib.loads(text))
    assert places.keys() == {path for path, _ in wanted}
    for path, value in wanted:
        line, column = places[path]
        here = lines[line - 1][column - 1 :]
        assert nearest(places, path) == nearest(places, (*path, "nothing here")) == (line, column)
        if here.startswith("["):
            continue  # a header, or an array within an array
        if isinstance(path[-1], str):
            key = _key_at(here)
            assert key == path[-1], (path, here)
        elif isinstance(value, dict):
            assert here.startswith("{")
        elif isinstance(value, bool):
            assert here.startswith(str(value).lower())
        elif isinstance(value, str):
            assert here[0] in "\"'"
        else:
            assert here.startswith(str(value))


def _key_at(here: str) -> str:
    """The key that this text starts with, as the standard parser reads it."""
    if here[0] not in "\"'":
        end = next(at for at, char in enumerate(here) if char in " \t.=")
        return here[:end]
    end = 1
    while here[end] != here[0]:
        end += 2 if here[end] == "\\" and here[0] == '"' else 1
    return next(iter(tomllib.loads(here[: end + 1] + " = 1")))


@given(tables, st.booleans())
def test_every_key_path_is_found_where_it_stands(document: dict[str, Any], multiline: bool) -> None:
    assert_all_found(tomli_w.dumps(document, multiline_strings=multiline))
