"""What a command does to a path, and how an action is put down with its marks."""

from __future__ import annotations

from ...model.action import action_of
from ...model.effects import Effect, by_precedence
from ...model.obeyed import MOVED_BY
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..core.streams import is_stream
from ..evaluate.contents import brought, changed_by_pattern
from ..evaluate.origins import Origin, variable
from ..evaluate.words import NUL, Arg
from ..places.kinds import kinds_of
from ..places.marks import marks_for
from ..places.own_places import PACKAGES
from ..places.paths import Unsettled, folded, settle, within
from ..places.place_folders import wanted_of
from ..places.places import obeyed_by
from ..places.system_places import address_marks
from ..tables.spec import ROLES, Adds
from .places import FREE, is_own_link, place_in_shell

if TYPE_CHECKING:
    from ...approve.gated import undo_of
    from ...model.action import OpaqueKind
    from ..evaluate.state import Shell
    from ..places.searched import want_listing
    from ..reach.channels import posts
    from ..reach.destinations import destinations
    from ..reach.first_installs import weighed
    from ..reach.images import of_image
    from ..reach.meant import meant
    from ..tables.spec import Role
    from .sources import another_backend, another_service, takes_from_person, unusual_source

    Target = dict[str, str | bool | tuple[str, ...]]
    Given = tuple[Target, list[Adds]]  # fields of the target, and what switches add
else:
    undo_of = lazy(globals(), "...approve.gated", "undo_of")
    want_listing = lazy(globals(), "..places.searched", "want_listing")
    posts = lazy(globals(), "..reach.channels", "posts")
    destinations = lazy(globals(), "..reach.destinations", "destinations")
    another_backend = lazy(globals(), ".sources", "another_backend")
    another_service = lazy(globals(), ".sources", "another_service")
    takes_from_person = lazy(globals(), ".sources", "takes_from_person")
    unusual_source = lazy(globals(), ".sources", "unusual_source")
    weighed = lazy(globals(), "..reach.first_installs", "weighed")
    of_image = lazy(globals(), "..reach.images", "of_image")
    meant = lazy(globals(), "..reach.meant", "meant")

__all__ = ["distribution", "emit", "is_tool_folder", "keep_moved", "on_path", "on_words_of_ours"]

_LOOKED_AT = frozenset(("checked", "list", "read"))
_OWN_STREAMS = frozenset(("/proc/self/fd", "/proc/self/fd/", "/proc/self/fd/0", "/dev/fd", "/dev/fd/0"))
_CHANGES_FILES = frozenset(("fs:write", "fs:move", "fs:link", "fs:delete", "fs:wipe"))
_WRITES_FILES = frozenset(("fs:write", "fs:move", "fs:link"))
_NO_CONTENT = frozenset(("builds", "folder", "touched"))  # nothing that anybody would read later
# A linter prints lines of what it is given. Of ordinary code that is worth no mention; of these it is reading them.
_NOT_TO_BE_SHOWN = frozenset(("accounts", "guard", "machine", "own-secret", "secret"))
_ONLY_NAMES = frozenset(("checked", "list", "search"))
_NAMED_ANEW = frozenset(("covered", "linked"))  # where nobody may change anything, that is a change


# `$CLAUDE_CONFIG_DIR/settings.json`: wherever that is, it is what the place in the home folder would be.
_MOVED = {variable(name): place for name, place in MOVED_BY.items() if place}

# What is done to a path, where the action is called otherwise.
_VERBS = {"exec:script": "run", "fs:chmod": "change the mode of", "net:fetch": "fetch"}


def on_path(role: str, arg: Arg, shell: Shell, adds: list[Adds] | tuple[Adds, ...] = ()) -> list[str]:
    """The action of one path; the places that it may be, for those who follow what is in it."""
    kind = ROLES[role]
    if adds:
        added = [effect for add in adds for effect in add.effects], [tag for add in adds for tag in add.tags]
        kind = kind.replace(effects=(*kind.effects, *added[0]), tags=(*kind.tags, *added[1]))
    if len(kind.effects) > 1:
        kind = kind.replace(effects=by_precedence(kind.effects))
    text = arg.text
    rooted = text[:1] == "/"
    if rooted:
        if text in shell.files and text.startswith("/dev/fd/"):
            return [text]  # the pipe of a process substitution, whose command was followed where it stands
        if (text in _OWN_STREAMS and role in _LOOKED_AT) or is_stream(role, text, shell):
            return []  # what this very command has open
    if text[:1] == NUL and arg.origin in _MOVED and NUL not in text[1:]:
        return on_path(role, Arg(f"{shell.found.facts.home}/{_MOVED[arg.origin]}{text[1:]}", arg.span), shell, adds)
    if NUL in text or (shell.folders is None and not rooted):
        _on_unknown_path(role, kind, arg, shell)
        return []
    paths = []
    for folder in ("/",) if rooted else shell.folders or ("/",):
        try:
            path = settle("./" + text if text[:1] == "~" else text or ".", cwd=folder, home="/")
        except Unsettled as why_not:
            shell.unclear(str(why_not), arg.span, kind="path")
            emit(shell, arg.span, name=kind.action, effects=kind.effects, tags=("unread", *kind.tags))
            return []
        _on_settled_path(role, kind, path, text if rooted else f"{folder}/{text}", arg, shell)
        paths.append(path)
    return paths


