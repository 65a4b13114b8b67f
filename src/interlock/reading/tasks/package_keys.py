"""Keys of a package.json that a program obeys: commands that it runs, and files whose code it loads.

`lint-staged` runs what stands under `lint-staged`, `jest` loads what stands under `jest.globalSetup`, a hook of git
that husky installed runs what stands under `husky.hooks`. A file that was there before is trusted, as its scripts are
with what they load. In one that this session wrote, a command is followed as if it had been typed, and a file counts as
one that is run: if this session wrote it too, it is read or opaque.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap
from ..evaluate.words import Arg
from ..machine.places import has_written
from ..places.paths import Unsettled, in_project, settle
from .inside import follow_task
from .package_around import tools_of, variables_of
from .package_json import manifest_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...value import Json
    from ..evaluate.state import Shell

__all__ = ["HOOK_NAMES", "hooks_of", "obey_hooks", "obey_keys", "own_bin"]

# kind of a key -> what its texts are:
#   command   lines for a shell
#   staged    words of a command, without a shell, with the names of files behind them
#   words     words of a command, without a shell
#   script    names of scripts of the same file
#   file      code that is loaded; also as the value of an option (`--require=./x.js`)
#   shared    the same, unless the settings themselves stand there
#   main      a file that is run if the command names none
_BABEL = "babel.plugins babel.presets babel.extends babel.env"
_ESLINT = (
    "eslintConfig.extends eslintConfig.parser eslintConfig.plugins eslintConfig.processor eslintConfig.settings "
    "eslintConfig.overrides.*.extends eslintConfig.overrides.*.parser eslintConfig.overrides.*.plugins "
    "eslintConfig.overrides.*.processor"
)
_JEST = " ".join(
    f"jest{at}.{key}"
    for at in ("", ".projects.*")
    for key in (
        *("dependencyExtractor", "globalSetup", "globalTeardown", "haste", "moduleLoader", "preset", "prettierPath"),
        *("reporters", "resolver", "runner", "setupFiles", "setupFilesAfterEnv", "setupTestFrameworkScriptFile"),
        *("snapshotResolver", "snapshotSerializers", "testEnvironment", "testResultsProcessor", "testRunner"),
        *("testSequencer", "transform", "watchPlugins"),
    )
)

# programs, with a word behind the colon if that has to follow -> kind -> keys
_TABLE: tuple[tuple[str, dict[str, str]], ...] = (
    ("lint-staged", {"staged": "lint-staged"}),
    (
        "nodemon",
        {
            "command": "nodemonConfig.exec nodemonConfig.execMap nodemonConfig.events",
            "file": "nodemonConfig.require nodemonConfig.nodeArgs",
            "main": "main scripts.start",
        },
    ),
    (
        "vercel:build vercel:dev now:build netlify:build netlify:dev",
        {"command": "scripts.vercel-build scripts.now-build scripts.build"},
    ),
    ("wireit", {"command": "wireit.*.command"}),
    ("nx", {"command": "nx.targets.*.command nx.targets.*.options.command nx.targets.*.options.commands"}),
    ("tsup", {"command": "tsup.onSuccess"}),
    ("prisma:db prisma:migrate", {"words": "prisma.seed"}),
    ("release-it", {"command": "release-it.hooks"}),
    ("electron-forge", {"shared": "config.forge"}),
    ("electron", {"main": "main"}),
    ("jest react-scripts craco", {"file": f"{_JEST} {_BABEL} cracoConfig"}),
    ("ava", {"file": "ava.require ava.nodeArguments ava.extensions"}),
    (
        "mocha _mocha",
        {"file": "mocha.require mocha.file mocha.import mocha.reporter mocha.ui mocha.node-option mocha.loader"},
    ),
    ("nyc c8", {"file": "nyc.require nyc.extends nyc.reporter c8.require c8.reporter"}),
    ("tap", {"file": "tap.before tap.after tap.coverage-map tap.node-arg tap.plugin tap.require"}),
    ("prettier", {"shared": "prettier", "file": "prettier.plugins prettier.overrides.*.options.plugins"}),
    ("eslint next", {"file": _ESLINT}),
    ("standard", {"file": "standard.parser standard.plugins"}),
    ("xo", {"file": "xo.extends xo.parser xo.plugins"}),
    (
        "stylelint",
        {"file": "stylelint.extends stylelint.plugins stylelint.customSyntax stylelint.processors stylelint.formatter"},
    ),
    ("commitlint", {"file": "commitlint.extends commitlint.plugins commitlint.parserPreset commitlint.formatter"}),
    ("babel babel-node webpack webpack-cli parcel metro", {"file": _BABEL}),
    ("postcss", {"file": "postcss.plugins postcss.parser postcss.stringifier postcss.syntax"}),
    (
        "electron-builder",
        {
            "file": "build.afterPack build.afterSign build.beforeBuild build.beforePack build.afterAllArtifactBuild "
            "build.onNodeModuleFile build.extends"
        },
    ),
)
_OBEYED = {program: keys for programs, keys in _TABLE for program in programs.split()}
_EVERYWHERE = frozenset(("lint-staged",))  # it takes the file next to what was changed, wherever that lies

# command of git -> the hooks that it runs
_MOMENTS: dict[str, str] = {
    "commit": "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite",
    "push": "pre-push",
    "merge": "pre-merge-commit prepare-commit-msg commit-msg post-merge",
    "pull": "pre-merge-commit prepare-commit-msg commit-msg post-merge pre-rebase post-rewrite",
    "rebase": "pre-rebase post-rewrite post-checkout pre-commit commit-msg",
    "checkout": "post-checkout",
    "switch": "post-checkout",
    "am": "applypatch-msg pre-applypatch post-applypatch",
    "cherry-pick": "prepare-commit-msg commit-msg post-commit",
    "revert": "prepare-commit-msg commit-msg post-commit",
}
_ALWAYS = frozenset("pre-auto-gc reference-transaction post-index-change".split())
HOOK_NAMES = _ALWAYS.union(" ".join(_MOMENTS.values()).split())
_HOOKS = ("husky.hooks", "simple-git-hooks", "gitHooks", "git-hooks", "config.ghooks")
_HOOKED = ("husky", "git-hooks", "gitHooks", "ghooks", "lint-staged", "pre-commit", "precommit")  # in its text
_WITHOUT = frozenset(("-n", "--no-verify"))
_LEFT_OUT = frozenset(("pre-commit", "commit-msg", "pre-push", "pre-merge-commit"))


def obey_keys(words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """What the program runs and loads because a package.json says so that this session wrote."""
    program = words[0].text.rpartition("/")[2]
    second = next((word.text for word in words[1:] if word.text[:1] != "-"), "")
    obeyed = _OBEYED.get(program) or _OBEYED.get(f"{program}:{second}")
    if obeyed is None:
        return
    for path in _written(shell, everywhere=program in _EVERYWHERE):
        for manifest in _manifests(path, shell, span):
            for kind, keys in obeyed.items():
                if kind == "main" and any(arg.text[:1] != "-" and arg.text != "." for arg in words[1:]):
                    continue
                for key in keys.split():
                    for value in _at(manifest, key.split(".")):
                        script = kind == "main" and key[:8] == "scripts."
                        _take("command" if script else kind, key, value, path, manifest, shell, span)


def hooks_of(command: str) -> frozenset[str]:
    """The hooks that a command of git may run: all of them, where that is not known."""
    return _ALWAYS.union(_MOMENTS[command].split()) if command in _MOMENTS else HOOK_NAMES


def obey_hooks(command: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """What a hook of git runs because a package.json says so that this session wrote."""
    moments = _MOMENTS.get(command, "").split()
    if not _WITHOUT.isdisjoint([word.text for word in words]):
        moments = [moment for moment in moments if moment not in _LEFT_OUT]
    for path in _written(shell, everywhere=True) if moments else ():
        for manifest in _manifests(path, shell, span, hooks=True):
            for moment in moments:
                for key in _HOOKS:
                    for value in _at(manifest, [*key.split("."), moment]):
                        _take("command", f"{key}.{moment}", value, path, manifest, shell, span)
                if moment == "pre-commit":  # what most hooks run that are files themselves
                    _take("staged", "lint-staged", manifest.get("lint-staged"), path, manifest, shell, span)
                for value in (manifest.get(moment), _named(manifest, moment.replace("-", ""))):
                    _take("script", moment, value, path, manifest, shell, span)


def own_bin(name: str, args: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """`npx NAME`: npm looks among the programs of the very package too, which this session may have named."""
    for path in _written(shell):
        for _, manifest in filter(None, map(manifest_of, texts_of(path, shell))):
            programs = manifest.get("bin")
            if type(programs) is FrozenMap:
                place = programs.get(name)
            else:
                place = programs if str(manifest.get("name")).rpartition("/")[2] == name else None
            if type(place) is str:
                shell.found.follow.run_file(
                    Arg(f"{path.rpartition('/')[0]}/{place}", span, quoted=True), args, span, shell
                )


def _written(shell: Shell, *, everywhere: bool = False) -> list[str]:
    """The files of that name that this session wrote: those above the folder, or all."""
    facts = shell.found.facts
    found = {path for path in (*shell.files, *facts.written) if path.endswith("/package.json")}
    if "/" in facts.written:
        found.add(f"{facts.root}/package.json")
    here = [folder + "/" for folder in shell.folders or (facts.root,)]
    return sorted(
        [
            path
            for path in found
            if path not in facts.absent
            and "/node_modules/" not in path
            and in_project(facts.root, path)
            and (everywhere or any(folder.startswith(path[: -len("package.json")]) for folder in here))
        ]
    )


def _manifests(path: str, shell: Shell, span: tuple[int, int], *, hooks: bool = False) -> list[Mapping[str, Json]]:
    """What the file may say. One that cannot be read is opaque; for hooks, if there were any before."""
    texts = texts_of(path, shell)
    found = [manifest for manifest in map(manifest_of, texts) if manifest is not None]
    if texts and len(found) == len(texts):
        return [data for _, data in found]
    before = shell.found.facts.scripts.get(path)
    if hooks and before is not None and not any(mark in before for mark in _HOOKED):
        return []
    shell.unclear(f"runs what `{path}` says, which was written in this session", span, kind="written-here")
    return []


def _at(value: Json, key: list[str]) -> Iterator[Json]:
    """What stands under a key; `*` is each of a list or table."""
    if not key:
        yield value
    elif type(value) is FrozenMap:
        for inner in value.values() if key[0] == "*" else [value[key[0]]] if key[0] in value else ():
            yield from _at(inner, key[1:])
    elif type(value) is tuple and key[0] == "*":
        for inner in value:
            yield from _at(inner, key[1:])


def _texts(value: Json) -> Iterator[tuple[str, bool]]:
    """Every text in it, and whether it is the name of an entry."""
    if type(value) is str:
        yield value, False
    elif type(value) is FrozenMap:
        for name, inner in value.items():
            yield name, True
            yield from _texts(inner)
    elif type(value) is tuple:
        for inner in value:
            yield from _texts(inner)


def _named(manifest: Mapping[str, Json], script: str) -> str | None:
    """`scripts.precommit`: the first versions of husky ran the script of that name."""
    scripts = manifest.get("scripts")
    return script if type(scripts) is FrozenMap and script in scripts else None


def _take(
    kind: str,
    key: str,
    value: Json,
    path: str,
    manifest: Mapping[str, Json],
    shell: Shell,
    span: tuple[int, int],
) -> None:
    home = path.rpartition("/")[0]
    if kind == "shared" and type(value) is not str:
        return
    for text, name in _texts(value):
        if kind in ("file", "main", "shared"):
            _load(text, home, shell, span, name=name)
        elif name:
            continue
        elif kind == "script":
            for script in text.replace(",", " ").split():
                if _named(manifest, script) and "'" not in script:
                    _follow(f"npm run '{script}'", (), key, path, manifest, shell, span)
        elif "\0" in text or (kind in ("staged", "words") and not _is_plain(text)):
            shell.unclear(
                f"`{key}` of `{path}`, which was written in this session, is no plain command",
                span,
                kind="written-here",
            )
        elif kind == "staged":
            _follow(f'{text} "$@"', (Arg(f"{home}/*", span, glob=True),), key, path, manifest, shell, span)
        else:
            _follow(text, (), key, path, manifest, shell, span)


def _follow(
    text: str,
    args: tuple[Arg, ...],
    key: str,
    path: str,
    manifest: Mapping[str, Json],
    shell: Shell,
    span: tuple[int, int],
) -> None:
    home = path.rpartition("/")[0]
    around = variables_of(key, (), manifest, shell, span, yarn=False)
    running = shell.found.commands[-1:]
    follow_task(text, args, path, key, home, shell, span, tools=tools_of(home, shell), variables=around)
    shell.found.commands += running  # what follows is read for this one again


def _is_plain(text: str) -> bool:
    """Whether words for a program mean the same to a shell: nothing outside of quotes that only a shell takes apart."""
    quote = ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
            if quote == '"' and char in "\\$`":
                return False
        elif char in "\"'":
            quote = char
        elif char in "#\\<>;&|()$`\n":
            return False
    return not quote


_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", "/index.js", "/index.ts")
_CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".py", ".sh")


def _load(text: str, home: str, shell: Shell, span: tuple[int, int], *, name: bool) -> None:
    """A file, or a package: told apart by whether there is such a file of this session. `name`: it may be a pattern."""
    if text[:1] == "-":
        text = text.partition("=")[2]
    if not text or "\0" in text:
        return
    try:
        place = settle(text.replace("<rootDir>", home).removeprefix("file:"), cwd=home, home="/")
    except Unsettled:
        return
    if not in_project(shell.found.facts.root, place):
        if not name and (text[:1] in ("/", ".") or "<rootDir>" in text):
            shell.unclear(f"`{place}` is outside the project, and its content was not read", span, kind="outside")
        return
    for ending in _ENDINGS:
        path = place + ending
        if not path.endswith(_CODE) or not has_written(path, shell):
            continue
        if path.endswith((".py", ".sh")):
            running = shell.found.commands[-1:]
            shell.found.follow.run_file(Arg(path, span, quoted=True), [], span, shell)
            shell.found.commands += running
        else:
            shell.unclear(f"runs `{path}`, which was written in this session", span, kind="written-here")
