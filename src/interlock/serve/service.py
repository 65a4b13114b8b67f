"""What requests do, without HTTP: a call is decided, a question shown or answered, an outcome taken in.

Everything here may wait for the ledger, and so runs in a thread. Each function takes the caller, because what an agent
asked for belongs to its token: another token's session, question or receipt is as good as not there.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from ..approve.lifecycle import is_open
from ..approve.reaches import ONCE
from ..calls.world import Outcome
from ..engine import Engine
from ..limits import MAX_ID_CHARS
from ..model.answer import HELD
from ..model.call import KEYED, Call, call_from, reported
from ..model.errors import InputError, InterlockError, StoreError
from ..model.events import Ended, Place, Proposed, Said, Tell
from ..model.session import OUTCOMES
from ..store.home.policies import load_policy
from ..store.ledger.approvals import find
from ..store.ledger.ledger import Ledger
from ..store.ledger.rows import open_decision
from ..store.people.answering import Asked, answered, question_in, questions_after
from ..store.people.offers import answered_for
from ..store.people.tokens import Token, claim, is_good, owner_of
from ..value import FrozenMap, Value
from .callers import Caller
from .errors import RefusedError
from .pending import Pending
from .replayed import allowed_before

if TYPE_CHECKING:
    from ..policy.model import Policy
    from ..value import Json

__all__ = ["REACHES", "Decided", "Service"]

# role -> how far its yes may reach
REACHES = {"approver": ("once", "session"), "admin": ("once", "session", "folder", "repository", "everywhere")}
_MOST_CLAIMED = 100_000  # sessions of which this process remembers whose they are


class Decided(Value):
    """`before`: the receipt's body of an allow that was given before, whose answer may have been lost."""

    outcome: Any = None
    before: Mapping[str, Any] | None = None


