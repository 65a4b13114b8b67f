"""What a command does to a path, and how an action is put down with its marks."""

from __future__ import annotations

from ...model.action import action_of
from ...model.effects import Effect, by_precedence
from ...model.obeyed import MOVED_BY
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap
from ..core.streams import is_stream
from ..evaluate.contents import brought, changed_by_pattern
from ..evaluate.origins import A_SECRET, Origin, variable
from ..evaluate.words import NUL, Arg
from ..places.own_places import PACKAGES, holds_own, holds_own_secret, is_own_secret
from ..places.paths import Unsettled, folded, settle, within
from ..places.place_folders import holds_guarded, holds_obeyed, holds_secret, takes_in_guarded, wanted_of
from ..places.place_table import is_pattern
from ..places.places import obeyed_by
from ..places.system_places import address_marks, telling
from .places import FREE, is_own_link, marks_in_shell
from .spec import ROLES, Adds

if TYPE_CHECKING:
    from ...model.action import OpaqueKind
    from ..evaluate.state import Shell

    Target = dict[str, str | bool | tuple[str, ...]]
    Given = tuple[Target, list[Adds]]  # fields of the target, and what switches add

__all__ = ["distribution", "emit", "is_tool_folder", "keep_moved", "on_path", "on_words_of_ours"]

_TAKES_IN = frozenset(("read", "checked", "send"))  # all that is in a folder, where a folder is named
_OWN_STREAMS = frozenset(("/proc/self/fd", "/proc/self/fd/", "/proc/self/fd/0", "/dev/fd", "/dev/fd/0"))
_CHANGES_FILES = frozenset(("fs:write", "fs:move", "fs:link", "fs:delete", "fs:wipe"))
_IF_AMONG = {"guard": "obeyed-asked", "own-secret": "secret"}  # of a file that only may be among what a search finds
_WRITES_FILES = frozenset(("fs:write", "fs:move", "fs:link"))
# a file, or into a folder; `folder` only makes one
_PUTS_IN = frozenset(("brings", "builds", "edit", "link", "touched", "write"))
# what was not there is there then
_MAKES = frozenset(("brings", "builds", "edit", "folder", "link", "touched", "write"))
_NO_CONTENT = frozenset(("builds", "folder", "touched"))  # nothing that anybody would read later
_TAKES_FOLDER = frozenset(("brings", "move"))  # a folder with all that is in it
_LEAVES_UNREAD = frozenset(("count", "covered", "folder", "list", "search"))
_WHOLE_FOLDERS = frozenset(("read", "checked", "send", "linked"))
# A linter prints lines of what it is given. Of ordinary code that is worth no mention; of these it is reading them.
_NOT_TO_BE_SHOWN = frozenset(("accounts", "guard", "machine", "own-secret", "secret"))
_ALL_BELOW = frozenset(
    ("closed", "covered", "handed", "mode", "opened")
)  # what is done to a folder is done to what lies in it
_OUT_OF_REACH = frozenset(("closed", "covered", "handed"))  # and nobody finds what lies in it any more
_TAKES_AWAY = frozenset(("fs:delete", "fs:wipe", "fs:move"))  # a folder, and everything in it


# `$CLAUDE_CONFIG_DIR/settings.json`: wherever that is, it is what the place in the home folder would be.
_MOVED = {variable(name): place for name, place in MOVED_BY.items() if place}

# What is done to a path, where the action is called otherwise.
_VERBS = {"exec:script": "run", "fs:chmod": "change the mode of", "net:fetch": "fetch"}


