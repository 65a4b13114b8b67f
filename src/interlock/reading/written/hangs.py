"""What a line of code hangs on: the statements that say what it does, in the same text.

A person who says yes to `spawn(command, words)` was shown that line, so the yes is bound to what sets `command` and
`words`, what calls the function around them and what uses an import, and to nothing else of the file: the rest may be
edited all day. Names are followed as words, without scopes. That takes in too much rather than too little.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["statements_of"]

_MOST_LINES, _LONGEST, _MOST_ROUNDS = 8000, 2000, 12  # of a text beyond these, all of it counts
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_BRINGS = re.compile(r"(?:^|[\s;{])(?:import|require|require_once|use|using|from|include|extern|open)\b|\brequire\s*\(")
_DEFINES = re.compile(
    r"(?:^|[\s;{(])(?:const|let|var|val|my|our|local|static|auto|def|defp|fn|func|fun|function|sub|proc|for|foreach"
    r"|each|import|use|using|from|require|macro_rules!|#\\s*define|set|export|with|as)\b"
)
_FUNCTION = re.compile(
    r"(?:\b(?:def|defp|fn|func|fun|function|sub|proc)\s+(?:\([^)]*\)\s*)?(?:[\w$]+[.:])?"
    r"|(?:const|let|var|val)\s+(?=[\w$]+\s*(?::[^=]+)?=\s*(?:async\b\s*)?(?:\(|[\w$]+\s*=>|function\b))"
    r"|^\s*(?:(?:async|static|public|private|protected|export|override|final)\s+)*(?=[\w$]+\s*\([^)]*\)[^;(]*\{\s*$))"
    r"([\w$]+)"
)
_HEADS = re.compile(
    r"\s*(?:export\s+|pub(?:\([^)]*\))?\s+|async\s+|unsafe\s+|\}\s*)*"
    r"(?:function|fn|func|fun|def|sub|if|elif|else|for|foreach|while|try|switch|match|class|impl|mod|module|do|describe"
    r"|it|test|suite|context|namespace|interface|struct|enum|trait)\b"
)
_MORE = (",", "=", "+", "(", "[", "\\", "&&", "||", "?", ":", "=>", "->", "<<")
_STILL = (".", "?.", "->", "+", "|>", "||", "&&", "?", ":", ")", "]")
_CHANGES = (
    "push|unshift|splice|append|extend|insert|add|concat|set|put|fill|assign|arg|args|env|envs|current_dir|stdin|write"
    "|command|update|merge|replace|copy"
)
# Words of the languages, and names that say nothing by themselves.
_COMMON = frozenset(
    "and as async await auto bool break case catch char class const continue def default defer do double each elif "
    "else end enum except export extends extern false final finally float fn for foreach from func function global "
    "go goto if impl import in include inline int interface is lambda let local long match mod module mut my "
    "namespace new nil none not null nullptr of or our package pass private proc protected pub public raise ref "
    "require return self set short sizeof static std str string struct sub super switch then this throw trait true "
    "try type typeof undefined unless unsafe until use using val var void while with yield None True False Some Ok "
    "Err Self String".split()
)


def statements_of(code: str, lines: Iterable[int]) -> tuple[str, ...]:
    """The statements on these lines (counted from 1), and those that they hang on. Each is told once."""
    rows = code.split("\n")
    if len(rows) > _MOST_LINES or max(map(len, rows)) > _LONGEST:
        return (code,)
    taken: set[int] = set()
    names: set[str] = set()
    called: set[str] = set()
    for line in lines:
        _take(rows, line - 1, taken, names, called)
    for at in sorted(taken):
        if _BRINGS.search(rows[at]) is not None:  # what it brings in is used elsewhere
            called.update(_names_in(rows[at]))
    for _ in range(_MOST_ROUNDS):
        before, bears = len(taken), _bearing(names, called)
        for at, row in enumerate(rows):
            if at not in taken and bears is not None and bears.search(row) is not None:
                _take(rows, at, taken, names, called)
        if len(taken) == before:
            return tuple(dict.fromkeys([rows[at].strip() for at in sorted(taken) if rows[at].strip()]))
    return (code,)


def _take(rows: list[str], at: int, taken: set[int], names: set[str], called: set[str]) -> None:
    """The statement that begins there: until its brackets are closed, and what goes on behind it."""
    depth = 0
    block = _HEADS.match(rows[at]) is not None  # what is in a block is no part of its head
    while at < len(rows):
        row = rows[at]
        taken.add(at)
        names.update(_names_in(row))
        found = _FUNCTION.search(row)
        if found is not None:
            called.add(found.group(1))
        bare = _without_strings(row)
        for char in bare:
            depth += (char in "([") - (char in ")]")
            if not block:
                depth += (char == "{") - (char == "}")
        end = bare.rstrip()
        following = rows[at + 1].lstrip() if at + 1 < len(rows) else ""
        goes_on = depth > 0 or (not block and (end.endswith(_MORE) or following.startswith(_STILL)))
        if not goes_on:
            return
        at += 1


_FILLED = re.compile(r"[$#]\{([^}]*)\}|\{([\w$]+)[^}]*\}")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`")


def _without_strings(row: str) -> str:
    return _STRING.sub("''", row)


def _names_in(row: str) -> set[str]:
    """Names outside of strings, and those that a string is filled with."""
    filled = " ".join(["".join(found) for found in _FILLED.findall(row)])
    return {name for name in _NAME.findall(f"{_without_strings(row)} {filled}") if name not in _COMMON}


def _bearing(names: set[str], called: set[str]) -> re.Pattern[str] | None:
    """Lines that say what one of the names is, or that hand something to one of the functions."""
    if not names:
        return None
    any_name = _any_of(names)
    parts = [
        rf"{any_name}\s*(?:\??[.\[][^=(\n]{{0,80}})?(?:[-+*/|&.]|<<|\?\?|\|\||:)?=(?![=>~])",
        rf"{any_name}['\"]?\s*(?::(?![:=])|=>)",
        rf"{any_name}[\w$\].!?]*(?:\.|->|::)(?:{_CHANGES})\b",
        rf"{any_name}\s*(?:<<|\|=)",
        rf"{_DEFINES.pattern}[^=\n]*{any_name}",
    ]
    if called:
        parts.append(rf"{_any_of(called)}\s*(?:[(.!`]|::)")
    return re.compile("|".join(parts))


def _any_of(names: set[str]) -> str:
    return rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])"
