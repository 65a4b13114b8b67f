"""A day of two agents, told to a ledger before the service starts: something to look at for each view."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from interlock.bytes.canon import canonical
from interlock.engine import Engine, Given
from interlock.model.call import Call
from interlock.model.events import Ended, Place, Proposed
from interlock.model.facts import Facts
from interlock.model.verdict import Verdict
from interlock.policy.ahead import permitted_ahead
from interlock.serve.run import PROFILE
from interlock.store.home.folders import Folders
from interlock.store.ledger.grants import GivenGrant, give, holder_of
from interlock.store.people.answering import answered, every_question
from interlock.store.people.tokens import claim, create
from interlock.value import FrozenMap

__all__ = ["HOSTILE", "POLICY", "tell"]

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]

[[rules]]
id = "no-prod"
when = { action = "kubectl:*" }
verdict = "deny"
reason = "Production changes go through the pipeline."
instead = "Open a change in deploy/."
matches = ["kubectl --context prod-eu apply -f x.yaml"]
ignores = ["git status"]
"""

HOSTILE = (
    "echo '<script>document.title=1</script><img src=x onerror=alert(1)>' \u202egpj.x\u202c \x1b[2J\x1b[31m"
    + " " * 400
    + "a\u200bb\ufeffc; rm -rf ~/work &amp; echo '</code></pre>' ${jndi} {{ 7*7 }}"
)

_MINUTE = 60_000
_FREE = ("ls -la", "git status", "pytest -q tests/unit", "cat README.md", "git diff HEAD~1", "grep -rn TODO src")
_ASKED = (
    "git push origin main",
    "npm publish --access public",
    "rm -rf ../other-project/build",
)
_DENIED = ("rm -rf ~", "kubectl --context prod-eu apply -f deploy.yaml")


class _Day:
    def __init__(self, folders: Folders, project: Path, began: int) -> None:
        self.engine = Engine(folders, front="serve", given=Given(profile=PROFILE))
        self.at = began
        self.engine.ledger().clock = lambda: self.at
        self.project = project

    def call(self, command: str, session: str) -> Any:
        return Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(self.project), session=session)

    def decide(self, command: str, session: str, *, became: str = "") -> Any:
        call = self.call(command, session)
        place = Place(host="", session=session, cwd=str(self.project), attended=True)
        outcome = self.engine.propose(Proposed(place=place, call=call))
        if became and outcome.decision.verdict is Verdict.ALLOW:
            away = Place(host="", session=session, cwd=str(self.project), attended=False)
            self.at += 1500
            self.engine.tell(Ended(place=away, call=call, outcome=became, result=None, event="outcome"))
        return outcome

    def answer(self, *, yes: bool, by: str, why: str) -> None:
        waiting = every_question(self.engine.ledger())
        if waiting:
            answered(self.engine.ledger(), waiting[0], yes=yes, by=by, why=why, where="page")


def tell(folders: Folders, project: Path, *, hours: int = 20) -> None:
    chance = random.Random(7)
    day = _Day(folders, project, time.time_ns() // 1_000_000 - hours * 60 * _MINUTE)
    ledger = day.engine.ledger()
    with ledger.deciding() as turn:
        nightly, _ = create(turn, name="nightly", role="agent", person="ann", expires=0, by="ann")
        review, _ = create(turn, name="reviewer", role="agent", person="bo", expires=0, by="bo")
    claim(ledger, "build-412", nightly.id)
    claim(ledger, "review-7", review.id)
    until = time.time_ns() // 1_000_000 - 5 * _MINUTE
    while day.at < until:
        session = chance.choice(["build-412", "review-7"])
        drawn = chance.random()
        if drawn < 0.8:
            day.decide(chance.choice(_FREE), session, became="failed" if chance.random() < 0.1 else "ran")
        elif drawn < 0.96:
            command = chance.choice(_ASKED)
            day.decide(command, session)
            day.at += int(chance.expovariate(1 / 90) * 1000) + 4000
            yes = chance.random() < 0.7
            day.answer(yes=yes, by=chance.choice(["ann", "bo"]), why="" if yes else "not from a nightly run")
            if yes:
                day.at += 2000
                day.decide(command, session, became="ran")
        else:
            day.decide(chance.choice(_DENIED), session)
        day.at += int(chance.expovariate(1 / 420) * 1000)
    day.at = until
    _grants(day)
    ledger.close()


def _grants(day: _Day) -> None:
    """One that is used, one that is nearly used up, one for a session, one that is over."""
    known = Facts(root=str(day.project), home=str(day.project.parent))
    now = day.at
    here = str(day.project)
    for what, scope, reach, place, expires, uses, used, why in (
        ("git push", {"branch": "feature/*"}, "repository", here, 0, 20, 17, "reviews"),
        ("npm:publish", {"package": "@acme/app"}, "everywhere", "", now + 90 * _MINUTE, 1, 0, "release 1.4"),
        ("git fetch", {}, "session", "build-412", now + 600 * _MINUTE, 0, 3, ""),
        ("net:fetch", {"host": "example.org"}, "folder", here, now - _MINUTE, 0, 0, "only this morning"),
    ):
        grant = permitted_ahead(
            what,
            {**scope, "destination": "*"},
            by="ann",
            why=why,
            subject="",
            folder=str(day.project),
            ask=lambda wants: known,
        ).replace(reach=reach)
        with day.engine.ledger().deciding() as turn:
            given = give(
                turn, GivenGrant(grant=grant, holder=holder_of(reach, place), expires=expires, uses=uses, words=what)
            )
        for _ in range(used):
            with day.engine.ledger().deciding() as turn:
                assert turn.redeem(given.grant.id, canonical({"receipt": "sha256:" + "0" * 64}))
