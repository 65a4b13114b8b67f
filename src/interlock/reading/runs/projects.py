"""Code that is run without being read because it is the project's own.

What lies in the project and was there before may run unread (`exec:project`). What lies elsewhere, what this
session has made and what comes from the network is not the project's: it is read, or it is opaque.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Real, Script
from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg
from ..lands.fetched import came_with, holds_fetched, run_fetched
from ..machine.acts import emit, on_path
from ..machine.index import OBEYING, family_of, find_program
from ..machine.places import has_written
from ..machine.strange import places_in
from ..places.paths import is_own_tree, within
from ..tables.manifests import MANIFESTS
from .trusted import is_built, is_in_new_environment, is_of_session, leads_out

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..reach.requirements import follow_dynamic, follow_lists, packages_in
    from ..tables.agents import host_in
    from ..tables.spec import Program
    from ..tasks import read_tasks
    from ..tasks.package_keys import obey_keys
    from ..tasks.pytest_settings import only_for_show
    from ..tasks.python_files import run_named
    from ..tasks.test_runs import run_tests
    from ..written.dependencies import tell_dependencies
    from ..written.documents import read_documents
    from ..written.env_files import take_variables
    from ..written.languages import language_of
    from ..written.leading import look_where_it_leads
    from ..written.run import look_through, run_by, run_directly
    from ..written.runners import runners_of
    from ..written.settings import look_at_all, obey_settings
    from .as_before import runs_as_before
    from .own_scripts import found_instead
else:
    runs_as_before = lazy(globals(), ".as_before", "runs_as_before")
    follow_dynamic = lazy(globals(), "..reach.requirements", "follow_dynamic")
    follow_lists = lazy(globals(), "..reach.requirements", "follow_lists")
    packages_in = lazy(globals(), "..reach.requirements", "packages_in")
    host_in = lazy(globals(), "..tables.agents", "host_in")
    read_tasks = lazy(globals(), "..tasks", "read_tasks")
    obey_keys = lazy(globals(), "..tasks.package_keys", "obey_keys")
    only_for_show = lazy(globals(), "..tasks.pytest_settings", "only_for_show")
    run_named = lazy(globals(), "..tasks.python_files", "run_named")
    run_tests = lazy(globals(), "..tasks.test_runs", "run_tests")
    tell_dependencies = lazy(globals(), "..written.dependencies", "tell_dependencies")
    read_documents = lazy(globals(), "..written.documents", "read_documents")
    take_variables = lazy(globals(), "..written.env_files", "take_variables")
    language_of = lazy(globals(), "..written.languages", "language_of")
    look_where_it_leads = lazy(globals(), "..written.leading", "look_where_it_leads")
    look_through = lazy(globals(), "..written.run", "look_through")
    run_by = lazy(globals(), "..written.run", "run_by")
    run_directly = lazy(globals(), "..written.run", "run_directly")
    runners_of = lazy(globals(), "..written.runners", "runners_of")
    look_at_all = lazy(globals(), "..written.settings", "look_at_all")
    obey_settings = lazy(globals(), "..written.settings", "obey_settings")
    found_instead = lazy(globals(), ".own_scripts", "found_instead")

__all__ = ["bring_along", "inside", "installed_program", "obey", "own_code", "own_tool", "run_place"]


# file of settings -> the words with which it makes a tool load or run code, or write elsewhere; without them it may not
_RUNS_BY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((".pylintrc", "pylintrc"), ("init-hook", "load-plugins", "INHERIT")),
    "mkdocs.yml": ("hooks", "INHERIT", "!!python", "custom_dir"),
    "gradle.properties": ("jvmargs", "java.home", "initscript", "systemProp"),
    "gradle-wrapper.properties": ("distributionUrl",),
    "rust-toolchain.toml": ("path",),
}

# program -> the files of tasks that are read where their text can be had (tasks/)
_TASKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "yarnpkg", "run-s", "run-p", "npm-run-all"), ("package.json",)),
    **dict.fromkeys(("turbo", "lerna", "wsrun", "lage", "nx"), ("package.json",)),
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
}


def _usual_name(program: str) -> str:
    """`pip3.11` is pip."""
    row = None if program in MANIFESTS else find_program(program)
    return program if row is None else row.name


def own_code(
    folders: tuple[str, ...] | list[str] | None, shell: Shell, span: tuple[int, int], *, named: bool = False
) -> bool:
    """Code of the folders in which a build tool is run: opaque, unless it is the project's. True if it was read.

    `named`: a word of the command says where.
    """
    facts = shell.found.facts
    if folders is None:
        shell.unclear("runs code of an unknown folder", span)
        return False
    words = shell.found.commands[-1][0] if shell.found.commands else ()
    program = words[0].text.rpartition("/")[2] if words else ""
    tasks = _TASKS.get(program)
    read = tasks is not None
    runner = _runner(words) if shell.files or facts.written else ""
    for folder in folders:
        out = not inside(folder, facts.root) and not within(facts.beside, folder) and not is_built(folder, shell)
        if out or ((facts.written or shell.links) and leads_out(folder, shell)):
            shell.unclear(f"runs code of `{folder}`, which is outside the project", span, kind="outside")
            return False
        if not shell.files and not facts.written and not shell.found.fetched and not (tasks and facts.scripts):
            for name in tasks or ():
                read = False
                shell.found.want(Script(f"{folder}/{name}"))
            continue
        place = came_with(folder, shell) or holds_fetched(folder, shell)
        if place is not None:
            run_fetched(place, span, shell)
        if tasks:
            read = read_tasks(words, folder, shell, span) and read
        called = _usual_name(program)
        if called in _TAKES_LISTS:
            follow_dynamic(folder, shell, span)
        for path in _manifests(called, folder, shell):
            name = path.rpartition("/")[2]
            if tasks is not None and name in tasks:
                continue
            if runner and name == "conftest.py" and (path in shell.files or path in facts.written):
                continue  # see below
            if name.endswith(".py"):
                run_named(called, path, shell, span)
            elif called == "pytest":
                if not _only_for_show(path, shell):
                    shell.unclear(
                        f"runs what `{path}` says, which was written in this session", span, kind="written-here"
                    )
            elif not _says_nothing(path, _RUNS_BY.get(name), shell) and not (
                name == "pyproject.toml" and runs_as_before(path, shell)
            ):
                shell.unclear(f"runs what `{path}` says, which was written in this session", span, kind="written-here")
    if tasks is not None and not read and (shell.files or facts.written):
        look_through(span, shell)
        look_at_all(shell, span)
    if runner:
        run_tests(runner, words, tuple(folders), shell, span, place=named)
    return read


_TAKES_LISTS = frozenset("pip uv pdm hatch flit rye pyproject-build tox nox".split())
_BRING_ALONG = frozenset("npm pnpm yarn yarnpkg bun uv poetry pdm pipenv rye composer pixi".split())


def bring_along(shell: Shell, span: tuple[int, int]) -> None:
    """A package that is added to the project: all else that its manifest names is installed as well, and what that
    says for the moment is run. The project's own manifest is free; one that this session wrote is looked at.
    """
    words = shell.found.commands[-1][0] if shell.found.commands else ()
    program = words[0].text.rpartition("/")[2] if words else ""
    if program not in _BRING_ALONG or not (shell.files or shell.found.facts.written):
        return
    names = (*_TASKS.get(program, ()), *MANIFESTS.get(program, ()))
    for folder in shell.folders or ():
        if any(has_written(path, shell) for path in _above(folder, names, shell.found.facts.root)):
            own_code((folder,), shell, span)


def _above(folder: str, names: tuple[str, ...], root: str) -> list[str]:
    """The places in which a file of these names counts for the folder: there, and above it up to the project."""
    at, found = folder, [f"{folder}/{name}" for name in names]
    while at != root and inside(at, root) and "/" in at[1:]:
        at = at.rpartition("/")[0]
        found += [f"{at}/{name}" for name in names]
    return found


_BUILDERS = frozenset(("uv", "hatch", "pdm", "rye"))
# Programs that take the nearest file above the folder as well.
_UPWARD = frozenset("pytest poe uv poetry pdm hatch pipenv rye cargo just task rake bundle pre-commit gradle".split())


def _manifests(name: str, folder: str, shell: Shell) -> list[str]:
    """Those of the program's files, in the folder or above it, that this session wrote."""
    names = MANIFESTS.get(name, ())
    found = [f"{folder}/{one}" for one in names if has_written(f"{folder}/{one}", shell)]
    at, root = folder, shell.found.facts.root
    while name in _UPWARD and at != root and "/" in at[1:]:
        at = at.rpartition("/")[0]
        found += [f"{at}/{one}" for one in names if not one.endswith(".py") and has_written(f"{at}/{one}", shell)]
    return found


