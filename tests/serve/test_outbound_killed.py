"""`interlock serve` itself, killed in the middle: webhooks and Slack go on where they were."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from fake_slack import APP, BOT, CHANNEL, FakeSlack
from receiver import Receiver
from serving import Serving
from slack_serving import POLICY


class Process:
    """The command, with a client of its agent's."""

    def __init__(self, service: Serving) -> None:
        self.service = service
        self.port = service.settings.port
        command = [
            sys.executable,
            "-m",
            "interlock.cli",
            "--home",
            str(service.home),
            "serve",
            "--port",
            str(self.port),
        ]
        self.process = subprocess.Popen(command, cwd=service.project, stderr=subprocess.PIPE)
        end = time.monotonic() + 30
        while True:
            try:
                if httpx.get(f"{service.url}/healthz").status_code == 200:
                    return
            except httpx.TransportError:
                assert self.process.poll() is None, self.process.communicate()
                assert time.monotonic() < end
                time.sleep(0.05)

    def asks(self, amount: int) -> str:
        call = self.service.call("refund", {"amount": amount})
        headers = {"authorization": f"Bearer {self.service.tokens['robot']}"}
        answer = httpx.post(f"{self.service.url}/v1/decisions", json=call, headers=headers, timeout=30)
        return str(answer.json()["approval_id"])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@pytest.mark.slow
def test_a_kill_loses_no_event_and_no_question(tmp_path: Path) -> None:
    service = Serving(tmp_path, policy=POLICY)
    service.token("robot", "agent")
    config = Path(service.folders.config)
    for name, text in (("bot", BOT), ("app", APP), ("hook", "a-secret-of-the-test-0123")):
        (config / name).write_text(text)
        (config / name).chmod(0o600)
    with FakeSlack() as slack, Receiver() as receiver:
        (config / "serve.toml").write_text(
            f'[[webhooks]]\nurl = "{receiver.url}"\nsecret = "hook"\nevents = ["prompt", "answer"]\n'
            f'[slack]\nchannel = "{CHANNEL}"\nbot = "bot"\napp = "app"\napi = "{slack.url}"\n'
            '[slack.people]\nU0ANN = "ann"\n'
        )
        first = Process(service)
        one = first.asks(1)
        message = slack.message(one)
        receiver.until(1)
        receiver.answers = [(500, {})] * 100
        slack.down = True
        two = first.asks(2)
        receiver.until(2)
        first.kill()
        receiver.answers, slack.down = [], False
        taken = len(receiver.took)
        second = Process(service)
        try:
            assert slack.message(two)["thread_ts"] == message["thread_ts"]
            slack.click(message, "interlock_once")
            slack.says(one, "Approved by ann in Slack as U0ANN")
            slack.until(lambda: any(one.event["kind"] == "answer" for one in receiver.took))
            told = [one.event for one in receiver.took[taken:]]
            assert [(event["kind"], event["key"]) for event in told] == [("prompt", two), ("answer", one)]
            assert len(slack.posted(one)) == len(slack.posted(two)) == 1
        finally:
            second.kill()
