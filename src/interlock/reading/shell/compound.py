"""Compound commands: groups, loops, choices, functions, coprocesses.

Each reader starts at its first word, checks every word that bash would require, and takes the
redirections behind.
"""

from __future__ import annotations

from . import arithmetic, commands, condition
from .heredoc import skip_newlines
from .redirect import is_variable, read_redirect
from .state import BREAK, COMMAND_END, WORD_END, Rejoin, State, Unreadable, is_name, not_split, skip_blanks
from .syntax import (
    Arith,
    Branch,
    Case,
    CaseItem,
    Cond,
    Coproc,
    For,
    ForArith,
    FunctionDef,
    Group,
    If,
    Redirect,
    Subshell,
    While,
    Word,
)
from .words import is_number, plain_text, read_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .syntax import Assign, Command, Compound

FUNCTION_NAME_STOPS = frozenset("{}=*?[]~!")


def read_redirects(state: State) -> list[Redirect]:
    """The redirections behind a compound command. Behind them only a separator may stand."""
    text = state.text
    end = state.pos
    found: list[Redirect] = []
    while True:
        i = skip_blanks(state)
        c = text[i]
        j = i
        if c == "<" or c == ">":
            not_split(text, i + 1)
        elif c == "&":
            not_split(text, i + 1)
            if text[i + 1] != ">":
                break
        else:
            while text[j] not in BREAK:
                j += 1
            if (text[j] != "<" and text[j] != ">") or not (is_number(text[i:j]) or is_variable(text[i:j])):
                break
        if text[j + 1] == "(":
            break
        state.pos = j
        found.append(read_redirect(state, i))
        end = state.pos
    if found and text[state.pos] not in COMMAND_END:
        raise Unreadable("text behind the redirections of a compound command", state.pos)
    state.pos = end
    return found


def expect(state: State, word: str, opened: int) -> None:
    """Move over the reserved word that must stand here."""
    i = skip_blanks(state)
    if commands.reserved_at(state, i) != word:
        raise Unreadable(f"`{word}` is missing", opened)
    state.pos = i + len(word)


def body_until(state: State, opened: int) -> list[Command]:
    """A list that must not be empty."""
    body = commands.read_list(state)
    if not body:
        raise Unreadable("a list of commands is empty", opened)
    return body


def read_parens(state: State) -> Command:
    """`((…))` or `(…)`."""
    start = state.pos
    text = state.text
    not_split(text, start + 1)
    state.deeper()
    if text[start + 1] == "(":
        parts = arithmetic.read_double_parens(state)
        if parts is not None:
            state.depth -= 1
            redirects = read_redirects(state)
            return Arith(parts, redirects, (start, state.pos))
    state.pos = start + 1
    body = body_until(state, start)
    if text[state.pos] != ")":
        raise Unreadable("a subshell is not closed", start)
    state.pos += 1
    state.depth -= 1
    redirects = read_redirects(state)
    return Subshell(body, redirects, (start, state.pos))


def read_group(state: State) -> Group:
    start = state.pos
    state.deeper()
    state.pos = start + 1
    body = body_until(state, start)
    expect(state, "}", start)
    state.depth -= 1
    redirects = read_redirects(state)
    return Group(body, redirects, (start, state.pos))


def read_if(state: State) -> If:
    start = opened = state.pos
    state.deeper()
    branches: list[Branch] = []
    orelse: list[Command] = []
    state.pos += 2
    while True:
        condition_body = body_until(state, start)
        expect(state, "then", start)
        body = body_until(state, start)
        branches.append(Branch(condition_body, body, (opened, state.pos)))
        opened = skip_blanks(state)
        word = commands.reserved_at(state, opened)
        if word == "elif":
            state.pos = opened + 4
            continue
        if word == "else":
            state.pos = opened + 4
            orelse = body_until(state, start)
        expect(state, "fi", start)
        break
    state.depth -= 1
    redirects = read_redirects(state)
    return If(branches, orelse, redirects, (start, state.pos))


def read_while(state: State) -> While:
    start = state.pos
    until = state.text[start] == "u"
    state.deeper()
    state.pos += 5
    test = body_until(state, start)
    body = _do_body(state, start)
    state.depth -= 1
    redirects = read_redirects(state)
    return While(test, body, until, redirects, (start, state.pos))


def _do_body(state: State, start: int) -> list[Command]:
    expect(state, "do", start)
    body = body_until(state, start)
    expect(state, "done", start)
    return body


