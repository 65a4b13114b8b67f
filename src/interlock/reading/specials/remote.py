"""Other machines: a shell there, files to and from there, and plain connections.

What `ssh HOST TEXT` runs is read as shell text; its actions carry the mark `external`, the host, and the effect
`network`, and none of the marks that only this machine's folders can give.
"""

from __future__ import annotations

from ...model.effects import Effect, by_precedence
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap
from ..evaluate.flow import is_local, is_own_server
from ..evaluate.origins import Origin
from ..evaluate.state import Found
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.engine import run_command
from ..machine.options import parse as parse_options
from ..places.paths import settle
from ..runs.wrappers import run_code
from .local import has_token
from .net import piece, saved

if TYPE_CHECKING:
    from typing import Any

    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["elsewhere", "ip", "netcat", "rclone", "scp", "session", "socat", "ssh", "websocat"]

# Settings that only shape the connection. Any other may run a command or load code.
_PLAIN_SETTINGS = frozenset(
    (
        "addkeystoagent", "addressfamily", "batchmode", "bindaddress", "bindinterface", "canonicaldomains",
        "canonicalizehostname", "checkhostip", "ciphers", "clearallforwardings", "compression", "connectionattempts",
        "connecttimeout", "controlmaster", "controlpath", "controlpersist", "escapechar", "exitonforwardfailure",
        "fingerprinthash", "forwardx11", "gatewayports", "globalknownhostsfile", "gssapiauthentication",
        "hashknownhosts", "hostkeyalgorithms", "hostkeyalias", "hostname", "identitiesonly", "identityfile", "ipqos",
        "kbdinteractiveauthentication", "kexalgorithms", "loglevel", "macs", "numberofpasswordprompts",
        "passwordauthentication", "permitlocalcommand", "port", "preferredauthentications", "proxyjump",
        "pubkeyacceptedalgorithms", "pubkeyacceptedkeytypes", "pubkeyauthentication", "rekeylimit", "requesttty",
        "serveralivecountmax", "serveraliveinterval", "setenv", "sendenv", "stricthostkeychecking", "tcpkeepalive",
        "tunnel", "updatehostkeys", "user", "userknownhostsfile", "verifyhostkeydns", "visualhostkey", "logverbose",
        "nohostauthenticationforlocalhost", "challengeresponseauthentication", "hostbasedauthentication",
        "forwardagent", "stdinnull", "forkafterauthentication", "sessiontype",
    )
)  # fmt: skip
_COMMAND_SETTINGS = frozenset(("proxycommand", "localcommand", "knownhostscommand"))


class _Itself:
    """Paths on another machine lead where they say, as far as anyone here can tell."""

    def get(self, path: str, default: str | None = None) -> str:
        return settle(path, cwd="/", home="/")


def elsewhere(code: Arg, host: str, shell: Shell, span: tuple[int, int]) -> None:
    """Shell text that is run on another machine."""
    here = shell.found
    facts = here.facts.replace(
        root="/\1",
        home="/\1",
        real=_Itself(),
        absent=frozenset(),
        created=frozenset(),
        written=frozenset(),
        kept=frozenset(),
        scripts=FrozenMap({}),
    )
    found = Found(facts, here.field, follow=here.follow)
    found.budget = here.budget
    inner = shell.copy()
    inner.found, inner.folders, inner.stdin = found, ("/~",), None
    inner.variables, inner.functions, inner.aliases, inner.files = {}, {}, set(), {}
    inner.exported, inner.path_changed, inner.privileged = set(), None, False
    inner.frozen_span = shell.span(code.span)
    run_code("code.sh", code, inner, span)
    here.budget = found.budget
    for action in found.actions:
        tags = sorted({"external", *(tag for tag in action.tags if tag not in ("created", "new", "regenerable"))})
        here.act(
            action.replace(
                tags=tuple(tags),
                effects=by_precedence([*action.effects, Effect.NETWORK]),
                target=FrozenMap(_reached(action, host)),
            )
        )
    for part in found.opaque:
        here.unclear(part.reason, part.span, kind=part.kind)


def _reached(action: Action, host: str) -> dict[str, str | bool | tuple[str, ...]]:
    """The target, with where it arrives: on that machine, and from there where the action itself goes."""
    target: dict[str, Any] = {**action.target, "host": host}
    there = target.pop("destination", None)
    if "external" not in action.tags:
        target["destination"] = host
    elif there is not None:
        target["destination"] = (*(there if type(there) is tuple else (there,)), host)
    return target