class Service:
    """Shared by all threads. Only `claimed` changes, and forgetting it costs a look at the ledger."""

    def __init__(self, engine: Engine, *, cwd: str, questions: int = 100) -> None:
        self.engine = engine
        self.pending = Pending(questions)
        self.cwd = cwd  # of calls that name none
        self.claimed: dict[str, str] = {}

    @property
    def ledger(self) -> Ledger:
        return self.engine.ledger()

    def ready(self) -> None:
        """StoreError where the ledger cannot be written, PolicyError where the policy cannot be read."""
        with self.engine.lent() as ledger, ledger.deciding() as turn:
            turn.rewrite()
        self.policy()

    def policy(self) -> Policy:
        """The policy of no project in particular: it names the people."""
        given = self.engine.worlds.given
        return load_policy(self.engine.folders, None, given.policy, profile=given.profile)

    def trouble(self) -> Mapping[str, str]:
        """The parts that are in trouble, each with a word for it."""
        try:
            self.ready()
        except StoreError:
            return {"ledger": "it cannot be written"}
        except InterlockError:
            return {"policy": "it cannot be read"}
        return {}

    # --- calls -----------------------------------------------------------------------------------------------------

    def call(self, data: Mapping[str, Json], caller: Caller, key: str | None = None) -> Call:
        """The call in a request, in a session of the caller's."""
        call = call_from(data, cwd=self.cwd)
        if data.get("preview") is not None:
            tool = self.engine.world(self.place(call, attended=False)).policy.tools.get(call.tool)
            if tool is None or not tool.dryrun:
                raise InputError(f"`{call.tool}` has no dry run by the policy: it needs dryrun = true in [tools]")
            call = reported(call, data["preview"])
        own = f"token-{caller.token.id}"
        # The sessions of calls that name none are for nobody else to take, also not before they were first used.
        if call.session.startswith("token-") and call.session != own:
            raise RefusedError("forbidden", "this session is not one of this token's; choose another name for it")
        if key is not None:
            if not key.isprintable() or not 0 < len(key) <= MAX_ID_CHARS:
                raise InputError(f"an Idempotency-Key has 1 to {MAX_ID_CHARS} printable characters")
            call = call.replace(attempt=KEYED + key)
        if not call.session:  # what names no session is of the token's own, so that no two tokens share it
            call = call.replace(session=own)
        self.own(call.kept_session, caller.token)
        return call

    def own(self, session: str, token: Token) -> None:
        """RefusedError where the session is another's."""
        owner = self.claimed.get(session)
        if owner is None:
            if not claim(self.ledger, session, token.id):
                owner = ""
            else:
                if len(self.claimed) >= _MOST_CLAIMED:
                    self.claimed.clear()
                owner = self.claimed[session] = token.id
        if owner != token.id:
            raise RefusedError("forbidden", "this session is not one of this token's; choose another name for it")

    def place(self, call: Call, *, attended: bool, starter: str = "") -> Place:
        return Place(host=call.host, session=call.session, cwd=call.cwd, attended=attended, starter=starter)

    def asked(self, data: Mapping[str, Json], caller: Caller, key: str | None) -> Proposed | Decided:
        """What a request proposes, or what was decided about it before. People can be asked through this service, so a
        question is one: whoever asks gets a 202, not a denial. What is proposed has to be
        said to have ended, to `pending`.
        """
        call = self.call(data, caller, key)
        before = None if key is None else self.decided_before(call)
        if before is not None:
            return Decided(before=before)
        proposed = Proposed(place=self.place(call, attended=True, starter=caller.person), call=call)
        try:
            if not self.pending.begins(self.ledger, caller.token.id):
                self._asks_nothing_new(proposed)
        except Exception:
            self.pending.ended(caller.token.id)
            raise
        return proposed

    def _asks_nothing_new(self, proposed: Proposed) -> None:
        """RefusedError where the call would be a new question. What waits already, and what is allowed, goes on."""
        outcome = self.engine.foresee(proposed)
        if outcome is None or outcome.answer.kind != HELD:
            return
        if self.open_until(outcome.answer.approval) is None:
            most = self.pending.most
            text = f"{most} questions of this token wait for an answer already; what would be another one is not asked"
            raise RefusedError("rate_limited", text, {"retry-after": "10"})

    def decided(self, data: Mapping[str, Json], caller: Caller, key: str | None) -> Decided:
        """A request, decided by itself."""
        asked = self.asked(data, caller, key)
        if isinstance(asked, Decided):
            return asked
        try:
            return self.told(self.engine.propose(asked), caller)
        finally:
            self.pending.ended(caller.token.id)

    def told(self, outcome: Outcome, caller: Caller) -> Decided:
        """What was decided. A question that is open for it counts among its caller's."""
        if outcome.answer.kind == HELD:
            self.pending.opened(caller.token.id, outcome.answer.approval)
        return Decided(outcome=outcome)

    def foreseen(self, data: Mapping[str, Json], caller: Caller) -> Outcome | None:
        """What `decided` would say now. Nothing is kept, nobody is asked, no approval is used."""
        call = self.call(data, caller)
        return self.engine.foresee(Proposed(place=self.place(call, attended=True, starter=caller.person), call=call))

    def decided_before(self, call: Call) -> Mapping[str, Any] | None:
        """An allow that this call got before under its idempotency key, and that may have been lost on the way."""
        policy = self.engine.world(self.place(call, attended=False)).policy.digest
        with self.ledger.looking(call.kept_session) as view:
            return allowed_before(view, call, policy, self.engine.folders)

    def still_good(self, caller: Caller) -> bool:
        """Whether the token is as good as it was when the request came: whoever waits may have lost it meanwhile."""
        with self.ledger.looking() as view:
            return is_good(view, caller.token.id)

    def open_until(self, approval: str) -> int | None:
        """Until when somebody can still answer it, in milliseconds since 1970; 0: it waits on; None: nobody can."""
        with self.ledger.looking() as view:
            kept = find(view, approval)
            return kept.expires if kept is not None and is_open(kept, view.at) else None

    def ended(self, data: Mapping[str, Json], caller: Caller) -> Tell:
        outcome = data.get("outcome")
        if outcome not in OUTCOMES:
            raise InputError(f"`outcome` must be one of {', '.join(OUTCOMES)}")
        call = self.call(data, caller)
        place = self.place(call, attended=False)  # nobody sits there: what ran was not approved by its running
        told = self.engine.tell(
            Ended(place=place, call=call, outcome=str(outcome), result=data.get("result"), event="outcome")
        )
        return told if isinstance(told, Tell) else Tell(person=getattr(told, "person", ()))

    def said(self, data: Mapping[str, Json], caller: Caller) -> None:
        """What a person said to the agent of this session, as the program that runs it tells."""
        text, session = data.get("text"), data.get("session")
        if type(text) is not str or type(session) is not str or not session:
            raise InputError("`text` and `session` must be texts, and the session has a name")
        head = {name: data[name] for name in ("session", "cwd", "host") if name in data}
        call = self.call(FrozenMap({**head, "tool": "message", "input": FrozenMap({})}), caller)
        place = self.place(call, attended=False)
        self.engine.tell(Said(place=place, prompt="", text=text, notice=False, program=True))

    # --- questions -------------------------------------------------------------------------------------------------

    def questions(self, caller: Caller, after: tuple[int, int], *, over: bool) -> Generator[Asked]:
        """Those that the caller may see, the oldest first."""

        with self.ledger.looking() as view:

            def seen(session: str) -> bool:
                return not caller.is_agent or (self.claimed.get(session) or owner_of(view, session)) == caller.token.id

            for asked in questions_after(view, after, over=over, of=seen):
                if seen(str(asked.body["session"])):
                    yield asked

    def question(self, id: str, caller: Caller) -> Asked:
        """By its whole id."""
        with self.ledger.looking() as view:
            asked = question_in(view, id)
        if asked is None or not self._is_seen(asked, caller):
            raise RefusedError("not_found", "there is no such approval")
        return asked

    def _is_seen(self, asked: Asked, caller: Caller) -> bool:
        return not caller.is_agent or self.is_owned(str(asked.body["session"]), caller)

    def is_owned(self, session: str, caller: Caller) -> bool:
        if session in self.claimed:
            return self.claimed[session] == caller.token.id
        with self.ledger.looking() as view:
            return owner_of(view, session) == caller.token.id

    def asker(self, asked: Asked) -> str:
        """Whose question it is: of a token, or of a session that another front runs."""
        session = str(asked.body["session"])
        owner = self.claimed.get(session)
        if owner is None:
            with self.ledger.looking() as view:
                owner = owner_of(view, session)
        return owner or session

    def answer(
        self, id: str, caller: Caller, *, yes: bool, reach: str, why: str, where: str = "http", unseen: bool = False
    ) -> Asked:
        """A person's answer. INVARIANT: an agent's token never comes here; the routes and this line say so."""
        if caller.is_agent:
            raise RefusedError("forbidden", "a token of role agent may not answer")
        reaches = REACHES[caller.token.role]
        if yes and reach not in reaches:
            raise RefusedError("forbidden", f"a token of role {caller.token.role} answers {' or '.join(reaches)}")
        asked = self.question(id, caller)
        said: dict[str, Any] = {"by": caller.by, "person": caller.person, "why": why, "where": where, "unseen": unseen}
        if not yes or reach == ONCE:
            return answered(self.ledger, asked, yes=yes, **said)
        return answered_for(self.engine.folders, self.ledger, asked, reach=reach, **said)[0]

    # --- what was decided ------------------------------------------------------------------------------------------

    def receipt(self, digest: str, caller: Caller) -> Mapping[str, Any]:
        with self.ledger.looking() as view:
            row = view.find(digest, "decision")
        if row is None or (caller.is_agent and not self.is_owned(row.session, caller)):
            raise RefusedError("not_found", "there is no such receipt")
        return open_decision(row)[1]
