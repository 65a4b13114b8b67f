"""Hooks in a settings file as text: put in beside anything, and taken out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from interlock.install.fragment import ours_in, put_in, taken_out
from interlock.model.errors import InputError

OURS = {"type": "command", "command": "/bin/python", "args": ["/x/interlock/hook/guard.py", "host"]}
FRAGMENT = {
    "hooksConfig": {"enabled": True},
    "hooks": {"Before": [{"matcher": "*", "hooks": [OURS]}], "After": [{"hooks": [OURS]}]},
}
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False, allow_infinity=False) | some.text(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
GROUPS = some.lists(
    some.fixed_dictionaries({"hooks": some.lists(some.just({"type": "command", "command": "lint"}), min_size=1)}),
    min_size=1,
    max_size=2,
)
HOOKS = some.dictionaries(some.sampled_from(["Before", "After", "Stop"]), GROUPS, min_size=1)
SETTINGS = some.builds(
    lambda rest, hooks: {**rest, **({} if hooks is None else {"hooks": hooks})},
    some.dictionaries(some.text(max_size=8).filter(lambda key: not key.startswith("hooks")), VALUES, max_size=5),
    some.none() | HOOKS,
)
STYLES: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": 4, "ensure_ascii": False},
    {"indent": "\t"},
    {},
    {"separators": (",", ":")},
]


@given(SETTINGS, some.sampled_from(STYLES), some.sampled_from(["", "\n", " \n\n"]))
def test_what_was_put_in_is_taken_out_and_the_rest_never_moves(
    settings: dict[str, Any], style: dict[str, Any], end: str
) -> None:
    text = json.dumps(settings, **style) + end
    then, switches = put_in(text, FRAGMENT)
    assert switches == ((("hooksConfig", "enabled"), ()),)
    found = json.loads(then)
    assert ours_in(found) == ours_in(FRAGMENT)
    assert {key: found[key] for key in settings if key != "hooks"} == {
        key: settings[key] for key in settings if key != "hooks"
    }
    assert then.endswith(end)
    back = json.loads(taken_out(then, switches))
    assert back == settings
    assert list(back) == list(settings)


def test_a_switch_that_was_off_is_off_again() -> None:
    text = '{"hooksConfig": {"enabled": false, "x": 1}}'
    then, switches = put_in(text, FRAGMENT)
    assert switches == ((("hooksConfig", "enabled"), (False,)),)
    assert taken_out(then, switches) == text


@pytest.mark.parametrize("text", ["[]", "null", '{"a" 1}', '{"a": 1} x', '{"a": NaN}', "{'a': 1}", '\ufeff{"a": 1}'])
def test_what_is_not_one_plain_object_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        put_in(text, FRAGMENT)
