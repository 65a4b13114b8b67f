"""Looks a text through for words that act, or that hide what acts. A net, and no proof (docs/adr/0038).

What only makes sense as danger is a hit wherever it stands: a program that is started, text that is run, a name that is
put together, a secret place. What every project does is one only beside what makes it odd: removing what was not made
for the purpose, writing below the home folder, sending what the whole environment holds.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, Value
from .languages import LANGUAGES
from .words import every, first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .languages import Language

__all__ = ["Hit", "line_of", "look", "look_for_all", "without_comments"]


class Hit(Value):
    """`line` counts from 1; `text` is that line, `why` what about it is told to a person."""

    line: int
    text: str
    why: str


_SECRETS = (
    r"\.ssh/|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/|\.gnupg\b|\.netrc\b|\.kube/config|\.docker/config\.json"
    r"|/etc/(?:shadow|sudoers|cron)|\bauthorized_keys\b|\.bash(?:rc|_profile|_history)\b|\.zshrc\b"
    r"|\.git/(?:hooks|config)\b|\.claude/|\.config/interlock|/LaunchAgents/|\.pypirc\b|\.git-credentials\b"
    r"|\.local/state/interlock|\b169\.254\.169\.254\b|\bmetadata\.google\.internal\b|\bdocker\.sock\b|\.config/gh/"
    r"|\.gem/credentials"
)
_HOME_BY_NAME = (
    r"\bhomedir\s*\(|\benv(?:ironment)?(?:\.|\[['\"])HOME\b|\benv::(?:var|var_os)\s*\(\s*\"HOME|\bUserHomeDir\b"
    r"|[gG]etenv\s*\(\s*['\"]HOME|\bhome_dir\s*\(|\bDir\.home\b|\bENV(?:\.fetch\()?\[?\(?['\"]HOME|\buser_home\b"
    r"|\buser\.home\b|\bSpecialFolder\b|\bNSHomeDirectory\b|\bhomeDirectoryForCurrentUser\b|expand_path\s*\(\s*['\"]~"
    r"|expanduser\s*\(|\bPath\.home\s*\(|\$_SERVER\[['\"]HOME|\$ENV\{['\"]?HOME|\$ENV\{HOME\}|\bhomedir\s*\("
    r"|\$\{?HOME\b|\benviron\[['\"]HOME|\benv\.get\(\s*['\"]HOME|\bget_env\(\s*\"HOME|\bUSERPROFILE\b"
)
_HOME_BY_PATH = r"['\"`]~/|/home/\w|/Users/\w|['\"`]/root\b"
_TEMPORARY = (
    r"(?i)te?mp|scratch|sandbox|work_?dir|\bout(?:put)?(?:_?(?:dir|path|file))?\b|\bdist\b|\bbuild\b|coverage|fixture"
    r"|\bcache"
)
_PLAIN_NAME = r"[\w$@.]+(?:\(\))?\s*[,);]?"
_ENCODED = (
    r"['\"`](?!data:)[A-Za-z0-9+/=_-]{400,}['\"`]|(?:\\x[0-9a-fA-F]{2}){24,}|(?:\\u\{?[0-9a-fA-F]{2,6}\}?){16,}"
    r"|(?:\b0x[0-9a-fA-F]{2},\s*){64,}"
)
_STRINGS = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_ESCAPED_NAME = r"[\w$.]\\u\{?[0-9a-fA-F]|(?<![\\\w'\"])\\u\{?[0-9a-fA-F]{2,6}\}?\w*\s*[(=.]"
_ESCAPES_IN_NAMES = ("javascript", "jvm", "dotnet", "c")
_CALLED_BY_VALUE = r"(?<![\w$])[A-Za-z_$][\w$]*\[[A-Za-z_$][\w$.]*\]\s*\("
_ACTING_MODULES = (
    r"['\"](?:node:)?(?:fs|fs/promises|fs-extra|os|net|tls|http|https|dns|module|process|worker_threads)['\"]"
)


def look(text: str, language: str) -> Hit | None:
    """The first thing in the text that a person should see before it runs; None if there is nothing of the kind."""
    return next(_hits(text, language), None)


def look_for_all(text: str, language: str) -> tuple[Hit, ...]:
    """All such things, each line once."""
    found: dict[int, Hit] = {}
    for hit in _hits(text, language):
        found.setdefault(hit.line, hit)
    return tuple([found[line] for line in sorted(found)])


def _hits(text: str, language: str) -> Iterator[Hit]:
    row = LANGUAGES[language]
    code = without_comments(text, row.comment)
    for words, why in (
        (row.runs, row.told),
        (row.computes, "runs or loads what it puts together"),
        (_SECRETS, "names a place that holds secrets, or that others obey"),
        (_ENCODED, "holds a long encoded text"),
    ):
        for found in every(words, code):
            yield _hit(code, found.start(), why)
    yield from _hidden_names(code, row)
    yield from _odd_pairs(code, row)


def _hidden_names(code: str, row: Language) -> Iterator[Hit]:
    """Names whose letters are written as numbers, or that are looked up by a value."""
    if row.name in _ESCAPES_IN_NAMES and "\\u" in code:
        bare = re.sub(_STRINGS, lambda found: " " * len(found.group()), code)
        for found in every(_ESCAPED_NAME, bare):
            yield _hit(code, found.start(), "writes the letters of a name as numbers")
    if row.name == "javascript" and first(_ACTING_MODULES, code) is not None:
        for found in every(_CALLED_BY_VALUE, code):
            yield _hit(code, found.start(), "calls what it looks up by a value")


def _odd_pairs(code: str, row: Language) -> Iterator[Hit]:
    """What is ordinary by itself, beside what makes it odd."""
    by_name = first(_HOME_BY_NAME, code)
    home = by_name or first(_HOME_BY_PATH, code)
    for removal in every(row.removes, code):
        if home is not None or not _made_for_it(code[removal.end() : removal.end() + 80], code, row):
            yield _hit(code, removal.start(), "removes files")
    if row.writes and by_name is not None and first(row.writes, code) is not None:
        for name in every(_HOME_BY_NAME, code):
            yield _hit(code, name.start(), "writes, and knows the home folder")
    if row.writes and home is not None:
        for write in every(row.writes, code):
            if first(_HOME_BY_PATH, _line_at(code, write.start())) is not None:
                yield _hit(code, write.start(), "writes below a home folder")
    if first(row.net, code) is not None and (first(row.dumps, code) is not None or by_name is not None):
        for told in (*every(row.dumps, code), *every(_HOME_BY_NAME, code), *every(row.net, code)):
            yield _hit(code, told.start(), "reaches other machines, and takes in what is not for them")


def _made_for_it(argument: str, code: str, row: Language) -> bool:
    """Whether what is removed looks like what the text itself has made: a temporary folder, an output."""
    line = argument.partition("\n")[0]
    if re.match(r"\s*['\"`]?(?:/(?!tmp/|var/tmp/)|\.\./|~)", line):
        return False
    given = line.partition(";")[0]
    if re.search(_TEMPORARY, given.partition(",")[0]) is not None:
        return True
    makes = first(row.makes, code) is not None
    return makes and re.match(_PLAIN_NAME, given.strip()) is not None


def without_comments(text: str, mark: str) -> str:
    """Lines that are comments as a whole are left out, unless a compiler or a template takes them for more."""
    if not mark:
        return text
    kept = []
    for line in text.split("\n"):
        start = line.lstrip()
        comment = start.startswith(mark) and "${" not in line and "#{" not in line
        special = start.startswith(
            ("//go:", "#!", "# syntax", "#syntax", "#include", "#define", "# include", "# define")
        )
        kept.append("" if comment and not special else line)
    return "\n".join(kept)


def line_of(code: str, at: int) -> int:
    """Which line a place in the text is on, counted from 1."""
    return code.count("\n", 0, at) + 1


def _line_at(code: str, at: int) -> str:
    end = code.find("\n", at)
    return code[code.rfind("\n", 0, at) + 1 : len(code) if end < 0 else end]


def _hit(code: str, at: int, why: str) -> Hit:
    return Hit(line=line_of(code, at), text=_line_at(code, at).strip()[:120], why=why)
