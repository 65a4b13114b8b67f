"""Redirections: the operator, the descriptor in front of it, and the target."""

from __future__ import annotations

from .heredoc import delimiter_of
from .parameter import hides
from .state import DIGITS, NAME, NAME_START, WORD_END, Refused, Rejoin, State, Unreadable, skip_blanks
from .syntax import HereDoc, Redirect, Word
from .words import is_number, plain_text, read_word

__all__ = ["LONGER", "OPERATORS", "UNSPLIT", "is_variable", "read_redirect"]

LONGER = frozenset("<>&|")  # what makes an operator out of more than one character
# The longest that fits is meant, so that `>>` is never read as two `>`. INVARIANT: whoever calls stands at one.
OPERATORS = frozenset(("<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">"))
# These take a word that is not split into several, so braces stay as they are.
UNSPLIT = frozenset(("<<<", "<<", "<<-"))


def read_redirect(state: State, start: int) -> Redirect:
    """The redirection whose operator is at `pos`; its descriptor, if any, begins at `start`."""
    text = state.text
    at = state.pos
    op = text[at]
    if op == ">" and text[at + 1] == "&" and text[at + 2] in DIGITS and text[at + 3] in WORD_END:
        state.pos = at + 3  # `2>&1`, by far the most common
        target = Word(None, (at + 2, at + 3), text[at + 2])
        return Redirect(">&", text[start:at], target, None, (start, at + 3))
    if text[at + 1] in LONGER:
        op = text[at : at + 3]
        while op not in OPERATORS:
            op = op[:-1]
    end = at + len(op)
    if text[end] == "\\":
        _not_continued(text, end)
    state.pos = end
    target_start = skip_blanks(state)
    if text[target_start] == "\n" and not state.in_parens and not state.held:
        raise Refused("a redirection without a target", target_start)
    target = read_word(state, op not in UNSPLIT)
    plain = plain_text(target)
    if plain is not None:
        duplicates = op == ">&" or op == "<&"
        if duplicates and plain[0] == "-" and plain != "-":
            raise Unreadable("a word glued to `-` behind >& or <&", target_start)
        if text[state.pos] in "<>" and (is_variable(plain) or (is_number(plain) and not duplicates)):
            raise Unreadable("a descriptor where a target is needed", target_start)
    elif (op == ">&" or op == "<&") and hides(target.parts, "$`("):
        # bash expands a word behind >& twice when it turns out to name a file: quotes do not protect it.
        raise Unreadable("quotes around something alive behind >& or <&", target_start)
    doc: HereDoc | None = None
    if op == "<<" or op == "<<-":
        delimiter, quoted = delimiter_of(target)
        doc = HereDoc(delimiter, quoted, op == "<<-", target.span)
        state.pending.append(doc)
    return Redirect(op, text[start:at], target, doc, (start, state.pos))


def _not_continued(text: str, end: int) -> None:
    """A continuation right behind the operator might hide the rest of it."""
    if text[end + 1] == "\n" and text[end + 2] in "<>&|-(\\":
        raise Rejoin(end)


def is_variable(run: str) -> bool:
    """`{name}` in front of an operator: the shell picks a descriptor and stores it in that variable."""
    if len(run) < 3 or run[0] != "{" or run[-1] != "}" or run[1] not in NAME_START:
        return False
    return all(c in NAME for c in run[1:-1])
