"""Whether code only computes and shows: each name in it is in the table of its language, or bound to a value.

The argument why that is enough: code acts through functions. No function but those of the table has a name here, and
none can be had from a value, because nothing is called but by a name of the table. What calls what it is given
(`map`, `array_map`, `sapply`) must be given an inline function, whose body is held to the same.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value, lazy
from .callbacks import is_function
from .constants import set_to
from .options import are_harmless
from .ports import is_port
from .records import NO_RECORDS, RECORDS
from .scopes import Binding, bindings_of
from .stores import check_stores
from .tables import LANGUAGES, LIBRARIES
from .tokens import PAIRS, Other, Token, is_value, matched, tokens_of

if TYPE_CHECKING:
    from .modules import resolved
    from .tables import Language
else:
    resolved = lazy(globals(), ".modules", "resolved")

__all__ = ["Shown", "only_computes"]

_LONGEST = 20_000
_CHANGES = frozenset(("write", "folder"))  # roles
_RUBY_GLOBALS = frozenset(("stdin", "stdout", "stderr", "_"))  # `$LOAD_PATH` says where code comes from
_INPUT = frozenset(("stdin", "STDIN", "createServer"))  # names of what the code is fed by


class Shown(Value):
    """What the code touches: places and addresses in a role, modules of data, and whether records of the project."""

    places: tuple[tuple[str, str], ...] = ()
    loaded: tuple[str, ...] = ()
    records: bool = False


def only_computes(language: str, code: str, *, records: bool = False) -> Shown | None:
    """What it shows; None for any other code. `records`: capital names may be the project's own (`rails runner`)."""
    table = LANGUAGES.get(language)
    if table is None or len(code) > _LONGEST:
        return None
    try:
        reader = _Reader(tokens_of(code, table), table, language, records)
        reader.check()
    except Other:
        return None
    return Shown(places=tuple(reader.places), loaded=tuple(reader.loaded), records=reader.met_records)


