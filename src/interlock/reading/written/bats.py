"""Tests of bats are bash, but for the line that begins each: `@test "name" {`.

A test is full of helpers that nobody lists (`assert_output`, `load`), so that what is not known in it stays what it is:
code of the project. What a test certainly does counts as if it had been typed.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..evaluate.state import Stop
from ..evaluate.words import Arg
from ..paths import in_project

if TYPE_CHECKING:
    from ..evaluate.state import Shell

__all__ = ["as_bash", "read_bats"]

_BEGINS = r"^[ \t]*(?:@test\b[^\n]*|(?:function[ \t]+)?(?:setup|teardown)(?:_file|_suite)?[ \t]*\(\)[ \t]*)\{[ \t]*$"
_HELPED = r"^([ \t]*)(?:run(?:[ \t]+(?:-\d+|![ \t]|--[\w-]+))*[ \t]+)"
_HELPERS = r"^[ \t]*(?:load|assert|refute|skip|bats_)\w*\b[^\n]*$"


def as_bash(text: str) -> str:
    """The same text for bash: each test is a group that is run, and `run CMD` is the command."""
    return re.sub(_HELPERS, ":", re.sub(_HELPED, r"\1", re.sub(_BEGINS, "{", text, flags=re.M), flags=re.M), flags=re.M)


def read_bats(span: tuple[int, int], shell: Shell) -> None:
    from ..wrappers import run_code_here, silent
    from .run import texts_of_file

    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        if not path.endswith((".bats", ".bash")) or not in_project(facts.root, path):
            continue
        for text in texts_of_file(path, shell) or ():
            inner = silent(shell).child()
            inner.frozen_span = shell.span(span)
            try:
                run_code_here(Arg(as_bash(text), span), inner, span)
            except (Stop, RecursionError):
                why = f"`{path}`, which was written in this session, is too much to follow"
                shell.unclear(why, span, kind="written-here")
            for action in inner.found.actions:
                if "unknown" not in action.tags and "nowhere" not in action.tags:
                    shell.found.act(action)
            for fact in inner.found.missing:
                shell.found.want(fact)
