"""The clock: which of the policy's grants are live by it, and which time windows are open."""

from __future__ import annotations

import time

from ..approve.grant import Grant
from ..model.verdict import Strength
from ..policy.book import Book
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ..model.action import Reading
    from ..policy.model import Policy, PolicyGrant
    from ..policy.window import is_open, parse_window
else:
    is_open = lazy(globals(), "..policy.window", "is_open")
    parse_window = lazy(globals(), "..policy.window", "parse_window")

__all__ = [
    "closed_windows",
    "counted_grants",
    "ended_grants",
    "knows_zone",
    "live_grants",
    "minutes_from_now",
    "now",
    "observing",
    "seconds",
    "told_of_observing",
]


def now() -> str:
    """This moment as `2026-12-01T23:59:59Z`; such texts compare like the moments they name."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def seconds() -> int:
    """This moment in whole seconds since the beginning of 1970."""
    return max(0, int(time.time()))


def minutes_from_now(minutes: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60 * minutes))


def observing(policy: Policy) -> bool:
    """Whether only the floor is enforced now. An end that is too far ahead does not count at all."""
    until = policy.observe
    return until != "" and now() <= until <= minutes_from_now(_LONGEST_OBSERVED)


def told_of_observing(policy: Policy) -> tuple[str, ...]:
    """What a person is told of it when a session begins."""
    if not policy.observe or policy.observe < now():
        return ()
    if observing(policy):
        return (_OBSERVING.format(policy.observe),)
    return (_TOO_FAR.format(policy.observe),)


_LONGEST_OBSERVED = 31 * 24 * 60  # 30 days, and what is left of this one: a date counts to its end
_OBSERVING = (
    "observe mode until {}: only the floor refuses anything; what would have been asked or denied is recorded "
    "(interlock audit summary)"
)
_TOO_FAR = "`observe` until {} is more than 30 days ahead, so it does not count: everything is enforced"


def live_grants(policy: Policy, moment: str, reading: Reading | None = None) -> tuple[Grant, ...]:
    """The policy's grants that have not expired, as capabilities: all of them, or those that concern a reading.

    INVARIANT: those with `uses` are not among them. Only who counts their uses may say that they are live.
    """
    return tuple([_capability(grant) for grant in _unexpired(policy, moment, reading) if grant.uses is None])


def counted_grants(policy: Policy, moment: str, reading: Reading | None = None) -> tuple[tuple[Grant, int], ...]:
    """The same for those with `uses`, each with how many it has in all."""
    found = _unexpired(policy, moment, reading)
    return tuple([(_capability(grant), grant.uses) for grant in found if grant.uses is not None])


def ended_grants(policy: Policy, moment: str) -> tuple[tuple[Grant, str], ...]:
    """The policy's grants that have expired, each with its last moment."""
    return tuple([(_capability(g), g.expires) for g in policy.grants if g.expires is not None and g.expires < moment])


def _unexpired(policy: Policy, moment: str, reading: Reading | None) -> list[PolicyGrant]:
    grants = policy.grants
    if isinstance(grants, Book) and reading is not None:
        rows = sorted(dict([row for action in reading.actions for row in grants.about(action)]).items(), key=_place)
        grants = [grant for _, grant in rows]
    return [grant for grant in grants if grant.expires is None or moment <= grant.expires]


def _capability(grant: PolicyGrant) -> Grant:
    """What the files say is policy and no answer: who may change them is not a question of signatures."""
    return Grant(
        id=grant.id,
        kind="capability",
        action=grant.action,
        scope=grant.scope,
        reach="everywhere",
        why=grant.why,
        strength=Strength.STRONG,
    )


def _place(row: tuple[int, object]) -> int:
    return row[0]


def closed_windows(windows: tuple[str, ...], moment: str) -> frozenset[str]:
    """Those of the windows that are not open. What cannot be told counts as open: rules only tighten."""
    return frozenset([window for window in windows if not _is_open(window, moment)]) if windows else frozenset()


def _is_open(text: str, moment: str) -> bool:
    import datetime

    try:
        window = parse_window(text)
        there = datetime.datetime.fromisoformat(moment)
        if window.offset is not None:
            there += datetime.timedelta(minutes=window.offset)
        else:
            import zoneinfo

            there = there.astimezone(zoneinfo.ZoneInfo(window.zone))
        return is_open(window, there.weekday(), there.hour * 60 + there.minute)
    except Exception:  # no such zone, no table of zones, a moment beyond the calendar
        return True


def knows_zone(zone: str) -> bool:
    """Whether this machine knows the zone; a machine that knows none lets every name pass."""
    return _has_zone(zone) or not _has_zone("Europe/London")


def _has_zone(zone: str) -> bool:
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(zone)
    except Exception:
        return False
    return True
