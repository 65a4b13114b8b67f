"""YAML in its plain form, against a parser of all of YAML: what is read is what that reads, and the rest is not read."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml

from interlock.reading.written.plain_yaml import plain_yaml

READ = [
    "a: b\n",
    "a:\n  b: c\n  d:\n    - e\n    - f: g\n      h: i\n",
    "a:\n- b\n- c: d\n  e: f\nh: i\n",
    "a: [b, 'c', \"d\"] # e\nf: {}\n",
    "a: |\n  b\n\n   c # d\n  e: f\ng: |-\n  h\n",
    "# a\n\na: 'b # c'\nd: e#f # g\n",
    "---\na: b\n",
    "- a\n- b: c\n-\n  d: e\n",
    "on:\n  push:\n    branches: [main]\n  pull_request:\n",
    "a: http://b/c:d\n",
]
NOT_READ = [
    "a: &x b\nc: *x\n",
    "<<: a\n",
    "a: !!str b\n",
    "a: b\n  c\n",
    "a: >\n  b\n",
    "a: |2\n   b\n",
    "a: {b: c}\n",
    'a: "b\\n"\n',
    "a: 'b\n  c'\n",
    "a: b\na: c\n",
    "a:\tb\n",
    "a: [b,\n  c]\n",
    "? a\n: b\n",
    "a: b\n---\nc: d\n",
    "a: b\n c: d\n",
    "- a\nb: c\n",
    "a: b\u2028c: d\n",
    "a: b\rc: d\n",
    "%YAML 1.2\n---\na: b\n",
    "- - a\n",
]


def known(text: str) -> Any:
    return plainly(yaml.load(text, yaml.BaseLoader))  # noqa: S506 - it makes nothing but texts, lists and maps


def plainly(value: Any) -> Any:
    """A block ends in one line break here, whatever its sign says: no command differs by it."""
    if isinstance(value, dict):
        return {key: plainly(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plainly(inner) for inner in value]
    return value.rstrip("\n")


@pytest.mark.parametrize("text", READ)
def test_the_plain_form_is_read_as_others_read_it(text: str) -> None:
    assert plainly(plain_yaml(text)) == known(text)


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_not_plain_is_not_read(text: str) -> None:
    assert plain_yaml(text) is None


PIECES = [
    "a: ",
    "b:",
    "- ",
    "c",
    "|",
    "  ",
    "    ",
    "\n",
    "\n",
    "\n",
    "# d",
    " #e",
    "[f, g]",
    "'h'",
    '"i"',
    "j: k",
    ":",
    "&l ",
    "{}",
]


def test_no_text_is_read_as_something_else() -> None:
    chance = random.Random(7)
    read = 0
    for _ in range(20_000):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 14)))
        found = plain_yaml(text)
        if found is None or found == "":
            continue
        try:
            other = known(text)
        except yaml.YAMLError:
            continue  # nobody runs it
        read += 1
        assert plainly(found) == other, text
    assert read > 500
