"""The real service with a Slack on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fake_slack import APP, BOT, CHANNEL, FakeSlack
from interlock.serve.settings import Slack
from serving import Serving

__all__ = ["POLICY", "serving"]

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""


def serving(folder: Path, slack: FakeSlack, policy: str = POLICY, **more: Any) -> Serving:
    files = {}
    for name, text in (("bot", BOT), ("app", APP)):
        path = folder / f"{name}.token"
        path.write_text(f"{text}\n")
        path.chmod(0o600)
        files[name] = str(path)
    given = Slack(channel=CHANNEL, api=slack.url, people={"U0ANN": "ann", "U0BO": "bo"}, **files)
    return Serving(folder, policy=policy, settings={"slack": given, "url": "https://guard.example", **more})
