"""The one door for every front: builds the world that an event happened in, and takes the event in.

    engine = Engine(folders, front="hook:claude-code")
    outcome = engine.propose(event)     # a call: decided, and recorded
    reply = engine.tell(event)          # anything else: what became of it, what was said, that a session begins

A front turns its host's event into one of `events.py`, hands it over, and puts the reply into its host's words. An
engine keeps nothing of a call. One that is `resident` serves the many threads of a process that stays: what was made of
a file is kept until the file is touched, and each event has a connection to the ledger for itself, out of a few.
"""

from __future__ import annotations

import os
from _thread import _local

from .effects import Effect
from .environment import CAMPAIGN, moved_by
from .errors import InputError, InterlockError, StoreError
from .events import Decided
from .follow.watching import Watching
from .layers.obeyed import told_of
from .limits import HOOK_QUEUE_SECONDS, MAX_CONNECTIONS
from .policy.model import Headless, OnAllow
from .posture import Posture
from .runtime import World, foreseen, judge, judge_together, not_recorded, notices_of, starting_posture, with_plan
from .session import Session
from .store.clock import observing
from .store.contracts import Catalogues
from .store.files import DISK
from .store.folders import find_root
from .store.ledger import Ledger
from .store.policies import load_policy, load_policy_or_faults
from .store.postures import read_posture
from .store.sqlite import LOG_PAGES, LONG_LOG_PAGES, Database
from .value import TYPE_CHECKING, FrozenMap, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .events import Event, Place, Proposed, Reply
    from .policy.model import ApprovalMode, Policy, ToolSpec
    from .runtime import Outcome
    from .store.files import Disk
    from .store.folders import Folders
    from .store.grants import Look
    from .store.lending import Lending
    from .store.remembered import AtOnce, Remembered

    MakesLedger = Callable[[str, float], Ledger]

__all__ = ["Engine", "Given", "reply_to"]

_MOST_DECLARED = 64  # policies that a program's tools are joined to
_MOST_BEGUN = 2048  # sessions as they would begin, which a resident engine keeps: they have many fields, all empty


class Given(Value):
    """What whoever runs a front says in place of what would be found.

    root     the project of every call
    policy   a file in place of the user's and the project's policy
    posture  what sessions begin with
    mode     how much is asked
    profile  what the user's policy begins with where it names none
    tools    what a program declares of its own tools; it may grow while the engine works
    compiled a policy in place of every file, this machine's and managed ones too: for measuring, and for no agent
    """

    root: str | None = None
    policy: str | None = None
    posture: Posture | None = None
    mode: ApprovalMode | None = None
    profile: str = ""
    tools: Mapping[str, ToolSpec] = FrozenMap({})
    compiled: Policy | None = None

    @property
    def found_by(self) -> Mapping[str, str]:
        # What a program declares is nowhere but in that program: nobody else can tell whether it has changed.
        declared = "yes" if self.tools or self.compiled is not None else ""
        named = {"policy_file": self.policy, "profile": self.profile, "declared": declared}
        return FrozenMap(
            {name: os.path.abspath(value) if name == "policy_file" else value for name, value in named.items() if value}
        )


