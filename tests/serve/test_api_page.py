"""docs/api.md: it is what the document says, and its examples do what it says of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.client import Client
from serving import Serving

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/api.md"
POLICY = 'version = 1\nprofile = "serve"\n[tools.refund]\neffects = ["network"]\nrisk = "high"\nirreversible = true\n'


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY) as found:
        for name, role in (("agent", "agent"), ("approver", "approver")):
            (found.project / f"{name}.header").write_text(f"Authorization: Bearer {found.token(name, role)}\n")
        yield found


def test_the_page_is_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/api_reference.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "docs/api.md is current\n"), done.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_its_commands_take_a_call_from_the_question_to_the_answer(service: Serving) -> None:
    commands = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.DOTALL)
    asked, listed, answered, fired, told = commands

    def run(command: str, **environment: str) -> dict[str, object]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=service.project,
            env={"PATH": "/usr/bin:/bin", "URL": service.url, "no_proxy": "*", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        found: dict[str, object] = json.loads(done.stdout)
        return found

    first = run(asked)
    assert first["verdict"] == "ask"
    waits = run(listed)["approvals"]
    assert isinstance(waits, list)
    assert [one["id"] for one in waits] == [first["approval_id"]]
    assert run(answered, APPROVAL=str(first["approval_id"]))["status"] == "approved"
    assert run(fired)["verdict"] == "allow"
    assert run(fired)["replayed"] is True
    assert run(told) == {"recorded": True}
    assert run(asked)["verdict"] == "ask"


def test_its_python_waits_for_the_answer(service: Serving) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    head = (service.project / "agent.header").read_text()
    names: dict[str, object] = {"Client": Client, "url": service.url, "token": head.split()[-1]}
    thread = threading.Thread(target=exec, args=(compile(example, "api.md", "exec"), names))
    thread.start()
    approver = {"authorization": (service.project / "approver.header").read_text().split(": ")[1].strip()}
    end = time.monotonic() + 20
    while not (waits := service.admin.get("/v1/approvals").json()["approvals"]):
        assert time.monotonic() < end
        time.sleep(0.05)
    service.admin.post(f"/v1/approvals/{waits[0]['id']}", json={"answer": "approve"}, headers=approver)
    thread.join(40)
    rows = service.admin.get("/v1/audit").json()["rows"]
    assert [row["decision"] for row in rows] == ["allow", "escalate"]