def on_path(role: str, arg: Arg, shell: Shell, adds: list[Adds] | tuple[Adds, ...] = ()) -> list[str]:
    """The action of one path; the places that it may be, for those who follow what is in it."""
    kind = ROLES[role]
    effects, tags = kind.effects, kind.tags
    if adds:
        effects = (*effects, *(effect for add in adds for effect in add.effects))
        tags = (*tags, *(tag for add in adds for tag in add.tags))
    if len(effects) > 1:
        effects = by_precedence(effects)
    text = arg.text
    rooted = text[:1] == "/"
    if rooted and text in shell.files and text.startswith("/dev/fd/"):
        return [text]  # the pipe of a process substitution, whose command was followed where it stands
    if text in _OWN_STREAMS and role in ("read", "list", "checked"):
        return []  # what this very command has open
    if rooted and is_stream(role, text, shell):
        return []
    if text[:1] == NUL and arg.origin in _MOVED and NUL not in text[1:]:
        return on_path(role, Arg(f"{shell.found.facts.home}/{_MOVED[arg.origin]}{text[1:]}", arg.span), shell, adds)
    if NUL in text or (shell.folders is None and not rooted):
        why = arg.why if NUL in text else "the working folder"
        if role in ("list", "search", "checked") and is_tool_folder(arg):
            emit(shell, arg.span, name=kind.action, effects=effects, tags=tags)
            return []
        about: OpaqueKind = "removal" if kind.action == "fs:delete" else "path"
        shell.unclear(
            f"the path to {_VERBS.get(kind.action, kind.action[3:])} depends on {why}",
            arg.span,
            kind=about,
            origin=arg.origin,
        )
        emit(shell, arg.span, name=kind.action, effects=effects, tags=("unread", *tags), irreversible=kind.irreversible)
        return []
    paths = []
    for folder in ("/",) if rooted else shell.folders or ("/",):
        try:
            path = settle("./" + text if text[:1] == "~" else text or ".", cwd=folder, home="/")
        except Unsettled as why_not:
            shell.unclear(str(why_not), arg.span, kind="path")
            emit(shell, arg.span, name=kind.action, effects=effects, tags=("unread", *tags))
            return []
        asked = text if rooted else f"{folder}/{text}"
        itself = role == "delete" and bool(shell.links) and not arg.glob and is_own_link(path, text, shell)
        marks, real, missing = marks_in_shell(path, asked, arg.glob, shell, itself=itself)
        marks = telling(marks, role, real or path)
        if role not in _MAKES and "new" in marks:
            marks.remove("new")  # a `chmod` of what is not there fails
        if role in ("touched", "write") and "secret" in marks and "new" in marks and _is_env_file(path, shell):
            marks.remove("secret")  # `cp .env.example .env`: what is not there yet holds no secret
        if (
            role in _TAKES_IN
            and "secret" not in marks
            and not arg.glob
            and holds_secret(real or path, shell.found.facts)
        ):
            marks.append("secret")
        if shell.found.holds_secret and role in _TAKES_IN and "secret" not in marks and _got_secret(path, shell):
            marks.append("secret")
        if kind.action in _TAKES_AWAY and "guard" not in marks and _takes_guarded(path, real, shell):
            marks.append("guard")
        if (
            role in _PUTS_IN
            and ("obeyed" not in marks or role == "brings")
            and (takes_in_guarded(path, shell.found.facts) or takes_in_guarded(real or path, shell.found.facts))
        ):
            marks.append("guard")
        if role in _TAKES_FOLDER and "obeyed" not in marks and not arg.glob and holds_obeyed(path):
            marks += ["obeyed", "obeyed-asked"]
        if role not in _LEAVES_UNREAD and _own_secret(role, path, real, arg.glob, shell):
            marks.append("own-secret")
        if role in _ALL_BELOW and "guard" not in marks and holds_own(real or path, shell.found.facts):
            marks.append("guard")
        hidden = not arg.glob or text.rpartition("/")[2][:1] == "."  # other patterns match no `.claude`
        if role in _OUT_OF_REACH and "guard" not in marks and hidden and _holds_settings(path, real or path, shell):
            marks.append("guard")
        if "obeyed" in marks or "guard" in marks:
            for spelling in dict.fromkeys((path, real or path)):
                for want in wanted_of(spelling, shell.found.facts, shell.found.cwd):
                    shell.found.want(want)
        if role in ("covered", "linked") and "guard" in marks:
            effects = (Effect.WRITE,)
        if arg.glob:
            if "/**" in path and kind.action in _CHANGES_FILES:
                from ..places.searched import want_listing

                want_listing(path, shell)
            if path in shell.found.possible:
                marks = [_IF_AMONG.get(mark, mark) for mark in marks]
        if missing:
            shell.found.want(missing)
            shell.unclear("it is unclear where the path leads", arg.span, kind="path")
        target: dict[str, str | bool | tuple[str, ...]] = {"path": path}
        if real is not None and real != path:
            target["real"] = real
        if arg.glob:
            target["glob"] = True
        if "obeyed" in marks:
            found = obeyed_by(real or path, shell.found.facts, glob=arg.glob) or obeyed_by(
                path, shell.found.facts, glob=arg.glob
            )
            target["obeyed"] = found[0] if found is not None else "other programs"
        shown = role == "checked" and not _NOT_TO_BE_SHOWN.isdisjoint(marks)
        emit(
            shell,
            arg.span,
            name="fs:read" if shown else kind.action,
            effects=effects,
            tags=(*marks, *tags),
            irreversible=kind.irreversible,
            target=target,
        )
        paths.append(path)
        if role == "brings":
            shell.found.fetched.add(path)
        if kind.action == "fs:move" and FREE.isdisjoint(marks):
            shell.found.moved += 1
        elif "new" in marks and role in _MAKES:
            shell.found.made.add(path)
        if (
            kind.action in _WRITES_FILES
            and role not in ("builds", "folder", "touched")
            and path != shell.found.facts.root
        ):
            if not arg.glob:
                brought(path, Origin("written"), arg.span, shell)
            elif role == "write":  # formatters and fixers edit: they leave what a file does as it is
                changed_by_pattern(path, None, arg.span, shell)
    return paths


