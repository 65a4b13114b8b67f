"""Containers and clusters: a command inside one works on the paths of that one, not on this machine's.

What is run inside is followed in a world of its own; what it reaches from there (other machines,
    mounted folders of this
machine) is told, what it does to its own files stays inside. Options that open the container towards the
machine (`--privileged`, the root folder, the daemon's socket) mark it `privileged`.
"""

from __future__ import annotations

from ...model.action import lowered_effects
from ...model.effects import Effect, by_precedence
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..core.properties import on_property
from ..evaluate.secrets import is_handed
from ..evaluate.state import Found
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, keep_moved, on_path
from ..machine.engine import act_on, own_values, run_command, run_row
from ..machine.options import parse as parse_options
from ..places.paths import Unsettled, settle
from ..reach.daemons import is_another_daemon
from ..reach.images import is_projects
from ..tables.spec import ROLES, Adds
from .mounts import Mount, mounted
from .publishers import image_build

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..machine.engine import Given, Target
    from ..machine.options import Parsed
    from ..runs.wrappers import on_url
    from ..tables.spec import Program
else:
    on_url = lazy(globals(), "..runs.wrappers", "on_url")

__all__ = ["container_cli", "kube"]

_COMPOSE = ("compose", "docker-compose")
_HOST_SPACES = ("pid", "network", "ipc", "userns", "uts", "cgroupns")


_ROLE_OF = {
    role.action: name
    for name, role in ROLES.items()
    if name in ("read", "list", "search", "write", "move", "link", "mode", "delete", "wipe")
}


class _Same(dict[str, str]):
    """Inside a container every path leads where it says, as far as can be known."""

    def get(self, path: str, default: object = None) -> str:
        try:
            return settle(path, cwd="/", home="/")
        except Unsettled:
            return path


