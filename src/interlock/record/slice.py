"""The slice of a session that a receipt holds: what the layers saw of it, as plain JSON data and back.

What a session has nothing of is left out, so the receipt of a fresh session holds its posture alone.
"""

from __future__ import annotations

from ..model.posture import Posture
from ..model.session import Changed, Pending, Run, Session, repeated
from ..model.steps import Repeated
from ..value import TYPE_CHECKING, FrozenMap, freeze

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.action import Reading

__all__ = ["slice_from_wire", "slice_to_wire"]

_PLAIN = ("refused", "label", "asking", "applied", "no", "asked_before", "signing", "off", "secret")  # written as it is
_SETS = ("closed", "hosts")


def slice_to_wire(session: Session, reading: Reading, agent: str = "") -> dict[str, Any]:
    """`agent` is who makes the call: what a session says of a repetition hangs on that."""
    wire: dict[str, Any] = {"posture": session.posture.name}
    again = repeated(session, reading, agent)
    if again is not None:
        wire["repeated"] = _repeated_to_wire(again)
    if session.spent:
        wire["spent"] = dict(session.spent)
    if session.pending:
        wire["pending"] = {asked.approval: asked.tries for asked in session.pending}
    if session.raised is not None:
        wire["raised"] = True
    for name in _PLAIN:
        if value := getattr(session, name):
            wire[name] = value
    for name in _SETS:
        if value := getattr(session, name):
            wire[name] = sorted(value)
    if session.changed:
        wire["changed"] = [change.wire for change in session.changed]
    if session.run is not None:
        wire["run"] = {
            key: value for key, value in session.run.as_dict().items() if value or key not in ("gone", "folder")
        }
    return wire


def _repeated_to_wire(again: Repeated) -> dict[str, Any]:
    """What only reads have is left out of other calls, as older versions wrote them."""
    return {name: value for name, value in again.as_dict().items() if value or name in ("calls", "times")}


def slice_from_wire(wire: Mapping[str, Any], *, id: str, projection: str) -> Session:
    session = Session(id=id, posture=Posture.of(wire["posture"]))
    if len(wire) == 1:
        return session
    again = wire.get("repeated")
    pending = wire.get("pending", {})
    return session.replace(
        repeated=None if again is None else Repeated(**again),
        spent=FrozenMap(dict(wire.get("spent", {}))),
        pending=tuple([Pending(approval=a, projection=projection, tries=pending[a]) for a in pending]),
        raised="in force" if wire.get("raised") else None,
        **{name: freeze(wire[name]) for name in _PLAIN if name in wire},
        **{name: frozenset(wire[name]) for name in _SETS if name in wire},
        changed=tuple([Changed(**change) for change in wire.get("changed", ())]),
        run=Run(**wire["run"]) if "run" in wire else None,
    )
