"""The scripts of a package.json, as npm, pnpm, yarn and bun run them.

Which scripts a command runs, with what is run before and after each, and in which file they stand: the nearest one
above the folder. Each is followed as text for `sh`, with the arguments of the command behind it. Where the file or the
script cannot be told for sure (workspaces, settings that name another shell, options that are not known), nothing is
guessed: the caller has it run unread, or opaque if this session wrote the file.
"""

from __future__ import annotations

from ...bytes.strict import parse_object
from ...limits import MAX_SCRIPT_BYTES
from ...model.effects import Effect
from ...model.errors import InputError
from ...model.wants import Real, Script
from ...value import TYPE_CHECKING, FrozenMap
from ..evaluate.contents import text_of, texts_in
from ..evaluate.words import Arg
from ..machine.acts import emit
from ..machine.engine import run_command
from ..machine.index import find_program
from ..machine.places import has_written
from ..places.paths import Unsettled, settle
from ..tables.names import NAMES
from .inside import follow_task
from .package_around import PREFIX, tools_of, variable_of, variables_of
from .package_words import IN_ALL, Asked, asked_of, setting_of, tells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...value import Json
    from ..evaluate.state import Shell

__all__ = ["manifest_of", "run_scripts", "texts_of"]

_FILE = "package.json"
_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)
_ON_INSTALL = (
    *("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"),
    *("predependencies", "dependencies", "postdependencies"),
)
# Settings with which a script is run by something else than `sh`, or in another folder.
_SETTINGS = frozenset(("script-shell", "shell-emulator", "node-options", "prefix", "workspace", "workspaces"))
_LISTS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides", "resolutions")
_VERSION = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+^~<>=|* ")
_OTHERS = ("/package.json", "/binding.gyp", "/.pnpmfile.cjs", "/pnpm-workspace.yaml")
_PARAMETERS = ("$@", "$*", "$#", "${@", "${*", "${#", *(f"${digit}" for digit in "123456789"))


def run_scripts(words: tuple[Arg, ...], folder: str, shell: Shell, span: tuple[int, int]) -> bool:
    path = _nearest(folder, shell)
    if _is_about_others(words):
        _run_others(words, path or f"{folder}/{_FILE}", shell, span)
    if path is None:
        return False
    written = has_written(path, shell)
    before = len(shell.found.opaque)
    read = _run(words, folder, path, shell, span)
    if not read and written and len(shell.found.opaque) == before:
        shell.unclear(f"runs what `{path}` says, which was written in this session", span, kind="written-here")
    return read


# Words with which a command is about other packages of the project.
_OTHERS_BY = (
    *(
        "-w",
        "--workspace",
        "--workspaces",
        "-ws",
        "--ws",
        "-r",
        "--recursive",
        "--filter",
        "-F",
        "--scope",
        "--projects",
    ),
    *("workspace", "workspaces", "foreach", "run-many", "affected"),
)


def _is_about_others(words: tuple[Arg, ...]) -> bool:
    program = words[0].text.rpartition("/")[2]
    return program in IN_ALL or any(word.text.partition("=")[0] in _OTHERS_BY for word in words[1:])


def _run_others(words: tuple[Arg, ...], path: str, shell: Shell, span: tuple[int, int]) -> None:
    """Scripts of other packages that this session wrote, under any name that is among the words."""
    home = path.rpartition("/")[0]
    said = {part for word in words[1:] for part in (word.text, *word.text.split(":"), *word.text.split(","))}
    for other in sorted({*shell.files, *shell.found.facts.written}):
        if other == path or not other.startswith(home + "/") or "/node_modules/" in other:
            continue
        if other.endswith("/project.json"):
            shell.unclear(f"may run what `{other}` says, which was written in this session", span, kind="written-here")
        if not other.endswith(f"/{_FILE}"):
            continue
        texts = texts_of(other, shell)
        for text in texts:
            manifest = manifest_of(text)
            if manifest is None:
                texts = []
                break
            named = [name for name in manifest[0] if name in said or name.removeprefix("pre") in said]
            named += [name for name in manifest[0] if name.removeprefix("post") in said and name not in named]
            for name in named:
                place = other.rpartition("/")[0]
                follow_task(manifest[0][name], (), other, name, place, shell, span, tools=tools_of(place, shell))
        if not texts:
            shell.unclear(f"may run what `{other}` says, which was written in this session", span, kind="written-here")


