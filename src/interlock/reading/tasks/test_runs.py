"""Tests of Python that a runner finds by itself: those that this session wrote are read (python/suite.py).

`pytest`, `python -m unittest`, `manage.py test` run what lies below a folder under the names of tests, and pytest each
`conftest.py` on the way. What the project brought along is its own. A file whose text is too much to
take in, or that cannot be had, is opaque; one that is not there is not run.
"""

from __future__ import annotations

from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import text_of, texts_in
from ..lands.fetched import came_with, run_fetched

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..python.own_modules import files_of, read_examples
    from ..python.replaced import look_ahead
    from ..python.values import parsed
else:
    files_of = lazy(globals(), "..python.own_modules", "files_of")
    read_examples = lazy(globals(), "..python.own_modules", "read_examples")
    look_ahead = lazy(globals(), "..python.replaced", "look_ahead")
    parsed = lazy(globals(), "..python.values", "parsed")

__all__ = ["run_tests"]

_MAX_FILES = 40
_MAX_TEXT = 600_000
_FLAGS = frozenset("qvsxl")  # options of one letter that take no word


def run_tests(
    runner: str, words: tuple[Arg, ...], folders: tuple[str, ...], shell: Shell, span: tuple[int, int], *, place: bool
) -> None:
    """What this session wrote and the runner runs, below the folders; `place`: below one that a word names."""
    facts = shell.found.facts
    texts = [word.text for word in words]
    written = sorted({path for path in (*shell.files, *facts.written) if path.endswith(".py")})
    if not written:
        _tell_examples(runner, texts, folders, shell, span)
        return
    named = _named_by(texts, runner)
    found: list[str] = []
    for path in written:
        if any(_runs(path, folder, runner, texts, narrowed=named and not place, named=place) for folder in folders):
            found.append(path)
    plugins = _plugins(texts) if runner != "unittest" else []
    _tell_examples(runner, texts, folders, shell, span)
    strict = folders if place else ()
    _read(found, strict, [*plugins, *_modules(texts, runner)], written, shell, span)


def _plugins(texts: list[str]) -> list[str]:
    """`-p name`, `-pname`, `-qp name`."""
    found = []
    for at, text in enumerate(texts):
        flags, mark, name = text[1:].partition("p")
        if text[:1] == "-" and text[1:2] != "-" and mark and _FLAGS.issuperset(flags):
            found += [name.lstrip("=")] if name else texts[at + 1 : at + 2]
    return found


def _tell_examples(
    runner: str, texts: list[str], folders: tuple[str, ...], shell: Shell, span: tuple[int, int]
) -> None:
    """Examples in a text that this session wrote, which pytest runs: `>>> …` in `test_a.txt`, or as it is told."""
    if runner not in ("pytest", "py.test"):
        return
    globs = [texts[at + 1] for at in range(len(texts) - 1) if texts[at] == "--doctest-glob"]
    globs += [text.partition("=")[2] for text in texts if text.startswith("--doctest-glob=")]
    modules = any(text.startswith("--doctest-m") for text in texts)
    endings = tuple([glob.rpartition("*")[2] for glob in globs])
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        name = path.rpartition("/")[2]
        usual = name.startswith("test") and name.endswith(".txt")
        if not usual and not (endings and name.endswith(endings)) and not (modules and name.endswith(".py")):
            continue
        if not any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders):
            continue
        held = text_of(path, shell)
        text = facts.scripts.get(path) if held is None else held.text if held.known else None
        if text is None and held is None:
            shell.found.want(Script(path))
        if name.endswith(".py"):
            read_examples(text or "", span, shell)
        elif ">>>" in (text or (">>>" if endings else "")):
            shell.unclear(
                f"`{path}`, which was written in this session, holds examples that are run", span, kind="written-here"
            )


def _named_by(texts: list[str], runner: str) -> bool:
    """Whether the words say which files or folders: then these were looked at one by one."""
    if runner not in ("pytest", "py.test"):
        return False
    if texts[:1] == ["hatch"]:
        texts = texts[1:]
    start = next((at for at, text in enumerate(texts) if text.rpartition("/")[2] == runner), 0)
    before = ""
    for text in texts[start + 1 :]:
        plain = not before.startswith("-") or "=" in before or (before[1:2] != "-" and _FLAGS.issuperset(before[1:]))
        if plain and not text.startswith("-") and text[:1] not in ("<", ">", "|", "&"):
            return True
        before = text
    return False


