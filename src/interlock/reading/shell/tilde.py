"""`~` where bash expands it: at the start of a word, and in assignments behind `=` and `:`.

The prefix reaches to the next `/` or `:`, and nothing in it may be quoted or expanded.
"""

from __future__ import annotations

from .state import NAME
from .syntax import Lit, Tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = ["USER", "assigned_tildes", "leading_tilde", "named_tildes"]

USER = NAME | frozenset("+-.")


def leading_tilde(parts: list[Part]) -> list[Part]:
    """Split a leading `~user` off the first part."""
    if parts and isinstance(first := parts[0], Lit) and not first.quoted and first.text[:1] == "~":
        return _split(first, len(parts) == 1) + parts[1:]
    return parts


def assigned_tildes(parts: list[Part]) -> list[Part]:
    """The value of an assignment: `~` counts at its start and behind every unquoted `:`."""
    out: list[Part] = []
    at_start = True
    for k, part in enumerate(parts):
        if isinstance(part, Lit) and not part.quoted and "~" in part.text:
            out.extend(_split_all(part, at_start, k == len(parts) - 1))
        else:
            out.append(part)
        at_start = isinstance(part, Lit) and not part.quoted and part.text.endswith(":")
    return out


def named_tildes(parts: list[Part], equals: int) -> list[Part]:
    """A word that looks like `name=value`; `equals` is the length of `name=`. Its value expands like an
    assignment's."""
    first = parts[0]
    if not isinstance(first, Lit):
        return parts
    start = first.span[0]
    head = Lit(first.text[:equals], False, (start, start + equals))
    rest: list[Part] = []
    if len(first.text) > equals:
        rest.append(Lit(first.text[equals:], False, (start + equals, first.span[1])))
    value = assigned_tildes(rest + parts[1:]) if rest else list(parts[1:])
    if any(isinstance(part, Tilde) for part in value):
        return [head, *value]
    return parts


def _split_all(lit: Lit, at_start: bool, last: bool) -> list[Part]:
    """Cut an unquoted text at every `~` that expands in an assignment."""
    out: list[Part] = []
    start = lit.span[0]
    fields = lit.text.split(":")
    offset = 0
    plain = 0  # where text that is not yet in `out` begins
    for k, field in enumerate(fields):
        ends_value = last and k == len(fields) - 1
        if field[:1] == "~" and (k > 0 or at_start):
            piece = Lit(field, False, (start + offset, start + offset + len(field)))
            pieces = _split(piece, ends_value or k < len(fields) - 1)
            if isinstance(pieces[0], Tilde):
                if offset > plain:
                    out.append(Lit(lit.text[plain:offset], False, (start + plain, start + offset)))
                out.append(pieces[0])
                plain = offset + 1 + len(pieces[0].user)
        offset += len(field) + 1
    if plain < len(lit.text):
        out.append(Lit(lit.text[plain:], False, (start + plain, lit.span[1])))
    return out


def _split(lit: Lit, complete: bool) -> list[Part]:
    """`~user/rest` as a Tilde and the rest; unchanged if the prefix is not a login name or goes on
    behind this part."""
    text = lit.text
    end = 1
    while end < len(text) and text[end] in USER:
        end += 1
    if end == len(text):
        if not complete:
            return [lit]
    elif text[end] not in "/:":
        return [lit]
    start = lit.span[0]
    out: list[Part] = [Tilde(text[1:end], (start, start + end))]
    if end < len(text):
        out.append(Lit(text[end:], False, (start + end, lit.span[1])))
    return out
