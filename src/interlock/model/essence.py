"""What of an obeyed file counts when two versions of it are compared: the rest changes every day and runs nothing.

Pure, and below both the hosts and the store: a `ConfigChange`, the comparison after the fact and the tree of a commit
judge a settings file by the same part of it. Text that cannot be read as settings counts as a whole.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..value import TYPE_CHECKING, FrozenMap
from .errors import InputError

if TYPE_CHECKING:
    from typing import Any

__all__ = ["essence_of", "is_settings"]

# Keys that a person's everyday use of the client writes, and that make it run nothing. Every other key counts.
_IDLE = frozenset(
    "$schema model effortLevel theme verbose language outputStyle editorMode alwaysThinkingEnabled cleanupPeriodDays "
    "includeCoAuthoredBy spinnerTipsEnabled feedbackSurveyState autoUpdatesChannel prefersReducedMotion "
    "skipDangerousModePermissionPrompt".split()
)
_IDLE_PERMISSIONS = frozenset(("allow", "additionalDirectories"))  # what "don't ask again" adds


def is_settings(path: str) -> bool:
    """Whether Claude Code takes settings from a file of this name."""
    return path.endswith(("/.claude/settings.json", "/.claude/settings.local.json", "/managed-settings.json"))


def essence_of(path: str, raw: bytes) -> bytes:
    """The part that counts. Empty: it is as if the file were not there."""
    if not is_settings(path):
        return raw
    try:
        settings = parse_object(raw, limit=MAX_WATCHED_BYTES)
    except InputError:
        return raw
    counts: dict[str, Any] = {key: value for key, value in settings.items() if key not in _IDLE}
    permissions = counts.pop("permissions", None)
    if type(permissions) is FrozenMap:
        rest = {key: value for key, value in permissions.items() if key not in _IDLE_PERMISSIONS}
        permissions = rest or None
    if permissions is not None:
        counts["permissions"] = permissions
    return canonical(counts) if counts else b""
