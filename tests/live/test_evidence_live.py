"""The real client ends a session, and the end of the ledger leaves the machine."""

from __future__ import annotations

import json
import time
from pathlib import Path

from live.client import Live, needs_client
from web_server import web_server

pytestmark = needs_client


def test_when_the_client_ends_the_last_row_is_sent(place: Path) -> None:
    live = Live.at(place)
    with web_server() as web:
        live.machine.user_policy.write_text(f'version = 1\n[evidence]\nsend = ["{web.url}"]\nmachine = "m"\n')
        live.headless([("Read", {"file_path": str(live.write("a.txt", "x"))}), "done"])
        assert live.verdicts() == ["allow"]
        number, _, name = (live.machine.state / "ledger.db.head").read_text().strip().partition(" ")
        wanted = (int(number), name)
        end = time.monotonic() + 40
        # one at the start of the session, one at its end
        while len(seen := [(head["seq"], head["hash"]) for head in web.taken]) < 2:
            assert time.monotonic() < end, json.dumps(seen)
            time.sleep(0.1)
        assert seen[1] == wanted
