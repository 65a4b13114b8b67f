"""What the host tells beside calls: what became of one, what a person said, that a session begins or ends.

Each is one transaction of the ledger, as a decision is. Nothing here can loosen anything by failing: an outcome that
is not taken in stays unknown, a message that is not taken in was not said.
"""

from __future__ import annotations

from .. import __version__
from ..approve.approval import projection_of
from ..bytes.canon import canonical
from ..calls.world import as_begun
from ..hosts import HOSTS
from ..model.call import Call, kept_session
from ..model.errors import InterlockError
from ..model.events import Began, Block, Closed, Declined, Ended, EndTurn, Resettled, Said, Shown, Stopping, Tell, Typed
from ..model.heard import Phrase, open_question, shown
from ..model.posture import Posture
from ..model.session import spoken, until, untold
from ..model.verdict import Verdict
from ..record.resume import changed, opened, resumed, state_of
from ..store.clock import minutes_from_now, now, told_of_observing
from ..store.home.folders import other_home
from ..store.ledger.rows import policy_row, session_row
from ..store.people.surface import process_of
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .noticing import Notice, Unwatched, keep_noticed
from .turns import LookAgainError, in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..calls.world import Outcome, World
    from ..engine import Engine
    from ..model.events import Event, Place, Reply
    from ..model.session import Session
    from ..store.home.launch import unconfirmed
    from ..store.home.nesting import below
    from ..store.ledger.ledger import Ledger, Turn
    from ..store.ledger.proofs import key_of, keyed
    from ..store.outside.errand import start_errand
    from ..store.outside.evidence import told_of_heads
    from ..store.people.approvers import announced
    from ..store.team.policy_bundles import told_of_bundle
    from .hearing import declined
    from .in_force import level_in_force, told_of_level
    from .outcomes import load_answering, take_in
    from .resettled import resettled
    from .rewritten import judged_if_rewritten
    from .settled import is_plain, settled
    from .silencing import told_of_switches
    from .typed import why_not_loaded
    from .values import learner_of
else:
    unconfirmed = lazy(globals(), "..store.home.launch", "unconfirmed")
    below = lazy(globals(), "..store.home.nesting", "below")
    key_of = lazy(globals(), "..store.ledger.proofs", "key_of")
    keyed = lazy(globals(), "..store.ledger.proofs", "keyed")
    start_errand = lazy(globals(), "..store.outside.errand", "start_errand")
    told_of_heads = lazy(globals(), "..store.outside.evidence", "told_of_heads")
    announced = lazy(globals(), "..store.people.approvers", "announced")
    told_of_bundle = lazy(globals(), "..store.team.policy_bundles", "told_of_bundle")
    declined = lazy(globals(), ".hearing", "declined")
    level_in_force = lazy(globals(), ".in_force", "level_in_force")
    told_of_level = lazy(globals(), ".in_force", "told_of_level")
    load_answering = lazy(globals(), ".outcomes", "load_answering")
    take_in = lazy(globals(), ".outcomes", "take_in")
    resettled = lazy(globals(), ".resettled", "resettled")
    judged_if_rewritten = lazy(globals(), ".rewritten", "judged_if_rewritten")
    is_plain = lazy(globals(), ".settled", "is_plain")
    settled = lazy(globals(), ".settled", "settled")
    told_of_switches = lazy(globals(), ".silencing", "told_of_switches")
    why_not_loaded = lazy(globals(), ".typed", "why_not_loaded")
    learner_of = lazy(globals(), ".values", "learner_of")

__all__ = ["Start", "taken_in"]


def taken_in(engine: Engine, event: Event, decided: Outcome | None = None) -> Reply:
    """The reply to an event that proposes no call. `decided`: the decision about the call that it tells of."""
    if type(event) is Resettled:
        return resettled(engine, event)
    taken = _TAKEN.get(type(event))
    if taken is None:
        return Tell()
    notice = Notice(engine, event) if engine.watches else Unwatched(engine, event)
    if type(event) is Ended and decided is not None:
        if is_plain(event, decided):
            settled(engine, event, decided, notice)
            return Tell(person=tuple(notice.told))
    reply: Reply = taken(engine, event, notice)
    if not notice.applied:
        try:
            keep_noticed(engine, event.place, notice)
        except InterlockError as error:  # the event itself was taken in; what could not be looked at is said
            notice.told.append(f"not looked at: {error}")
    return reply.replace(person=(*notice.told, *reply.person)) if notice.told else reply


def _ended(engine: Engine, event: Ended, notice: Notice) -> Reply:
    judged = judged_if_rewritten(engine, event)
    ledger, owner = engine.ledger(), event.call.kept_session
    learns = learner_of(engine, event, ledger.session(owner) if owner else None)
    warning = take_in(event, ledger, notice, judged, learns)
    if judged is not None and judged.verdict is not Verdict.ALLOW:
        return EndTurn(person=(warning or "",))
    return Tell(person=(warning,) if warning else ())


