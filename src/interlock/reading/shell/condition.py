"""`[[ … ]]`: tests joined by `&&`, `||`, `!` and parentheses.

Inside it words are neither split nor expanded into several; the right side of `=~` is a regular
expression in which `(` and `|` are ordinary, and patterns may use `@(a|b)` and its kin whether or not
extglob is on.
"""

from __future__ import annotations

from . import expansion, quotes
from .heredoc import skip_newlines
from .state import BREAK, END, Rejoin, State, Unreadable, not_split, skip_blanks
from .syntax import ExtGlob, Lit, Test, Word
from .tilde import leading_tilde
from .words import is_number, no_newline_while_pending, plain_text, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = ["BINARY", "GLOB_OPS", "PATTERN", "REGEX", "UNARY", "read_cond_word", "read_condition"]

UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
BINARY = frozenset(("=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"))
GLOB_OPS = frozenset("?*+@!")
PATTERN = 0
REGEX = 1


def read_condition(state: State) -> Test:
    """From behind `[[` to behind `]]`."""
    test = _read_or(state)
    i = skip_newlines(state)
    if not _at_end(state.text, i):
        raise Unreadable(f"`{shown(state.text[i])}` in [[ ]]", i)
    state.pos = i + 2
    return test


def _at_end(text: str, i: int) -> bool:
    if not text.startswith("]]", i):
        return False
    if text[i + 2] == "\\" and text[i + 3] == "\n":
        raise Rejoin(i + 2)
    return text[i + 2] in BREAK and text[i + 2] not in "'\"$`\\"


def _read_or(state: State) -> Test:
    return _read_joined(state, "||")


def _read_joined(state: State, op: str) -> Test:
    text = state.text
    start = state.pos
    left = _read_joined(state, "&&") if op == "||" else _read_term(state)
    operands: list[Test | Word] = [left]
    while True:
        i = skip_newlines(state)
        if text[i] in "&|":
            not_split(text, i + 1)
        if not text.startswith(op, i):
            break
        state.pos = i + 2
        operands.append(_read_joined(state, "&&") if op == "||" else _read_term(state))
    if len(operands) == 1:
        return left
    return Test(op, operands, (start, state.pos))


def _read_term(state: State) -> Test:
    text = state.text
    state.budget.spend(1)
    start = skip_newlines(state)
    if _at_end(text, start):
        raise Unreadable("a test is missing in [[ ]]", start)
    if text[start] == "(":
        state.deeper()
        state.pos = start + 1
        inner = _read_or(state)
        if text[skip_newlines(state)] != ")":
            raise Unreadable("a parenthesis in [[ ]] is not closed", start)
        state.pos += 1
        state.depth -= 1
        return Test("(", [inner], (start, state.pos))
    word = read_cond_word(state, PATTERN)
    plain = plain_text(word)
    if plain == "!":
        state.deeper()
        inner = _read_term(state)
        state.depth -= 1
        return Test("!", [inner], (start, state.pos))
    i = skip_blanks(state)
    if plain in UNARY:
        if _at_end(text, i):
            raise Unreadable("a test without its operand", start)
        operand = read_cond_word(state, PATTERN)
        return Test(plain, [operand], (start, state.pos))
    c = text[i]
    if c == ")" or _at_end(text, i):
        return Test("", [word], word.span)
    if c in "&|":
        not_split(text, i + 1)
        if text[i + 1] != c:
            raise Unreadable("an operator in [[ ]]", i)
        return Test("", [word], word.span)
    if c == "<" or c == ">":
        not_split(text, i + 1)
        glued = i == word.span[1] and plain is not None and (is_number(plain) or plain[0] == "{")
        if glued or text[i + 1] in "<>&|(":  # `2>` is a redirection to bash even here
            raise Unreadable("an operator in [[ ]]", i)
        op = c
        state.pos = i + 1
    else:
        op = plain_text(read_cond_word(state, PATTERN)) or ""
        if op not in BINARY:
            raise Unreadable("an unknown test operator", i)
    i = skip_blanks(state)
    if _at_end(text, i):
        raise Unreadable("a test without its right side", start)
    right = read_cond_word(state, REGEX if op == "=~" else PATTERN)
    return Test(op, [word, right], (start, state.pos))


