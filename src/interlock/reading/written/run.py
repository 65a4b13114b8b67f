"""Code that this session wrote in a language that is not read, and that is about to run.

Run by the project's own test or build runner, it is looked through (look.py): a hit is asked about, and shown; without
one it is the project's, unread. Run by itself it is asked about once, `exec:written`, and that yes outlives every edit:
what is found in it is a question of its own (`exec:finding`), here also where it reaches (reaches.py). A yes to a
finding holds for as long as the statements that it hangs on are the same (hangs.py). Only what could not be looked
through is bound to its bytes.
"""

from __future__ import annotations

from ...bytes.canon import digest
from ...model.effects import Effect
from ...model.more_wants import Digest
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import texts_of_file
from ..lands.fetched import came_with, run_fetched
from ..machine.acts import emit
from ..places.paths import in_project
from .languages import COMPILED, LANGUAGES, language_of
from .look import look, look_for_all, without_comments
from .runners import ANY_TASK, MACHINERY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.shapes import shape_of_words, words_of
    from ..python.own_modules import read_named, read_shadows
    from .bats import read_bats
    from .hangs import statements_of
    from .look import Hit
    from .reaches import reaches
    from .runners import Runner
else:
    shape_of_words = lazy(globals(), "..machine.shapes", "shape_of_words")
    words_of = lazy(globals(), "..machine.shapes", "words_of")
    read_named = lazy(globals(), "..python.own_modules", "read_named")
    read_shadows = lazy(globals(), "..python.own_modules", "read_shadows")
    read_bats = lazy(globals(), ".bats", "read_bats")
    statements_of = lazy(globals(), ".hangs", "statements_of")
    reaches = lazy(globals(), ".reaches", "reaches")

__all__ = ["ask_about", "code_named", "look_through", "run_binary", "run_built", "run_by", "run_directly"]

_MOST_FILES, _MOST_TEXT = 400, 1_500_000  # looked through for one command
_MOST_FILES_HIT, _MOST_HITS = 6, 5  # shown one by one; of further lines of a file their numbers
_A_STEM = 3  # letters; a shorter one stands in every text


