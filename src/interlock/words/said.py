"""A message of a layer: a sentence for the person and one for the agent.

Each layer keeps its messages in a table `SAYS`, under the rule that they belong to, and fills in what they are about
with `str.format`. docs/messages.md is made from these tables.
"""

from __future__ import annotations

from ..approve.glob import ONE_OF, is_open, texts_of
from ..limits import MAX_ANSWER_CHARS
from ..model.errors import printable
from ..value import Value

__all__ = ["Said", "plain", "quoted", "sentence", "words_of_person"]

_MOST = 120  # characters of one value in a message
_FEW = 3
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@~+")


class Said(Value):
    """
    person  what would happen and why it is stopped, for the person
    agent   what to do instead, for the agent
    """

    person: str
    agent: str = ""


def quoted(value: object) -> str:
    """A value from outside, set off from our own words. It cannot end its quotes."""
    if type(value) is tuple:
        known = [part for part in texts_of(value) if not is_open(part)]
        few = [quoted(part) for part in known[:_FEW]]
        more = len(known) - len(few)
        if more:
            few.append(f"{more} more")
        if len(known) < len(texts_of(value)):
            few.append("perhaps others")
        joined = "or" if ONE_OF in value else "and"
        return few[0] if len(few) == 1 else f"{', '.join(few[:-1])} {joined} {few[-1]}" if few else "nothing"
    text = printable(" ".join(str(value).split())).replace("`", "'")
    if len(text) > _MOST:
        text = f"{text[: _MOST * 2 // 3]}…{text[-_MOST // 4 :]}"
    return f"`{text}`"


def words_of_person(text: str) -> str:
    """What a person wrote, between quotes that it cannot end, on one line and no longer than a short answer."""
    words = printable(" ".join(text.split())).replace('"', "'")
    return f'"{words}"' if len(words) <= MAX_ANSWER_CHARS else f'"{words[:MAX_ANSWER_CHARS]}…"'


def plain(value: object) -> str:
    """A name that cannot be taken for words of ours, such as a host or a remote, without quotes."""
    text = str(value)
    return text if _PLAIN.issuperset(text) and 0 < len(text) <= _MOST else quoted(value)


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    text = text.strip()
    if not text:
        return ""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text[-1] in ".!?…" else ".")
