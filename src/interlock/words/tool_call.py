"""What a call of a tool is given, for a question: the few arguments by which a person tells it from others.

A statement first, then what is paid, to whom, where, and on what; what is written last. Secrets are left out, and no
value is longer than a person reads at a glance.
"""

from __future__ import annotations

from ..bytes.redact import redacted
from ..value import TYPE_CHECKING
from .said import plain, quoted

if TYPE_CHECKING:
    from ..model.call import Call

__all__ = ["main_arguments"]

_MOST = 4  # arguments
_LONG = 80  # characters of one value
# Words of an argument's name, by what they say; the groups in the order in which a person wants them.
_FIRST = (
    frozenset("sql query statement stmt command cmd script code function expression".split()),
    frozenset("amount price total sum quantity count currency cost".split()),
    frozenset("to recipient recipients email mail phone cc bcc user assignee member account iban".split()),
    frozenset("channel room chat thread conversation".split()),
    frozenset("repo repository project owner organization team database table bucket collection".split()),
    frozenset("number id key issue pull page ticket".split()),
    frozenset("branch base head ref tag environment env stage".split()),
    frozenset("url uri host path file folder filename source destination".split()),
    frozenset("name title subject element target selector".split()),
)
_PROSE = frozenset("answer body caption comment content contents description details message text thought".split())
_LAST = len(_FIRST) + 1


def main_arguments(call: Call) -> str:
    """` (to `ada@example.com`, subject `Hello`)`; empty where nothing is given that can be shown."""
    given = redacted(call.input)
    told = [(_rank(str(name)), str(name), shown) for name, value in given.items() if (shown := _shown(value))]
    told.sort(key=lambda one: one[0])  # as they were given, where they rank the same
    return f" ({', '.join([f'{plain(name)} {shown}' for _, name, shown in told[:_MOST]])})" if told else ""


def _rank(name: str) -> int:
    words = "".join([f" {char.lower()}" if char.isupper() else char if char.isalnum() else " " for char in name])
    found = frozenset(words.split())
    if not _PROSE.isdisjoint(found):
        return _LAST
    return next((at for at, group in enumerate(_FIRST) if not group.isdisjoint(found)), _LAST - 1)


def _shown(value: object) -> str:
    if type(value) is tuple:
        return quoted(value) if value and all(type(item) is str and len(item) <= _LONG for item in value) else ""
    if type(value) is str:
        text = " ".join(value.split())
        return quoted(text if len(text) <= _LONG else text[:_LONG] + "…") if text else ""
    return quoted(str(value).lower()) if type(value) in (int, float, bool) else ""
