"""What belongs to whom: sessions, keys and approvals, with odd names and many at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.tokens import owner_of
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


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("belongings"), policy=POLICY) as found:
        found.client("robot", "agent")
        found.client("other-robot", "agent")
        found.client("ann", "approver")
        yield found
        assert verify(found.folders).damage is None


def decided(client: httpx.Client, call: object, **headers: str) -> httpx.Response:
    raw = json.dumps(call).encode()
    return client.post("/v1/decisions", content=raw, headers={"content-type": "application/json", **headers})


def at_once(count: int, work: Callable[[int], httpx.Response]) -> list[httpx.Response]:
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


# --- sessions -----------------------------------------------------------------------------------------------------


def test_of_many_tokens_that_name_a_session_at_once_one_gets_it(service: Serving) -> None:
    robots = [service.client(f"racer-{number}", "agent") for number in range(8)]
    for number in range(5):
        call = service.call("lookup", {}, session=f"race-{number}")
        found = at_once(8, lambda at, call=call: decided(robots[at], call))  # type: ignore[misc]
        assert sorted(answer.status_code for answer in found) == [200] + [403] * 7
        again = at_once(8, lambda at, call=call: decided(robots[at], call))  # type: ignore[misc]
        assert [answer.status_code for answer in again] == [answer.status_code for answer in found]


ODD = {
    "blank": " ",
    "a line": "a\nb",
    "a zero": "a\x00b",
    "dots": "../../etc/passwd",
    "a percent": "a%3Ab",
    "a colon": "host:session",
    "colons": ":::",
    "quotes": "'; DROP TABLE ledger; --",
    "markup": "<script>alert(1)</script>",
    "from right to left": "\u202eabc",
    "an escape": "\x1b[31mred",
    "no width": "a\u200bb",
    "far from ASCII": "\U0001f600" * 50,
    "long": "x" * 100_000,
}


@pytest.mark.parametrize("name", ODD)
def test_a_session_may_have_any_name_and_is_still_one_tokens(service: Serving, name: str) -> None:
    call = service.call("refund", {"amount": 5}, session=ODD[name])
    mine = decided(service.agent, call)
    if mine.status_code == 400:
        assert decided(service.other, call).status_code == 400  # nobody's, then
        return
    assert mine.status_code == 202
    assert decided(service.other, call).status_code == 403
    assert service.other.get(mine.headers["location"]).status_code == 404
    assert service.agent.get(mine.headers["location"]).json()["session"]
    service.approver.post(mine.headers["location"], json={"answer": "approve"})
    assert decided(service.agent, call).status_code == 200


@pytest.mark.parametrize("field", ["session", "tool", "agent", "host", "cwd", "attempt"])
def test_half_a_character_is_refused_or_kept_but_breaks_nothing(service: Serving, field: str) -> None:
    for text in ("/\ud800", "/\udfff\ud800", "/a\u0000"):
        call = {**service.call("lookup", {}, session=f"halves-{field}"), field: text}
        found = decided(service.agent, call)
        assert found.status_code in (200, 202, 400, 403), found.text
        assert found.status_code == 400 or field != "cwd"


def test_two_hosts_with_the_same_session_share_nothing(service: Serving) -> None:
    pairs = [("", "a:b"), ("a", "b"), ("a:b", ""), ("", ":a:b"), ("a%3Ab", "c"), ("a:b", "c"), ("a", "b:c")]
    seen = set()
    for host, session in pairs:
        call = {**service.call("refund", {"amount": 6}, session=session), "host": host}
        found = decided(service.agent, call)
        assert found.status_code in (202, 403), found.text  # a host that is not known may deny the tool
        if found.status_code == 202:
            seen.add(found.json()["approval_id"])
    service.approver.post(f"/v1/approvals/{min(seen)}", json={"answer": "approve"})
    fired = 0
    for host, session in pairs:
        call = {**service.call("refund", {"amount": 6}, session=session), "host": host}
        fired += decided(service.agent, call).status_code == 200
    assert fired == 1


def test_nobody_can_take_the_session_of_calls_that_name_none(service: Serving) -> None:
    service.client("newcomer", "agent")
    own = f"token-{service.ids['newcomer']}"
    for host in ("", "claude-code", "other"):
        taken = decided(service.agent, {**service.call("lookup", {}, session=own), "host": host})
        assert (taken.status_code, taken.json()["error"]["code"]) == (403, "forbidden")
    call = {"tool": "lookup", "input": {}, "cwd": str(service.project)}
    assert decided(service.client("newcomer", "agent"), call).status_code == 200
    named = decided(service.client("newcomer", "agent"), {**call, "session": own})
    assert named.status_code == 200


def test_the_session_of_a_hook_belongs_to_nobody_who_asks_over_http(service: Serving) -> None:
    from interlock.engine import Engine
    from interlock.model.call import Call
    from interlock.model.events import Place, Proposed
    from interlock.value import FrozenMap

    session, label = "3d0d2c1e-0b60-4d0e-9a39-7a6f7f1a4c11", "nightly"
    given = FrozenMap({"command": "git push --force origin main"})
    engine = Engine(service.folders, front="hook:claude-code")
    before = {asked["id"] for asked in service.approver.get("/v1/approvals").json()["approvals"]}
    for run in ("", label):
        place = Place(host="claude-code", session=session + run, cwd=str(service.project), attended=not run, run=run)
        call = Call(tool="Bash", input=given, cwd=place.cwd, session=place.session, host="claude-code")
        engine.propose(Proposed(place=place, call=call))
    hooked = {asked["id"] for asked in service.approver.get("/v1/approvals").json()["approvals"]} - before
    assert hooked
    for name in (session, session + label):
        for host in ("claude-code", ""):
            call_of_agent = {**service.bash(given["command"], session=name), "host": host}
            found = decided(service.agent, call_of_agent)
            assert (found.status_code, found.json()["error"]["code"]) == (403, "forbidden")
            told = {**call_of_agent, "outcome": "ran"}
            assert service.agent.post("/v1/outcomes", json=told).status_code == 403
    # The label of a run is no session: naming one so gives nothing of the run's.
    mine = decided(service.agent, service.bash(given["command"], session=label))
    assert mine.json().get("approval_id") not in hooked
    assert {asked["id"] for asked in service.agent.get("/v1/approvals?state=all").json()["approvals"]}.isdisjoint(
        hooked
    )
    ledger = Ledger(service.folders.ledger, front="serve")
    with ledger.looking() as view:
        assert owner_of(view, session) is None
    ledger.close()


# --- keys ---------------------------------------------------------------------------------------------------------


def approved_under(service: Serving, amount: int, session: str, key: str) -> httpx.Response:
    call = service.call("refund", {"amount": amount}, session=session)
    prompt = decided(service.agent, call, **{"idempotency-key": key})
    service.approver.post(prompt.headers["location"], json={"answer": "approve"})
    fired = decided(service.agent, call, **{"idempotency-key": key})
    assert fired.status_code == 200
    return fired


def test_a_key_lets_no_other_call_through(service: Serving) -> None:
    approved_under(service, 10, "keyed", "k-1")
    other = service.call("refund", {"amount": 1_000_000}, session="keyed")
    assert decided(service.agent, other, **{"idempotency-key": "k-1"}).status_code == 422
    assert decided(service.agent, {**other, "attempt": "key:k-1"}).status_code == 202
    assert service.api is not None
    service.api.keys.clear()  # as after a restart, or after ten thousand other keys
    assert decided(service.agent, other, **{"idempotency-key": "k-1"}).status_code == 202
    service.api.keys.clear()
    for changes in ({"cwd": "/"}, {"agent": "sub"}, {"state": {"a": 1}}):
        changed = {**service.call("refund", {"amount": 10}, session="keyed"), **changes}
        assert decided(service.agent, changed, **{"idempotency-key": "k-1"}).status_code == 202, changes
        service.api.keys.clear()
    same = service.call("refund", {"amount": 10}, session="keyed")
    assert decided(service.agent, same, **{"idempotency-key": "k-1"}).json()["replayed"] is True


def test_a_key_lets_the_same_call_with_another_secret_not_through(service: Serving) -> None:
    def call(secret: str) -> dict[str, object]:
        return service.call("refund", {"amount": 3, "password": secret}, session="secretive")

    key = {"idempotency-key": "k-2"}
    prompt = decided(service.agent, call("hunter2-hunter2"), **key)
    service.approver.post(prompt.headers["location"], json={"answer": "approve", "confirm_hidden": True})
    assert decided(service.agent, call("hunter2-hunter2"), **key).status_code == 200
    assert service.api is not None
    service.api.keys.clear()
    assert decided(service.agent, call("another-secret"), **key).status_code != 200
    service.api.keys.clear()
    assert decided(service.agent, call("hunter2-hunter2"), **key).json()["replayed"] is True


def test_a_key_of_another_token_means_nothing(service: Serving) -> None:
    approved_under(service, 20, "key-owner", "k-3")
    call = service.call("refund", {"amount": 20}, session="key-owner")
    assert decided(service.other, call, **{"idempotency-key": "k-3"}).status_code == 403
    own = service.call("refund", {"amount": 20}, session="key-thief")
    assert decided(service.other, own, **{"idempotency-key": "k-3"}).status_code == 202


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_a_key_has_a_form(service: Serving, key: str) -> None:
    found = decided(service.agent, service.call("lookup", {}), **{"idempotency-key": key})
    assert (found.status_code, found.json()["error"]["code"]) == (400, "bad_request")


# --- approvals ----------------------------------------------------------------------------------------------------


def test_of_twenty_who_redeem_one_approval_one_fires(service: Serving) -> None:
    for number in range(3):
        call = service.call("refund", {"amount": 30}, session=f"twenty-{number}")
        prompt = decided(service.agent, call)
        service.approver.post(prompt.headers["location"], json={"answer": "approve"})
        found = at_once(20, lambda _, call=call: decided(service.agent, call))  # type: ignore[misc]
        statuses = [answer.status_code for answer in found]
        assert statuses.count(200) == 1
        assert set(statuses) <= {200, 202, 403}  # who asks for the same again and again is refused


def test_of_twenty_who_redeem_one_approval_under_one_key_all_get_the_same_receipt(service: Serving) -> None:
    call = service.call("refund", {"amount": 40}, session="twenty-keyed")
    key = {"idempotency-key": "k-20"}
    prompt = decided(service.agent, call, **key)
    service.approver.post(prompt.headers["location"], json={"answer": "approve"})
    found = at_once(20, lambda _: decided(service.agent, call, **key))
    allowed = [answer.json() for answer in found if answer.status_code == 200]
    assert len({answer["receipt"] for answer in allowed}) == 1
    assert sum("replayed" not in answer for answer in allowed) == 1
    assert {answer.status_code for answer in found} <= {200, 202, 403}


def test_of_two_people_who_answer_at_once_one_is_heard(service: Serving) -> None:
    people = [service.client(f"person-{number}", "approver") for number in range(6)]
    call = service.call("refund", {"amount": 50}, session="answers")
    where = decided(service.agent, call).headers["location"]
    words = ["approve", "deny"] * 3
    found = at_once(6, lambda at: people[at].post(where, json={"answer": words[at]}))
    assert sorted(answer.status_code for answer in found) == [200] + [409] * 5
    kept = service.approver.get(where).json()
    won = next(at for at, answer in enumerate(found) if answer.status_code == 200)
    assert kept["status"] == {"approve": "approved", "deny": "denied"}[words[won]]
    assert kept["answer"]["by"].startswith(f"person-{won} ")


def test_a_second_an_unknown_and_a_used_answer_change_nothing(service: Serving) -> None:
    call = service.call("refund", {"amount": 60}, session="late")
    where = decided(service.agent, call).headers["location"]
    assert service.approver.post(where, json={"answer": "deny"}).status_code == 200
    for answer in ("approve", "deny"):
        assert service.approver.post(where, json={"answer": answer}).status_code == 409
    assert service.agent.get(where).json()["status"] == "denied"
    for id in ("ap_", "ap_00000000", where.removeprefix("/v1/approvals/")[:8], "%20", "ap_%00", "*"):
        found = service.approver.post(f"/v1/approvals/{id}", json={"answer": "approve"})
        assert found.status_code == 404, id
    used = service.call("refund", {"amount": 61}, session="later")
    where = decided(service.agent, used).headers["location"]
    service.approver.post(where, json={"answer": "approve"})
    assert decided(service.agent, used).status_code == 200
    assert service.approver.post(where, json={"answer": "approve"}).status_code == 409
    assert service.agent.get(where).json()["status"] == "redeemed"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"answer": None},
        {"answer": True},
        {"answer": ["approve"]},
        {"answer": {"approve": 1}},
        {"answer": "APPROVE"},
        {"answer": "approve", "reach": 1},
        {"answer": "approve", "reason": "x" * 2001},
        {"answer": "approve", "reason": None},
    ],
    ids=lambda answer: str(answer)[:40],
)
def test_an_answer_that_is_none_is_refused(service: Serving, answer: dict[str, object]) -> None:
    call = service.call("refund", {"amount": 62}, session=f"no-answer {str(answer)[:80]}")
    where = decided(service.agent, call).headers["location"]
    found = service.approver.post(where, json=answer)
    assert (found.status_code, found.json()["error"]["code"]) == (400, "bad_request")
    assert service.agent.get(where).json()["status"] == "pending"


def test_a_yes_to_a_call_whose_tool_is_declared_otherwise_fires_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from pathlib import Path

    with Serving(tmp_path_factory.mktemp("changed"), policy=POLICY) as service:
        before, after = (service.call("refund", {"amount": n}, session="changed") for n in (1, 2))
        asked = decided(service.agent, before).headers["location"]
        approved = decided(service.agent, after).headers["location"]
        service.approver.post(approved, json={"answer": "approve"})
        keyed = approved_under(service, 3, "changed", "k-9")
        assert keyed.status_code == 200
        Path(service.folders.user_policy).write_text(POLICY.replace('"high"', '"critical"'))
        assert service.approver.post(asked, json={"answer": "approve"}).status_code == 200
        assert decided(service.agent, before).status_code != 200  # it is another question by now
        assert decided(service.agent, after).status_code != 200
        same = service.call("refund", {"amount": 3}, session="changed")
        assert decided(service.agent, same, **{"idempotency-key": "k-9"}).status_code != 200


def test_a_question_whose_time_is_over_takes_no_answer(tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = POLICY + "\n[approvals]\ntimeout = 1\n"
    with Serving(tmp_path_factory.mktemp("expires"), policy=policy) as service:
        call = service.call("refund", {"amount": 1}, session="expires")
        where = decided(service.agent, call).headers["location"]
        ledger = Ledger(service.folders.ledger, front="serve")
        later = Ledger(service.folders.ledger, front="cli:token", clock=lambda: ledger.clock() + 61_000)
        with later.deciding() as turn:  # the store's clock never runs backwards
            turn.append("watch", b'{"says":"later"}', key="x")
        found = service.approver.post(where, json={"answer": "approve"})
        assert (found.status_code, found.json()["error"]["code"]) == (409, "conflict")
        assert decided(service.agent, call).status_code != 200
        ledger.close()
        later.close()
