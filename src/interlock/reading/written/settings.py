"""Settings that this session wrote, and the program that obeys them.

A tool that formats, builds or checks a project does what its settings say, and most of them can be told there to run a
command or to load a file. Which file is whose is told by names (setting_names.py); what it says is read as data
(setting_text.py). Plain data is free. A value that points to code, and settings that are code, make the run one of what
this session wrote: it is asked about once, and the yes holds while the file says what it said.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING
from ..evaluate.contents import texts_of_file
from ..evaluate.words import NUL
from ..machine.index import is_known
from ..places.paths import Unsettled, in_project, settle
from .look import Hit, look
from .run import ask_about, code_named
from .setting_names import CODE_BY_NAME, ROWS, aliases_of, is_code, program_of, settings_of, takes_any, words_of
from .setting_text import is_path, points_to_code, read_settings, section_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from .setting_text import Said

__all__ = ["look_at_all", "obey_settings"]

_TELLS = frozenset(("--help", "--version", "-h", "-V", "-v", "-version", "help", "version"))
_SHARED = frozenset(("pyproject.toml", "setup.cfg", "tox.ini"))
# Programs that have a reader of their own for what stands in a shared file.
_READ_ELSEWHERE = frozenset("pytest poetry uv pdm hatch tox nox pip rye flit pipenv setuptools".split())
_FRONTS = frozenset(("git", "cargo", "kubectl", "go"))
_MOST_FOLLOWED = 8
_PYTHON_WORDS = "notebook"  # the words of Python, which stand under that name


def obey_settings(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """Looks at each file of this session that the program takes for its settings."""
    if len(words) > 1 and f"{program}:{words[1].text}" in ROWS:
        program = f"{program}:{words[1].text}"
    if program in _FRONTS and len(words) > 1:
        joined = f"{program}-{words[1].text}"  # `cargo make`, `git cliff`
        if joined in ROWS or is_known(joined):
            obey_settings(joined, words[1:], shell, span)
        return
    if (len(words) == 2 and words[1].text in _TELLS) or not (program in ROWS or takes_any(program)):
        return
    facts = shell.found.facts
    places = _places(words, shell)
    given = _given(words, shell)
    for path in sorted({*shell.files, *facts.written}):
        if not _is_there(path, shell):
            continue
        name = path.rpartition("/")[2]
        if path in given:
            _tell(program, path, shell, span)
            continue
        if name in _SHARED:
            if program not in _READ_ELSEWHERE and _above(path, places):
                _tell(program, path, shell, span, shared=True)
            continue
        kind = settings_of(program, path)
        if not kind or _has_reader(program, name):
            continue
        if _above(path, places) or (kind == "named" and _below(path, places)):
            _tell(program, path, shell, span)


def look_at_all(shell: Shell, span: tuple[int, int]) -> None:
    """A task runs, and which programs it starts is not known: it may start any whose settings the session wrote."""
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        if _is_there(path, shell):
            program = program_of(path)
            if program and not _has_reader(program, path.rpartition("/")[2]):
                _tell(program, path, shell, span)


def _is_there(path: str, shell: Shell) -> bool:
    facts = shell.found.facts
    return in_project(facts.root, path) and (path in shell.files or path not in facts.absent)


def _places(words: list[Arg], shell: Shell) -> list[str]:
    """Where the program works: its folders, and what its words name."""
    folders = list(shell.folders or (shell.found.facts.root,))
    found = list(folders)
    for word in words[1:]:
        text = word.text.partition("=")[2] if word.text[:1] == "-" else word.text
        if not text or NUL in text:
            continue
        for folder in folders:
            try:
                found.append(settle(text.partition("*")[0] or ".", cwd=folder, home=shell.found.facts.home))
            except Unsettled:
                continue
    return found


_CONFIG = re.compile(r"--?(?:[\w-]*-)?(?:config|conf|rcfile|settings|configuration|filename)(?:-?(?:file|path))?")
_SHORT = ("-c", "-f", "-F")
_DATA = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf")


def _given(words: list[Arg], shell: Shell) -> frozenset[str]:
    """Files that an option says to be settings."""
    found = []
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.text.partition("=")
        after = value if equals else words[at + 1].text if at + 1 < len(words) else ""
        if (_CONFIG.fullmatch(name) or (name in _SHORT and after.endswith(_DATA))) and after and NUL not in after:
            for folder in shell.folders or ():
                try:
                    found.append(settle(after, cwd=folder, home=shell.found.facts.home))
                except Unsettled:
                    continue
    return frozenset(found)


def _above(path: str, places: list[str]) -> bool:
    folder = path.rpartition("/")[0] + "/"
    hidden = folder.removesuffix("config/").removesuffix(".")  # `.config/NAME.toml`
    return any(path == place or (place + "/").startswith((folder, hidden)) for place in places)


def _below(path: str, places: list[str]) -> bool:
    return any(path.startswith(place + "/") for place in places)


def _has_reader(program: str, name: str) -> bool:
    """Whether the file is read by what knows its meaning (projects.py, tasks/)."""
    from ..tables.manifests import MANIFESTS

    return name in MANIFESTS.get(program, ()) or name == "package.json"


def _tell(program: str, path: str, shell: Shell, span: tuple[int, int], *, shared: bool = False) -> None:
    texts = texts_of_file(path, shell)
    if texts is None:
        if path in shell.files or path in shell.found.facts.unread:
            shell.unclear(
                f"`{path}` says what `{program}` does; it was written in this session, and its content was not read",
                span,
                kind="written-here",
            )
        return
    if not shared and is_code(path):
        _tell_code(program, path, texts, shell, span)
        return
    for text in texts:
        hit, files = _first_pointer(program, path, text, shell, shared=shared)
        if hit is not None:
            ask_about(f"{program.replace(':', ' ')} with", path, files, hit, span, shell)
            return
        code_named(files, span, shell)


def _tell_code(program: str, path: str, texts: tuple[str, ...], shell: Shell, span: tuple[int, int]) -> None:
    """Settings that are a program: looked through where there are words for the language, else asked about."""
    name = path.rpartition("/")[2].lower()
    files = [path, *[named for text in texts for named in _named_files(text, path, shell)]]
    if name.endswith(".py"):
        hit = next((hit for text in texts if (hit := look(text, _PYTHON_WORDS)) is not None), None)
        if hit is not None:
            ask_about(f"{program.replace(':', ' ')} with", path, files, hit, span, shell)
    elif name not in CODE_BY_NAME and code_named([path], span, shell):
        return
    else:
        line = next((line.strip() for line in texts[-1].split("\n") if line.strip()), "")
        if line:
            ask_about(f"{program.replace(':', ' ')} with", path, files, None, span, shell)


def _first_pointer(program: str, path: str, text: str, shell: Shell, *, shared: bool) -> tuple[Hit | None, list[str]]:
    """What in the settings points to code, and the files of this session that a yes has to cover.

    Files of data that the settings name are read as well: `extends: ./base.json`.
    """
    name = path.rpartition("/")[2]
    files, left, own = [path], [(path, text)], True
    while left and len(files) <= _MOST_FOLLOWED:
        at, held = left.pop()
        said = _said(program, name if own else at.rpartition("/")[2], held, shared=shared and own)
        own = False
        if said is None:
            return _hit(held, "", f"makes `{program}` do what is not plain to see"), files
        for named in _named_files(held, at, shell):
            if named not in files:
                files.append(named)
                left += [(named, other) for other in _data(named, shell)]
        pointer = points_to_code(_without_own_code(said, at, files), words_of(program))
        if pointer is not None:
            why = f"makes `{program}` run or load what it names"
            return _hit(held, pointer[1] or (pointer[0] or ("",))[-1], why), files
    return None, files


def _said(program: str, name: str, text: str, *, shared: bool) -> list[Said] | None:
    if name.endswith(".prisma"):
        return _prisma(text)
    if not shared:
        return read_settings(name, text)
    found: list[Said] = []
    for alias in aliases_of(program):
        section = section_of(name, text, alias)
        if section is None:
            return None
        found += section
    return found


def _prisma(text: str) -> list[Said]:
    """Which generators there are: a package by its name, or a command line."""
    found: list[Said] = []
    for block in re.findall(r"^\s*generator\s+\w+\s*\{(.*?)^\s*\}", text + "\n}", re.MULTILINE | re.DOTALL):
        given = re.findall(r"^\s*provider\s*=\s*(.*)$", block, re.MULTILINE)
        for value in given:
            plain = re.fullmatch(r"\"((?:@[\w.-]+/)?[\w.-]+)\"\s*(?://.*)?", value.strip())
            found.append((("generator",), plain[1]) if plain else (("command",), value.strip()))
    return found


def _named_files(text: str, path: str, shell: Shell) -> list[str]:
    """Files of this session that the text names: what is run or loaded along, or is settings too."""
    facts = shell.found.facts
    written = {*shell.files, *facts.written} - {path}
    folders = list(dict.fromkeys([path.rpartition("/")[0], facts.root, *(shell.folders or ())]))
    found: list[str] = []
    for word in dict.fromkeys(_WORD.findall(text)) if written else ():
        for folder in folders:
            try:
                place = settle(word, cwd=folder, home="/")
            except Unsettled:
                continue
            found += [place + end for end in _ENDINGS if place + end in written]
    return list(dict.fromkeys(found))


_WORD = re.compile(r"[\w./@+-]+")
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.ts")


def _data(path: str, shell: Shell) -> tuple[str, ...]:
    return () if is_code(path) else texts_of_file(path, shell) or ()


def _without_own_code(said: list[Said], path: str, files: list[str]) -> list[Said]:
    """Without what a loading key names of this session: that is looked through as its code."""
    folder = path.rpartition("/")[0]
    kept = []
    for keys, value in said:
        if is_path(value) and not any(char.isspace() for char in value):
            try:
                place = settle(value.replace("<rootDir>", folder).removeprefix("file:"), cwd=folder, home="/")
            except Unsettled:
                place = ""
            if any(place + end in files for end in _ENDINGS) and not points_to_code([(keys, "a.package")]):
                continue
        kept.append((keys, value))
    return kept


def _hit(text: str, value: str, why: str) -> Hit:
    """The line in which the value stands."""
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines) if value and value.partition("\n")[0] in line), 0)
    if not value:
        at = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return Hit(line=at + 1, text=lines[at].strip()[:120], why=why)