def read_cond_word(state: State, kind: int) -> Word:
    """A word inside `[[ ]]`, with the patterns or the regular expression that it may hold."""
    text = state.text
    start = i = state.pos
    parts: list[Part] = []
    while True:
        j = i
        while text[j] not in BREAK:
            j += 1
        c = text[j]
        if c == "(" and kind == PATTERN and j > i and text[j - 1] in GLOB_OPS:
            if j - 1 > i:
                parts.append(Lit(text[i : j - 1], False, (i, j - 1)))
            state.pos = j - 1
            parts.append(_read_ext_glob(state))
            i = state.pos
            continue
        if j > i:
            parts.append(Lit(text[i:j], False, (i, j)))
        state.pos = j
        if kind == REGEX and (c == "(" or c == "|"):
            if c == "|":
                parts.append(Lit("|", False, (j, j + 1)))
                state.pos = j + 1
            else:
                _read_regex_group(state, parts)
        elif (c == "<" or c == ">") and text[j + 1] == "(":
            parts.append(expansion.read_process_substitution(state))
        elif not _read_quoted_or_expanded(state, parts):
            break
        i = state.pos
    end = state.pos
    if end == start or text[start] == "#":  # here a `#` would start a comment
        raise Unreadable(f"`{shown(text[start])}` where a word is needed", start)
    if kind == REGEX and text[end] not in " \t\n)\\":
        raise Unreadable("an operator in a regular expression", end)
    no_newline_while_pending(state, start, end)
    return Word(leading_tilde(parts), (start, end))


def _read_quoted_or_expanded(state: State, parts: list[Part]) -> bool:
    """A quote, an escape or an expansion at `pos`; False if there is none."""
    text = state.text
    j = state.pos
    c = text[j]
    if c == '"':
        parts.append(quotes.read_double(state, j))
    elif c == "'":
        parts.append(quotes.read_single(state))
    elif c == "$":
        part = expansion.read_dollar(state, expansion.BARE)
        if part is None:
            part = Lit("$", False, (j, j + 1))
            state.pos = j + 1
        parts.append(part)
    elif c == "`":
        parts.append(expansion.read_backtick(state, expansion.BARE))
    elif c == "\\":
        if text[j + 1] == "\n":
            if text[j + 2] in " \t\n":
                return False
            raise Rejoin(j)
        if text[j + 1] == END:
            raise Unreadable("a backslash at the end", j)
        parts.append(Lit(text[j + 1], True, (j, j + 2)))
        state.pos = j + 2
    else:
        return False
    return True


def _read_regex_group(state: State, parts: list[Part]) -> None:
    """`(…)` in a regular expression, where blanks and operators are ordinary; bash only counts
    parentheses."""
    text = state.text
    opening = i = state.pos
    depth = 0
    while True:
        j = i
        while text[j] not in "()'\"$`\\" and text[j] != END:
            j += 1
        c = text[j]
        if c == "(" or c == ")":
            if c == "(" and text[j - 1] in "<>":
                raise Unreadable("process substitution in a group of a regular expression", j - 1)
            depth += 1 if c == "(" else -1
            i = j + 1
            if depth:
                continue
            parts.append(Lit(text[opening:i], False, (opening, i)))
            state.pos = i
            return
        if j > opening:
            parts.append(Lit(text[opening:j], False, (opening, j)))
        state.pos = j
        if not _read_quoted_or_expanded(state, parts) or (text[j + 1] == "(" and c == "$") or c == "`":
            # Substitutions inside the group: bash counts their parentheses without looking at their quotes.
            raise Unreadable("a substitution in a group of a regular expression", j)
        i = opening = state.pos


def _read_ext_glob(state: State) -> ExtGlob:
    """`@(a|b)`, from its operator."""
    text = state.text
    start = state.pos
    state.deeper()
    alternatives: list[Word] = []
    parts: list[Part] = []
    i = word_start = start + 2
    while True:
        j = i
        while text[j] not in "()|'\"$`\\" and text[j] != END:
            j += 1
        c = text[j]
        if c == "(":
            if j == i or text[j - 1] not in GLOB_OPS:
                raise Unreadable("a parenthesis in a pattern", j)
            if j - 1 > i:
                parts.append(Lit(text[i : j - 1], False, (i, j - 1)))
            state.pos = j - 1
            parts.append(_read_ext_glob(state))
            i = state.pos
            continue
        if j > i:
            parts.append(Lit(text[i:j], False, (i, j)))
        state.pos = j
        if c == "|" or c == ")":
            alternatives.append(Word(parts, (word_start, j)))
            parts = []
            i = word_start = j + 1
            if c == ")":
                break
            continue
        if not _read_quoted_or_expanded(state, parts) or (text[j + 1] == "(" and c == "$") or c == "`":
            raise Unreadable("a substitution in a group of a pattern", j)
        i = state.pos
    state.depth -= 1
    state.pos = i
    return ExtGlob(text[start], alternatives, (start, i))
