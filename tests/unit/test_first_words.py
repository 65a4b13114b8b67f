"""A first word that says what is done is no path, and what stands behind it is what it says."""

from __future__ import annotations

import pytest

from interlock.testing import assert_allows, assert_asks
from task_files import deleted, read_in_project

ASK = [
    "sphinx-build -M clean docs /home/dev/Documents",
    "sphinx-build -M clean docs src",
    'sphinx-build -M "$(cat kind)" docs src',
    "sphinx-build -M html docs /home/dev/Documents",
    "python3 -m sphinx -M clean docs /home/dev/Documents",
    "python3 -m sphinx -M html docs /home/dev/Documents",
    "mdbook build docs -d /home/dev/x",
    "mdbook clean -d src",
    "jekyll clean --destination src",
    "hexo deploy",
    "hugo deploy",
    "llvm-profdata merge -o /home/dev/x a.profraw",
]
FREE = [
    "sphinx-build -M clean docs docs/_build",
    "sphinx-build -M html docs docs/_build",
    "sphinx-build -M html docs build -W -n",
    "sphinx-build -b html docs docs/_build",
    "python3 -m sphinx -M html docs docs/_build",
    "phpstan analyse src",
    "phpstan analyze -c phpstan.neon src tests",
    "php-cs-fixer fix src",
    "rector process src --dry-run",
    "psalm src",
    "mdbook build docs",
    "mdbook clean docs",
    "mdbook test",
    "hugo",
    "hugo server -D",
    "hugo new posts/x.md",
    "jekyll build",
    "jekyll clean",
    "hexo generate",
    "vitepress build docs",
    "wasmtime run app.wasm",
    "llvm-profdata merge -o x.profdata a.profraw",
    "llvm-cov report ./a.out --instr-profile x.profdata",
]


@pytest.mark.parametrize("command", ASK)
def test_what_stands_behind_a_first_word_is_what_it_says(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize("command", FREE)
def test_everyday_uses_are_free(command: str) -> None:
    assert_allows(command)


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("phpstan analyse src", {"/repo/src"}),
        ("php-cs-fixer fix src tests", {"/repo/src", "/repo/tests"}),
        ("psalm src", {"/repo/src"}),
        ("mdbook build docs", {"/repo/docs"}),
        ("llvm-cov report a.out", {"/repo/a.out"}),
        ("wasmtime run app.wasm", {"/repo/app.wasm"}),
        ("sphinx-build -M html docs out", {"/repo/docs", "/repo/out"}),
    ],
)
def test_a_first_word_is_no_path(command: str, paths: set[str]) -> None:
    assert {
        action.target["path"] for action in read_in_project(command, {}).actions if "path" in action.target
    } == paths


def test_clean_deletes_what_a_build_wrote() -> None:
    assert deleted(read_in_project("sphinx-build -M clean docs out", {})) == ["/repo/out"]
    assert deleted(read_in_project("sphinx-build -M html docs out", {})) == []


def test_a_program_behind_a_first_word_is_run() -> None:
    written = ("/repo/app.wasm",)
    assert read_in_project("wasmtime run app.wasm", {}, written=written).opaque
    assert not read_in_project("wasmtime run app.wasm", {}).opaque
