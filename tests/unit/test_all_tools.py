"""Tool managers: `--all` names Interlock as well, a folder is installed under the name that its manifest gives it, and
what they take away lies outside the project."""

from __future__ import annotations

import pytest

from interlock.testing import assert_allows, assert_asks, assert_denies
from task_files import read_in_project, reasons

EVERY_TOOL_GOES = [
    "pipx uninstall-all",
    "pipx reset",
    "python3 -m pipx uninstall-all",
    "/usr/bin/pipx uninstall-all",
    "uv tool uninstall --all",
    "uv -q tool uninstall --all",
    "uvx pipx uninstall-all",
    "uv python uninstall --all",
]
EVERY_TOOL_CHANGES = [
    "pipx reinstall-all",
    "pipx reinstall-all --python python3.13",
    "python3 -m pipx reinstall-all",
    "pipx upgrade-all",
    "pipx upgrade-all --skip x",
    "pipx upgrade-shared",
    "uv tool upgrade --all",
]
TAKEN_FROM_A_PERSON = [
    "pipx uninstall black",
    "/usr/local/bin/pipx uninstall black",
    "uv -q tool uninstall ruff",
    "uv --directory x tool uninstall ruff",
    "uv python uninstall 3.11",
    "gem uninstall -aIx",
    "gem uninstall --all",
    "rustup toolchain uninstall stable",
    "rustup toolchain remove nightly",
    "rustup component remove clippy",
    "nvm uninstall 18",
    "fnm uninstall 18",
    "asdf uninstall nodejs 18",
    "mise uninstall --all",
    "mise uninstall node@18",
    "rbenv uninstall 3.2",
    "sdk uninstall java 17",
    "opam remove dune",
    "opam switch remove 4.14",
    "luarocks remove busted",
    "dotnet tool uninstall -g dotnet-ef",
    "deno uninstall -g serve",
    "bun remove -g serve",
    "pnpm env remove --global 18",
    "poetry self remove poetry-plugin-export",
    "pip uninstall -y --break-system-packages requests",
]
OF_THE_PROJECT = [
    "npm uninstall left-pad",
    "pip uninstall -y requests",
    "uv remove requests",
    "cargo remove serde",
    "bundle remove rake",
    "dotnet tool uninstall dotnet-ef",
    "deno uninstall serve",
    "bun remove zod",
    "poetry remove httpx",
    "uv tool list",
    "uv python list",
    "pipx list",
    "pipx uninstall --help",
    "rustup toolchain list",
    "opam switch list",
    "opam switch show",
    "mise list",
    "nvm use 18",
    "pipx install .",
    "uv tool install .",
]
NAMED = '[project]\nname = "{}"\nversion = "1"\n'


@pytest.mark.parametrize("command", EVERY_TOOL_GOES)
def test_all_tools_are_the_guard_too(command: str) -> None:
    assert_denies(command)


@pytest.mark.parametrize("command", EVERY_TOOL_CHANGES + TAKEN_FROM_A_PERSON)
def test_what_belongs_to_no_project_is_asked_about(command: str) -> None:
    assert_asks(command)


@pytest.mark.parametrize("command", OF_THE_PROJECT)
def test_what_belongs_to_the_project_is_free(command: str) -> None:
    assert_allows(command)


def _marks(command: str, text: str, *, file: str = "pkg/pyproject.toml", written: bool = False) -> tuple[bool, bool]:
    """Whether the guard is touched, and whether somebody is asked because of who wrote the manifest."""
    path = f"/repo/{file}"
    found = read_in_project(command, {path: text}, written=(path,) if written else ())
    return any("guard" in action.tags for action in found.actions), any(path in reason for reason in reasons(found))


@pytest.mark.parametrize(
    "command",
    [
        "pipx install --force ./pkg",
        "pipx install --force --editable ./pkg",
        "pipx install ./pkg[extra]",
        "/usr/bin/pipx install ./pkg/",
        "cd pkg && pipx install .",
        "uv tool install --force ./pkg",
        "uv tool install /repo/pkg",
        "pip install --user ./pkg",
    ],
)
def test_a_folder_is_the_tool_that_its_manifest_names(command: str) -> None:
    assert _marks(command, NAMED.format("interlock")) == (True, False)
    assert _marks(command, NAMED.format("Inter.Lock")) == (False, False)
    assert _marks(command, '[tool.poetry]\nname = "interlock"\n')[0]
    assert _marks(command, NAMED.format("mine")) == (False, False)
    assert _marks(command, NAMED.format("mine"), written=True)[1]
    assert _marks(command, "name = [", written=False)[1]


def test_a_manifest_that_is_a_program_is_asked_about_where_this_session_wrote_it() -> None:
    text = "from setuptools import setup\nsetup(name='interlock')\n"
    assert _marks("pipx install ./pkg", text, file="pkg/setup.py", written=True)[1]
    assert not _marks("pipx install ./pkg", text, file="pkg/setup.py")[1]


def test_an_archive_is_the_tool_that_it_is_called_after() -> None:
    assert _marks("pipx install --force dist/interlock-9.9-py3-none-any.whl", "")[0]
    assert not _marks("pipx install --force dist/mine-9.9-py3-none-any.whl", "")[0]
