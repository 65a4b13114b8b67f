"""A world without a disk: every path leads where it says, and only what the session itself wrote is known.

Results must not depend on the machine that measures: not on its links, its user's policy, or
where Interlock is installed. So the facts come from the text of the call alone, and the policy
is the built-in one and at most one file that was named.
"""

from __future__ import annotations

from functools import lru_cache
from time import thread_time

from ..approve.grant import Grant
from ..approve.mode import mode_in_force
from ..approve.undoable import losses_of, lowered, only_losses, stays
from ..bytes.canon import digest
from ..decide import decide
from ..limits import MAX_POLICY_BYTES
from ..model.action import Reading
from ..model.call import Call
from ..model.decision import Decision
from ..model.errors import InputError, PolicyError, Problem
from ..model.facts import Facts
from ..model.more_wants import Destination, Digest, Stood
from ..model.origins import Known, is_traced, traced
from ..model.posture import Posture
from ..model.session import Session
from ..model.verdict import Verdict
from ..model.wants import Real, Script, Want
from ..policy.compile import SourceFile
from ..policy.facts import facts_under
from ..policy.model import ApprovalMode, Evidence, Policy
from ..policy.rules import windows_read
from ..policy.wire import policy_to_wire
from ..reading.places.paths import Unsettled, settle
from ..reading.reach.accounts import resolved
from ..reading.reach.destinations import Query
from ..reading.reach.registries import Look
from ..reading.read import read_in_rounds
from ..store.clock import closed_windows, live_grants, now
from ..store.home.contracts import Catalogues
from ..store.home.files import read_file
from ..store.home.policies import beginning_with, compile_sources, default_file
from ..value import FrozenMap, Value
from .case import Case
from .disk import Disk

__all__ = [
    "Bench",
    "Judged",
    "bench_for",
    "judge",
    "kept_here",
    "policy_with",
    "read_lexically",
    "reading_time",
    "start",
]


class Bench(Value):
    """What cases are judged with. `contracts`: for rules about them; None: only those that a case brings along. `undo`:
    what would be lost counts as held. A case has no files, so there is nothing that a checkpoint could not hold: what
    the disk would refuse (a secret inside a folder, a size) is not modelled. `files` and `mode` are what the policy was
    made of, for cases that bring a policy of their own; None: it was made in another way.
    """

    policy: Policy
    posture: Posture
    contracts: Catalogues | None = None
    undo: bool = False
    files: tuple[SourceFile, ...] | None = None
    mode: str | None = None


class Judged(Value):
    """`facts` are those that the reading ended with."""

    reading: Reading
    decision: Decision
    facts: Facts


def bench_for(
    policy_file: str | None = None,
    mode: str | None = None,
    posture: str | None = None,
    profile: str | None = None,
    *,
    undo: bool = False,
) -> Bench:
    """The built-in policy under the file that is given, which begins with the profile where it names none. Files of
    this machine are never looked for.
    """
    files: tuple[SourceFile, ...] = (_source("default", default_file()),)
    if policy_file is not None:
        files = (*files, _source("user", policy_file))
    if profile is not None:
        files = beginning_with(files, profile, policy_file or "policy.toml")
    policy = _compiled(files, mode)
    stands = policy.posture if posture is None else Posture.of(posture)
    return Bench(policy=policy, posture=stands, undo=undo, files=files, mode=mode)


@lru_cache(maxsize=16)
def _compiled(files: tuple[SourceFile, ...], mode: str | None) -> Policy:
    """By what is in the files: whoever tests a policy asks for it again at each call."""
    policy = compile_sources(files)
    if mode is None or mode == policy.approval_mode.name:
        return policy
    policy = policy.replace(approval_mode=ApprovalMode.of(mode))
    return policy.replace(digest=digest(policy_to_wire(policy)))


def policy_with(bench: Bench, text: str, name: str) -> Policy:
    """The bench's policy with one that a case brings along: the person's own, below the file that the run names.

    PolicyError where it cannot be used.
    """
    if bench.files is None:
        raise InputError("a case with a policy of its own is run by `interlock eval run`")
    above = tuple([("managed" if source == "user" else source, file, raw) for source, file, raw in bench.files])
    return _compiled((*above, ("user", name, text.encode())), bench.mode)


def kept_here(policy: Policy) -> Policy:
    """INVARIANT: measuring asks no other machine, sends nothing, and writes in no folder of the person's.

    So models that judge, the team's store, places for evidence and a plan's folder outside of the project do not count.
    """
    away = policy.plan is not None and _is_elsewhere(policy.plan.dir or ".")
    found = policy.replace(consult=None, judge=None, store="", evidence=Evidence(), plan=None if away else policy.plan)
    return policy if found == policy else found.replace(digest=digest(policy_to_wire(found)))


def _is_elsewhere(folder: str) -> bool:
    return folder.startswith("/") or ".." in folder.split("/")


def _source(name: str, path: str) -> SourceFile:
    raw = read_file(path, limit=MAX_POLICY_BYTES)
    if raw is None:
        raise PolicyError([Problem(file=path, line=1, column=1, text="the file is not there")])
    return name, path, raw


