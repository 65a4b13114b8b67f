"""Tests of bats are bash, but for what begins each: `@test "name" {`.

A test is full of helpers that nobody lists (`assert_output`, `load`), so that what is not known in it stays what it is:
code of the project. What a test certainly does counts as if it had been typed.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, lazy
from ..evaluate.state import Stop, silent
from ..evaluate.words import Arg
from ..places.paths import in_project

if TYPE_CHECKING:
    from ..evaluate.contents import texts_of_file
    from ..evaluate.state import Shell
else:
    texts_of_file = lazy(globals(), "..evaluate.contents", "texts_of_file")

__all__ = ["as_bash", "read_bats"]

# What begins a block that bats runs: a test by its name, a function that is marked as one, and what runs around them.
# The brace may stand on the next line, and the body on the same one.
_BEGINS = (
    r"^[ \t]*(?:@test[ \t]+(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\n]*?)[ \t]*\{"
    r"|(?:function[ \t]+)?(?:setup|teardown)(?:_file|_suite)?[ \t]*(?:\(\)\s*\{|\s\{)"
    r"|(?:function[ \t]+)?[^\s(){}]+[ \t]*(?:\(\)[ \t]*)?\{[ \t]+#[ \t]*@test[ \t]*$)"
)
_START = r"(^|[;&|{(]|\b(?:then|do|else|if|while)\b|!)([ \t]*)"  # where a command begins
_HELPED = _START + r"(?:bats_)?run(?:[ \t]+(?:-\d+|![ \t]|--[\w-]+))*[ \t]+"
_HELPERS = _START + r"(?:load|assert|refute|skip|bats_)\w*(?=[\s;&|)]|$)"


# Folders that bats makes for each run and removes again, and says to the tests.
_MADE = ("BATS_TEST_TMPDIR", "BATS_FILE_TMPDIR", "BATS_SUITE_TMPDIR", "BATS_RUN_TMPDIR")


def as_bash(text: str) -> str:
    """The same text for bash: each test is a group that is run, and `run CMD` is the command."""
    for words, instead in ((_BEGINS, "{\n"), (_HELPED, r"\1\2"), (_HELPERS, r"\1\2:")):
        text = re.sub(words, instead, text, flags=re.M)
    return text


def read_bats(span: tuple[int, int], shell: Shell) -> None:
    facts = shell.found.facts
    folder = next(iter(facts.temp), "/tmp/")  # noqa: S108 - where bats makes them
    for path in sorted({*shell.files, *facts.written}):
        if not path.endswith((".bats", ".bash")) or not in_project(facts.root, path):
            continue
        for text in texts_of_file(path, shell) or ():
            inner = silent(shell).child()
            inner.frozen_span = shell.span(span)
            inner.variables |= {name: [Arg(f"{folder}bats-run-made/{name}", span)] for name in _MADE}
            inner.variables["BATS_TEST_DIRNAME"] = [Arg(path.rpartition("/")[0], span)]
            try:
                inner.found.follow.run_code_here(Arg(as_bash(text), span), inner, span)
            except (Stop, RecursionError):
                why = f"`{path}`, which was written in this session, is too much to follow"
                shell.unclear(why, span, kind="written-here")
            for action in inner.found.actions:
                if "unknown" not in action.tags and "nowhere" not in action.tags:
                    shell.found.act(action)
            for fact in inner.found.missing:
                shell.found.want(fact)
