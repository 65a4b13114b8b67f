"""One agent session as the layers see it, and the only ways in which it changes.

`advance` follows a decision, `learn` an outcome that is told later; `spoken`, `remember_refusal`,
`raise_mode` and `lower_mode` follow what a person said. What is kept for loops, budgets and answers is bounded in
size, and a bound that is met never makes anything free: the worst that follows is that a person is asked again.
"""

from __future__ import annotations

from ..bytes.canon import digest
from ..limits import MAX_ACCEPTED, MAX_COUNTED_NAMES, MAX_PENDING, MAX_REFUSALS, MAX_TOLD
from ..value import TYPE_CHECKING, FrozenMap, Value
from .decision import Decision, Finding
from .effects import Effect
from .posture import Posture, move
from .steps import (
    QUIET,
    Ran,
    Repeated,
    agent_mark,
    kind_of,
    manner_of,
    mark_of,
    near_repeats,
    outcome_mark,
    repetition,
    waited,
    with_step,
)
from .touched import bounded, with_files, with_flow
from .verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..approve.grant import Grant
    from .action import Reading
    from .heard import Phrase, Question
    from .origins import Known

__all__ = [
    "DENIED",
    "HAPPENED",
    "OTHERS",
    "OUTCOMES",
    "Changed",
    "Pending",
    "Run",
    "Session",
    "accept",
    "advance",
    "inherit",
    "is_answered",
    "learn",
    "lower_mode",
    "raise_mode",
    "remember_refusal",
    "repeated",
    "spends",
    "spoken",
    "tries_of",
    "unlock",
    "until",
    "untold",
]

OUTCOMES = ("ran", "failed", "not_run", "unknown")
HAPPENED = ("ran", "failed")

_REFUSED = ("repeat", "lock", "pointless", "polls")  # rules of the loop guard that refuse a call
DENIED = ""  # in place of an approval: nobody was asked
OTHERS = "*others*"  # names beyond the bound are counted together; each budget of an action counts them in


class Pending(Value):
    """A call that a person was asked about, and how often it was tried. Without an approval: it was denied so often."""

    approval: str
    projection: str
    tries: int = 1


class Run(Value):
    """A run folder as a call finds it.

    markers  how many commands have carried the marker before this one
    other    another session is at work there
    trouble  why the log or the lock there cannot be kept
    gone     the plan that this session was held to before, and that is not there any more
    folder   where another session is at work
    """

    markers: int = 0
    other: bool = False
    trouble: str = ""
    gone: str = ""
    folder: str = ""


class Changed(Value):
    """A file that something obeys, changed by what no call of the session named.

    level   denied or asked (`watched.py`); mod: code inside the host; switch: a setting that silences hooks
    digest  of the content that it has now
    text    what is different, on one line, secrets left out
    during  the call of the session that ran when it was changed; empty: none is known to have
    """

    path: str
    level: str
    digest: str
    text: str
    during: str = ""

    @property
    def wire(self) -> dict[str, str]:
        """Its fields, by name. What older versions did not have is left out where it says nothing."""
        return {name: value for name, value in self.as_dict().items() if value or name != "during"}

    @property
    def how(self) -> str:
        """What the ledger tells of who did it, to put behind "was changed"."""
        return f" while `{self.during}` ran" if self.during else ", and no recorded call explains it"


