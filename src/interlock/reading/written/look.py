"""Looks a text through for words that act, or that hide what acts. A net, and no proof (docs/adr/0038).

What only makes sense as danger is a hit wherever it stands: a program that is started, text that is run, a name that is
put together, a secret place. What every project does is one only beside what makes it odd: removing what was not made
for the purpose, writing below the home folder, sending what the whole environment holds.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, Value
from .languages import LANGUAGES
from .words import first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .languages import Language

__all__ = ["Hit", "look"]


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
    row = LANGUAGES[language]
    code = _without_comments(text, row.comment)
    for words, why in (
        (row.runs, row.told),
        (row.computes, "runs or loads what it puts together"),
        (_SECRETS, "names a place that holds secrets, or that others obey"),
        (_ENCODED, "holds a long encoded text"),
    ):
        found = first(words, code)
        if found is not None:
            return _hit(code, found.start(), why)
    return _hidden_name(code, row) or _odd_pair(code, row)


def _hidden_name(code: str, row: Language) -> Hit | None:
    """A name whose letters are written as numbers, or that is looked up by a value."""
    if row.name in _ESCAPES_IN_NAMES and "\\u" in code:
        bare = re.sub(_STRINGS, lambda found: " " * len(found.group()), code)
        found = first(_ESCAPED_NAME, bare)
        if found is not None:
            return _hit(code, found.start(), "writes the letters of a name as numbers")
    if row.name == "javascript" and first(_ACTING_MODULES, code) is not None:
        found = first(_CALLED_BY_VALUE, code)
        if found is not None:
            return _hit(code, found.start(), "calls what it looks up by a value")
    return None


def _odd_pair(code: str, row: Language) -> Hit | None:
    """What is ordinary by itself, beside what makes it odd."""
    by_name = first(_HOME_BY_NAME, code)
    home = by_name or first(_HOME_BY_PATH, code)
    for removal in _every(row.removes, code):
        if home is not None or not _made_for_it(code[removal.end() : removal.end() + 80], code, row):
            return _hit(code, removal.start(), "removes files")
    if row.writes and by_name is not None:
        if first(row.writes, code) is not None:
            return _hit(code, by_name.start(), "writes, and knows the home folder")
    if row.writes and home is not None:
        for write in _every(row.writes, code):
            if first(_HOME_BY_PATH, _line_at(code, write.start())) is not None:
                return _hit(code, write.start(), "writes below a home folder")
    net = first(row.net, code)
    if net is not None:
        told = first(row.dumps, code) or by_name
        if told is not None:
            return _hit(code, told.start(), "reaches other machines, and takes in what is not for them")
    return None


def _every(words: str, code: str) -> Iterator[re.Match[str]]:
    """All matches, where there is one at all."""
    return re.finditer(words, code, re.MULTILINE) if first(words, code) is not None else iter(())


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


def _without_comments(text: str, mark: str) -> str:
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


def _line_at(code: str, at: int) -> str:
    end = code.find("\n", at)
    return code[code.rfind("\n", 0, at) + 1 : len(code) if end < 0 else end]


def _hit(code: str, at: int, why: str) -> Hit:
    return Hit(line=code.count("\n", 0, at) + 1, text=_line_at(code, at).strip()[:120], why=why)