def _only_for_show(path: str, shell: Shell) -> bool:
    """Whether pytest runs nothing because of it. Who brings the project up to date first builds it by the same file."""
    builds = any(words and words[0].text.rpartition("/")[2] in _BUILDERS for words, _ in shell.found.commands)
    return not (builds and path.endswith("/pyproject.toml")) and only_for_show(path, shell)


def _says_nothing(path: str, words: tuple[str, ...] | None, shell: Shell) -> bool:
    """True if the text of the file is known, and none of these words is in it; None: every word counts."""
    if words is None:
        return False
    held = shell.files.get(path)
    text = shell.found.facts.scripts.get(path) if held is None else held.text if held.known else None
    if text is None and held is None:
        shell.found.want(Script(path))
    return text is not None and not any(word in text for word in words)


# Programs that find tests by themselves and run them.
_RUNNERS = frozenset("pytest py.test unittest nose2 nosetests trial tox nox manage.py django-admin django".split())
_DJANGO = ("manage.py", "django-admin", "django")


def _runner(words: tuple[Arg, ...]) -> str:
    """The test runner that the words of a command name, empty if there is none."""
    for at, word in enumerate(words[:12]):
        name = word.text.rpartition("/")[2].removesuffix(".__main__")
        if name == "hatch" and at == 0 and len(words) > 1 and words[1].text == "test":
            return "pytest"
        if name in _RUNNERS and (at == 0 or words[at - 1].text == "-m" or name in _DJANGO[:2]):
            if name not in _DJANGO:
                return name
            if len(words) > at + 1 and words[at + 1].text == "test":
                return "manage.py"
    return ""


