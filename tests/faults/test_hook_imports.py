"""What the hook imports, module by module: each one is paid for at every tool call (docs/adr/0002)."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hook_process import INTERLOCK, Machine, new_machine, pythons, words

# What `python -I -S` loads before the first line of ours.
START = words("""
    _abc _codecs _frozen_importlib_external _io _signal abc codecs encodings encodings.aliases encodings.utf_8 io
    marshal posix time zipimport
""")
# What we add to that. `os` brings the second row.
ADDED = words("""
    __future__ _json _sha2 _sqlite3 gc os
    _collections_abc _stat genericpath posixpath stat
""")
# On 3.11 the plain SHA-256 has another name; `_sha2` is tried first, and not found. 3.13 keeps the lines of `-c`.
OLDER = {"3.11": ["_sha256"], "3.13": ["linecache"]}

HEAVY = words("""
    re enum typing dataclasses json hashlib _hashlib collections functools types signal inspect tomllib ast pathlib
    subprocess threading socket logging datetime contextlib warnings importlib site click rich sqlite3 pwd ctypes
""")


@cache
def imported(version: str, tool: str) -> frozenset[str]:
    """Every module whose import is begun on a warm cache, as the interpreter itself reports it."""
    with TemporaryDirectory() as folder:
        machine = new_machine(Path(folder), python=pythons()[version])
        event = json.dumps(machine.event(tool)).encode()
        machine.run(event)  # compiles the policy
        words = machine.command()
        program, *arguments = words[words.index(machine.python) :]
        done = subprocess.run(
            [program, "-X", "importtime", *arguments],
            input=event,
            capture_output=True,
            cwd=machine.project,
            env=machine.environment(),
            check=True,
        )
    assert b'"permissionDecision":' in done.stdout
    lines = done.stderr.decode().splitlines()
    return frozenset(line.rpartition("|")[2].strip() for line in lines if "imported package" not in line)


@pytest.mark.parametrize("version", pythons())
def test_the_hook_imports_these_modules_and_no_others(version: str) -> None:
    expected = sorted([*START, *ADDED, *OLDER.get(version, []), *words(INTERLOCK)])
    assert sorted(imported(version, "Write")) == expected


@pytest.mark.parametrize("version", pythons())
def test_reading_a_command_imports_nothing_but_the_reading(version: str) -> None:
    more = imported(version, "Bash") - imported(version, "Write")
    assert more
    asks = words("interlock.words.acts interlock.words.marks interlock.words.told interlock.words.yes")
    assert [module for module in sorted(more) if not module.startswith("interlock.reading.")] == asks


@pytest.mark.parametrize("version", pythons())
def test_tables_of_tool_servers_are_loaded_for_their_tools_alone(version: str) -> None:
    def of_servers(tool: str) -> set[str]:
        return {module for module in imported(version, tool) if ".servers" in module or "known_servers" in module}

    assert of_servers("Write") == of_servers("Bash") == set()
    assert of_servers("mcp__web__look") != set()
    assert imported(version, "mcp__web__look").isdisjoint(HEAVY)


@pytest.mark.parametrize("version", pythons())
def test_nothing_heavy_is_imported(version: str) -> None:
    assert imported(version, "Write").isdisjoint(HEAVY)


def test_an_old_interpreter_is_a_deny(machine: Machine) -> None:
    """Below 3.11 something of ours will not work; whatever that is, the host is told to block."""
    old = sorted(Path.home().glob(".pyenv/versions/3.[789]*/bin/python3.[789]"))
    old += sorted(Path.home().glob(".pyenv/versions/3.10*/bin/python3.10"))
    if not old:
        pytest.skip("no older Python here")
    for python in old:
        older = Machine(home=machine.home, project=machine.project, python=str(python))
        assert older.call("Bash").taken in ("ask", "deny")
