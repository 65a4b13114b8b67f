"""Which registry we say that npm and pip ask, held against the hosts that they ask for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexes import NPM, PIP, Proxy, asked, laid

# Each takes about a second, so a fifth of them is tried, others in each table.
_TRIED = {"npm": list(NPM.items())[2::5], "pip": list(PIP.items())[1::5]}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("program", _TRIED)
def test_a_package_is_asked_for_where_the_table_says(program: str, part: int, tmp_path: Path) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is not there")
    proxy = Proxy()
    wrong = []
    for at, (command, meant) in enumerate(_TRIED[program][part::2]):
        real = asked(laid(tmp_path / str(at)), command, proxy)
        if real != meant:
            wrong.append(f"{command}: {program} asks the {real} registry, the table says {meant}")
    proxy.shutdown()
    proxy.server_close()
    assert not wrong, "\n".join(wrong)