class Engine:
    def __init__(
        self,
        folders: Folders,
        *,
        front: str,
        records: bool = True,
        resumes: bool = True,
        answers: bool = True,
        patience: float = HOOK_QUEUE_SECONDS,
        given: Given = Given(),  # noqa: B008 - a frozen value
        watches: bool = True,
        elsewhere: bool = False,
        undo: str = "",
        resident: bool = False,
        ledger: MakesLedger | None = None,
        connections: int = MAX_CONNECTIONS,
        log_pages: int = LONG_LOG_PAGES,
    ) -> None:
        """
        front    the name that every row gets which is appended through this engine
        records  decisions are kept in the ledger; otherwise its grants count, and nothing is used up
        resumes  a session goes on from what the ledger keeps of it
        answers  what cannot be read of policy and posture lets only reads pass; otherwise it is an error
        patience how many seconds a call waits for others at the ledger
        watches  the files that a host obeys, and its transcript, are looked at with each call. A front without a host
                 has neither: its agent's settings are the program that calls it
        elsewhere nobody sits in front of whoever calls: every question is kept, to be answered elsewhere
        undo     whether what a call would lose is held first: see `World`. Where calls run elsewhere, nothing is
        resident the process stays: what was made of files is kept while none was touched, and connections are lent
        ledger   makes a ledger for a front and a patience, in any engine's database; otherwise it is the person's own
        connections  how many a resident engine has at once at most
        log_pages  how long a resident engine lets SQLite's log get before a turn writes it back
        """
        self.folders = folders
        self.front = front
        self.records = records
        self.resumes = resumes
        self.answers = answers
        self.patience = patience
        self.given = given
        self.watches = watches
        self.elsewhere = elsewhere
        self.log_pages = log_pages
        self.undo = undo
        self._makes = self._own_ledger if ledger is None else ledger
        self._policies: dict[str, Policy] = {}
        self._declared: dict[str, tuple[tuple[ToolSpec, ...], Policy]] = {}
        self._begun: dict[tuple[str, str, str], Session] = {}
        self._own = _local()
        self._remembered: Remembered | None = None
        self._lending: Lending | None = None
        if resident:
            from .quick import quicken
            from .record.canon import use_openssl
            from .store.lending import Lending
            from .store.remembered import Remembered

            quicken()
            use_openssl()
            self._remembered = Remembered()
            self._lending = Lending(self._made_ledger, most=connections, patience=patience)

    def _own_ledger(self, front: str, patience: float) -> Ledger:
        stays = self._lending is not None
        pages = self.log_pages if stays else LOG_PAGES
        database = Database(self.folders.ledger, patience=patience, log_pages=pages)
        return Ledger.on(database, front=front, stays=stays)

    def _made_ledger(self) -> Ledger:
        return self._makes(self.front, self.patience)

    def ledger(self) -> Ledger:
        """The ledger of the event that this thread takes in; elsewhere with a connection of the thread's own."""
        found: Ledger | None = getattr(self._own, "ledger", None)
        if found is None:
            found = self._own.ledger = self._made_ledger()
        return found

    def lent(self) -> _Lent:
        """`with engine.lent() as ledger:`, for what a front does with the ledger besides its events."""
        return _Lent(self)

    def close(self) -> None:
        """Closes the connections that no event uses."""
        if self._lending is not None:
            self._lending.close()

    def folders_at(self, place: Place) -> Folders:
        moved = moved_by(place.environment)
        return self.folders if moved == self.folders.moved else self.folders.replace(moved=moved)

    def root_at(self, place: Place) -> str:
        """The project that the place is in, links followed."""
        return os.path.realpath(self.given.root or place.root or find_root(place.cwd, self.folders.home))

    def world(self, place: Place) -> World:
        """All that stays the same for the calls of one place."""
        return self._world(place, self.ledger() if self.records else None)

    def _world(self, place: Place, ledger: Ledger | None, remembered: Remembered | AtOnce | None = None) -> World:
        remembered = self._remembered if remembered is None else remembered
        if not place.cwd.startswith("/"):
            raise InputError("the event's `cwd` is not an absolute path")
        folders, root = self.folders_at(place), self.root_at(place)
        campaign = place.environment.get(CAMPAIGN, "")
        policy = self._policy(folders, root, campaign, remembered)
        world = World(
            folders=folders,
            root=root,
            policy=policy,
            ledger=ledger,
            looks=None if self.records else self._look(),
            resumes=self.resumes,
            contracts=Catalogues(folders, root, remembered=remembered),
            parent=place.parent,
            starter=place.starter,
            environment=place.environment,
            variables=place.variables,
            found_by=self.given.found_by,
            elsewhere=self.elsewhere,
            undo=self.undo,
            observes=not campaign and policy.observe != "" and observing(policy),  # its limits are there to be kept
            remembered=remembered,
        )
        return with_plan(world, place.environment)

    def policy_at(self, place: Place) -> Policy:
        """What counts there, plans left out."""
        campaign = place.environment.get(CAMPAIGN, "")
        return self._policy(self.folders_at(place), self.root_at(place), campaign, self._remembered)

    def session(
        self, place: Place, world: World, remembered: Remembered | AtOnce | None = None
    ) -> tuple[Session, tuple[str, ...]]:
        """The session as it would begin there now, and what the person is to be told of that."""
        warnings: tuple[str, ...] = ()
        posture = self.given.posture
        if posture is None:
            try:
                kept = self._posture(world.root, self._remembered if remembered is None else remembered)
            except InterlockError as error:  # it may have said `locked`, so it counts as that
                if not self.answers:
                    raise
                kept = Posture.LOCKED
                warnings = (f"{error}. Until you fix it, only read-only calls are allowed",)
            posture = starting_posture(world.policy, kept, attended=place.attended)
        if self._lending is None:
            return Session(id=place.session, posture=posture, label=place.run), warnings
        begins = (place.session, posture.name, place.run)
        found = self._begun.get(begins)
        if found is None:
            if len(self._begun) >= _MOST_BEGUN:
                self._begun.clear()
            found = self._begun[begins] = Session(id=place.session, posture=posture, label=place.run)
        return found, warnings

    def _posture(self, root: str, remembered: Remembered | AtOnce | None) -> Posture | None:
        if remembered is None:
            return read_posture(self.folders, root)
        return remembered.of(("posture", root), lambda disk: read_posture(self.folders, root, disk))

    def _policy(self, folders: Folders, root: str, campaign: str, remembered: Remembered | AtOnce | None) -> Policy:
        if remembered is None:
            policy = self._loaded(folders, root, campaign)
        else:
            key = ("policy", root, campaign)
            policy = remembered.of(key, lambda disk: self._loaded(folders, root, campaign, disk))
        return self._with_tools(policy) if self.given.tools else policy

    def _with_tools(self, policy: Policy) -> Policy:
        """The policy with what the program declares, made once for each."""
        tools = tuple(self.given.tools.values())
        known = self._declared.get(policy.digest)
        if known is None or known[0] != tools:
            from .policy.declared import with_declared

            if len(self._declared) >= _MOST_DECLARED:
                self._declared.clear()
            known = self._declared[policy.digest] = tools, _digested(with_declared(policy, dict(self.given.tools)))
        return known[1]

    def _loaded(self, folders: Folders, root: str, campaign: str, disk: Disk = DISK) -> Policy:
        if self.given.compiled is not None:
            return self.given.compiled
        load = load_policy_or_faults if self.answers else load_policy
        policy = load(folders, root, self.given.policy, self._policies, campaign, disk, self.given.profile)
        mode = self.given.mode
        if mode is None or mode is policy.approval_mode:
            return policy
        return _digested(policy.replace(approval_mode=mode))

    def propose(self, event: Proposed) -> Outcome:
        """A call, decided and recorded. Its warnings are all that the person is to be told."""
        if not self.records:
            return self._told(event, self._world(event.place, None))
        try:
            with self.lent() as ledger:
                return self._told(event, self._world(event.place, ledger))
        except _NoneFreeError as error:
            return self._told(event, self._world(event.place, None), str(error))

    def propose_together(self, events: Sequence[Proposed]) -> list[Outcome | None]:
        """Calls that wait at the same time, as `propose` would decide them one after the other; None for one that
        is left to it. Files are looked at once for all: what was changed before the last of these calls came is seen.
        """
        if not self.records or self.watches or self._remembered is None:
            return [None] * len(events)
        remembered = self._remembered.at_once()
        worlds: dict[object, World] = {}
        ready: list[tuple[int, World, Session, tuple[str, ...]]] = []
        found: list[Outcome | None] = [None] * len(events)
        with self.lent() as ledger:
            for at, event in enumerate(events):
                place = event.place
                own = event.definition is not None or event.malformed != "" or place.variables is not None
                if own:  # what a relay or a proxy hands over comes one at a time
                    continue
                key = (place.cwd, place.root, place.parent, place.starter, tuple(place.environment.items()))
                try:
                    world = worlds.get(key) or self._world(place, ledger, remembered)
                    ready.append((at, world, *self.session(place, world, remembered)))
                except InterlockError:  # which is told to whoever sent this one
                    continue
                worlds[key] = world
            judged = judge_together([(events[at].call, world, session) for at, world, session, _ in ready], ledger)
        for outcome, (at, world, _, warnings) in zip(judged, ready, strict=True):
            if outcome is not None:
                found[at] = self._with_warnings(events[at], world, warnings, outcome)
        return found

    def foresee(self, event: Proposed) -> Outcome | None:
        """What `propose` would answer now. Nothing is recorded, no approval is used; None where that is not known."""
        with self.lent() as ledger:
            world = self._world(event.place, ledger)
            return foreseen(event.call, world, self.session(event.place, world)[0])

    def _told(self, event: Proposed, world: World, trouble: str = "") -> Outcome:
        session, warnings = self.session(event.place, world)
        if event.definition is not None or event.malformed:
            world = world.replace(definition=event.definition, malformed=event.malformed)
        if trouble:
            outcome = not_recorded(event.call, world, session, trouble)
        else:
            world = world.replace(watch=Watching(world, event.place)) if self.watches else world
            outcome = judge(event.call, world, session)
        return self._with_warnings(event, world, warnings, outcome)

    def _with_warnings(self, event: Proposed, world: World, warnings: tuple[str, ...], outcome: Outcome) -> Outcome:
        if outcome.trouble is not None or not event.call.session:  # then nobody remembers what was told
            warnings = (*warnings, *notices_of(world))
        warnings = (*warnings, *outcome.warnings)
        if outcome.decision.notes and outcome.decision.verdict is Verdict.ALLOW:
            warnings = (*warnings, *told_of(outcome.reading))
        if outcome.trouble is not None:
            warnings = (*warnings, f"not recorded: {outcome.trouble}")
        return outcome.replace(warnings=warnings) if warnings else outcome

    def tell(self, event: Event, decided: Outcome | None = None) -> Reply:
        """Any event but a proposed call: what follows from it, and what there is to say. `decided`: what `propose` gave
        for the call that has ended, where the front still holds it; then nothing is searched in the ledger.
        """
        from .follow.events import taken_in

        with self.lent():
            return taken_in(self, event, decided)

    def _look(self) -> Look:
        from .store.grants import Look

        return Look(self.folders.ledger) if self._makes == self._own_ledger else Look.on(self.ledger())


