"""An approval signs one exact call: what would happen, for whom, where, under which row of the manifest and engine.

What it binds is a *projection*: for a known tool the fields that change what happens, for
any other tool the whole input. The id is derived from what is bound and from how many questions
about the same were closed before: while a question is open, asking again gives the same id; once it
is closed, the next question has another. Any change of a bound field has another id as well.

Of the policy, the id binds the tool's own row alone. What else the policy asks is bound ask by ask (`asks_of`), beside
the question: a yes covers the asks that were shown, so one that a later rule adds is asked.
"""

from __future__ import annotations

from .. import __version__
from ..bytes.canon import digest, digest_of_text, digest_own, quoted, written
from ..bytes.redact import is_suspicious, redacted
from ..model.call import Call
from ..model.toolnames import tool_spec
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.action import Reading
    from ..model.decision import Finding
    from ..model.session import Session
    from ..policy.model import Policy

__all__ = [
    "COSMETIC",
    "Approval",
    "approval_for",
    "approval_of",
    "asks_of",
    "digest_of_call",
    "projection_of",
]

# Tool -> the fields of its input that do not change what happens. A list of what may be left
# out, not of what counts: a field that a host adds tomorrow is bound from the first day.
COSMETIC: dict[str, tuple[str, ...]] = {
    "Bash": ("description", "timeout"),
}


class Approval(Value):
    """
    projection  digest of the call, without what is cosmetic
    happens     digest of what was read: each action and its target, links followed
    folder      where
    tool        digest of the tool's row in the manifest; empty where it has none
    engine      the version that asked: another one may read the same call differently
    scripts     digests of the scripts that were read
    sends       refs and commits that a push would send
    session     the session, where a person is attended
    run         the run label, where nobody is
    closed      how many questions about all of this were closed before
    """

    projection: str
    happens: str
    folder: str
    tool: str = ""
    engine: str = __version__
    scripts: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    session: str = ""
    run: str = ""
    closed: int = 0

    @property
    def id(self) -> str:
        return "ap_" + digest_own(self.as_dict())[len("sha256:") :][:32]

    @property
    def first(self) -> str:
        """The id of the first question about this, under which a person's no to this very call is remembered."""
        return self.id if self.closed == 0 else self.replace(closed=0).id


def projection_of(call: Call) -> str:
    """The digest of what an approval of this call binds, secrets left out; the store binds those with a keyed one."""
    bound = call.input
    cosmetic = COSMETIC.get(call.tool, ())
    if not bound.keys().isdisjoint(cosmetic):
        bound = {key: value for key, value in bound.items() if key not in cosmetic}
    # INVARIANT: the canonical form, keys in its order. Every call pays for this, so nothing is sorted or looked up.
    given, state = written(bound), "null"
    suspicious = is_suspicious(given)
    if call.state is not None:
        state = written(call.state)
        suspicious = suspicious or is_suspicious(state)
    # INVARIANT: no digest of a secret is kept or shown without a key: a weak one could be guessed from it.
    if suspicious:
        given, state = written(redacted(bound)), written(redacted(call.state))
    # A sub-agent gets a new id on each run. What kind of agent it is stays the same, and is what a person approves.
    agent = f"type:{call.agent_type}" if call.agent_type else call.agent
    # A person says yes to what a preview has told: where the next one tells something else, they are asked anew.
    preview = f'"preview":{quoted(call.preview)},' if call.preview else ""
    return digest_of_text(
        f'{{"agent":{quoted(agent)},"host":{quoted(call.host)},"input":{given},{preview}'
        f'"state":{state},"tool":{quoted(call.tool)}}}'
    )


def digest_of_call(call: Call, projection: str) -> str:
    """Covers every field but the attempt, which only counts tries: the projection and what it leaves out."""
    given, rest = call.input, "{}"
    cosmetic = COSMETIC.get(call.tool, ())
    if not given.keys().isdisjoint(cosmetic):
        rest = written({key: redacted(given[key]) for key in cosmetic if key in given})
    return digest_of_text(
        f'{{"agent":{quoted(call.agent)},"cwd":{quoted(call.cwd)},"projection":{quoted(projection)},"rest":{rest},"session":{quoted(call.session)}}}'
    )


def approval_for(call: Call, reading: Reading, policy: Policy, *, run: str = "", closed: int = 0) -> Approval:
    """What a person would sign. Marks are left out: a file that was new may be there when the call comes again.

    A run that has a label is approved under it, whatever session it goes on in.
    """
    spec = tool_spec(policy, call.tool, call.named)
    return Approval(
        projection=reading.projection,
        happens=digest([[action.name, action.target] for action in reading.actions]),
        folder=call.cwd,
        tool="" if spec is None else spec.digest,
        scripts=reading.scripts,
        sends=reading.sends,
        session="" if run else call.session,
        run=run,
        closed=closed,
    )


def approval_of(call: Call, reading: Reading, policy: Policy, session: Session) -> Approval:
    """What a person would sign for this call, in the session as it stands."""
    return approval_for(call, reading, policy, run=session.label, closed=session.asked_before)


def asks_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """What a question shows of the policy, as it is bound: for each ask its layer, its rule, the digest of a rule that
    a person wrote, and the action that it is about, by position.
    """
    return tuple(
        sorted(
            {
                f"{found.layer}/{found.rule} {found.binds} {at}"
                for found in findings
                if found.verdict is Verdict.ASK
                for at in (found.actions or ("",))
            }
        )
    )
