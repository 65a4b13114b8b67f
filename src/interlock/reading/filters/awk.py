"""A program of awk: what it reads, writes and runs, read by tokens.

`/` begins a regular expression where an operand is due and divides elsewhere; where gawk, mawk, the original awk and
busybox disagree on that, the program is unread. They also disagree on whether a `/` in brackets ends an expression:
both are read. A file or command counts only as one literal string; one that is put together is unread.
"""

from __future__ import annotations

from . import Broken, Filter, Unread, either

__all__ = ["read_awk"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions that only compute. `close` and `fflush` end what another word began.
_PURE = _set(
    "atan2 cos sin exp log sqrt int rand srand gsub sub gensub index length match split patsplit sprintf substr "
    "tolower toupper close fflush strftime systime mktime asort asorti and or xor compl lshift rshift strtonum isarray "
    "typeof"
)
_BEFORE_OPERAND = _set("print printf return exit case in else do delete if while for switch function func")
_ALONE = _set("next nextfile break continue default BEGIN END BEGINFILE ENDFILE getline")  # no operand, no division
_HEADS = _set("if while for switch")  # what follows their parentheses is a statement
_STARTS = frozenset(
    ("(", "{", ";", "&&", "||", "\n")
)  # before a command whose output is read: nothing that it is joined to
_ENDS = frozenset((")", "}", ";", ",", "&&", "||", "\n", ""))  # behind the name of a file or a command
_LONG_MARKS = ("**=", "||", "&&", ">>", ">=", "<=", "==", "!=", "|&", "++", "--", "+=", "-=", "*=", "%=", "^=", "**",
               "!~")  # fmt: skip
_OPERAND = "operand"  # what stands before a `/` that divides
_HEAD = "head"  # `if (…)`: gawk takes a `/` here for an expression, mawk for a division
_STREAMS = _set("/dev/stdout /dev/stderr /dev/null /dev/stdin")
_UNREAD_NAMES = {
    **dict.fromkeys(("ARGV", "SYMTAB", "FUNCTAB"), "an awk program that may change which files it reads"),
    "extension": "an awk program that loads code",
}


class _Token:
    """`kind`: string, regex, number, name, call (a name and at once a parenthesis), mark.

    `value` is what a string holds; one with an escape in it has none.
    """

    __slots__ = ("kind", "text", "value")

    def __init__(self, kind: str, text: str, value: str | None = None) -> None:
        self.kind = kind
        self.text = text
        self.value = value


def read_awk(program: str) -> Filter:
    return either([_read(program, brackets) for brackets in (True, False)])


def _read(program: str, brackets: bool) -> Filter | None:
    try:
        return _judged(_tokens(program, brackets))
    except Broken:
        return None
    except Unread as why:
        return Filter(unread=str(why))


def _tokens(text: str, brackets: bool) -> list[_Token]:
    found: list[_Token] = []
    opened: list[tuple[str, str]] = []  # parentheses and brackets that are open, and what stands before each
    before = ""  # the last token as far as a `/` cares: an operand, a head, or itself
    at = 0
    while at < len(text):
        char = text[at]
        if char in " \t":
            at += 1
        elif char == "\\":
            if text[at + 1 : at + 2] != "\n":
                raise Unread("a backslash in an awk program")
            at += 2
        elif char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif char == "\n":
            if opened and before == _OPERAND:
                raise Unread("a line of an awk program that ends inside parentheses")
            found.append(_Token("mark", char))
            before, at = char, at + 1
        elif char == '"':
            end = _past_string(text, at)
            inside = text[at + 1 : end - 1]
            found.append(_Token("string", text[at:end], None if "\\" in inside else inside))
            before, at = _OPERAND, end
        elif char == "/" and before != _OPERAND:
            if before == _HEAD or before in _ALONE or before in _PURE:
                raise Unread("an awk program in which a `/` may divide or begin an expression")
            end = _past_regex(text, at, brackets)
            found.append(_Token("regex", text[at:end]))
            before, at = _OPERAND, end
        elif char in "0123456789" or (char == "." and text[at + 1 : at + 2] in tuple("0123456789")):
            end = _past_number(text, at)
            found.append(_Token("number", text[at:end]))
            before, at = _OPERAND, end
        elif _is_letter(char):
            end = at
            while end < len(text) and (_is_letter(text[end]) or text[end] in "0123456789"):
                end += 1
            word = text[at:end]
            found.append(_Token("call" if text[end : end + 1] == "(" else "name", word))
            special = word in _BEFORE_OPERAND or word in _ALONE or word in _PURE
            before, at = word if special else _OPERAND, end
        elif not " " < char < "\x7f" or char in "@'`":
            raise Unread(f"a character in an awk program that is not read: {char!r}")
        else:
            mark = next((mark for mark in _LONG_MARKS if text.startswith(mark, at)), char)
            if mark in ("(", "["):
                opened.append((mark, before))
            elif mark in (")", "]"):
                opening, name = opened.pop() if opened else ("", "")
                if opening + mark not in ("()", "[]"):
                    raise Broken
                before = _HEAD if name in _HEADS else _OPERAND
            found.append(_Token("mark", mark))
            if mark in ("++", "--"):
                before = before if before == _OPERAND else _HEAD  # behind a variable it belongs to that
            elif mark not in (")", "]"):
                before = mark
            at += len(mark)
    if opened:
        raise Broken
    return found


def _is_letter(char: str) -> bool:
    return "a" <= char <= "z" or "A" <= char <= "Z" or char == "_"


def _past_string(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\n":
            raise Unread("a string of an awk program that goes over a line")
        at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        raise Broken
    return at + 1


def _past_regex(text: str, at: int, brackets: bool) -> int:
    at += 1
    inside = odd = False
    while at < len(text):
        char = text[at]
        if char == "\n" or (char == "\\" and text[at + 1 : at + 2] == "\n"):
            raise Unread("an expression of an awk program that goes over a line")
        if char == "/" and not (inside and brackets):
            return at + 1
        if char == "/" and odd:
            raise Unread("an expression of an awk program whose brackets are read in several ways")
        if char == "[":
            odd = odd or inside or text[at + 1 : at + 2] == "]" or text[at + 1 : at + 3] == "^]"
            inside = True
        elif char == "]" and not odd:
            inside = False
        elif char == "\\":
            # For some it is itself in brackets, for others it takes what follows: only a bracket makes a difference.
            # A slash behind it ends the expression for none.
            odd = odd or (inside and text[at + 1 : at + 2] in ("[", "]"))
            at += 1
        at += 1
    if odd and brackets:
        raise Unread("an expression of an awk program whose brackets are read in several ways")
    raise Broken


def _past_number(text: str, at: int) -> int:
    while at < len(text) and text[at] in "0123456789.":
        at += 1
    if text[at : at + 1] in ("e", "E"):
        digits = at + 2 if text[at + 1 : at + 2] in ("+", "-") else at + 1
        if text[digits : digits + 1] in tuple("0123456789"):
            at = digits
            while at < len(text) and text[at] in "0123456789":
                at += 1
    if at < len(text) and (_is_letter(text[at]) or text[at] == "."):
        raise Unread("a number of an awk program that is read in several ways")
    return at


def _judged(tokens: list[_Token]) -> Filter:
    made: dict[str, list[str]] = {name: [] for name in ("reads", "writes", "runs", "feeds", "environment")}
    own = {tokens[i + 1].text for i, token in enumerate(tokens[:-1]) if token.text in ("function", "func")}
    depth = 0
    printing = -1  # the depth at which a statement prints: there `>` and `|` write
    lines = False  # a `getline` came in this statement: from here on `<` reads a file
    for i, token in enumerate(tokens):
        text = token.text
        if token.kind in ("name", "call"):
            if text in _UNREAD_NAMES:
                raise Unread(_UNREAD_NAMES[text])
            if text == "system":
                made["runs"].append(_argument(tokens, i))
            elif text == "ENVIRON":
                made["environment"].append(_key(tokens, i))
            elif text == "getline":
                lines = True
            elif text in ("print", "printf"):
                printing = depth
            elif token.kind == "call" and text not in own and text not in _PURE and text not in _WORDS:
                raise Unread(f"it is unclear what `{text[:40]}` does in an awk program")
        elif token.kind == "mark":
            if text in ("(", "["):
                depth += 1
            elif text in (")", "]"):
                depth -= 1
            elif text in ("{", "}", ";") or (text == "\n" and _at(tokens, i - 1) not in _GOES_ON):
                if depth == 0:
                    printing, lines = -1, False
            elif text == "|&":
                raise Unread("an awk program that talks to another program or machine")
            elif text == "|":
                if _at(tokens, i + 1) == "getline":
                    made["runs"].append(_command_before(tokens, i))
                else:
                    made["feeds"].append(_literal(tokens, i + 1))
            elif text in (">", ">>") and printing >= 0:
                if depth == printing:
                    _add(made, "writes", _literal(tokens, i + 1))
                elif text == ">>" or _in_brackets(tokens, i):
                    raise Unread("an awk program in which a `>` may write a file")
            elif text == ">>":
                raise Unread("an awk program in which a `>` may write a file")
            elif text == "<" and lines:
                _add(made, "reads", _literal(tokens, i + 1))
    return Filter().replace(**{name: tuple(dict.fromkeys(values)) for name, values in made.items()})


_WORDS = _BEFORE_OPERAND | _ALONE | {"getline", "print", "printf"}
_GOES_ON = frozenset((",", "&&", "||", "?", ":"))


def _at(tokens: list[_Token], at: int) -> str:
    """The token as written; empty outside the program."""
    return tokens[at].text if 0 <= at < len(tokens) else ""


def _in_brackets(tokens: list[_Token], at: int) -> bool:
    depth = 0
    while at > 0 and depth >= 0:
        at -= 1
        depth += {"]": 1, ")": 1, "[": -1, "(": -1}.get(tokens[at].text, 0) if tokens[at].kind == "mark" else 0
    return tokens[at].text == "["


def _literal(tokens: list[_Token], at: int) -> str:
    """A string that stands alone, in parentheses or not."""
    token = tokens[at] if at < len(tokens) else None
    if token is not None and token.text == "(" and _at(tokens, at + 2) == ")":
        token, at = tokens[at + 1], at + 2
    if token is None or token.kind != "string" or not token.value or _at(tokens, at + 1) not in _ENDS:
        raise Unread("an awk program that puts the name of a file or command together")
    return token.value


def _argument(tokens: list[_Token], at: int) -> str:
    """`system("command")`."""
    if _at(tokens, at + 1) == "(" and _at(tokens, at + 3) == ")" and tokens[at + 2].value:
        return str(tokens[at + 2].value)
    raise Unread("an awk program that puts a command together")


def _command_before(tokens: list[_Token], at: int) -> str:
    """`"command" | getline`."""
    if at and tokens[at - 1].value and (at == 1 or _at(tokens, at - 2) in _STARTS):
        return str(tokens[at - 1].value)
    raise Unread("an awk program that puts a command together")


def _key(tokens: list[_Token], at: int) -> str:
    """`ENVIRON["NAME"]`; all of it where another form is used."""
    if _at(tokens, at + 1) == "[" and _at(tokens, at + 3) == "]" and tokens[at + 2].value:
        return str(tokens[at + 2].value)
    return ""


def _add(made: dict[str, list[str]], how: str, name: str) -> None:
    if name.startswith(("/inet", "/dev/fd", "/dev/tcp", "/dev/udp", "/p/")):
        raise Unread("an awk program that opens a connection or a descriptor")
    if name not in _STREAMS or (name == "/dev/stdin" and how == "writes"):
        made[how].append(name)
