"""Calls of an MCP client, handed to the Engine: decided, asked about, answered, and what became of them.

The session is that of the process which started the relay, so that it goes on when that process starts the relay anew,
and all servers of one client share it. Whatever breaks or hangs in here is a deny.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from ..calls.replies import sentences_of
from ..engine import Engine
from ..limits import LOCK_QUEUE_SECONDS
from ..model.answer import HELD
from ..model.call import Call, short_id
from ..model.environment import looked_at
from ..model.errors import InterlockError
from ..model.events import Ended, Place, Proposed
from ..model.toolnames import declared_tool
from ..model.verdict import Verdict
from ..reading.servers.read import speaks_of
from ..store.home.hooked import decided_by_hook
from ..store.people.surface import process_of
from ..store.people.waiting import wait_until_settled
from ..value import FrozenMap, Value, lazy
from .names import tool_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..calls.world import Outcome
    from ..model.facts import Definition
    from ..store.home.folders import Folders
    from ..store.people.answering import answered, question_in
    from ..store.people.offers import answered_for
    from ..value import Json
else:
    answered = lazy(globals(), "..store.people.answering", "answered")
    question_in = lazy(globals(), "..store.people.answering", "question_in")
    answered_for = lazy(globals(), "..store.people.offers", "answered_for")

__all__ = ["HOST", "Judge", "Judged", "engine_for"]

HOST = "mcp"
_BROKE = "Refused: Interlock failed ({}). Tell the person who runs this agent."


class Judged(Value):
    """
    verdict   `allow`, `ask` or `deny`
    person    the question, for a person
    agent     what the agent is told
    approval  what a person has to approve; empty where nothing would help
    elicits   clients in whose own dialog it may be asked
    used      a person's yes to this very call was used up
    recorded  what becomes of it is for us to tell; a hook tells it otherwise
    outcome   what the Engine gave, with which what becomes of the call is told
    """

    verdict: str
    call: Call
    person: str = ""
    agent: str = ""
    approval: str = ""
    elicits: tuple[str, ...] = ()
    used: bool = False
    recorded: bool = True
    warnings: tuple[str, ...] = ()
    outcome: Outcome | None = None

    @property
    def traces(self) -> bool:
        """Whether the policy asks where values come from, so that results count."""
        return self.outcome is not None and self.outcome.policy.traces


def engine_for(folders: Folders) -> Engine:
    return Engine(folders, front="mcp", patience=LOCK_QUEUE_SECONDS, watches=False, resident=True, elsewhere=True)


class Judge:
    """Shared by all threads of a relay."""

    def __init__(self, folders: Folders, server: str, *, session: str = "", engine: Engine | None = None) -> None:
        """`session`: of a client that is not the process above this one; then that process runs no agent."""
        self.server = server
        self.folders = folders
        self._cwd = os.getcwd()
        self._parent = 0 if session else os.getppid()
        self._session = session or _session_of(self._parent)
        environment = looked_at(os.environ)
        # One where a person may be asked; and one for what became of a call, which nobody approved by its running.
        self._place = Place(
            host=HOST,
            session=self._session,
            cwd=self._cwd,
            environment=environment,
            parent=self._parent,
            starter=f"uid:{os.getuid()}",
            run=short_id(environment.get("INTERLOCK_RUN", "")),
        )
        self._unattended = self._place.replace(attended=False)
        self._hooked: set[int] = set()  # rows of hooks that a call has been let through with
        self.engine = engine or engine_for(folders)

    def call(self, tool: str, given: Mapping[str, Json] | None) -> Call:
        return Call(
            tool=tool_name(self.server, tool),
            input=FrozenMap({}) if given is None else given,
            cwd=self._cwd,
            session=self._session,
            host=HOST,
        )

    def decide(self, call: Call, definition: Definition | None, hooked: str = "") -> Judged:
        """`hooked`: the id under which a hook of the same client may have decided about this call."""
        try:
            if (
                hooked
                and (definition is None or not definition.trouble)
                and self._passed_hook(call, definition, hooked)
            ):
                return Judged(verdict="allow", call=call, recorded=False)
            outcome = self.engine.propose(Proposed(place=self._place, call=call, definition=definition))
            return self._judged(outcome)
        except InterlockError as error:
            return Judged(verdict="deny", call=call, agent=f"Refused: {error}.")
        except Exception as error:
            return Judged(verdict="deny", call=call, agent=_BROKE.format(type(error).__name__))

    def _judged(self, outcome: Outcome) -> Judged:
        decision = outcome.decision
        person, agent = sentences_of(outcome)
        answer = outcome.answer
        elicits: tuple[str, ...] = ()
        if answer.kind == HELD:
            asks = [finding for finding in decision.reasons if finding.verdict is Verdict.ASK]
            if all("remembered" in finding.lifted_by for finding in asks):
                elicits = outcome.policy.elicit
        return Judged(
            verdict=answer.word,
            call=outcome.call,
            person=person,
            agent=agent,
            approval=answer.approval,
            elicits=elicits,
            used=any(grant.kind == "once" for grant in decision.used),
            warnings=outcome.warnings,
            outcome=outcome,
        )

    def _passed_hook(self, call: Call, definition: Definition | None, attempt: str) -> bool:
        policy = self.engine.world(self._place).policy
        with self.engine.lent() as ledger, ledger.looking() as view:
            found = decided_by_hook(view, attempt, call.tool, call.input, policy.digest)
        if found is None or found[0] in self._hooked:
            return False
        if found[1] != "ask" and definition is not None and definition.hints:
            spec = declared_tool(policy, call.tool, call.named)
            declared = spec is not None and spec.registered
            if not declared and not speaks_of(found[2], call, definition.hints):
                return False  # a hook does not know what the server warns of
        self._hooked.add(found[0])
        return True

    def answer(self, approval: str, *, yes: bool, reach: str, client: str) -> str:
        """A person's answer in the dialog of a client that policy trusts; why it does not count, or nothing."""
        said: dict[str, Any] = {"by": f"a dialog of {client[:60]}", "why": "", "where": "elicitation"}
        if yes:  # the client has the whole call, and its dialog says how much of it is hidden there
            said["unseen"] = True
        try:
            with self.engine.lent() as ledger:
                with ledger.looking() as view:
                    asked = question_in(view, approval)
                if asked is None:
                    return "there is no such question any more"
                if yes and reach == "session":
                    answered_for(self.folders, ledger, asked, reach=reach, **said)
                else:
                    answered(ledger, asked, yes=yes, **said)
        except InterlockError as error:
            return str(error)
        return ""

    def wait(self, approval: str, seconds: float, gone: Any) -> bool:
        """Whether the question was settled within so many seconds. `gone` tells that nobody waits any more."""
        return wait_until_settled(self.engine.lent, approval, seconds, gone=gone) is not False

    def settle(self, judged: Judged, outcome: str, result: Json, size: int = 0) -> tuple[str, ...]:
        """What became of a call; what a person should know."""
        if not judged.recorded:
            return ()
        place, call = self._unattended, judged.call
        try:
            ended = Ended(place=place, call=call, outcome=outcome, result=result, event="outcome", size=size)
            reply = self.engine.tell(ended, judged.outcome)
        except InterlockError as error:
            return (f"what became of `{judged.call.tool[:60]}` was not recorded: {error}",)
        return tuple(getattr(reply, "person", ()))

    def close(self) -> None:
        self.engine.close()


def _session_of(pid: int) -> str:
    """The client's process. Where its beginning cannot be told, this process: nobody else's session is taken over."""
    found = process_of(pid)
    return f"{found[0]}.{found[1]}" if found is not None else f"{pid}.{os.getpid()}.{time.time_ns()}"