class Session(Value):
    """
    posture  how the machine is being run for this session
    calls    how many calls were decided
    created  paths that this session wrote, or had the project's build write, and that were not there before
    written  paths whose content is this session's; `/` stands for more than are known by name
    kept     paths to which something older was moved; `/` as above
    lock     the posture before it locked itself, where nothing but retries of a refused call did that; else empty
    grants   what a person approved while it went on
    run      the run folder, where a plan is in force
    plan     the file of the plan that this session was held to; empty: none so far
    recent   the last calls that happened, newest last
    repeated what they say of this very call, as the layers see it; None: nothing, or nobody has looked
    polls    how many reads came again after enough time and brought nothing new, since anything else was done
    spent    how many actions happened, by effect and by name
    refused  what a person said no to: each no is the keys of what was asked, together
    pending  calls that a person was asked about and that are not known to have run, newest last
    raised   the moment until which a person's phrase makes it permissive; None: none was said
    closed   time windows of rules that would match, and that are not open now
    parent   the session whose agent started this one's host; empty: a person did, as far as is known
    label    the run label, where nobody is attended and whoever started the run gave it one
    signing  the strongest signature that a person can give on this machine; empty: none
    off      a person has switched all but the floor off for now
    asking   why no approval of this call is waited for (`approve/lifecycle.py`); empty: nothing stands against it
    applied  what to tell of this very call, where a person has applied a preview of it; empty: nobody has
    no       the words of the person's no that this very call falls under; empty: there is none, or it was said without
    asked_before  how many questions about this very call were closed before
    watch    how the watched files looked at the last event, and the row that says how they were at first
    changed  what is different from that, and that nobody has accepted
    accepted path -> digest of a content that a call of this session wrote, or that a person has seen
    mods     folder of a plug-in whose code may run inside the host -> stamp of its files when they were looked at
    head     the commit that HEAD named when it began; empty: not known
    started  the moment at which it began; empty: not known
    heard    name of a transcript -> how many bytes of it were looked through for calls that no hook saw
    since    the moment from which on they were
    secret   something secret was read, as far as is known
    hosts    machines that it has talked to
    told     marks of the notices that its person has seen: each is shown once
    questions  calls that the host was told to ask about, and whose answer its transcript has not told yet, newest last
    values   digests of what the person said and of what tools gave back (origins.py); None: nothing is kept
    phrase   a permission phrase that was sent to the agent, and who typed it as far as is known; None: none
    """

    id: str = ""
    posture: Posture = Posture.INTERACTIVE
    calls: int = 0
    created: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    lock: str = ""
    grants: tuple[Grant, ...] = ()
    run: Run | None = None
    plan: str = ""
    recent: tuple[Ran, ...] = ()
    repeated: Repeated | None = None
    polls: int = 0
    spent: Mapping[str, int] = FrozenMap({})
    refused: tuple[tuple[str, ...], ...] = ()
    pending: tuple[Pending, ...] = ()
    raised: str | None = None
    closed: frozenset[str] = frozenset()
    parent: str = ""
    label: str = ""
    asking: str = ""
    applied: str = ""
    no: str = ""
    asked_before: int = 0
    signing: str = ""
    off: bool = False
    watch: str = ""
    changed: tuple[Changed, ...] = ()
    accepted: Mapping[str, str] = FrozenMap({})
    mods: Mapping[str, str] = FrozenMap({})
    head: str = ""
    started: str = ""
    heard: Mapping[str, int] = FrozenMap({})
    since: str = ""
    secret: bool = False
    hosts: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    questions: tuple[Question, ...] = ()
    phrase: Phrase | None = None
    values: Known | None = None


def advance(
    session: Session,
    reading: Reading,
    decision: Decision,
    outcome: str = "unknown",
    result: str | None = None,
    *,
    held: bool = False,
    agent: str = "",
    at: int = 0,
    polled: bool = False,
) -> Session:
    """The session after a decision. `result` is a digest of what came back, where the host tells; `at` the moment, in
    seconds; `polled` whether it was let through as a read that comes again after enough time.

    A call that did not run leaves a count, and, if the host asked a person, one more try. One that is `held` has not
    run, and may come again as often as it likes: the question is the same. An allowed call whose outcome is
    not known is spent, since it may have run; in a loop it counts as progress, since its result may have been new.
    """
    if outcome not in OUTCOMES:
        raise ValueError(f"`{outcome}` is not one of {', '.join(OUTCOMES)}")
    outcome = "not_run" if held else outcome
    if outcome != "not_run" and decision.verdict is not Verdict.DENY:
        session = with_flow(session, reading, asked=decision.verdict is not Verdict.ALLOW and outcome == "unknown")
        made = outcome == "ran" or (outcome == "unknown" and decision.verdict is Verdict.ALLOW)
        session = with_files(session, reading, ran=made)
    posture, calls = move(session.posture, decision.posture), session.calls + 1
    ran = _ran_as(reading, outcome, result if outcome in HAPPENED else None, agent, at)
    if outcome == "unknown" and decision.verdict is Verdict.ALLOW and not session.changed:  # most calls: all at once
        return session.replace(
            posture=posture,
            calls=calls,
            pending=_unsettled(session, reading),
            spent=_spent(session.spent, spends(reading)),
            recent=with_step(session.recent, ran),
            polls=_polls(session, ran, polled=polled),
        )
    if posture is not session.posture and any(found.rule == "denied" for found in decision.reasons if found.locks):
        session = session.replace(lock=session.posture.name)
    session = session.replace(posture=posture, calls=calls)
    if held:
        return session
    if session.changed and decision.verdict is Verdict.ALLOW and any(f.layer == "watch" for f in decision.satisfied):
        session = accept(session, {change.path: change.digest for change in session.changed})
    if outcome in HAPPENED or (outcome == "unknown" and decision.verdict is Verdict.ALLOW):
        session = _spend(_settled(session, reading), spends(reading))
        return _noted(session, ran, polled=polled)
    if decision.verdict is Verdict.ASK and decision.approval is not None:
        session = _tried_again(session, reading, decision.approval)
        return _noted(session, ran) if outcome == "unknown" else session  # the host may have asked
    if any(found.layer == "loop" and found.rule in _REFUSED for found in decision.reasons):
        return _refused_round(session, ran)
    if decision.verdict is Verdict.DENY and not decision.waits and session.posture < Posture.DRY_RUN:
        if not is_answered(decision.reasons):
            return _tried_again(session, reading, DENIED)  # nobody can answer it, so it is only tried
    return session


