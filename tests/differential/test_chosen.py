"""Which workspace and which profile we say that a command goes by, held against terraform and aws themselves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chosen import PROFILES, WORKSPACES, by_aws, by_terraform, by_us, laid
from interlock.reading.resolve.value import AllOf, Unknown, may_be, read

_PARTS = 6
_FIELDS = {"terraform": ("workspace", WORKSPACES, by_terraform), "aws": ("profile", PROFILES, by_aws)}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("program", _FIELDS)
def test_a_command_goes_by_what_its_program_says(program: str, part: int, tmp_path: Path) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not there")
    field, spellings, asked = _FIELDS[program]
    found = []
    for at, (command, meant) in enumerate(list(spellings.items())[part::_PARTS]):
        project = laid(tmp_path / str(at))
        ours = read(by_us(project, command).target.get(field))
        real = asked(project, command)
        if real != meant:
            found.append(f"{command}: {program} goes by {real or 'none'}, the table says {meant or 'none'}")
        if real and type(ours) is not Unknown and (type(ours) is AllOf or real not in may_be(ours)):
            found.append(f"{command}: {program} goes by {real}, we say {ours}")
    assert not found, "\n".join(found)
