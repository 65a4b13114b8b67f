"""What a constant of JavaScript is set to, where its name can mean nothing else."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .tokens import PAIRS

if TYPE_CHECKING:
    from collections.abc import Container

    from .tokens import Token

__all__ = ["set_to"]

_GO_ON = frozenset(("in", "instanceof", "of"))


def set_to(name: str, tokens: list[Token], functions: Container[str]) -> list[Token]:
    """The tokens behind `const name =` outside of all blocks; none where the name may mean something else.

    INVARIANT: wherever else the name stands, it is the first argument of one of `functions`, where no name is bound.
    """
    texts = ["", "", "", *[token.text for token in tokens], ""]
    places = [at for at in range(3, len(texts) - 1) if texts[at] == name]
    sets = [at for at in places if texts[at - 1] == "const" and texts[at + 1] == "="]
    uses = [
        at
        for at in places
        if (texts[at - 3], texts[at - 1]) == (".", "(") and texts[at - 2] in functions and texts[at + 1] in (",", ")")
    ]
    if len(sets) != 1 or len(sets) + len(uses) != len(places) or _is_inside(tokens[: sets[0] - 3]):
        return []
    rest = tokens[sets[0] - 1 :]
    end = next((at for at, token in enumerate(rest) if token.kind == "line" or token.text in (";", ",")), len(rest))
    behind = next((token for token in rest[end:] if token.kind != "line"), None)
    # A line end ends a statement only where the next line cannot go on with it.
    goes_on = behind is not None and rest[end].kind == "line" and (behind.kind != "name" or behind.text in _GO_ON)
    return [] if goes_on else rest[:end]


def _is_inside(before: list[Token]) -> bool:
    """Whether a bracket is open there."""
    signs = [token.text for token in before if token.kind == "sign"]
    return sum(sign in PAIRS for sign in signs) != sum(sign in PAIRS.values() for sign in signs)
