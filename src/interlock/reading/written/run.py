"""Code that this session wrote in a language that is not read, and that is about to run.

Run by the project's own test or build runner, it is looked through (look.py): a hit is asked about, and shown; without
one it is the project's, unread. Run by itself it is asked about once. A yes holds for as long as the files hold
what they held: its digest covers the file and every other file of the session that it names, code or data.
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
from .languages import COMPILED, language_of
from .look import look
from .runners import ANY_TASK, MACHINERY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.shapes import shape_of_words
    from ..python.own_modules import read_named, read_shadows
    from .bats import read_bats
    from .look import Hit
    from .runners import Runner
else:
    shape_of_words = lazy(globals(), "..machine.shapes", "shape_of_words")
    read_named = lazy(globals(), "..python.own_modules", "read_named")
    read_shadows = lazy(globals(), "..python.own_modules", "read_shadows")
    read_bats = lazy(globals(), ".bats", "read_bats")

__all__ = ["ask_about", "code_named", "look_through", "run_binary", "run_built", "run_by", "run_directly"]

_MOST_FILES, _MOST_TEXT = 400, 1_500_000  # looked through for one command
_MOST_HITS = 6  # shown one by one
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
            _ask(label, held, None, words, span, shell)


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
    _tell_hits(held, span, shell, but=path)
    _ask(_below(path, shell), _closure(path, held), _first_hit(path, held[path]), args, span, shell)


def run_binary(path: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """A program without a text: by its own digest where it is known. True if it was told."""
    mark = shell.found.ask(Digest(path))
    if mark is None:
        return False
    _ask(_below(path, shell), {path: (mark,)}, None, args, span, shell)
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
    _ask(_below(path, shell), {**held, "": by} if by else held, None, args, span, shell)
    return True


def ask_about(told: str, path: str, files: list[str], hit: Hit | None, span: tuple[int, int], shell: Shell) -> None:
    """Settings that make a program run something: a yes covers their text, and that of each of the files."""
    held = _texts_of(files, span, shell)
    _ask(f"{told} {_below(path, shell)}", held, hit, [], span, shell)


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


def _data_named(
    held: Mapping[str, tuple[str, ...]], runs: str, args: list[Arg], span: tuple[int, int], shell: Shell
) -> dict[str, tuple[str, ...]]:
    """What the session wrote that is no code, and that the code or its arguments name: it may run what stands there."""
    said = [*[text for texts in held.values() for text in texts], *[arg.text for arg in args]]
    found: dict[str, tuple[str, ...]] = {}
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written} - held.keys()):
        if language_of(path) or _below(path, shell) == runs or not any(_names_data(text, path) for text in said):
            continue
        texts = texts_of_file(path, shell)
        if texts is None and path not in shell.files:
            mark = shell.found.ask(Digest(path))
            texts = None if mark is None else (mark,)
        if texts is not None:
            found[path] = texts
        elif path in shell.files or path in facts.unread:
            _tell_unknown(path, span, shell)
    return found


def _names_data(text: str, path: str) -> bool:
    """By its name in full, or as `require('./settings')` names settings.json."""
    name = path.rpartition("/")[2]
    return _is_a_word(name, text) or (name.endswith(".json") and f"/{name[: -len('.json')]}" in text)


def _is_a_word(name: str, text: str) -> bool:
    at = text.find(name) if name else -1
    while at >= 0:
        around = text[max(0, at - 1) : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = text.find(name, at + 1)
    return False


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


def _first_hit(path: str, texts: tuple[str, ...]) -> Hit | None:
    language = language_of(path)
    return next((hit for text in texts if (hit := look(text, language)) is not None), None) if language else None


def _tell_hits(held: Mapping[str, tuple[str, ...]], span: tuple[int, int], shell: Shell, but: str = "") -> None:
    hits = [(path, hit) for path, texts in held.items() if path != but and (hit := _first_hit(path, texts)) is not None]
    for path, hit in hits[:_MOST_HITS]:
        _ask(_below(path, shell), _closure(path, held), hit, [], span, shell)
    if len(hits) > _MOST_HITS:
        shell.unclear(
            f"{len(hits)} files of this session hold code that a person should see", span, kind="written-here"
        )


def _ask(
    runs: str,
    held: Mapping[str, tuple[str, ...]],
    hit: Hit | None,
    args: list[Arg],
    span: tuple[int, int],
    shell: Shell,
) -> None:
    facts = shell.found.facts
    held = {**held, **_data_named(held, runs, args, span, shell)}
    whole = [[path, list(texts)] for path, texts in sorted(held.items())]
    target: dict[str, str | bool | tuple[str, ...]] = {"runs": runs, "digest": digest(whole)}
    shape = shape_of_words(args[1:] if args and args[0].text == runs.partition(" ")[0] else args, facts.root)
    if shape:
        target["given"] = shape
    if hit is not None:
        target["line"] = f"{hit.line}: {hit.text}"
        target["does"] = hit.why
    if any(
        told.name == "exec:written"
        and told.target.get("runs") == runs
        and told.target.get("digest") == target["digest"]
        for told in shell.found.actions
    ):
        return
    emit(shell, span, name="exec:written", effects=(Effect.EXECUTE,), tags=("unread", "written-here"), target=target)


def _below(path: str, shell: Shell) -> str:
    root = shell.found.facts.root.rstrip("/") + "/"
    return path[len(root) :] if path.startswith(root) else path
