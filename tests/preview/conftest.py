from __future__ import annotations

from collections.abc import Iterator

import pytest

from previewing import USERS, Project, projects


@pytest.fixture(params=USERS)
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    yield from projects(request.param)
