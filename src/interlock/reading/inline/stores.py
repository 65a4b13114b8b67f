"""What JavaScript may store under a name that can be called, or under a name that nobody knows: nothing but data.

Methods are called by their names, whatever they are called on. So `o.join = f` would make any function one of the
table, and functions can be had without naming them: `o[k]` is one where k is `constructor`.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .tokens import Other, Token

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .tables import Language

__all__ = ["check_stores"]

_SUMS = frozenset(("+", "-", "*", "/", "%", "**", "<", ">", "===", "==", "!==", "!=", "<=", ">="))
_SETS = frozenset(("=", "||=", "??=", "&&="))
_COUNTS = frozenset(("+=", "-=", "*=", "++", "--"))  # what comes out is a number or a text
_CONSTANTS = frozenset(("true", "false", "null", "undefined", "NaN", "Infinity"))
_DECLARES = frozenset(("const", "let", "var"))
_HANDS_OUT = frozenset(  # methods that hand out what was put in, which may be a function
    "at find findLast pop shift get reduce reduceRight then catch finally json valueOf exec on".split()
)
_MAY_BE_SET = "process.exitCode"


def check_stores(tokens: list[Token], closing: Mapping[int, int], table: Language) -> None:
    """Refuses the code where anything but data may get a name that can be called."""
    _Stores(tokens, closing, table).check()


class _Stores:
    def __init__(self, tokens: list[Token], closing: Mapping[int, int], table: Language) -> None:
        self.tokens, self.closing, self.table = tokens, closing, table
        self.opening = {end: start for start, end in closing.items()}
        self.callable = table.methods.union(table.calls, *table.members.values())

    def check(self) -> None:
        for at, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in _SETS:
                self._set(at)
            elif token.kind == "sign" and token.text in _COUNTS:
                self._counted(at)
            elif token.kind in ("name", "text"):
                self._key(at, token)
            elif token.kind == "sign" and token.text == "(" and self._begins_loop(at):
                if self._text(at + 1) not in (*_DECLARES, ";"):
                    raise Other  # `for (o.join of [f])`
        if self._reads_computed() and any(token.text == "fromEntries" for token in self.tokens):
            raise Other  # it stores under names that nobody knows

    def _before(self, at: int) -> int:
        return next((i for i in range(at - 1, -1, -1) if self.tokens[i].kind != "line"), -1)

    def _begins_loop(self, at: int) -> bool:
        """`for (`, `for await (`."""
        word = self._before(at)
        return self._text(self._before(word) if self._text(word) == "await" else word) == "for"

    def _text(self, at: int) -> str:
        """Of a name or a sign; a text is none of these."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) and self.tokens[at].kind in ("name", "sign") else ""

    def _set(self, at: int) -> None:
        last = self._before(at)
        token = self.tokens[last] if last >= 0 else None
        if token is None or (token.kind == "sign" and token.text not in ("]", "}")):
            raise Other  # `(a) = b`
        if token.kind == "name":
            if self._text(self._before(last)) in self.table.joins:
                self._no_member(last)
                self._named(token.text, last, at)
            elif token.text in self.table.calls or token.text in self.table.members or token.text in self.table.touches:
                raise Other  # `parseInt = f`
            return
        start = self.opening.get(last, -1)
        base = self._before(start)
        if self._text(base) in _DECLARES:
            return  # `const {a, b} =`: names that are never called
        if token.text == "}" or base < 0 or not self._is_value(base):
            raise Other  # `[o.join] = [f]`
        key = [part for part in self.tokens[start + 1 : last] if part.kind != "line"]
        if len(key) == 1 and key[0].kind == "number":
            return
        if len(key) == 1 and key[0].kind == "text":
            self._named(key[0].text, last, at)
        elif not self._is_data(at + 1, self.tokens[self._first_of(base) : last + 1]):
            raise Other

    def _named(self, name: str, last: int, at: int) -> None:
        if name in self.callable or name in self.table.refused or "\\" in name:
            if name in self.table.refused or not self._is_data(at + 1, self.tokens[self._first_of(last) : last + 1]):
                raise Other

    def _counted(self, at: int) -> None:
        for place in (self._before(at), at + 1):
            if self._text(place) and self._text(self._before(place)) in self.table.joins:
                self._no_member(place)

    def _no_member(self, at: int) -> None:
        """`path.join = …` changes what node itself calls."""
        base = self._before(self._before(at))
        name = self._text(base)
        is_own = self._text(self._before(base)) not in self.table.joins
        if name in self.table.members and is_own and f"{name}.{self.tokens[at].text}" != _MAY_BE_SET:
            raise Other

    def _key(self, at: int, token: Token) -> None:
        """`{join: f}`, `{'join': f}`, `{join}`."""
        if self._text(self._before(at)) not in ("{", ","):
            return
        if (
            token.kind == "text"
            and self._text(at + 1) == ":"
            and ("\\" in token.text or token.text in self.table.refused)
        ):
            raise Other
        if token.text not in self.callable:
            return
        around = max((start for start, end in self.closing.items() if start < at < end), default=-1)
        if around < 0 or self._text(around) != "{" or self._is_pattern(around):
            return
        behind = next((i for i in range(at + 1, len(self.tokens)) if self.tokens[i].kind != "line"), len(self.tokens))
        if self._text(behind) == ":":
            if not self._is_data(behind + 1, []):
                raise Other
        elif token.kind == "name" and self._text(behind) in (",", "}"):
            raise Other

    def _is_pattern(self, brace: int) -> bool:
        """`const {a} =`, `({a}) =>`: names are taken out there, and nothing is stored."""
        if self._text(self._before(brace)) in _DECLARES:
            return True
        around = max((start for start, end in self.closing.items() if start < brace < end), default=-1)
        behind = self.closing[around] + 1 if around >= 0 else 0
        return self._text(around) == "(" and self._text(behind) == "=>"

    def _is_value(self, at: int) -> bool:
        token = self.tokens[at]
        return token.kind in ("name", "text", "data") or token.text in (")", "]")

    def _first_of(self, at: int) -> int:
        """Where `a.b[c].d`, which ends there, begins."""
        while True:
            at = self.opening.get(at, at)
            before = self._before(at)
            if self._text(before) in self.table.joins:
                at = self._before(before)
            elif self._text(at) in ("[", "(") and before >= 0 and self._is_value(before):
                at = before
            else:
                return at

    def _reads_computed(self) -> bool:
        """`o[k]`: the one way to a function that has no name here."""
        for at, token in enumerate(self.tokens):
            before = self._before(at)
            if token.kind == "sign" and token.text == "[" and before >= 0 and self._is_value(before):
                key = [part.kind for part in self.tokens[at + 1 : self.closing[at]] if part.kind != "line"]
                if key not in (["number"], ["text"]) and self._text(before) not in ("return", "of", "in", "await"):
                    return True
        return False

    # --- whether it is data ---

    def _is_data(self, at: int, itself: list[Token]) -> bool:
        """Whether what stands there cannot be a function. `itself`: where it is stored, whose own value it may keep."""
        parts: list[Token] = []
        for place in self._outside(at):
            token = self.tokens[place]
            if token.kind == "sign" and token.text in (",", ";", ")", "]", "}"):
                break
            if token.kind == "line":
                behind = next((other for other in self.tokens[place:] if other.kind != "line"), None)
                if behind is None or behind.text in ("++", "--"):
                    break
                if behind.kind == "name" and behind.text not in ("in", "instanceof"):
                    break
                continue
            parts.append(token)
        return self._are_data(parts, at, itself)

    def _are_data(self, parts: list[Token], at: int, itself: list[Token]) -> bool:
        signs = {token.text for token in parts if token.kind == "sign"} - set("([{.")
        if not parts or signs & {"=>", "=", "?", ":", "&&"}:
            return False
        if "||" in signs or "??" in signs:
            return self._is_own_or_data(at, itself)
        if signs & _SUMS or parts[0].text in ("!", "typeof"):
            return True
        if parts[0].text == "new":
            return len(parts) == 3 and parts[0].kind == "name"
        if len(parts) == 1:
            token = parts[0]
            return token.kind in ("text", "number", "data") or token.text in _CONSTANTS or token.text in ("[", "{")
        if self._text_of(parts[-1]) == "length" or len(parts) < 2 or self._text_of(parts[-1]) != "(":
            return self._text_of(parts[-1]) == "length"
        return self._text_of(parts[-2]) in self.callable - _HANDS_OUT

    def _is_own_or_data(self, at: int, itself: list[Token]) -> bool:
        """`o[k] = o[k] || []`: its own value once more, or data."""
        size = len(itself)
        if not size or [token.text for token in self.tokens[at : at + size]] != [token.text for token in itself]:
            return False
        return self._text(at + size) in ("||", "??") and self._is_data(at + size + 1, [])

    def _text_of(self, token: Token) -> str:
        return token.text if token.kind in ("name", "sign") else ""

    def _outside(self, at: int) -> list[int]:
        """The places from there on that are in no bracket; of each bracket, the one that opens it."""
        found = []
        while at < len(self.tokens):
            found.append(at)
            at = self.closing.get(at, at) + 1
        return found