def learn(
    session: Session,
    reading: Reading,
    outcome: str,
    result: str | None = None,
    *,
    verdict: Verdict = Verdict.ALLOW,
    absent: frozenset[str] = frozenset(),
    agent: str = "",
) -> Session:
    """The session once the outcome of a call is told after its decision.

    What it spends was counted when it was allowed; if a person was asked first, or it ran although it was denied, it is
    counted now. `absent` are paths that the call was to make and that are not there.
    """
    if outcome not in HAPPENED:
        return session
    if verdict is not Verdict.ALLOW:
        session = with_files(with_flow(session, reading, asked=False), reading, ran=outcome == "ran")
    if verdict is not Verdict.ALLOW or any(asked.projection == reading.projection for asked in session.pending):
        session = _spend(_settled(session, reading), spends(reading))
    if not absent.isdisjoint(session.created):
        session = session.replace(created=session.created - absent)
    told = _ran_as(reading, outcome, result, agent)
    for at in range(len(session.recent) - 1, -1, -1):
        ran = session.recent[at]
        if ran.projection == told.projection and ran.agent == told.agent and ran.outcome == "unknown":
            known = ran.replace(outcome=told.outcome)
            return session.replace(recent=(*session.recent[:at], known, *session.recent[at + 1 :]))
    return _noted(session, told)


def accept(session: Session, digests: Mapping[str, str]) -> Session:
    """These contents of watched files are known from now on: path -> digest."""
    known = {path: digest for path, digest in session.accepted.items() if path not in digests}
    kept = list({**known, **digests}.items())[-MAX_ACCEPTED:]
    left = tuple([change for change in session.changed if digests.get(change.path) != change.digest])
    return session.replace(accepted=FrozenMap(dict(kept)), changed=left)


def untold(session: Session, notices: tuple[str, ...]) -> tuple[Session, tuple[str, ...]]:
    """Those of the notices that this session's person has not seen, and the session in which they are told."""
    marks = {digest(notice)[-16:]: notice for notice in notices}
    new = [mark for mark in marks if mark not in session.told]
    if not new:
        return session, ()
    kept = session.told if len(session.told) < MAX_TOLD else frozenset()
    return session.replace(told=kept.union(new[:MAX_TOLD])), tuple([marks[mark] for mark in new])


def spoken(session: Session) -> Session:
    """A person has said something to the agent: what comes now is a new start, and no repetition."""
    return session.replace(recent=(), polls=0, pending=())


def remember_refusal(session: Session, keys: tuple[str, ...]) -> Session:
    """A person said no to what these keys stand for, together."""
    no = tuple(sorted(set(keys)))
    if not no or no in session.refused:
        return session
    return session.replace(refused=(*session.refused, no)[-MAX_REFUSALS:])


def unlock(session: Session, start: Posture) -> Session:
    """A person unlocked it: it goes on as it began, and what it did before is no repetition any more."""
    posture = move(move(session.posture, Posture.INTERACTIVE), start)
    return spoken(session).replace(posture=posture, lock="")


def is_answered(reasons: Iterable[Finding]) -> bool:
    """Whether a person has answered, or was asked, about the call that is refused: to try it again is no new effect."""
    return any(found.layer == "answers" for found in reasons)


def inherit(session: Session, above: Session) -> Session:
    """The session, held to what the one above it is held to: it is never freer, and nobody attends it.

    Budgets go on from where the one above stood when this one began, and what that one's calls made is no stranger's.
    """
    return session.replace(
        posture=max(session.posture, above.posture, Posture.AUTONOMOUS),
        refused=tuple(dict.fromkeys((*above.refused, *session.refused)))[-MAX_REFUSALS:],
        written=bounded(session.written, above.written),
        kept=bounded(session.kept, above.kept),
        spent=session.spent or above.spent,
        plan=session.plan or above.plan,
        head=above.head or session.head,
        started=above.started or session.started,
        secret=session.secret or above.secret,
        raised=None,
        phrase=None,
    )


