"""Maven, Gradle and their kin: goals and tasks by name, sources of packages by property; jar archives."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.strange import options_file
from ..machine.swallowed import on_swallowed
from ..places.paths import within
from ..reach.package_sources import is_elsewhere
from .archives import unpack_into
from .builders import fetched

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["jar", "maven"]

_PUBLISHES = ("deploy", "publish", "upload", "release", "site-deploy", "dockerPush", "jreleaser", "push", "perform")
_STAYS_HERE = ("publishToMavenLocal", "publishLocal", "publishM2", "releaseNotes", "uploadLocal", "release:clean")


def maven(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Goals and tasks: those that publish are named so; a goal with coordinates is a plug-in that is fetched."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for goal in parsed.operands:
        text = goal.text.rpartition(":")[2].lstrip("+;").rpartition("/")[2]  # sbt: `+publish`, `core/publish`
        if goal.unknown:
            shell.unclear(f"which goal runs depends on {goal.why}", goal.span)
        elif goal.text.startswith("exec:exec"):
            shell.unclear("a goal that runs a command", goal.span)
        elif goal.text.count(":") >= 2 and "." in goal.text and not goal.text.startswith(":"):
            fetched(goal, shell, span)
        if text.startswith(_PUBLISHES) and not goal.text.startswith(_STAYS_HERE) and not text.startswith(_STAYS_HERE):
            emit(
                shell,
                span,
                name="maven:publish",
                effects=(Effect.DESTRUCTIVE, Effect.NETWORK),
                tags=("external", "sends"),
                risk=Risk.HIGH,
                irreversible=True,
                target={"task": goal.text},
            )
    for arg in args[1:]:
        if arg.text[:2] in ("-D", "-P") and "=" in arg.text:
            _property(Arg(arg.text[2:], arg.span, arg.glob, arg.origin), shell, span)
    for option, value in parsed.values:
        if option.name in ("-D", "-P", "--define", "--project-prop", "--system-prop"):
            _property(value, shell, span)
    on_swallowed(row, parsed, args, span, shell)
    parsed.operands = []
    return act_on(row, parsed, args, span, shell)


# Properties of a build with which it takes its packages and plug-ins from somewhere else, or from anybody.
_SOURCES = ("repo", "mirror", "registry", "artifactory", "nexus", "plugin", "wagon", "wrapper", "distribution")
_LOADED = ("ext.class.path", "javaagent", "agentpath", "bootclasspath")
_AGENTS = ("-javaagent:/", "-javaagent:~", "-javaagent:..", "-agentpath:", "-agentlib:", "-Xbootclasspath", "-XX:On")
_STARTED = ("executable", "java.home", "jvm", "compilerid", "plugins", "classpath", "scriptfile", "initscript")
_UNCHECKED = ("ssl.insecure", "ssl.allowall", "http.ssl.ignore", "allowinsecureprotocol")


def _property(value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """`-DrepoUrl=http://…`, `-PpluginRepository=…`: the name says that it is a source, the value where it is."""
    name, _, text = value.text.partition("=")
    lower = name.lower()
    anybodys = within((*shell.found.facts.temp, "/dev/shm/"), text)  # noqa: S108 - compared with
    if any(word in lower for word in _SOURCES) and (anybodys or is_elsewhere(text)):
        emit(shell, span, name="pkg:source", effects=(Effect.WRITE,), tags=("redirects",), target={"name": name})
    elif lower.endswith(_LOADED) or any(word in text for word in _AGENTS) or (anybodys and lower.endswith(_STARTED)):
        shell.unclear(f"`{name}` makes the build load unknown code", span)
    elif any(word in lower for word in _UNCHECKED) and text.lower() != "false":
        emit(shell, span, name="pkg:source", effects=(Effect.WRITE,), tags=("security",), target={"name": name})


def jar(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`jar tf A`, `jar xf A -C DIR`, `jar cfm A M FILES`, or the same in long options."""
    words = list(args[1:])
    does, given, members = _jar_words(words)
    archive, into = given.get("file"), given.get("dir")
    if any(arg.unknown for arg in args[1:]):
        shell.unclear("an argument of `jar` is unknown", span)
    for word in [member for member in members if member.text[:1] == "@"]:
        members.remove(word)
        options_file(word, shell, span)
    if archive is not None:
        on_path("write" if does == "c" else "edit" if does in ("u", "i") else "read", archive, shell)
    if "manifest" in given:
        on_path("read", given["manifest"], shell)
    if does == "x":
        names = tuple([("only", member.text) for member in members])
        unpack_into(into or Arg(".", span), shell, archive, (("as", "zip"), *names))
    elif does in ("c", "u"):
        for member in members:
            on_path("read", member, shell)
    if archive is None and not members:
        emit(shell, span, name="exec:jar", effects=(), tags=())
    return None


_JAR_VERBS = {"--create": "c", "--extract": "x", "--list": "t", "--update": "u", "--generate-index": "i"}
_JAR_VALUES = {
    **dict.fromkeys(("-f", "--file"), "file"),
    **dict.fromkeys(("-m", "--manifest"), "manifest"),
    "--dir": "dir",
    **dict.fromkeys(("-e", "--main-class", "--release", "--module-version", "-p", "--module-path", "--date"), "text"),
}


def _jar_words(words: list[Arg]) -> tuple[str, dict[str, Arg], list[Arg]]:
    """What it does, the values that options give, and the files."""
    does, given, members = "", dict[str, Arg](), list[Arg]()
    if words and words[0].text[:2] != "--" and words[0].text[:1] != "@":
        for letter in words.pop(0).text.lstrip("-"):
            does = does or (letter if letter in "ctxui" else "")
            if letter in "fme" and words:
                given[{"f": "file", "m": "manifest"}.get(letter, "text")] = words.pop(0)
    while words:
        word = words.pop(0)
        name, equals, joined = word.text.partition("=")
        if word.text == "-C" and words:
            folder = words.pop(0)
            if does == "x":
                given["dir"] = folder
            elif words:
                inside = words.pop(0)
                text = inside.text if inside.text[:1] == "/" else f"{folder.text}/{inside.text}"
                members.append(Arg(text, inside.span, folder.glob or inside.glob, folder.origin or inside.origin))
        elif name in _JAR_VERBS:
            does = _JAR_VERBS[name]
            if name == "--generate-index" and equals:
                given["file"] = Arg(joined, word.span, word.glob, word.origin)
        elif name in _JAR_VALUES:
            value = Arg(joined, word.span, word.glob, word.origin) if equals else words.pop(0) if words else None
            if value is not None:
                given[_JAR_VALUES[name]] = value
        elif word.text[:1] == "-" and word.text[1:2] != "-":
            does = does or next((letter for letter in word.text[1:] if letter in "ctxui"), "")
            if "f" in word.text and words:
                given["file"] = words.pop(0)
        elif word.text[:1] != "-":
            members.append(word)
    return does, given, members
