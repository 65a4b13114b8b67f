"""Lists, pipelines and simple commands: the upper half of the grammar.

`read_list` reads until it meets something that cannot begin a command and leaves the judgement to its
caller, who knows which closing token is due. Reserved words count only where a command may begin.
"""

from __future__ import annotations

from . import compound
from .assignment import DECLARING, read_assign, read_declared
from .heredoc import end_pending, skip_newlines
from .redirect import is_variable, read_redirect
from .state import (
    BEHIND,
    BREAK,
    END,
    NAME_START,
    WORD_END,
    Budget,
    OutOfSteps,
    Refused,
    Rejoin,
    State,
    Unreadable,
    not_split,
    skip_blanks,
)
from .syntax import AndOr, Background, Opaque, Pipeline, Script, Simple, Word
from .walk import relocate
from .words import BEHIND_WORD, is_number, name_and_equals, plain_text, read_word, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Assign, Command, Redirect

__all__ = [
    "CLOSING",
    "ENDS_SIMPLE",
    "NOT_A_START",
    "RESERVED",
    "RESERVED_START",
    "read_and_or",
    "read_command",
    "read_line",
    "read_list",
    "read_pipeline",
    "read_simple",
    "read_text",
    "reserved_at",
]

RESERVED_START = frozenset("ifecdwuts{}![]")
RESERVED = frozenset(
    (
        "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case", "esac",
        "in", "function", "time", "coproc", "{", "}", "!", "[[", "]]",
    )
)  # fmt: skip
CLOSING = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}", "in", "]]"))
ENDS_SIMPLE = frozenset("\n;|)" + END)
NOT_A_START = frozenset(");&|" + END)


def read_text(text: str, depth: int, budget: Budget) -> Script:
    """Read a whole text, line by line as bash does it.

    A line that cannot be read stops a script, but what came before it has run by then. So it becomes the last
    command: opaque, up to the end. One that no shell takes is left out; the lines behind it are read as if they ran.
    """
    state = State(text, depth, budget)
    done: list[Command] = []
    cuts: list[int] = []
    start = 0
    refused = False
    try:
        while True:
            start = skip_newlines(state)
            if start == state.end:
                break
            try:
                line = read_line(state)
            except Rejoin as split:
                cuts += [split.pos] * _cut(state, split.pos, start, depth)
                continue
            except Refused:
                # A script ends here; a terminal goes on with the next line, behind what is announced on this one.
                state.depth = depth
                refused = True
                continue
            if state.text[state.pos] != "\n" and state.pos != state.end:
                raise Unreadable(f"`{shown(state.text[state.pos])}` is not expected here", state.pos)
            done += line
    except Unreadable as problem:
        state.pending = []
        budget.incomplete = True
        done.append(Opaque(problem.reason, (start, state.end)))
    end_pending(state)
    script = Script(done, [], (0, state.end))
    script.refused = refused
    if cuts:
        relocate(script, _pieces(cuts))
    script.span = (0, len(text))
    return script