def _shown(engine: Engine, event: Shown, notice: Notice) -> Reply:
    """The host puts a question before somebody. Nothing is answered: that is for whoever sits there."""
    call = event.call
    if not event.place.attended or not call.session:
        return Tell()
    projection = projection_of(call)

    def keep(turn: Turn, _nothing: None) -> None:
        if turn.state is None:
            return
        kept, _ = opened(turn.state)
        if shown(kept, projection) == kept:  # a question of the host's own
            return
        state = changed(turn.state, lambda session: notice(turn, shown(session, projection)))
        turn.append("dialog", canonical({"says": "shown", "tool": call.tool}), key=turn.id, state=state)

    in_turn(engine.ledger(), call.kept_session, notice, lambda: None, keep)
    return Tell()


def _declined(engine: Engine, event: Declined, notice: Notice) -> Reply:
    """A person said no in the host. That only tightens, so it counts whoever attends."""
    owner = kept_session(event.place.session, event.place.host)
    projections = [projection_of(call) for call in event.calls]
    if not owner or not projections:
        return Tell()

    def keep(turn: Turn, _nothing: None) -> None:
        if turn.state is None:
            return
        kept, _ = opened(turn.state)
        if not any(open_question(kept, projection) for projection in projections):  # a question of the host's own
            return
        state = changed(turn.state, lambda session: notice(turn, declined(turn, session, projections, event.event)))
        turn.append("dialog", canonical({"says": "declined", "event": event.event}), key=turn.id, state=state)

    in_turn(engine.ledger(), owner, notice, load_answering, keep)
    return Tell()


def _said(engine: Engine, said: Said, notice: Notice) -> Reply:
    """A message in an attended session restarts the loop guard. The event does not prove a person, so it does no more:
    a permission phrase waits until the transcript says who typed it, where the policy believes that at all.
    """
    place = said.place
    if said.notice or not (place.attended or said.program) or not place.session:
        return Tell()
    from ..approve.phrase import heard

    world = engine.world(place)
    fresh, _ = engine.worlds.session(place, world)
    keyed_text = keyed(canonical(said.text), world.folders)
    owner = kept_session(place.session, place.host)
    ledger = engine.ledger()
    listens = _listener(world, said.text)

    def keep(turn: Turn, start: Start) -> None:
        session = _known(turn, world, start, place, {})
        session = until(session, now())
        session = notice(turn, spoken(session) if place.attended else session)
        if not session.parent:  # what an agent says to another is not the person's word
            session = listens(session)
        believes = world.policy.believe_transcript and not world.observes and place.attended
        if said.prompt and not session.parent and believes and heard(said.text, world.policy):
            ends = minutes_from_now(world.policy.phrase_minutes)
            session = session.replace(phrase=Phrase(prompt=said.prompt, digest=keyed_text, until=ends))
        row = {"characters": len(said.text), "digest": keyed_text, "raised": None}
        turn.append("message", canonical(row), key=turn.id, state=state_of(session, start.fresh.posture))

    in_turn(ledger, owner, notice, lambda: _start(ledger, world, fresh, owner, begins=False), keep)
    return Tell()


def _listener(world: World, text: str) -> Callable[[Session], Session]:
    """What a session keeps of the person's words: keyed digests, where the policy asks where values come from."""
    if not world.policy.traces:
        return lambda session: session
    from ..model.origins import NOTHING, heard

    key = key_of(world.folders)
    return lambda session: session.replace(values=heard(session.values or NOTHING, key, text))


def _began(engine: Engine, began: Began, notice: Notice) -> Reply:
    """A session begins, or goes on: what is kept under its id stays. The row says which process the agent is."""
    place = began.place
    world = engine.world(place)
    fresh, warnings = engine.worlds.session(place, world)
    faults = [f"{fault}. Until you fix it, only read-only calls are allowed" for fault in world.policy.faults]
    warnings = (*faults, *warnings, *world.policy.notices)
    other = other_home(world.folders, place.environment)
    if other and not world.folders.given:
        warnings = (*warnings, _OTHER_HOME.format(home=world.folders.home, other=other, host=place.host))

    warnings = (*warnings, *unconfirmed(world.folders), *told_of_observing(world.policy))
    silenced = told_of_switches(world.folders, world.root, place.host)
    warnings = (*warnings, *told_of_bundle(at_start=True), *silenced)
    if world.policy.evidence.send or world.policy.store:
        warnings = (*warnings, *told_of_heads(world.folders, world.policy.evidence))
        start_errand(world.folders, world.policy)
    session, level = fresh, {}
    if place.host in HOSTS:
        found = level_in_force(world.folders, place.host, world.root, world.parent)
        warnings, level = (*warnings, *told_of_level(found, began.source)), {"level": found.name}
    if place.session:
        more = {
            **level,
            "cwd": place.cwd,
            "engine": __version__,
            "policy": world.policy.digest,
            "source": began.source[:60],
            "transcript": place.transcript[:1000],
        }
        owner, ledger = kept_session(place.session, place.host), engine.ledger()
        try:
            session = in_turn(
                ledger,
                owner,
                notice,
                lambda: _start(ledger, world, fresh, owner, begins=True),
                lambda turn, start: _known(turn, world, start, place, more, notice),
            )
            with ledger.looking() as view:
                if view.find("keys", "approver") is not None:
                    warnings = (*warnings, *announced(view, world.policy))
        except InterlockError as error:
            warnings = (*warnings, f"not recorded: {error}")
    if session.posture is Posture.INTERACTIVE:
        return Tell(person=warnings)
    told = _POSTURES[session.posture.name]
    if session.posture is Posture.AUTONOMOUS and world.policy.approvers:
        told = _ELSEWHERE.format(", ".join(world.policy.approvers))
    return Tell(person=(*warnings, told), agent=told)