# Folders in a project that hold its tools, and scripts that are a tool under another name.
_TOOL_FOLDERS = ("/.venv/bin", "/venv/bin", "/env/bin", "/node_modules/.bin", "/vendor/bin", "/.tox/py/bin")
_TOOL_SCRIPTS = frozenset(
    ("gradlew", "mvnw", "manage.py", "artisan", "bin/rails", "bin/rake", "bin/bundle", "bin/rspec")
)


def own_tool(path: str, shell: Shell) -> Program | None:
    """`.venv/bin/pip`, `./gradlew`: a tool that the project keeps for itself is read as the tool that it is."""
    facts = shell.found.facts
    if "/node_modules/" in path:
        host = host_in(path)
        if host is not None:
            return find_program(host)
    if not is_own_tree(facts, path) and not is_in_new_environment(path, shell):
        return None
    folder, _, name = path.rpartition("/")
    known = (
        not is_own_tree(facts, path)
        or folder.endswith(_TOOL_FOLDERS)
        or name in _TOOL_SCRIPTS
        or f"{folder.rpartition('/')[2]}/{name}" in _TOOL_SCRIPTS
    )
    if not known:
        return None
    return None if is_of_session(path, shell) else find_program(name)


_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)

# Where a system keeps programs beside the folders of PATH. Nobody writes there without being asked about.
_INSTALLED = ("/usr/", "/opt/", "/Library/", "/Applications/", "/nix/store/", "/snap/", "/home/linuxbrew/.linuxbrew/")


def installed_program(path: str, shell: Shell) -> str | None:
    """`/usr/lib/jvm/…/bin/java`, `/opt/conda/envs/x/bin/pip`: the name of a program that the system has."""
    folder, _, name = path.rpartition("/")
    if not path.startswith(_INSTALLED) or not folder.endswith(("/bin", "/sbin", "/libexec")):
        return None
    facts = shell.found.facts
    real = facts.real.get(path)
    if real is None:
        shell.found.want(Real(path))
        return None
    for where in (path, real):
        if has_written(where, shell) or inside(where, facts.root):
            return None
    return name if real.startswith(_INSTALLED) else None


def inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def obey(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """What this session wrote and the program loads by itself: keys of a package.json, tests, settings, packages."""
    if not shell.files and not shell.found.facts.written:
        return
    read_documents(program, words, shell, span)
    take_variables(program, words, shell, span)
    if family_of(program) in OBEYING:
        obey_keys(words, shell, span)
    rows = runners_of(program, tuple([word.text for word in words[1:7]]))
    if rows:
        run_by(rows, words, shell, span)
    if any(path.endswith(_NAMES_PACKAGES) for path in (*shell.files, *shell.found.facts.written)):
        tell_dependencies(_usual_name(program), words, shell, span)
    look_where_it_leads(program, words, shell, span)
    obey_settings(program, words, shell, span)
    if program in _UNREAD_TASKS:
        look_at_all(shell, span)
    elif program in _BY_NAME:
        at = _first_program(words)
        if at:
            obey(words[at].text, words[at:], shell, span)
    elif program in ("bundle", "bundler") and len(words) > 2 and words[1].text == "exec":
        obey(words[2].text, words[2:], shell, span)


# Programs that run tasks out of files that are not read, and those that run any program of a project by its name.
_UNREAD_TASKS = frozenset("just task go-task poe mask moon makers xc pants please plz lefthook pre-commit".split())
_BY_NAME = frozenset(("yarn", "yarnpkg", "pnpm", "bun"))


def _first_program(words: list[Arg]) -> int:
    """Where the name of a tool stands in `yarn run prettier …`, `yarn workspace web prettier …`; 0: nowhere."""
    names = [at for at, word in enumerate(words) if at and word.text[:1] != "-"]
    if names and words[names[0]].text in ("workspace", "run"):
        names = names[2 if words[names[0]].text == "workspace" else 1 :]
    at = names[0] if names else 0
    return at if at and family_of(words[at].text) == "node" and words[at].text not in _BY_NAME else 0


_NAMES_PACKAGES = tuple(
    (
        ".gitmodules .toml .mod .xml .gradle .kts .sbt Gemfile .exs .yaml .swift .zon proj .props .targets .lock .json"
    ).split()
)


def run_place(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A file or folder whose code is run, named by a word of the command (`pytest tests/a.py::test_b`)."""
    if "://" in arg.text:
        shell.found.follow.on_url(arg, shell, arg.span, [])
        shell.unclear("runs code from an address", span, kind="fetched")
        return
    if arg.text == "-":
        shell.unclear("runs what it is fed, and that is not read", span)
        return
    if arg.text[:1] in ("{", "[") or ("=" in arg.text and arg.text[:1] not in ("/", ".", "~")):
        _written_out(arg, shell, span)
        return
    text = arg.text.removeprefix("file:").partition("::")[0]
    if text[:1] in (".", "/"):
        text = text.partition("[")[0]
    named = Arg(text or ".", arg.span, arg.glob, arg.origin, arg.quoted)
    for at in on_path("read", named, shell):
        path = found_instead(at, shell) or at
        if has_written(path, shell):
            words = shell.found.commands[-1][0] if shell.found.commands else ()
            listed = path in shell.files or path in shell.found.facts.written
            if listed and ((path.endswith(".py") and _runner(words)) or path.endswith(".bats")):
                pass  # as the runner does
            elif path.endswith((".py", ".sh", ".java")):
                shell.found.follow.run_file(named, [], span, shell)
            elif (packages := _packages_in(path, shell)) is not None:
                emit(
                    shell,
                    span,
                    name="pkg:install",
                    effects=_INSTALLS,
                    tags=("install",),
                    target={"manifest": path, **({"package": packages} if packages else {})},
                )
            elif came_with(path, shell) is None or "." in path.rpartition("/")[2]:  # of a folder, see below
                if language_of(path):
                    run_directly(path, [], span, shell)
                else:
                    shell.unclear(f"runs `{path}`, which was written in this session", span, kind="written-here")
        if path.endswith(_LISTS):
            follow_lists(path, shell, span)
        if "*" in path:
            path = path.partition("*")[0].rpartition("/")[0] or "/"  # whichever of them are there
        own_code((path,), shell, span, named=True)


_LISTS = (".txt", ".in", ".pip")


def _packages_in(path: str, shell: Shell) -> tuple[str, ...] | None:
    return packages_in(path, shell)


def _written_out(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """`--config '{"globalSetup": "/tmp/x.js"}'`: settings themselves, where a file of them could stand."""
    if arg.unknown or "\\" in arg.text:
        shell.unclear("settings that may name code are not known", span)
    for place in places_in(arg.text):
        run_place(Arg(place, arg.span, arg.glob, arg.origin, arg.quoted), shell, span)
