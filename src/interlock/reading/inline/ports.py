"""What a server may listen at: a number. A text may name a file, and a socket would be made there."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokens import Token

__all__ = ["is_port"]

_IN_PORTS = frozenset(("process", "env", "PORT", "Number", "parseInt", ".", "(", ")", "||", "??"))

_USES = ((".", "listen", "("), (".", "log", "("))


def is_port(given: list[Token], tokens: list[Token]) -> bool:
    """Whether the argument is a number, a port from the environment, or a constant that is one of these."""
    if len(given) == 1 and given[0].kind == "name":
        given = _set_to(given[0].text, tokens)
    return bool(given) and all(
        token.kind == "number" or (token.kind != "text" and token.text in _IN_PORTS) for token in given
    )


def _set_to(name: str, tokens: list[Token]) -> list[Token]:
    """What a constant is set to; nothing where the name may mean something else: a parameter, a second constant."""
    texts = ["", "", "", *[token.text for token in tokens], ""]
    places = [at for at in range(3, len(texts) - 1) if texts[at] == name]
    sets = [at for at in places if texts[at - 1] == "const" and texts[at + 1] == "="]
    uses = [at for at in places if tuple(texts[at - 3 : at]) in _USES and texts[at + 1] in (",", ")")]
    if len(sets) != 1 or len(sets) + len(uses) != len(places):
        return []
    rest = tokens[sets[0] - 1 :]
    ends = (at for at, token in enumerate(rest) if token.kind == "line" or token.text in (";", ","))
    return rest[: next(ends, len(rest))]
