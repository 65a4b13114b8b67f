"""Webhooks against a real receiver: signed, in order, at least once, and nobody waits for a receiver that is down."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from interlock.model.errors import InputError
from interlock.serve import webhooks
from interlock.serve.outbound import Outbound
from interlock.serve.run import api_for
from interlock.serve.settings import Settings, Webhook, settings_from
from interlock.serve.webhooks import backoff
from receiver import Receiver, Took
from serving import Serving, free_port

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""
SECRET = "a-secret-of-the-test-0123456789"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses of the product are seconds; here the first is a twentieth of one."""
    monkeypatch.setattr(webhooks, "backoff", lambda failures: backoff(failures, first=0.05))


def secret_file(folder: Path, text: str = SECRET, mode: int = 0o600) -> str:
    path = folder / "hook.secret"
    path.write_text(text + "\n")
    path.chmod(mode)
    return str(path)


def hooked(folder: Path, *urls: str, events: tuple[str, ...] = ("prompt", "answer")) -> Serving:
    secret = secret_file(folder)
    made = tuple(Webhook(url=url, secret=secret, events=events) for url in urls)
    return Serving(folder, policy=POLICY, settings={"webhooks": made})


def asks(service: Serving, amount: int) -> str:
    call = service.call("refund", {"amount": amount}, session=f"s{amount}")
    told: dict[str, Any] = service.agent.post("/v1/decisions", json=call).json()
    return str(told["approval_id"])


def is_signed(took: Took) -> bool:
    """Written apart from the product's own code, as a receiver would."""
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", took.signature)
    assert found is not None
    made = hmac.new(SECRET.encode(), found[1].encode() + b"." + took.body, hashlib.sha256).hexdigest()
    return abs(time.time() - int(found[1])) < 60 and hmac.compare_digest(made, found[2])


def metric(service: Serving, name: str) -> float:
    text = service.admin.get("/metrics").text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def test_events_come_signed_and_in_order_and_only_those_that_were_asked_for(tmp_path: Path) -> None:
    with Receiver() as receiver, hooked(tmp_path, receiver.url) as service:
        id = asks(service, 1)
        service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 7}))
        service.approver.post(f"/v1/approvals/{id}", json={"answer": "approve", "reason": "agreed"})
        took = receiver.until(2)
        assert all(is_signed(one) for one in took)
        first, second = (one.event for one in took)
        assert (first["kind"], first["key"], first["tool"], first["session"]) == ("prompt", id, "refund", "s1")
        assert (second["kind"], second["key"], second["answer"], second["why"]) == ("answer", id, "approved", "agreed")
        assert first["id"] < second["id"]
        assert first["ledger"] == second["ledger"] != ""
        time.sleep(0.3)
        assert len(receiver.took) == 2
        assert metric(service, "interlock_webhook_tries_total") == 2
        assert metric(service, "interlock_webhook_failures") == 0


def test_a_changed_body_is_not_signed(tmp_path: Path) -> None:
    with Receiver() as receiver, hooked(tmp_path, receiver.url) as service:
        asks(service, 1)
        took = receiver.until(1)[0]
        assert is_signed(took)
        took.body = took.body.replace(b"refund", b"lookup")
        assert not is_signed(took)


@pytest.mark.slow
def test_a_failed_delivery_is_tried_again_and_what_came_later_waits_for_it(tmp_path: Path) -> None:
    with Receiver() as receiver, hooked(tmp_path, receiver.url) as service:
        receiver.answers = [(500, {}), (503, {"retry-after": "1"}), (307, {"location": f"{receiver.url}/elsewhere"})]
        for amount in (1, 2, 3):
            asks(service, amount)
        took = receiver.until(6)
        sessions = [one.event["session"] for one in took]
        assert sessions == ["s1", "s1", "s1", "s1", "s2", "s3"]
        assert [one.event["id"] for one in took[:4]] == [took[0].event["id"]] * 4  # by which the repeats are known
        assert took[2].at - took[1].at >= 1.0  # as it was told
        assert {one.path for one in took} == {"/hook"}  # a redirect is not followed
        assert metric(service, 'interlock_webhook_tries_total{outcome="failed"') == 3