def _nearest(folder: str, shell: Shell) -> str | None:
    """The file that counts in the folder: its own, or the first one above. None where that cannot be told."""
    facts = shell.found.facts
    unsure: list[str] = []
    at = folder
    while True:
        path = f"{at}/{_FILE}"
        if has_written(path, shell) or path in facts.scripts:
            break
        shell.found.want(Script(path))
        unsure.append(path)
        if at == facts.root or "/" not in at[1:]:
            return None
        at = at.rpartition("/")[0]
    between = [other for other in unsure if other not in facts.absent]
    for other in between:  # it could not be read: is it there?
        shell.found.want(Real(other))
    if between and not has_written(path, shell):
        return None
    return path


def _run(words: tuple[Arg, ...], folder: str, path: str, shell: Shell, span: tuple[int, int]) -> bool:
    home = path.rpartition("/")[0]
    program = words[0].text.rpartition("/")[2]
    row = find_program(program)
    asked = None if row is None else asked_of(program, row.subs, words)
    if asked is None or not _is_here(asked, folder, shell) or not _is_plain(home, shell):
        return False
    texts = texts_of(path, shell)
    if program in IN_ALL:
        _tell_others(path, f"`{program}` runs", shell, span)
    if not texts:
        return False
    whole = True
    for text in texts:
        manifest = manifest_of(text)
        if manifest is not None:
            asked = asked.replace(scripts=_by_pattern(asked.scripts, manifest[0]))
            if asked.optional:
                asked = asked.replace(scripts=tuple([one for one in asked.scripts if one[0] in manifest[0]]))
        if manifest is None:
            return False
        if not _names_all(asked, manifest[0]):
            return _is_tool(asked, manifest[0], program, path, shell) and _run_tool(asked, shell, span)
        if asked.installs:
            whole = _on_install(path, manifest[1], shell, span) and whole
        for name, args in _order(asked, manifest[0]):
            script = manifest[0][name]
            if "wireit" in script.split() and "wireit" in manifest[1]:
                return False  # what it runs stands elsewhere in the file
            if args and any(mark in script for mark in _PARAMETERS):
                return False
            line = f'{script} "$@"' if args else script
            around = variables_of(name, asked.settings, manifest[1], shell, span, yarn=program.startswith("yarn"))
            said = tuple([arg.text for key, arg in asked.settings if variable_of(key) in script])
            tools = tools_of(home, shell)
            whole = (
                follow_task(line, args, path, name, home, shell, span, tools=tools, said=said, variables=around)
                and whole
            )
    return whole


def _is_here(asked: Asked, folder: str, shell: Shell) -> bool:
    """An option may name the folder; it was resolved where it was met, and is looked at for that folder alone."""
    if asked.place is None:
        return True
    if shell.folders is None or len(shell.folders) != 1 or not asked.place.known:
        return False
    try:
        return settle(asked.place.text or ".", cwd=shell.folders[0], home="/") == folder
    except Unsettled:
        return False


def _is_plain(home: str, shell: Shell) -> bool:
    """True if no setting that is seen makes something else of a script, and its tools are the project's."""
    given = [setting_of(name[len(PREFIX) :]) for name in shell.exported if name.lower().startswith(PREFIX)]
    if any(tells(setting) or setting in _SETTINGS for setting in given):
        return False
    for name in (".npmrc", ".yarnrc.yml", ".yarnrc", "package.yaml", "package.json5"):
        if has_written(f"{home}/{name}", shell):
            return False
    facts = shell.found.facts
    if any("/node_modules/.bin/" in path for path in (*shell.files, *facts.written)):
        return False
    settings = facts.scripts.get(f"{home}/.npmrc")
    if settings is None:
        shell.found.want(Script(f"{home}/.npmrc"))
        return True
    keys = [line.partition("=")[0].strip().strip("\"'").lower() for line in settings.splitlines()]
    return _SETTINGS.isdisjoint([key.replace("_", "-") for key in keys])


def texts_of(path: str, shell: Shell) -> list[str]:
    """What the file may hold; an edit of this very call may have failed, so that it is the one text or the other."""
    held = text_of(path, shell)
    if held is None:
        known = shell.found.facts.scripts.get(path)
        if known is None:
            shell.found.want(Script(path))
        return [] if known is None else [known]
    return list(texts_in(held, path, shell) or ())


def manifest_of(text: str) -> tuple[Mapping[str, str], Mapping[str, Json]] | None:
    """The scripts, and the whole; None unless it is JSON that every reader reads alike."""
    try:
        data = parse_object(text.encode(), limit=MAX_SCRIPT_BYTES)
    except (InputError, UnicodeEncodeError):
        return None
    scripts = data.get("scripts", FrozenMap({}))
    if type(scripts) is not FrozenMap:
        return None
    for name, script in scripts.items():
        if type(script) is not str or "\0" in script or not name.isprintable():
            return None
    return scripts, data