def _loop_body(state: State, start: int) -> list[Command]:
    """`do … done`, or the `{ … }` that bash also takes behind `for` and `select`."""
    if commands.reserved_at(state, state.pos) != "{":
        return _do_body(state, start)
    state.pos += 1
    body = body_until(state, start)
    expect(state, "}", start)
    return body


def read_for(state: State) -> For | ForArith:
    start = state.pos
    text = state.text
    state.deeper()
    menu = text[start] == "s"
    state.pos += 6 if menu else 3
    i = skip_blanks(state)
    not_split(text, i + 1)
    if text.startswith("((", i) and not menu:
        return _read_for_arith(state, start)
    name = plain_text(read_word(state, False))
    if name is None or not is_name(name):
        raise Unreadable("a loop without a plain name", i)
    words: list[Word] | None = None
    i = skip_blanks(state)
    if text[i] == ";":
        not_split(text, i + 1)
        state.pos = i + 1
        skip_newlines(state)
    else:
        skip_newlines(state)
        if commands.reserved_at(state, state.pos) == "in":
            state.pos += 2
            words = _loop_words(state)
    body = _loop_body(state, start)
    state.depth -= 1
    redirects = read_redirects(state)
    return For(name, words, body, menu, redirects, (start, state.pos))


def _loop_words(state: State) -> list[Word]:
    """The words behind `in`, and the separator that must follow them."""
    text = state.text
    words: list[Word] = []
    while True:
        i = skip_blanks(state)
        c = text[i]
        if c == ";":
            not_split(text, i + 1)
            if text[i + 1] in ";&":
                raise Unreadable("`;;` in a loop", i)
            state.pos = i + 1
            break
        if c == "\n" or c == "#":
            break
        words.append(read_word(state, True))
        if text[state.pos] in "<>":
            raise Unreadable("a redirection in the words of a loop", state.pos)
    skip_newlines(state)
    return words


def _read_for_arith(state: State, start: int) -> ForArith:
    init, test, step = arithmetic.read_for_expressions(state)
    if "$[" in state.text[start : state.pos]:  # bash cuts at a semicolon inside it, and then refuses the whole
        raise Unreadable("`$[` in the head of a loop", start)
    i = skip_blanks(state)
    if state.text[i] == ";":
        not_split(state.text, i + 1)
        state.pos = i + 1
    skip_newlines(state)
    body = _loop_body(state, start)
    state.depth -= 1
    redirects = read_redirects(state)
    return ForArith(init, test, step, body, redirects, (start, state.pos))


def read_case(state: State) -> Case:
    start = state.pos
    state.deeper()
    state.pos += 4
    skip_blanks(state)
    word = read_word(state, False)
    skip_newlines(state)
    expect(state, "in", start)
    items: list[CaseItem] = []
    while True:
        i = skip_newlines(state)
        if commands.reserved_at(state, i) == "esac":
            break
        items.append(_read_case_item(state))
        if not items[-1].end:
            break
    expect(state, "esac", start)
    state.depth -= 1
    redirects = read_redirects(state)
    return Case(word, items, redirects, (start, state.pos))


def _read_case_item(state: State) -> CaseItem:
    text = state.text
    start = state.pos
    if text[start] == "(":
        state.pos += 1
        skip_blanks(state)
    patterns: list[Word] = []
    while True:
        pattern = read_word(state, False)
        if plain_text(pattern) == "esac":
            raise Unreadable("`esac` as a pattern", pattern.span[0])
        patterns.append(pattern)
        i = skip_blanks(state)
        c = text[i]
        if c != "|" and c != ")":
            raise Unreadable("a pattern is not closed", pattern.span[0])
        state.pos = i + 1
        if c == ")":
            break
        not_split(text, i + 1)
        if text[i + 1] in "|&":
            raise Unreadable("an operator in a pattern", i)
        skip_blanks(state)
    body = commands.read_list(state)
    i = state.pos
    end = ""
    if text[i] == ";":
        not_split(text, i + 1)
        not_split(text, i + 2)
        for end in (";;&", ";;", ";&"):
            if text.startswith(end, i):
                break
        else:
            raise Unreadable("`;` is not expected here", i)
        state.pos = i + len(end)
    return CaseItem(patterns, body, end, (start, state.pos))


def read_condition(state: State) -> Cond:
    start = state.pos
    state.deeper()
    state.pos += 2
    test = condition.read_condition(state)
    if state.pending:
        raise Unreadable("[[ ]] behind a here-document on the same line", start)
    state.depth -= 1
    redirects = read_redirects(state)
    return Cond(test, redirects, (start, state.pos))


