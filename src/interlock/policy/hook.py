"""The `[hook]` table: what a host is told of a decision. Only compiling a policy needs this file."""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .field import Field
from .model import OnAllow

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOOK", "MODES", "OTHERS", "stricter_by_mode"]

# The permission modes that hosts tell of (`permission_mode` of an event).
MODES = ("acceptEdits", "auto", "auto-edit", "bypassPermissions", "default", "dontAsk", "plan", "yolo")
OTHERS = "default"  # the mode whose entry counts for every mode that has none

HOOK = (
    Field(
        key="on_allow",
        kind="on_allow",
        tighter="modes",
        doc="What an allow tells the host. `approve`: allow, if the call was read in full; otherwise nothing, so that "
        "the host's own rules decide. `always`: allow. `silent`: never anything. A table says it by permission mode; "
        "`default` counts for those that it does not name. See [What an allow means](hosts.md#what-an-allow-means).",
    ),
    Field(
        key="observe",
        kind="observe",
        tighter="loosens",
        doc="`{ until = DATE }`: until then only the floor refuses anything, and what would have been asked or denied "
        "is recorded. 30 days ahead at most. Not in a project's policy. See [observe.md](observe.md).",
    ),
    Field(
        key="allow_observe",
        kind="boolean",
        tighter="fixed",
        doc="Managed policy only: `true` lets people put `observe` into their own policy. Without a managed policy "
        "they may.",
    ),
)


def stricter_by_mode(current: Mapping[str, OnAllow], given: Mapping[str, OnAllow]) -> Mapping[str, OnAllow]:
    """The stricter of the two for each mode that either names."""
    modes = sorted({*current, *given})
    return FrozenMap({mode: max(current.get(mode, current[OTHERS]), given.get(mode, given[OTHERS])) for mode in modes})
