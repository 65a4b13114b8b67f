"""A package that another registry is asked for is seen in every way to say so, and the usual one is not asked about.

The tables are held against npm and pip themselves in tests/differential.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from indexes import NPM, PIP, is_elsewhere, laid


@pytest.mark.parametrize("table", [NPM, PIP], ids=["npm", "pip"])
def test_another_registry_is_seen_in_every_spelling(table: dict[str, str], tmp_path: Path) -> None:
    project = laid(tmp_path)
    said = {command: "other" if is_elsewhere(project, command) else "usual" for command in table}
    assert said == table
