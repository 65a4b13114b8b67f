"""Every setting that is one value or one table of values: where files, digests and `policy show` name it, and which
field of the policy holds it.

What takes more than that to read or to write (tiers, budgets, tools, rules, plans) is in `wire.py` and `toml.py`.
"""

from __future__ import annotations

from ..model.posture import Posture
from ..model.verdict import Risk, Strength, Verdict
from ..value import TYPE_CHECKING, FrozenMap
from .model import ApprovalMode, Headless, OnAllow, OnTimeout, Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = ["FIELDS", "settings_from_wire", "settings_to_wire", "shown_settings"]

# When it is said: in each digest and each `policy show`; in a digest only where it is not the default, so that policies
# from before it keep theirs; in neither.
_ALWAYS, _NEWER, _GIVEN = "always", "newer", "given"

# table (none: at the top), key, field of Policy, the scale of its words, when it is said; in the order in which
# `policy show` tells them
_SETTINGS: tuple[tuple[str, str, str, Any, str], ...] = (
    ("", "posture", "posture", Posture, _ALWAYS),
    ("", "approval_mode", "approval_mode", ApprovalMode, _ALWAYS),
    ("risk", "max", "risk_max", Risk, _ALWAYS),
    ("risk", "allow_critical", "allow_critical", None, _ALWAYS),
    ("risk", "ask_at", "ask_at", Risk, _ALWAYS),
    ("risk", "unregistered", "unregistered", Verdict, _ALWAYS),
    ("risk", "built_in_tools", "built_in_tools", None, _NEWER),
    ("capability", "enforce", "enforce", None, _ALWAYS),
    ("capability", "actions", "gated", None, _ALWAYS),
    ("loop", "enforce", "loop_enforce", None, _ALWAYS),
    ("loop", "repeat", "loop_repeat", None, _ALWAYS),
    ("loop", "lock", "loop_lock", None, _ALWAYS),
    ("loop", "pace", "loop_pace", None, _NEWER),
    ("loop", "polls", "loop_polls", None, _NEWER),
    ("loop", "pending", "loop_pending", None, _ALWAYS),
    ("undo", "lowers", "undo_lowers", None, _NEWER),
    ("undo", "days", "undo_days", None, _NEWER),
    ("undo", "bytes", "undo_bytes", None, _NEWER),
    ("undo", "owners", "undo_owners", None, _GIVEN),
    ("budget", "over", "budget_over", Verdict, _ALWAYS),
    ("approvals", "phrases", "phrases", None, _ALWAYS),
    ("approvals", "phrase_minutes", "phrase_minutes", None, _ALWAYS),
    ("approvals", "allow_phrases", "allow_phrases", None, _ALWAYS),
    ("approvals", "believe_transcript", "believe_transcript", None, _NEWER),
    ("approvals", "by", "approvers", None, _ALWAYS),
    ("approvals", "elicit", "elicit", None, _GIVEN),
    ("approvals", "timeout", "timeout", None, _ALWAYS),
    ("approvals", "on_timeout", "on_timeout", OnTimeout, _ALWAYS),
    ("approvals", "headless", "headless", Headless, _NEWER),
    ("approvals", "max_pending", "max_pending", None, _ALWAYS),
    ("approvals", "wait", "wait", None, _NEWER),
    ("approvals", "strength", "strength", Strength, _NEWER),
    ("approvals", "allow_off", "allow_off", None, _NEWER),
    ("approvals", "keys", "keys", None, _GIVEN),
    ("approvals", "two_for", "two_for", None, _GIVEN),
    ("approvals", "actions", "strengths", Strength, _GIVEN),
    ("hook", "on_allow", "on_allow", OnAllow, _NEWER),
    ("hook", "observe", "observe", None, _GIVEN),
    ("preview", "page", "preview_page", None, _GIVEN),
)

FIELDS = {f"{table}.{key}" if table else key: field for table, key, field, _, _ in _SETTINGS}  # key of a file -> field

_DEFAULT = Policy()
_NOTHING: Mapping[str, Any] = FrozenMap({})


def settings_to_wire(policy: Policy) -> dict[str, Any]:
    wire: dict[str, Any] = {}
    for table, key, value in _told(policy, said=(_ALWAYS,)):
        (wire.setdefault(table, {}) if table else wire)[key] = value
    return wire


def shown_settings(policy: Policy) -> Iterator[tuple[str, str, Any]]:
    """Table, key and value of each, in plain words."""
    for table, key, value in _told(policy, said=(_ALWAYS, _NEWER)):
        yield table, key, list(value) if type(value) is tuple else value


def settings_from_wire(wire: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the policy. KeyError where one is missing that is always said.

    Ledgers keep policies from before there were approvals: nobody was there to answer then.
    """
    found = {}
    for table, key, field, scale, when in _SETTINGS:
        part = wire.get(table, _NOTHING) if table else wire
        if key in part:
            found[field] = _read(part[key], scale)
        elif when is _ALWAYS and (table != "approvals" or "by" in part):
            raise KeyError(f"{table} {key}")
    return found


def _told(policy: Policy, *, said: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """What is said at those times, and what is not the default."""
    for table, key, field, scale, when in _SETTINGS:
        value = getattr(policy, field)
        if when in said or value != getattr(_DEFAULT, field):
            yield table, key, _written(value, scale)


def _written(value: Any, scale: Any) -> Any:
    if type(value) in (dict, FrozenMap):
        return {name: _written(one, scale) for name, one in value.items()}
    return value if scale is None else value.name


def _read(value: Any, scale: Any) -> Any:
    if type(value) in (dict, FrozenMap):
        return FrozenMap({name: _read(one, scale) for name, one in value.items()})
    return value if scale is None else scale.of(value)
