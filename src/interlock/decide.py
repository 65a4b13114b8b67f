"""The decision. Read this file first: everything else feeds it or carries its result.

Pure and total: the same call, reading, policy, session and grants give the same decision,
and no input makes it raise. The layers find; grants satisfy asks; the posture has the last
word; the strictest of what stands wins.
"""

from __future__ import annotations

from .approve.approval import approval_of, asks_of
from .approve.grant import why_not
from .approve.held import Held, held_of
from .approve.keys import refused_by
from .approve.lifecycle import NOT_ASKED
from .approve.mode import mode_in_force
from .layers import ADVISORY, FAIL_CLOSED, LAYERS, STAY_ON, TYPED
from .layers.loop import locked_by, unlocking
from .layers.obeyed import asked_of
from .layers.two import why_not_two
from .model.action import Reading, effects_of, is_read_only
from .model.decision import Decision, Finding, NearMiss, gravest_first
from .model.effects import most_restrictive
from .model.errors import printable
from .model.posture import Posture
from .model.session import DENIED, Session, is_answered, tries_of
from .model.verdict import Strength, Verdict, join
from .policy.model import ApprovalMode
from .value import TYPE_CHECKING, lazy
from .words.said import words_of_person

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .approve.approval import Approval
    from .approve.grant import Grant
    from .approve.planned import answers_for
    from .approve.senders import senders_of
    from .approve.strength import needs_two
    from .layers import Layer
    from .layers.strength import needed_for, why_too_weak
    from .model.call import Call
    from .policy.model import Policy
    from .words.standing import words_for
else:
    answers_for = lazy(globals(), ".approve.planned", "answers_for")
    senders_of = lazy(globals(), ".approve.senders", "senders_of")
    needs_two = lazy(globals(), ".approve.strength", "needs_two")
    needed_for = lazy(globals(), ".layers.strength", "needed_for")
    why_too_weak = lazy(globals(), ".layers.strength", "why_too_weak")
    words_for = lazy(globals(), ".words.standing", "words_for")

__all__ = ["decide"]

_NOTHING_HELD = Held()


def decide(
    call: Call,
    reading: Reading,
    policy: Policy,
    session: Session,
    grants: Sequence[Grant] = (),
    layers: Sequence[Layer] = LAYERS,
) -> Decision:
    """Allow, ask or deny. `grants` are live: expiry and uses were checked by the store."""
    findings: list[Finding] = []
    notes: list[str] = []
    locks = False
    satisfied: list[Finding] = []
    for layer in layers:
        lifted = session.off and layer not in STAY_ON
        for found in _ask_layer(layer, call, reading, policy, session, grants):
            if layer not in ADVISORY and not lifted:
                locks = locks or found.locks
            if found.verdict is Verdict.ALLOW:  # advice: it is said, and weighs nothing
                notes.append(found.text)
            elif lifted:
                satisfied.append(found)
            elif layer not in ADVISORY:
                findings.append(found)
    used: dict[int, Grant] = {}
    for found in _run_later(call, reading, policy, session, grants, used):
        (satisfied if session.off else findings).append(found)

    bound = approval_of(call, reading, policy, session) if findings else None
    approval = None if bound is None else bound.id
    mode = mode_in_force(policy, session)
    if mode is not policy.approval_mode and not is_read_only(reading):
        notes.append(f"The approval mode is {mode} for now, because the person said so.")
    if session.off:
        notes.append("The person has switched Interlock off for a while; only its built-in refusals apply.")
    standing: list[Finding] = []
    held = held_of(grants) if findings else _NOTHING_HELD
    near_misses: list[NearMiss] = []
    for finding in findings:
        needed = _strength_needed((finding,), reading, policy, session)
        weak = _too_weak(finding, needed, policy, session)
        by = _satisfied_by(finding, reading, mode, held, approval, near_misses, weak)
        if by:
            satisfied.append(finding)
            used.update(by)
        else:
            standing.append(finding)

    standing.extend(_already_answered(standing, reading, policy, session, bound))
    so_far = join(finding.verdict for finding in standing)
    # INVARIANT: with nobody in front of the host the answer is a deny; who may approve it elsewhere gets its id.
    needed = _strength_needed(standing, reading, policy, session)
    waits = approval if _can_wait(policy, session, so_far, needed) else None
    standing.extend(_strength_findings(session, so_far, waits, needed, standing))
    standing.extend(_posture_findings(call, session, reading, so_far, waits, needed))
    if waits is None and (again := _denied_again(call, reading, policy, session, standing)):
        standing.extend(again)
        locks = True
    verdict = join(finding.verdict for finding in standing)
    effects = effects_of(reading)
    return Decision(
        verdict=verdict,
        effect=most_restrictive(effects) if effects else None,
        effects=effects,
        reasons=gravest_first(standing),
        satisfied=tuple(satisfied),
        # INVARIANT: in the order given and each once, so that a replay, which gets only these, picks the same.
        used=tuple([used[at] for at in sorted(used)]),
        near_misses=tuple(near_misses),
        notes=tuple(notes),
        posture=Posture.LOCKED if locks else session.posture,
        approval=approval if verdict is Verdict.ASK else waits,
    )