class _Reader:
    def __init__(self, tokens: list[Token], table: Language, language: str, records: bool) -> None:
        self.table, self.language, self.records = table, language, records
        self.met_records = False
        self.places: list[tuple[str, str]] = []
        self.loaded: list[str] = []
        self.bound: set[str] = set()
        self.bindings: list[Binding] = []
        self.imported: dict[str, str] = {}
        self.tokens = [_named(token) for token in tokens] if language == "ruby" else tokens
        if language == "node":
            self.tokens = resolved(tokens, table, self.loaded, self.imported)
        self.closing = matched(self.tokens)
        self.is_fed = any(token.text in _INPUT for token in self.tokens)

    def check(self) -> None:
        self._bind()
        if self.language == "node":
            check_stores(self.tokens, self.closing, self.table)
        for at, token in enumerate(self.tokens):
            if token.kind == "name":
                self._name(at, token)
            elif token.kind == "sign":
                self._sign(at, token)
            elif token.kind == "variable":
                self._variable(at, token)
        roles = {role for role, _ in self.places}
        if not roles.isdisjoint(_CHANGES) and (self.is_fed or "fetch" in roles):
            raise Other  # what is written comes from elsewhere

    # --- neighbours, past line ends ---

    def _before(self, at: int) -> Token | None:
        return next((token for token in reversed(self.tokens[:at]) if token.kind != "line"), None)

    def _behind(self, at: int) -> Token | None:
        return next((token for token in self.tokens[at + 1 :] if token.kind != "line"), None)

    def _is(self, token: Token | None, *signs: str) -> bool:
        return token is not None and token.kind == "sign" and token.text in signs

    # --- names ---

    def _bind(self) -> None:
        """Names that the code gives to values. None of them may be a name of the table."""
        bind = {"node": self._bind_node, "ruby": self._bind_ruby, "lua": self._bind_lua, "Rscript": self._bind_r}
        bind.get(self.language, lambda: None)()
        if any(self._is_known(name) for name in self.bound):
            raise Other

    def _is_known(self, name: str) -> bool:
        table = self.table
        return name in table.words or name in table.calls or name in table.members or name in table.touches

    def _bind_node(self) -> None:
        self.bindings = bindings_of(self.tokens, self.closing, self.table.refused)
        self.bound = {binding.name for binding in self.bindings}

    def _is_word(self, token: Token | None, *words: str) -> bool:
        return token is not None and token.kind == "name" and token.text in words

    def _bind_group(self, at: int) -> None:
        for token in self.tokens[at : self.closing[at] + 1]:
            if token.kind == "name":
                self.bound.add(token.text)
            elif token.kind not in ("variable", "line") and token.text not in ("(", ")", "{", "}", "[", "]", ","):
                raise Other

    def _bind_ruby(self) -> None:
        """A name is a variable from where it is bound on; before that it would be a method."""
        opened = False
        for at, token in enumerate(self.tokens):
            behind = self._behind(at)
            if self._is(token, "|") and (opened or self._opens_block(at)):
                opened = not opened
            elif token.kind == "name" and (opened or (self._is(behind, "=") and not self._is(self._before(at), "."))):
                if token.text[0].isupper():
                    raise Other
                first = next(i for i, other in enumerate(self.tokens) if other.text == token.text)
                if first != at and token.text not in self.bound and not self._is(self._before(first), ".", ":", "&."):
                    raise Other
                self.bound.add(token.text)

    def _opens_block(self, at: int) -> bool:
        before = self._before(at)
        return self._is(before, "{") or self._is_word(before, "do")

    def _bind_lua(self) -> None:
        for at, token in enumerate(self.tokens):
            if token.kind != "name":
                continue
            if self._is(self._behind(at), "=") or self._is_word(self._before(at), "local"):
                self.bound.add(token.text)
            if token.text == "for":
                for name in self.tokens[at + 1 :]:
                    if name.kind == "name" and name.text in ("in", "do"):
                        break
                    if name.kind == "name":
                        self.bound.add(name.text)
                    elif not self._is(name, ","):
                        break

    def _bind_r(self) -> None:
        depth = 0
        for at, token in enumerate(self.tokens):
            depth += (token.text == "(") - (token.text == ")") if token.kind == "sign" else 0
            behind = self._behind(at)
            if token.kind == "name" and (self._is(behind, "<-") or (depth == 0 and self._is(behind, "="))):
                self.bound.add(token.text)
            elif self._is(token, "(") and self._is_word(self._before(at), "function"):
                self._bind_group(at)
            elif self._is(token, "(") and self._is_word(self._before(at), "for") and behind is not None:
                self.bound.add(behind.text)

    def _name(self, at: int, token: Token) -> None:
        table, name = self.table, token.text
        before, behind = self._before(at), self._behind(at)
        if self._is(behind, "(") and self.tokens[at + 1].kind == "line" and name not in table.words:
            raise Other  # a call or a group of its own, as the language has it
        if before is not None and before.kind == "sign" and before.text in table.joins:
            self._asked(at, name, behind)
        elif self._is_key(at, before, behind):
            if name in table.refused:
                raise Other
        elif name in self.imported:
            self._touch(at, self.imported[name])
        elif name in table.touches:
            self._touch(at, name)
        elif name in table.words:
            self._word(at, name, behind)
        elif name in table.members and behind is not None and behind.text in table.joins:
            pass  # what is asked of it is looked at there
        elif name in table.calls:
            self._call(at, name)
        elif self._is_bound(at, name):
            self._value(at, before, behind)
        else:
            self._elsewhere(at, name, before, behind)

    def _is_bound(self, at: int, name: str) -> bool:
        if self.language != "node":
            return name in self.bound
        return any(binding.name == name and binding.start <= at < binding.end for binding in self.bindings)

    def _word(self, at: int, name: str, behind: Token | None) -> None:
        if name == "new" and not (
            behind is not None and behind.kind == "name" and behind.text in (*self.table.calls, "Intl")
        ):
            raise Other
        if name in ("use", "require") and self.language == "perl":
            raise Other

    def _elsewhere(self, at: int, name: str, before: Token | None, behind: Token | None) -> None:
        """Loading a part of the standard library, a symbol, a table of the project; nothing else."""
        known = LIBRARIES.get(self.language, frozenset())
        if (
            name in ("require", "use")
            and behind is not None
            and (before is None or self._is(before, ";") or self._starts(at))
        ):
            if behind.text in known and (name == "require") == (behind.kind == "text"):
                return
        if name in known and self._is_word(before, "use"):
            return
        if self.language == "Rscript" and name in known and self._is_word(self._before(at - 1), "library"):
            return
        if self.language == "ruby" and self._is(before, ":"):
            colon = next(i for i in range(at - 1, -1, -1) if self.tokens[i] is before)
            if self.tokens[at].glued and (not self._is(self._before(colon), "&") or name in self.table.methods):
                return
        if self.records and name[:1].isupper() and name.isalnum() and name not in NO_RECORDS and self._is(behind, "."):
            self.met_records = True
            return
        raise Other

    def _starts(self, at: int) -> bool:
        return at == 0 or self.tokens[at - 1].kind == "line"

    def _is_key(self, at: int, before: Token | None, behind: Token | None) -> bool:
        """`{name: value}`, `f(name: value)`, `f(name = value)`: not the value of a condition (`a ? name : b`)."""
        if self.language == "node":
            return self._is(behind, ":") and self._is(before, "{", ",") and self._around(at) == "{"
        if self.language == "ruby":
            glued = at + 1 < len(self.tokens) and self._is(self.tokens[at + 1], ":") and self.tokens[at + 1].glued
            return glued and self._is(before, "{", ",", "(")
        if self.language == "Rscript":
            return self._is(behind, "=") and self._is(before, "(", ",") and self._around(at) == "("
        return False

    def _around(self, at: int) -> str:
        inner = [start for start, end in self.closing.items() if start < at < end]
        return self.tokens[max(inner)].text if inner else ""

    def _value(self, at: int, before: Token | None, behind: Token | None) -> None:
        """A name that holds a value is never called, and takes no argument without parentheses either."""
        if self._is(behind, "(") and self.tokens[at + 1].kind != "line":
            raise Other
        if self._is_word(before, "new"):
            raise Other
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if following is not None and following.kind in ("text", "number", "pattern", "variable", "data"):
            raise Other
        if self.language in ("ruby", "lua") and (
            (following is not None and following.kind == "name" and following.text not in self.table.words)
            or (self.language == "ruby" and self._is_word(following, "do"))
            or self._is(following, "{")
            or (self._is(following, "[", ":", "*", "&", "-", "+") and not following.glued and self._hugs(at + 1))  # type: ignore[union-attr]
        ):
            raise Other

    def _hugs(self, at: int) -> bool:
        """`x -1`, `x [1]`: an argument, not an operator."""
        return at + 1 < len(self.tokens) and self.tokens[at + 1].glued

    # --- calls ---

    def _asked(self, at: int, name: str, behind: Token | None) -> None:
        table = self.table
        base = self.tokens[self._index_before(self._index_before(at))] if at > 1 else None
        own = self._before(self._index_before(self._index_before(at))) if at > 2 else None
        if base is not None and base.kind == "name" and base.text in table.members and not self._is_joined(own):
            full = f"{base.text}.{name}"
            if full == "process.env":
                self._setting(at)
            elif name not in table.members[base.text]:
                raise Other
            if full in table.touches:
                self._touch(at, full)
            elif name in table.callbacks:
                self._callbacks(at, name)
            return
        if self._is(behind, "(") or not table.properties:
            known = name in table.methods or (self.records and self.met_records and name in RECORDS)
            if not known:
                raise Other
            if name in ("reduce", "inject") and self.language == "ruby":
                self._only_an_operator(at)
            if name in table.callbacks:
                self._callbacks(at, name)
            if name == "listen":
                self._port(at)
        elif name in table.refused:
            raise Other

    def _setting(self, at: int) -> None:
        """`process.env.PORT`: one variable, by its name, and only looked at."""
        joined, name, behind = (*self.tokens[at + 1 : at + 4], None, None, None)[:3]
        if not self._is(joined, ".") or name is None or name.text not in self.table.settings or self._is(behind, "="):
            raise Other

    def _port(self, at: int) -> None:
        first, *more = self._arguments(at + 1) if self._is(self._behind(at), "(") else [[]]
        if not is_port(first, self.tokens):
            raise Other
        if (
            more
            and not (len(more[0]) == 1 and more[0][0].kind == "text")
            and not is_function(more[0], self.table, self.language)
        ):
            raise Other

    def _is_joined(self, token: Token | None) -> bool:
        return token is not None and token.kind == "sign" and token.text in self.table.joins

    def _index_before(self, at: int) -> int:
        return next((i for i in range(at - 1, -1, -1) if self.tokens[i].kind != "line"), 0)

    def _only_an_operator(self, at: int) -> None:
        """`reduce(0, :+)`: a name there would be a method, and may be any."""
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        given = self.tokens[at + 2 : self.closing[at + 1]] if self._is(following, "(") else []
        is_bare = following is not None and (
            following.kind in ("text", "variable") or self._is(following, ":", "&", "*")
        )
        if is_bare or any(token.kind not in ("number", "sign") for token in given):
            raise Other

    def _call(self, at: int, name: str) -> None:
        if self.language == "perl" and name in ("print", "printf", "say") and self._is(self._behind(at), "{"):
            raise Other
        if name in self.table.callbacks:
            if not self._is(self._behind(at), "("):
                raise Other
            self._callbacks(at, name)
        if name == "library":
            given = [token.text for token in self.tokens[at + 1 : at + 4]]
            if len(given) < 3 or given[::2] != ["(", ")"] or given[1] not in LIBRARIES["Rscript"]:
                raise Other

    def _touch(self, at: int, full: str) -> None:
        """A function that touches a place: the first argument must be there, and plain to see."""
        behind = self.tokens[at + 1 : at + 4]
        role = self.table.touches[full]
        if role == "read" and self._is_input(behind):
            self.is_fed = True
            return
        if len(behind) == 3 and behind[1].kind == "name" and self.language == "node":
            uses = {"log", *[name.rpartition(".")[2] for name in self.table.touches]}
            behind[1:2] = set_to(behind[1].text, self.tokens, uses) or _nothing()
        if len(behind) == 3 and self._is(behind[0], "(") and behind[1].kind == "text" and self._is(behind[2], ",", ")"):
            text = behind[1].text
            one = self._is(behind[2], ")")
            if "\\" in text or not text or "\n" in text or text[0] == "|" or (full == "fetch" and not one):
                raise Other
            if (
                "$" in text
                or ("://" in text) is not (role == "fetch")
                or text[:5].lower().startswith(("php:", "data:", "phar:"))
                or (role in _CHANGES and ":" in text)
            ):
                raise Other
            if role != "fetch" and self.language != "Rscript" and not are_harmless(role, self._arguments(at + 1)[1:]):
                raise Other
            self.is_fed = self.is_fed or text.startswith(("/dev/", "/proc/"))
            self.places.append((role, text))
            if full.rpartition(".")[2] in self.table.callbacks:
                self._callbacks(at, full.rpartition(".")[2])
        elif role == "list" and len(behind) > 1 and self._is(behind[0], "(") and self._is(behind[1], ")"):
            self.places.append((role, "."))
        else:
            raise Other

    def _is_input(self, behind: list[Token]) -> bool:
        """`readFileSync(0)`: what the code is fed, which the command line says already."""
        return (
            len(behind) == 3
            and self._is(behind[0], "(")
            and (behind[1].kind, behind[1].text) in self.table.stdin
            and self._is(behind[2], ",", ")")
        )

    def _callbacks(self, at: int, name: str) -> None:
        """What is called with what the function finds must be an inline function, or one of the table by its name."""
        start = at + 1
        if not self._is(self.tokens[start] if start < len(self.tokens) else None, "("):
            return
        arguments = self._arguments(start)
        if any(part and self._is(part[0], "...") for part in arguments):
            raise Other  # nobody knows which of them stands where
        if name == "parse" and len(arguments) > 1:
            raise Other  # what it stores has names that nobody knows
        if self.language == "Rscript" and any(
            len(part) > 1 and part[0].kind == "name" and self._is(part[1], "=") for part in arguments
        ):
            raise Other
        for place in self.table.callbacks[name]:
            if (
                place < len(arguments)
                and arguments[place]
                and not is_function(arguments[place], self.table, self.language)
            ):
                raise Other

    def _arguments(self, start: int) -> list[list[Token]]:
        parts: list[list[Token]] = [[]]
        at, end = start + 1, self.closing[start]
        while at < end:
            token = self.tokens[at]
            if self._is(token, ","):
                parts.append([])
            elif token.kind == "sign" and token.text in PAIRS:
                parts[-1] += self.tokens[at : self.closing[at] + 1]
                at = self.closing[at]
            elif token.kind != "line":
                parts[-1].append(token)
            at += 1
        return parts

    # --- signs and variables ---

    def _sign(self, at: int, token: Token) -> None:
        before, behind, sign = self._before(at), self._behind(at), token.text
        if sign == "(":
            self._opened(at, before)
        elif (
            sign in ("$", "@", "\\", "#", "~")
            and not (sign in self.table.joins or self.language in ("Rscript", "perl", "lua"))
        ) or (sign == "?." and not (behind is not None and behind.kind == "name")):
            raise Other
        elif sign == "[" and self.language == "node":
            if self._is(before, "{") or (self._is(before, ",") and self._around(at) == "{"):
                raise Other  # a key that is computed
            key = [part for part in self.tokens[at + 1 : self.closing[at]] if part.kind != "line"]
            if key and key[0].kind == "text" and (key[0].text in self.table.refused or "\\" in key[0].text):
                raise Other
        elif sign in (":", ".") and sign in self.table.joins and behind is not None and behind.kind != "name":
            raise Other
        elif sign == "&" and self.language in ("ruby", "perl") and not self._is(behind, ":"):
            if behind is None or behind.kind in ("name", "variable", "text") or self._is(behind, "{", "("):
                raise Other
        elif sign == "&" and self.language == "ruby" and self.tokens[at + 1 : at + 3][-1].kind != "name":
            raise Other  # `&:"name"`
        elif self.language == "perl":
            self._perl_sign(at, sign, before, behind)

    def _opened(self, at: int, before: Token | None) -> None:
        if before is None or before.kind == "line":
            return
        if before.kind in ("variable", "text", "number", "pattern", "data"):
            raise Other
        if before.kind == "sign":
            if before.text in (")", "]", "}", "->", "?.", "&.") or (before.text in self.table.joins):
                raise Other
        elif before.text in self.bound and not self._is_joined(self._before(self._index_before(at))):
            raise Other

    def _perl_sign(self, at: int, sign: str, before: Token | None, behind: Token | None) -> None:
        valued = is_value(before) and not (before is not None and before.kind == "name")
        if sign == "->" and not self._is(behind, "[", "{"):
            raise Other
        if sign in ("*", "<", "<=", "\\") and not valued:
            raise Other
        if (
            sign in ("$", "@", "%")
            and not valued
            and not (self._is(behind, "{") and at + 2 < len(self.tokens) and self.tokens[at + 2].kind == "variable")
        ):
            raise Other
        if sign == "\\" or (sign == "-" and behind is not None and behind.kind == "name"):
            raise Other

    def _variable(self, at: int, token: Token) -> None:
        name = token.text.lstrip("$@%#")
        if self.language == "php" and (name.startswith("_") or name == "GLOBALS"):
            raise Other
        if self.language == "perl" and name in ("ENV", "INC", "SIG"):
            raise Other
        if self.language == "ruby" and token.text[0] == "$" and name not in _RUBY_GLOBALS and not name.isdigit():
            raise Other


def _nothing() -> list[Token]:
    raise Other


def _named(token: Token) -> Token:
    """`$stdin` is `STDIN`, unless the code gives it another value, which no constant gets here."""
    return token.replace(kind="name", text="STDIN") if token.text == "$stdin" and token.kind == "variable" else token
