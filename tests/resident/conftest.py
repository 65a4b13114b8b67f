from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hook_process import Machine, new_machine
from residing import Residence


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path)


@pytest.fixture
def residence(machine: Machine) -> Iterator[Residence]:
    """A machine whose resident service is not on yet."""
    with Residence(machine) as found:
        yield found


@pytest.fixture
def resident(residence: Residence) -> Residence:
    """The same, with a service that runs."""
    return residence.on()
