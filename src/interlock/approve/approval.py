"""An approval signs one exact call: what would happen, for whom, where, under which policy.

What it binds is a *projection*: for a known tool the fields that change what happens, for
any other tool the whole input. The id is derived from what is bound, so the same call
asked twice has the same id, and any change of a bound field has another.
"""

from __future__ import annotations

from ..call import Call
from ..record.canon import digest, digest_of_text, quoted, written
from ..record.redact import is_suspicious, redacted
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from ..action import Reading

__all__ = ["Approval", "approval_for", "digest_of_call", "projection_of"]

# Tool -> the fields of its input that do not change what happens. A list of what may be left
# out, not of what counts: a field that a host adds tomorrow is bound from the first day.
_COSMETIC: dict[str, tuple[str, ...]] = {
    "Bash": ("description", "timeout"),
}


class Approval(Value):
    """
    projection  digest of the call, without what is cosmetic
    happens     digest of what was read: each action and its target, links followed
    folder      where
    policy      digest of the policy in force
    scripts     digests of the scripts that were read
    session     the session, where a person is attended
    run         the run label, where nobody is
    """

    projection: str
    happens: str
    folder: str
    policy: str
    scripts: tuple[str, ...] = ()
    session: str = ""
    run: str = ""

    @property
    def id(self) -> str:
        return "ap_" + digest(self.as_dict())[len("sha256:") :][:32]


def projection_of(call: Call) -> str:
    """The digest of what an approval of this call binds, secrets left out; the store binds those with a keyed one."""
    bound = call.input
    cosmetic = _COSMETIC.get(call.tool)
    if cosmetic is not None and not bound.keys().isdisjoint(cosmetic):
        bound = {key: value for key, value in bound.items() if key not in cosmetic}
    # INVARIANT: the canonical form, keys in its order. Every call pays for this, so nothing is sorted or looked up.
    given, state = written(bound), "null" if call.state is None else written(call.state)
    # INVARIANT: no digest of a secret is kept or shown without a key: a weak one could be guessed from it.
    if is_suspicious(given) or (call.state is not None and is_suspicious(state)):
        given, state = written(redacted(bound)), written(redacted(call.state))
    return digest_of_text(
        f'{{"agent":{quoted(call.agent)},"host":{quoted(call.host)},"input":{given},'
        f'"state":{state},"tool":{quoted(call.tool)}}}'
    )


def digest_of_call(call: Call, projection: str) -> str:
    """Covers every field but the attempt, which only counts tries: the projection and what it leaves out."""
    given, rest = call.input, "{}"
    cosmetic = _COSMETIC.get(call.tool)
    if cosmetic is not None and not given.keys().isdisjoint(cosmetic):
        rest = written({key: redacted(given[key]) for key in cosmetic if key in given})
    return digest_of_text(
        f'{{"cwd":{quoted(call.cwd)},"projection":{quoted(projection)},"rest":{rest},"session":{quoted(call.session)}}}'
    )


def approval_for(reading: Reading, *, folder: str, policy: str, session: str, run: str = "") -> Approval:
    """What a person would sign. Marks are left out: a file that was new may be there when the call comes again.

    A run that has a label is approved under it, whatever session it goes on in.
    """
    return Approval(
        projection=reading.projection,
        happens=digest([[action.name, action.target] for action in reading.actions]),
        folder=folder,
        policy=policy,
        scripts=reading.scripts,
        session="" if run else session,
        run=run,
    )
