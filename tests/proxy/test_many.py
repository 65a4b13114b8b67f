"""Many streams at once: each gets its own answer, and every call is judged."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest

from interlock.store.home.folders import folders_for
from ledger_rows import ledger_rows
from proxy.fake_model import Asked, Reply, fake_model
from proxy.played import calls_in
from proxy.proxy_process import proxy_process
from proxy.proxying import POLICY, read_events
from proxy.said import APIS, request, streamed

STREAMS = 200
CLIENTS = 40  # what one of them costs grows with the square of its streams


@pytest.mark.slow
def test_two_hundred_streams_at_once(tmp_path: Path) -> None:
    """The proxy has a process of its own, as everywhere: what clients and model cost is not its time."""
    home = tmp_path / "home"
    folders = folders_for(str(home))
    Path(folders.config).mkdir(parents=True)
    Path(folders.user_policy).write_text(POLICY)

    def answers(asked: Asked) -> Reply:
        number = int(asked.headers["x-number"])
        tool = "wipe" if number % 3 == 0 else "look"
        api = APIS[number % 4]
        return Reply(streamed(api, f"This is {number}.", [(tool, {"n": number}, f"c_{number}")]), pause=0.05)

    async def one(client: httpx.AsyncClient, number: int) -> None:
        api = APIS[number % 4]
        path, body = request(api, f"question {number}")
        answer = await client.post(path, json=body, headers={"x-number": str(number)})
        calls = calls_in(api, read_events(answer.content))
        assert calls == ([] if number % 3 == 0 else [("look", {"n": number})]), (number, answer.text[-2000:])

    async def of_one_client(url: str, first: int) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=60, verify=False, trust_env=False) as client:
            await asyncio.gather(*[one(client, number) for number in range(first, STREAMS, CLIENTS)])

    async def all_at_once(url: str) -> None:
        await asyncio.gather(*[of_one_client(url, first) for first in range(CLIENTS)])

    with fake_model() as model:
        model.answers = answers
        with proxy_process(home, ["proxy", "--upstream", model.url]) as port:
            asyncio.run(all_at_once(f"http://127.0.0.1:{port}"))
    receipts = [row["body"]["receipt"] for row in ledger_rows(Path(folders.ledger), "decision")]
    judged = Counter((receipt["call"]["tool"], receipt["decision"]["verdict"]) for receipt in receipts)
    wiped = len(range(0, STREAMS, 3))
    assert judged == {("look", "allow"): STREAMS - wiped, ("wipe", "deny"): wiped}
