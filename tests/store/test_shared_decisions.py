"""What a team shares, seen from a decision: a grant counts once for all, an answer from elsewhere answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.grant import Grant
from interlock.bytes.canon import canonical
from interlock.calls.world import Outcome, World
from interlock.model.call import Call
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.runtime import judge
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import every_question
from interlock.store.team.shared import share
from interlock.store.team.sync import Synced, Syncing
from interlock.store.team.team import make_team_store, open_team, team_database
from interlock.store.team.team_ledger import TeamLedger
from interlock.value import FrozenMap
from postgres_server import started_server

PUSH = Grant(
    id="",
    kind="capability",
    action="git:push",
    reach="everywhere",
    by="ann",
    scope=FrozenMap({"destination": "*", "force": "true"}),
)


class Desk:
    """One machine of the team."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self.folders: Folders = folders_for(str(folder / "home"))
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        Path(self.folders.config).mkdir(parents=True)
        text = f'version = 1\n[approvals]\nby = ["terminal"]\n[store]\nurl = "{url}"\n'
        Path(self.folders.user_policy).write_text(text)

    def push(self) -> Outcome:
        policy = load_policy(self.folders, str(self.project))
        ledger = Ledger(self.folders.ledger)
        world = World(folders=self.folders, root=str(self.project), policy=policy, ledger=ledger, resumes=True)
        command = FrozenMap({"command": "git push --force origin main"})
        call = Call(tool="Bash", input=command, cwd=str(self.project), session="s")
        try:
            return judge(call, world, Session(id="s", posture=Posture.INTERACTIVE))
        finally:
            ledger.close()

    def sync(self) -> Synced:
        syncing = Syncing(self.folders, self.url)
        try:
            return syncing.once()
        finally:
            syncing.close()


@pytest.fixture
def desks(tmp_path: Path) -> tuple[Desk, Desk]:
    url = started_server().new_database()
    found = Desk(tmp_path / "a", url), Desk(tmp_path / "b", url)
    database = team_database(url, found[0].folders)
    make_team_store(database)
    database.close()
    return found


def given(desk: Desk, uses: int = 1) -> str:
    database = open_team(desk.url, desk.folders)
    try:
        return share(TeamLedger(database), PUSH, uses=uses).id
    finally:
        database.close()


def test_a_shared_grant_lifts_one_call_in_the_whole_team(desks: tuple[Desk, Desk]) -> None:
    one, two = desks
    assert one.push().decision.verdict.name == "ask"
    name = given(one)
    for desk in desks:
        assert desk.sync().grants == 1
    won = one.push()
    assert (won.decision.verdict.name, won.warnings) == ("allow", ())
    lost = two.push()
    why = f"the shared grant {name} does not count: it was used up, taken back or has expired in the team store"
    assert (lost.decision.verdict.name, lost.warnings, lost.trouble) == ("ask", (why,), None)
    assert [verify(desk.folders).damage for desk in desks] == [None, None]


@pytest.mark.slow
def test_where_the_team_store_is_away_the_call_asks_and_says_why(desks: tuple[Desk, Desk]) -> None:
    one, _ = desks
    name = given(one)
    one.sync()
    started_server().stop()
    asked = one.push()
    assert (asked.decision.verdict.name, asked.trouble) == ("ask", None)
    (told,) = asked.warnings
    assert told.startswith(f"the shared grant {name} does not count: ")
    assert "cannot be reached" in told
    started_server()
    assert one.push().decision.verdict.name == "allow"


def test_an_answer_from_elsewhere_answers_the_question_that_was_asked(desks: tuple[Desk, Desk]) -> None:
    one, _ = desks
    assert one.push().decision.verdict.name == "ask"
    origin = one.sync().origin
    (asked,) = every_question(Ledger(one.folders.ledger))
    database = open_team(one.url, one.folders)
    with Ledger.on(database).deciding() as turn:
        for place, prompt in (("elsewhere:0", asked.question.seq), (origin, 999), (origin, asked.question.seq)):
            said = {"by": "ann", "origin": place, "prompt": prompt, "why": "", "yes": True}
            turn.append("answer", canonical(said), key=asked.question.id)
    database.close()
    assert [one.sync().answers for _ in range(2)] == [1, 0]
    assert one.push().decision.verdict.name == "allow"
    assert one.push().decision.verdict.name == "ask"  # a yes is for one call
    assert verify(one.folders).damage is None
