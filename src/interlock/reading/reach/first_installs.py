"""Which kind of installation this is: the one place that says so, for all languages.

An installation is free where HEAD names the package, where its lock is used as it is, and where a widely used package
comes without running code. Everything else is a question; what comes from an unusual place, or under a name that is
nearly another's, is one each time. What HEAD holds is a fact (declared.py); while it is not known, nothing is named.
"""

from __future__ import annotations

import re

from ...approve.well_known import is_near, is_well_known, names_like
from ...model.more_wants import Packages
from ...model.wants import Real
from ...value import TYPE_CHECKING, Value
from ..evaluate.contents import texts_of_file
from ..machine.places import has_written
from ..machine.sources import COLLECTIONS, leads_out
from ..places.paths import Unsettled, in_project, settle
from .package_lists import FILES, listed_in, plain_name
from .package_sources import is_elsewhere

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import Target
    from .declared import Declared

__all__ = ["ELSEWHERE", "NEAR_MISS", "Install", "Judged", "fetches", "judge", "unnamed_in_lock", "weighed"]

ELSEWHERE, NEAR_MISS = "elsewhere", "near-miss"  # marks of what is asked each time


class Install(Value):
    """
    collection  whose packages they are: `node`, `python`
    program     the package manager
    packages    as they are spelt, with what is asked for of each
    version     what an option asks for: `gem install x -v 1`
    sources     other places that the command names
    lists       files that the command names
    is_global   for the person or the machine, not for the project
    runs_code   packages may run their own code while they are installed
    makes       it fetches `create-x` where `x` is said
    """

    collection: str
    program: str = ""
    packages: tuple[str, ...] = ()
    version: str = ""
    sources: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    is_global: bool = False
    runs_code: bool = True
    makes: bool = False


class Judged(Value):
    """
    kind     `locked`: nothing but what HEAD names; `bare`: widely used, and no code runs; `known`: widely used;
             `new`: any other; `odd`: from an unusual place or under an unusual name
    sources  the unusual places
    like     the name that one of the packages nearly has
    locked   what HEAD holds, where something else is asked for
    """

    kind: str
    sources: tuple[str, ...] = ()
    like: str = ""
    locked: tuple[str, ...] = ()


def judge(install: Install, known: Declared | None, allowed: tuple[str, ...] = (), *, changed: bool = False) -> Judged:
    """`known`: None where it is not known yet. `allowed`: registries that count as the person's own. `changed`: the
    session wrote a file that says where packages come from.
    """
    sources = _sources(install, known, allowed)
    if changed:
        sources = (*sources, "settings of this session")
    kinds = {"locked"}
    like = ""
    locked: list[str] = []
    for text in install.packages:
        name, asked = _parts(install.collection, text)
        asked = asked or install.version
        if asked.startswith("workspace:"):
            continue  # another folder of the project
        held = None if known is None or install.makes else known.names.get(plain_name(install.collection, name))
        if held is not None and not install.is_global:
            if not asked or _is_held(asked, held):
                continue
            locked += held
        is_known = is_well_known(name, install.collection) and not install.makes
        if is_known and not asked:
            kinds.add("known" if install.runs_code or install.is_global else "bare")
            continue
        kinds.add("new")
        if held is None and not is_known and "://" not in text and "/" not in name[:1]:
            like = like or _nearly(name, install.collection, known)
    kind = "odd" if sources or like else next(kind for kind in _STRICTEST if kind in kinds)
    return Judged(kind=kind, sources=sources, like=like, locked=tuple(dict.fromkeys(locked)))


_STRICTEST = ("new", "known", "bare", "locked")


def _sources(install: Install, known: Declared | None, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Hosts that are neither the usual ones nor the person's."""
    found = list(install.sources)
    if known is not None:
        own = {host for hosts in known.person.values() for host in hosts}
        obeyed = [hosts for path, hosts in known.sources.items() if _obeys(install, path.rpartition("/")[2])]
        obeyed += known.project.values()
        found += [host for hosts in obeyed for host in hosts]
        found = [host for host in found if host not in own]
    return tuple([host for host in dict.fromkeys(found) if host not in allowed])


_TAKES_PROJECT = frozenset("uv poetry pdm hatch rye".split())


def _obeys(install: Install, name: str) -> bool:
    """Whether the program takes packages from where this file says."""
    programs = FILES[install.collection].locks.get(name)
    if programs is not None:
        return install.program in programs
    if name == "pyproject.toml":
        return install.program in _TAKES_PROJECT
    return name in install.lists if install.collection == "python" else True


# --- names ------------------------------------------------------------------------------------------------------------

_PYTHON = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)", re.DOTALL)


