"""Grants of the ledger at work: whom they reach, until when, how often; and which should be looked at again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.approve.grant import Grant
from interlock.approve.keys import remembered
from interlock.approve.pointed import Standing, pointed_out
from interlock.bytes.canon import canonical
from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.errors import InputError
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.ahead import permitted_ahead
from interlock.policy.model import Policy, Rule, When
from interlock.record.replay import differences, rederive
from interlock.runtime import judge
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.given import forget_dead
from interlock.store.ledger.grants import GivenGrant, give, holder_of, remember
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.value import FrozenMap
from ledger_rows import change, ledger_rows
from racing import raced, without_hurry

PUSH = "git push origin feature/x"
DAY = 24 * 3600 * 1000


class Place:
    """A ledger with a clock of its own, a policy and a folder in which calls are made."""

    def __init__(self, folder: Path) -> None:
        self.folders: Folders = folders_for(str(folder / "home"))
        self.root = folder / "project"
        (self.root / ".git").mkdir(parents=True)
        self.now = 1_000_000
        self.ledger = Ledger(self.folders.ledger, clock=lambda: self.now)
        self.policy: Policy = load_policy(self.folders, str(self.root))

    def give(self, what: str, reach: str = "everywhere", place: str = "", expires: int = 0, uses: int = 0) -> str:
        grant = permitted_ahead(what, {"destination": "*"}, by="me").replace(reach=reach)
        with self.ledger.deciding() as turn:
            holder = holder_of(reach, place)
            return give(turn, GivenGrant(grant=grant, holder=holder, expires=expires, uses=uses)).grant.id

    def judge(self, command: str = PUSH, session: str = "s", cwd: str = "", agent: str = "") -> Any:
        world = World(folders=self.folders, root=str(self.root), policy=self.policy, ledger=self.ledger, resumes=True)
        given = FrozenMap({"command": command})
        call = Call(tool="Bash", input=given, cwd=cwd or str(self.root), session=session, agent=agent)
        return judge(call, world, Session(id=session))

    def verdict(self, *arguments: str, **named: str) -> str:
        return str(self.judge(*arguments, **named).decision.verdict.name)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_session_a_folder_a_repository_and_everything_are_reached_and_nothing_else(place: Place) -> None:
    elsewhere = str(place.root.parent)
    place.give("git push", "session", "s1")
    assert [place.verdict(session=session) for session in ("s1", "s2", "")] == ["allow", "ask", "ask"]
    place.give("npm publish", "folder", str(place.root))
    assert place.verdict("npm publish") == "allow"
    assert place.verdict("npm publish", cwd=elsewhere) == "ask"
    assert place.verdict(f"cd {elsewhere} && npm publish") == "ask"
    place.give("cargo publish", "repository", str(place.root))
    assert place.verdict("cargo publish") == "allow"
    assert place.verdict(f"cd {elsewhere} && cargo publish") == "ask"
    place.give("docker push")
    assert place.verdict("docker push r.example/x", cwd=elsewhere) == "allow"


def test_a_folder_that_cannot_be_told_is_none_that_a_grant_reaches(place: Place) -> None:
    place.give("git push", "repository", str(place.root))
    place.give("npm publish", "folder", str(place.root))
    commands = (PUSH, f'cd "$X" && {PUSH}', f"cd /srv/x; {PUSH}", 'cd "$X" && npm publish',
                "git --git-dir=/srv/x/.git push origin feature/x", f"GIT_DIR=/srv/x/.git {PUSH}")  # fmt: skip
    assert [place.verdict(command) for command in commands] == ["allow", *["ask"] * 5]


def test_a_folder_is_where_links_lead(place: Place) -> None:
    place.give("git push", "folder", str(place.root))
    outside = place.root.parent / "outside"
    outside.mkdir()
    (place.root / "link").symlink_to(outside)
    assert place.verdict(cwd=str(place.root / "link")) == "ask"


def test_expired_revoked_and_used_up_lift_nothing_even_if_the_clock_goes_back(place: Place) -> None:
    place.give("git push", expires=place.now + 1000)
    assert place.verdict() == "allow"
    place.now += 2000
    assert place.verdict() == "ask"
    place.now -= 2000
    assert place.verdict() == "ask"
    place.give("git push", uses=1)
    assert [place.verdict() for _ in range(2)] == ["allow", "ask"]
    name = place.give("git push")
    assert place.verdict() == "allow"
    with place.ledger.deciding() as turn:
        turn.revoke(name, b"{}")
    assert place.verdict() == "ask"
    assert forget_dead(place.folders) == 3
    assert place.verdict() == "ask"
    assert verify(place.folders).damage is None


def test_what_has_no_number_of_uses_is_used_first(place: Place) -> None:
    counted = place.give("git push", uses=1)
    free = place.give("git push")
    assert [grant.id for grant in place.judge().decision.used] == [free]
    assert [row["key"] for row in ledger_rows(Path(place.folders.ledger), "redemption")] == [free]
    assert counted != free


def test_a_use_is_not_counted_where_the_call_is_not_allowed(place: Place) -> None:
    place.give("git push", uses=1)
    assert place.verdict(f"{PUSH} && npm publish") == "ask"
    assert place.verdict() == "allow"


def test_a_near_miss_is_told(place: Place) -> None:
    grant = permitted_ahead("git push", {"destination": "*", "branch": "feature/*"}, by="me")
    with place.ledger.deciding() as turn:
        name = give(turn, GivenGrant(grant=grant, holder="")).grant.id
    missed = place.judge("git push origin main").decision.near_misses
    assert {(miss.grant, miss.why) for miss in missed} == {
        (name, "its scope is branch = feature/*, the call's is main")
    }


def test_a_decision_that_used_a_grant_replays_byte_for_byte_after_it_was_revoked(place: Place) -> None:
    name = place.give("git push", uses=3)
    outcome = place.judge()
    with place.ledger.deciding() as turn:
        turn.revoke(name, b"{}")
    (row,) = ledger_rows(Path(place.folders.ledger), "decision")
    assert differences(outcome.body, rederive(outcome.body, place.policy)) == []
    assert row["key"] == outcome.receipt
    assert [grant["id"] for grant in outcome.body["grants"]] == [name]


@pytest.mark.slow
def test_of_fifty_processes_one_gets_the_last_use(place: Place) -> None:
    place.give("git push", uses=1)
    place.ledger.close()

    def allowed(number: int) -> bool:
        place.ledger = without_hurry(Ledger(place.folders.ledger))
        outcome = place.judge(session=f"s{number}")
        assert outcome.trouble is None, outcome.trouble
        return outcome.decision.verdict is Verdict.ALLOW

    assert sum(raced(allowed)) == 1
    assert verify(place.folders).damage is None


def test_an_edit_of_the_table_brings_nothing_back_and_is_seen(place: Place) -> None:
    place.give("git push", "session", "s1", expires=place.now + 10)
    place.ledger.close()
    place.now += 1000
    change(Path(place.folders.ledger), "UPDATE grants SET expires = 0, holder = ''")
    assert [place.verdict(session=session) for session in ("s1", "s2")] == ["ask", "ask"]
    damage = verify(place.folders).damage
    assert damage is not None
    assert damage.kind == "state"


def test_a_revoked_grant_put_back_into_the_table_is_seen(place: Place) -> None:
    name = place.give("git push")
    with place.ledger.deciding() as turn:
        turn.revoke(name, canonical({"by": "me"}))
    place.ledger.close()
    change(Path(place.folders.ledger), "UPDATE grants SET ended = 0")
    damage = verify(place.folders).damage
    assert damage is not None
    assert "not kept as its rows say" in damage.text


def test_a_yes_is_remembered_with_the_call_that_it_answers(place: Place) -> None:
    outcome = place.judge("npm install left-pad")
    assert outcome.decision.verdict is Verdict.ASK
    given = [g for f in outcome.decision.reasons for g in remembered(f, outcome.reading.actions, by="me")]
    with place.ledger.deciding() as turn:
        (kept,) = remember(turn, given, holder=holder_of("session", "s"), call=outcome.receipt)
    assert (kept.call, kept.grant.kind) == (outcome.receipt, "remembered")
    assert place.verdict("npm install left-pad") == "allow"
    assert place.verdict("npm install left-pad@2") == "ask"
    assert place.verdict("npm install right-pad") == "ask"
    assert place.verdict("npm install left-pad", session="other") == "ask"


def test_an_approval_of_one_call_is_not_given_as_a_grant(place: Place) -> None:
    with pytest.raises(InputError), place.ledger.deciding() as turn:
        give(turn, GivenGrant(grant=Grant(id="", kind="once", binds="ap_1"), holder=""))


NOW = 100 * DAY
WIDE = Grant(id="wide", kind="capability", action="git:*")
FEATURE = Grant(id="feature", kind="capability", action="git:push", scope=FrozenMap({"branch": "feature/*"}))
DENIES = Rule(id="no", when=When(action="git:*"), verdict=Verdict.DENY, reason="")


@pytest.mark.parametrize(
    ("standings", "rules", "expected"),
    [
        ([Standing(grant=FEATURE, place="session s")], (), []),
        ([Standing(grant=FEATURE, place="session s", expires=NOW)], (), [("feature", "dead")]),
        ([Standing(grant=FEATURE, place="session s", uses=2, used=2)], (), [("feature", "dead")]),
        ([Standing(grant=FEATURE, place="session s", revoked=1)], (), [("feature", "dead")]),
        ([Standing(grant=FEATURE, place="session s", given=NOW - 30 * DAY)], (), [("feature", "dead")]),
        ([Standing(grant=FEATURE, place="session s", given=1, last_used=NOW - DAY)], (), []),
        ([Standing(grant=FEATURE.replace(action="git:psuh"), place="session s")], (), [("feature", "dead")]),
        ([Standing(grant=FEATURE.replace(action="acme:deploy"), place="session s")], (), []),
        ([Standing(grant=FEATURE, place="session s")], (DENIES,), [("feature", "dead")]),
        ([Standing(grant=FEATURE)], (), [("feature", "over-broad")]),
        ([Standing(grant=FEATURE.replace(scope=FrozenMap({})), expires=NOW + 1)], (), [("feature", "over-broad")]),
        ([Standing(grant=WIDE, place="session s")], (), [("wide", "over-broad")]),
        ([Standing(grant=WIDE.replace(action="*"), expires=NOW + 1)], (), [("wide", "over-broad")]),
        (
            [Standing(grant=FEATURE, place="folder /a/b"), Standing(grant=WIDE, place="folder /a")],
            (),
            [("feature", "shadowed"), ("wide", "over-broad")],
        ),
        (
            [Standing(grant=FEATURE, place="folder /ab"), Standing(grant=WIDE, place="folder /a", uses=1)],
            (),
            [("wide", "over-broad")],
        ),
        (
            [Standing(grant=FEATURE, place="s s"), Standing(grant=FEATURE.replace(id="again"), place="s s")],
            (),
            [("feature", "shadowed")],
        ),
    ],
)
def test_what_should_be_looked_at_again_is_pointed_out(
    standings: list[Standing], rules: tuple[Rule, ...], expected: list[tuple[str, str]]
) -> None:
    found = pointed_out(standings, rules, NOW, known=("git:push", "git:status"))
    assert [(point.grant, point.kind) for point in found] == expected
