"""`on_timeout = "remind"`: the question waits on, and each reminder is a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interlock.calls.world import World
from interlock.model.call import Call
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.runtime import judge
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import every_question, remind
from interlock.value import FrozenMap
from ledger_rows import ledger_rows

MINUTE = 60_000


def asks(folders: Folders, project: Path, at: int) -> str:
    call = Call(
        tool="Bash", input=FrozenMap({"command": "git push --force origin main"}), cwd=str(project), session="night"
    )
    world = World(
        folders=folders,
        root=str(project),
        policy=load_policy(folders, str(project)),
        ledger=Ledger(folders.ledger, clock=lambda: at),
        resumes=True,
    )
    return judge(call, world, Session(id="night", posture=Posture.AUTONOMOUS)).decision.verdict.name


def _at(moment: int) -> Callable[[], int]:
    return lambda: moment


def test_each_reminder_is_kept_once_whoever_notices_it(tmp_path: Path) -> None:
    folders, project = folders_for(str(tmp_path / "home")), tmp_path / "project"
    project.mkdir()
    Path(folders.config).mkdir(parents=True)
    Path(folders.user_policy).write_text(
        'version = 1\n[approvals]\nby = ["terminal"]\ntimeout = 10\non_timeout = "remind"\n'
    )
    begin = 1_700_000_000_000
    for minutes in (0, 5, 11, 12, 31):
        assert asks(folders, project, begin + minutes * MINUTE) == "deny"
    for minutes in (32, 45):
        ledger = Ledger(folders.ledger, clock=_at(begin + minutes * MINUTE))
        (asked,) = every_question(ledger)
        remind(ledger, asked)
        ledger.close()
    rows = ledger_rows(Path(folders.ledger), "reminder")
    assert [(row["key"], row["body"]) for row in rows] == [
        (asked.question.id, {"count": count, "prompt": asked.question.seq}) for count in (1, 3, 4)
    ]
    assert len(ledger_rows(Path(folders.ledger), "prompt")) == 1
    assert verify(folders).damage is None