def _parts(collection: str, text: str) -> tuple[str, str]:
    """The name of a package, and what is asked for of it: `x@npm:y` is the package that `npm:y` says."""
    if collection == "python":
        found = _PYTHON.fullmatch(text.strip())
        return (found[1], found[2].partition(";")[0].replace(" ", "")) if found is not None else (text, "?")
    if collection == "php":
        name, _, asked = text.replace("=", ":").replace(" ", ":").partition(":")
        return name, asked
    if collection == "ruby":
        name, _, asked = text.partition(":")
        return name, asked
    at = text.find("@", 1)
    return (text, "") if at < 0 else (text[:at], text[at + 1 :])


def _is_held(asked: str, held: tuple[str, ...]) -> bool:
    """Whether HEAD asks for the very same, or holds that version."""
    if asked in held:
        return True
    exact = asked.lstrip("=@").removeprefix("v")
    return exact in held or f"v{exact}" in held


def _nearly(name: str, collection: str, known: Declared | None) -> str:
    plain = plain_name(collection, name)
    near = names_like(plain, collection)
    if near or known is None:
        return near
    return next((other for other in known.names if is_near(plain, other)), "")


# --- a command that is read -------------------------------------------------------------------------------------------

_BRINGS = ("pkg:install", "pkg:run")


