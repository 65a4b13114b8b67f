"""Secrets out, before anything is stored or shown. Pure, linear, and without regular expressions.

A secret is replaced by `[redacted:what it was]`. Most texts hold nothing that looks like one, and that is
told by plain searches; only then is a text gone through. `redact` is for texts that people read; in the
target of an action only the secret's own characters go (`redact_target`), because rules and grants are
matched against what is left, and nothing else may disappear from their sight.
"""

from __future__ import annotations

from ..limits import MAX_SCRIPT_BYTES
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .secrets import ENDINGS, FOLLOWED, HEADERS, NAMES, OPTIONS, RANDOM, STDIN, TOKENS, WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .positions import by_place, is_mixed, words_of

    Span = tuple[int, int, str]
    Hide = Callable[[str, str, bool], str]
else:
    by_place = lazy(globals(), ".positions", "by_place")
    is_mixed = lazy(globals(), ".positions", "is_mixed")
    words_of = lazy(globals(), ".positions", "words_of")

__all__ = ["MARK", "is_suspicious", "redact", "redact_target", "redacted", "secret_words", "secrets_in"]

MARK = "[redacted:"
_QUOTES = "\"'`"
_ENDS = frozenset(" \t\r\n\"'`;&|<>(),")
_NO_SECRETS = frozenset(("", "null", "none", "true", "false", "undefined", "nil", "yes", "no", "stdin", "-"))
# Every call is searched, so the search is by bytes, and most words are done with after two of them.
_STARTS = (
    *[start.partition("/")[0].encode() for start in TOKENS if start != "1//0"],
    *[start.encode() for start in RANDOM],
)
_OPENINGS = frozenset([start[:2] for start in _STARTS])
_SHORTEST = 11  # no token is shorter, its beginning included, and no host of secret addresses
_LONG_WORD = 20  # a longer one with capital letters may be a secret in some code
# Each of NAMES and HEADERS holds one of these.
_SURE = ("pass", "pwd", "secret", "token", "key", "credential", "bearer", "connection", "dsn", "auth", "cookie", "://")
_PHRASES = [words.rstrip("$") for words in (*STDIN, *FOLLOWED)]
_HINTS = (
    *(*_SURE, "psk", "private", "signature", "1//0", "q~"),
    *[words for words in _PHRASES if not any(hint in words for hint in _SURE)],
)
# What is rare and stands in several hints: where it is not, none of them is. A hint without one stands for itself.
_RARE = ("k", "cr", "b", "v", "//", "sudo -")
_BEHIND: dict[str, list[str]] = {}
for _hint in _HINTS:
    _BEHIND.setdefault(next((rare for rare in _RARE if rare in _hint), _hint), []).append(_hint)
_FIRST = tuple(_BEHIND)
_SPLIT = bytes([code if chr(code) in WORD or code in b".$" else 32 for code in range(256)])
_PROGRAMS = frozenset([name.encode() for name in OPTIONS])
_TYPES = frozenset(("string", "String", "str", "bytes", "any", "text", "&str", "Optional"))
_KNOWN = 16  # texts whose secrets are remembered
_LONG = 16  # so long and with digits and letters: random, as far as anyone can tell


def is_suspicious(text: str) -> bool:
    """False if no secret can be in the text; True if it has to be gone through."""
    lower = text.lower()
    for first in _FIRST:
        if first in lower:
            for hint in _BEHIND[first]:
                if hint in lower:
                    return True
    words = text.encode("utf-8", "surrogatepass").translate(_SPLIT).split()
    for word in [word for word in words if len(word) >= _SHORTEST]:
        size = len(word)
        if word[:2] in _OPENINGS and word.startswith(_STARTS):
            return True
        if size > 13 and (word.isdigit() or (size >= _LONG_WORD and (not word.islower() or b"-us" in word))):
            return True
    return "-----BEGIN" in text or not _PROGRAMS.isdisjoint(words)


def _marked(_secret: str, what: str, _is_named: bool) -> str:
    return f"{MARK}{what}]"


