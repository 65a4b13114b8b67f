"""The one door for every front: builds the world that an event happened in, and takes the event in.

    engine = Engine(folders, front="hook:claude-code")
    outcome = engine.propose(event)     # a call: decided, and recorded
    reply = engine.tell(event)          # anything else: what became of it, what was said, that a session begins

A front turns its host's event into one of `events.py`, hands it over, and puts the reply into its host's words. An
engine keeps nothing of a call. It can stay warm and be used by many threads: policies are read anew for each event and
compiled once for each content, and each thread has a connection of its own to the ledger.
"""

from __future__ import annotations

import os
from _thread import _local

from .effects import Effect
from .environment import CAMPAIGN, moved_by
from .errors import InputError, InterlockError
from .events import Decided
from .follow.watching import Watching
from .layers.obeyed import told_of
from .limits import HOOK_QUEUE_SECONDS
from .policy.model import Headless, OnAllow
from .posture import Posture
from .runtime import World, judge, notices_of, starting_posture, with_plan
from .session import Session
from .store.clock import observing
from .store.contracts import Catalogues
from .store.folders import find_root
from .store.ledger import Ledger
from .store.policies import load_policy, load_policy_or_faults
from .store.postures import read_posture
from .value import TYPE_CHECKING, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from .events import Event, Place, Proposed, Reply
    from .policy.model import ApprovalMode, Policy
    from .runtime import Outcome
    from .store.folders import Folders
    from .store.grants import Look

__all__ = ["Engine", "Given", "reply_to"]


class Given(Value):
    """What whoever runs a front says in place of what would be found.

    root     the project of every call
    policy   a file in place of the user's and the project's policy
    posture  what sessions begin with
    mode     how much is asked
    """

    root: str | None = None
    policy: str | None = None
    posture: Posture | None = None
    mode: ApprovalMode | None = None


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
    ) -> None:
        """
        front    the name that every row gets which is appended through this engine
        records  decisions are kept in the ledger; otherwise its grants count, and nothing is used up
        resumes  a session goes on from what the ledger keeps of it
        answers  what cannot be read of policy and posture lets only reads pass; otherwise it is an error
        patience how many seconds a call waits for others at the ledger
        """
        self.folders = folders
        self.front = front
        self.records = records
        self.resumes = resumes
        self.answers = answers
        self.patience = patience
        self.given = given
        self._policies: dict[str, Policy] = {}
        self._own = _local()

    def ledger(self) -> Ledger:
        """The ledger, with a connection of this thread's own."""
        found: Ledger | None = getattr(self._own, "ledger", None)
        if found is None:
            found = self._own.ledger = Ledger(self.folders.ledger, front=self.front, patience=self.patience)
        return found

    def folders_at(self, place: Place) -> Folders:
        moved = moved_by(place.environment)
        return self.folders if moved == self.folders.moved else self.folders.replace(moved=moved)

    def root_at(self, place: Place) -> str:
        """The project that the place is in, links followed."""
        return os.path.realpath(self.given.root or place.root or find_root(place.cwd, self.folders.home))

    def world(self, place: Place) -> World:
        """All that stays the same for the calls of one place."""
        if not place.cwd.startswith("/"):
            raise InputError("the event's `cwd` is not an absolute path")
        folders, root = self.folders_at(place), self.root_at(place)
        campaign = place.environment.get(CAMPAIGN, "")
        policy = self._policy(folders, root, campaign)
        world = World(
            folders=folders,
            root=root,
            policy=policy,
            ledger=self.ledger() if self.records else None,
            looks=None if self.records else _look(folders),
            resumes=self.resumes,
            contracts=Catalogues(folders, root),
            parent=place.parent,
            starter=place.starter,
            environment=place.environment,
            observes=not campaign and policy.observe != "" and observing(policy),  # its limits are there to be kept
        )
        return with_plan(world, place.environment)

    def session(self, place: Place, world: World) -> tuple[Session, tuple[str, ...]]:
        """The session as it would begin there now, and what the person is to be told of that."""
        warnings: tuple[str, ...] = ()
        posture = self.given.posture
        if posture is None:
            try:
                kept = read_posture(world.folders, world.root)
            except InterlockError as error:  # it may have said `locked`, so it counts as that
                if not self.answers:
                    raise
                kept = Posture.LOCKED
                warnings = (f"{error}. Until you fix it, only read-only calls are allowed",)
            posture = starting_posture(world.policy, kept, attended=place.attended)
        return Session(id=place.session, posture=posture, label=place.run), warnings

    def _policy(self, folders: Folders, root: str, campaign: str) -> Policy:
        load = load_policy_or_faults if self.answers else load_policy
        policy = load(folders, root, self.given.policy, self._policies, campaign)
        mode = self.given.mode
        if mode is None or mode is policy.approval_mode:
            return policy
        from .policy.wire import policy_to_wire
        from .record.canon import digest

        policy = policy.replace(approval_mode=mode)
        return policy.replace(digest=digest(policy_to_wire(policy)))

    def propose(self, event: Proposed) -> Outcome:
        """A call, decided and recorded. Its warnings are all that the person is to be told."""
        world = self.world(event.place)
        session, warnings = self.session(event.place, world)
        world = world.replace(watch=Watching(world, event.place))
        outcome = judge(event.call, world, session)
        if outcome.trouble is not None or not event.call.session:  # then nobody remembers what was told
            warnings = (*warnings, *notices_of(world))
        warnings = (*warnings, *outcome.warnings)
        if outcome.decision.notes and outcome.decision.verdict is Verdict.ALLOW:
            warnings = (*warnings, *told_of(outcome.reading))
        if outcome.trouble is not None:
            warnings = (*warnings, f"not recorded: {outcome.trouble}")
        return outcome.replace(warnings=warnings)

    def tell(self, event: Event) -> Reply:
        """Any event but a proposed call: what follows from it, and what there is to say."""
        from .follow.events import taken_in

        return taken_in(self, event)


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


def _look(folders: Folders) -> Look:
    from .store.grants import Look

    return Look(folders.ledger)