def weighed(name: str, target: Target, tags: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    """The marks of an installation, with those that its kind adds or takes away; its target says what is odd."""
    words = tuple([word.text for word in shell.found.commands[-1][0]]) if shell.found.commands else ()
    install = _install_of(name, target, words)
    if install is None or "dryrun" in tags:
        return tags
    words = words[: words.index("--")] if "--" in words else words
    sources = (*_variables(shell), *_settings_before(install, shell), *_options(install, words))
    sources = (*sources, *_lists(install, words, shell))
    known = _declared(install.collection, shell, _folder_in(install, words))
    if "manifest" in target and install.packages:
        install = install.replace(packages=_unnamed(install, known))
        target["package"] = install.packages
        if not install.packages:
            del target["package"]
            tags = tuple([tag for tag in tags if tag != "install"])
    judged = judge(
        install.replace(sources=(*install.sources, *sources)),
        known,
        shell.found.facts.registries,
        changed=_has_changed(install, shell),
    )
    if judged.sources and judged.sources != install.sources:
        target["via"] = judged.sources
    elif not judged.sources and "via" in target and install.sources:
        del target["via"]
        tags = tuple([tag for tag in tags if tag != "redirects"])
    if judged.locked:
        target["locked"] = judged.locked
    if judged.like:
        target["like"] = judged.like
        tags = (*tags, NEAR_MISS)
    if judged.sources:
        return (*tags, ELSEWHERE)
    free = judged.kind in ("locked", "bare") and not install.is_global and "system" not in target
    if name in _BRINGS and free and install.packages:
        return (*[tag for tag in tags if tag != "install"], "project")
    return tags


def _unnamed(install: Install, known: Declared | None) -> tuple[str, ...]:
    """What a manifest names and HEAD does not. A range is how a manager writes a package that no version was asked
    for, so it stands for the name, unless HEAD asks for something else.
    """
    left: list[str] = []
    for text in install.packages:
        name, asked = _parts(install.collection, text)
        held = None if known is None else known.names.get(plain_name(install.collection, name))
        if asked.startswith("workspace:"):
            continue
        if held is None:
            left.append(name if _is_range(install.collection, asked) else text)
        elif asked and not _is_held(asked, held):
            left.append(text)
    return tuple(dict.fromkeys(left))


def unnamed_in_lock(path: str, text: str, collection: str, shell: Shell) -> tuple[str, ...]:
    """What a lock file holds that HEAD does not name in that version; nothing while that is not known."""
    known, listed = _declared(collection, shell), listed_in(collection, path.rpartition("/")[2], text)
    if known is None or listed is None:
        return ()
    mark = "==" if collection == "python" else ":" if collection in ("ruby", "php") else "@"
    return tuple([
        f"{name}{mark}{version}"
        for name, versions in listed.names.items()
        for version in versions
        if version not in known.names.get(name, ())
    ])  # fmt: skip


def _is_range(collection: str, asked: str) -> bool:
    if collection == "go":
        return True  # a version is all that go.mod can say
    return not asked or (asked[:1] in "^~<>!*" if collection != "rust" else asked[:1] != "=" and ":" not in asked)


def fetches(tool: str, shell: Shell) -> bool:
    """Whether `npx TOOL` or `uvx TOOL` fetches a package: HEAD names none that brings the tool, and none is there."""
    words = [word.text for word in shell.found.commands[-1][0]] if shell.found.commands else [""]
    collection = COLLECTIONS.get(words[0].rpartition("/")[2], "")
    known = _declared(collection, shell) if collection in FILES else None
    if known is None or not known.names or any(_brings(package, tool) for package in known.names):
        return False  # where no file of HEAD names a package, a tool that is known is read as itself
    if collection != "node":
        return True
    path = f"{shell.folders[0] if shell.folders else ''}/node_modules/.bin/{tool}"
    if path not in shell.found.facts.real:
        shell.found.want(Real(path))
        return False
    return path in shell.found.facts.absent


# tool -> the package that brings it, where that has another name
_BROUGHT_BY = {"tsc": "typescript", "ng": "@angular/cli", "nest": "@nestjs/cli", "vue-cli-service": "@vue/cli-service"}


def _brings(package: str, tool: str) -> bool:
    scope, _, name = package.rpartition("/")
    return tool in (package, name, scope.lstrip("@")) or _BROUGHT_BY.get(tool) == package


def _install_of(name: str, target: Target, words: tuple[str, ...]) -> Install | None:
    program = words[0].rpartition("/")[2].rstrip("0123456789.") if words else ""
    collection = str(target.get("collection") or COLLECTIONS.get(program, ""))
    if collection not in FILES:
        return None
    packages = target.get("package", ())
    away = target.get("via", ())
    return Install(
        collection=collection,
        program=program,
        packages=packages if type(packages) is tuple else (str(packages),),
        version=_version(collection, words),
        sources=tuple([place for place in (away if type(away) is tuple else ()) if not place.startswith("npm:")]),
        lists=tuple([word.rpartition("=")[2].rpartition("/")[2] for word in words[1:]]),
        is_global="global" in target or (name == "pkg:install" and leads_out(words)),
        runs_code=_runs_code(collection, words) or name == "pkg:run",
        makes=name == "pkg:run" and not {"init", "create", "innit"}.isdisjoint(words[1:3]),
    )


def _version(collection: str, words: tuple[str, ...]) -> str:
    """`gem install x -v 1`, `cargo install x --version 1`: an option says which."""
    if collection not in ("ruby", "rust"):
        return ""
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in ("--version", "--vers", "--tag", "--rev", "--branch") or (option == "-v" and collection == "ruby"):
            return value if equals else "".join(words[at + 1 : at + 2])
    return ""


_ALL_WHEELS = ("--only-binary=:all:", "--no-build")


def _runs_code(collection: str, words: tuple[str, ...]) -> bool:
    """Whether packages may run code of their own while they are installed."""
    if collection == "node":
        return not {"--ignore-scripts", "--ignore-scripts=true", "--mode=skip-build"} & {*words}
    if collection == "python":
        wheels = "--only-binary" in words and words[words.index("--only-binary") + 1 :][:1] == (":all:",)
        built = any(word.startswith(("--no-binary", "--no-build-")) for word in words)
        return built or not (wheels or any(word in _ALL_WHEELS for word in words))
    if collection == "php":
        return not {"--no-scripts", "--no-plugins"} <= {*words}
    return not (collection == "go" and "get" in words[1:2])


def _declared(collection: str, shell: Shell, below: str = "") -> Declared | None:
    facts = shell.found.facts
    if shell.folders is None or len(shell.folders) != 1 or not in_project(facts.root, shell.folders[0]):
        return None
    try:
        folder = settle(below, cwd=shell.folders[0], home=facts.home) if below else shell.folders[0]
    except Unsettled:
        return None
    if not in_project(facts.root, folder):
        return None
    return shell.found.ask(Packages(collection, folder, facts.root, facts.began))


def _has_changed(install: Install, shell: Shell) -> bool:
    """Whether this session wrote a file that may say where packages come from."""
    facts = shell.found.facts
    if not shell.files and not facts.written:
        return False
    kinds = FILES[install.collection]
    for folder in shell.folders or ():
        at = folder
        while True:
            if any(has_written(f"{at}/{name}", shell) for name in kinds.settings):
                return True
            if at == facts.root or "/" not in at[1:]:
                break
            at = at.rpartition("/")[0]
    return any(has_written(facts.home + path[1:], shell) for path in kinds.person if path[:1] == "~")


def _values(options: tuple[str, ...], words: tuple[str, ...]) -> list[str]:
    """What options of these names are given, each as a word of its own, behind `=`, or in the same word as `-r`."""
    found = []
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in options:
            found.append(value if equals else "".join(words[at + 1 : at + 2]))
        elif word[:2] in options and word[1:2] != "-":
            found.append(word[2:])
    return found


_MOVES = ("--userconfig", "--globalconfig")
_LISTS = ("-r", "--requirement", "--requirements", "-c", "--constraint", "--constraints")


def _options(install: Install, words: tuple[str, ...]) -> tuple[str, ...]:
    """Options of npm that lead elsewhere, wherever they stand: a registry, that of a scope, other files of settings."""
    if install.collection != "node":
        return ()
    scopes = {text.partition("/")[0] for text in install.packages if text[:1] == "@"}
    names = {word.partition("=")[0] for word in words if word[:2] == "--"}
    scoped = [name for name in names if name.endswith(":registry")]
    led = [name for name in scoped if not install.packages or name[2 : -len(":registry")] in scopes]
    addresses = [text for text in _values(("--registry", *led), words) if is_elsewhere(text)]
    away = [text.rpartition("://")[2].partition("/")[0] for text in addresses]
    return (*away, *[name for name in _MOVES if name in names])


def _settings_before(install: Install, shell: Shell) -> tuple[str, ...]:
    """`npm config set registry …` before it in the same call."""
    changes = [action for action in shell.found.actions if "redirects" in action.tags and action.name[:4] != "pkg:"]
    own = [action for action in changes if COLLECTIONS.get(action.name.partition(":")[0]) == install.collection]
    return ("settings of this call",) if own else ()


def _folder_in(install: Install, words: tuple[str, ...]) -> str:
    """The folder that npm goes to first."""
    said = _values(("--prefix", "-C", "--dir", "--cwd"), words) if install.collection == "node" else []
    return said[-1] if said and not install.is_global else ""


def _lists(install: Install, words: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    """Indexes that the lists of a command name, and the lists that these include."""
    if install.collection != "python" or shell.folders is None or len(shell.folders) != 1:
        return ()
    left = [(name, shell.folders[0]) for name in _values(_LISTS, words)]
    seen: set[str] = set()
    found: list[str] = []
    while left and len(seen) < _MOST_LISTS:
        name, folder = left.pop()
        try:
            path = settle(name, cwd=folder, home=shell.found.facts.home)
        except Unsettled:
            continue
        if path in seen or "://" in name or not in_project(shell.found.facts.root, path):
            continue
        seen.add(path)
        for text in texts_of_file(path, shell) or ():
            listed = listed_in("python", "list.txt", text)
            found += listed.sources if listed is not None else ("?",)
            for line in text.split("\n"):
                left += [(one, path.rpartition("/")[0]) for one in _values(_LISTS, tuple(line.split()))]
    return tuple(dict.fromkeys(found))


_MOST_LISTS = 20


def _variables(shell: Shell) -> tuple[str, ...]:
    """Variables that this call sets, and that lead programs elsewhere."""
    set_here = [action for action in shell.found.actions if action.name == "shell:variable"]
    return tuple([f"${action.target.get('name', '')}" for action in set_here if "redirects" in action.tags])
