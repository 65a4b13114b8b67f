"""`interlock.Gate`: what runs, what does not, and what is told of it."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import interlock
from interlock.gate.checked import Checked
from interlock.model.call import Call
from interlock.model.errors import PolicyError
from interlock.model.verdict import Risk
from interlock.policy.declared import declared, with_declared
from interlock.policy.model import Policy, ToolSpec
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, every_question, one_question
from interlock.store.people.offers import offers_for


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[interlock.Gate]:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with interlock.Gate(home=tmp_path, deadline=60) as made:
        yield made


def person(tmp_path: Path, *, yes: bool) -> None:
    """Somebody answers at a terminal, as soon as there is a question."""
    folders = folders_for(str(tmp_path))
    ledger = Ledger(folders.ledger, front="cli:approvals")
    end = time.monotonic() + 30
    while not (found := [one for one in every_question(ledger) if one.is_open]):
        assert time.monotonic() < end
        time.sleep(0.05)
    for asked in found:
        answered(ledger, one_question(ledger, asked.question.id), yes=yes, by="ann", why="")
    ledger.close()


def rows(tmp_path: Path, kind: str) -> list[Any]:
    ledger = Ledger(folders_for(str(tmp_path)).ledger)
    found = list(ledger.connect().entries("SELECT * FROM ledger WHERE kind = ? ORDER BY seq", (kind,)))
    ledger.close()
    return found


def test_two_lines_gate_a_tool(gate: interlock.Gate, tmp_path: Path) -> None:
    ran = []

    @gate.tool(effects=["read"])
    def lookup(order: str, limit: int = 3) -> list[int]:
        ran.append((order, limit))
        return [limit]

    assert lookup("a7") == [3]
    assert ran == [("a7", 3)]
    assert [b'"outcome":"ran"' in row.body for row in rows(tmp_path, "outcome")] == [True]


def test_ask_raises_runs_after_a_yes_and_asks_again(gate: interlock.Gate, tmp_path: Path) -> None:
    ran = []

    @gate.tool(effects=["network"], risk="high", irreversible=True)
    def refund(amount: int) -> str:
        ran.append(amount)
        return "done"

    with gate.session("s1"):
        with pytest.raises(interlock.NeedsApproval) as asked:
            refund(5000)
        assert ran == []
        assert asked.value.approval.startswith("ap_")
        assert asked.value.person.startswith("Use the tool `refund`")
        person(tmp_path, yes=True)
        assert refund(5000) == "done"
        with pytest.raises(interlock.NeedsApproval):
            refund(5000)
    assert ran == [5000]
    assert verify(folders_for(str(tmp_path))).damage is None


def test_a_no_denies(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("refund", effects=["network"], risk="high", irreversible=True)
    assert gate.check("refund", {"amount": 1}, session="s1").verdict == "ask"
    person(tmp_path, yes=False)
    assert gate.check("refund", {"amount": 1}, session="s1").verdict == "deny"


def test_waiting_lets_the_call_through_once_somebody_said_yes(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("refund", effects=["network"], risk="high", irreversible=True)
    answers = threading.Thread(target=lambda: person(tmp_path, yes=True))
    answers.start()
    checked = gate.check("refund", {"amount": 1}, session="s1", wait=60)
    answers.join()
    assert checked.verdict == "allow"


def test_a_tool_that_nobody_declared_asks(gate: interlock.Gate) -> None:
    assert gate.check("wire", {"to": "x"}).verdict == "ask"


def test_a_question_promises_no_more_than_the_yes_to_an_approval_gives(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("restart", effects=["execute"])

    def asked(service: str, session: str = "s1") -> list[str]:
        return gate.check("restart", {"service": service}, session=session).person.splitlines()

    only = "Yes counts for this call only"
    assert asked("web")[1] == f"{only}; with `--reach session` it also covers other calls of this tool."
    person(tmp_path, yes=True)
    assert asked("web") == []
    assert asked("db")[0] == "Use the tool `restart` (service `db`): it runs a program."  # the yes was for one call
    assert asked("db", session="")[1] == f"{only}."


def test_the_reach_that_a_question_offers_can_be_had(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("restart", effects=["execute"])
    asked = gate.check("restart", {"service": "web"}, session="s1")
    assert "`--reach session`" in asked.person
    folders = folders_for(str(tmp_path))
    ledger = Ledger(folders.ledger, front="cli:approvals")
    offers = offers_for(one_question(ledger, asked.approval))
    ledger.close()
    assert [offer.refused for offer in offers if offer.reach == "session"] == [""]


def test_the_file_stands_in_the_place_of_the_users_policy(tmp_path: Path) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text('version = 1\n[tools.lookup]\neffects = ["read"]\n[risk]\nunregistered = "deny"\n')
    with interlock.Gate(policy, home=tmp_path) as gate:
        assert gate.check("lookup", {}).verdict == "allow"
        assert gate.check("other", {}).verdict == "deny"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "1:1: the file is not there"),
        ('version = 1\n[tools.x]\neffects = ["delete"]\n', "3:1: `effects` must be a list of read, write, network"),
    ],
)
def test_a_policy_that_cannot_be_used_is_an_error_at_once(tmp_path: Path, text: str | None, problem: str) -> None:
    policy = tmp_path / "p.toml"
    if text is not None:
        policy.write_text(text)
    with pytest.raises(PolicyError, match=f"^{re.escape(f'{policy}:{problem}')}"):
        interlock.Gate(policy, home=tmp_path)


def test_a_policy_that_breaks_while_the_program_runs_is_a_deny(tmp_path: Path) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text("version = 1\n")
    with interlock.Gate(policy, home=tmp_path, deadline=60) as gate:
        policy.write_text("version = ")
        assert "p.toml" in gate.check("x", {}).person
        assert gate.check("x", {}).verdict == "deny"


def test_bash_is_read_as_the_hook_reads_it(gate: interlock.Gate) -> None:
    assert gate.check("Bash", {"command": "ls -la"}, session="s").verdict == "allow"
    denied = gate.check("Bash", {"command": "rm -rf ~"}, session="s")
    assert denied.verdict == "deny"
    assert denied.agent.startswith("Refused:")
    assert denied.receipt.startswith("sha256:")


@pytest.mark.parametrize("given", [{"a": object()}, {"a": {1, 2}}, {"a": float("nan")}, {"a": b"x"}, {1: "x"}, ["x"]])
def test_what_is_no_json_is_an_input_error(gate: interlock.Gate, given: Any) -> None:
    with pytest.raises(interlock.InputError):
        gate.check("lookup", given)


def test_the_function_gets_what_was_decided_about(gate: interlock.Gate) -> None:
    seen = []

    @gate.tool(effects=["read"])
    def send(to: list[str]) -> None:
        seen.append(list(to))

    given = ["ok"]
    before = gate.backend.decide

    def changes_it(call: Call) -> Checked:
        checked = before(call)
        given[0] = "bad"  # another thread, after the gate has looked
        return checked

    gate.backend.decide = changes_it  # type: ignore[method-assign]
    send(given)
    assert seen == [["ok"]]


def test_a_gate_that_breaks_or_hangs_denies(gate: interlock.Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []

    @gate.tool(effects=["read"])
    def lookup() -> None:
        ran.append(1)

    def breaks(call: Call) -> Checked:
        raise RuntimeError("boom")

    monkeypatch.setattr(gate.backend, "decide", breaks)
    with pytest.raises(interlock.Denied, match="RuntimeError"):
        lookup()
    monkeypatch.setattr(gate.backend, "decide", lambda call: time.sleep(3))
    gate.deadline = 0.1
    began = time.monotonic()
    with pytest.raises(interlock.Denied, match="did not answer"):
        lookup()
    assert time.monotonic() - began < 2
    monkeypatch.setattr(gate.backend, "decide", lambda call: "junk")
    gate.deadline = 5
    with pytest.raises(interlock.Denied):
        lookup()
    assert ran == []


def test_an_allow_that_came_too_late_is_told_as_not_run(
    gate: interlock.Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.declare("lookup", effects=["read"])
    gate.check("lookup", {}, session="s1")
    real = gate.backend.decide

    def slow(call: Call) -> Checked:
        time.sleep(0.4)
        return real(call)

    monkeypatch.setattr(gate.backend, "decide", slow)
    gate.deadline = 0.1
    assert gate.check("lookup", {"n": 1}, session="s1", call_id="late").verdict == "deny"
    end = time.monotonic() + 10
    while not any(b'"not_run"' in row.body for row in rows(tmp_path, "outcome")):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_what_a_tool_raised_is_told_as_failed(gate: interlock.Gate, tmp_path: Path) -> None:
    @gate.tool(effects=["read"])
    def lookup() -> None:
        raise ValueError("no such order")

    with gate.session("s1"), pytest.raises(ValueError, match="no such order"):
        lookup()
    assert [b'"outcome":"failed"' in row.body for row in rows(tmp_path, "outcome")] == [True]


def test_the_same_call_id_is_decided_once(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("lookup", effects=["read"])
    first = gate.check("lookup", {"n": 1}, session="s1", call_id="c1")
    again = gate.check("lookup", {"n": 1}, session="s1", call_id="c1")
    assert (first.receipt, len(rows(tmp_path, "decision"))) == (again.receipt, 1)


def test_async_tools_do_not_block_the_loop(gate: interlock.Gate, tmp_path: Path) -> None:
    ticks = []

    @gate.tool(effects=["network"], risk="high", irreversible=True, wait=60)
    async def refund(amount: int) -> str:
        return f"refunded {amount}"

    async def main() -> str:
        async def beat() -> None:
            while True:
                ticks.append(1)
                await asyncio.sleep(0.02)

        heart = asyncio.create_task(beat())
        with gate.session("s1"):
            waits = asyncio.create_task(refund(7))
        await asyncio.to_thread(person, tmp_path, yes=True)
        found = await waits
        heart.cancel()
        return found

    assert asyncio.run(main()) == "refunded 7"
    assert len(ticks) > 2  # while a person was waited for


def test_calls_that_wait_for_a_person_keep_no_thread_of_the_program(gate: interlock.Gate, tmp_path: Path) -> None:
    async def main() -> set[str]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        waits = [asyncio.create_task(gate.acheck("wire", {"to": n}, session=f"s{n}", wait=60)) for n in range(8)]
        while len(rows(tmp_path, "prompt")) < len(waits):
            await asyncio.sleep(0.05)
        began = time.monotonic()
        for _ in range(4):
            await asyncio.to_thread(time.sleep, 0)
        assert time.monotonic() - began < 4  # a second each, where every one of them has its turn in the thread
        await asyncio.to_thread(person, tmp_path, yes=True)
        return {checked.verdict for checked in await asyncio.gather(*waits)}

    assert asyncio.run(main()) == {"allow"}


def test_hold_around_any_code(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("send", effects=["read"])
    with gate.hold("send", {"to": "a"}, session="s1") as permit:
        assert dict(permit.input) == {"to": "a"}
    with pytest.raises(interlock.NeedsApproval), gate.hold("unknown", {"to": "a"}, session="s1"):
        pytest.fail("it ran")

    async def main() -> str:
        async with gate.hold(Call(tool="send", input={"to": "b"}, session="s1", cwd=str(tmp_path))) as permit:
            return str(permit.input["to"])

    assert asyncio.run(main()) == "b"


def test_many_threads_share_a_gate(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("refund", effects=["network"], risk="high", irreversible=True)
    gate.check("refund", {"amount": 1}, session="s1")
    person(tmp_path, yes=True)
    found: list[str] = []

    def one() -> None:
        found.append(gate.check("refund", {"amount": 1}, session="s1").verdict)

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count("allow") == 1
    assert verify(folders_for(str(tmp_path))).damage is None


# --- declarations ------------------------------------------------------------------------------------------------


def test_the_policy_counts_and_a_declaration_only_raises_it() -> None:
    strict = ToolSpec(name="t", risk=Risk.HIGH, irreversible=True)
    loose = declared("t", effects=["read"], risk="low")
    for given, said in ((strict, loose), (loose, strict)):
        policy = with_declared(Policy(tools={"t": given}), {"t": said})
        assert (policy.tools["t"].risk, policy.tools["t"].irreversible) == (Risk.HIGH, True)
        assert policy.tools["t"].effects == given.effects


def test_hints_of_a_server_only_raise() -> None:
    plain = declared("t", effects=["read"])
    assert declared("t", effects=["read"], annotations={"readOnlyHint": True}) == plain
    raised = declared("t", effects=["read"], annotations={"destructiveHint": True, "openWorldHint": True})
    assert raised.irreversible
    assert "external" in raised.tags
    assert declared("t", annotations={"readOnlyHint": True, "destructiveHint": False}) == declared("t")


def test_a_schema_says_what_arguments_are(gate: interlock.Gate) -> None:
    schema = {
        "properties": {"path": {"type": "string", "x-interlock-role": "write"}},
        "x-interlock": {"effects": ["write"]},
    }
    gate.declare("save", schema=schema)
    assert gate.check("save", {"path": "a.txt"}, session="s").verdict == "allow"
    assert gate.check("save", {"path": "/etc/hosts"}, session="s").verdict == "ask"


@pytest.mark.parametrize(
    "about",
    [{"effects": ["reed"]}, {"risk": "huge"}, {"args": {"a": "wirte"}}, {"schema": {"x-interlock": {"efects": []}}}],
)
def test_a_typo_is_an_error(about: dict[str, Any]) -> None:
    with pytest.raises(interlock.InputError, match=r"known|no effect|no risk"):
        declared("t", **about)


def test_what_is_declared_is_in_the_digest_of_the_policy(gate: interlock.Gate, tmp_path: Path) -> None:
    gate.declare("a", effects=["read"])
    gate.check("a", {})
    gate.declare("b", effects=["read"])
    gate.check("a", {})
    assert len({row.key for row in rows(tmp_path, "policy")}) == 2


def test_a_program_can_see_whether_a_question_was_answered(gate: interlock.Gate, tmp_path: Path) -> None:
    asked = gate.check("wire", {"to": "x"}, session="s1")
    assert not gate.answered(asked.approval)
    assert not asyncio.run(gate.aanswered(asked.approval))
    person(tmp_path, yes=False)
    assert gate.answered(asked.approval, wait=30)
    assert gate.check("wire", {"to": "x"}, session="s1").verdict == "deny"


def test_a_question_that_nobody_asked_is_not_taken_for_answered(gate: interlock.Gate) -> None:
    with pytest.raises(interlock.ApprovalError, match="nobody has asked for an approval `ap_nope` in this ledger"):
        gate.answered("ap_nope")


def test_what_a_check_told_can_be_printed(gate: interlock.Gate) -> None:
    asked = gate.check("wire", {"to": "x"}, session="s1")
    assert len(repr(asked)) < 700
    assert all(word in repr(asked) for word in ("Checked(verdict='ask'", asked.approval, asked.receipt))


def test_the_policy_of_the_page_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    policy = tmp_path / "p.toml"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("refund", {"order": "7", "amount": 50}),
        ("restart", {"service": "web"}),
        ("tag_file", {"path": "a.txt", "tag": "old"}),
        ("tag_file", {"path": "/etc/hosts", "tag": "old"}),
        ("shell", {"command": "ls -la"}),
        ("shell", {"command": "git push --force origin main"}),
    ]

    def verdicts() -> list[str]:
        with interlock.Gate(policy, home=tmp_path, deadline=60) as gate:
            return [gate.check(tool, given, session="s1").verdict for tool, given in calls]

    policy.write_text(shown)
    assert verdicts() == ["ask", "ask", "allow", "ask", "allow", "ask"]
    policy.write_text(f'{shown}\n[tiers.actions]\n"tool:restart" = 1\n')
    assert verdicts() == ["ask", "allow", "allow", "ask", "allow", "ask"]
