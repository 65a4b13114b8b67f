"""A filter of jq or yq: what it takes besides its input, read by tokens.

jq can look at the environment and bring in modules; there is nothing else that it can do. yq can load files too, and
takes the words of its language apart without regard to where a word ends.
"""

from __future__ import annotations

from . import Broken, Filter, Unread

__all__ = ["read_jq", "read_yq"]

_MODULES = frozenset(("import", "include", "modulemeta"))
_ENVIRONMENT = frozenset(("env", "$ENV", "ENV"))  # some versions take `$ ENV` for one word
_YQ_REACHES = ("load", "system", "exec", "eval")
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_SPACE = " \t\n\r"


def read_jq(text: str) -> Filter:
    try:
        words = _words(text, 0, "")[0]
    except (Broken, Unread) as why:
        return Filter(unread=str(why) or "a filter of jq that does not end where it should")
    if not _MODULES.isdisjoint(words):
        return Filter(unread="a filter of jq that brings in a module")
    keys = [_key(words, i) for i, word in enumerate(words) if word in _ENVIRONMENT]
    return Filter(environment=tuple(dict.fromkeys(keys)))


def read_yq(text: str) -> Filter:
    try:
        if "\\(" in text:
            raise Unread("an expression of yq that versions split in several ways")
        words = _words(text, 0, "", comments=False)[0]
    except (Broken, Unread) as why:
        return Filter(unread=str(why) or "an expression of yq that does not end where it should")
    names = [word.lower() for word in words if word[:1] not in (".", '"')]
    if any(part in name for name in names for part in _YQ_REACHES):
        return Filter(unread="an expression that reads other files, or runs a program")
    return Filter(environment=("",) if any("env" in name for name in names) else ())


def _key(words: list[str], at: int) -> str:
    """`env.NAME`, `$ENV["NAME"]`: the variable; empty, for all of them, where another form is used."""
    after = words[at + 1 : at + 4]
    if after and after[0][:1] == "." and "\0" not in after[0]:
        return after[0][1:]
    if len(after) == 3 and after[0] == "[" and after[1][:1] == '"' and after[2] == "]" and "\0" not in after[1]:
        return after[1][1:]
    return ""


def _words(text: str, at: int, until: str, *, comments: bool = True) -> tuple[list[str], int]:
    """Names, fields (`.name`), strings (a quote and their text) and marks, without the keys of objects.

    A string has NUL for each escape; what it takes in by `\\(…)` follows it.
    """
    found: list[str] = []
    opened: list[str] = []
    while at < len(text):
        char = text[at]
        if char in _SPACE:
            at += 1
        elif char == "#":
            if not comments:
                raise Unread("a comment in an expression")
            at = _past_comment(text, at)
        elif char == '"' or text.startswith('."', at):
            value, inner, at = _string(text, at + (1 if char == '"' else 2))
            found += [char + value, *inner]
        elif char == "." and _starts_name(text, at + 1):
            end = _past_name(text, at + 1)
            found.append(text[at:end])
            at = end
        elif _starts_name(text, at) or (char == "$" and _starts_name(text, at + 1)):
            end = _past_name(text, at + 1)
            if char == "$" or not _is_key(text, end, found, opened):
                found.append(text[at:end])
            at = end
        else:
            if char == until and not opened:
                return found, at + 1
            if char in _CLOSES:
                opened.append(char)
            elif char in _CLOSES.values() and (not opened or _CLOSES[opened.pop()] != char):
                raise Broken
            found.append(char)
            at += 1
    if until or opened:
        raise Broken
    return found, at


def _is_key(text: str, end: int, found: list[str], opened: list[str]) -> bool:
    """`{env: 1}`, `{name, env}`: the name of a field, and no function."""
    if opened[-1:] != ["{"] or found[-1] not in ("{", ","):
        return False
    while end < len(text) and text[end] in _SPACE:
        end += 1
    return text[end : end + 1] in (":", ",", "}")


def _past_comment(text: str, at: int) -> int:
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    if text[at:end].rstrip("\r").endswith("\\"):
        raise Unread("a comment in a filter that some versions of jq carry on in the next line")
    return end


def _string(text: str, at: int) -> tuple[str, list[str], int]:
    value = ""
    inner: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return value, inner, at + 1
        if char != "\\":
            value, at = value + char, at + 1
        elif text[at + 1 : at + 2] == "(":
            words, at = _words(text, at + 2, ")")
            value, inner = value + "\0", [*inner, "(", *words, ")"]
        else:
            value, at = value + "\0", at + 2
    raise Broken


def _starts_name(text: str, at: int) -> bool:
    char = text[at : at + 1]
    return char == "_" or (char.isascii() and char.isalpha())


def _past_name(text: str, at: int) -> int:
    while at < len(text) and (text[at] == "_" or (text[at].isascii() and text[at].isalnum())):
        at += 1
    return at
