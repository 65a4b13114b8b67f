"""Where code that is run by itself reaches, as far as it is written out: the hosts and the places that its texts name.

A yes to such code outlives its edits, so what an edit adds of these is found and asked about, once for each place. A
path in a text goes through the same door as one on a command line. What is written in the parts of a call counts
together (`join(".git", "hooks")`), and so do texts that are added up.
"""

from __future__ import annotations

import re

from ...model.known_hosts import is_own_network
from ...value import TYPE_CHECKING
from ..evaluate.state import Stop, silent
from ..evaluate.words import Arg
from ..machine.acts import on_path
from .hangs import statements_of
from .languages import LANGUAGES
from .look import Hit, line_of, without_comments
from .words import every

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evaluate.state import Shell

__all__ = ["reaches"]

_MOST = 400  # texts of one file that are held against the tables; of a file with more of them, nothing is known
_MOST_PARTS = 8  # of a path that is put together
_TEXT = r"\"(?:[^\"\\\n]|\\.){1,300}\"|'(?:[^'\\\n]|\\.){1,300}'|`(?:[^`\\]|\\.){1,300}`"
_RUN = re.compile(rf"(?:{_TEXT})(?:\s{{0,40}}[,+]\s{{0,40}}(?:{_TEXT}))*")
_ONE = re.compile(_TEXT)
_ADDRESS = re.compile(r"(?i)^[a-z][a-z0-9+.-]{1,15}://(?:[^/@\s]*@)?([^/:?#\s]+)")
_NAME_OF_HOST = re.compile(r"(?i)^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$")
_NO_HOST = frozenset(
    "c cc cjs conf cpp cs css csv cts db ejs env ex exs gif go gz h hpp html ico ini java jpeg jpg js json jsx kt less "
    "lock log lua map md mjs mts pdf php pl png py rb rs sass scss sh sql sqlite svelte svg swift tmp toml ts tsv tsx "
    "txt vue wasm woff xml yaml yml zip".split()
)
# By whom a place is found odd: whoever touches it, whoever changes something, or who changes it on that very line.
_TOUCHED = frozenset(("guard", "secret", "own-secret", "device"))
_CHANGED = frozenset(("guard", "obeyed-asked", "persistence", "security", "secret", "machine", "device"))
_ELSEWHERE = frozenset(("outside", "root", "home", "accounts", "privileged"))
_WHY = {
    "host": "reaches {}",
    "computed": "reaches an address that it puts together",
    "touched": "names {}, which holds secrets or belongs to Interlock",
    "changed": "changes files and names {}, which others obey",
    "elsewhere": "changes what is outside the project: {}",
    "many": "names more than can be looked through",
}


def reaches(text: str, language: str, shell: Shell) -> Iterator[tuple[str, Hit]]:
    """What is found, each with the words that stand for it: the same words are the same finding."""
    row = LANGUAGES[language]
    code = without_comments(text, row.comment)
    nets, writes = every(row.net, code), [*every(row.writes, code), *every(row.removes, code)]
    there = _statements(code, [found.start() for found in writes])
    told = set()
    for tried, (at, said, whole) in enumerate(_texts(code)):
        if tried > _MOST:
            yield "many", Hit(line=line_of(code, at), text="", why=_WHY["many"])
            break
        kind, what = _found(said, bool(nets), bool(writes), whole and said in there, shell)
        if kind and (kind, what) not in told:
            told.add((kind, what))
            yield f"{kind} {what}", _hit(code, at, _WHY[kind].format(what))
    for net in nets:
        statements = "\n".join(_statements(code, [net.start()]).splitlines())
        if not any(_host_of(said, sure=False) for _, said, _ in _texts(statements)):
            if ("computed", statements) not in told:
                told.add(("computed", statements))
                yield f"computed {statements}", _hit(code, net.start(), _WHY["computed"])


def _found(said: str, nets: bool, writes: bool, there: bool, shell: Shell) -> tuple[str, str]:
    host = _host_of(said, sure=not nets)
    if host:
        return ("host", host) if nets and not is_own_network(host) else ("", "")
    if not _may_be_path(said):
        return "", ""
    if not _TOUCHED.isdisjoint(_marks("read", said, shell)):
        return "touched", f"`{said}`"
    if writes:
        marks = _marks("write", said, shell)
        if not _CHANGED.isdisjoint(marks):
            return "changed", f"`{said}`"
        if there and "temp" not in marks and not _ELSEWHERE.isdisjoint(marks):
            return "elsewhere", f"`{said}`"
    return "", ""


def _statements(code: str, starts: list[int]) -> str:
    return "\n".join(statements_of(code, [line_of(code, start) for start in starts]))


def _texts(code: str) -> Iterator[tuple[int, str, bool]]:
    """Each text, and what those of one row are together; and whether nothing stands before it that is not known."""
    for found in _RUN.finditer(code):
        whole = code[max(0, found.start() - 20) : found.start()].rstrip()[-1:] not in ("+", ".", "/")
        row: list[str] = []
        end = 0
        for one in _ONE.finditer(found.group()):
            said, added = one.group()[1:-1], "+" in found.group()[end : one.start()]
            yield found.start() + one.start(), said, whole and not (added or row)
            row, end = [*row[:-1], row[-1] + said] if added else [*row, said], one.end()
            if added:
                yield found.start(), row[-1], whole or len(row) > 1
            if 1 < len(row) <= _MOST_PARTS:
                yield found.start(), "/".join([row[0], *[part.strip("/") for part in row[1:]]]), whole


def _host_of(said: str, *, sure: bool) -> str:
    """The host of an address; a bare name is one where something is sent, and no file."""
    found = _ADDRESS.match(said)
    if found is not None:
        return "" if found.group(1).startswith("$") else found.group(1).lower()
    if sure or _NAME_OF_HOST.match(said) is None:
        return ""
    host = said.partition(":")[0].lower()
    return "" if host.rpartition(".")[2] in _NO_HOST else host


def _may_be_path(said: str) -> bool:
    """A text that a program could open: not a sentence, not a pattern of an address."""
    return 1 < len(said) <= 300 and not any(char in "\n\t<>\"'|" for char in said) and any(c in "./~_" for c in said)


def _marks(role: str, said: str, shell: Shell) -> frozenset[str]:
    looked = silent(shell)
    try:
        on_path(role, Arg(said, (0, 1)), looked)
    except (Stop, RecursionError):
        return frozenset(("secret",))
    return frozenset([tag for action in looked.found.actions for tag in action.tags])


def _hit(code: str, at: int, why: str) -> Hit:
    line = line_of(code, at)
    return Hit(line=line, text=code.split("\n")[line - 1].strip()[:120], why=why)
