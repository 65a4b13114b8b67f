"""Inline code that only computes, shows or writes a file that it names (`reading/inline`): what it touches becomes
actions, the rest is nothing.

How the interpreter was started counts as much as the text: a switch that edits files in place, a library from elsewhere
or a start-up file that this session wrote makes it another program.
"""

from __future__ import annotations

import re

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.places import has_written

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["loads_library", "may_run_input", "show", "started_plainly"]

_LANGUAGES = {"rails": "ruby", "R": "Rscript", "bun": "node", "deno": "node", "ts": "node"}
_LETTERS = frozenset("wWlanpeE0123456789")  # switches of perl and ruby that change no file and load nothing
# Files that say what runs first, or what a module is.
_STARTS_UP = {"Rscript": (".Rprofile", ".Renviron", ".RData"), "ts": ("tsconfig.json", "jsconfig.json")}
_SEARCHES = {"ruby": ("RUBYLIB",), "Rscript": ("R_LIBS", "R_LIBS_USER", "R_LIBS_SITE")}
_ODD = frozenset("|<>&;`$")


def show(language: str, code: Arg, shell: Shell, span: tuple[int, int], *, beside: bool = True) -> bool:
    """True if the code only computes, shows and writes what it names; then the places that it touches are read.

    `beside`: files that it loads lie beside the working folder, not beside a script.
    """
    from ..inline import only_computes

    name = _LANGUAGES.get(language, language)
    shown = only_computes(name, code.text, records=language == "rails")
    if shown is None:
        return False
    folders = shell.folders or ("?",)
    if any(
        has_written(f"{folder}/{file}", shell)
        for folder in folders
        for file in _STARTS_UP.get(language) or _STARTS_UP.get(name, ())
    ):
        return False
    if any(name in shell.variables for name in _SEARCHES.get(name, ())) or _stands_in(name, shell):
        return False
    for role, text in shown.places:
        if role == "fetch":
            shell.found.follow.on_url(Arg(text, code.span, quoted=True), shell, span, [])
        else:
            on_path(role, Arg(text, code.span), shell)
    # Behind what it writes: of a file of data that is not there, node runs another, and the code may have made that.
    if shown.loaded and not (beside and _are_data(shown.loaded, code, shell)):
        return False
    if language == "rails":
        emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",))
    else:
        emit(shell, span, name=f"exec:{name}", effects=(), tags=())
    return True


# Words of a language through which a program may run what it is fed, beside those that act in it anyway
# (written/languages.py). Any other language may do so with any word.
_RUNS_INPUT = {
    "node": (
        "javascript",
        r"eval|\bFunction\b|\bWorker\b|\bvm\b|\brepl\b|_compile|constructor|mainModule|\bpipe\b|\bspawn|\bfork\b"
        r"|\]\s*\(|\)\s*\(\s*[^)\s]",  # what is called has no name
    ),
    "ruby": (
        "ruby",
        r"eval|\bexec|\b(?:system|spawn|fork|popen\w*|open|load|require_relative|binding|Binding|send|__send__)\b"
        r"|public_send|const_get|\bmethod\b|define_method|to_proc|\bERB\b|\bIRB\b|unsafe_load|YAML\.load|Marshal"
        r"|\brequire\b\s*\(?\s*(?!['\"]\w+['\"])|`|%x",
    ),
    "php": (
        "php",
        r"eval|\bexec|system|passthru|popen|proc_open|assert|create_function|call_user_func|unserialize|\bextract\b"
        r"|\b(?:include|require)|\bnew\s+\$|\$\w+(?:\[[^\]]*\])?\s*\(|::\s*\$|->\s*\$|\$\$|\$\{|`|mb_ereg"
        r"|\b(?:array_(?:map|filter|walk|reduce)|u[ak]?sort|iterator_apply|register_\w+|ob_start)\s*\(",
    ),
}


def may_run_input(language: str, code: str) -> bool:
    """Whether a program that stands in the command may run what it is fed: then that is a program as well."""
    from ..written.languages import LANGUAGES

    name, words = _RUNS_INPUT.get(_LANGUAGES.get(language, language), ("", ""))
    if not name:
        return True
    row = LANGUAGES[name]
    return any(re.search(net, code) is not None for net in (words, row.runs, row.computes))


