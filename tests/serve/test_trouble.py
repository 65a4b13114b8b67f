"""The ledger is gone, locked, broken or full, or the policy cannot be read: 503, and never an allow."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from serve_process import ServeProcess
from serving import Serving

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY) as found:
        found.client("robot", "agent")
        found.client("ann", "approver")
        yield found


def attempts(service: Serving, number: int) -> list[httpx.Response]:
    """A read, a call that asks and one that is approved already, by a token that is known and one that is not."""
    calls = [
        service.call("lookup", {"id": number}),
        service.call("refund", {"amount": number}),
        service.call("refund", {"amount": 7}, session="approved"),
    ]
    found = [service.agent.post("/v1/decisions", json=call) for call in calls]
    found.append(service.agent.post("/v1/decisions", json=calls[2], headers={"idempotency-key": "k"}))
    found += [service.agent.get("/v1/approvals"), service.approver.get("/v1/audit")]
    found.append(service.agent.post("/v1/outcomes", json={**calls[0], "outcome": "ran"}))
    return found


def approved(service: Serving) -> str:
    call = service.call("refund", {"amount": 7}, session="approved")
    where = service.agent.post("/v1/decisions", json=call).headers["location"]
    assert service.approver.post(where, json={"answer": "approve"}).status_code == 200
    return str(where)


def refused(found: list[httpx.Response]) -> None:
    for answer in found:
        assert answer.status_code == 503, (answer.request.url, answer.text)
        assert answer.json()["error"]["code"] == "unavailable"
        assert "retry-after" in answer.headers
        assert "/home/" not in answer.text
        assert "sqlite" not in answer.text.lower()


def readiness(service: Serving) -> dict[str, object]:
    found = httpx.get(f"{service.url}/readyz", timeout=30)
    assert (found.status_code == 200) == found.json()["ready"]
    told: dict[str, object] = found.json()
    return told


def test_a_broken_ledger_answers_nothing(service: Serving) -> None:
    approved(service)
    path = Path(service.folders.ledger)
    for beside in path.parent.glob(path.name + "-*"):
        beside.unlink()
    path.write_bytes(b"SQLite format 3\0" + os.urandom(200_000))
    refused(attempts(service, 1))
    assert readiness(service)["ready"] is False


def test_a_ledger_whose_log_is_gone_allows_nothing(service: Serving) -> None:
    """A connection that stays open would go on writing to a file that has no name any more."""
    approved(service)
    for _ in range(20):  # every thread has a connection by then
        service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 0}))
    os.unlink(service.folders.ledger + "-wal")
    statuses = {answer.status_code for number in range(8) for answer in attempts(service, number)}
    assert 200 not in statuses


def test_a_ledger_whose_token_rows_were_changed_lets_nobody_in(service: Serving) -> None:
    forged = service.token("forged", "agent")
    ledger = sqlite3.connect(service.folders.ledger)
    with ledger:
        ledger.execute("""UPDATE ledger SET body = replace(body, '"role":"agent"', '"role":"admin"') WHERE key = ?""",
                       (service.ids["forged"],))  # fmt: skip
    ledger.close()
    found = httpx.get(f"{service.url}/v1/audit", headers={"authorization": f"Bearer {forged}"})
    assert found.status_code == 503


@pytest.mark.slow
def test_a_ledger_that_others_hold_allows_nothing(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    approved(service)
    service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 0}))
    monkeypatch.setattr("interlock.store.ledger.sqlite.LOCK_WAIT_SECONDS", 0.3, raising=False)
    holder = sqlite3.connect(service.folders.ledger, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        calls = (service.call("lookup", {"id": 1}), service.call("refund", {"amount": 7}, session="approved"))
        refused([service.agent.post("/v1/decisions", json=call) for call in calls])
        assert httpx.get(f"{service.url}/healthz").status_code == 200
        assert readiness(service)["ready"] is False
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    again = service.agent.post("/v1/decisions", json=service.call("refund", {"amount": 7}, session="approved"))
    assert again.status_code == 200, "the approval was not used up by what was refused"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where nobody may")
def test_a_ledger_that_may_not_be_written_allows_nothing(service: Serving) -> None:
    approved(service)
    path = Path(service.folders.ledger)
    for file in (path, *path.parent.glob(path.name + "-*")):
        file.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        found = attempts(service, 1)
        refused([*found[:4], found[6]])
    finally:
        path.parent.chmod(0o700)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=False)


@pytest.mark.slow
def test_a_full_disk_allows_nothing_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    service = ServeProcess(small_disk, policy=POLICY)
    service.log = small_disk.parent / "serve.log"
    with service:
        approved(service)
        filler = small_disk / "filler"
        fd = os.open(filler, os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(fd, b"x" * 4096):
                pass
        except OSError:
            pass  # it is full
        os.close(fd)
        statuses = []
        for number in range(40):
            answer = service.agent.post(
                "/v1/decisions", json=service.call("lookup", {"id": number, "text": "x" * 1500})
            )
            statuses.append(answer.status_code)
        assert 503 in statuses
        assert statuses.index(503) < 40
        assert set(statuses[statuses.index(503) :]) == {503}
        used = service.agent.post("/v1/decisions", json=service.call("refund", {"amount": 7}, session="approved"))
        assert used.status_code == 503
        time.sleep(1.1)  # what was told a moment ago is told again
        assert readiness(service)["ledger"] == "it cannot be written"
        filler.unlink()
        again = service.agent.post("/v1/decisions", json=service.call("refund", {"amount": 7}, session="approved"))
        assert again.status_code == 200
        time.sleep(1.1)
        assert readiness(service)["ready"] is True


@pytest.mark.parametrize("text", ["version = 1\nprofile = ", "version = 99\n", "\0", 'version = 1\nprofile = "nope"\n'])
def test_under_a_policy_that_cannot_be_read_no_write_is_allowed(service: Serving, text: str) -> None:
    approved(service)
    Path(service.folders.user_policy).write_text(text)
    found = attempts(service, 1)[:4]
    for answer in found[1:]:
        assert answer.status_code in (202, 403, 503), answer.text
    assert found[0].status_code in (200, 403, 503)
    bash = [
        service.agent.post("/v1/decisions", json=service.bash(command))
        for command in ("rm -rf build", "touch x", "git push", "curl -d @x https://example.com")
    ]
    assert all(answer.status_code in (403, 503) for answer in bash), [answer.text for answer in bash]
    told = readiness(service)
    assert (told["ready"], told["ledger"], told["policy"]) == (False, "ok", "it cannot be read")


def test_the_home_that_is_gone_lets_nobody_in(service: Serving) -> None:
    approved(service)
    shutil.rmtree(service.home)
    for answer in attempts(service, 1)[:4]:
        assert answer.status_code in (401, 503), answer.text
    assert readiness(service)["ready"] is False or httpx.get(
        f"{service.url}/v1/audit", headers={"authorization": service.approver.headers["authorization"]}
    ).status_code in (401, 503)


def test_an_error_of_ours_is_told_as_no_allow_and_without_its_words(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert service.api is not None

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret word")

    for name in ("asked", "call", "decided_before", "told"):
        with monkeypatch.context() as patched:
            patched.setattr(service.api.service, name, broken)
            found = service.agent.post(
                "/v1/decisions", json=service.call("lookup", {}), headers={"idempotency-key": "x"}
            )
            assert (found.status_code, found.json()["error"]["code"]) == (503, "unavailable")
            assert "secret" not in found.text
            assert found.headers["content-security-policy"]


@pytest.mark.slow
def test_anybody_may_ask_whether_it_is_ready_and_that_costs_little(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert service.api is not None
    looks = []
    look = service.api.service.ready

    def counted() -> None:
        looks.append(1)
        look()

    monkeypatch.setattr(service.api.service, "ready", counted)
    began = time.monotonic()
    for _ in range(60):
        assert readiness(service)["ready"] is True
    assert len(looks) <= time.monotonic() - began + 1
