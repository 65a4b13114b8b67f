"""What the host tells beside calls: what became of one, what a person said, that a session begins or ends.

Each is one transaction of the ledger, as a decision is. Nothing here can loosen anything by failing: an outcome that
is not taken in stays unknown, a message that is not taken in was not said.
"""

from __future__ import annotations

import os

from ..call import kept_session
from ..errors import InterlockError
from ..hosts import claude_events as events
from ..hosts.claude_code import NAME, where
from ..limits import HOOK_QUEUE_SECONDS
from ..store.folders import folders_for, other_home
from ..value import TYPE_CHECKING
from ..verdict import Verdict
from .run import world_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..runtime import World
    from ..session import Session
    from ..store.ledger import Turn
    from ..value import Json
    from .noticing import Notice

__all__ = ["follow"]


def follow(data: Mapping[str, Json], home: str | None) -> bytes:
    """The answer to an event that gates no call; no bytes where there is nothing to say."""
    name = str(data.get("hook_event_name"))
    taken = _TAKEN.get(name)
    if taken is None:
        return b""
    from .noticing import keep_noticed, notice_of

    notice = notice_of(data, folders_for(home))
    answer = taken(data, home, notice)
    if not notice.applied:
        try:
            keep_noticed(data, notice)
        except InterlockError as error:  # the event itself was taken in; what could not be looked at is said
            notice.told.append(f"not looked at: {error}")
    return events.joined(name, answer, tuple(notice.told))