def _run_later(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant], used: dict[int, Grant]
) -> list[Finding]:
    """What obeyed files newly make run is judged as if it were typed: whatever would not be allowed is asked about."""
    found: list[Finding] = []
    for index, action in enumerate(reading.actions):
        for newly in action.newly or ():
            if not newly.actions and not newly.opaque:
                continue
            typed = Reading(call=reading.call, projection="", actions=newly.actions, opaque=newly.opaque)
            here = Session(id=session.id, raised=session.raised, closed=session.closed, secret=session.secret)
            here = here.replace(hosts=session.hosts)
            kept = [grant for grant in grants if grant.kind == "remembered"]
            judged = decide(call.replace(tool="Bash"), typed, policy, here, kept, TYPED)
            if judged.verdict is Verdict.ALLOW:
                used.update({grants.index(grant): grant for grant in judged.used})
                continue
            found.append(asked_of(index, action, newly, judged.reasons[0]))
    return found


def _ask_layer(
    layer: Layer, call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    """A layer's findings. One that fails asks, some deny instead: errors never loosen. Advice falls silent."""
    try:
        return [_shown(found) for found in layer(call, reading, policy, session, grants)]
    except Exception as error:
        if layer in ADVISORY:
            return []
        said = words_for("failed")
        text = said.person.format(layer=layer.__name__, error=type(error).__name__)
        lifted_by, verdict = ((), Verdict.DENY) if layer in FAIL_CLOSED else (("once",), Verdict.ASK)
        return [
            Finding(
                layer=layer.__name__,
                rule="failed",
                verdict=verdict,
                text=text,
                instead=said.agent,
                lifted_by=lifted_by,
            )
        ]


def _shown(found: Finding) -> Finding:
    """What a rule, a tool or a path brings into a reason is read by people and agents: on one line, and as it is."""
    if (found.text + found.instead + found.rule + found.why).isprintable():
        return found
    return found.replace(
        text=printable(found.text),
        instead=printable(found.instead),
        rule=printable(found.rule),
        why=printable(found.why),
    )


def _satisfied_by(
    finding: Finding,
    reading: Reading,
    mode: ApprovalMode,
    held: Held,
    approval: str | None,
    near_misses: list[NearMiss],
    weak: Callable[[Grant], str | None],
) -> dict[int, Grant]:
    """The grants that together satisfy a finding, by their places; empty where it stands."""
    if not held:
        return {}
    kinds = finding.lifted_by
    if finding.verdict is Verdict.DENY:
        # INVARIANT: what is denied is permitted ahead or not at all: no answer given in a session lifts it.
        kinds = tuple(kind for kind in kinds if kind == "capability")
    if not kinds:
        return {}
    if mode is ApprovalMode.STRICT:  # ask each time: what was remembered or planned does not count
        kinds = tuple(kind for kind in kinds if kind not in ("remembered", "planned"))
    if "once" in kinds:
        for at, grant in held.bound_to(approval):
            if grant.kind == "once" and _was_shown(grant, finding) and weak(grant) is None:
                return {at: grant}
    if "planned" in kinds:
        planned = answers_for(finding, reading, held, weak)
        if planned:
            return planned
    by: dict[int, Grant] = {}
    for index in finding.actions:
        action = reading.actions[index]
        rows = held.for_action(action)
        for at, grant in rows:
            if grant.kind in kinds and why_not(grant, action) is None and weak(grant) is None:
                by[at] = grant
                break
        else:
            lent = _lent_by_senders(finding, index, reading, held, weak) if "sends" in action.tags else {}
            if lent:
                by.update(lent)
                continue
            for grant in held.near(action, rows, kinds):
                near_misses.append(
                    NearMiss(grant=grant.id, rule=finding.rule, why=why_not(grant, action) or weak(grant) or "")
                )
            return {}
    return by


def _was_shown(grant: Grant, finding: Finding) -> bool:
    """INVARIANT: a yes covers the asks that its question showed, and no other, whatever was added since."""
    return grant.asks is None or not set(asks_of((finding,))).difference(grant.asks)


def _lent_by_senders(
    finding: Finding, index: int, reading: Reading, held: Held, weak: Callable[[Grant], str | None]
) -> dict[int, Grant]:
    """For a file that is read to be sent: the grants that cover all that send it; empty where one is not covered."""
    by: dict[int, Grant] = {}
    for sender in senders_of(finding, index, reading):
        for at, grant in held.for_action(sender):
            if grant.kind == "capability" and why_not(grant, sender) is None and weak(grant) is None:
                by[at] = grant
                break
        else:
            return {}
    return by


def _already_answered(
    standing: Sequence[Finding], reading: Reading, policy: Policy, session: Session, bound: Approval | None
) -> list[Finding]:
    """A person is not asked again what they said no to in this session, nor the same thing without end."""
    asks = [finding for finding in standing if finding.verdict is Verdict.ASK]
    if not asks or bound is None:
        return []
    if session.applied:
        return [_answered("applied", said=printable(session.applied))]
    no = refused_by(session.refused, asks, reading.actions, bound.first)
    if no is not None:
        if session.no:
            return [_answered("refused", "refused (words)", words=words_of_person(session.no))]
        return [_answered("refused")]
    tries = sum([asked.tries for asked in session.pending if asked.approval == bound.id])
    if tries >= policy.loop_pending:
        return [_answered("pending", tries=tries)]
    return []


def _answered(rule: str, message: str = "", **facts: object) -> Finding:
    said = words_for(message or rule)
    text, instead = said.person.format(**facts), said.agent.format(**facts)
    return Finding(layer="answers", rule=rule, verdict=Verdict.DENY, text=text, instead=instead)


def _denied_again(
    call: Call, reading: Reading, policy: Policy, session: Session, standing: Sequence[Finding]
) -> list[Finding]:
    """A call that is denied again and again ends like any other loop: the session is locked."""
    tries = tries_of(session, reading, DENIED)
    if tries < policy.loop_pending or not policy.loop_enforce or session.posture >= Posture.DRY_RUN:
        return []
    if is_answered(standing) or session.asking:
        return []
    if join(finding.verdict for finding in standing) is not Verdict.DENY:
        return []
    return [locked_by("denied", call, times=tries)]


def _strength_needed(findings: Sequence[Finding], reading: Reading, policy: Policy, session: Session) -> Strength:
    """How strong a yes must be that satisfies all of these. Most policies ask for nothing beyond any yes."""
    if not session.signing and policy.strength is Strength.WEAK and not policy.strengths and not policy.two_for:
        return Strength.WEAK

    asks = [finding for finding in findings if finding.verdict is not Verdict.ALLOW]
    return max([needed_for(finding, reading, policy, session) for finding in asks], default=Strength.WEAK)


def _too_weak(finding: Finding, needed: Strength, policy: Policy, session: Session) -> Callable[[Grant], str | None]:
    """Says of a grant why it is not strong enough; None where it is."""
    if finding.layer == "two":
        return lambda grant: why_not_two(grant) or why_too_weak(grant, needed, policy, session)
    if needed is Strength.WEAK and not session.signing and policy.strength is Strength.WEAK:
        return _strong_enough

    return lambda grant: why_too_weak(grant, needed, policy, session)


def _strong_enough(_: Grant) -> str | None:
    return None


def _can_wait(policy: Policy, session: Session, so_far: Verdict, needed: Strength) -> bool:
    """Whether a person can be asked elsewhere: somebody can answer, and nothing stands against the question."""
    if so_far is not Verdict.ASK or session.asking or needed > Strength.of(session.signing or "weak"):
        return False
    if session.posture is Posture.INTERACTIVE:
        return needed is not Strength.WEAK
    return session.posture is Posture.AUTONOMOUS and bool(policy.approvers)


def _strength_findings(
    session: Session, so_far: Verdict, waits: str | None, needed: Strength, standing: Sequence[Finding]
) -> list[Finding]:
    """Where more than a weak yes is needed, the host's own dialog cannot give it: the call is held with its id."""
    if so_far is not Verdict.ASK or needed is Strength.WEAK or session.posture >= Posture.DRY_RUN:
        return []
    remedy = ""
    if waits is not None:
        said = words_for("two (waits)" if needs_two(standing) else "signature (waits)")
        remedy = f"interlock approvals approve {waits}"
    elif needed > Strength.of(session.signing or "weak"):
        said = words_for("signature (no key)")
        remedy = "interlock approver enrol --help"
    else:
        said = words_for("signature (nobody asked)")
    facts = {"needed": needed, "approval": waits, "why": NOT_ASKED.get(session.asking, "nobody can be asked")}
    text, instead = said.person.format(**facts), said.agent.format(**facts)
    rule = needed.name
    return [Finding(layer="strength", rule=rule, verdict=Verdict.DENY, text=text, instead=instead, remedy=remedy)]


def _posture_findings(
    call: Call, session: Session, reading: Reading, so_far: Verdict, waits: str | None, needed: Strength
) -> list[Finding]:
    """What the posture adds. Each posture lets through at most what the one before it does.

    In `autonomous` there is nobody to ask; in `dry_run` and `locked` only reads happen, and of those only the
    ones that nobody need be asked about. `waits` is the approval that a person can give elsewhere.
    """
    posture = session.posture
    remedy, why = "", ""
    if posture >= Posture.DRY_RUN and (so_far is Verdict.ASK or not is_read_only(reading)):
        message = posture.name
        if posture is Posture.LOCKED:
            remedy = unlocking(call)
    elif posture is Posture.AUTONOMOUS and so_far is Verdict.ASK:
        message, why = "autonomous", "no approver is configured"
        if needed > Strength.of(session.signing or "weak"):
            why = "nobody can give the signed yes that this needs"
        why = NOT_ASKED.get(session.asking, why)
        if waits is not None:
            message = "autonomous (waits)"
            remedy = f"interlock approvals approve {waits}"
    else:
        return []
    facts = {"why": why, "approval": waits}
    text, instead = words_for(message).person.format(**facts), words_for(message).agent.format(**facts)
    rule = posture.name
    return [Finding(layer="posture", rule=rule, verdict=Verdict.DENY, text=text, instead=instead, remedy=remedy)]
