"""The one builder of worlds: all that is known where an event happened, before anything of it is read.

Folders, project, policy, contracts, plan, and the session as it would begin there. What is made of files is kept where
the process stays, until one of them is touched (`store/facts/remembered.py`).
"""

from __future__ import annotations

import os

from ..bytes.canon import digest
from ..model.environment import CAMPAIGN, moved_by
from ..model.errors import InputError, InterlockError
from ..model.posture import Posture
from ..model.session import Session
from ..policy.wire import policy_to_wire
from ..store.clock import observing
from ..store.home.contracts import Catalogues
from ..store.home.files import DISK
from ..store.home.folders import find_root
from ..store.home.policies import load_policy, load_policy_or_faults
from ..store.home.postures import read_posture
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy
from .world import World, starting_posture, with_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.events import Place
    from ..policy.declared import with_declared
    from ..policy.model import ApprovalMode, Policy, ToolSpec
    from ..store.facts.remembered import AtOnce, Remembered
    from ..store.home.files import Disk
    from ..store.home.folders import Folders
    from ..store.ledger.grants import Look
    from ..store.ledger.ledger import Ledger
else:
    with_declared = lazy(globals(), "..policy.declared", "with_declared")

__all__ = ["Given", "Worlds"]

_MOST_DECLARED = 64  # policies that a program's tools are joined to
_MOST_BEGUN = 2048  # sessions as they would begin, which a process that stays keeps: they have many fields, all empty


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


class Worlds:
    """Of one engine. `remembered` is what a process that stays has made of files, and None in one that does not."""

    def __init__(
        self,
        folders: Folders,
        given: Given,
        *,
        resumes: bool,
        answers: bool,
        elsewhere: bool,
        undo: str,
        remembered: Remembered | None,
    ) -> None:
        self.folders, self.given, self.remembered = folders, given, remembered
        self._resumes, self._answers, self._elsewhere, self._undo = resumes, answers, elsewhere, undo
        self._policies: dict[str, Policy] = {}
        self._declared: dict[str, tuple[tuple[ToolSpec, ...], Policy]] = {}
        self._begun: dict[tuple[str, str, str], Session] = {}

    def folders_at(self, place: Place) -> Folders:
        moved = moved_by(place.environment)
        return self.folders if moved == self.folders.moved else self.folders.replace(moved=moved)

    def root_at(self, place: Place) -> str:
        """The project that the place is in, links followed."""
        return os.path.realpath(self.given.root or place.root or find_root(place.cwd, self.folders.home))

    def world(
        self,
        place: Place,
        ledger: Ledger | None,
        looks: Look | None = None,
        remembered: Remembered | AtOnce | None = None,
    ) -> World:
        """All that stays the same for the calls of one place. `remembered`: for calls that are looked at together."""
        remembered = self.remembered if remembered is None else remembered
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
            looks=looks,
            resumes=self._resumes,
            contracts=Catalogues(folders, root, remembered=remembered),
            parent=place.parent,
            starter=place.starter,
            scratch=place.scratch,
            environment=place.environment,
            variables=place.variables,
            elsewhere=self._elsewhere,
            undo=self._undo,
            observes=not campaign and policy.observe != "" and observing(policy),  # its limits are there to be kept
            remembered=remembered,
        )
        return with_plan(world, place.environment)

    def policy_at(self, place: Place) -> Policy:
        """What counts there, plans left out."""
        campaign = place.environment.get(CAMPAIGN, "")
        return self._policy(self.folders_at(place), self.root_at(place), campaign, self.remembered)

    def session(
        self, place: Place, world: World, remembered: Remembered | AtOnce | None = None
    ) -> tuple[Session, tuple[str, ...]]:
        """The session as it would begin there now, and what the person is to be told of that."""
        warnings: tuple[str, ...] = ()
        posture = self.given.posture
        if posture is None:
            try:
                kept = self._posture(world.root, self.remembered if remembered is None else remembered)
            except InterlockError as error:  # it may have said `locked`, so it counts as that
                if not self._answers:
                    raise
                kept = Posture.LOCKED
                warnings = (f"{error}. Until you fix it, only read-only calls are allowed",)
            posture = starting_posture(world.policy, kept, attended=place.attended)
        if self.remembered is None:
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
            if len(self._declared) >= _MOST_DECLARED:
                self._declared.clear()
            known = self._declared[policy.digest] = tools, _digested(with_declared(policy, dict(self.given.tools)))
        return known[1]

    def _loaded(self, folders: Folders, root: str, campaign: str, disk: Disk = DISK) -> Policy:
        if self.given.compiled is not None:
            return self.given.compiled
        load = load_policy_or_faults if self._answers else load_policy
        policy = load(folders, root, self.given.policy, self._policies, campaign, disk, self.given.profile)
        mode = self.given.mode
        if mode is None or mode is policy.approval_mode:
            return policy
        return _digested(policy.replace(approval_mode=mode))


def _digested(policy: Policy) -> Policy:
    return policy.replace(digest=digest(policy_to_wire(policy)))
