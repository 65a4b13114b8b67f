"""Keys that this version does not know: a newer one gave them a meaning, or they are mistyped. Nobody can tell which.

In managed and a person's own policy such a key is told, and what its table governs asks at least: nothing is loosened
because a machine was not upgraded yet, and nothing stops working. In a project's file it is an error, as any other.

    a rule's condition      the rule holds without it, and so for more calls; without any other condition it asks
    a rule's exception      the rule holds without any exception
    a grant                 it does not count
    a tool, a command       calls of it ask
    the team store          it is not used
    consult, judge, evidence  nothing: what they govern can only tighten, or is no call
    people                  the person has the identities that are known
    anything else           whatever is more than a read asks
"""

from __future__ import annotations

from .. import __version__
from ..model.effects import Effect
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from .model import Rule, When

if TYPE_CHECKING:
    from .locate import Path

__all__ = ["ANY_EFFECT", "FORGIVING", "guards_of", "is_newer_than_this", "odd_parts"]

FORGIVING = ("managed", "user")  # sources in which a key that is not known is no error
ANY_EFFECT = When(effects=(Effect.WRITE, Effect.NETWORK, Effect.EXECUTE, Effect.SPAWN, Effect.DESTRUCTIVE))

_ID = "unknown-key"
_OF_ITSELF = (
    "rules",
    "grants",
    "store",
    "consult",
    "judge",
    "evidence",
    "people",
)  # tables that are seen to where they are read


def guards_of(file: str, unknown: list[Path]) -> tuple[Rule, ...]:
    """A rule for each part of a policy that such a key is about: it asks."""
    keys: dict[When, list[str]] = {}
    for path in unknown:
        if path[0] not in _OF_ITSELF or len(path) == 1:
            keys.setdefault(_governed(path), []).append(".".join([str(part) for part in path]))
    return tuple([_rule(file, when, names) for when, names in keys.items()])


def _governed(path: Path) -> When:
    if path[0] == "tools" and len(path) > 2:
        return When(tool=str(path[1]))
    if path[0] == "commands" and len(path) > 2:
        return When(command=(str(path[1]), f"{path[1]} *"))
    return ANY_EFFECT


def _rule(file: str, when: When, names: list[str]) -> Rule:
    shown = ", ".join([f"`{ascii(name[:60])[1:-1]}`" for name in names[:5]])
    return Rule(
        id=_ID,
        when=when,
        verdict=Verdict.ASK,
        reason=f"{file} sets {shown}, which Interlock {__version__} does not know, so what it is about is asked.",
        instead="Tell the person that the policy has a key that this version of Interlock does not know.",
    )


def odd_parts(unknown: list[Path], table: str, *inside: str) -> set[int]:
    """Which entries of a list of tables hold such a key, at their top or in the part that is named."""
    return {
        int(path[1]) for path in unknown if path[0] == table and path[2:-1] == inside and len(path) == 3 + len(inside)
    }


def is_newer_than_this(version: str) -> bool:
    """Whether a version such as `0.4` or `0.4.2` comes after this one."""
    wanted, own = [[int(part) for part in text.split(".")[:3]] for text in (version, __version__)]
    return wanted > own[: len(wanted)] if len(wanted) < len(own) else wanted > own