def container_cli(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """docker and its kin: options, then a sub-command, with run, exec and cp read here."""
    return _container(row, args, span, shell, None)


def _container(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None) -> Arg | None:
    while row.subs:
        parsed = parse_options(row, args[1:], stop_at_operand=True)
        given = own_values(row, parsed, span, shell, given)
        if not parsed.operands:
            emit(shell, span, name=f"{row.name}:help", effects=(), tags=())
            return None
        first = parsed.operands[0]
        if not first.known:
            shell.unclear("it is unclear which subcommand runs", span)
            return None
        sub = row.subs.get(first.text)
        if sub is None:
            effects = () if first.text in ("help", "--help") else (Effect.EXECUTE,)
            tags = () if first.text in ("help", "--help") else ("unknown",)
            emit(shell, span, name=f"{row.name}:{first.text}", effects=effects, tags=tags, target=dict(given[0]))
            return None
        if row.name in _COMPOSE:
            from .compose import STARTS, shows_secrets, start_services

            if sub.name in ("config", "convert") and shows_secrets(parsed, parsed.operands, shell):
                sub = sub.replace(tags=("secret",))
            if sub.name in STARTS:
                given = start_services(parsed, args, span, shell, given)
        row, args = sub, parsed.operands
    if any(arg.text == "--help" for arg in args[1:3]):
        emit(shell, span, name=f"docker:{row.name}", effects=(), tags=())
        return None
    given = _at_daemon(given or ({}, []))
    if row.special == "image_build":
        return image_build(row, args, span, shell, given)
    if row.special != "container_cli":
        if any("project" in add.tags for add in given[1]):
            row = _of_project(row, args, span, shell)
        return run_row(row, args, span, shell, given)
    if row.name == "cp":
        return _copy(args, span, shell, given)
    if row.name == "copy":
        return _image_copy(row, args, span, shell)
    return _inside(row, args, span, shell, given)


def _of_project(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Program:
    """What is left to ask about the project's own services: they bring nothing new, and stay as its servers do."""
    if Effect.SPAWN not in row.effects:
        return row.replace(tags=tuple([tag for tag in row.tags if tag != "install"]))
    if parse_options(row, args[1:], stop_at_operand=False).switches.isdisjoint(row.dryrun.split()):
        _keeps_running({}, span, shell)
    return row.replace(effects=lowered_effects(row.effects, Effect.SPAWN))


def _at_daemon(given: Given) -> Given:
    """What `-H` and `--context` add, which is nothing if they name the daemon of this machine."""
    named = [str(given[0][field]) for field in ("host", "context") if field in given[0]]
    if any(map(is_another_daemon, named)):
        return given
    return given[0], [add for add in given[1] if "external" not in add.tags]


def _inside(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given) -> Arg | None:
    """`run IMAGE CMD` in a new container, `exec NAME CMD` in one that is there."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    for strange in parsed.strange:
        shell.unclear(f"`{strange.text.replace(NUL, '…')[:40]}` is an unknown option", span)
    target: Target = dict(given[0])
    tags = {tag for add in given[1] for tag in add.tags}
    effects = [Effect.EXECUTE, *(effect for add in given[1] for effect in add.effects)]
    words = list(parsed.operands)
    kind = row.operands.split()[0]
    if words:
        target[kind] = words[0].text.replace(NUL, "…")
        if words[0].unknown:
            shell.unclear(f"the {kind} depends on {words[0].why}", words[0].span)
    command = words[1:]
    mounts, workdir = _options(parsed, target, tags, command, span, shell)
    if not parsed.switches.isdisjoint(("--detach", "-d")):
        effects.append(Effect.SPAWN)
    fresh = row.name != "exec"
    if fresh and target.get("network") != "none":
        effects.append(Effect.NETWORK)
    if fresh and kind == "image":
        tags.update(_image_marks(target, mounts, tags, shell))
        if "--replace" in parsed.switches:
            effects.append(Effect.DESTRUCTIVE)  # the container that has the name is removed
    stays = Effect.SPAWN in effects and "project" in tags and not _comes_back(parsed)
    inner = _world(shell, mounts, workdir)
    if command:
        run_command([_mapped(word, mounts) for word in command], span, inner)
    else:
        tags.add("unread")
    kept, hurt = _reaching(inner.found, mounts, fresh)
    effects.extend(hurt)
    name = f"{'compose' if kind == 'name' and fresh else 'docker'}:{row.name}"
    lost = Effect.DESTRUCTIVE in effects
    risk = Risk.HIGH if "privileged" in tags else Risk.MEDIUM if lost else Risk.LOW
    if stays:
        effects = [*lowered_effects(tuple(effects), Effect.SPAWN)]
        _keeps_running(target, span, shell)
    emit(
        shell,
        span,
        name=name,
        effects=by_precedence(effects),
        tags=tuple(tags),
        risk=risk,
        irreversible=lost,
        target=target,
    )
    before = len(shell.found.actions)
    for action in kept:
        path = action.target.get("path")
        if isinstance(path, str) and action.name in _ROLE_OF:  # told again, as a path of this machine
            on_path(_ROLE_OF[action.name], Arg(path, action.span or span, bool(action.target.get("glob"))), shell)
        else:
            shell.found.act(action.replace(tags=tuple(sorted({*action.tags, *(tags & {"privileged"})}))))
    if any(action.name == "fs:move" for action in kept):
        keep_moved(before, shell)
    for opaque in inner.found.opaque:
        shell.unclear(f"inside the container: {opaque.reason}", opaque.span, kind=opaque.kind)
    return None


def _image_marks(target: Target, mounts: list[Mount], tags: set[str], shell: Shell) -> set[str]:
    """What the image adds. One that HEAD names is the project's; any other is code from outside, and what it is given
    of this machine is shown beside it.
    """
    shown = sorted({mount.shown for mount in mounts if mount.shown})
    if shown:
        target["mounts"] = tuple(shown)
    own = is_projects(str(target.get("image", "")), shell)
    if not own or "external" in tags:
        return {"install"}
    return set() if tags - {"unread"} else {"project"}


def _comes_back(parsed: Parsed) -> bool:
    """`--restart always`: it starts again with the machine."""
    return any(option.name == "--restart" and value.text not in ("no", "on-failure") for option, value in parsed.values)


def _keeps_running(target: Target, span: tuple[int, int], shell: Shell) -> None:
    """A container of the project stays: what a server of the project does that is started as a job."""
    emit(shell, span, name="server:start", effects=(Effect.SPAWN,), tags=("project",), target=dict(target))


def _options(
    parsed: Parsed, target: Target, tags: set[str], command: list[Arg], span: tuple[int, int], shell: Shell
) -> tuple[list[Mount], str]:
    """What the options open towards the machine; the mounts and the folder inside."""
    mounts: list[Mount] = []
    workdir = "/"
    if "--privileged" in parsed.switches:
        tags.add("privileged")
    if "--env-host" in parsed.switches:
        tags.update(("environment", "secret"))  # all variables of this machine
    for option, value in parsed.values:
        role, text = option.role or "", value.text
        if role in ROLES:
            on_path(role, value, shell)
        elif role in ("volume", "mount"):
            mount = mounted(value, role, tags, shell)
            if mount is not None:
                mounts.append(mount)
        elif role in _HOST_SPACES:
            if text == "host" or text.startswith(("container:", "ns:")) or value.unknown:
                tags.add("privileged")
            if role == "network":
                target["network"] = text.replace(NUL, "…")
        elif role in ("device", "cap", "security", "sysctl"):
            target[role] = text.replace(NUL, "…")
            if role != "security" or text not in ("no-new-privileges", "no-new-privileges:true"):
                tags.add("privileged")
        elif role == "env":
            if is_handed(value):
                tags.add("secret")
                target["variable"] = text.partition("=")[0].replace(NUL, "…")
        elif role == "volumes-from":
            shell.unclear("the folders of another container are unknown", value.span)
        elif role == "entrypoint":
            if text:
                command.insert(0, value)
        elif role == "workdir":
            workdir = text if value.known else NUL
        elif role == "name":
            target["name"] = text.replace(NUL, "…")
    return mounts, workdir


def _world(shell: Shell, mounts: list[Mount], workdir: str) -> Shell:
    """A shell of its own, in which the machine's files are not there and the container's are not known."""
    inner = shell.copy()
    facts = shell.found.facts
    inner.found = Found(
        facts.replace(root="", real=_Same(), created=frozenset(), written=frozenset(), kept=frozenset()),
        shell.found.field,
        follow=shell.found.follow,
    )
    inner.found.budget = shell.found.budget
    inner.files = {}
    inner.privileged = False
    inner.background = False
    inner.path_changed = None
    inner.aliases = set()
    inner.functions = {}
    inner.folders = None if NUL in workdir else (_to_host(workdir, mounts) or workdir or "/",)
    return inner


def _to_host(path: str, mounts: list[Mount]) -> str | None:
    for mount in mounts:
        if mount.source is not None and (path == mount.inside or path.startswith(mount.inside.rstrip("/") + "/")):
            return (mount.source + path[len(mount.inside.rstrip("/")) :]).rstrip("/") or "/"
    return None


def _mapped(word: Arg, mounts: list[Mount]) -> Arg:
    moved = _to_host(word.text, mounts) if word.text.startswith("/") else None
    return word if moved is None else Arg(moved, word.span, word.glob, word.origin, word.quoted)


def _reaching(found: Found, mounts: list[Mount], fresh: bool) -> tuple[list[Action], list[Effect]]:
    """Actions that leave the container, and the effects of the rest where the container's files are to stay."""
    kept: list[Action] = []
    hurt: list[Effect] = []
    for action in found.actions:
        path = action.target.get("path")
        if isinstance(path, str):
            host = _to_host(path, mounts) or (path if any(_below(path, mount.source) for mount in mounts) else None)
            if host is not None and action.name.startswith("fs:"):
                kept.append(action.replace(target=FrozenMap({**action.target, "path": host})))
            elif not fresh or any(mount.source is None and _below(path, mount.inside) for mount in mounts):
                hurt.extend(action.effects)
        elif action.name.startswith("exec:"):
            hurt.extend(effect for effect in action.effects if effect in (Effect.SPAWN,))
        elif not (fresh and action.name.startswith(("pkg:", "sys:", "proc:"))):
            kept.append(action)
        elif Effect.NETWORK in action.effects:
            hurt.append(Effect.NETWORK)
    return kept, hurt


def _below(path: str, folder: str | None) -> bool:
    return folder is not None and (path == folder or path.startswith(folder.rstrip("/") + "/"))


def _copy(args: list[Arg], span: tuple[int, int], shell: Shell, given: Given, act: str = "docker:cp") -> Arg | None:
    """`cp FROM TO`, one end with `name:path`: that end lies in a container or in a pod."""
    places = [arg for arg in args[1:] if not arg.text.startswith("-") or arg.text == "-"]
    tags = tuple(tag for add in given[1] for tag in add.tags)
    added = [effect for add in given[1] for effect in add.effects]
    for index, place in enumerate(places[-2:]):
        last = index == 1
        name, colon, _ = place.text.partition(":")
        if (colon and not name.startswith(("/", "."))) or (place.unknown and place.text.startswith(NUL)):
            effects = by_precedence([Effect.WRITE if last else Effect.READ, *added])
            tags = (*tags, "sends") if last and "external" in tags else tags
            target: Target = {**given[0], "name": name.replace(NUL, "…")}
            emit(shell, place.span, name=act, effects=effects, tags=tags, target=target)
        elif place.text != "-":
            on_path("brings" if last else "read", place, shell)  # what lies there is nobody's that is known
    if len(places) < 2:
        emit(shell, span, name=act, effects=(), tags=())
    return None


def _image_copy(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`skopeo copy FROM TO`: a registry, a folder or an archive at each end."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for index, place in enumerate(parsed.operands[:2]):
        kind, _, rest = place.text.partition(":")
        if kind in ("dir", "oci", "oci-archive", "docker-archive"):
            on_path(
                "write" if index else "read", Arg(rest.partition(":")[0], place.span, place.glob, place.origin), shell
            )
        elif kind == "docker" and index:
            emit(shell, span, name="docker:push", effects=(Effect.DESTRUCTIVE, Effect.NETWORK), tags=("external",
                "sends"),
                 risk=Risk.HIGH, irreversible=True, target={"image": place.text.replace(NUL, "…")})  # fmt: skip
        else:
            does = (Effect.NETWORK,) if kind == "docker" else (Effect.WRITE,) if index else (Effect.READ,)
            emit(shell, span, name="docker:pull", effects=does, tags=(), target={"image": place.text.replace(NUL, "…")})
    return None


# Clusters ------------------------------------------------------------------------------------------------------------

_SECRET_KINDS = frozenset(("secret", "secrets", "sealedsecret", "sealedsecrets", "externalsecret", "externalsecrets"))

_RIGHTS = frozenset(
    (
        *("role", "roles", "clusterrole", "clusterroles", "rolebinding", "rolebindings"),
        *("clusterrolebinding", "clusterrolebindings", "serviceaccount", "serviceaccounts"),
    )
)


def kube(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """kubectl and oc: options of the connection stand anywhere; a `--dry-run` counts unless it says `none`."""
    given: Given = ({}, [])
    name = row.name
    while row.subs:
        parsed = parse_options(row, args[1:], stop_at_operand=True)
        given = own_values(row, parsed, span, shell, given)
        if not parsed.operands:
            emit(shell, span, name=f"{name}:help", effects=(), tags=())
            return None
        first = parsed.operands[0]
        if not first.known:
            shell.unclear(f"it is unclear which `{name}` command runs", span)
            return None
        sub = row.subs.get(first.text)
        if sub is None:
            emit(
                shell,
                span,
                name=f"{name}:{first.text}",
                effects=(Effect.EXECUTE,),
                tags=("unknown",),
                target=dict(given[0]),
            )
            return None
        row, args = sub, parsed.operands
    if row.name == "cp":
        given[1].append(Adds(effects=(Effect.NETWORK,), tags=("external",)))
        return _copy(args, span, shell, given, "kubectl:cp")
    if row.name in ("exec", "run", "debug", "rsh"):
        return _pod(row, args, span, shell, given)
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    kinds = [word.text.partition("/")[0].lower().partition(".")[0] for word in parsed.operands]
    if not _SECRET_KINDS.isdisjoint(kind for words in kinds[:4] for kind in words.split(",")):
        given[1].append(Adds(tags=("secret",)))
    if Effect.WRITE in row.effects and not _RIGHTS.isdisjoint(kinds[:2]):
        given[1].append(Adds(tags=("privileged",)))
    if any(option.name == "--dry-run" and value.text == "none" for option, value in parsed.values):
        parsed.switches.discard("--dry-run")
    if row.operands.startswith("resource"):
        _resource(parsed, given[0])
    if row.operands == "setting value" and len(parsed.operands) > 1:
        setting, told = parsed.operands[:2]
        on_property(Arg(f"{setting.text}={told.text}", told.span, told.glob, told.origin), span, shell)
    for option, value in parsed.values:
        if option.role == "manifest":
            _manifest(value, span, shell)
    parsed.values = [(option, value) for option, value in parsed.values if option.role != "manifest"]
    return act_on(row, parsed, args, span, shell, given)


def _resource(parsed: Parsed, target: Target) -> None:
    """`pod/web`, `pods web db`, `deploy,svc -l app=x`."""
    names = []
    for index, word in enumerate(parsed.operands):
        if word.unknown:
            return
        kind, slash, name = word.text.partition("/")
        if slash:
            target["resource"] = kind
            names.append(name)
        elif index == 0:
            target["resource"] = kind
        elif "=" not in kind:
            names.append(kind)
    if names:
        target["name"] = names[0] if len(names) == 1 else tuple(names)
    parsed.operands = []


def _manifest(value: Arg, span: tuple[int, int], shell: Shell) -> None:
    """A file, a folder, an address, or standard input."""
    if value.text == "-":
        return
    if value.text.startswith(("http://", "https://", "github.com/")):
        on_url(value, shell, span, [])
        shell.unclear("a manifest from the network is not read", value.span)
        return
    on_path("read", value, shell)


def _pod(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given) -> Arg | None:
    """`exec POD -- CMD`: a command in the cluster."""
    at = next((i for i, arg in enumerate(args) if arg.text == "--"), None)
    head, command = (args, []) if at is None else (args[:at], args[at + 1 :])
    parsed = parse_options(row, head[1:], stop_at_operand=False)
    trial = "--dry-run" in parsed.switches and not any(
        o.name == "--dry-run" and v.text == "none" for o, v in parsed.values
    )
    if at is None and row.name in ("exec", "rsh"):
        command = parsed.operands[1:]
        parsed.operands = parsed.operands[:1]
    target: Target = dict(given[0])
    for option, value in parsed.values:
        if option.role in ("context", "namespace", "image", "container", "cluster"):
            target[option.role] = value.text.replace(NUL, "…")
        elif option.role in ROLES:
            on_path(option.role or "", value, shell)
        elif option.role == "overrides":
            shell.unclear("`--overrides` changes what is run", value.span)
    if parsed.operands:
        kind, slash, name = parsed.operands[0].text.replace(NUL, "…").partition("/")
        target["name"] = name if slash else kind
        if row.name == "debug" and kind == "node":
            given[1].append(Adds(tags=("privileged",)))
    effects = [Effect.NETWORK, Effect.EXECUTE]
    inner = _world(shell, [], "/")
    if command:
        run_command(command, span, inner)
    kept, hurt = _reaching(inner.found, [], False)
    lost = Effect.DESTRUCTIVE in hurt
    tags = {"external", *(tag for add in given[1] for tag in add.tags), *(() if command else ("unread",))}
    if row.name in ("run", "debug"):
        effects.append(Effect.WRITE)
    if trial:
        effects, lost, kept = [Effect.READ], False, []
        tags.add("dryrun")
    emit(shell, span, name=f"kubectl:{row.name}", effects=by_precedence([*effects, *(hurt if not trial else [])]),
        tags=tuple(tags),
         risk=Risk.HIGH if lost else Risk.LOW, irreversible=lost, target=target)  # fmt: skip
    for action in kept:
        shell.found.act(action)
    for opaque in inner.found.opaque:
        shell.unclear(f"inside the container: {opaque.reason}", opaque.span, kind=opaque.kind)
    if parsed.doubtful:
        shell.unclear(f"an argument depends on {parsed.doubtful[0].why}", parsed.doubtful[0].span)
    return None
