"""The words and values in texts, arguments and results, as `origins.py` compares them.

Case, quotes and the ends of sentences do not matter; an address is one word. Nothing here knows where a value came
from.
"""

from __future__ import annotations

from ..limits import MAX_LEAVES, MAX_RESULT_CHARS
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..bytes.strict import parse_json
else:
    parse_json = lazy(globals(), "..bytes.strict", "parse_json")

__all__ = [
    "addresses",
    "each_recipient",
    "is_address",
    "leaves",
    "loosened",
    "number_of",
    "numbers_in",
    "opened",
    "pieces",
    "telling",
    "text_of",
    "values_at",
    "values_beside",
    "words_of",
]

_EDGES = ".,:;!?-_/\\'\"`()[]{}<>*#|=~+&"
_INSIDE = frozenset("@._-+/:%&=?#~")
_SECRET_LENGTH = 6
_SEPARATORS = frozenset(" -+().\t\u00a0")
_NUMBER_LENGTH, _NUMBER_DIGITS, _MOST_GROUPS = 8, 6, 9  # of an account or a telephone
_ACCOUNT_LENGTH = 15
# Endings of files that no host of the Internet has: `notes.txt` is no address, `notes.md` may be one.
_FILES = frozenset(
    (
        *("bak", "bat", "bmp", "cfg", "class", "conf", "cpp", "css", "csv", "dll", "doc", "docx", "exe", "gif", "go"),
        *("gz", "hpp", "htm", "html", "ini", "ipynb", "jar", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt"),
        *("lock", "log", "lua", "mjs", "odt", "parquet", "pdf", "php", "png", "ppt", "pptx", "rb", "rst", "sql"),
        *("sqlite", "svg", "swift", "tar", "tgz", "tmp", "toml", "ts", "tsx", "txt", "wav", "whl", "xls", "xlsx"),
        *("xml", "yaml", "yml"),
    )
)
# Scripts that put no blank between words: each of their characters is one.
_WITHOUT_BLANKS = ((0x0E00, 0x0EFF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


def words_of(text: str) -> list[str]:
    """Words as they are compared: without case, quotes and the ends of sentences; an address is one word."""
    folded = _apart(text).casefold().replace("https://", " ").replace("http://", " ")
    spaced = "".join([char if char.isalnum() or char in _INSIDE else " " for char in folded])
    if not spaced.isascii():
        spaced = "".join([f" {char} " if _stands_alone(char) else char for char in spaced])
    found = [word.strip(_EDGES).removeprefix("www.") for word in spaced.split()]
    return [word for word in found if word]


def _stands_alone(char: str) -> bool:
    return ord(char) > 0x0DFF and any(first <= ord(char) <= last for first, last in _WITHOUT_BLANKS)


def _apart(text: str) -> str:
    """A full stop between a small and a capital letter ends a sentence, although the blank is missing."""
    parts = text.split(".")
    found = parts[:1]
    for part in parts[1:]:
        found.append((". " if found[-1][-1:].islower() and part[:1].isupper() else ".") + part)
    return "".join(found)


def addresses(text: str) -> list[str]:
    """Words of a text that something could be sent to: mail addresses, hosts and their paths, account numbers."""
    return list(dict.fromkeys([word for word in words_of(text) if is_address(word)]))


def is_address(word: str) -> bool:
    if "@" in word:
        return "." in word.rpartition("@")[2]
    host = word.partition("/")[0].partition("?")[0].partition(":")[0]
    name, dot, end = host.rpartition(".")
    if end in _FILES and host == word:
        return False
    if dot and len(end) > 1 and end.isalpha() and name.replace(".", "").replace("-", "").isalnum():
        return True
    plain = word.replace("-", "")
    return len(plain) >= _ACCOUNT_LENGTH and plain.isalnum() and not plain.isalpha()


def each_recipient(text: str) -> list[str]:
    """The parts of `Ann Lee <ann@acme.example>, bob@acme.example`: of each, what it is sent to."""
    parts = [part.strip() for part in text.replace(";", ",").replace("\n", ",").split(",")]
    return [_within_brackets(part) for part in parts if part]


def _within_brackets(part: str) -> str:
    """Of a name with an address the address; anything that is not exactly that stays as it is."""
    if part.count("<") == 1 and part.count(">") == 1 and part.endswith(">"):
        part = part[part.index("<") + 1 : -1].strip()
    return part[7:] if part[:7].casefold() == "mailto:" else part


def loosened(words: list[str]) -> list[str]:
    """The same with `dev-ops`, `dev_ops` and `shop#412` as two words each. An address stays one word."""
    found: list[str] = []
    for word in words:
        head, mark, number = word.rpartition("#")
        if mark and number.isdigit():
            found += [head, number] if head else [number]
        elif any(char in word for char in "@./:"):
            found.append(word)
        else:
            found += word.replace("_", "-").split("-")
    return [word for word in found if word]


def pieces(words: list[str]) -> list[str]:
    """The parts of paths and of addresses behind the host: services take `acme/shop` as an owner and a name."""
    found: list[str] = []
    for word in words:
        first, *rest = word.split("/")
        found += rest if is_address(first) or ":" in first else [first, *rest] if rest else []
    return [piece for part in found for piece in [part.strip(_EDGES)] if piece]


def number_of(text: str) -> str:
    """An account or a telephone number without its blanks and marks; empty if the text is none."""
    plain = "".join([char for char in text if char not in _SEPARATORS]).casefold()
    digits = sum([char.isdigit() for char in plain])
    return plain if len(plain) >= _NUMBER_LENGTH and digits >= _NUMBER_DIGITS and plain.isalnum() else ""


def numbers_in(words: list[str]) -> list[str]:
    """Every such number that a text may hold, also in groups: `gb33 bukb 2020 1555`, `+1 555 0142`."""
    found: list[str] = []
    for start in range(len(words)):
        joined = ""
        for word in words[start : start + _MOST_GROUPS]:
            if not any(char.isdigit() for char in word) and not (len(word) == 4 and word.isalpha()):
                break
            joined += word
            number = number_of(joined)
            if number:
                found.append(number)
    return list(dict.fromkeys(found))


def telling(text: str) -> list[str]:
    """Words that tell something by themselves: long enough, with a digit or an address."""
    return [
        word
        for word in words_of(text)
        if len(word) >= _SECRET_LENGTH and (any(char.isdigit() for char in word) or is_address(word))
    ]


def text_of(leaf: object) -> str:
    return leaf if type(leaf) is str else str(leaf)


def opened(result: Any) -> Any:
    """A result that is JSON in a text is what it says; also as tool servers wrap it. Texts inside of it stay texts."""
    if type(result) is FrozenMap or type(result) is dict:
        content = result.get("content")
        if isinstance(content, tuple | list) and all(isinstance(part, FrozenMap | dict) for part in content):
            texts = [part.get("text") for part in content if part.get("type") == "text"]
            if texts:
                return [opened(text) for text in texts]
        return result
    return _as_data(result[:MAX_RESULT_CHARS]) if type(result) is str else result


def _as_data(value: Any) -> Any:
    """What a text says that is an object or a list in JSON; anything else as it is."""
    if type(value) is not str or value.lstrip()[:1] not in ("{", "["):
        return value

    try:
        return parse_json(value.encode("utf-8", "surrogatepass"))
    except InputError:
        return value


def values_at(given: Mapping[str, Any], argument: str) -> list[Any]:
    """Texts and numbers that stand under `a` or, where there is no argument of that name, under `a.b`.

    An object or a list that is written as a text counts as what it says, and an address that is a key as a value.
    """
    found = [given[argument]] if argument in given else _beneath([given], argument.split("."))
    return [leaf for value in found for _, leaf in leaves(_as_data(value), keys=True)]


def values_beside(given: Mapping[str, Any], arguments: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Texts and numbers that stand under none of these names, each with the argument that it is a part of."""
    found = []
    for path, leaf in leaves(given, keys=True):
        names = [".".join(path[: at + 1]) for at in range(len(path))]
        if not any(name in arguments for name in names):
            found.append((path[0] if path else "", leaf))
    return found


def _beneath(values: list[Any], names: Sequence[str]) -> list[Any]:
    for name in names:
        items: list[Any] = []
        stack = [_as_data(value) for value in reversed(values)]
        while stack:
            value = stack.pop()
            if isinstance(value, tuple | list):
                stack += [_as_data(item) for item in reversed(value)]
            elif isinstance(value, FrozenMap | dict) and name in value:
                items.append(value[name])
        values = items
    return values


def leaves(data: Any, *, keys: bool = False) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Texts and numbers with the names above them, up to a limit. `keys`: names that are addresses too."""
    left = MAX_LEAVES
    stack: list[tuple[tuple[str, ...], Any]] = [((), data)]
    while stack and left:
        at, value = stack.pop()
        if type(value) is FrozenMap or type(value) is dict:
            stack += [((*at, str(name)), inner) for name, inner in reversed(list(value.items()))]
            if keys:
                stack += [(at, str(name)) for name in value if addresses(str(name))]
        elif isinstance(value, tuple | list):
            inner: Sequence[Any] = value
            stack += [(at, item) for item in reversed(inner)]
        elif value is not None and type(value) is not bool:
            left -= 1
            yield at, value