def _outcome(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    from ..store.ledger import Ledger
    from .outcomes import take_in
    from .rewritten import judged_if_rewritten

    told = events.told_from(data)
    _, attended = where(os.environ)
    ledger = Ledger(notice.folders.ledger, front=f"hook:{NAME}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    judged = judged_if_rewritten(told, ledger, lambda: _place(home, told.call.cwd, told.call.session)[:2])
    warning = take_in(told, ledger, notice, judged, attended=attended)
    if judged is not None and judged.verdict is not Verdict.ALLOW:
        return events.ends_the_turn(warning or "")
    return events.message(told.event, person=(warning,) if warning else ())


def _shown(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    """The host puts a question before somebody. Nothing is answered: that is for whoever sits there."""
    from ..approve.approval import projection_of
    from ..heard import shown
    from ..record.canon import canonical
    from ..record.resume import changed, opened
    from ..store.ledger import Ledger

    call = events.shown_from(data)
    _, attended = where(os.environ)
    if not attended or not call.session:
        return b""
    ledger = Ledger(notice.folders.ledger, front=f"hook:{NAME}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    projection = projection_of(call)
    with ledger.deciding(call.kept_session) as turn:
        if turn.state is None:
            return b""
        kept, _ = opened(turn.state)
        if shown(kept, projection) == kept:  # a question of the host's own
            return b""
        state = changed(turn.state, lambda session: notice(turn, shown(session, projection)))
        turn.append("dialog", canonical({"says": "shown", "tool": call.tool}), key=turn.id, state=state)
    return b""


def _said(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    """A message in an attended session restarts the loop guard. The event does not prove a person, so it does no more:
    a permission phrase waits until the transcript says who typed it, where the policy believes that at all.
    """
    said = events.said_from(data)
    _, attended = where(os.environ)
    if said.notice or not attended or not said.session:
        return b""
    from ..approve.phrase import heard
    from ..heard import Phrase
    from ..record.canon import canonical
    from ..record.resume import state_of
    from ..session import spoken, until
    from ..store.clock import minutes_from_now, now
    from ..store.proofs import keyed

    world, fresh, _ = _place(home, said.cwd, said.session)
    if world.ledger is None:
        return b""
    with world.ledger.deciding(kept_session(said.session, NAME)) as turn:
        session, fresh = _known(turn, world, fresh, {})
        session = notice(turn, spoken(until(session, now())))
        keyed_text = keyed(canonical(said.text), world.folders)
        if said.prompt and not session.parent and world.policy.believe_transcript and heard(said.text, world.policy):
            ends = minutes_from_now(world.policy.phrase_minutes)
            session = session.replace(phrase=Phrase(prompt=said.prompt, digest=keyed_text, until=ends))
        row = {"characters": len(said.text), "digest": keyed_text, "raised": None}
        turn.append("message", canonical(row), key=turn.id, state=state_of(session, fresh.posture))
    return b""


def _began(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    """A session begins, or goes on: what is kept under its id stays. The row says which process the agent is."""
    from .. import __version__
    from ..posture import Posture

    began = events.began_from(data)
    world, fresh, warnings = _place(home, began.cwd, began.session)
    faults = [f"{fault}; only reads pass until it is mended" for fault in world.policy.faults]
    warnings = (*faults, *warnings, *world.policy.notices)
    other = other_home(world.folders, os.environ)
    if other and home is None:
        warnings = (*warnings, _OTHER_HOME.format(home=world.folders.home, other=other))
    session = fresh
    if began.session and world.ledger is not None:
        more = {
            "cwd": began.cwd,
            "engine": __version__,
            "policy": world.policy.digest,
            "source": began.source[:60],
            "transcript": notice.transcript[:1000],
        }
        try:
            with world.ledger.deciding(kept_session(began.session, NAME)) as turn:
                session, _ = _known(turn, world, fresh, more, notice)
                if turn.find("keys", "approver") is not None:
                    from ..store.approvers import announced

                    warnings = (*warnings, *announced(turn, world.policy))
        except InterlockError as error:
            warnings = (*warnings, f"not recorded: {error}")
    if session.posture is Posture.INTERACTIVE:
        return events.message("SessionStart", person=warnings)
    told = _POSTURES[session.posture.name]
    if session.posture is Posture.AUTONOMOUS and world.policy.approvers:
        told = _ELSEWHERE.format(", ".join(world.policy.approvers))
    return events.message("SessionStart", person=(*warnings, told), agent=told)


_OTHER_HOME = (
    "HOME is {other}, but Interlock keeps its files and looks after settings in {home}, which the system's user table "
    "names; print the settings anew (interlock hook claude-code --print-settings) to use {other}"
)
_ELSEWHERE = "the posture is autonomous: what needs a person is denied until it was approved elsewhere ({})"
_POSTURES = {
    "autonomous": "the posture is autonomous: nobody is asked, so what would need a person is denied",
    "dry_run": "the posture is dry_run: calls are decided, and only reads happen",
    "locked": "the posture is locked: only plain reads happen until a person unlocks it",
}


def _stopping(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    """Where a plan is in force, the agent stops once its outputs are there, or at its second try."""
    stopping = events.stopping_from(data)
    try:
        world, _, _ = _place(home, stopping.cwd, stopping.session)
        if world.plan is None:
            return b""
        from ..store.completion import unfinished

        told = unfinished(world.plan)
    except InterlockError as error:  # a gate that cannot tell does not open
        told = f"the plan could not be looked at: {error}"
    if told is None:
        return b""
    return events.message("Stop", person=(told,)) if stopping.again else events.block(told)


def _typed(data: Mapping[str, Json], home: str | None, notice: Notice) -> bytes:
    """A skill that was typed: `typed.py` says when it is not loaded."""
    from .typed import why_not_loaded

    typed = events.typed_from(data)
    world, fresh, _ = _place(home, typed.call.cwd, typed.call.session)
    reason = why_not_loaded(typed.call, world, fresh)
    return b"" if reason is None else events.block(reason)


_TAKEN: dict[str, Callable[[Mapping[str, Json], str | None, Notice], bytes]] = {
    "PermissionRequest": _shown,
    "PostToolUse": _outcome,
    "PostToolUseFailure": _outcome,
    "SessionStart": _began,
    "Stop": _stopping,
    "UserPromptSubmit": _said,
    "UserPromptExpansion": _typed,
}


def _place(home: str | None, cwd: str, session: str) -> tuple[World, Session, tuple[str, ...]]:
    from ..errors import InputError

    if not cwd.startswith("/"):
        raise InputError("the event's `cwd` is not an absolute path")
    root, attended = where(os.environ)
    return world_at(home, root, cwd, session, attended=attended)


def _known(
    turn: Turn, world: World, fresh: Session, more: Mapping[str, Any], notice: Notice | None = None
) -> tuple[Session, Session]:
    """The session as it is kept, and as it would begin. Where it is new, or the host says so, a row that it began.

    `notice` is there where the host says so, and is applied then.
    """
    from ..call import Call
    from ..record.resume import resumed, state_of
    from ..session import untold
    from ..store.rows import policy_row, session_row
    from ..store.surface import host_process
    from ..value import FrozenMap

    if turn.state is None:
        from ..store.git_head import head_of

        fresh = fresh.replace(head=head_of(world.root))
    begins = turn.state is None or notice is not None  # whoever starts the host may be another than the last time
    session = resumed(turn.state, fresh)
    if begins or session.parent:
        from ..store.nesting import below

        _, fresh = below(world, fresh, turn.ledger, turn.id, None if begins else session.parent)
        session = resumed(turn.state, fresh)
    if not begins:
        return session, fresh
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
    call = Call(tool="", input=FrozenMap({}), session=fresh.id, host=NAME)
    body = session_row(call, session, world.root, host_process(), more)
    turn.append("session", body, key=turn.id, state=state_of(session, fresh.posture))
    return session, fresh