def run_by(rows: list[Runner], words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """A program that loads code of the project by itself: what the session wrote of that is looked at."""
    texts = [word.text for word in words[1:]]
    for row in rows:
        if row.languages == _PYTHON:
            _import(row, words[0].text.rpartition("/")[2], span, shell)
            continue
        if row.languages == _BATS:
            read_bats(span, shell)
            continue
        paths = [
            path for path in _written_in(row.languages, shell) if row.loads != "script" or _is_script(path, row, shell)
        ]
        if row.loads == "settings":
            paths = _settings(paths, shell)
        if not paths:
            continue
        held = _texts_of(paths, span, shell)
        _tell_hits(held, span, shell)
        if row.loads == "program" and held and not any(language_of("/" + text) in row.languages for text in texts):
            label = " ".join([words[0].text, *[text for text in texts if text in row.subs][:1]])
            _tell_reach(held, span, shell)
            _tell_run(label, words[1:], span, shell, unread=_unsearched(held))


def look_through(span: tuple[int, int], shell: Shell) -> None:
    """A task runs, and which programs it starts is not known: it may load anything that the session wrote."""
    _tell_hits(_texts_of(_written_in(ANY_TASK, shell), span, shell), span, shell)


_PYTHON, _BATS = ("python",), ("bats",)
_NOT_IMPORTED = tuple("/tests/ /test_ _test.py /conftest.py /setup.py /scripts/ /docs/".split())
_PYTHON_SETTINGS = tuple(
    "mypy.ini .mypy.ini setup.cfg pyproject.toml .pylintrc pylintrc tox.ini .flake8 .coveragerc".split()
)


def _import(row: Runner, program: str, span: tuple[int, int], shell: Shell) -> None:
    """Modules of Python that this session wrote, and one that stands where Python's own is looked for."""
    from ..tables.manifests import MANIFESTS

    facts = shell.found.facts
    scripts = [f"{folder}/{name}" for folder in shell.folders or () for name in MANIFESTS.get(program, ())]
    modules = sorted(
        path
        for path in {*shell.files, *facts.written}
        if path.endswith(".py") and in_project(facts.root, path) and path not in scripts  # those are read as such
    )
    if not modules:
        return
    if row.loads == "settings":
        said = [
            text
            for name in _PYTHON_SETTINGS
            for text in texts_of_file(f"{facts.root}/{name}", shell) or ()
            if "plugin" in text
        ]
        modules = [path for path in modules if any(_names(text, path) for text in said)]
    else:
        for folder in shell.folders or ():
            read_shadows(folder, span, shell)
    for path in modules:
        if row.loads == "settings" or not any(part in path for part in _NOT_IMPORTED):
            read_named(path, span, shell, loaded=True)


def run_directly(path: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A file of the session, or one that loads such, is run: asked about, with what is odd in it."""
    language = language_of(path)
    paths = [path, *[other for other in _written_in((language,), shell) if other != path]] if language else [path]
    held = _texts_of(paths, span, shell)
    if path not in held:
        _tell_unknown(path, span, shell)
        return
    _tell_hits(held, span, shell, "\n".join([arg.text for arg in args]))
    reached = _closure(path, held)
    _tell_reach(reached, span, shell)
    _tell_run(_below(path, shell), args, span, shell, unread=_unsearched(reached))


def run_binary(path: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """A program without a text: by its own digest where it is known. True if it was told."""
    mark = shell.found.ask(Digest(path))
    if mark is None:
        return False
    _tell_run(_below(path, shell), args, span, shell, unread=mark)
    return True


def run_built(path: str, by: tuple[str, ...], args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """A program that this call, or the project's build, made of sources of the session. True if there are such.

    `by` are the words of the compiler, where they are known: they say as much as the sources.
    """
    sources = _written_in(COMPILED, shell)
    held = _texts_of(sources, span, shell)
    if not held or len(held) < len(sources):
        return False
    _tell_hits(held, span, shell)
    _tell_reach(held, span, shell)
    _tell_run(_below(path, shell), args, span, shell, unread=_unsearched(held), by=by)
    return True


def ask_about(told: str, path: str, files: list[str], hit: Hit | None, span: tuple[int, int], shell: Shell) -> None:
    """Settings that make a program run something: a yes covers their text, and that of each of the files."""
    held = _texts_of(files, span, shell)
    whole = [[path, list(texts)] for path, texts in sorted(held.items())]
    _tell_finding(f"{told} {_below(path, shell)}", hit, "digest", whole, span, shell)


def code_named(files: list[str], span: tuple[int, int], shell: Shell) -> bool:
    """Files of the session in a language that is looked through, which settings name or are. False: there is none."""
    mine = [path for path in files if language_of(path)]
    if not mine:
        return False
    languages = tuple({language_of(path) for path in mine})
    held = _texts_of(list(dict.fromkeys([*mine, *_written_in(languages, shell)])), span, shell)
    reached: dict[str, tuple[str, ...]] = {}
    for path in mine:
        if path in held:
            reached |= _closure(path, held)
    _tell_hits(reached, span, shell)
    return True


# --- which files ------------------------------------------------------------------------------------------------


def _written_in(languages: tuple[str, ...], shell: Shell) -> list[str]:
    facts = shell.found.facts
    return sorted(
        path
        for path in {*shell.files, *facts.written}
        if language_of(path) in languages and in_project(facts.root, path)
    )


def _is_script(path: str, row: Runner, shell: Shell) -> bool:
    """Whether a build runs the file: by its name, or because it says that it makes code for the compiler."""
    if any(name in path for name in row.names):
        return True
    return any("proc_macro" in text for text in texts_of_file(path, shell) or ())


def _settings(paths: list[str], shell: Shell) -> list[str]:
    """Settings that are code, and the files of the session that these name."""
    found = [path for path in paths if any(part in path for part in MACHINERY)]
    texts = [text for path in found for text in texts_of_file(path, shell) or ()]
    return found + [path for path in paths if path not in found and any(_names(text, path) for text in texts)]


def _names(text: str, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if stem in ("index", "main", "mod", "lib", "init"):
        stem = folder.rpartition("/")[2]
    return len(stem) < _A_STEM or stem in text


def _closure(path: str, held: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The file, and those of the session that it names, and that these name."""
    found, left = {path: held[path]}, [path]
    while left:
        for text in held[left.pop()]:
            for other in held:
                if other not in found and _names(text, other):
                    found[other] = held[other]
                    left.append(other)
    return found


# --- their texts ------------------------------------------------------------------------------------------------


def _texts_of(paths: list[str], span: tuple[int, int], shell: Shell) -> dict[str, tuple[str, ...]]:
    """Those that can be had. One that is there and cannot be is opaque; one that is not there is not run."""
    found: dict[str, tuple[str, ...]] = {}
    size = 0
    for path in paths[:_MOST_FILES]:
        place = came_with(path, shell)
        if place is not None:
            run_fetched(place, span, shell)
        texts = texts_of_file(path, shell)
        if texts is not None:
            size += sum(map(len, texts))
            found[path] = texts
        elif path in shell.files or path in shell.found.facts.unread:
            _tell_unknown(path, span, shell)
    if len(paths) > _MOST_FILES or size > _MOST_TEXT:
        shell.unclear("this session wrote more code than can be looked through", span, kind="written-here")
    return found if size <= _MOST_TEXT else {}


def _tell_unknown(path: str, span: tuple[int, int], shell: Shell) -> None:
    shell.unclear(f"`{path}` was written in this session, and its content was not read", span, kind="written-here")


# --- what is told -----------------------------------------------------------------------------------------------


def _tell_hits(held: Mapping[str, tuple[str, ...]], span: tuple[int, int], shell: Shell, handed: str = "") -> None:
    """What is found in these files: each line is a finding, which is bound to the statements that it hangs on.

    `handed`: the words that the program is given.
    """
    hits = [path for path, texts in held.items() if (language := language_of(path)) and _has_hit(texts, language)]
    for path in hits[:_MOST_FILES_HIT]:
        for text in held[path]:
            found = look_for_all(text, language_of(path))
            for hit in found[:_MOST_HITS]:
                _tell_lines(path, text, hit, [hit.line], held, handed, span, shell)
            if len(found) > _MOST_HITS:
                rest = [hit.line for hit in found[_MOST_HITS:]]
                more = found[_MOST_HITS].replace(text=f"and on line {', '.join(map(str, rest[1:9]))}")
                _tell_lines(path, text, more, rest, held, handed, span, shell)
    if len(hits) > _MOST_FILES_HIT:
        shell.unclear(
            f"{len(hits)} files of this session hold code that a person should see", span, kind="written-here"
        )


def _has_hit(texts: tuple[str, ...], language: str) -> bool:
    return any(look(text, language) is not None for text in texts)


def _tell_lines(
    path: str,
    text: str,
    hit: Hit,
    lines: list[int],
    held: Mapping[str, tuple[str, ...]],
    handed: str,
    span: tuple[int, int],
    shell: Shell,
) -> None:
    row = LANGUAGES[language_of(path)]
    statements = statements_of(without_comments(text, row.comment), lines)
    said = "\n".join(statements)
    others = [[other, *texts] for other, texts in sorted(held.items()) if other != path and _names(said, other)]
    data = [[other, *(texts_of_file(other, shell) or ())] for other in _data_named(f"{said}\n{handed}", shell)]
    _tell_finding(_below(path, shell), hit, "hangs", [hit.why, list(statements), others, data], span, shell)


def _data_named(said: str, shell: Shell) -> list[str]:
    """Files of the session beside its code whose name stands there, in full or as `require('./settings')` has it: what
    they hold decides what is done.
    """
    facts = shell.found.facts
    return sorted(
        path
        for path in {*shell.files, *facts.written}
        if not language_of(path) and in_project(facts.root, path) and _stands_in(said, path.rpartition("/")[2])
    )


def _stands_in(said: str, name: str) -> bool:
    return name in said or (name.endswith(".json") and f"/{name.removesuffix('.json')}" in said)


def _tell_reach(held: Mapping[str, tuple[str, ...]], span: tuple[int, int], shell: Shell) -> None:
    for path, texts in held.items():
        language = language_of(path)
        for text in texts if language else ():
            for what, hit in reaches(text, language, shell):
                _tell_finding(_below(path, shell), hit, "hangs", [what], span, shell)


def _unsearched(held: Mapping[str, tuple[str, ...]]) -> str | None:
    """What stands for the files in which nobody could say where they reach: settings that are code, and the like."""
    rows = {path: LANGUAGES.get(language_of(path)) for path in held}
    files = [[path, *held[path]] for path, row in sorted(rows.items()) if row is None or not (row.net and row.writes)]
    return digest(files) if files else None


def _tell_finding(runs: str, hit: Hit | None, by: str, held: list[Any], span: tuple[int, int], shell: Shell) -> None:
    """`by`: the field with what a yes is bound to: `hangs`, or `digest` of files as they are."""
    target: dict[str, str | bool | tuple[str, ...]] = {"runs": runs, by: digest(held)}
    if hit is not None:
        target["line"] = f"{hit.line}: {hit.text}"
        target["does"] = hit.why
    _tell("exec:finding", target, span, shell)


def _tell_run(
    runs: str,
    args: list[Arg],
    span: tuple[int, int],
    shell: Shell,
    *,
    unread: str | None = None,
    by: tuple[str, ...] = (),
) -> None:
    """That it runs. `unread`: what stands for it where it could not be looked through; `by`: who made it, and how."""
    target: dict[str, str | bool | tuple[str, ...]] = {"runs": runs}
    if unread is not None:
        target["digest"] = unread
    if by:
        target["by"] = digest(list(by))
    given = tuple([part for part in shape_of_words(args, shell.found.facts.root) if _weighs(part)])
    if given:
        target["given"] = given
    _tell("exec:written", target, span, shell)


def _weighs(part: str) -> bool:
    """Whether a word that a program of one's own is given makes it another call: a place that is elsewhere, a secret,
    and what says that it acts or only tries.
    """
    host = "." in part and part[:1] != "-" and not part.replace(".", "").isdigit()
    return host or not _PLAIN.issuperset(part) or not _ACTS.isdisjoint(words_of(part)) or part in _SHORT


_SHORT = ("-f", "-n", "-y")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.=,")
_ACTS = frozenset(
    "apply check clean clear commit delete deploy destroy down drop dry force install migrate plan preview prod "
    "production publish purge push release remove reset rm rollback run send simulate sync try up upload wipe write "
    "yes".split()
)


def _tell(name: str, target: dict[str, str | bool | tuple[str, ...]], span: tuple[int, int], shell: Shell) -> None:
    if not any(told.name == name and _same(told.target, target) for told in shell.found.actions):
        emit(shell, span, name=name, effects=(Effect.EXECUTE,), tags=("unread", "written-here"), target=target)


def _same(told: Mapping[str, object], target: Mapping[str, object]) -> bool:
    return all(told.get(field) == target.get(field) for field in ("runs", "digest", "hangs", "by", "given"))


def _below(path: str, shell: Shell) -> str:
    root = shell.found.facts.root.rstrip("/") + "/"
    return path[len(root) :] if path.startswith(root) else path
