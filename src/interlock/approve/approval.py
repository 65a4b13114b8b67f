"""An approval signs one exact call: what would happen, for whom, where, under which policy.

What it binds is a *projection*: for a known tool the fields that change what happens, for
any other tool the whole input. The id is derived from what is bound, so the same call
asked twice has the same id, and any change of a bound field has another.
"""

from __future__ import annotations

from ..call import Call
from ..record.canon import digest
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from ..value import Json

__all__ = ["Approval", "approval_for", "projection_of"]

# Tool -> the fields of its input that do not change what happens. A list of what may be left
# out, not of what counts: a field that a host adds tomorrow is bound from the first day.
_COSMETIC: dict[str, tuple[str, ...]] = {
    "Bash": ("description", "timeout"),
}


class Approval(Value):
    """
    projection  digest of what would happen
    folder      where
    policy      digest of the policy in force
    scripts     digests of the scripts that were read
    session     the session, where a person is attended
    run         the run label, where nobody is
    """

    projection: str
    folder: str
    policy: str
    scripts: tuple[str, ...] = ()
    session: str = ""
    run: str = ""

    @property
    def id(self) -> str:
        return "ap_" + digest(self.as_dict())[len("sha256:") :][:32]


def projection_of(call: Call) -> str:
    """The digest of the fields that an approval of this call binds."""
    cosmetic = _COSMETIC.get(call.tool, ())
    bound: dict[str, Json] = (
        {key: value for key, value in call.input.items() if key not in cosmetic} if cosmetic else dict(call.input)
    )
    return digest({"agent": call.agent, "host": call.host, "input": bound, "state": call.state, "tool": call.tool})


def approval_for(projection: str, *, folder: str, policy: str, session: str) -> Approval:
    return Approval(projection=projection, folder=folder, policy=policy, session=session)
