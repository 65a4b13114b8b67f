"""`find` and `fd` hand on what their tests let through: a set of names, and not the whole project."""

from __future__ import annotations

import pytest

from interlock.reading.core.find_tests import IMPLIED, parse_expression
from interlock.testing import decide_call

VALUES = frozenset(("-name", "-path", "-type"))


@pytest.mark.parametrize(
    "command",
    [
        "find . -path ./.venv -prune -o -name '__pycache__' -type d -print | xargs rm -rf",
        "find . -path ./.venv -prune -o -name '__pycache__' -type d -print0 | xargs -0 rm -rf",
        "find . -path ./.venv -prune -o -type d -name '__pycache__' -exec rm -rf {} +",
        r"find . \( -name '*.pyc' -o -name '*.pyo' \) -delete",
        r"find . -type d \( -name __pycache__ -o -name .pytest_cache \) -prune -exec rm -rf {} +",
        "find . -not -path './.git/*' -name '__pycache__' | xargs rm -rf",
        "find . -name '*.pyc' ! -path './.venv/*' -delete",
        "find . -name '*.pyc' -print -o -name '*.pyo' -print | while read -r f; do rm \"$f\"; done",
        "fd -H '^__pycache__$' -t d -x rm -rf",
    ],
)
def test_what_is_made_again_is_removed_without_a_question(command: str) -> None:
    assert decide_call(command).verdict.name == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "find . -path ./.venv -prune -o -print | xargs rm -rf",
        "find . -name __pycache__ -o -print | xargs rm -rf",
        "find . -path ./.venv -o -name __pycache__ | xargs rm -rf",
        "find . -not -name __pycache__ | xargs rm -rf",
        "find . ! ! -name __pycache__ -delete",
        "find . -name __pycache__ -prune -o -name '*.py' -print | xargs rm",
        "find . -name '*.py' -print -o -name '__pycache__' -print | xargs rm -rf",
        r"find . \( -name '*.pyc' -o -name '*' \) -delete",
        r"find . \( -name '*.pyc' -o -type f \) -delete",
        "find . -name '*.pyc' , -delete",
        "find . -name '*.pyc' -o -delete",
        "find . -name '*.pyc' -delete -o -name '*.py' -delete",
        "find . -delete -name '*.pyc'",
        "find . -print -name '*.pyc' | xargs rm",
        "find .. -name __pycache__ | xargs rm -rf",
        "find . -path ./.venv -prune -o -name '.env' -print | xargs rm",
        "fd -H 'cache' -t d -x rm -rf",
        "fd '^notes$' -x rm -rf",
    ],
)
def test_anything_else_is_asked_about(command: str) -> None:
    assert decide_call(command).verdict.name != "allow"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("-name a", ("a",)),
        ("-name a -o -name b", ("a", "b")),
        ("-name a -o -type f", None),
        ("! -name a", None),
        ("-type f -name a -name b", ("a",)),
        ("-name a , -name b", ("b",)),
        ("-false", ()),
        ("( -name a )", ("a",)),
        ("-name", None),
    ],
)
def test_the_names_that_an_expression_lets_through(words: str, names: tuple[str, ...] | None) -> None:
    assert parse_expression(words.split(), VALUES).names(IMPLIED) == names


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("-name a -print", ("a",)),
        ("-print -name a", None),
        ("-path p -prune -o -name a -print", ("a",)),
        ("-name a -o -print", None),
        ("( -name a -o -name b ) -print", ("a", "b")),
        ("-name a ( -type f -o -print )", ("a",)),
        ("! ( -name a -print )", ("a",)),
    ],
)
def test_the_names_that_get_to_an_action(words: str, names: tuple[str, ...] | None) -> None:
    at = words.split().index("-print")
    assert parse_expression(words.split(), VALUES).names(at) == names