def start(case: Case, bench: Bench) -> Session:
    """The session in which the case is the first call."""
    return Session(
        id=case.call.session, posture=case.posture or bench.posture, created=case.created, written=case.created
    )


def judge(
    case: Case, bench: Bench, session: Session, disk: Disk | None = None, known: Known | None = None, key: bytes = b""
) -> Judged:
    """Read and decide, as the hook would, but for the facts; nothing is recorded.

    `known` is what the session knows of where values came from; None: they are not looked at.
    A case that names no moment is judged as if every time window were open: it must pass on any day.
    """
    policy = bench.policy
    reading, facts = read_lexically(case.call, _facts(case, bench, session), disk)
    if known is not None and facts.declared is not None and is_traced(facts.declared):
        reading = reading.replace(origins=traced(known, key, facts.declared, case.call.input))
    grants = session.grants
    if policy.grants:
        grants = live_grants(policy, case.at or now(), reading) + session.grants
    if policy.windows and case.at is not None:
        read = windows_read(case.call, reading, policy, session.posture)
        session = session.replace(closed=closed_windows(read, case.at))
    decision = decide(case.call, reading, policy, session, grants)
    if bench.undo and decision.verdict is not Verdict.ALLOW:
        reading, decision = _as_if_held(case, reading, decision, policy, session, grants)
    return Judged(reading=reading, decision=decision, facts=facts)


def _as_if_held(
    case: Case, reading: Reading, decision: Decision, policy: Policy, session: Session, grants: tuple[Grant, ...]
) -> tuple[Reading, Decision]:
    """As `undoing.py` does it, without a disk."""
    strict = mode_in_force(policy, session) is ApprovalMode.STRICT
    if strict or not policy.undo_lowers or not only_losses(decision):
        return reading, decision
    losses = losses_of(reading, case.root)
    held = lowered(reading, losses, "") if losses else reading
    after = decide(case.call, held, policy, session, grants) if losses else decision
    if after.verdict is Verdict.ALLOW and stays(decision, after):
        return held, after
    return reading, decision


def reading_time(case: Case, bench: Bench, tries: int = 3) -> float:
    """Processor seconds for reading the call, facts included and nothing else.

    The best of a few readings: what the first one loads, and what else the machine does, is not the reading's.
    """
    facts = _facts(case, bench, start(case, bench))
    took = []
    for _ in range(tries):
        began = thread_time()
        read_lexically(case.call, facts)
        took.append(thread_time() - began)
    return min(took)


def _facts(case: Case, bench: Bench, session: Session) -> Facts:
    contracts = case.contracts or (() if bench.contracts is None else bench.contracts.for_call(case.call))
    facts = facts_under(bench.policy, case.call, root=case.root, home=case.home, session=session, contracts=contracts)
    return facts.replace(commands=FrozenMap({**case.commands, **facts.commands})) if case.commands else facts


def read_lexically(call: Call, facts: Facts, disk: Disk | None = None) -> tuple[Reading, Facts]:
    """As `store.facts.read_with_facts`, without a disk but what the session wrote; and the facts in the end."""
    return read_in_rounds(call, facts, lambda missing, known: _plainly(missing, known, disk))


def _where(query: Query, facts: Facts, disk: Disk | None) -> tuple[str, ...]:
    """As a machine would say on which nobody has set anything."""
    texts = facts.scripts if disk is None else {**disk.texts, **facts.scripts}
    return resolved(query, Look(read=texts.get, env=FrozenMap({}), home=facts.home, remotes=lambda _: {}))


def _plainly(missing: tuple[Want[object], ...], facts: Facts, disk: Disk | None) -> Facts | None:
    """Each path leads where its text says. Other kinds of facts stay unknown."""
    real: dict[str, str] = {}
    absent: set[str] = set()
    scripts: dict[str, str] = {}
    unread: set[str] = set()
    known: dict[Want[object], object] = {}
    for want in missing:
        if isinstance(want, Real):
            if want.path not in facts.real:
                try:
                    real[want.path] = settle(want.path, cwd=facts.root, home=facts.home)
                except Unsettled:
                    continue
                if disk is not None and disk.absent(want.path):
                    absent.add(want.path)
        elif isinstance(want, Stood):
            known[want] = ""  # nothing was there before
        elif isinstance(want, Destination):
            known[want] = _where(want.query, facts, disk)
        elif isinstance(want, Script) and disk is not None and want.path in disk.texts:
            scripts[want.path] = disk.texts[want.path]
        elif isinstance(want, (Script, Digest)) and disk is not None and want.path in disk.marks:
            unread.add(want.path)
            if isinstance(want, Digest):
                known[want] = disk.marks[want.path]
    if not real and not scripts and not known and unread <= facts.unread:
        return None
    return (facts.knowing(known) if known else facts).replace(
        real=FrozenMap({**facts.real, **real}),
        absent=facts.absent | absent,
        scripts=FrozenMap({**facts.scripts, **scripts}),
        unread=facts.unread | unread,
    )
