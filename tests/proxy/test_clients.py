"""Four APIs through the proxy, as the official clients see them: allowed, withheld, mixed, ask, cut, slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.conftest import Clients
from proxy.environment import REQUIREMENTS
from proxy.fake_model import Reply
from proxy.proxying import Proxying
from proxy.said import APIS, Call, events, framed, streamed

LOOK: Call = ("look", {"x": 1}, "c_look")
LOOK_MORE: Call = ("look", {"x": "ünïcode ✓", "deep": {"list": [1, 2.5, None, True]}}, "c_more")
WIPE: Call = ("wipe", {"x": 2}, "c_wipe")
PAY: Call = ("pay", {"amount": 3}, "c_pay")
FORMS = ("helper", "raw", "whole")
REASONS = {
    "anthropic": ("tool_use", "end_turn"),
    "chat": ("tool_calls", "stop"),
    "responses": ("completed", "completed"),
    "gemini": ("STOP", "STOP"),
}
WITHHELD = "[Interlock: `wipe` was not called. Refused: use the tool `wipe` (x `2`): Nothing is wiped here. Leave it.]"


def listed(*calls: Call) -> list[list[Any]]:
    return [list(call) for call in calls]


def test_the_clients_are_those_that_are_pinned(clients: Clients) -> None:
    pinned = dict(line.split("==") for line in REQUIREMENTS.read_text().splitlines() if line)
    assert clients.versions == {name: pinned[name] for name in clients.versions}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("api", APIS)
def test_what_is_allowed_arrives_as_it_was_said(api: str, form: str, clients: Clients, proxy: Proxying) -> None:
    proxy.says(api, "Let me see.", [LOOK, LOOK_MORE], stream=form != "whole")
    direct = clients.ask(api, proxy.model.url, form)
    through = clients.ask(api, proxy.url, form)
    assert through == direct
    assert through["calls"] == listed(LOOK, LOOK_MORE)
    assert through["reason"] == REASONS[api][0]
    assert proxy.decisions() == [("look", "allow"), ("look", "allow")]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("api", APIS)
def test_an_answer_without_calls_is_not_touched(api: str, form: str, clients: Clients, proxy: Proxying) -> None:
    proxy.says(api, "Nothing to do.", stream=form != "whole")
    assert clients.ask(api, proxy.url, form) == clients.ask(api, proxy.model.url, form)
    assert proxy.decisions() == []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("api", APIS)
def test_a_withheld_call_is_a_text_that_says_why(api: str, form: str, clients: Clients, proxy: Proxying) -> None:
    proxy.says(api, "Let me see.", [WIPE], stream=form != "whole")
    told = clients.ask(api, proxy.url, form)
    assert told.get("calls") == [], told
    assert "".join(told["texts"]).replace("\n", "") == "Let me see." + WITHHELD
    assert told["reason"] == REASONS[api][1]
    assert proxy.decisions() == [("wipe", "deny")]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("calls", [(LOOK, WIPE), (WIPE, LOOK), (WIPE, LOOK, WIPE, LOOK_MORE)], ids=["ab", "ba", "baba"])
@pytest.mark.parametrize("api", APIS)
def test_of_several_calls_only_the_allowed_ones_arrive(
    api: str, calls: tuple[Call, ...], form: str, clients: Clients, proxy: Proxying
) -> None:
    each = [(tool, given, f"{id}_{number}") for number, (tool, given, id) in enumerate(calls)]
    proxy.says(api, "Let me see.", each, stream=form != "whole")
    told = clients.ask(api, proxy.url, form)
    assert told.get("calls") == listed(*[call for call in each if call[0] == "look"]), told
    assert told["reason"] == REASONS[api][0]
    assert "".join(told["texts"]).count(WITHHELD) == [call[0] for call in each].count("wipe")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("api", APIS)
def test_an_ask_is_told_as_pending_and_the_same_call_redeems_it(
    api: str, form: str, clients: Clients, proxy: Proxying
) -> None:
    proxy.says(api, "", [PAY], stream=form != "whole")
    told = clients.ask(api, proxy.url, form)
    assert told.get("calls") == [], told
    (approval,) = proxy.answer(yes=True)
    assert f"`{approval}`" in "".join(told["texts"])
    assert clients.ask(api, proxy.url, form)["calls"] == listed(PAY)
    assert clients.ask(api, proxy.url, form)["calls"] == []  # a yes is for one call


@pytest.mark.sampled(3)
@pytest.mark.parametrize("yes", [True, False])
@pytest.mark.parametrize("api", APIS)
def test_a_call_is_held_until_a_person_answers(api: str, yes: bool, clients: Clients, tmp_path: Path) -> None:
    with Proxying(tmp_path, hold=20.0) as proxy:
        for form in ("helper", "whole"):
            proxy.says(api, "Let me see.", [LOOK, (*PAY[:2], f"c_{form}")], stream=form != "whole")
            person = proxy.answers_soon(yes=yes)
            told = clients.ask(api, proxy.url, form, text=form)
            person.join()
            assert told.get("calls") == listed(LOOK, *([(*PAY[:2], f"c_{form}")] if yes else [])), told


@pytest.mark.sampled(3)
@pytest.mark.parametrize("api", APIS)
def test_an_answer_that_is_cut_inside_a_call_is_an_error(api: str, clients: Clients, proxy: Proxying) -> None:
    said = events(api, "Let me see.", [LOOK, LOOK_MORE])
    short = {"anthropic": 4, "chat": 3, "responses": 3, "gemini": 1}[api]
    proxy.model.says(Reply(framed(api, said)[: -short - (api == "chat")], cut=True))
    for form in ("helper", "raw"):
        told = clients.ask(api, proxy.url, form)
        assert "error" in told, told
        assert "Interlock ended this answer" in told["error"], told


@pytest.mark.sampled(5)
@pytest.mark.parametrize("api", APIS)
def test_a_slow_model_is_waited_for_and_nothing_is_kept_back(api: str, clients: Clients, proxy: Proxying) -> None:
    proxy.model.says(Reply(streamed(api, "Let me see.", [LOOK, WIPE]), pause=0.1))
    told = clients.ask(api, proxy.url, "helper")
    assert told["calls"] == listed(LOOK)