def _on_unknown_path(role: str, kind: Role, arg: Arg, shell: Shell) -> None:
    if role in _ONLY_NAMES and is_tool_folder(arg):
        emit(shell, arg.span, name=kind.action, effects=kind.effects, tags=kind.tags)
        return
    why = arg.why if NUL in arg.text else "the working folder"
    about: OpaqueKind = "removal" if kind.action == "fs:delete" else "path"
    shell.unclear(
        f"the path to {_VERBS.get(kind.action, kind.action[3:])} depends on {why}",
        arg.span,
        kind=about,
        origin=arg.origin,
    )
    tags = ("unread", *kind.tags)
    emit(shell, arg.span, name=kind.action, effects=kind.effects, tags=tags, irreversible=kind.irreversible)


def _on_settled_path(role: str, kind: Role, path: str, asked: str, arg: Arg, shell: Shell) -> None:
    """`asked`: the path as the system will take it, with every `..` and link still in it."""
    found = shell.found
    itself = role == "delete" and bool(shell.links) and not arg.glob and is_own_link(path, arg.text, shell)
    place, missing = place_in_shell(role, path, asked, arg.glob, shell, itself=itself)
    marks = marks_for(role, place)
    real = place.real
    if "obeyed" in marks or "guard" in marks:
        for spelling in dict.fromkeys((path, real or path)):
            for want in wanted_of(spelling, found.facts, found.cwd):
                found.want(want)
    if arg.glob and "/**" in path and kind.action in _CHANGES_FILES:
        want_listing(path, shell)
    if missing:
        found.want(missing)
        shell.unclear("it is unclear where the path leads", arg.span, kind="path")
    target: dict[str, str | bool | tuple[str, ...]] = {"path": path}
    if real is not None and real != path:
        target["real"] = real
    if arg.glob:
        target["glob"] = True
    if "obeyed" in marks:
        obeyed = obeyed_by(real or path, found.facts, glob=arg.glob) or obeyed_by(path, found.facts, glob=arg.glob)
        target["obeyed"] = obeyed[0] if obeyed is not None else "other programs"
    shown = role == "checked" and not _NOT_TO_BE_SHOWN.isdisjoint(marks)
    emit(
        shell,
        arg.span,
        name="fs:read" if shown else kind.action,
        effects=(Effect.WRITE,) if role in _NAMED_ANEW and "guard" in marks else kind.effects,
        tags=(*marks, *kind.tags),
        irreversible=kind.irreversible,
        target=target,
    )
    if role == "brings":
        found.fetched.add(path)
    if kind.action == "fs:move" and FREE.isdisjoint(marks):
        found.moved += 1
    elif "new" in marks:
        found.made.add(path)
    if kind.action in _WRITES_FILES and role not in _NO_CONTENT and path != found.facts.root:
        if not arg.glob:
            brought(path, Origin("written"), arg.span, shell)
        elif role == "write":  # formatters and fixers edit: they leave what a file does as it is
            changed_by_pattern(path, None, arg.span, shell)


def on_words_of_ours(args: list[Arg], actions: int, opaque: int, shell: Shell) -> None:
    """A word that names a key of the guard, given to code that nobody has read: it is read, whatever the code does.

    `actions` and `opaque`: how many there were before the command.
    """
    found = shell.found
    if len(found.opaque) == opaque and not any(Effect.EXECUTE in action.effects for action in found.actions[actions:]):
        return
    for arg in args:
        text = arg.text
        for name in dict.fromkeys((text, text.rpartition("=")[2], text[max(text.find("/"), 0) :])):
            for folder in shell.folders or ("/",):
                path = name if name[:1] == "/" else f"{folder}/{name}"
                if NUL not in path and _names_our_secrets(path, arg.glob, shell):
                    on_path("read", Arg(path, arg.span, arg.glob), shell)


def _names_our_secrets(path: str, glob: bool, shell: Shell) -> bool:
    kinds = kinds_of({path: ()}, frozenset(), _OUR_SECRETS, shell.found.facts, glob)
    return not _OUR_SECRETS.isdisjoint(kinds)


_OUR_SECRETS = frozenset(("own-secret", "own-secrets-below"))

# Variables that name the folder of a tool. Its names may be listed; what is in its files may not be read blindly.
_TOOL_FOLDERS = frozenset(
    variable(name)
    for name in (
        "JAVA_HOME JDK_HOME JRE_HOME M2_HOME MAVEN_HOME GRADLE_HOME ANT_HOME ANDROID_HOME ANDROID_SDK_ROOT GOPATH "
        "GOROOT CARGO_HOME RUSTUP_HOME NVM_DIR PYENV_ROOT RBENV_ROOT CONDA_PREFIX VIRTUAL_ENV CUDA_HOME CUDA_PATH "
        "DOTNET_ROOT HADOOP_HOME SPARK_HOME CATALINA_HOME FLUTTER_ROOT QTDIR GEM_HOME"
    ).split()
)