def _names_all(asked: Asked, scripts: Mapping[str, str]) -> bool:
    """A name without a script is a tool, a file, a default of the program or a mistake: not told from here."""
    return all(name in scripts for name, _ in asked.scripts)


def _is_tool(asked: Asked, scripts: Mapping[str, str], program: str, path: str, shell: Shell) -> bool:
    """`yarn jest`, without a script of that name: these run a tool that is installed. One that is known is read."""
    (name, _), *more = asked.scripts
    tool = not more and name not in scripts and NAMES.get(name) == "node"
    return tool and program in ("yarn", "yarnpkg", "pnpm", "bun") and has_written(path, shell)


def _run_tool(asked: Asked, shell: Shell, span: tuple[int, int]) -> bool:
    ((name, args),) = asked.scripts
    run_command([Arg(name, span), *args], span, shell.copy())
    return True


def _by_pattern(
    named: tuple[tuple[str, tuple[Arg, ...]], ...], scripts: Mapping[str, str]
) -> tuple[tuple[str, tuple[Arg, ...]], ...]:
    """`build:*`: every script that begins so."""
    found: list[tuple[str, tuple[Arg, ...]]] = []
    for name, args in named:
        start, wild, _ = name.partition("*")
        fitting = [(one, args) for one in scripts if one.startswith(start)] if wild and name not in scripts else []
        found += fitting or [(name, args)]
    return tuple(found)


def _order(asked: Asked, scripts: Mapping[str, str]) -> list[tuple[str, tuple[Arg, ...]]]:
    """The scripts in the order in which they run; only the one that was named is given the arguments."""
    found: list[tuple[str, tuple[Arg, ...]]] = [(name, ()) for name in asked.moments if asked.hooks]
    if asked.installs and asked.hooks:
        found += [(name, ()) for name in _ON_INSTALL]
    for name, args in asked.scripts:
        found += [(f"pre{name}", ()), (name, args), (f"post{name}", ())] if asked.hooks else [(name, args)]
    return [(name, args) for name, args in found if name in scripts]


def _on_install(path: str, data: Mapping[str, Json], shell: Shell, span: tuple[int, int]) -> bool:
    """What an installation takes besides the scripts of the file: packages, and what other files of the session say."""
    _tell_others(path, "installs", shell, span)
    if not has_written(path, shell):
        return True
    named = [pair for name in _LISTS for pair in _named(data.get(name))]
    settings = data.get("pnpm")
    if type(settings) is FrozenMap:
        named += [pair for name in ("overrides", "packageExtensions") for pair in _named(settings.get(name))]
    if not all(_is_usual(version) for _, version in named):
        shell.unclear(
            f"`{path}`, which was written in this session, names a package by where it lies", span, kind="written-here"
        )
    elif named:
        # A yes is one to these packages: the session may write others into the same file.
        packages = tuple(dict.fromkeys([_package(name, version) for name, version in named]))
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "package": packages}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install",), target=target)
    return True


def _tell_others(path: str, what: str, shell: Shell, span: tuple[int, int]) -> None:
    """Other files of the same project that count too, if this session wrote them."""
    home = path.rpartition("/")[0]
    if shell.files or shell.found.facts.written:
        for other in sorted({*shell.files, *shell.found.facts.written}):
            if other != path and other.startswith(home + "/") and "/node_modules/" not in other:
                if other.endswith(_OTHERS):
                    shell.unclear(
                        f"{what} what `{other}` says, which was written in this session", span, kind="written-here"
                    )


def _named(value: Json, name: str = "") -> list[tuple[str, Json]]:
    """Each package of a list with its version; overrides stand below the package that they are for."""
    if type(value) is FrozenMap:
        return [pair for inner, version in value.items() for pair in _named(version, inner)]
    return [] if value is None else [(name, value)]


def _package(name: str, version: Json) -> str:
    """With what is asked for of it; `x@npm:y` is another package than `x`."""
    return f"{name}@{version}" if version else name


def _is_usual(version: Json) -> bool:
    """A version, or another name of the same registry: no address, no folder, no repository."""
    if type(version) is not str:
        return False
    text = version.removeprefix("workspace:").removeprefix("catalog:")
    if text.startswith("npm:"):
        text = text[4:].replace("@", "").replace("/", "", 1)
    return _VERSION.issuperset(text)