def _cut(state: State, pos: int, line: int, depth: int) -> int:
    """Take the line continuations at `pos` out of the text, go back to the start of the line, and count
    them."""
    text = state.text
    end = pos + 2
    while text.startswith("\\\n", end):
        end += 2
    state.budget.spend(pos - line + len(text) // 32 + 1)
    state.text = text[:pos] + text[end:]
    state.runs = state.runs[:pos] + state.runs[end:]
    state.stretches = state.stretches[:pos] + state.stretches[end:]
    state.end -= end - pos
    state.pos = line
    state.depth = depth
    state.pending = []
    state.held = state.in_parens = 0
    return (end - pos) // 2


def _pieces(cuts: list[int]) -> list[tuple[int, int]]:
    """Where each stretch of the joined text stands in the original; each cut took two characters out."""
    # A cut counts in the text that the cuts before it have left, so the last one must be undone first.
    taken: list[int] = []
    for cut in reversed(cuts):
        taken = [pos + 2 if pos >= cut else pos for pos in taken]
        taken.append(cut)
    taken.sort()
    pieces = [(0, 0)]
    for count, pos in enumerate(taken):
        start = pos - 2 * count
        if pieces[-1][0] == start:
            pieces.pop()
        pieces.append((start, pos + 2))
    return pieces


def read_list(state: State) -> list[Command]:
    """Commands up to a token that cannot begin one; that token stays unread."""
    commands: list[Command] = []
    while True:
        skip_newlines(state)
        line = read_line(state)
        commands += line
        if state.text[state.pos] != "\n":
            return commands


def read_line(state: State) -> list[Command]:
    """Commands up to a newline or to a token that cannot begin one; either stays unread."""
    text = state.text
    commands: list[Command] = []
    while True:
        i = state.pos
        c = text[i]
        if c in BEHIND:
            i = skip_blanks(state)
            c = text[i]
        if c == "#":
            end = text.find("\n", i)
            state.pos = end if end >= 0 else state.end
            return commands
        if c == "\n" or c in NOT_A_START:
            return commands
        command = read_and_or(state)
        if command is None:
            return commands
        start = i
        i = state.pos
        c = text[i]
        if c in BEHIND:
            i = skip_blanks(state)
            c = text[i]
        if c == ";":
            not_split(text, i + 1)
            commands.append(command)
            d = text[i + 1]
            if d == ";" or d == "&":
                return commands
        elif c == "&":
            commands.append(Background(command, (start, i + 1)))
        else:
            commands.append(command)
            if c == "#":
                end = text.find("\n", i)
                state.pos = end if end >= 0 else state.end
            return commands
        state.pos = i + 1


def read_and_or(state: State) -> Command | None:
    """Pipelines joined by `&&` and `||`; None if a closing word stands here."""
    text = state.text
    start = state.pos
    command = read_pipeline(state)
    if command is None:
        return None
    i = state.pos
    c = text[i]
    if c in BEHIND:
        i = skip_blanks(state)
        c = text[i]
    if c != "&" and c != "|":
        return command
    if text[i + 1] != c:
        not_split(text, i + 1)
        return command
    commands = [command]
    ops: list[str] = []
    while (c == "&" or c == "|") and text[i + 1] == c:
        ops.append(c + c)
        state.pos = i + 2
        skip_newlines(state)
        command = _needed(state, read_pipeline(state))
        commands.append(command)
        i = skip_blanks(state)
        c = text[i]
        if c == "&" or c == "|":
            not_split(text, i + 1)
    return AndOr(commands, ops, (start, command.span[1]))


def read_pipeline(state: State) -> Command | None:
    """Commands joined by `|`, behind any `!` and `time`; None if a closing word stands here."""
    text = state.text
    start = state.pos
    c = text[start]
    negated = timed = False
    if c == "!" or c == "t":
        negated, timed = _read_prefixes(state)
    command = read_command(state, False)
    if command is None:
        if state.pos != start:
            raise Unreadable("a command is missing", state.pos)
        return None
    i = state.pos
    c = text[i]
    if c in BEHIND:
        i = skip_blanks(state)
        c = text[i]
    if c != "|" or text[i + 1] == "|":
        if negated or timed:
            return Pipeline([command], [False], negated, timed, (start, command.span[1]))
        return command
    commands = [command]
    stderr: list[bool] = []
    while text[i] == "|" and text[i + 1] != "|":
        not_split(text, i + 1)
        both = text[i + 1] == "&"
        stderr.append(both)
        state.pos = i + 2 if both else i + 1
        skip_newlines(state)
        command = _needed(state, read_command(state, True))
        commands.append(command)
        i = skip_blanks(state)
    stderr.append(False)
    return Pipeline(commands, stderr, negated, timed, (start, command.span[1]))


def _read_prefixes(state: State) -> tuple[bool, bool]:
    """Any number of `!` and `time [-p] [--]`; leaves `pos` where the command should begin."""
    text = state.text
    negated = timed = False
    while True:
        i = state.pos
        word = reserved_at(state, i)
        if word == "!":
            if text[i + 1] == "(":
                raise Unreadable("`!(` is a pattern if extglob is on", i)
            negated = not negated
            state.pos = i + 1
        elif word == "time" and not timed:
            timed = True
            state.pos = i + 4
            for option in ("-p", "--"):
                i = skip_blanks(state)
                if text.startswith(option, i) and text[i + 2] in WORD_END:
                    state.pos = i + 2
        else:
            return negated, timed
        skip_blanks(state)


def _needed(state: State, command: Command | None) -> Command:
    if command is None:
        raise Unreadable("a command is missing", state.pos)
    return command


def reserved_at(state: State, i: int) -> str:
    """The reserved word at `i`, where a command may begin, or an empty string."""
    text = state.text
    j = state.runs.find(0, i)
    word = text[i:j]
    if word not in RESERVED:
        if text[j] == "\\" and text[j + 1] == "\n" and text[j + 2] not in BEHIND_WORD:
            raise Rejoin(j)
        return ""
    c = text[j]
    if c in WORD_END or c == "(":
        return word
    if c == "<" or c == ">":
        return "" if text[j + 1] == "(" else word
    if c == "\\" and text[j + 1] == "\n":
        if text[j + 2] in BEHIND_WORD:
            return word
        raise Rejoin(j)
    return ""


def read_command(state: State, in_pipe: bool) -> Command | None:
    """One command of any kind at `pos`; None if a closing word or an operator stands here."""
    text = state.text
    i = state.pos
    c = text[i]
    if c in RESERVED_START:
        word = reserved_at(state, i)
        if word:
            if word in CLOSING:
                return None
            if word == "!":
                raise Unreadable("`!` inside a pipeline", i)
            if word != "time":
                return compound.READERS[word](state)
            if not in_pipe:
                raise Unreadable("`time` is not expected here", i)
    elif c == "(":
        return compound.read_parens(state)
    elif c in NOT_A_START or c == "\n" or c == "#":
        return None
    return read_simple(state)


def _begins_plainly(stretch: str) -> bool:
    """True if the first word neither assigns nor declares: then every word of the stretch is just a word."""
    first = stretch.partition(" ")[0]
    return "=" not in first and first not in DECLARING


def read_simple(state: State) -> Command:
    """Assignments, words and redirections; or a function definition, if `()` follows the first word.

    Leaves `pos` at the token behind, so that nobody has to skip the blanks again.
    """
    text = state.text
    runs = state.runs
    stretches = state.stretches
    i = start = end = state.pos
    assigns: list[Assign] = []
    words: list[Word] = []
    redirects: list[Redirect] = []
    declaring = False
    budget = state.budget
    budget.left = left = budget.left - 1  # `spend`, without a call: every command pays for it
    if left < 0:
        raise OutOfSteps
    while True:
        c = text[i]
        if c not in BREAK:
            if c == "#":
                break
            if not declaring:
                stretch = text[i : stretches.find(0, i)]
                if text[i + len(stretch)] not in WORD_END:
                    stretch = stretch[: stretch.rfind(" ") + 1]  # its last word goes on
                if stretch and (words or _begins_plainly(stretch)):  # by far the most common words
                    for run in stretch.split(" "):
                        if run:
                            end = i + len(run)
                            words.append(Word(None, (i, end), run))
                            i = end
                        i += 1
                    i -= 1  # behind the last word there is no blank any more
                    continue
            j = runs.find(0, i)
            d = text[j]
            run = text[i:j]
            if d == "<" or d == ">":
                if text[j + 1] != "(" and (is_number(run) or is_variable(run)):
                    if text[j + 1] == "\\" and text[j + 2] == "\n":
                        raise Rejoin(j + 1)
                    state.pos = j
                    redirects.append(read_redirect(state, i))
                    i = end = state.pos
                    continue
            if not words:
                if ("=" in run or "[" in run) and c in NAME_START:
                    state.pos = i
                    assign = read_assign(state)
                    if assign is not None:
                        if redirects and (assign.index or not isinstance(assign.value, Word)):
                            raise Unreadable("an array behind a redirection", i)
                        assigns.append(assign)
                        i = end = state.pos
                        continue
                if run in DECLARING:
                    declaring = True  # undone below if the word goes on
            elif declaring and (equals := name_and_equals(run)):
                state.pos = i
                if redirects and text[i + equals] == "(":
                    raise Unreadable("an array behind a redirection", i)
                words.append(read_declared(state, equals))
                i = end = state.pos
                continue
            state.pos = i
            words.append(read_word(state, True))
            end = state.pos
            if c == "{" and text[end] in "<>" and text[end - 1] == "}" and "[" in text[i:end]:
                raise Unreadable("a descriptor kept in an array", i)
            i = end
            if declaring and len(words) == 1 and plain_text(words[0]) is None:
                declaring = False
            continue
        if c == " " or c == "\t":
            i += 1
            continue
        if c in ENDS_SIMPLE:
            break
        if c == "\\" and text[i + 1] == "\n":
            i += 2
            continue
        if c == "&":
            if text[i + 1] != ">":
                not_split(text, i + 1)
                break
            state.pos = i
            redirects.append(read_redirect(state, i))
        elif c == "<" or c == ">":
            state.pos = i
            not_split(text, i + 1)
            if text[i + 1] == "(":
                words.append(read_word(state, True))
            else:
                redirects.append(read_redirect(state, i))
        elif c == "(":
            state.pos = end
            return compound.read_function_parens(state, start, assigns, words, redirects)
        else:
            state.pos = i
            words.append(read_word(state, True))
        i = end = state.pos
    state.pos = i
    return Simple(assigns, words, redirects, (start, end))
