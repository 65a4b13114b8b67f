"""The end of a session, as the real clients send it: the end of the ledger leaves the machine."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from host_process import Client
from interlock.hosts import codex, host_named
from interlock.model.events import Closed
from interlock.value import freeze
from web_server import web_server

ENDED = ("a session ends", "followed")
CODEX: dict[str, Any] = {  # the whole event: it has less than the others of this client
    "session_id": "01a1e87a-22c0-7520-a73d-ea1f7fc30a89",
    "transcript_path": "/home/ada/.codex/sessions/2026/11/17/rollout-2026-11-17T07-48-00.jsonl",
    "cwd": "/work/shop",
    "hook_event_name": "SessionEnd",
    "reason": "other",
}


@pytest.mark.parametrize("host", ["codex", "gemini-cli", "qwen-code"])
def test_where_the_client_tells_the_end_of_a_session_the_last_row_is_sent(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    policy = client.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    with web_server() as web:
        policy.write_text(f'version = 1\n[evidence]\nsend = ["{web.url}"]\nmachine = "m"\n')
        client.send(client.shell("ls"))
        ran, _ = client.send(client.event(*ENDED))
        assert (ran.code, ran.out, ran.err) == (0, b"", b"")
        end = time.monotonic() + 20
        while not web.taken:
            assert time.monotonic() < end, "nothing was sent"
            time.sleep(0.05)
        number, _, name = (client.home / ".local/state/interlock/ledger.db.head").read_text().strip().partition(" ")
        assert [(head["seq"], head["hash"]) for head in web.taken] == [(int(number), name)], json.dumps(web.taken)


def test_codex_ends_a_session_without_naming_a_turn_or_a_model() -> None:
    data: Any = freeze(CODEX)
    assert (type(codex.event_from(data, {}, 0)), codex.gates(data)) == (Closed, False)


def test_codex_is_given_no_longer_than_it_waits_at_the_end_of_a_session() -> None:
    """With more, the client cuts it down, and does not know the hook for the one that a person trusted."""
    hooks = host_named("codex").settings("/usr/bin/python3", "/guard.py", ())["hooks"]
    assert hooks["SessionEnd"][0]["hooks"][0]["timeout"] == 3
