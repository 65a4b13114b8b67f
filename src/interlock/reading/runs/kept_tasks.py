"""Test and build tasks that are the project's as it was: nobody has changed what they run since the session began.

Such a task is not read to its end, and it is what a person lets an agent run all day. So its action is marked
`committed`, and the host is told allow (calls/replies.py). What says which task is run must be in the commit that HEAD
named when the session began, byte for byte, and no session may have written it.
"""

from __future__ import annotations

from ...model.more_wants import SameTask
from ...value import TYPE_CHECKING
from ..places.paths import in_project
from ..reach.git_facts import CLEAN, asked
from ..tables.manifests import MANIFESTS
from ..written.languages import language_of
from ..written.runners import ANY_TASK, MACHINERY, runners_of

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["is_kept_task"]

_NODE = ("package.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml")
_MAKE = ("Makefile", "makefile", "GNUmakefile")
_PYTEST = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py")
_CARGO = ("Cargo.toml", "build.rs", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml")
_JVM = (
    "pom.xml",
    "build.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "build.sbt",
)

# Programs that only test, check or build -> the files that say what they run.
_TOOLS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        "jest vitest mocha ava tap jasmine karma nyc c8 uvu qunit tsc vue-tsc eslint prettier stylelint webpack rollup "
        "esbuild tsup swc xo standard react-scripts".split(),
        _NODE,
    ),
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    **dict.fromkeys(("mypy", "ruff", "black", "flake8", "pylint", "tox", "nox"), (*_PYTEST, "setup.py", "noxfile.py")),
    **dict.fromkeys(
        ("rspec", "phpunit", "ctest", "ninja"), (".rspec", "Gemfile", "phpunit.xml", "composer.json", "CMakeLists.txt")
    ),
}
# Programs that run one of several tasks, by name.
_BY_NAME: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "yarnpkg", "bun", "vite", "turbo", "nx"), _NODE),
    **dict.fromkeys(("make", "gmake"), _MAKE),
    "cargo": _CARGO,
    "go": ("go.mod", "go.work"),
    **dict.fromkeys(
        ("dotnet", "swift", "zig", "mix", "dart", "flutter"), ("Package.swift", "build.zig", "mix.exs", "pubspec.yaml")
    ),
    **dict.fromkeys(("gradle", "gradlew", "mvn", "mvnw", "sbt"), (*_JVM, *MANIFESTS["mvn"])),
    **dict.fromkeys(("just", "task", "poe"), (*MANIFESTS["just"], *MANIFESTS["task"], *MANIFESTS["poe"])),
    **dict.fromkeys(("rake", "bundle"), ("Rakefile", "Gemfile")),
}
_DATA = tuple(".cfg .css .csv .html .ini .json .less .md .rst .scss .svg .toml .txt .yaml .yml".split())
# Options that name another folder, or another file that says what runs.
_LEADS_AWAY = tuple(
    "-C -c -f --config --cwd --dir --file --makefile --manifest-path --prefix --project --root --confcutdir".split()
)
_LEADS_IN = frozenset(("run", "run-script", "exec"))
_TASKS = frozenset(
    "all b bench build c check ci clippy compile cov coverage debug doc e2e fast fmt format fix integration js lint "
    "minify nextest package prettier quick spec style t test tests ts tsc type typecheck types unit "
    "validate verify vet vitest jest eslint assemble".split()
)


def is_kept_task(words: tuple[Arg, ...], folders: tuple[str, ...] | None, shell: Shell) -> bool:
    facts = shell.found.facts
    name = words[0].text.rpartition("/")[2] if words else ""
    if any(word.text.startswith(_LEADS_AWAY) for word in words[1:]):
        return False
    files = _TOOLS.get(name) or (_BY_NAME.get(name) if _only_tests(words) else None)
    if files is None or not folders or not facts.began or shell.found.fetched or shell.links:
        return False
    mine = (*facts.written, *shell.files)
    if any(map(_says_what_runs, mine)):
        return False
    looked = _looked_through(name, words)
    if looked is not None and any(_is_unread(path, looked) for path in mine):
        return False
    return all(
        in_project(facts.root, f"{folder}/x")
        and asked(shell.found, SameTask(folder, facts.began, files, facts.root)) == CLEAN
        for folder in folders
    )


def _only_tests(words: tuple[Arg, ...]) -> bool:
    """Whether every task that is named is one that tests, checks or builds: `run test:unit`, and not `build deploy`."""
    said = []
    for word in words[1:]:
        if word.text == "--":
            break
        if word.unknown:
            return False
        if word.text[:1] != "-" and word.text not in _LEADS_IN:
            said.append(word.text)
    tasks = (
        said
        if words[0].text.rpartition("/")[2] in ("make", "gmake", "npm", "pnpm", "yarn", "just", "task")
        else said[:1]
    )
    return bool(tasks) and all(_TASKS.issuperset(_parts(task)) for task in tasks)


def _parts(task: str) -> list[str]:
    for mark in ":-_.":
        task = task.replace(mark, " ")
    return task.lower().split()


def _says_what_runs(path: str) -> bool:
    """Whether a file of the session is one that a task may obey, wherever it lies."""
    name = path.rpartition("/")[2]
    return name in _OBEYED or any(part in path for part in MACHINERY)


def _looked_through(name: str, words: tuple[Arg, ...]) -> frozenset[str] | None:
    """The languages in which somebody looks through what the session wrote before this program runs it. None: it
    loads its settings and what they name, and those are looked at.
    """
    rows = runners_of(name, tuple([word.text for word in words[1:]]))
    if not rows:
        return frozenset(ANY_TASK)
    if name in _TOOLS and all(row.loads == "settings" for row in rows):
        return None
    return frozenset(language for row in rows if row.loads == "all" for language in row.languages)


def _is_unread(path: str, looked: frozenset[str]) -> bool:
    """Whether a task may load it without anybody having looked at it. A task runs whatever its project does, in
    whichever language; of Python, only the tests are read.
    """
    name = path.rpartition("/")[2]
    if name.endswith(".py"):
        return not name.startswith("test_") and not name.endswith("_test.py")
    return not name.endswith(_DATA) and language_of(path) not in looked


_OBEYED = frozenset(
    file.rpartition("/")[2] for table in (_TOOLS, _BY_NAME, MANIFESTS) for files in table.values() for file in files
)
