"""Brace expansion: `{a,b}`, `{1..5}`, nested or not, wherever bash would really expand it.

bash expands braces on the raw word, before anything else: a brace counts if it is unquoted, if its
partner is in the same word, and if a comma or a sequence stands between them at the same level. Anything
else stays literal text.
"""

from __future__ import annotations

from .state import NAME_START, State, Unreadable
from .syntax import Brace, Lit, Word
from .tilde import leading_tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .syntax import Part

__all__ = ["LETTERS", "brace_parts"]

LETTERS = NAME_START - {"_"}


def brace_parts(state: State, parts: list[Part]) -> list[Part]:
    """The parts of a word with every brace expansion made into a Brace."""
    items = _split(parts)
    state.budget.spend(len(items))
    found = _join(_expand(state, items, True))
    if any(isinstance(part, Brace) for part in found):
        for part in found:
            # Tildes are looked for behind braces: `~{a,b}` becomes `~a ~b`, `{x,y}=~/z` two that expand.
            if isinstance(part, Lit) and not part.quoted and _hides_tilde(part.text, part is found[0]):
                raise Unreadable("a tilde beside braces", part.span[0])
    return found


def _hides_tilde(text: str, first: bool) -> bool:
    return "=~" in text or ":~" in text or (first and text[0] == "~")


def _split(parts: list[Part]) -> list[Part]:
    """Cut unquoted text so that each `{`, `}` and `,` is an item of its own."""
    items: list[Part] = []
    for part in parts:
        if not isinstance(part, Lit) or part.quoted:
            items.append(part)
            continue
        text = part.text
        base = part.span[0]
        start = 0
        for i, c in enumerate(text):
            if c in "{},":
                if i > start:
                    items.append(Lit(text[start:i], False, (base + start, base + i)))
                items.append(Lit(c, False, (base + i, base + i + 1)))
                start = i + 1
        if start < len(text):
            items.append(Lit(text[start:], False, (base + start, base + len(text))))
    return items


def _char(item: Part) -> str:
    """The brace or comma that an item is, or an empty string."""
    if isinstance(item, Lit) and not item.quoted and item.text in ("{", "}", ","):
        return item.text
    return ""


def _expand(state: State, items: list[Part], at_word_start: bool) -> list[Part]:
    out: list[Part] = []
    i = 0
    while i < len(items):
        item = items[i]
        if _char(item) != "{" or (at_word_start and i == 0 and len(items) > 1 and _char(items[1]) == "}"):
            out.append(item)
            i += 1
            continue
        end, commas = _closing(state, items, i + 1)
        if end < 0:
            out.append(item)
            i += 1
            continue
        span = (item.span[0], items[end].span[1])
        inside = items[i + 1 : end]
        if commas:
            words = _alternatives(state, inside, [comma - i - 1 for comma in commas])
            for word in words:
                _find_tilde(word, at_word_start and not out, end == len(items) - 1)
            out.append(Brace(words, None, span))
        else:
            if "," in state.text[span[0] : span[1]]:
                raise Unreadable("a brace that is neither a list nor a sequence", span[0])
            sequence = _sequence(inside)
            if sequence is None:
                out.extend(items[i : end + 1])
            else:
                out.append(Brace([], sequence, span))
        i = end + 1
    return out


def _closing(state: State, items: list[Part], i: int) -> tuple[int, list[int]]:
    """The `}` that completes what starts at `i`, with the commas at its level; -1 if it is no brace
    expansion."""
    level = 0
    dots = False
    commas: list[int] = []
    for k in range(i, len(items)):
        c = _char(items[k])
        if c == "{":
            level += 1
        elif c == "}":
            if level:
                level -= 1
            elif commas or dots:
                state.budget.spend(4 * (k - i))
                return k, commas
        elif c == ",":
            if level == 0:
                commas.append(k)
        elif level == 0:
            item = items[k]
            if isinstance(item, Lit) and not item.quoted and ".." in item.text:
                at = item.text.index("..")
                last = at + 2 == len(item.text) and k + 1 < len(items) and _char(items[k + 1]) == "}"
                dots = dots or not last  # `..}` does not count
    state.budget.spend(4 * (len(items) - i))
    return -1, commas


def _alternatives(state: State, inside: list[Part], commas: list[int]) -> list[Word]:
    words: list[Word] = []
    state.deeper()
    start = 0
    pos = inside[0].span[0]
    for comma in [*commas, len(inside)]:
        end = inside[comma].span[0] if comma < len(inside) else inside[-1].span[1]
        words.append(Word(_join(_expand(state, inside[start:comma], False)), (pos, end)))
        start = comma + 1
        pos = end + 1
    state.depth -= 1
    return words


def _find_tilde(word: Word, starts_word: bool, ends_word: bool) -> None:
    """A tilde that leads an alternative expands if the alternative leads the word and holds the whole
    prefix."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Lit) and not first.quoted and first.text[0] == "~":
        if not starts_word or ("/" not in first.text and not ends_word):
            raise Unreadable("a tilde beside braces", word.span[0])
        word.parts[:] = leading_tilde(word.parts)


def _sequence(inside: list[Part]) -> tuple[str, str, str] | None:
    """`1..9`, `a..e`, `1..9..2`: both ends numbers or both single letters."""
    if len(inside) != 1 or not isinstance(inside[0], Lit) or inside[0].quoted:
        return None
    fields = inside[0].text.split("..")
    if len(fields) == 2:
        fields.append("")
    elif len(fields) != 3 or not _is_number(fields[2]):
        return None
    first, last, step = fields
    numbers = _is_number(first) and _is_number(last)
    letters = len(first) == len(last) == 1 and first in LETTERS and last in LETTERS
    return (first, last, step) if numbers or letters else None


def _is_number(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdigit() and digits.isascii() and len(digits) < 18


def _join(items: list[Part]) -> list[Part]:
    """Put neighbouring pieces of unquoted text together again."""
    out: list[Part] = []
    for item in items:
        if isinstance(item, Lit) and not item.quoted and out:
            last = out[-1]
            if isinstance(last, Lit) and not last.quoted and last.span[1] == item.span[0]:
                out[-1] = Lit(last.text + item.text, False, (last.span[0], item.span[1]))
                continue
        out.append(item)
    return out
