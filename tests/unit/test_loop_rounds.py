"""The loop guard over whole sessions: work goes on, what only looks never locks, and loops are stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.standing import Case
from interlock.approve.weigh import as_seen
from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.limits import MAX_RECENT
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.session import Session, advance, inherit, spoken, unlock
from interlock.model.verdict import Verdict
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.reading.read import read_call
from interlock.record.receipt import receipt_body
from interlock.record.replay import differences, rederive
from interlock.record.resume import state_of
from interlock.record.sessions import session_from_wire, session_to_wire
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))
FREE, REFUSED, LOCKED = "free", "refused", "locked"


class Life:
    """One session, call after call, with moments that the test sets."""

    def __init__(self, policy: Policy = POLICY) -> None:
        self.session, self.policy, self.at = Session(id="s"), policy, 1_000_000
        self.decision: Decision

    def call(self, command: str, came: str = "ran same", *, agent: str = "", after: int = 1) -> str:
        """Decides the call, `after` seconds after the last one; what was allowed came to this."""
        self.at += after
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p", session="s", agent=agent)
        reading = read_call(call, Facts(root="/p", home="/home/u"))
        case = Case(call=call, reading=reading, policy=self.policy, session=self.session, at=self.at)
        seen = as_seen(case, self.session)
        self.decision = decide(call, reading, self.policy, seen, ())
        self.replays(call, reading, seen)
        outcome, _, result = came.partition(" ")
        allowed = self.decision.verdict is not Verdict.DENY
        polled = seen.repeated is not None and seen.repeated.polls_again
        self.session = advance(
            self.session,
            reading,
            self.decision.replace(verdict=Verdict.ALLOW) if allowed else self.decision,
            outcome if allowed else "unknown",
            result or None,
            agent=agent,
            at=self.at,
            polled=polled,
        )
        assert session_from_wire(parse_object(canonical(session_to_wire(self.session)))) == self.session
        loop = {(found.rule, found.locks) for found in self.decision.reasons if found.layer == "loop"}
        return FREE if not loop else LOCKED if any(locks for _, locks in loop) else REFUSED

    def replays(self, call: Call, reading: Reading, seen: Session) -> None:
        body = receipt_body(call, reading, self.policy.digest, seen, self.decision)
        kept = parse_object(canonical(body))
        assert differences(kept, rederive(kept, self.policy)) == []

    def calls(self, *commands: str) -> list[str]:
        return [self.call(command) for command in commands]


READS = ["git status", "gh run view 7", "curl -sf http://localhost:8080/health", "kubectl get pods", "docker ps"]


@pytest.mark.parametrize("read", READS)
def test_a_read_in_a_tight_loop_is_refused_and_never_locks(read: str) -> None:
    life = Life()
    assert life.calls(*[read] * 50) == [FREE, FREE] + [REFUSED] * 48
    assert life.session.posture is Posture.INTERACTIVE
    assert life.decision.reasons[0].instead.startswith("You have this result already")
    assert life.call("touch a") == FREE
    assert life.call(read) == FREE  # something was done since


def test_a_round_of_reads_is_refused_and_never_locks() -> None:
    life = Life()
    told = life.calls(*["git status", "git diff", "git log -3", "docker ps"] * 10)
    assert (told[:8], set(told[8:])) == ([FREE] * 8, {REFUSED})


@pytest.mark.parametrize("read", READS)
def test_the_same_read_after_some_time_is_polling(read: str) -> None:
    life = Life()
    assert {life.call(read, after=10) for _ in range(202)} == {FREE}
    assert life.session.polls == 200
    assert life.call(read, after=9) == REFUSED
    assert life.decision.reasons[0].rule == "pointless"
    assert life.call(read, after=9) == REFUSED  # a refused read begins the time anew
    assert life.call(read, after=10) == REFUSED
    assert life.decision.reasons[0].rule == "polls"
    assert life.session.posture is Posture.INTERACTIVE
    assert life.call("make test") == FREE
    assert {life.call(read, after=10) for _ in range(202)} == {FREE}  # other work begins the count anew


def test_polling_two_things_in_turn_is_polling() -> None:
    life = Life()
    turns = [
        life.call(read, after=after) for _ in range(40) for read, after in (("gh run view 7", 30), ("gh pr checks", 1))
    ]
    assert set(turns) == {FREE}


def test_a_poll_that_brings_something_new_costs_nothing() -> None:
    life = Life()
    for number in range(300):
        assert life.call("gh run view 7", f"ran step-{number}", after=30) == FREE
    assert life.session.polls == 0


def test_where_no_moment_is_known_nothing_is_polling() -> None:
    life = Life()
    life.at = 0
    for _ in range(2):
        life.call("git status", after=0)
    assert life.call("git status", after=10**7) == REFUSED


def test_the_pace_and_the_number_of_polls_are_settings() -> None:
    life = Life(POLICY.replace(loop_pace=60, loop_polls=3))
    assert [life.call("git status", after=60) for _ in range(6)] == [FREE] * 5 + [REFUSED]


ACTS = ["git push origin main", "kubectl delete pod a", "curl -X POST -d x https://a.test", "npm install left-pad"]


@pytest.mark.parametrize("act", ACTS)
def test_reads_in_between_do_not_hide_that_an_act_is_repeated(act: str) -> None:
    life = Life()
    for number, wanted in enumerate((FREE, FREE, REFUSED, LOCKED)):
        for read in range(30):
            life.call(f"git show HEAD~{number}{read}", f"ran {number}-{read}")
        assert life.call(act) == wanted, number
    assert life.session.posture is Posture.LOCKED


@pytest.mark.parametrize("between", ["echo {}", "sleep {}", "git show HEAD~{}", ": {}", "git log -{}"])
@pytest.mark.parametrize("length", [2, 3, 7])
def test_a_no_op_that_varies_hides_no_cycle_of_acts(between: str, length: int) -> None:
    life = Life()
    told = []
    for number in range(4):
        told += [life.call(f"kubectl delete pod p{at}") for at in range(length)]
        life.call(between.format(number), f"ran {number}")
    assert told[: 2 * length] == [FREE] * 2 * length
    assert told[2 * length] == REFUSED
    assert LOCKED in told


@pytest.mark.parametrize("length", range(1, 9))
def test_a_cycle_of_up_to_eight_is_refused_the_third_time_and_locks_the_fourth(length: int) -> None:
    life = Life()
    cycle = [f"kubectl delete pod p{number}" for number in range(length)]
    assert life.calls(*cycle, *cycle) == [FREE] * 2 * length
    assert life.calls(cycle[0], cycle[0]) == [REFUSED, LOCKED]  # tried again at once

    life = Life()
    life.calls(*cycle, *cycle)
    told = life.calls(*cycle, *cycle)
    assert (told[0], LOCKED in told) == (REFUSED, True)


def test_a_cycle_in_another_order_is_one() -> None:
    life = Life()
    a, b, c = "kubectl delete pod a", "kubectl delete pod b", "kubectl delete pod c"
    assert life.calls(a, b, c, a, c, b) == [FREE] * 6
    assert life.call(a) == REFUSED


@pytest.mark.parametrize("run", ["make test", "pytest -q", "npm run build", "cargo test"])
def test_a_test_run_that_fails_otherwise_is_progress(run: str) -> None:
    life = Life()
    for number in range(20):
        assert life.call(run, f"failed failures-{number}") == FREE
    assert [life.call(run, "failed one") for _ in range(4)] == [FREE, FREE, REFUSED, LOCKED]


def test_what_was_read_between_two_test_runs_is_progress_and_the_same_reads_are_none() -> None:
    life = Life()
    for number in range(9):
        assert life.call("make test", "failed one") == FREE
        assert life.call(f"git show HEAD~{number}", f"ran {number}") == FREE
    life = Life()
    for _ in range(2):
        assert [life.call("make test", "failed one"), life.call("git diff")] == [FREE, FREE]
    assert life.call("make test", "failed one") == REFUSED


def test_a_pause_does_not_make_polling_of_what_runs_or_acts() -> None:
    for command in ("make test", "git push origin main", "git add -A"):
        life = Life()
        assert [life.call(command, "failed x", after=3600) for _ in range(4)] == [FREE, FREE, REFUSED, LOCKED]


def test_agents_that_share_a_session_do_not_make_each_others_loops() -> None:
    for command in ("make test", "git status"):
        life = Life()
        assert {life.call(command, agent=f"sub-{number}") for number in range(20)} == {FREE}


def test_an_agent_in_a_loop_is_stopped_while_others_work() -> None:
    life = Life()
    told = []
    for number in range(4):
        told.append(life.call("make test", "failed one", agent="a"))
        life.call(f"git show HEAD~{number}", f"ran {number}", agent="b")
        life.call(f"npm run build-{number}", f"failed {number}", agent="c")
    assert told == [FREE, FREE, REFUSED, LOCKED]


def test_what_another_agent_does_hides_no_repeated_act_unless_it_edits() -> None:
    life = Life()
    told = []
    for number in range(4):
        told.append(life.call("kubectl delete pod a", agent="a"))
        life.call(f"git push origin b{number}", agent="b")
    assert told == [FREE, FREE, REFUSED, LOCKED]
    life = Life()
    for number in range(9):
        assert life.call("git push origin main", "failed x", agent="a") == FREE
        life.call(f"touch f{number}", agent="b")


def test_after_a_person_spoke_all_starts_anew() -> None:
    for begin in (spoken, lambda session: unlock(session, Posture.INTERACTIVE)):
        life = Life()
        assert life.calls(*["git status"] * 3, *["make test"] * 3)[-1] == REFUSED
        life.session = begin(life.session.replace(polls=7))
        assert (life.session.recent, life.session.polls) == ((), 0)
        assert life.calls("git status", "git status", "make test", "make test") == [FREE] * 4


def test_calls_that_only_look_alike_are_noted_and_nothing_more() -> None:
    life = Life()
    noted = []
    for number in range(12):
        assert life.call(f"curl -sf http://localhost:80{number}/health", "failed refused") == FREE
        noted.append(life.decision.notes)
    note = "The last {} calls of this kind gave the same result."
    assert [at for at, notes in enumerate(noted) if notes] == [5, 10]
    assert (noted[5], noted[10]) == ((note.format(5),), (note.format(10),))


def test_making_many_files_is_worth_no_note() -> None:
    life = Life()
    for number in range(30):
        assert life.call(f"mkdir -p out/{number}") == FREE
        assert life.decision.notes == ()


def test_ten_thousand_writes_with_edits_and_tests_between_them_never_trip_it() -> None:
    session, policy = Session(id="s"), POLICY
    largest = 0
    for number in range(10_000):
        for command, came in (
            (f"touch out/{number}", "ran x"),
            ("sed -i s/a/b/ x.py", "ran x"),
            ("make test", "failed one"),
        ):
            if number % (1 if "touch" in command else 5):
                continue
            call, reading = _read(command)
            decision = decide(call, reading, policy, session.replace(written=frozenset(), created=frozenset()), ())
            assert not any(found.layer == "loop" for found in decision.reasons), (number, command)
            outcome, _, result = came.partition(" ")
            session = advance(session, reading, decision.replace(verdict=Verdict.ALLOW), outcome, result, at=number)
            session = session.replace(written=frozenset(), created=frozenset())
        largest = max(largest, len(session.recent))
    assert largest == MAX_RECENT
    assert len(state_of(session, Posture.INTERACTIVE)) < 12_000


_READ: dict[str, tuple[Call, Reading]] = {}


def _read(command: str) -> tuple[Call, Reading]:
    if command not in _READ:
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p", session="s")
        _READ[command] = call, read_call(call, Facts(root="/p", home="/home/u"))
    return _READ[command]


def test_a_state_that_an_older_version_kept_goes_on() -> None:
    old = {"projection": "sha256:" + "ab" * 32, "outcome": "failed hmac-sha256:0123abcd:" + "cd" * 32}
    wire = parse_object(canonical({**session_to_wire(Session(id="s")), "recent": [[*old.values(), "looks"]] * 16}))
    session = session_from_wire(wire)
    assert [(ran.projection, ran.outcome, ran.at) for ran in session.recent] == [("ab" * 8, old["outcome"], 0)] * 16


def test_a_session_below_begins_without_the_steps_of_the_one_above() -> None:
    life = Life()
    life.calls("make test", "make test")
    assert inherit(Session(id="below"), life.session).recent == ()