def _stands_in(language: str, shell: Shell) -> bool:
    """Whether this session wrote a file with the name of a library, which may be found in its place."""
    from ..inline.tables import LIBRARIES

    ending = {"ruby": ".rb"}.get(language)
    if ending is None:
        return False
    names = {f"{library.rpartition('/')[2]}{ending}" for library in LIBRARIES[language]}
    return any(path.rpartition("/")[2] in names for path in (*shell.files, *shell.found.facts.written))


def _are_data(files: tuple[str, ...], code: Arg, shell: Shell) -> bool:
    """`require('./a.json')` of a file of the project, unless the session wrote what node would take instead of it."""
    from ..inline.modules import LOADED_INSTEAD

    for file in files:
        for place in on_path("read", Arg(file, code.span), shell):
            theirs = not place.startswith(shell.found.facts.root + "/")
            if theirs or any(has_written(place + ending, shell) for ending in LOADED_INSTEAD):
                return False
    return True


def loads_library(row: Program, flag: Arg, rest: list[Arg]) -> bool:
    """`ruby -rjson`, `perl -MList::Util=sum`: a part of the standard library."""
    from ..inline.tables import LIBRARIES

    if row.name not in LIBRARIES or flag.text[:2] not in ("-r", "-M") or len(flag.text) < 3:
        return False
    name, _, names = flag.text[2:].partition("=")
    return name in LIBRARIES[row.name] and all(char.isalnum() or char in ",_" for char in names)


_THROUGH_NAMES = ("@{", "@$", "$$", "${", "$#", "->")  # an array that a text names: it may be that of the files


def _may_name_files(code: str) -> bool:
    """Whether it may change which files a loop over lines reads: perl runs one that is called `id|`.

    `$ARGV` is the name of the one that is read, and `close ARGV` begins to count lines anew.
    """
    text = "".join(code.split())
    if any(mark in text for mark in _THROUGH_NAMES):
        return True
    start = text.find("ARGV")
    while start >= 0:
        before, behind = text[:start], text[start + 4 : start + 5]
        if not (before.endswith("$") and behind not in ("[", "{")) and not before.endswith(_ENDS_FILE):
            return True
        start = text.find("ARGV", start + 4)
    return False


_ENDS_FILE = ("close", "close(", "eof", "eof(")


def started_plainly(row: Program, shell: Shell) -> bool:
    """Whether the words around the code only say how it is run; what a loop over lines reads is read here."""
    if row.name not in ("perl", "ruby"):
        return True
    words = shell.found.commands[-1][0][1:] if shell.found.commands else []
    loops = False
    operands: list[Arg] = []
    codes: list[Arg] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.text[:1] != "-" or word.text == "-":
            operands.append(word)
        elif word.text[:2] == "-I":
            if _wrote_below(word.text[2:] or "?", shell):
                return False
        elif word.text[:2] in ("-r", "-M"):
            continue  # looked at where it is taken
        elif word.text[:2] == "-F" and row.name == "perl":
            if not set(word.text[2:]).isdisjoint("({$@"):
                return False
        elif not word.known or not _LETTERS.issuperset(word.text[1:]):
            return False
        else:
            loops = loops or "n" in word.text or "p" in word.text
            if word.text[-1] in "eE":
                codes += words[at : at + 1]
                at += 1
    if loops and row.name == "perl" and any(_may_name_files(code.text) for code in codes):
        return False
    if loops:
        for operand in operands:
            text = operand.text
            if operand.unknown or not _ODD.isdisjoint(text) or text.strip() != text or text == "-":
                return False  # perl runs what stands before `|`
            on_path("read", operand, shell)
    return True


def _wrote_below(folder: str, shell: Shell) -> bool:
    """Whether this session wrote anything where libraries are looked for."""
    for place in on_path("list", Arg(folder, (0, 0)), shell) or ["/"]:
        below = place.rstrip("/") + "/"
        if any(path.startswith(below) for path in (*shell.files, *shell.found.facts.written)):
            return True
    return False