_OTHER_HOME = (
    "HOME is {other}, but Interlock keeps its files and looks after settings in {home}, which the system's user table "
    "names; print the settings anew (interlock hook {host} --print-settings) to use {other}"
)
_ELSEWHERE = "the posture is autonomous: what needs a person is denied until it was approved elsewhere ({})"
_POSTURES = {
    "autonomous": "the posture is autonomous: nobody can be asked, so what needs a person is denied",
    "dry_run": "the posture is dry_run: calls are decided, and only reads happen",
    "locked": "the posture is locked: only plain reads happen until a person unlocks it",
}


def _stopping(engine: Engine, stopping: Stopping, notice: Notice) -> Reply:
    """Where a plan is in force, the agent stops once its outputs are there, or at its second try."""
    observes = False
    try:
        world = engine.world(stopping.place)
        observes = world.observes
        if world.plan is None:
            return Tell()
        from ..store.home.completion import unfinished

        told = unfinished(world.plan)
    except InterlockError as error:  # a gate that cannot tell does not open
        told = f"the plan could not be looked at: {error}"
    if told is None:
        return Tell()
    return Tell(person=(told,)) if stopping.again or observes else Block(reason=told)


def _closed(engine: Engine, closed: Closed, notice: Notice) -> Reply:
    """What leaves the machine goes in a process of its own; nobody waits for it."""
    world = engine.world(closed.place)
    start_errand(world.folders, world.policy)
    return Tell()


def _typed(engine: Engine, typed: Typed, notice: Notice) -> Reply:
    """A skill that was typed: `typed.py` says when it is not loaded."""
    world = engine.world(typed.place)
    fresh, _ = engine.worlds.session(typed.place, world)
    reason = why_not_loaded(typed.call, world, fresh)
    return Tell() if reason is None else Block(reason=reason)


_TAKEN: dict[type, Any] = {
    Shown: _shown,
    Declined: _declined,
    Ended: _ended,
    Began: _began,
    Stopping: _stopping,
    Closed: _closed,
    Said: _said,
    Typed: _typed,
}


class Start(Value):
    """What a session that begins needs to know of the world, looked up before anything is locked.

    fresh    as it would begin, held to what the sessions above are held to
    is_new   nothing is kept of it; `parent` is the session above that was kept otherwise
    process  that runs the agent, and when it began
    """

    fresh: Session
    is_new: bool
    parent: str
    process: tuple[int, int] | None


def _start(ledger: Ledger, world: World, fresh: Session, owner: str, *, begins: bool) -> Start:
    """`begins`: the host says so. Whoever starts the host may be another than the last time."""
    state = ledger.session(owner)
    if state is None:
        fresh = as_begun(fresh, world)
    begins = begins or state is None
    parent = resumed(state, fresh).parent
    if begins or parent:
        _, fresh = below(world, fresh, ledger, owner, None if begins else parent)
    return Start(fresh=fresh, is_new=state is None, parent=parent, process=process_of(world.parent) if begins else None)


def _known(
    turn: Turn, world: World, start: Start, place: Place, more: Mapping[str, Any], notice: Notice | None = None
) -> Session:
    """The session as it is kept. Where it is new, or the host says so, a row that it began.

    `notice` is there where the host says so, and is applied then.
    """
    fresh = start.fresh
    session = resumed(turn.state, fresh)
    if (turn.state is None) is not start.is_new:  # another event of the session was first
        raise LookAgainError
    if not start.is_new and notice is None:
        if session.parent != start.parent:
            raise LookAgainError
        return session
    session = session.replace(parent=fresh.parent)
    if notice is not None:
        session, _ = untold(session, world.policy.notices)  # the event that tells that it begins shows them all
    if session.parent:
        more = {**more, "nested": session.parent}
    if notice is not None:
        session = notice(turn, session)
    digest = world.policy.digest
    if turn.find(digest, "policy") is None:
        turn.append("policy", policy_row(world.policy, world.root), key=digest)
    call = Call(tool="", input=FrozenMap({}), session=fresh.id, host=place.host)
    body = session_row(call, session, world.root, start.process, more)
    turn.append("session", body, key=turn.id, state=state_of(session, fresh.posture))
    return session