def _digested(policy: Policy) -> Policy:
    from .policy.wire import policy_to_wire
    from .record.canon import digest

    return policy.replace(digest=digest(policy_to_wire(policy)))


class _NoneFreeError(StoreError):
    """No connection to the ledger got free in time."""


class _Lent:
    """A ledger for one event, or for one errand of a front. Inside of an event it is that event's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lent: Ledger | None = None

    def __enter__(self) -> Ledger:
        engine = self._engine
        if engine._lending is not None and getattr(engine._own, "ledger", None) is None:
            try:
                self._lent = engine._own.ledger = engine._lending.take()
            except StoreError as error:
                raise _NoneFreeError(str(error)) from None
        return engine.ledger()

    def __exit__(self, _kind: object, _error: object, _trace: object) -> None:
        engine, lent = self._engine, self._lent
        if lent is not None and engine._lending is not None:
            engine._own.ledger = None
            engine._lending.give_back(lent)


# Marks of what was let through without having been read to its end.
_NOT_READ = ("fetched", "unread", "written-here")


def reply_to(event: Proposed, outcome: Outcome, *, has_rules: bool) -> Decided:
    """The answer. `has_rules`: the host has rules of its own, which decide where it is told nothing."""
    if outcome.observed and (outcome.decision.verdict is not Verdict.ALLOW or outcome.decision.used):
        # What a grant lets through is not told either: nothing is used up, so it would lift the host's prompt for ever.
        passed = outcome.decision.replace(verdict=Verdict.ALLOW, reasons=(), approval=None)
        return Decided(decision=passed, warnings=outcome.warnings, silent=True)
    # A sub-agent's call cannot be resumed, and a person in front of the host is asked there.
    defers = outcome.policy.headless is Headless.DEFER and not event.place.attended and not event.call.agent
    decision = outcome.decision
    person, agent = "", ""
    if decision.reasons:
        from .words.told import told

        person, agent = told(outcome.call, outcome.reading, decision, outcome.policy)
    return Decided(
        decision=decision,
        person=person,
        agent=agent,
        notes=decision.notes,
        warnings=outcome.warnings,
        defers=defers,
        silent=has_rules and _is_silent(event, outcome),
    )


def _is_silent(event: Proposed, outcome: Outcome) -> bool:
    """Whether the host's own rules are left to decide: an allow of ours would stand in their place."""
    decision, on_allow = outcome.decision, outcome.policy.on_allow
    if decision.verdict is not Verdict.ALLOW:
        return False
    if event.planning and any(effect is not Effect.READ for effect in decision.effects):
        return True
    said = on_allow.get(event.mode, on_allow["default"])
    return said is OnAllow.SILENT or (said is OnAllow.APPROVE and not _is_read_in_full(outcome))


def _is_read_in_full(outcome: Outcome) -> bool:
    """Whether all of the call was read, or a person has permitted what was not."""
    reading, decision = outcome.reading, outcome.decision
    # A yes to this very call; and what is opaque is allowed in no other way, but for Interlock being off.
    if reading.opaque or any(grant.kind == "once" for grant in decision.used):
        return True
    permitted = [at for found in decision.satisfied for at in found.actions]
    return not any(
        at not in permitted and any(mark in action.tags for mark in _NOT_READ)
        for at, action in enumerate(reading.actions)
    )
