"""Where a name of JavaScript holds what the code gave it: from its binding to the end of the block or the function.

Outside of that the same name may be anything: in `node -e` every module that comes with node is a global.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value
from .tokens import Other, Token

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

__all__ = ["Binding", "bindings_of"]

_DECLARES = ("const", "let", "var")
_PATTERN = frozenset(("(", ")", "{", "}", "[", "]", ","))


class Binding(Value):
    """A name, and the tokens among which it is bound."""

    name: str
    start: int
    end: int


def bindings_of(tokens: list[Token], closing: Mapping[int, int], refused: Container[str]) -> list[Binding]:
    """INVARIANT: a name is bound nowhere but here, and never in more places than JavaScript has it bound."""
    found: list[Binding] = []
    for at, token in enumerate(tokens):
        behind = _next(tokens, at + 1)
        if token.kind == "name" and token.text in _DECLARES and not _is_asked(tokens, at):
            if token.text == "var":
                _check_var(tokens, at, behind)
            names, end = _declared(tokens, closing, behind), _end_of_scope(tokens, closing, at)
        elif token.kind == "name" and _is(tokens, behind, "=>"):
            names, end = [token.text], _end_of_body(tokens, closing, behind)
        elif _is(tokens, at, "(") and _is(tokens, arrow := _next(tokens, closing[at] + 1), "=>"):
            names, end = _names(tokens, closing, at), _end_of_body(tokens, closing, arrow)
        elif _is(tokens, at, "(") and _takes_names(tokens, at):
            body = _next(tokens, closing[at] + 1)
            names, end = _names(tokens, closing, at), closing.get(body, at)
        else:
            continue
        if any(name in refused for name in names):
            raise Other
        found += [Binding(name=name, start=at, end=end) for name in names]
    return found


def _is_asked(tokens: list[Token], at: int) -> bool:
    before = _last(tokens, at)
    return before is not None and before.kind == "sign" and before.text in (".", "?.")


def _takes_names(tokens: list[Token], at: int) -> bool:
    """`function (a)`, `catch (e)`; what a value is asked for (`.catch(f)`) is called."""
    word = next((i for i in range(at - 1, -1, -1) if tokens[i].kind != "line"), -1)
    named = word >= 0 and tokens[word].kind == "name" and tokens[word].text in ("function", "catch")
    return named and not _is_asked(tokens, word)


def _check_var(tokens: list[Token], at: int, behind: int) -> None:
    """`var x` is the global x until something is put into it: it must be, there and then."""
    before = _last(tokens, at)
    is_statement = before is None or (before.kind == "sign" and before.text in (";", "{", "}", "("))
    if not is_statement and before is not None:
        is_statement = tokens[at - 1].kind == "line" and before.kind != "name" and before.text != ")"
    is_set = _is(tokens, behind + 1, "=") or (behind + 1 < len(tokens) and tokens[behind + 1].text in ("of", "in"))
    if not is_statement or not is_set or tokens[behind].kind != "name":
        raise Other


def _declared(tokens: list[Token], closing: Mapping[int, int], at: int) -> list[str]:
    """`a = 1, b = 2`: every name up to the end of the statement, or of the line."""
    names = _names(tokens, closing, at)
    for place in _outside_of_groups(len(tokens), closing, at):
        token = tokens[place]
        if token.kind == "line" or (token.kind == "sign" and token.text in (";", ")", "]", "}")):
            break
        if token.kind == "name" and token.text in ("of", "in"):
            break
        if token.kind == "sign" and token.text == ",":
            names += _names(tokens, closing, _next(tokens, place + 1))
    return names


def _next(tokens: list[Token], at: int) -> int:
    """The first token from there on that is no line end; behind the last one where there is none."""
    return next((i for i in range(at, len(tokens)) if tokens[i].kind != "line"), len(tokens))


def _last(tokens: list[Token], at: int) -> Token | None:
    return next((token for token in reversed(tokens[:at]) if token.kind != "line"), None)


def _is(tokens: list[Token], at: int, *signs: str) -> bool:
    return at < len(tokens) and tokens[at].kind == "sign" and tokens[at].text in signs


def _names(tokens: list[Token], closing: Mapping[int, int], at: int) -> list[str]:
    """`a = …`, `{a, b} = …`, `([k, v]) =>`: one name or one group without values of its own."""
    if at >= len(tokens):
        raise Other
    if not _is(tokens, at, "{", "[", "("):
        return [tokens[at].text] if tokens[at].kind == "name" else []
    group = tokens[at : closing[at] + 1]
    if any(token.kind not in ("name", "variable", "line") and token.text not in _PATTERN for token in group):
        raise Other
    return [token.text for token in group if token.kind == "name"]


def _end_of_scope(tokens: list[Token], closing: Mapping[int, int], at: int) -> int:
    around = max((start for start, end in closing.items() if start < at < end), default=-1)
    if around < 0:
        return len(tokens)
    if _is(tokens, around, "{"):
        return closing[around]
    before = _last(tokens, around)
    if not _is(tokens, around, "(") or before is None or before.text not in ("for", "await"):
        raise Other
    body = _next(tokens, closing[around] + 1)  # of a loop
    return closing[body] if _is(tokens, body, "{") else _end_of_statement(tokens, closing, body, (";",))


def _end_of_body(tokens: list[Token], closing: Mapping[int, int], arrow: int) -> int:
    body = _next(tokens, arrow + 1)
    return closing[body] if _is(tokens, body, "{") else _end_of_statement(tokens, closing, body, (";", ","))


def _end_of_statement(tokens: list[Token], closing: Mapping[int, int], at: int, ends: tuple[str, ...]) -> int:
    """No later than JavaScript has it: a line end may go on, and is taken for the end."""
    for place in _outside_of_groups(len(tokens), closing, at):
        token = tokens[place]
        if token.kind == "line" or (token.kind == "sign" and token.text in (*ends, ")", "]", "}")):
            return place
        if token.kind == "sign" and token.text == "{":
            return closing[place]  # `if (a) {} b`: the block was all of it
    return len(tokens)


def _outside_of_groups(count: int, closing: Mapping[int, int], at: int) -> Iterator[int]:
    while at < count:
        yield at
        at = closing.get(at, at) + 1
