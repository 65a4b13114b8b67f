"""Here-documents: where a body starts, where it ends, and what is alive inside it.

A body starts behind the newline that ends the line of its `<<`, and ends at the first line that is the
delimiter. Only then is it read: literally if any part of the delimiter was quoted, else like the inside
of double quotes. Where the end is certain, trouble in the body stays in the body.
"""

from __future__ import annotations

from . import quotes
from .state import END, Rejoin, State, Unreadable
from .syntax import DoubleQuoted, HereDoc, Lit, Opaque, Word
from .walk import relocate

__all__ = ["delimiter_of", "end_pending", "read_pending", "skip_newlines"]

_BETWEEN = frozenset(" \t\n#\\")  # what may stand between two commands


def delimiter_of(word: Word) -> tuple[str, bool]:
    """The delimiter after quote removal, and whether any of it was quoted. It is never expanded."""
    out: list[str] = []
    quoted = False
    for part in word.parts:
        if isinstance(part, Lit):
            out.append(part.text)
            quoted = quoted or part.quoted
        elif isinstance(part, DoubleQuoted) and not part.translated:
            quoted = True
            for inner in part.parts:
                if not isinstance(inner, Lit):
                    raise Unreadable("a here-document delimiter with an expansion", word.span[0])
                out.append(inner.text)
        else:
            raise Unreadable("a here-document delimiter with an expansion", word.span[0])
    text = "".join(out)
    if "\n" in text:
        raise Unreadable("a here-document delimiter over two lines", word.span[0])
    return text, quoted


def read_pending(state: State) -> None:
    """From the newline at `pos`: read the body of every here-document that waits, and move behind the
    last."""
    if state.held:
        raise Unreadable("a newline before an outer here-document", state.pos)
    docs = state.pending
    state.pending = []
    i = state.pos + 1
    for doc in docs:
        i = _read_body(state, doc, i)
    state.pos = i


def skip_newlines(state: State) -> int:
    """Move over blanks, comments and newlines (and the here-documents that start behind them)."""
    text = state.text
    i = state.pos
    while text[i] in _BETWEEN:
        c = text[i]
        if c == " " or c == "\t":
            i += 1
        elif c == "\n":
            if state.pending or state.held:
                state.pos = i
                read_pending(state)
                i = state.pos
            else:
                i += 1
        elif c == "#":
            i = text.find("\n", i)
            if i < 0:
                i = state.end
        elif text[i + 1] == "\n":
            i += 2
        else:
            break
    state.pos = i
    return i


def end_pending(state: State) -> None:
    """At the end of the text: bodies that never came are empty, as bash has it (with a warning)."""
    for doc in state.pending:
        doc.span = (state.pos, state.pos)
    state.pending = []


def _read_body(state: State, doc: HereDoc, start: int) -> int:
    text = state.text
    body_end, after = _find_end(state, doc, start)
    doc.span = (start, body_end)
    body = text[start:body_end]
    if not body:
        return after
    pieces = [(0, start)]
    if (doc.strip_tabs and "\t" in body) or (not doc.quoted and "\\\n" in body):
        body, pieces = _cook(body, start, doc)
        _not_ended_by_joining(state, doc, body)
    if doc.quoted or ("$" not in body and "`" not in body and "\\" not in body):
        doc.parts = [Lit(body, True, (start, body_end))]
        return after
    state.deeper()
    state.budget.spend(len(body) // 8)
    inner = State(body, state.depth, state.budget)
    try:
        parts = quotes.read_double_parts(inner, END)
        word = Word(parts, (0, len(body)))
        relocate(word, pieces)
        doc.parts = word.parts
    except (Unreadable, Rejoin) as problem:
        reason = problem.reason if isinstance(problem, Unreadable) else "a token split by a line continuation"
        state.budget.incomplete = True
        doc.parts = [Opaque(reason, (start, body_end))]
    state.depth -= 1
    return after


def _find_end(state: State, doc: HereDoc, start: int) -> tuple[int, int]:
    """Where the body ends and where reading goes on. At the end of the text bash takes what there is."""
    text = state.text
    last = state.end
    mark = doc.delimiter
    i = start
    while True:
        at = _next_line_with(text, mark, i, doc.strip_tabs)
        if at < 0:
            return last, last
        line, end = at, at
        if doc.strip_tabs:
            while line > start and text[line - 1] == "\t":
                line -= 1
        end = at + len(mark)
        if doc.quoted or not _continued(text, start, line):
            if text[end] == "\n" or text[end] == END:
                doc.terminated = True
                return line, end if text[end] == END else end + 1
            if state.in_parens:
                newline = text.find("\n", end)
                if ")" in text[end : newline if newline >= 0 else last]:
                    raise Unreadable("a here-document that `)` might end", line)
        i = end if mark else end + 1


def _next_line_with(text: str, mark: str, i: int, tabs: bool) -> int:
    """The next place at or behind `i` where a line starts with `mark` (behind its tabs, if they are
    stripped)."""
    while True:
        i = text.find(mark, i)
        if i < 0:
            return -1
        if i == 0 or text[i - 1] == "\n":
            return i
        if tabs and text[i - 1] == "\t":
            j = i - 1
            while j > 0 and text[j - 1] == "\t":
                j -= 1
            if j == 0 or text[j - 1] == "\n":
                return i
        # Go on behind the next newline; with tabs the mark may also stand later in this very run of tabs.
        newline = text.find("\n", i)
        if newline < 0:
            return -1
        i = newline + 1


def _continued(text: str, start: int, line: int) -> bool:
    """Whether the line before `line` ends with an odd number of backslashes: bash joins the two before
    it compares."""
    if line - 1 < start:
        return False
    i = line - 1
    while i > start and text[i - 1] == "\\":
        i -= 1
    return (line - 1 - i) % 2 == 1


def _not_ended_by_joining(state: State, doc: HereDoc, body: str) -> None:
    """bash compares lines after joining them: a delimiter that is itself continued would end the body
    early."""
    for line in body.split("\n"):
        if line.startswith(doc.delimiter) and (line == doc.delimiter or (state.in_parens and ")" in line)):
            if doc.delimiter:
                raise Unreadable("a here-document whose delimiter is continued", doc.span[0])


def _cook(body: str, base: int, doc: HereDoc) -> tuple[str, list[tuple[int, int]]]:
    """Strip tabs and join continued lines as bash does while it reads; the pieces map back to the text."""
    out: list[str] = []
    pieces: list[tuple[int, int]] = []
    length = 0
    i = 0
    joined = False
    while i < len(body):
        newline = body.find("\n", i)
        end = len(body) if newline < 0 else newline + 1
        start = i
        if doc.strip_tabs and not joined:
            while start < end and body[start] == "\t":
                start += 1
        joined = not doc.quoted and newline >= 0 and _continued(body, start, newline + 1)
        stop = newline - 1 if joined else end
        pieces.append((length, base + start))
        out.append(body[start:stop])
        length += stop - start
        i = end
    return "".join(out), pieces or [(0, base)]