@pytest.mark.slow
def test_a_receiver_that_is_not_there_gets_all_of_it_once_it_is(tmp_path: Path) -> None:
    port = free_port()
    with hooked(tmp_path, f"http://127.0.0.1:{port}/hook") as service:
        asks(service, 1)
        asks(service, 2)
        time.sleep(0.3)
        assert metric(service, "interlock_webhook_failures") >= 1
        assert metric(service, "interlock_webhook_rows_behind") >= 1
        assert service.agent.get("/readyz").status_code == 200
        with Receiver(port) as receiver:
            assert [one.event["session"] for one in receiver.until(2)] == ["s1", "s2"]


@pytest.mark.slow
def test_a_dead_receiver_delays_neither_another_one_nor_a_verdict(tmp_path: Path) -> None:
    with (
        Receiver(slow=5.0) as slow,
        Receiver() as quick,
        hooked(tmp_path, slow.url, f"http://127.0.0.1:{free_port()}/dead", quick.url) as service,
    ):
        service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 0}))
        began = time.monotonic()
        for amount in range(1, 6):
            asks(service, amount)
        quick.until(5, seconds=4.0)
        assert time.monotonic() - began < 4.0


@pytest.mark.slow
def test_after_a_restart_it_goes_on_where_it_was(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/hook"
    with Receiver(port) as receiver, hooked(tmp_path, url) as service:
        asks(service, 1)
        receiver.until(1)
        time.sleep(0.2)  # until the position is kept
    with hooked(tmp_path, url) as service:  # nobody receives; the service stops in the middle of its tries
        asks(service, 2)
        time.sleep(0.2)
    with Receiver(port) as receiver, hooked(tmp_path, url) as service:
        asks(service, 3)
        assert [one.event["session"] for one in receiver.until(2)] == ["s2", "s3"]


def test_a_new_webhook_begins_with_what_happens_from_then_on(tmp_path: Path) -> None:
    with Serving(tmp_path, policy=POLICY) as service:
        asks(service, 1)
    with Receiver() as receiver, hooked(tmp_path, receiver.url) as service:
        asks(service, 2)
        assert [one.event["session"] for one in receiver.until(1)] == ["s2"]


def test_a_ledger_that_was_begun_anew_is_sent_from_its_beginning(tmp_path: Path) -> None:
    with Receiver() as receiver:
        with hooked(tmp_path, receiver.url) as service:
            for amount in (1, 2, 3):
                asks(service, amount)
            before = receiver.until(3)[-1].event
        time.sleep(0.2)
        state = Path(service.folders.state)
        for file in state.iterdir():
            if file.is_file():
                file.unlink()
        with hooked(tmp_path, receiver.url) as service:
            asks(service, 4)
            after = receiver.until(4)[-1].event
        assert after["session"] == "s4"
        assert after["id"] < before["id"]
        assert after["ledger"] != before["ledger"]  # so that a receiver does not take it for one that it has


def test_an_answer_without_end_is_cut_off(tmp_path: Path) -> None:
    with Receiver(big=True) as receiver, hooked(tmp_path, receiver.url) as service:
        asks(service, 1)
        asks(service, 2)
        assert [one.event["session"] for one in receiver.until(2, seconds=5)] == ["s1", "s2"]


def test_a_position_that_cannot_be_read_stops_that_webhook_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver() as receiver, Receiver() as other:
        with hooked(tmp_path, receiver.url):
            pass
        kept = next(Path(tmp_path / "home/.local/state/interlock/webhooks").iterdir())
        kept.write_bytes(b"half of")
        with hooked(tmp_path, receiver.url, other.url) as service:
            asks(service, 1)
            other.until(1)
            assert receiver.took == []
            assert metric(service, "interlock_webhook_failures") >= 1
        assert f"`{kept}` does not say how far it is" in caplog.text


def test_nothing_of_the_secret_or_of_the_address_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="httpx")
    caplog.set_level(logging.DEBUG, logger="interlock")
    with Receiver() as receiver, hooked(tmp_path, f"{receiver.url}/T0KEN?key=T0KEN") as service:
        receiver.answers = [(500, {})]
        asks(service, 1)
        receiver.until(2)
    assert "was not taken (it answered 500)" in caplog.text
    assert "T0KEN" not in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"url": "http://example.com/hook"}, "`url` must be https://HOST/PATH"),
        ({"url": "https://ann:T0KEN@example.com/"}, "`url` must be https://HOST/PATH"),
        ({"url": "file:///etc/passwd"}, "`url` must be https://HOST/PATH"),
        ({"events": ("prompts",)}, "there is no event `prompts`"),
        ({"secret": "nowhere"}, "is not there"),
    ],
)
def test_a_wrong_setting_stops_the_service_before_it_listens(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    given = {"url": "https://example.com/hook", "secret": secret_file(tmp_path), **change}
    service = Serving(tmp_path, policy=POLICY)
    with pytest.raises(InputError) as error:
        Outbound(api_for(service.folders, Settings(webhooks=(Webhook(**given),))))
    assert says in str(error.value)
    assert "T0KEN" not in str(error.value)


@pytest.mark.parametrize(("text", "mode", "says"), [(SECRET, 0o644, "chmod 600"), ("short", 0o600, "16 characters")])
def test_a_secret_that_is_none_is_refused(tmp_path: Path, text: str, mode: int, says: str) -> None:
    hook = Webhook(url="https://example.com/hook", secret=secret_file(tmp_path, text, mode))
    with pytest.raises(InputError, match=says) as error:
        Outbound(api_for(Serving(tmp_path, policy=POLICY).folders, Settings(webhooks=(hook,))))
    assert text not in str(error.value)


def test_two_webhooks_with_one_address_are_refused(tmp_path: Path) -> None:
    hook = Webhook(url="https://example.com/hook", secret=secret_file(tmp_path))
    with pytest.raises(InputError, match="have the same url"):
        Outbound(api_for(Serving(tmp_path).folders, Settings(webhooks=(hook, hook))))


def test_the_table_of_a_webhook_is_checked() -> None:
    good = '[[webhooks]]\nurl = "https://e.example/h"\nsecret = "s"\nevents = ["prompt"]\n'
    assert settings_from(good, "serve.toml", {}).webhooks == (
        Webhook(url="https://e.example/h", secret="s", events=("prompt",)),
    )
    with pytest.raises(InputError, match="`events` must be a list of texts"):
        settings_from(good.replace('["prompt"]', '"prompt"'), "serve.toml", {})
    with pytest.raises(InputError, match="needs `secret`"):
        settings_from('[[webhooks]]\nurl = "https://e.example/h"\n', "serve.toml", {})


def test_pauses_grow_to_a_limit_and_differ() -> None:
    assert 0.5 <= backoff(1) <= 1.0
    assert 4.0 <= backoff(4) <= 8.0
    assert 150.0 <= backoff(50) <= 300.0
    assert len({backoff(50) for _ in range(10)}) > 1


def test_the_position_is_a_small_file_of_the_state_folder(tmp_path: Path) -> None:
    with Receiver() as receiver, hooked(tmp_path, receiver.url) as service:
        asks(service, 1)
        event = receiver.until(1)[0].event
        time.sleep(0.3)
        (kept,) = Path(service.folders.state, "webhooks").iterdir()
        assert json.loads(kept.read_bytes()) == {"after": event["id"], "ledger": event["ledger"]}
        assert os.stat(kept).st_mode & 0o077 == 0
