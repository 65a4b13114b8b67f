"""The OpenAPI document and the service say the same: whatever is sent, no 5xx and no answer that is not described.

Schemathesis makes requests from the document, right ones and wrong ones, and holds the answers against it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.serve import openapi, parameters
from interlock.store.people.tokens import ROLES
from serving import Serving
from sizes import how_many

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""
EXAMPLES = how_many("INTERLOCK_SCHEMATHESIS", 15, quick=2)  # made up for each route and role
# `events` does not end, and is tested by hand. A call may be fine as JSON and still be denied with 403, or be wrong in
# a way that no schema tells, such as a session of another's.
LEFT_OUT = "positive_data_acceptance,negative_data_rejection"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    # Nobody answers here, so that a wait is only lost time.
    monkeypatch.setattr(parameters, "MAX_WAIT_SECONDS", 1)
    monkeypatch.setitem(openapi._QUERY, "wait", {"type": "integer", "minimum": 0, "maximum": 1})
    with Serving(tmp_path, policy=POLICY, settings={"rate": 100_000}) as found:
        for number in range(3):
            call = found.call("refund", {"amount": number}, session="seen")
            asked = found.agent.post("/v1/decisions", json=call)
            assert asked.status_code == 202
        yield found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_as_the_document_says(service: Serving, role: str, tmp_path: Path) -> None:
    token = service.tokens["robot"] if role == "agent" else service.token(f"fuzz-{role}", role)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/v1/openapi.json"),
        *("--url", service.url, "--header", f"Authorization: Bearer {token}"),
        *("--checks", "all", "--exclude-checks", LEFT_OUT, "--exclude-operation-id", "events"),
        *("--phases", "coverage,fuzzing", "--max-examples", str(EXAMPLES), "--request-timeout", "20"),
        *("--generation-database", "none", "--seed", "17", "--continue-on-failure", "--no-color"),
        *("--suppress-health-check", "all", "--warnings", "off"),
    ]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=EXAMPLES * 10 + 240, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    tried = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert tried is not None, done.stdout[-4000:]
    assert int(tried[1]) > 200


def test_the_document_names_every_route_and_its_schemas() -> None:
    from interlock.serve.routes import ROUTES

    document = openapi.document("http://127.0.0.1:8786")
    assert {(method.upper(), path) for path, ways in document["paths"].items() for method in ways} == {
        (route.method, route.path) for route in ROUTES
    }
    named = {schema for route in ROUTES for _, schema in route.answers} | {route.body for route in ROUTES if route.body}
    assert named - set(openapi.SCHEMAS) == {"Stream", "Text"}
