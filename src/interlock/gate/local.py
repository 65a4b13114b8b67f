"""Decides with the policy and the ledger of this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..calls.replies import sentences_of
from ..engine import Engine, Given
from ..limits import LOCK_QUEUE_SECONDS
from ..model.answer import HELD, OBSERVED
from ..model.call import Call
from ..model.errors import ApprovalError
from ..model.events import Ended, Place, Proposed, Said
from ..policy.model import ToolSpec
from ..store.home.folders import folders_for
from ..store.home.policies import load_policy
from ..store.people.waiting import wait_until_settled
from ..value import FrozenMap
from .checked import Checked

if TYPE_CHECKING:
    from ..calls.world import Outcome
    from ..store.home.folders import Folders
    from ..value import Json

__all__ = ["Local"]


class Local:
    def __init__(
        self,
        *,
        policy: str | None,
        home: str | None = None,
        root: str | None,
        tools: Mapping[str, ToolSpec] = FrozenMap({}),
        front: str = "library",
        folders: Folders | None = None,
    ) -> None:
        """`tools` may grow: what a program declares while it runs. `folders` stand in the place of `home`."""
        self.engine = Engine(
            folders or folders_for(home),
            front=front,
            patience=LOCK_QUEUE_SECONDS,
            watches=False,
            resident=True,
            elsewhere=True,
            undo="holds",
            given=Given(root=root, policy=None if policy is None else os.path.abspath(policy), tools=tools),
        )

    def prepare(self) -> None:
        """Loads what the first call would wait for. A policy that the program names, and that is not there or broken,
        is a PolicyError here: later only the model would be told, by a deny.
        """
        with self.engine.lent():
            world = self.engine.world(Place(cwd=os.getcwd()))
        named = self.engine.worlds.given.policy
        if named is not None and any(fault.startswith(f"{named}:") for fault in world.policy.faults):
            load_policy(world.folders, world.root, named)

    def decide(self, call: Call) -> Checked:
        outcome = self.engine.propose(Proposed(place=_place(call, attended=True), call=call))
        return self._checked(outcome)

    def refuse(self, call: Call, why: str) -> Checked:
        """A call that cannot be read in one way: denied, whoever observes, since there is nothing to make."""
        checked = self._checked(
            self.engine.propose(Proposed(place=_place(call, attended=True), call=call, malformed=why))
        )
        return checked if checked.verdict == "deny" else checked.replace(verdict="deny")

    def asks(self, call: Call) -> bool | None:
        """Whether `decide` would ask now. Nothing is recorded or used."""
        outcome = self.engine.foresee(Proposed(place=_place(call, attended=True), call=call))
        if outcome is None:
            return None
        return outcome.answer.kind == HELD

    def _checked(self, outcome: Outcome) -> Checked:
        decision, answer = outcome.decision, outcome.answer
        person, agent = sentences_of(outcome, by_id=True)
        return Checked(
            verdict=answer.word,
            person=person,
            agent=agent,
            approval=answer.approval,
            expires=answer.until,
            receipt="" if outcome.trouble is not None else outcome.receipt,
            notes=decision.notes,
            enforced=answer.kind != OBSERVED,
            call=outcome.call,
            outcome=outcome,
        )

    def wait(self, approval: str, seconds: float) -> bool:
        """Whether the question was settled within so many seconds. ApprovalError where nobody has asked it here."""
        settled = wait_until_settled(self.engine.lent, approval, seconds)
        if settled is None:
            raise ApprovalError(f"nobody has asked for an approval `{approval[:60]}` in this ledger")
        return settled

    def tell(self, call: Call, outcome: str, result: Json) -> tuple[str, ...]:
        event = Ended(place=_place(call, attended=False), call=call, outcome=outcome, result=result, event="outcome")
        reply: Any = self.engine.tell(event)
        return tuple(getattr(reply, "person", ()))

    def said(self, text: str, session: str, cwd: str, host: str) -> None:
        place = Place(host=host, session=session, cwd=cwd, attended=False)
        self.engine.tell(Said(place=place, prompt="", text=text, notice=False, program=True))

    def close(self) -> None:
        self.engine.close()


def _place(call: Call, *, attended: bool) -> Place:
    return Place(host=call.host, session=call.session, cwd=call.cwd, attended=attended)
