"""What a call is judged in, and what comes of it: the values that every front hands over and gets back."""

from __future__ import annotations

from ..model.answer import Answer, answer_of
from ..model.environment import PLAN_VARIABLES
from ..model.posture import Posture
from ..model.session import OTHERS
from ..model.verdict import Verdict
from ..policy.facts import facts_under
from ..store.clock import now
from ..store.facts.facts import read_with_facts
from ..store.facts.obeyed_facts import obeyed_facts
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..approve.lifecycle import Question
    from ..follow.watching import Watching
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.decision import Decision
    from ..model.facts import Definition, Facts
    from ..model.session import Session
    from ..policy.model import Policy
    from ..store.facts.git_head import head_of
    from ..store.facts.remembered import AtOnce, Remembered
    from ..store.home.contracts import Catalogues
    from ..store.home.folders import Folders
    from ..store.home.known_servers import server_of
    from ..store.home.plans import PlanInForce, plan_in_force
    from ..store.ledger.grants import Look
    from ..store.ledger.ledger import Ledger
else:
    head_of = lazy(globals(), "..store.facts.git_head", "head_of")
    server_of = lazy(globals(), "..store.home.known_servers", "server_of")
    plan_in_force = lazy(globals(), "..store.home.plans", "plan_in_force")

__all__ = [
    "Outcome",
    "World",
    "as_begun",
    "facts_of",
    "is_held_to",
    "notices_of",
    "pages_of",
    "starting_posture",
    "with_plan",
]


class World(Value):
    """What stays the same for all calls of one session or stream.

    ledger   where decisions are recorded; None: nowhere
    looks    a ledger whose grants count although nothing is recorded in it; they are not used up
    resumes  whether a session goes on from what the ledger keeps of it
    parent   the process that runs the agent; 0: not known
    starter  who runs it, as its front says
    scratch  see events.Place
    observes only the floor is enforced: nothing is asked, used up, remembered, locked or counted
    undo     `holds`: the call runs on this machine, and what it would lose is held first; `foresees`: nothing will run,
             and where a checkpoint could be made the call is weighed as if it had been; empty: neither
    elsewhere every question is kept, to be answered elsewhere than in front of whoever calls
    here     it is kept too, and can be answered in a dialog of ours in the host
    """

    folders: Folders
    root: str
    policy: Policy
    ledger: Ledger | None = None
    looks: Look | None = None
    resumes: bool = False
    contracts: Catalogues | None = None  # None: no contracts are checked
    plan: PlanInForce | None = None
    read: Callable[[Call, Facts, Callable[[str], bool] | None], Reading] = read_with_facts
    parent: int = 0
    starter: str = ""
    scratch: str = ""
    environment: Mapping[str, str] = FrozenMap({})  # the variables that count (model/environment.py)
    variables: Mapping[str, str] | None = None  # see events.Place
    observes: bool = False
    undo: str = ""
    elsewhere: bool = False
    here: bool = False
    watch: Watching | None = None  # the files that hosts obey, and the transcript
    remembered: Remembered | AtOnce | None = None  # what was made of files before, where the process stays
    definition: Definition | None = None  # of the tool that is called, as its server tells it
    malformed: str = ""  # see events.Proposed


class Outcome(Value):
    """What was decided about one call. Fronts go by its `answer`."""

    call: Call
    reading: Reading
    decision: Decision
    policy: Policy
    body: Mapping[str, Any]  # of the receipt
    receipt: str
    trouble: str | None = None  # why the receipt was not kept, although it should have been
    warnings: tuple[str, ...] = ()  # what a person should know besides
    observed: bool = False  # what was decided is not enforced
    raw: bytes = b""  # the canonical bytes of the body, where they are known
    row: int = 0  # of the ledger, where this very decision was just recorded
    question: Question | None = None  # the one that is open for the call
    elsewhere: bool = False  # nobody sits in front of whoever calls, so that questions are answered elsewhere

    @property
    def answer(self) -> Answer:
        return answer_of(self.decision, self.question, observed=self.observed, elsewhere=self.elsewhere)


def as_begun(fresh: Session, world: World) -> Session:
    """A session of which nothing is kept, as it begins now, whichever event of the host comes first."""
    return fresh.replace(head=head_of(world.root), started=now())


def facts_of(call: Call, world: World, session: Session) -> Facts:
    plan = world.plan
    return facts_under(
        world.policy,
        call,
        root=world.root,
        home=world.folders.home,
        session=session,
        own=world.folders.own if plan is None or not is_held_to(plan, session) else world.folders.own + plan.own,
        since=session.started,
        began=session.head if world.resumes else "HEAD",
        **obeyed_facts(world.folders, world.root, world.remembered, world.scratch),
        contracts=() if world.contracts is None else world.contracts.for_call(call),
        parent=world.parent,
        variables=world.variables,
        definition=world.definition,
        malformed=world.malformed,
        **_of_server(call, world, session),
    )


def _of_server(call: Call, world: World, session: Session) -> dict[str, str]:
    """Which known server the tool belongs to; nothing of it is loaded for any other tool."""
    policy = world.policy
    if call.tool[:5] != "mcp__" or not policy.built_in_tools or policy.unregistered is Verdict.DENY:
        return {}  # a person who wants nothing but what their policy declares gets that
    server = server_of(call, world.root, world.folders, session, world.remembered)
    return {"server": server, "pages": pages_of(session)} if server else {}


def pages_of(session: Session) -> str:
    """Whose pages a browser was sent to: `own`, `other`, or none. Where names are no longer told apart: `other`."""
    spent = session.spent
    if OTHERS in spent or "page:other" in spent:
        return "other"
    return "own" if "page:own" in spent else ""


def notices_of(world: World) -> tuple[str, ...]:
    """What a person should know of how policy and contracts were found. It is not about a call, and told once."""
    return (*world.policy.notices, *(() if world.contracts is None else world.contracts.warnings))


def with_plan(world: World, environment: Mapping[str, str]) -> World:
    """The world with the plan that is in force in it, if the policy or the environment asks for one."""
    if world.policy.plan is None and not any(name in environment for name in PLAN_VARIABLES):
        return world

    found = plan_in_force(world.policy, world.folders, world.root, environment)
    return world.replace(policy=found.policy, plan=found)


def is_held_to(plan: PlanInForce, session: Session) -> bool:
    """Whether calls of the session are held to this plan: it is there, or it was when the session began with it."""
    planned = plan.policy.planned
    return planned is not None and (not planned.missing or plan.name == session.plan != "")


def starting_posture(policy: Policy, kept: Posture | None, *, attended: bool) -> Posture:
    """What a person set, else what the policy says; nobody in front of the host makes it autonomous."""
    posture = max(policy.posture if kept is None else kept, policy.posture_floor)
    return Posture.AUTONOMOUS if posture is Posture.INTERACTIVE and not attended else posture
