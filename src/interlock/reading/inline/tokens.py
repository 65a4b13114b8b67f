"""Code of a scripting language in tokens. Wherever two readers could disagree where a text ends, it is refused.

A language differs in its quotes, comments, sigils and in whether `/` may open a pattern; all of that is in its table.
What a text holds is skipped, but for code in it (`${…}` of JavaScript, `#{…}` of Ruby), whose tokens follow.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from .tables import Language

__all__ = ["PAIRS", "Other", "Token", "is_value", "matched", "tokens_of"]

PAIRS = {"(": ")", "[": "]", "{": "}"}

_SIGNS = (
    "===", "!==", "<=>", "...", "||=", "??=", "&&=",
    "**", "=>", "->", "<-", "::", "?.", "&.", "&&", "||", "==", "!=", "<=", ">=",
    "..", "++", "--", "|>", "=~", "!~", "??", "+=", "-=", "*=", ".=",
)  # fmt: skip
_ALONE = frozenset("+-*/%=<>!&|^~?:;,.()[]{}$@\\#")


class Other(Exception):
    """Something that is not on the list."""


class Token(Value):
    """`kind`: name, variable, text, number, pattern, sign, line or data. `glued`: nothing stands before it."""

    kind: str
    text: str
    glued: bool = False


def is_value(token: Token | None) -> bool:
    """Whether the token may end a value, so that an operator follows."""
    return token is not None and (
        token.kind in ("variable", "text", "number", "pattern", "data", "name") or token.text in (")", "]", "}")
    )


# Characters at which one language or another ends a line, and with it a comment.
_LINE_ENDS = frozenset("\0\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def tokens_of(code: str, language: Language) -> list[Token]:
    if any(mark in code for mark in language.refused_marks) or not _LINE_ENDS.isdisjoint(code):
        raise Other
    found: list[Token] = []
    if _scan(code, 0, found, language, inside=False) != len(code):
        raise Other
    return found


def _scan(code: str, at: int, found: list[Token], language: Language, *, inside: bool) -> int:
    """Up to the end, or, `inside` a text, up to the `}` that closes the code in it."""
    depth = 0
    while at < len(code):
        char = code[at]
        glued = at > 0 and not code[at - 1].isspace()
        if char == "\n":
            found.append(Token(kind="line", text="\n"))
            at += 1
        elif char in " \t":
            at += 1
        elif code.startswith(language.comments, at):
            end = code.find("\n", at)
            at = len(code) if end < 0 else end
        elif language.blocks and code.startswith("/*", at):
            end = code.find("*/", at + 2)
            if end < 0:
                raise Other
            at = end + 2
        elif char in language.quotes:
            if glued and found and found[-1].kind in ("name", "number", "variable"):
                raise Other  # `r"…"`, `f"…"`, `qq"…"`
            at = _text(code, at, found, language)
        elif char.isdigit() and char.isascii():
            end = at + 1
            while end < len(code) and (code[end].isalnum() or code[end] == "_" or _is_point(code, end)):
                end += 1
            found.append(Token(kind="number", text=code[at:end], glued=glued))
            at = end
        elif _starts_name(char, language):
            at = _name(code, at, found, language, glued)
        elif char in language.sigils and (end := _variable(code, at, found, language)) > at:
            found.append(Token(kind="variable", text=code[at:end], glued=glued))
            at = end
        elif char == "/" and language.patterns:
            at = _slash(code, at, found, language)
        else:
            sign = next((sign for sign in _SIGNS if code.startswith(sign, at)), char)
            if sign[0] not in _ALONE or not language.takes(sign):
                raise Other
            if language.odd_texts and sign in ("?", "%") and _opens_text(code, at, found, language):
                raise Other
            if inside and char in "{}":
                depth += 1 if char == "{" else -1
                if depth < 0:
                    return at
            found.append(Token(kind="sign", text=sign, glued=glued))
            at += len(sign)
    return at


def _opens_text(code: str, at: int, found: list[Token], language: Language) -> bool:
    """`?#` and `%-x-`: a character, and a text between any two signs, unless a value stands before it."""
    if code[at + 1 : at + 2].isspace():
        return False
    last = found[-1] if found else None
    is_word = last is not None and last.kind == "name" and last.text in language.words
    return code[at] == "?" or not is_value(last) or is_word or code[at - 1].isspace()


def _is_point(code: str, at: int) -> bool:
    return code[at] == "." and code[at + 1 : at + 2].isdigit() and "." not in code[at - 1]


def _starts_name(char: str, language: Language) -> bool:
    return char.isascii() and (char.isalpha() or char == "_" or char in language.letters)


def _name(code: str, at: int, found: list[Token], language: Language, glued: bool) -> int:
    end = at + 1
    while end < len(code) and code[end].isascii() and (code[end].isalnum() or code[end] in "_" + language.letters):
        end += 1
    if language.asks and code[end : end + 1] in ("?", "!") and code[end + 1 : end + 2] != "=":
        end += 1
    found.append(Token(kind="name", text=code[at:end], glued=glued))
    return end


def _variable(code: str, at: int, found: list[Token], language: Language) -> int:
    """`$name`, `@rows`, `%table`, `$#rows`; `at` itself if it is none."""
    if code[at] == "%" and found and is_value(found[-1]):
        return at
    end = at + (2 if code.startswith("$#", at) else 1)
    start = end
    while end < len(code) and code[end].isascii() and (code[end].isalnum() or code[end] == "_"):
        end += 1
    if end == start and code.startswith("$#", at):
        raise Other  # `$#{…}`, where `#` opens no comment
    return end if end > start else at


def _text(code: str, at: int, found: list[Token], language: Language) -> int:
    quote = code[at]
    if quote == "`" and found and is_value(found[-1]) and found[-1].text not in language.words:
        raise Other  # a function that is called with the text
    parts: list[Token] = []
    start = end = at + 1
    while code[end : end + 1] != quote:
        if end >= len(code) or (code[end] == "\n" and quote != "`" and not language.long_texts):
            raise Other
        if code[end] == "\\":
            end += 2
        elif quote in language.filled and code.startswith(language.opens, end):
            parts += (Token(kind="text", text=code[start:end]), _PLUS, _OPEN)
            end = _scan(code, end + 2, parts, language, inside=True)
            if code[end : end + 1] != "}":
                raise Other
            parts += (_CLOSE, _PLUS)
            end = start = end + 1
        else:
            end += 1
    text = Token(kind="text", text=code[start:end])
    if quote in language.spliced and not _is_plainly_filled(text.text, language.sigils, ""):
        raise Other
    found += (_OPEN, *parts, text, _CLOSE) if parts else (text,)
    return end + 1


_OPEN, _CLOSE, _PLUS = (Token(kind="sign", text=sign) for sign in "()+")


def _is_plainly_filled(text: str, sigils: str, ends: str) -> bool:
    """`"$name"` and nothing that holds code: no `${…}`, `{$…}`, `@{…}`, `$a[…]`, `$a->…`, and in Perl no `$.[…]`: a
    `$` without a name stands at the end there, or before one of `ends`.
    """
    if "{$" in text:
        return False
    is_perl = "@" in sigils
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        end = at + 1
        if text[at] in sigils and text[at] != "%":
            while text[end : end + 1].isalnum() or text[end : end + 1] == "_":
                end += 1
            behind = text[end : end + 1]
            if end == at + 1 and is_perl:
                # `$.` is the number of the line; with a bracket or an arrow behind it, what is in there is run
                if behind and (behind not in ends + "." or text[end + 1 : end + 2] in ("[", "{", "-")):
                    return False
            elif end == at + 1:
                if behind not in ("", ")", "|", " ", ".") and not (text[at] == "@" and behind not in ("{", "$", "[")):
                    return False
            elif behind in ("[", "{", "-", "'") or text.startswith("::", end) or text[at - 1 : at] == "{":
                return False
        at = end
    return True


def _slash(code: str, at: int, found: list[Token], language: Language) -> int:
    last = next((token for token in reversed(found) if token.kind != "line"), None)
    if last is None or (last.kind == "sign" and last.text not in (")", "]", "}", "++", "--")):
        return _pattern(code, at, found, language)
    if last.kind == "name" and not _is_asked(found, language):
        if last.text in language.before_patterns:
            return _pattern(code, at, found, language)
        if last.text in language.words and last.text not in language.values:
            raise Other  # `void /'/`, `else /'/`: the word says which, and not all of them are known
    spaced = code[at - 1 : at] == " " and code[at + 1 : at + 2] == " "
    sure = last.kind in ("number", "variable", "text") or last.text == "]"
    sure = sure or (last.text == ")" and language.divides_after_parentheses)
    named = last.kind == "name" and language.divides_names != ""
    sure = sure or (named and (spaced or language.divides_names == "always"))
    if not sure or code[at + 1 : at + 2] in ("/", "*", "="):
        raise Other
    found.append(Token(kind="sign", text="/"))
    return at + 1


def _is_asked(found: list[Token], language: Language) -> bool:
    """`x.of`: the last name is no word there, but what a value is asked for."""
    tokens = [token for token in found if token.kind != "line"]
    return len(tokens) > 1 and tokens[-2].kind == "sign" and tokens[-2].text in language.joins


def _pattern(code: str, at: int, found: list[Token], language: Language) -> int:
    end, inside = at + 1, False
    while code[end : end + 1] != "/" or inside:
        if end >= len(code) or code[end] == "\n":
            raise Other
        if code[end] == "\\":
            end += 1
        elif language.classes_hold_slashes and code[end] in "[]":
            inside = code[end] == "["
        elif code[end] == "[" and "/" in code[end : code.find("]", end) + 1]:
            raise Other  # where it ends depends on the language
        end += 1
    text = code[at + 1 : end]
    if any(mark in text for mark in ("#{", "#@", "#$", "(?{", "(??", "@{", "${", "$(")):
        raise Other
    if language.spliced and not _is_plainly_filled(text, language.sigils, ")|"):
        raise Other
    end += 1
    while code[end : end + 1].isalpha():
        if code[end] not in "dgimsuyx":
            raise Other
        end += 1
    found.append(Token(kind="pattern", text=text))
    return end


def matched(tokens: list[Token]) -> dict[int, int]:
    """Where each bracket closes; brackets that do not match are refused."""
    found: dict[int, int] = {}
    left: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in PAIRS:
            left.append(at)
        elif token.text in PAIRS.values():
            if not left or PAIRS[tokens[left[-1]].text] != token.text:
                raise Other
            found[left.pop()] = at
    if left:
        raise Other
    return found
