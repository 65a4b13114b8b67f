"""Which options of podman take a value: the table against what the program itself says.

An option that the table takes for a switch would leave its value standing where the image is looked for.
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from interlock.reading.machine.index import find_program
from interlock.reading.machine.options import compiled

PODMAN = shutil.which("podman")
pytestmark = pytest.mark.skipif(PODMAN is None, reason="podman is not installed")

_LINE = re.compile(r"^ +(?:(-\w), )?(--[\w-]+)(?: ([^\s\[]+))?(\[=\S+)?  ", re.MULTILINE)


def told(command: tuple[str, ...]) -> dict[str, bool]:
    """Option -> whether podman says that it takes a value."""
    done = subprocess.run([str(PODMAN), *command, "--help"], capture_output=True, text=True, check=True)
    found: dict[str, bool] = {}
    for short, long, value, attached in _LINE.findall(done.stdout.partition("Options:")[2]):
        found |= {name: bool(value) and not attached for name in (short, long) if name}
    assert found
    return found


@pytest.mark.parametrize(
    "command",
    [("run",), ("create",), ("exec",), ("build",), ("pull",), ("push",), ("rm",), ("volume", "create")],
    ids=" ".join,
)
def test_the_table_and_podman_agree_on_what_takes_a_value(command: tuple[str, ...]) -> None:
    row = find_program("podman")
    assert row is not None
    for word in command:
        row = row.subs[word]
    table = compiled(row).by_name
    known = {name: table[name].role is not None and not table[name].attached for name in told(command) if name in table}
    assert known == {name: takes for name, takes in told(command).items() if name in table}


@pytest.mark.parametrize("command", [("run",), ("create",)], ids=" ".join)
def test_the_table_has_every_option_that_takes_a_value(command: tuple[str, ...]) -> None:
    row = find_program("podman")
    assert row is not None
    table = compiled(row.subs[command[0]]).by_name
    assert [name for name, takes in told(command).items() if takes and name not in table] == []
