"""Which scripts a command line of npm, pnpm, yarn or bun runs: `npm run build -- --watch`, `yarn test`, `npm ci`.

The words are read strictly: an option that is not known may take the next word, name another file or another shell, and
then nobody can tell.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value
from ..evaluate.words import NUL, Arg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..tables.spec import Program

__all__ = ["IN_ALL", "Asked", "asked_of", "setting_of", "tells"]


class Asked(Value):
    """
    scripts   the scripts that are named, each with the words behind it
    moments   scripts that are run where the file has them
    installs  the packages of the file are installed, and its scripts for that are run
    hooks     what stands before and after a script is run too
    place     the folder that an option names
    settings  what the call sets for the scripts, which find it as `npm_config_NAME`
    optional  a script that the file does not have is not run, and nothing is amiss
    """

    scripts: tuple[tuple[str, tuple[Arg, ...]], ...] = ()
    moments: tuple[str, ...] = ()
    installs: bool = False
    hooks: bool = True
    place: Arg | None = None
    settings: tuple[tuple[str, Arg], ...] = ()
    optional: bool = False


_SWITCHES = frozenset(
    "--aggregate-output --audit=false --bun --check-cache --color --engine-strict --force --foreground-scripts "
    "--frozen --frozen-lockfile --fund=false --if-present --ignore-engines --ignore-optional --ignore-platform "
    "--immutable --include=dev --inline-builds --json --legacy-peer-deps --lockfile-only --loglevel=error "
    "--loglevel=info --loglevel=silent --loglevel=verbose --loglevel=warn --no-audit --no-bin-links --no-color "
    "--no-frozen-lockfile --no-fund --no-lockfile --no-optional --no-package-lock --no-progress --no-save "
    "--no-summary --no-update-notifier --no-verify --non-interactive --offline --omit=dev --omit=optional "
    "--only=prod --only=production --package-lock-only --prefer-offline --prefer-online --production "
    "--progress=false --pure-lockfile --quiet --save --save-dev --shamefully-hoist --silent --stream "
    "--dry-run --no-git-tag-version --access=public "
    "--strict-peer-deps --unsafe-perm --verbose --yes -D -S -b -d -dd -ddd -f -q -s -y".split()
)
_TEXTS = frozenset(("--loglevel", "--omit", "--include", "--cache", "--network-timeout", "--registry", "--reporter"))
_PLACES = frozenset(("--prefix", "-C", "--dir", "--cwd"))
_OF_NPM = frozenset(("--prefix", "-C"))
# Behind the name of a script npm still takes options for itself. These would make it run something else.
_TELLING = ("script-shell", "prefix", "workspace", "workspaces", "ws", "userconfig", "globalconfig", "node-options",
    "include-workspace-root", "location", "global")  # fmt: skip
_WITHOUT_HOOKS = "--ignore-scripts"

_RUNS = frozenset(("run", "run-script", "rum", "urn"))
# npm's own words: what they run, and whether they install first
_NPM: dict[str, tuple[tuple[str, ...], bool]] = {
    **dict.fromkeys(("test", "t", "tst"), (("test",), False)),
    **dict.fromkeys(("start", "stop", "restart"), ((), False)),
    **dict.fromkeys("install i in ins inst insta instal isnt isnta isntal add".split(), ((), True)),
    **dict.fromkeys("update up upgrade udpate".split(), ((), True)),
    **dict.fromkeys("ci clean-install ic install-clean".split(), ((), True)),
    **dict.fromkeys("install-test it cit install-ci-test".split(), (("test",), True)),
}
# Words of the others that install; with a package or without, what the file names comes along.
_INSTALLS = frozenset("install i ci add a up update upgrade".split())
_PACKS = ("prepack", "preprepare", "prepare", "postprepare", "postpack")
_MOMENTS = {
    "version": ("preversion", "version", "postversion"),
    "pack": ("prepublish", *_PACKS),
    "publish": ("prepublish", "prepublishOnly", *_PACKS, "publish", "postpublish"),
}
# Programs that run scripts of the file by their names.
_RUNNERS = frozenset(("run-s", "run-p", "npm-run-all"))
IN_ALL = frozenset(("turbo", "lerna", "wsrun", "lage", "nx"))  # in every package of the project
_RUNNERS_SWITCHES = frozenset(
    "-s -p -l -c -n -r -S -P --serial --sequential --parallel --print-label --print-name --continue-on-error --silent "
    "--race --aggregate-output".split()
)


def asked_of(program: str, subs: Mapping[str, Program], words: tuple[Arg, ...]) -> Asked | None:
    """What is run; None where it cannot be told."""
    if program in _RUNNERS:
        return _by_runner(words)
    if program in IN_ALL:
        if not all(arg.known for arg in words):
            return None
        run = [arg.text for arg in words[1:] if arg.text[:1] != "-"]  # too many do no harm
        return Asked(moments=tuple([moment for name in run for moment in (f"pre{name}", name, f"post{name}")]))
    given = _Given(words[1:], npm=program == "npm")
    verb = given.word()
    if verb is None or given.doubtful:
        return None if given.doubtful or program not in ("yarn", "yarnpkg") else given.asked(installs=True)
    name: str | None
    if verb in _RUNS:
        name = given.word()
    elif verb in _MOMENTS and program in ("npm", "pnpm", "yarn", "yarnpkg"):
        extra = given.word()
        if verb == "version" and extra is not None:
            extra = given.word()
        asked = given.asked().replace(moments=_MOMENTS[verb])
        return None if given.doubtful or extra is not None else asked
    elif program == "npm":
        if verb not in _NPM:
            return None
        names, installs = _NPM[verb]
        if installs:
            named = given.packages()
            asked = given.asked(installs=True, scripts=tuple([(one, ()) for one in names]))
            if named:  # then npm does not run the file's own scripts
                asked = asked.replace(hooks=False)
            return None if given.doubtful else asked
        name = names[0] if names else verb
    elif verb in _INSTALLS and verb in subs:
        given.packages()
        return None if given.doubtful else given.asked(installs=True)
    else:
        row = subs.get(verb)
        if program == "bun" or (row is not None and (row.action != "exec:project" or row.special is not None)):
            return None
        name = "test" if verb == "t" else verb
    if name is None or given.doubtful:
        return None
    args = _for_npm(given) if program == "npm" else tuple(given.rest)
    return None if args is None else given.asked(scripts=((name, args),))


def _by_runner(words: tuple[Arg, ...]) -> Asked | None:
    """`run-s clean "build -- --watch"`, `run-p watch:*`: each word is a script, or a pattern for several."""
    found: list[tuple[str, tuple[Arg, ...]]] = []
    for arg in words[1:]:
        if arg.unknown:
            return None
        if arg.text in _RUNNERS_SWITCHES:
            continue
        name, *more = arg.text.split()
        if arg.text[:1] == "-" or more or not name or any(char in name for char in "{}!()[]?+@"):
            return None
        found.append((name, ()))
    return Asked(scripts=tuple(found)) if found else None


class _Given:
    """The words that are left, and what the options among them said."""

    __slots__ = ("doubtful", "hooks", "npm", "optional", "place", "rest", "settings")

    def __init__(self, words: tuple[Arg, ...], *, npm: bool) -> None:
        self.rest = list(words)
        self.npm = npm
        self.optional = any(arg.text == "--if-present" for arg in words)
        self.settings: list[tuple[str, Arg]] = []
        self.doubtful = False
        self.hooks = True
        self.place: Arg | None = None

    def packages(self) -> bool:
        """Whether packages are named. They are words of the row; here only the options between them count."""
        named = False
        while self.word() is not None:
            named = True
        return named

    def word(self) -> str | None:
        """The next word that is no option."""
        while self.rest and not self.doubtful:
            arg = self.rest.pop(0)
            if not arg.known:
                self.doubtful = True
            elif not arg.text.startswith("-"):
                return arg.text
            else:
                self._option(arg)
        return None

    def _option(self, arg: Arg) -> None:
        name, equals, value = arg.text.partition("=")
        if arg.text == _WITHOUT_HOOKS:
            self.hooks = False
        elif name in (_OF_NPM if self.npm else _PLACES):
            if not equals and not self.rest:
                self.doubtful = True
            else:
                self.doubtful = self.place is not None
                self.place = Arg(value, arg.span) if equals else self.rest.pop(0)
        elif name in _TEXTS:
            if not equals and self.rest:
                self.rest.pop(0)
        elif arg.text not in _SWITCHES and (not self.npm or not equals or tells(setting_of(name))):
            self.doubtful = True
        if self.npm and (equals or arg.text in _SWITCHES):
            self.hand_on(arg)

    def hand_on(self, arg: Arg) -> None:
        """`--dir=src`, `--watch`, `--no-watch`: npm hands on what it is told, whether it knows the name or not."""
        name, equals, value = arg.text.partition("=")
        setting = setting_of(name)
        if equals:
            said = value
        elif self.rest and self.rest[0].text in ("true", "false"):
            said = self.rest.pop(0).text
        else:
            said = "true"
        if setting.startswith("no-"):
            setting, said = setting[3:], {"true": "", "false": "true"}.get(said, said)
        self.settings.append((setting, Arg("" if said == "false" else said, arg.span, origin=arg.origin, quoted=True)))

    def asked(self, *, installs: bool = False, scripts: tuple[tuple[str, tuple[Arg, ...]], ...] = ()) -> Asked:
        return Asked(
            scripts=scripts,
            installs=installs,
            hooks=self.hooks,
            place=self.place,
            settings=tuple(self.settings),
            optional=self.optional,
        )


def _for_npm(given: _Given) -> tuple[Arg, ...] | None:
    """The arguments that npm hands to the script: words, and everything behind `--`."""
    args: list[Arg] = []
    while given.rest:
        arg = given.rest.pop(0)
        if arg.text == "--":
            return (*args, *given.rest)
        if arg.text.startswith("-") or (arg.unknown and arg.text[:1] == "\0"):
            option = setting_of(arg.text.partition("=")[0])
            if NUL in option or arg.text.startswith(("-w", "-C", "-g")) or (len(arg.text) > 2 and tells(option)):
                return None
            if arg.text == _WITHOUT_HOOKS:
                given.hooks = False
            given.hand_on(arg)
            continue
        args.append(arg)
    return tuple(args)


def setting_of(option: str) -> str:
    return option.lstrip("-").lower().replace("_", "-")


def tells(option: str) -> bool:
    """True if it makes something else run. Names may be shortened, and switched off: `--script-sh`, `--no-ws`."""
    short = option.removeprefix("no-")
    return bool(short) and any(name.startswith(short) for name in _TELLING)
