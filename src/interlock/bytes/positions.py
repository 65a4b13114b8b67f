"""Secrets that only their place or their randomness tells: standard input, the word after a command, encoded texts.

More scanners of `redact`, which loads them once a text looks as if it held something. Each gives spans of the text;
none looks further than the command or the word it is in, so the work grows with the text and no faster.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .secrets import FOLLOWED, NAMES, OPTIONS, RANDOM, STDIN, WORD

if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]

__all__ = ["by_place", "is_mixed", "words_of"]

_QUOTES = "\"'`"
_OUTSIDE_BASE64 = {code: " " for code in range(128) if chr(code) not in WORD | frozenset("+/=")}
_OUTSIDE_PARTS = {code: " " for code in range(128) if chr(code) not in WORD | frozenset("+")}
_OUTSIDE_WORDS = {code: " " for code in range(128) if chr(code) not in WORD}
_SHORT_CODE = 20  # characters: less decodes to nothing that is a secret
_LONG_CODE = 64 * 1024
_LONG_WORD = 32
_FAR = 200  # characters that are looked back for the command before a pipe


def words_of(text: str) -> list[str]:
    """The parts of a secret that may turn up alone, where a path or a command was taken apart at its signs."""
    return [text[start:end] for start, end in _runs(text, _OUTSIDE_PARTS, 8)]


def _runs(text: str, others: dict[int, str], least: int) -> list[tuple[int, int]]:
    """Where so many characters stand in a row that are not among the others."""
    found, at = [], 0
    for word in text.translate(others).split():
        if len(word) >= least:
            at = text.index(word, at)
            found.append((at, at + len(word)))
            at += len(word)
    return found


def is_mixed(word: str) -> bool:
    """Random as far as anyone can tell: digits, small and capital letters through each other, as names never are."""
    digits = upper = lower = changes = 0
    before = ""
    for char in word:
        kind = "d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else before
        digits, upper, lower = digits + (kind == "d"), upper + (kind == "u"), lower + (kind == "l")
        changes += kind != before
        before = kind
    often = changes * 2 >= len(word) or (digits * 8 >= len(word) and changes * 5 >= len(word) * 2)
    return digits >= 1 and upper >= 3 and lower >= 3 and often


def _is_scattered(word: str) -> bool:
    """The same for what has one case: digits and letters through each other."""
    changes = sum([word[at].isdigit() is not word[at - 1].isdigit() for at in range(1, len(word))])
    return is_mixed(word) or changes * 6 >= len(word)


def _telling_words(text: str, _lower: str) -> list[Span]:
    """Tokens whose beginning words have too, and tokens that are known by something in their middle."""
    found: list[Span] = []
    for start, (name, characters, least) in RANDOM.items():
        at = text.find(start)
        while at >= 0:
            end = at + len(start)
            if not (at and text[at - 1] in WORD):
                while end < len(text) and text[end] in characters:
                    end += 1
                body = text[at + len(start) : end]
                if len(body) >= least and _is_scattered(body):
                    found.append((at, end, name))
            at = text.find(start, max(end, at + 1))
    return [*found, *_in_the_middle(text)]


# What stands in the middle of a token: its name, how far it reaches to both sides at least, and with which characters.
_DOTTED = WORD | frozenset(".~")
_MIDDLES: tuple[tuple[str, str, int, int, frozenset[str]], ...] = (
    (":AA", "telegram-token", 6, 30, WORD),
    (".atlasv1.", "terraform-token", 12, 40, WORD),
    ("-us", "mailchimp-key", 30, 1, WORD),
    ("AZDO", "azure-token", 70, 3, WORD),
    (".G", "discord-token", 20, 30, WORD | frozenset(".")),
    (":", "asana-token", 14, 32, WORD),
)


def _in_the_middle(text: str) -> list[Span]:
    found: list[Span] = []
    for mark, name, before, after, characters in _MIDDLES:
        if len(mark) == 1 and not any(
            len(word) > 13 and word.isdigit() for word in text.translate(_OUTSIDE_WORDS).split()
        ):
            continue
        at, done = text.find(mark), 0
        while at >= 0:
            start, end = at, at + len(mark)
            while start > done and text[start - 1] in characters and at - start < 200:
                start -= 1
            while end < len(text) and text[end] in characters:
                end += 1
            left, right = text[start:at], text[at + len(mark) : end]
            if len(left) >= before and len(right) >= after and _FITS[name](left, right):
                found.append((start, end, name))
            done = max(end, at + 1) if len(mark) > 1 else at + 1
            at = text.find(mark, done)
    return found


_HEX = frozenset("0123456789abcdef")
_FITS: dict[str, Callable[[str, str], bool]] = {
    "telegram-token": lambda left, right: left.isdigit() and _is_scattered(right),
    "terraform-token": lambda left, right: True,
    "mailchimp-key": lambda left, right: set(left) <= _HEX and right.isdigit(),
    "azure-token": lambda left, right: left.isalnum() and right.isalnum() and is_mixed(left),
    "discord-token": lambda left, right: _is_scattered(left) and "." in right and is_mixed(right),
    "asana-token": lambda left, right: left.isdigit() and set(right) <= _HEX,
}


def _lines_of_a_passfile(text: str) -> list[Span]:
    """`host:5432:database:name:password`"""
    found: list[Span] = []
    at = 0
    for word in text.split():
        if word.count(":") != 4:
            continue
        start = text.index(word, at)
        at = start + len(word)
        bare = word.strip(_QUOTES)
        fields = bare.split(":")
        if len(fields) == 5 and 2 <= len(fields[1]) <= 5 and fields[1].isdigit() and not fields[0].isdigit():
            if "." in fields[0] or fields[0] in ("localhost", "*"):
                end = start + word.index(bare) + len(bare)
                found.append((end - len(fields[4]), end, "password"))
    return found


def _azure_secrets(text: str, _lower: str) -> list[Span]:
    """Three characters, a digit, `Q~` and thirty more."""
    found: list[Span] = []
    at = text.find("Q~")
    while at >= 0:
        end = at + 2
        while end < len(text) and text[end] in _DOTTED:
            end += 1
        if at >= 4 and text[at - 1].isdigit() and text[at - 4 : at].isalnum() and end - at >= 28:
            found.append((at - 4, end, "azure-secret"))
        at = text.find("Q~", end)
    return found


def _encoded(text: str, redact: Callable[[str], str]) -> list[Span]:
    """Base64 whose content holds a secret (`redact`) or is a name and a password where an `auth` stands before it."""
    found: list[Span] = []
    for start, end in _runs(text, _OUTSIDE_BASE64, _SHORT_CODE):
        while start < end and text[start] in "=-_/":  # `name=code`
            start += 1
        equals = text.find("=", start, end)
        if 0 <= equals < end - 3:  # a name before it: `--data=code`
            start = equals + 1
        word = text[start:end]
        if not _SHORT_CODE <= len(word) <= _LONG_CODE or word.islower() or word.isdigit():
            continue
        inside = _decoded(word)
        if inside is None:
            continue

        pair = ":" in inside and "\n" not in inside.strip() and "auth" in text[max(0, start - 16) : start].lower()
        if pair or redact(inside) != inside:
            found.append((start, end, "encoded"))
    return found


def _decoded(word: str) -> str | None:
    """The text that is encoded there; None where it is none."""
    import binascii

    plain = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = binascii.a2b_base64(plain + "=" * (-len(plain) % 4))
        text = raw.decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return None
    return text if text.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() else None


def _random_words(text: str, _lower: str) -> list[Span]:
    """Long words in which digits, small and capital letters are mixed, unless they are part of a path or a digest."""
    found: list[Span] = []
    for start, end in _runs(text, _OUTSIDE_WORDS, _LONG_WORD):
        before, after = text[start - 1 : start], text[end : end + 1]
        word = text[start:end]
        if "/" in (before, after) or word.lower().startswith(("sha256-", "sha384-", "sha512-", "sha1-")):
            continue
        if is_mixed(word) and _decoded(word) is None:  # text in base64 is looked into elsewhere
            found.append((start, end, "random"))
    return found


def _piped(text: str, lower: str) -> list[Span]:
    """What is given to the standard input of a command that reads a secret there."""
    found: list[Span] = []
    for words in STDIN:
        at = lower.find(words)
        while at >= 0:
            end = _end_of_command(text, at)
            here = text.find("<<<", at, end)
            if here >= 0:
                found += _word(text, here + 3, end)
            pipe = text.rfind("|", max(0, at - _FAR), at)
            if pipe > 0 and not any(char in text[pipe + 1 : at] for char in ";&\n"):
                found += _echoed(text, pipe)
            at = lower.find(words, at + len(words))
    return found


def _end_of_command(text: str, at: int) -> int:
    ends = [end for char in "\n;|&" if (end := text.find(char, at)) >= 0]
    return min(ends, default=len(text))


def _echoed(text: str, pipe: int) -> list[Span]:
    """The last word of the `echo` or `printf` that ends at this pipe."""
    begin = max([text.rfind(char, max(0, pipe - _FAR * 4), pipe) for char in "\n;|&("])
    if begin < 0 and pipe > _FAR * 4:
        return []
    said = text[begin + 1 : pipe].strip()
    if not said.startswith(("echo ", "printf ", "cat <<<")):
        return []
    end = pipe
    while end > begin and text[end - 1] in " \t":
        end -= 1
    start = end
    if text[end - 1] in _QUOTES:
        start = text.rfind(text[end - 1], max(0, begin), end - 1)
        return [(start + 1, end - 1, "stdin")] if start > begin and end - 1 > start + 1 else []
    while start > begin + 1 and text[start - 1] not in " \t":
        start -= 1
    return [(start, end, "stdin")] if text[start] != "$" and end > start else []


def _word(text: str, at: int, end: int) -> list[Span]:
    """The next word, without its quotes."""
    while at < end and text[at] in " \t(":
        at += 1
    if at >= end or text[at] in "$<":
        return []
    if text[at] in _QUOTES:
        close = text.find(text[at], at + 1)
        return [(at + 1, close, "secret")] if close > at + 1 else []
    stop = at
    while stop < end and text[stop] not in " \t\r\n;|&\"'`":
        stop += 1
    return [(at, stop, "secret")] if stop > at else []


def _followed(text: str, lower: str) -> list[Span]:
    """The word after a command that takes a secret there."""
    found: list[Span] = []
    for phrase in FOLLOWED:
        last = phrase.endswith("$")
        wanted = phrase.rstrip("$")
        at = lower.find(wanted)
        while at >= 0:
            start, end = at + len(wanted), _end_of_command(text, at)
            at = lower.find(wanted, start)
            if text[start : start + 1] not in (" ", "\t", "."):
                continue
            if last:
                stop = len(text[:end].rstrip()) if end < len(text) else len(text.rstrip())
                begin = max(text.rfind(" ", start, stop), text.rfind("\t", start, stop)) + 1
                found += _word(text, begin, stop) if begin > start else []
                continue
            while text[start : start + 2] == " -":  # an option, without a value
                start = text.find(" ", start + 1, end)
                if start < 0:
                    break
            spans = _word(text, start, end) if start >= 0 else []
            found += [span for span in spans if "=" not in text[span[0] : span[1]]]
    return found


def _in_queries(text: str, lower: str) -> list[Span]:
    """`?token=…` and `&sig=…` of an address: up to the next field, and nothing before or after it."""
    found: list[Span] = []
    if "://" not in text:
        return found
    for at in [at for mark in "?&" for at in _places(text, mark)]:
        equals = text.find("=", at, at + 60)
        name = lower[at + 1 : equals] if equals > 0 else ""
        if not name or not set(name) <= WORD or not _is_secret_field(name):
            continue
        end = equals + 1
        while end < len(text) and text[end] not in " \t\r\n\"'`&#<>)":
            end += 1
        if end > equals + 1 and text[equals + 1] not in "$[{%<":
            found.append((equals + 1, end, "signature" if "sig" in name else "token"))
    return found


def _assignment(text: str, lower: str) -> list[Span]:
    """A text that is nothing but `DB_PASSWORD=…`. No path begins so, and nothing else of a target is touched."""
    equals = text.find("=")
    name, value = lower[:equals], text[equals + 1 :]
    if equals < 3 or not value or not set(name) <= WORD or "/" in value or text[0] in "-0123456789":
        return []
    told = any(word in name for word in NAMES) and not name.endswith(("file", "path", "name", "url", "id"))
    return [(equals + 1, len(text), "secret")] if told and value[0] not in "$[{%<" else []


def _places(text: str, mark: str) -> list[int]:
    found, at = [], text.find(mark)
    while at >= 0:
        found.append(at)
        at = text.find(mark, at + 1)
    return found


def _is_secret_field(name: str) -> bool:
    return name in ("sig", "signature", "key", "code", "auth") or any(word in name for word in (*NAMES, "signature"))


def _beside_names(text: str, lower: str) -> list[Span]:
    """`auth=('me', '…')`, lines of password files, private parts of key files."""
    found = _lines_of_a_passfile(text) if text.count(":") >= 4 else []
    at = lower.find(" /user:")
    if at > 0 and "net use" in lower[:at]:
        found += _word(text, max(text.rfind(" ", 0, at), 0), at)
    for mark in ("auth=(", "auth = (", "basicauth(", "auth: ("):
        at = lower.find(mark)
        while at >= 0:
            comma = text.find(",", at, at + _FAR)
            close = text.find(")", at, at + _FAR)
            if 0 <= comma < close:
                found += _word(text, comma + 1, close)
            at = lower.find(mark, at + len(mark))
    for mark in ("private-lines:", "private-key:"):
        at = lower.find(mark)
        while at >= 0:
            line = text.find("\n", at)
            stop = lower.find("private-mac", at)
            if line >= 0:
                found.append((line + 1, stop if stop > line else len(text), "private-key"))
            at = lower.find(mark, at + len(mark))
    return found


def _options(text: str, lower: str) -> list[Span]:
    """Values of the short options of known programs, on the rest of their line."""
    found: list[Span] = []
    for program, known in OPTIONS.items():
        if program not in lower:
            continue
        done = 0
        for at in _places(lower, program):
            after = at + len(program)
            if at < done or (at and text[at - 1] in WORD) or text[after : after + 1] not in (" ", "\t", "."):
                continue
            words = _words(text, after)
            done = words[-1][1] if words else after
            for index, (start, end) in enumerate(words):
                found += _option(text, text[start:end], known, words, index, program)
    return found


def _option(
    text: str, word: str, options: dict[str, str], words: list[tuple[int, int]], index: int, program: str
) -> list[Span]:
    for option, wanted in options.items():
        how, _, needed = wanted.partition("|")
        start, end = words[index]
        if needed and not any(text[s:e] == needed for s, e in words[:5]):
            continue
        if how == "/":  # name/password@place
            slash, place = text.find("/", start, end), text.find("@", start, end)
            if not word.startswith("-") and slash > 0 and (place if place > 0 else end) > slash + 1:
                return [(slash + 1, place if place > 0 else end, "password")]
            continue
        if how == "last":
            if word.startswith("-") and "b" in word and len(words) > index + 2:
                return [_span(text, *words[-1])]
            continue
        if word == option and how != "attached" and index + 1 < len(words):
            start, end = words[index + 1]
        elif word.startswith(option) and len(word) > len(option):
            start += len(option) + (word[len(option)] == "=")
        else:
            continue
        if how in (":", "%", "="):
            split = text.find(how, start, end)
            if split < 0:
                continue
            start = split + 1
        if (
            end > start
            and text[start] != "$"
            and not (program == "curl" and how == "whole" and "=" not in text[start:end])
        ):
            return [_span(text, start, end)]
    return []


def _span(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _QUOTES:
        start += 1
    while end > start and text[end - 1] in _QUOTES:
        end -= 1
    return start, end, "password"


def _words(text: str, at: int) -> list[tuple[int, int]]:
    """The words up to the end of this command, quotes heeded."""
    found: list[tuple[int, int]] = []
    while at < len(text) and len(found) < 200:
        while at < len(text) and text[at] in " \t":
            at += 1
        start, quote = at, ""
        while at < len(text) and (quote or text[at] not in " \t\r\n;|&)"):
            if quote:
                quote = "" if text[at] == quote else quote
            elif text[at] in "\"'":
                quote = text[at]
            at += 1
        if at == start:
            break
        found.append((start, at))
    return found


# Those that find a secret by its shape, and those that need what stands around it.
_BY_SHAPE = (_telling_words, _azure_secrets)  # before what is encoded: the first of those that find it names it
_SHAPES = (_in_queries, _assignment)
_EVERYWHERE = (*_SHAPES, _piped, _followed, _options, _beside_names, _random_words)


def by_place(text: str, lower: str, everywhere: bool, redact: Callable[[str], str]) -> list[Span]:
    """What the scanners of this module find; `lower` is the text in small letters. `redact` is for encoded texts."""
    found = [span for scan in _BY_SHAPE for span in scan(text, lower)]
    found += _encoded(text, redact)
    return found + [span for scan in (_EVERYWHERE if everywhere else _SHAPES) for span in scan(text, lower)]