def is_tool_folder(arg: Arg) -> bool:
    """`$JAVA_HOME`, `$JAVA_HOME/bin`: below the folder that the variable names, and nowhere else."""
    return arg.origin in _TOOL_FOLDERS and arg.text[:1] == NUL and NUL not in arg.text[1:] and ".." not in arg.text


def keep_moved(since: int, shell: Shell) -> None:
    """Something was moved by the actions from there on: what they wrote now holds it, and is not free to remove."""
    found = shell.found
    for at, action in enumerate(found.actions[since:], since):
        if action.name == "fs:write" and "path" in action.target:
            path = str(action.target["path"])
            found.kept.add(path)
            found.made.discard(path)
            found.actions[at] = action.replace(tags=tuple(sorted({*action.tags, "moved"})))


_BY_SETTINGS = ("kubectl:", "oc:", "helm:", "terraform:", "aws:")  # see reach/meant.py


def emit(
    shell: Shell,
    span: tuple[int, int],
    *,
    name: str,
    effects: tuple[Effect, ...],
    tags: tuple[str, ...] = (),
    risk: Risk = Risk.LOW,
    irreversible: bool = False,
    compensator: str | None = None,
    target: dict[str, str | bool | tuple[str, ...]] | None = None,
    by_program: bool = True,
) -> None:
    """`by_program`: the command that is followed does it, so its own options and files say where it goes."""
    # A system's package manager needs those rights for fetching and installing: `sudo` adds nothing to that, nor
    # to a look at what is there, or to emptying a cache that fills again.
    if (
        shell.privileged
        and "upkeep" not in tags
        and not ("system" in tags and Effect.NETWORK in effects and name != "pkg:source")
    ):
        tags = (*tags, "privileged")
    if target or name[:4] == "pkg:":
        target = target or {}
        tags = _by_target(name, target, tags, shell)
    if len(tags) > 1:
        tags = tuple(sorted(set(tags)))
    if "external" in tags and "dryrun" not in tags:
        compensator = undo_of(name, target or {}) or compensator
        if target is None or "destination" not in target:
            places = destinations(name, target or {}, shell, by_program)
            if places:
                target = {**(target or {}), "destination": places[0] if len(places) == 1 else places}
    if by_program and name.startswith(_BY_SETTINGS):
        target = meant(name, target or {}, effects, shell)
    if shell.frozen_span is not None:
        span = shell.frozen_span
    found = shell.found
    found.act(
        action_of(name, FrozenMap(target or {}), effects, tags, risk, irreversible, compensator, found.field, span)
    )


def _is_guarded_database(database: str, shell: Shell) -> bool:
    """A file, by its path; what is the name of a database on a server lies below no folder of ours."""
    for folder in shell.folders or ("/",):
        try:
            path = settle(database, cwd=folder, home=shell.found.facts.home)
        except Unsettled:
            return False
        real = shell.found.real.get(path) or path
        if within(shell.found.facts.own, folded(path)) or within(shell.found.facts.own, folded(real)):
            return True
    return False


def distribution(package: object) -> str:
    """The name of a package without versions and extras, as registries compare it."""
    name = str(package).strip().lower()
    for mark in "[=<>!~; @":
        name = name.partition(mark)[0]
    return name.replace("_", "-").replace(".", "-")


def _is_global(target: Target, shell: Shell) -> bool:
    """Whether a package is taken away that is a program of the person's, and none of the project."""
    return "global" in target or (
        bool(shell.found.commands) and takes_from_person(tuple([word.text for word in shell.found.commands[-1][0]]))
    )


_BRINGS = frozenset(("pkg:install", "pkg:run"))
_OF_IMAGES = frozenset(("docker:pull", "exec:project"))
_REQUESTS = frozenset(("net:send", "net:fetch"))


def _by_target(name: str, target: Target, tags: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    """The marks, with those that the machine or the service adds which is named."""
    if "host" in target:
        tags = (*tags, *address_marks(target))
        if name in _REQUESTS and "local" not in tags and "url" in target:
            if posts(str(target["host"]), str(target["url"]), sends=name == "net:send"):
                tags = (*tags, "posts")
    if name == "pkg:remove" and ("system" in tags or _is_global(target, shell)):
        tags = (*tags, "outside")
    if name == "pkg:remove" and "package" in target:
        given = target["package"]
        if not PACKAGES.isdisjoint(map(distribution, (given,) if type(given) is str else given)):  # type: ignore[arg-type]
            tags = (*tags, "guard")
    if name[:4] == "sql:" and "database" in target and _is_guarded_database(str(target["database"]), shell):
        tags = (*tags, "guard")
    if name in _BRINGS:
        running = shell.found.commands[-1][0] if shell.found.commands else ()
        unusual_source(target, tuple([word.text for word in running]))
    if name in _BRINGS or name == "pkg:restore":
        return weighed(name, target, tags, shell)
    if "image" in target and name in _OF_IMAGES:
        return of_image(target, tags, shell)
    if "endpoint" in target or "server" in target or name == "terraform:init":
        if another_service(target) or another_backend(target, shell):
            tags = (*tags, "redirects")
    return tags