def _runs(path: str, folder: str, runner: str, texts: list[str], *, narrowed: bool, named: bool) -> bool:
    name = path.rpartition("/")[2]
    below = path.startswith(folder.rstrip("/") + "/")
    if name == "conftest.py" and runner not in ("unittest", "manage.py"):
        on_the_way = (folder + "/").startswith(path.rpartition("/")[0] + "/")
        return on_the_way or (below and not narrowed)
    if path == folder:
        return named
    if not below or narrowed:
        return False
    if runner == "unittest" and any(text.startswith(("-p", "--p")) for text in texts):
        return True
    if any(text.startswith("--doctest-m") for text in texts):
        return True
    if any("python_files" in text for text in texts):
        return True
    if runner in ("nox", "tox") and name in ("noxfile.py", "setup.py"):
        return False
    return name.startswith("test") or name.endswith(("_test.py", "_tests.py")) or name == "tests.py"


def _modules(texts: list[str], runner: str) -> list[str]:
    """`python -m unittest tests.test_a.Case`: modules that are named, and what lies on the way to them."""
    if runner != "unittest":
        return []
    return [text for text in texts[texts.index("unittest") + 1 :] if text[:1] != "-"] if "unittest" in texts else []


def _read(
    paths: list[str],
    strict: tuple[str, ...],
    modules: list[str],
    written: list[str],
    shell: Shell,
    span: tuple[int, int],
) -> None:
    from ..python.functions import Spent
    from ..python.suite import Suite, SuiteReader

    root = shell.found.facts.root
    here = (shell.folders or (root,))[0]
    bases = tuple(dict.fromkeys((here, f"{here}/src", root, f"{root}/src")))
    for module in modules:
        for base in bases:
            paths += [path for path in files_of(module, base) if path in written and path not in paths]
    paths = [path for path in paths if ("suite", path, shell.folders) not in shell.found.seen]
    if not paths:
        return
    if len(paths) > _MAX_FILES:
        shell.unclear(
            f"{len(paths)} files with tests were written in this session: too many to read", span, kind="written-here"
        )
        paths = paths[:_MAX_FILES]
    suite = Suite(bases, frozenset(part.removesuffix(".py") for path in written for part in path.split("/")[1:]))
    trees = []
    size = 0
    for path in sorted(paths, key=lambda path: (not path.endswith("/conftest.py"), path)):
        shell.found.seen.add(("suite", path, shell.folders))
        for text in _texts(path, shell, span, known=path in strict or path.endswith("/conftest.py")):
            size += len(text)
            tree = parsed(text) if size <= _MAX_TEXT else None
            if tree is None:
                why = "could not be parsed" if size <= _MAX_TEXT else "is too much to read"
                shell.unclear(f"`{path}`, which was written in this session, {why}", span, kind="written-here")
                continue
            look_ahead(tree, suite)
            trees.append((path, tree, "global" in text or "nonlocal" in text))
    readers = []
    for path, tree, binds_outside in trees:
        inner = shell.copy()
        inner.frozen_span = shell.span(span)
        reader = SuiteReader(inner, span, path, suite)
        reader.binds_outside = binds_outside
        readers.append((reader, tree))
    for step in ("run", "enter_all", "finish"):
        for reader, tree in readers:
            try:
                reader.run(
                    tree.body
                ) if step == "run" else reader.enter_all() if step == "enter_all" else reader.finish()
            except (RecursionError, Spent):
                shell.unclear(
                    f"`{reader.file}`, which was written in this session, is too much to follow",
                    span,
                    kind="written-here",
                )


def _texts(path: str, shell: Shell, span: tuple[int, int], *, known: bool) -> list[str]:
    """The text of a file; two of them if an edit may have failed. `known`: it runs for sure, and must be known."""
    facts = shell.found.facts
    place = came_with(path, shell)
    if place is not None:
        run_fetched(place, span, shell)
    held = text_of(path, shell)
    texts = None if held is None else texts_in(held, path, shell)
    if texts is not None:
        return list(texts)
    text = facts.scripts.get(path) if held is None else None
    if text is not None:
        return [text]
    if held is None:
        shell.found.want(Script(path))
    if known or held is not None or path in facts.unread:
        shell.unclear(f"`{path}` was written in this session, and its content was not read", span, kind="written-here")
    return []
