"""Which actions leave this machine, by their names: a grant for one of them has to say where it may go.

Slow, because it loads every table of commands; it is asked only of grants that name no destination.
"""

from __future__ import annotations

from ..approve.glob import is_plain, matches
from ..approve.grant import ANYWHERE, DESTINATION, is_outward
from ..model.facts import Facts
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..reading.bash import follow_bash
    from ..reading.machine.index import all_outward
else:
    follow_bash = lazy(globals(), "..reading.bash", "follow_bash")
    all_outward = lazy(globals(), "..reading.machine.index", "all_outward")

__all__ = ["leaves_here", "without_destination"]

# Families of which nothing leaves this machine by its name alone.
_HERE = frozenset("fs exec pkg proc mcp tool agent secret shell server job service user host guard".split())
# Functions of programs give these their names, no row does.
_BESIDES = ("net:send", "ssh:run", "docker:push", "gh:api", "glab:api", "mail:send")
# Fields of a scope that say where it goes in other words.
_MEAN = ("host", "context", "bucket")


def leaves_here(pattern: str, own: Collection[str] = ()) -> bool:
    """Whether an action that the pattern fits leaves this machine. `own` are such names that the policy makes."""
    if any(matches(pattern, name) for name in own):
        return True
    family, colon, _ = pattern.partition(":")
    if colon and family in _HERE:
        return False

    if any(matches(pattern, name) for name in (*all_outward(), *_BESIDES)):
        return True
    return is_plain(pattern) and _does(pattern)


def _does(name: str) -> bool:
    """Some programs make names out of their own words: `aws:s3:cp` is read as `aws s3 cp`."""
    line = name.replace(":", " ")
    if not line.replace("-", "").replace("_", "").replace(" ", "").replace(".", "").isalnum():
        return False
    facts = Facts(root="/project", home="/home/user")
    for words in (line, f"{line} x", f"{line} x s3://any/x"):
        found = follow_bash(words, cwd="/project", facts=facts)
        if any(action.name == name and is_outward(action) for action in found.actions):
            return True
    return False


def without_destination(action: str, scope: Mapping[str, str], own: Collection[str] = ()) -> str:
    """What is wrong with a grant that does not say where it may go; empty where it does, or need not."""
    if DESTINATION in scope or not leaves_here(action, own):
        return ""
    meant = next((scope[field] for field in _MEAN if field in scope), "")
    line = f'destination = "{meant}"' if meant and meant.isprintable() and '"' not in meant else 'destination = "…"'
    alone = "`remote` is only a name; " if "remote" in scope else ""
    return (
        f"`{action[:60]}` leaves this machine, and the scope does not say where it may go: {alone}add {line} to "
        f'`scope`, or destination = "{ANYWHERE}" for anywhere'
    )
