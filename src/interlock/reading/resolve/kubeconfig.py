"""Which context is in force, and which namespace it sets, from the texts of the kubeconfigs that kubectl puts together.

kubectl reads all of YAML. Here only the plain part is read in which it writes: one key a line, plain or quoted texts.
Whatever else stands in a file (anchors, flow, escapes, texts over several lines, two documents) makes it odd, and
then nothing is told. A wrong answer would be worse than none.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Tree = str | list["Tree"] | dict[str, "Tree"]

__all__ = ["current_context", "namespace_of"]

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEY = _LETTERS | frozenset("-")
_WORD = _LETTERS | frozenset("0123456789._:/@+=-~ ")
_NUMBERS = frozenset("0123456789abcdefox._:+-")  # what YAML may take for a number, a time or a date
_MEAN_ELSE = frozenset("true false yes no on off y n".split())
_NULL = frozenset(("", "null", "~"))


class _Odd(Exception):
    """The text is not in the style that is read here."""


class _Config(Value):
    """The context that is in force, and context -> its namespace. `` is none."""

    current: str
    namespaces: Mapping[str, str]


def current_context(texts: Iterable[str]) -> str | None:
    """Of several files the first that names one; `` if none does. None: they cannot be told."""
    try:
        return next((found.current for text in texts if (found := _config(text)).current), "")
    except _Odd:
        return None


def namespace_of(context: str, texts: Iterable[str]) -> str | None:
    """The namespace that a context sets, `default` where it sets none: the first file that has the context counts."""
    try:
        found = next((kept for text in texts if context in (kept := _config(text).namespaces)), None)
    except _Odd:
        return None
    return None if found is None else found[context] or "default"


def _config(text: str) -> _Config:
    sections: dict[str, list[str]] = {}
    current, inside = "", ""
    for line in _lines(text):
        if line[0] in " -":
            if inside not in sections:
                raise _Odd
            _check(line)
            sections[inside].append(line)
            continue
        inside, value = _pair(line)
        if inside in sections:
            raise _Odd
        sections[inside] = []
        if inside == "current-context":
            current = _scalar(value)
        elif inside == "contexts" and _bare(value) not in ("", "[]", "null"):
            raise _Odd
        else:
            _check(line)
    if sections.get("current-context"):
        raise _Odd  # it goes on in the next line
    return _Config(current=current, namespaces=_namespaces(sections.get("contexts", [])))


def _lines(text: str) -> list[str]:
    """All but blank lines and comments. Where YAML and we may see different lines, none."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if "\t" in text or text.splitlines() != (lines[:-1] if not lines[-1] else lines):
        raise _Odd
    found = [line for line in lines if line.strip() and line.lstrip(" ")[0] != "#"]
    return found[1:] if found[:1] == ["---"] else found


def _check(line: str) -> None:
    """A line of a part that does not count: it must not open what hides the lines behind it."""
    body = line.lstrip(" ")
    while body.startswith("- "):
        body = body[2:].lstrip(" ")
    _, colon, value = body.partition(": ")
    for text in (body, value.strip()) if colon else (body,):
        if text[:1] in ("'", '"'):
            _quoted(text)
        elif text[:1] in ("&", "*", "!", "?", "%", "@", "`") or (
            text[:1] in ("{", "[") and _bare(text) not in ("{}", "[]")
        ):
            raise _Odd
    if line[0] == "-" and body.startswith(("-", ".")):
        raise _Odd  # `---` begins another document


def _namespaces(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    entries = _tree([(len(line) - len(body), body.rstrip()) for line in lines if (body := line.lstrip(" "))])
    for entry in entries if type(entries) is list else [entries] if entries else []:
        context = entry.get("context") if type(entry) is dict else None
        name = _text(entry, "name") if type(entry) is dict else ""
        if type(context) is not dict or not name or name in found:
            raise _Odd
        found[name] = _text(context, "namespace")
    return found


def _text(table: dict[str, Tree], key: str) -> str:
    value = table.get(key, "")
    if type(value) is not str:
        raise _Odd
    return _scalar(value)


def _tree(lines: list[tuple[int, str]]) -> Tree:
    """Lists and tables by their indentation, with values as they are spelt."""
    if not lines:
        return ""
    depth = lines[0][0]
    starts = [at for at, (deep, body) in enumerate(lines) if deep == depth and not _goes_on(at, lines)]
    if any(deep < depth for deep, _ in lines):
        raise _Odd
    parts = [lines[at:end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=True)]
    if lines[0][1].startswith("- "):
        return [_item(part) for part in parts]
    table: dict[str, Tree] = {}
    for (_, body), *below in parts:
        key, value = _pair(body)
        if key in table or (below and _bare(value)):
            raise _Odd
        table[key] = _tree(below) if below else value
    return table


def _goes_on(at: int, lines: list[tuple[int, str]]) -> bool:
    """Whether it is an entry of a list that stands as deep as its key."""
    return at > 0 and lines[at][1].startswith("-") and not lines[0][1].startswith("-")


def _item(part: list[tuple[int, str]]) -> Tree:
    depth, body = part[0]
    if not body.startswith("- "):
        raise _Odd
    rest = body[2:].lstrip(" ")
    return _tree([(depth + len(body) - len(rest), rest), *part[1:]])


def _pair(body: str) -> tuple[str, str]:
    key, colon, value = body.partition(":")
    if not colon or not key or not _KEY.issuperset(key) or value[:1] not in ("", " "):
        raise _Odd
    return key, value


def _bare(value: str) -> str:
    """Without blanks and a comment."""
    return "" if value.lstrip(" ")[:1] == "#" else value.partition(" #")[0].strip()


def _quoted(text: str) -> str:
    """What a text in quotes is, which ends in its line."""
    inner, mark, rest = text[1:].partition(text[0])
    if not mark or "\\" in inner or (rest.strip() and _bare(rest) != "") or rest[:1] not in ("", " "):
        raise _Odd
    return inner


def _scalar(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"'):
        return _quoted(value)
    text = _bare(value)
    lower = text.lower()
    if lower in _NULL:
        return ""
    starts = text[0] in _LETTERS or (text[0] in "0123456789" and not _NUMBERS.issuperset(lower))
    if not starts or not _WORD.issuperset(text) or lower in _MEAN_ELSE or ": " in text:
        raise _Odd
    return text
