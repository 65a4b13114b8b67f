"""The pages on webhooks and Slack are true: the receiver runs, the settings are settings, the manifest is one."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from interlock.serve import webhooks
from interlock.serve.records import EVENTS
from interlock.serve.settings import Webhook, settings_from
from interlock.serve.slack.message import _LINES, _MOST
from interlock.serve.webhooks import backoff, signature_of
from serving import Serving, free_port
from slack_serving import POLICY

DOCS = Path(__file__).parents[2] / "docs"
WEBHOOKS, SLACK = (DOCS / "webhooks.md").read_text(), (DOCS / "guides/slack.md").read_text()


def settings_in(page: str, first: str) -> str:
    """The indented example that begins with this line."""
    lines = page[page.index(first) :].split("\n")
    found = []
    for line in lines:
        if line.strip() and not line.startswith(" ") and line != lines[0]:
            break
        found.append(line.strip())
    return "\n".join(found)


def test_the_receiver_of_the_page_takes_what_is_signed_once_and_refuses_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "backoff", lambda failures: backoff(failures, first=0.05))
    (code,) = re.findall(r"```py\n(.*?)```", WEBHOOKS, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 16
    (tmp_path / "receiver.py").write_text(code)
    secret = tmp_path / "hook.secret"
    secret.write_text("s3cret-of-the-page-0123456789\n")
    secret.chmod(0o600)
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "receiver.py", str(secret), str(port)]
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        receiver = subprocess.Popen(command, cwd=tmp_path, stdout=stdout, stderr=subprocess.DEVNULL)
    try:
        hook = Webhook(url=url, secret=str(secret), events=("prompt",))
        with Serving(tmp_path, policy=POLICY, settings={"webhooks": (hook,)}) as service:
            call = service.call("refund", {"amount": 1})
            id = service.agent.post("/v1/decisions", json=call).json()["approval_id"]
            end = time.monotonic() + 15
            while id not in out.read_text():
                assert time.monotonic() < end
                time.sleep(0.05)
        (body,) = out.read_bytes().splitlines()
        now = int(time.time())
        good = {"interlock-signature": signature_of("s3cret-of-the-page-0123456789", now, body)}
        old = {"interlock-signature": signature_of("s3cret-of-the-page-0123456789", now - 3600, body)}
        forged = {"interlock-signature": signature_of("another-secret-0123456789", now, body)}
        sent = [httpx.post(url, content=body, headers=headers).status_code for headers in (good, old, forged)]
        assert sent == [204, 401, 401]
        assert len(out.read_bytes().splitlines()) == 1  # the repeat was dropped
    finally:
        receiver.kill()
        receiver.wait()


def test_the_settings_that_the_pages_show_are_settings() -> None:
    hooks = settings_from(settings_in(WEBHOOKS, "    [[webhooks]]"), "webhooks.md", {}).webhooks
    assert hooks == (Webhook(url="https://hooks.example/interlock", secret="hook.secret", events=("prompt", "answer")),)
    found = settings_from(settings_in(SLACK, '       url = "https://guard.example"'), "slack.md", {}).slack
    assert found is not None
    assert dict(found.people) == {"U024BE7LH": "ann", "U024BE7LJ": "bo"}


def test_the_pages_name_every_event_and_the_limits_that_hold() -> None:
    row = next(line for line in WEBHOOKS.splitlines() if line.startswith("| `events`"))
    assert re.findall(r"`(\w+)`", row)[1:] == sorted(EVENTS)
    assert f"beyond {_MOST} characters or {_LINES} lines" in SLACK


def test_the_manifest_of_the_guide_asks_for_what_is_used_and_no_more() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", SLACK, re.DOTALL)
    manifest: Any = yaml.safe_load(text)
    assert manifest["oauth_config"]["scopes"] == {"bot": ["chat:write", "channels:history", "groups:history"]}
    assert manifest["settings"]["event_subscriptions"]["bot_events"] == ["message.channels", "message.groups"]
    assert manifest["settings"]["interactivity"]["is_enabled"] is True
    assert manifest["settings"]["socket_mode_enabled"] is True