def read_function(state: State) -> FunctionDef:
    """`function name [()] body`."""
    start = state.pos
    text = state.text
    state.pos += 8
    i = skip_blanks(state)
    if text[i] == "#":
        raise Unreadable("a function without a name", start)
    name = _function_name(read_word(state, False))
    i = skip_blanks(state)
    if text[i] == "(":
        not_split(text, i + 1)
        if text[i + 1] != "(":
            state.pos = i + 1
            if text[skip_blanks(state)] != ")":
                raise Unreadable("a function whose body is a subshell without `()`", start)
            state.pos += 1
    return _function_body(state, name, start)


def read_function_parens(
    state: State, start: int, assigns: list[Assign], words: list[Word], redirects: list[Redirect]
) -> FunctionDef:
    """`name () body`, once `(` has been met behind the first word."""
    i = skip_blanks(state)
    if assigns or redirects or len(words) != 1:
        raise Unreadable("`(` is not expected here", i)
    name = _function_name(words[0])
    state.pos = i + 1
    if state.text[skip_blanks(state)] != ")":
        raise Unreadable("`(` is not expected here", i)
    state.pos += 1
    return _function_body(state, name, start)


def _function_name(word: Word) -> str:
    name = plain_text(word)
    if name is None or any(c in FUNCTION_NAME_STOPS for c in name) or is_number(name):
        raise Unreadable("a function name that is not plain", word.span[0])
    return name


def _function_body(state: State, name: str, start: int) -> FunctionDef:
    skip_newlines(state)
    state.deeper()
    body = _compound_here(state)
    if body is None:
        raise Unreadable("a function without a compound body", start)
    state.depth -= 1
    return FunctionDef(name, body, (start, state.pos))


def _compound_here(state: State) -> Command | None:
    """The compound command at `pos`, or None if something else stands there."""
    if state.text[state.pos] == "(":
        return read_parens(state)
    word = commands.reserved_at(state, state.pos)
    if word in BODIES:
        return READERS[word](state)
    return None


def read_coproc(state: State) -> Coproc:
    """`coproc [name] compound`, or `coproc simple`, whose first word is never a name."""
    start = state.pos
    text = state.text
    if state.in_parens:
        # bash 5.2 prints a substitution and reads it again, and puts a name of its own before the command.
        raise Unreadable("coproc inside a substitution", start)
    state.deeper()
    state.pos += 6
    i = skip_blanks(state)
    name = ""
    command = _compound_here(state)
    if command is None:
        j = i
        while text[j] not in BREAK:
            j += 1
        if commands.reserved_at(state, i):
            raise Unreadable("a reserved word behind coproc", i)
        if text[j] == "\\" and text[j + 1] == "\n":
            raise Rejoin(j)
        state.pos = j
        if (j > i and text[j] in WORD_END) or text[j] == "(":
            skip_blanks(state)
            if text[state.pos] == "(" or commands.reserved_at(state, state.pos) in BODIES:
                name = text[i:j]
                if not is_name(name):
                    raise Unreadable("a coprocess whose name is not plain", i)
                command = _compound_here(state)
        if command is None:
            state.pos = i
            if text[i] in COMMAND_END:
                raise Unreadable("coproc without a command", start)
            command = commands.read_simple(state)
    state.depth -= 1
    if "=(" in text[start : state.pos]:
        raise Unreadable("an array inside coproc", start)  # bash 5.2 finds reserved words in it
    return Coproc(name, command, (start, command.span[1]))


if TYPE_CHECKING:
    Reader = Callable[[State], Compound | FunctionDef | Coproc]

__all__ = [
    "BODIES",
    "FUNCTION_NAME_STOPS",
    "READERS",
    "body_until",
    "expect",
    "read_case",
    "read_condition",
    "read_coproc",
    "read_for",
    "read_function",
    "read_function_parens",
    "read_group",
    "read_if",
    "read_parens",
    "read_redirects",
    "read_while",
]

READERS: dict[str, Reader] = {
    "{": read_group,
    "if": read_if,
    "while": read_while,
    "until": read_while,
    "for": read_for,
    "select": read_for,
    "case": read_case,
    "[[": read_condition,
    "function": read_function,
    "coproc": read_coproc,
}
# What may be the body of a function or a coprocess.
BODIES = frozenset(READERS) - {"function", "coproc"}