def _takes_guarded(path: str, real: str | None, shell: Shell) -> bool:
    """True if guarded files go with the folder, also where a link above leads to it: `h/.config`, where `h` is a home.

    A link that has another name than what it leads to goes alone.
    """
    names = path.rpartition("/")[2], (real or path).rpartition("/")[2]
    spellings = (path,) if real is None or names[0] != names[1] else dict.fromkeys((path, real))
    return any(holds_guarded(at, shell.found.facts) for at in spellings)


def _holds_settings(path: str, real: str, shell: Shell) -> bool:
    """True if what hosts obey lies in the folder: `.claude`, the project, the home."""
    facts = shell.found.facts
    return any(at in (facts.root, facts.home) or holds_guarded(at, facts) for at in (path, real))


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
                if NUL not in path and _own_secret("read", path, None, arg.glob, shell):
                    on_path("read", Arg(path, arg.span, arg.glob), shell)


def _own_secret(role: str, path: str, real: str | None, glob: bool, shell: Shell) -> bool:
    """True if it is a key of the guard, or all of a folder that has one is read."""
    facts = shell.found.facts
    for at in (path,) if real is None or real == path else (path, real):
        wild = glob and is_pattern(at)
        if is_own_secret(at, facts, glob=wild) or (role in _WHOLE_FOLDERS and not wild and holds_own_secret(at, facts)):
            return True
    return False


def _got_secret(path: str, shell: Shell) -> bool:
    """True if this call has put a secret into the file, or into one below the folder."""
    return any(
        held.origin == A_SECRET and (at == path or at.startswith(path + "/")) for at, held in shell.files.items()
    )


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


def _is_env_file(path: str, shell: Shell) -> bool:
    name = path.rpartition("/")[2]
    return (name == ".env" or name.startswith(".env.")) and path.startswith(shell.found.facts.root + "/")


def keep_moved(since: int, shell: Shell) -> None:
    """Something was moved by the actions from there on: what they wrote now holds it, and is not free to remove."""
    found = shell.found
    for at, action in enumerate(found.actions[since:], since):
        if action.name == "fs:write" and "path" in action.target:
            path = str(action.target["path"])
            found.kept.add(path)
            found.made.discard(path)
            found.actions[at] = action.replace(tags=tuple(sorted({*action.tags, "moved"})))


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
    if target or name == "pkg:remove":
        tags = _by_target(name, target or {}, tags, shell)
    if len(tags) > 1:
        tags = tuple(sorted(set(tags)))
    if "external" in tags and "dryrun" not in tags:
        from ...approve.gated import undo_of

        compensator = undo_of(name, target or {}) or compensator
        if target is None or "destination" not in target:
            from ..reach.destinations import destinations

            places = destinations(name, target or {}, shell, by_program)
            if places:
                target = {**(target or {}), "destination": places[0] if len(places) == 1 else places}
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
    from .sources import takes_from_person

    return "global" in target or (
        bool(shell.found.commands) and takes_from_person(tuple([word.text for word in shell.found.commands[-1][0]]))
    )


_BRINGS = frozenset(("pkg:install", "pkg:run"))
_REQUESTS = frozenset(("net:send", "net:fetch"))


def _by_target(name: str, target: Target, tags: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    """The marks, with those that the machine or the service adds which is named."""
    if "host" in target:
        tags = (*tags, *address_marks(target))
        if name in _REQUESTS and "local" not in tags and "url" in target:
            from ..reach.channels import posts

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
        from .sources import unusual_source

        running = shell.found.commands[-1][0] if shell.found.commands else ()
        unusual_source(target, tuple([word.text for word in running]))
    elif "endpoint" in target or "server" in target or name == "terraform:init":
        from .sources import another_backend, another_service

        if another_service(target) or another_backend(target, shell):
            tags = (*tags, "redirects")
    return tags
