"""The hook's modules in one file: used while it is of these sources, made anew where it is not, and never needed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, Machine, copy_of_the_package, heed_permissions, made, new_machine

LOADED = """
import sys
sys.path.append({site!r})
import interlock
from interlock.hook.bundle import install
bundle = install({site!r} + "/interlock")
import interlock.hook.run
decide = sys.modules["interlock.decide"]
assert decide.__file__ == {site!r} + "/interlock/decide.py"
print(type(decide.__loader__).__name__)
"""


@pytest.fixture
def copied(tmp_path: Path) -> Machine:
    machine = new_machine(tmp_path, guard=copy_of_the_package(made(tmp_path / "site")))
    for bundle in bundles(machine):
        bundle.unlink()
    return machine


def package(machine: Machine) -> Path:
    return machine.guard.parents[1]


def bundles(machine: Machine) -> list[Path]:
    return sorted((package(machine) / "__pycache__").glob("hook.*"))


def loader_of_decide(machine: Machine) -> str:
    code = LOADED.format(site=str(package(machine).parent))
    done = subprocess.run([machine.python, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_first_call_makes_it_and_the_next_one_uses_it(copied: Machine) -> None:
    assert loader_of_decide(copied) == "SourceFileLoader"
    assert copied.call("Write").taken == ALLOW
    (bundle,) = bundles(copied)
    assert loader_of_decide(copied) == "Bundle"
    assert copied.call("Write").taken == ALLOW
    kept = bundle.read_bytes()
    assert copied.call("Write").taken == ALLOW
    assert bundle.read_bytes() == kept  # nothing new was imported


def test_it_grows_with_what_other_calls_import(copied: Machine) -> None:
    copied.call("Write")
    (bundle,) = bundles(copied)
    small = bundle.stat().st_size
    copied.call("Bash")
    assert bundle.stat().st_size > small
    assert [copied.call("Write").taken, copied.call("Bash").taken] == [ALLOW, "ask"]


def test_a_source_that_was_changed_counts_as_it_is_now(copied: Machine) -> None:
    copied.call("Write")
    decide = package(copied) / "decide.py"
    decide.write_text("raise ValueError\n")
    assert copied.call("Write").taken == DENY


def test_a_source_that_is_gone_is_not_replaced_by_what_was_kept(copied: Machine) -> None:
    copied.call("Write")
    (package(copied) / "decide.py").unlink()
    assert copied.call("Write").taken == DENY


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: b"",
    "of another form": lambda raw: b"interlock bundle 0\n" + raw[19:],
    "of another Python": lambda raw: raw[:19] + b"\0\0\0\0" + raw[23:],
    "cut short": lambda raw: raw[: len(raw) // 2],
    "an index beyond its end": lambda raw: raw[:23] + b"\xff" * 8 + raw[31:],
    "an index that is none": lambda raw: raw[:31] + b"N" + raw[32:],
    "longer than it says": lambda raw: raw + b"x",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_damaged_is_not_used_and_is_made_anew(damage: str, copied: Machine) -> None:
    copied.call("Write")
    (bundle,) = bundles(copied)
    bundle.write_bytes(DAMAGES[damage](bundle.read_bytes()))
    assert copied.call("Write").taken == ALLOW
    assert loader_of_decide(copied) == "Bundle"


@pytest.mark.slow
def test_where_it_cannot_be_kept_the_hook_answers_without_it(copied: Machine) -> None:
    kept = package(copied) / "__pycache__"
    kept.chmod(0o555)
    try:
        assert copied.run(copied.event("Write"), before=heed_permissions).taken == ALLOW
    finally:
        kept.chmod(0o755)
    assert bundles(copied) == []
