"""What a server may listen at: a number. A text may name a file, and a socket would be made there."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .constants import set_to

if TYPE_CHECKING:
    from .tokens import Token

__all__ = ["is_port"]

_IN_PORTS = frozenset(("process", "env", "PORT", "Number", "parseInt", ".", "(", ")", "||", "??"))

_USES = ("listen", "log")


def is_port(given: list[Token], tokens: list[Token]) -> bool:
    """Whether the argument is a number, a port from the environment, or a constant that is one of these."""
    if len(given) == 1 and given[0].kind == "name":
        given = set_to(given[0].text, tokens, _USES)
    return bool(given) and all(
        token.kind == "number" or (token.kind != "text" and token.text in _IN_PORTS) for token in given
    )