def redacted(value: Any, hide: Hide = _marked) -> Any:
    """JSON data with every text and key redacted; the same object where there was nothing to do.

    `hide` says what stands in the place of a secret, which it gets with what it is, and whether only its name says so.
    """
    kind = type(value)
    if kind is str:
        return redact(value, hide)
    if kind is tuple or kind is list:
        if len(value) == 2 and type(value[0]) is type(value[1]) is str and _is_name_of_a_secret(value[0]):
            items = [redact(value[0], hide), hide(value[1], _label(value[0]), True)]  # a header, as a pair
        else:
            items = [redacted(item, hide) for item in value]
        return tuple(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if kind is FrozenMap or kind is dict:
        return _object(value, hide)
    return value


def _object(value: Mapping[str, Any], hide: Hide) -> Mapping[str, Any]:
    """A field whose name says that it is secret is redacted whole; two keys that become one keep both values."""
    changed = False
    found: dict[str, Any] = {}
    named = _pair(value)
    for key, item in value.items():
        secret = type(item) is str and (_names_a_secret(key, item) or (named and key.lower() == "value"))
        label = _label(named if named and key.lower() == "value" else key) if secret else ""
        new = hide(item, label, True) if secret else redacted(item, hide)
        name = redacted(key, hide)
        while name is not key and name in found:
            name += "+"
        changed = changed or new is not item or name is not key
        found[name] = new
    return FrozenMap(found) if changed else value


def _pair(value: Mapping[str, Any]) -> str:
    """The name in an object that says name and value, as lists of headers do, if it is that of a secret."""
    for key in ("name", "key", "header", "Name", "Key"):
        name = value.get(key)
        if type(name) is str and _is_name_of_a_secret(name):
            return name
    return ""


def _is_name_of_a_secret(name: str) -> bool:
    lower = name.lower()
    return " " not in name and (lower in HEADERS or _names_a_secret(name, "x" * 20 + "1"))


def redact(text: str, hide: Hide = _marked) -> str:
    """The text without its secrets, for people and for the ledger."""
    return _replaced(text, _EVERYWHERE, hide) if is_suspicious(text) else text


def redact_target(text: str) -> str:
    """The text without token shapes and passwords in addresses; everything else of it stays."""
    return _replaced(text, _SHAPES) if is_suspicious(text) else text


def secrets_in(text: str, *, named: bool) -> list[tuple[int, int, str]]:
    """Where secrets stand in the text, and what they are: what has the shape of one, a password in an address, and with
    `named` what looks random behind a name that says secret."""
    if not is_suspicious(text):
        return []
    random = [span for span in _spans(text, (_named,)) if _looks_random(text[span[0] : span[1]])] if named else []
    return [*_spans(text, _SHAPES), *random]


def secret_words(value: Any) -> frozenset[str]:
    """The words of all secrets in JSON data that look random, so that they can be taken out wherever they turn up.

    Only those: a word that somebody merely called a secret must not disappear from where rules look for it.
    """
    found: set[str] = set()
    for text, whole in _texts_in(value):
        spans = [(0, len(text), "")] if whole else _spans(text, _EVERYWHERE) if is_suspicious(text) else []
        for start, end, what in spans:
            words = words_of(text[start:end])
            found.update([word for word in words if what == "private-key" or (len(word) >= _LONG and is_mixed(word))])
    return frozenset(found)


def _texts_in(value: Any) -> list[tuple[str, bool]]:
    """Every text, and whether its name alone makes it a secret."""
    kind = type(value)
    if kind is str:
        return [(value, False)]
    if kind is tuple or kind is list:
        return [found for item in value for found in _texts_in(item)]
    if kind is not FrozenMap and kind is not dict:
        return []
    found = []
    for key, item in value.items():
        found += [(key, False), *_texts_in(item)]
        if type(item) is str and _names_a_secret(key, item):
            found.append((item, True))
    return found


def _replaced(text: str, scanners: tuple[Callable[[str, str], list[Span]], ...], hide: Hide = _marked) -> str:
    parts, at, spans = [], 0, _joined(_spans(text, scanners))
    shapes = set() if hide is _marked else {span[:2] for span in _spans(text, _SHAPES)}
    for start, end, what in spans:
        parts += [text[at:start], hide(text[start:end], what, (start, end) not in shapes)]
        at = end
    return "".join([*parts, text[at:]]) if spans else text


def _joined(spans: list[Span]) -> list[Span]:
    """Those that overlap as one, named after the first."""
    found: list[Span] = []
    at = 0
    for start, end, what in spans:
        if end <= at:
            continue
        if start < at:
            found[-1] = (found[-1][0], end, found[-1][2])
        else:
            found.append((start, end, what))
        at = end
    return found


_known: dict[tuple[str, bool], list[Span]] = {}  # of the last few texts: a call's are asked for several times


def _spans(text: str, scanners: tuple[Callable[[str, str], list[Span]], ...]) -> list[Span]:
    everywhere = scanners is _EVERYWHERE
    known = _known.get((text, everywhere)) if len(scanners) > 1 else None
    if known is not None:
        return known
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when made small; places would no longer fit
        lower = "".join([char.lower() if char.isascii() else char for char in text])
    found = [span for scan in scanners for span in scan(text, lower)]
    if len(scanners) == 1:
        return found
    found += by_place(text, lower, everywhere, redact)
    spans = sorted(found, key=lambda span: (span[0], -span[1]))
    if len(text) <= MAX_SCRIPT_BYTES:
        if len(_known) >= _KNOWN:
            _known.clear()
        _known[text, everywhere] = spans
    return spans


def _places(text: str, word: str) -> list[int]:
    found, at = [], text.find(word)
    while at >= 0:
        found.append(at)
        at = text.find(word, at + len(word))
    return found


_WORDS = bytes([code if chr(code) in WORD else 32 for code in range(256)])
_BY_OPENING: dict[bytes, list[tuple[int, str, str, frozenset[str], int]]] = {}


def _by_opening() -> dict[bytes, list[tuple[int, str, str, frozenset[str], int]]]:
    """The tokens under their first two characters, or under nothing; made for the first text that needs it."""
    if not _BY_OPENING:
        for at, (start, row) in enumerate(TOKENS.items()):
            opening = start[:2].encode() if WORD.issuperset(start[:2]) else b""
            _BY_OPENING.setdefault(opening, []).append((at, start, *row))
    return _BY_OPENING


def _possible_tokens(text: str) -> list[tuple[int, str, str, frozenset[str], int]]:
    """Those of the table, in its order, that begin as some word of the text does: of two hundred, a few."""
    words = text.encode("utf-8", "surrogatepass").translate(_WORDS).split()
    table = _by_opening()
    return sorted([row for opening in {b"", *[word[:2] for word in words]} & table.keys() for row in table[opening]])


def _tokens(text: str, _lower: str) -> list[Span]:
    found: list[Span] = []
    for _, start, name, characters, least in _possible_tokens(text):
        if start not in text:
            continue
        end = 0
        for at in _places(text, start):
            if at < end or (at and text[at - 1] in WORD):
                continue
            body = end = at + len(start)
            while end < len(text) and text[end] in characters:
                end += 1
            if end - body >= least and (name != "jwt" or text.count(".", body, end) >= 1):
                found.append((at, end, name))
    return found


def _looks_random(text: str) -> bool:
    return len(text) >= _LONG and any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _private_keys(text: str, _lower: str) -> list[Span]:
    found: list[Span] = []
    end = 0
    for at in _places(text, "-----BEGIN"):
        head = text.find("-----", at + 10)
        if at < end or head < 0 or "PRIVATE" not in text[at:head]:
            continue
        tail = text.find("-----END", head)
        end = text.find("-----", tail + 8) + 5 if tail >= 0 else 0
        end = end if end > 4 else len(text)
        found.append((at, end, "private-key"))
    return found


def _addresses(text: str, _lower: str) -> list[Span]:
    """Passwords in `scheme://name:password@host`, and a long name without one."""
    found: list[Span] = []
    for at in _places(text, "://"):
        start = end = at + 3
        while end < len(text) and text[end] not in " \t\r\n\"'`/?#<>":
            end += 1
        owner = text.rfind("@", start, end)
        if owner < 0:  # a password may hold what ends an address
            rest = text[end : end + 64]
            owner = end + rest.find("@")
            if owner < end or ":" not in text[start:end] or any(char in rest[: owner - end] for char in " \t\r\n\"'`"):
                continue
        if MARK in text[start:owner]:
            continue
        colon = text.find(":", start, owner)
        if 0 <= colon < owner - 1:
            if text[colon + 1] != "$":
                found.append((colon + 1, owner, "password"))
        elif colon < 0 and _looks_random(text[start:owner]):
            found.append((start, owner, "token"))
    return found


_TELLING = (*NAMES, *ENDINGS, "_key", "-key")


def _named(text: str, lower: str) -> list[Span]:
    """What follows a name that says secret: `NAME=…`, `name: …`, `"name": "…"`, `--name …`, `set name …`."""
    found: list[Span] = []
    done = -1
    for at, word in sorted([(at, name) for name in _TELLING if name in lower for at in _places(lower, name)]):
        if at < done:
            continue
        first, last = at, at + len(word)
        while first and text[first - 1] in WORD:
            first -= 1
        while last < len(text) and text[last] in WORD:
            last += 1
        if word in ENDINGS and not _ends_like_a_secret(lower[first:last].lstrip("-")):
            continue
        if text[max(0, first - len(MARK)) : first] == MARK:
            continue
        done = last
        span, sure = _value(text, first, last)
        if span is None:
            continue
        if text[span[0] - 1] not in _QUOTES:
            done = max(done, span[1])
        if _is_secret(text[first:last], text[span[0] : span[1]], not sure or word in ("_key", "-key")):
            found.append((*span, _label(text[first:last])))
    return found


def _value(text: str, first: int, last: int) -> tuple[tuple[int, int] | None, bool]:
    """Where the value of the name at `first` to `last` stands, if one does, and whether it is one however it looks."""
    at = last
    while at < len(text) and text[at] in "\\]" + _QUOTES:  # of a quoted key, or an index
        at += 1
    closed = at
    while at < len(text) and text[at] in " \t":
        at += 1
    sure = True
    if at < len(text) and text[at] in "=:":
        at += 2 if text[at : at + 2] in (":=", "=>", "==") else 1
        if text[at - 1] == ":" and text[at : at + 2] == "//":
            return None, False
    elif text[at : at + 1] == ">" and text[first - 1 : first] == "<":  # an element
        return (at + 1, max(at + 1, _until(text, at + 1, "<"))), True
    elif text[at : at + 6] == "value=" or (text[at : at + 1] == "{" and "default" in text[at : at + 80]):
        at = text.find("=", at) + 1  # an attribute beside it, a variable's default
    elif text[at : at + 1] in (",", "("):  # the next argument, the argument
        sure = text[at] == "(" or text[first - 2 : first - 1] == "("
        at += 1
        if text[at:].lstrip(" ")[:1] not in ("'", '"'):
            return None, False
    elif not (at > closed and (text[first : first + 1] == "-" or text[max(0, first - 4) : first] == "set ")):
        # `PASSWORD 'x'`, `password x` of a list of logins: a value only if it looks like one, or the words say so
        if at == closed or at >= len(text):
            return None, False
        sure = text[first:last] == "PASSWORD" or text[max(0, first - 80) : first].split()[-2:-1] == ["login"]
    while at < len(text) and text[at] in " \t":
        at += 1
    while at < len(text) and text[at] == "\\":
        at += 1
    if text[at : at + 1] in ("$", "<", "{", "[", "%"):
        return None, False  # a reference to something else, or the beginning of more
    if at < len(text) and text[at] in _QUOTES:
        end = at + 1
        while end < len(text) and text[end] != text[at]:
            end += 2 if text[end] == "\\" and text[end + 1 : end + 2] != text[at] else 1
        end = min(end, len(text))
        stop = end - 1 if text[end - 1 : end] == "\\" else end
        return (at + 1, max(stop, at + 1)), sure
    end = at
    while end < len(text) and text[end] not in _ENDS:
        end += 1
    if text[at:end] in _TYPES and text[end : end + 3] == " = ":  # `token: string = "…"`
        return _value(text, first, end)
    return (at, end), sure


def _until(text: str, at: int, char: str) -> int:
    found = text.find(char, at)
    return len(text) if found < 0 else found


def _is_secret(name: str, value: str, must_look_random: bool) -> bool:
    if value.lower() in _NO_SECRETS or value[:1] in "$<{[%" or value.startswith(("./", "~/")):
        return False  # nothing, a reference to something else, or the name of a file
    lower = name.lower()
    if value.isdigit() and len(value) < 12 and lower.endswith("tokens"):
        return False  # a count of tokens
    if lower.endswith(("file", "path", "stdin", "dir", "name", "type", "url", "uri", "id")) and not _looks_random(
        value
    ):
        return False
    return _looks_random(value) if must_look_random else True


def _names_a_secret(key: str, value: str) -> bool:
    lower = key.lower()
    kind = _KINDS.get(lower)
    if kind is None:
        kind = _kind_of(lower)
        if len(_KINDS) < _MOST_KINDS and len(lower) <= _LONGEST_KIND:
            _KINDS[lower] = kind
    if kind == "whole":
        return _is_secret(key, value, False)
    if kind == "none":
        return lower.endswith(("_key", "-key")) and _is_secret(key, value, True)
    return " " not in key and _is_secret(key, value, False) and (" " not in value or "pass" in lower)


_ENDINGS = tuple(ENDINGS)

# How a name sounds, by the name: those of arguments come again with every call.
_KINDS: dict[str, str] = {}
_MOST_KINDS, _LONGEST_KIND = 1024, 64


def _kind_of(lower: str) -> str:
    if lower in HEADERS or _ends_like_a_secret(lower):
        return "whole"
    return "part" if any(word in lower for word in NAMES) else "none"


def _ends_like_a_secret(lower: str) -> bool:
    """Names of which a part is too short to look for anywhere: `pass`, `wifi_psk`."""
    if not lower.endswith(_ENDINGS):
        return False
    return any(lower.endswith(end) and (lower == end or lower[-len(end) - 1] in "_-") for end in ENDINGS)


def _label(name: str) -> str:
    lower = name.lower()
    for word, label in (("pass", "password"), ("pwd", "password"), ("token", "token"), ("key", "key")):
        if word in lower:
            return label
    return "secret"


def _headers(text: str, lower: str) -> list[Span]:
    found: list[Span] = []
    for header in [header for header in HEADERS if header in lower]:
        end = 0
        for at in _places(lower, header):
            if at < end:
                continue
            start = at + len(header)
            before = text[at - 1] if at else " "
            while start < len(text) and text[start] in "\\ \t" + _QUOTES:
                start += 1
            if before in WORD or start >= len(text) or text[start] not in ":=":
                continue
            start += 1
            while start < len(text) and text[start] in "\\ \t" + _QUOTES:
                start += 1
            end = start
            while end < len(text) and text[end] not in "\r\n\"'`":
                end += 1
            scheme = text.find(" ", start, end)
            if 0 < scheme - start <= 12 and text[start:scheme].isalpha() and header.endswith("authorization"):
                start = scheme + 1
            if end > start and text[start] != "$":
                found.append((start, end, "authorization" if header.endswith("authorization") else "header"))
    for at in _places(lower, "bearer "):
        end = start = at + 7
        while end < len(text) and text[end] not in _ENDS:
            end += 1
        if _looks_random(text[start:end]):
            found.append((start, end, "authorization"))
    return found


_SHAPES = (_tokens, _private_keys, _addresses)
_EVERYWHERE = (*_SHAPES, _headers, _named)