def raise_mode(session: Session, moment: str) -> Session:
    """A person said the phrase: the session is permissive until that moment."""
    return session.replace(raised=moment)


def lower_mode(session: Session) -> Session:
    return session.replace(raised=None, phrase=None)


def until(session: Session, now: str) -> Session:
    """The session at this moment: what a phrase raised is over once its time is. Moments compare as texts."""
    return lower_mode(session) if session.raised is not None and session.raised <= now else session


def repeated(session: Session, reading: Reading, agent: str = "", at: int = 0, pace: int = 0) -> Repeated | None:
    """What the calls before it say of this one; None where that is nothing. `at` is the moment, in seconds."""
    if session.repeated is not None or not session.recent:
        return session.repeated
    mark, agent = mark_of(reading), agent_mark(agent)
    alike = near_repeats(session.recent, kind_of(reading), mark, agent)
    times, calls = 1, tuple[Ran, ...]()
    if any(ran.projection == mark for ran in session.recent):
        manner = manner_of(reading)
        times, calls = repetition(session.recent, mark, manner, agent)
        if times > 1 and manner in QUIET:
            paced = waited(session.recent, mark, agent, at, pace)
            polls = session.polls if paced else 0
            return Repeated(times=times, calls=len(calls), reads=True, paced=paced, polls=polls, alike=alike)
    return Repeated(times=times, calls=max(1, len(calls)), alike=alike) if times > 1 or alike else None


def tries_of(session: Session, reading: Reading, approval: str) -> int:
    """How often this call was asked about under that approval; `DENIED`: how often it was denied."""
    return sum([asked.tries for asked in session.pending if _is_about(asked, reading, approval)])


def spends(reading: Reading) -> dict[str, int]:
    """What the call counts for: each action once under its name, and once under each of its effects."""
    counts: dict[str, int] = {}
    for action in reading.actions:
        for name in (action.name, *[effect.name for effect in action.effects]):
            counts[name] = counts.get(name, 0) + 1
    return counts


def _ran_as(reading: Reading, outcome: str, result: str | None, agent: str = "", at: int = 0) -> Ran:
    return Ran(
        projection=mark_of(reading),
        outcome=outcome_mark(outcome, result),
        manner=manner_of(reading),
        at=at,
        agent=agent_mark(agent),
        kind=kind_of(reading),
    )


def _noted(session: Session, ran: Ran, *, polled: bool = False) -> Session:
    return session.replace(recent=with_step(session.recent, ran), polls=_polls(session, ran, polled=polled))


def _polls(session: Session, ran: Ran, *, polled: bool) -> int:
    return 0 if ran.manner not in QUIET else session.polls + polled


def _refused_round(session: Session, ran: Ran) -> Session:
    """The loop guard refused it. It counts as one more time round, so that the next one locks; and the time that a
    read has to wait begins anew.
    """
    recent = session.recent
    for at, one in enumerate(repetition(recent, ran.projection, ran.manner, ran.agent)[1]):
        recent = with_step(recent, one if at else one.replace(at=ran.at))
    return session.replace(recent=recent)


def _settled(session: Session, reading: Reading) -> Session:
    """Nobody needs to be asked about this call any more."""
    left = _unsettled(session, reading)
    return session if len(left) == len(session.pending) else session.replace(pending=left)


def _unsettled(session: Session, reading: Reading) -> tuple[Pending, ...]:
    pending = session.pending
    return tuple([asked for asked in pending if asked.projection != reading.projection]) if pending else pending


def _spend(session: Session, counts: Mapping[str, int]) -> Session:
    return session.replace(spent=_spent(session.spent, counts))


def _spent(before: Mapping[str, int], counts: Mapping[str, int]) -> Mapping[str, int]:
    spent = dict(before)
    for name, count in counts.items():
        known = name in spent or len(spent) < MAX_COUNTED_NAMES or name in Effect.names()
        key = name if known else OTHERS
        spent[key] = spent.get(key, 0) + count
    return FrozenMap(spent)


def _tried_again(session: Session, reading: Reading, approval: str) -> Session:
    tries = tries_of(session, reading, approval)
    others = [asked for asked in session.pending if not _is_about(asked, reading, approval)]
    asked = Pending(approval=approval, projection=reading.projection, tries=tries + 1)
    return session.replace(pending=(*others, asked)[-MAX_PENDING:])


def _is_about(asked: Pending, reading: Reading, approval: str) -> bool:
    return asked.approval == approval and (approval != DENIED or asked.projection == reading.projection)