def _settings(parsed: Parsed, span: tuple[int, int], shell: Shell) -> None:
    """`-o Name=value`, and the other options of ssh, scp and sftp that run or load something."""
    for option, value in parsed.values:
        role = option.role
        if role == "setting":
            name, _, text = value.text.replace("=", " ", 1).strip().partition(" ")
            name = name.lower()
            if name in _COMMAND_SETTINGS:
                if text.strip().lower() != "none":
                    run_code("code.sh", piece(value, text.strip()), shell, span)
                    shell.unclear("a command that the connection runs on this machine", span)
            elif name not in _PLAIN_SETTINGS or NUL in name:
                shell.unclear(f"an unknown setting of the connection: `{name[:40]}`".replace(NUL, "…"), span)
        elif role == "config":
            if value.text not in ("none", "/dev/null"):
                on_path("read", value, shell)
                shell.unclear("settings of the connection come from a file, and they may run commands", span)
        elif role == "program":
            run_code("code.sh", value, shell, span)
            shell.unclear("a program of one's own carries the connection", span)
        elif role == "library":
            on_path("read", value, shell)
            shell.unclear("a library is loaded", span)
        elif role == "write":
            on_path("write", value, shell)


def _host(text: str) -> str:
    text = text.removeprefix("ssh://").removeprefix("sftp://").removeprefix("scp://")
    text = text.partition("/")[0].rpartition("@")[2]
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def ssh(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Options, a host, more options, then a command line for a shell there."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    host = parsed.operands[0] if parsed.operands else None
    words = parsed.operands[1:]
    if words and words[0].text.startswith("-") and words[0].text != "--":
        after = parse_options(row, words, stop_at_operand=True)
        parsed.values += after.values
        parsed.switches |= after.switches
        parsed.strange += after.strange
        words = after.operands
    elif words and words[0].text == "--":
        words = words[1:]
    _settings(parsed, span, shell)
    if parsed.strange or parsed.doubtful:
        word = (parsed.strange or parsed.doubtful)[0].text.replace(NUL, "…")
        shell.unclear(f"`{word[:40]}` is an unknown option", span)
    if host is None or not parsed.switches.isdisjoint(("-Q", "-V", "-G")):
        emit(shell, span, name=f"{row.name}:query", effects=(Effect.READ,), tags=())
        return None
    if host.unknown:
        shell.unclear(f"the host depends on {host.why}", host.span)
    name = _host(host.text).replace(NUL, "…")
    target: dict[str, str | bool | tuple[str, ...]] = {"host": name}
    tunnels = [value.text.replace(NUL, "…") for option, value in parsed.values if option.role == "tunnel"]
    if tunnels:
        target["tunnel"] = tuple(tunnels)
    jumps = [value.text.replace(NUL, "…") for option, value in parsed.values if option.role == "jump"]
    if jumps:
        target["jump"] = tuple(jumps)
    effects = [Effect.NETWORK]
    tags = ["external"]
    idle = "-N" in parsed.switches or "-O" in parsed.switches
    if tunnels or "-f" in parsed.switches or "-M" in parsed.switches:
        effects.append(Effect.SPAWN)
    if not idle:
        effects.append(Effect.EXECUTE)
    if shell.stdin is not None and "-n" not in parsed.switches:
        tags.append("sends")
    kind = "tunnel" if idle and tunnels else "run"
    emit(shell, span, name=f"ssh:{kind}", effects=by_precedence(effects), tags=tuple(tags), target=target)
    if idle:
        return None
    if words:
        text = " ".join(arg.text for arg in words)
        origin = next((arg.origin for arg in words if arg.unknown), None)
        elsewhere(
            Arg(text, (words[0].span[0], words[-1].span[1]), any(a.glob for a in words), origin), name, shell, span
        )
    elif shell.stdin is not None:
        elsewhere(shell.stdin, name, shell, span)
    else:
        shell.unclear("an interactive shell on another machine", span)
    return None


def _away(arg: Arg) -> bool:
    text = arg.text
    return text.startswith(("scp://", "sftp://")) or (":" in text and "/" not in text.partition(":")[0])


def scp(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`scp FROM… TO`: a colon before any slash makes a place one on another machine."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    _settings(parsed, span, shell)
    if parsed.strange or parsed.doubtful:
        word = (parsed.strange or parsed.doubtful)[0].text.replace(NUL, "…")
        shell.unclear(f"`{word[:40]}` is an unknown option", span)
    for index, place in enumerate(parsed.operands):
        last = index == len(parsed.operands) - 1
        if _away(place):
            if place.unknown:
                shell.unclear(f"a place on another machine depends on {place.why}", place.span)
            emit(
                shell,
                place.span,
                name="net:send" if last else "net:fetch",
                effects=(Effect.NETWORK,),
                tags=("external", "sends") if last else ("external",),
                target={"host": _host(place.text).replace(NUL, "…")},
            )
        elif last and len(parsed.operands) > 1:
            _landed(place, parsed.operands[:-1], shell)
        else:
            on_path("send", place, shell)
    return None


def _landed(place: Arg, sources: list[Arg], shell: Shell) -> None:
    saved(place, shell)
    for source in sources:  # into a folder, under its own name
        name = source.text.rpartition(":")[2].rpartition("/")[2]
        if name and NUL not in name and place.known and shell.folders is not None:
            for folder in shell.folders:
                path = settle(f"{place.text}/{name}", cwd=folder, home="/")
                shell.files[path] = Arg(NUL, place.span, origin=Origin("downloaded"))


def session(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """sftp, ftp, lftp, telnet, smbclient …: commands that are typed, or come from a file or a pipe."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    _settings(parsed, span, shell)
    host = next((arg for arg in parsed.operands), None)
    target: dict[str, str | bool | tuple[str, ...]] = {}
    if host is not None:
        target["host"] = _host(host.text.rpartition("\\\\")[2] if "\\" in host.text else host.text).replace(NUL, "…")
    local = host is not None and is_local(str(target["host"]))
    emit(
        shell,
        span,
        name=row.action or f"{row.name}:session",
        effects=row.effects,
        tags=("local",) if local else row.tags,
        target=target,
    )
    for option, value in parsed.values:
        if option.role == "batch" and value.text != "-":
            on_path("read", value, shell)
        elif option.role == "script":
            run_code("code.other", value, shell, span)
    if "help" not in parsed.switches:
        shell.unclear("what happens in the session is not read", span)
    return None


def netcat(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """nc, ncat: a connection, a port that listens, or a program tied to either."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in parsed.values:
        if option.role == "program":
            shell.unclear("a program is tied to a network connection", span)
            emit(
                shell,
                span,
                name="net:shell",
                effects=(Effect.SPAWN, Effect.EXECUTE, Effect.NETWORK),
                tags=("external", "sends"),
                risk=Risk.CRITICAL,
                target={"program": value.text.replace(NUL, "…")},
            )
        elif option.role == "write":
            on_path("write", value, shell)
        elif option.role == "detour" and value.unknown:
            shell.unclear("an unknown proxy", span)
    if parsed.doubtful:
        shell.unclear(f"an argument depends on {parsed.doubtful[0].why}", parsed.doubtful[0].span)
    host = parsed.operands[0].text.replace(NUL, "…") if parsed.operands else ""
    local = is_local(host)
    if "listen" in parsed.switches:
        tags = ("external",) if shell.stdin is None else ("external", "sends")
        emit(shell, span, name="net:listen", effects=(Effect.SPAWN, Effect.NETWORK), tags=tags)
        return None
    if not parsed.operands:
        return None
    sends = shell.stdin is not None and "scan" not in parsed.switches
    scans = ("external",) if "scan" in parsed.switches and any("-" in port.text for port in parsed.operands[1:]) else ()
    emit(
        shell,
        span,
        name="net:send" if sends else "net:scan" if "scan" in parsed.switches else "net:connect",
        effects=(Effect.NETWORK,),
        tags=(("local", "sends") if sends else ("local",)) if local else ("external", "sends") if sends else scans,
        target={"host": host},
    )
    return None


_ENDS = frozenset(("-", "stdio", "stdin", "stdout", "stderr", "pipe", "fifo", "pty", "readline", "null"))
_TALKS = frozenset(
    (
        "tcp", "tcp4", "tcp6", "tcp-connect", "tcp4-connect", "tcp6-connect", "udp", "udp4", "udp6", "udp-connect",
        "udp4-connect", "udp-sendto", "udp4-sendto", "udp-datagram", "udp4-datagram", "openssl", "ssl",
        "openssl-connect", "ssl-connect", "sctp", "sctp-connect", "socks4", "socks4a", "socks5", "proxy",
        "proxy-connect", "ip-sendto",
    )
)  # fmt: skip


def socat(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Two addresses, each with a kind: `TCP:host:80`, `EXEC:sh`, `FILE:a`."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in parsed.values:
        if option.role == "write":
            on_path("write", value, shell)
    for index, arg in enumerate(parsed.operands):
        for end in arg.text.split("!!"):
            _end(piece(arg, end), index, shell, span)
    if parsed.switches & {"-h", "-V"} or not parsed.operands:
        emit(shell, span, name="exec:socat", effects=(), tags=())
    return None


def _end(arg: Arg, index: int, shell: Shell, span: tuple[int, int]) -> None:
    kind, _, rest = arg.text.partition(":")
    kind = kind.partition(",")[0].lower()
    value = rest.partition(",")[0]
    if kind in _ENDS or kind.isdigit():
        return
    if kind in ("exec", "system", "shell"):
        shell.unclear("a program is tied to a connection", span)
        run_code("code.sh", piece(arg, value), shell, span)
    elif kind in ("file", "open", "gopen", "create", "creat") or arg.text.startswith(("/", "./")):
        path = value if not arg.text.startswith(("/", "./")) else arg.text.partition(",")[0]
        reads = index == 0 and kind not in ("create", "creat")
        on_path("read" if reads else "write", piece(arg, path), shell)
    elif kind.startswith(("unix", "abstract", "local")):
        on_path("edit", piece(arg, value), shell)
        if any(name in value for name in ("docker", "podman", "containerd")):
            shell.unclear("a connection to the daemon that runs containers", span)
    elif "listen" in kind or "recv" in kind or kind.endswith("-l") or kind in ("udp-l", "tcp-l", "vsock-l"):
        emit(shell, span, name="net:listen", effects=(Effect.SPAWN, Effect.NETWORK), tags=("external",))
    elif kind in _TALKS and NUL not in value:
        host = _host(value)
        tags = ("local",) if is_local(host) else ("external", "sends")
        emit(shell, arg.span, name="net:send", effects=(Effect.NETWORK,), tags=tags, target={"host": host})
    else:
        shell.unclear(f"an end of a connection that is not read: `{kind[:30]}`".replace(NUL, "…"), arg.span)


def websocat(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    ends = [*parsed.operands, *[value for option, value in parsed.values if option.role == "url"]]
    plain = not parsed.strange and len(ends) == 1 and not has_token(args) and all(arg.known for arg in args)
    plain = plain and (shell.stdin is None or shell.stdin.known)
    for arg in ends:
        if any(word in arg.text for word in ("exec:", "cmd:", "sh-c:")) or arg.unknown:
            shell.unclear("a program is tied to a connection", span)
        elif arg.text.startswith(("ws://", "wss://")) or arg not in parsed.operands:
            host = _host(arg.text.partition("://")[2] or arg.text)
            tags = ("local",) if is_local(host) else ("external", "sends")
            name = "net:local" if plain and is_own_server(arg.text) else "net:send"
            emit(shell, arg.span, name=name, effects=(Effect.NETWORK,), tags=tags, target={"host": host})
        elif arg.text != "-":
            emit(shell, arg.span, name="net:listen", effects=(Effect.SPAWN, Effect.NETWORK), tags=("external",))
    if parsed.switches & {"-s", "--exec", "--listen"}:
        emit(shell, span, name="net:listen", effects=(Effect.SPAWN, Effect.NETWORK), tags=("external",))
    return None


_SHOWS = frozenset(
    (
        "show", "sh", "s", "list", "lst", "ls", "l", "get", "dump", "help", "monitor", "stats", "identify", "save",
        "pids", "list-id", "showdump", "fdb", "vlan", "mdb",
    )
)  # fmt: skip


def ip(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """ip, tc, bridge: `ip OBJECT [VERB …]`; without a verb they show. `netns exec` and `vrf exec` run a command."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    words = parsed.operands
    if any(option.role == "batch" for option, _ in parsed.values):
        shell.unclear("settings of the network come from a file", span)
        for option, value in parsed.values:
            if option.role == "batch" and value.text != "-":
                on_path("read", value, shell)
    for word in words[:2]:
        if word.unknown:
            shell.unclear(f"an argument depends on {word.why}", word.span)
            return None
    texts = [word.text for word in words]
    if len(texts) > 3 and "exec".startswith(texts[1]) and ("netns".startswith(texts[0]) or texts[0] == "vrf"):
        inner = shell.copy()
        inner.privileged = True
        return run_command(words[3:], span, inner)
    shows = len(texts) < 2 or texts[1] in _SHOWS or texts[0].startswith("mon") or "show".startswith(texts[1])
    target: dict[str, str | bool | tuple[str, ...]] = {"object": texts[0]} if texts else {}
    if shows:
        emit(shell, span, name=f"{row.name}:show", effects=(Effect.READ,), target=target)
    else:
        target["change"] = " ".join(texts[1:]).replace(NUL, "…")
        emit(shell, span, name="net:configure", effects=(Effect.WRITE,), tags=("privileged",), target=target)
    return None


_LISTS = frozenset(
    (
        "ls", "lsd", "lsl", "lsf", "lsjson", "tree", "size", "about", "check", "cryptcheck", "md5sum", "sha1sum",
        "hashsum", "ncdu", "cat", "test",
    )
)  # fmt: skip
_COPIES = frozenset(("copy", "copyto", "sync", "move", "moveto", "bisync"))


def rclone(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`rclone VERB FROM TO`: a name with a colon is a remote; `sync` and `move` delete as well."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(option.role == "command" for option, _ in parsed.values):
        for option, value in parsed.values:
            if option.role == "command":
                run_code("code.sh", value, shell, span)
    if not parsed.operands:
        return None
    verb, places = parsed.operands[0].text, parsed.operands[1:]
    trial = not parsed.switches.isdisjoint(("-n", "--dry-run"))
    if verb in ("version", "help", "listremotes", "completion"):
        emit(shell, span, name=f"rclone:{verb}", effects=(Effect.READ,))
        return None
    if verb in _LISTS:
        emit(shell, span, name=f"rclone:{verb}", effects=(Effect.NETWORK, Effect.READ), target=_first(places))
        return None
    if verb in ("delete", "deletefile", "purge", "rmdir", "rmdirs", "cleanup", "dedupe"):
        emit(
            shell,
            span,
            name=f"rclone:{verb}",
            effects=(Effect.NETWORK,) if trial else (Effect.DESTRUCTIVE, Effect.NETWORK),
            tags=("dryrun",) if trial else ("external",),
            risk=Risk.LOW if trial else Risk.HIGH,
            irreversible=not trial,
            target=_first(places),
        )
        return None
    if verb not in _COPIES or len(places) != 2:
        tags = ("external",) if verb in ("mkdir", "touch", "link", "rcat", "copyurl", "settier") else ("unknown",)
        emit(
            shell, span, name=f"rclone:{verb}", effects=(Effect.NETWORK, Effect.WRITE), tags=tags, target=_first(places)
        )
        return None
    source, goal = places
    if any("ssh=" in place.text or "command=" in place.text for place in places):
        shell.unclear("a remote that is reached by a command of one's own", span)
    deletes = verb in ("sync", "bisync") and not trial
    if _away(source) or source.text.startswith(":"):
        emit(shell, source.span, name="net:fetch", effects=(Effect.NETWORK,), target={"remote": source.text})
    else:
        on_path("read" if trial else "send", source, shell)
        if verb.startswith("move") and not trial:
            on_path("delete", source, shell)
    if _away(goal) or goal.text.startswith(":"):
        effects = (Effect.DESTRUCTIVE, Effect.NETWORK) if deletes else (Effect.NETWORK,)
        emit(
            shell,
            span,
            name=f"rclone:{verb}",
            effects=effects,
            tags=("dryrun",) if trial else ("external", "sends"),
            irreversible=deletes,
            target={"remote": goal.text},
        )
    elif not trial:
        on_path("delete" if deletes else "write", goal, shell)
    return None


def _first(places: list[Arg]) -> dict[str, str | bool | tuple[str, ...]]:
    return {"remote": places[0].text.replace(NUL, "…")} if places else {}
