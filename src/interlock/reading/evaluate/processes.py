"""Processes that are looked up by name or port, to be ended: `kill $(pgrep x)`, `ps aux | grep x | awk … | xargs kill`.

Which numbers come out is the machine's business; that they belong to processes of that name, and that none of these
guards anything, can be told from the words.
"""

from __future__ import annotations

from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from .contents import may_bring
from .origins import Origin
from .words import NUL, Arg, Names

if TYPE_CHECKING:
    from ..machine.options import Parsed
    from ..machine.places import has_written
    from ..places.paths import in_project
    from .state import Shell
else:
    has_written = lazy(globals(), "..machine.places", "has_written")
    in_project = lazy(globals(), "..places.paths", "in_project")

__all__ = [
    "LISTS",
    "OF_A_NAME",
    "OWN_PROCESS",
    "OwnNumber",
    "chosen",
    "column",
    "finds_own",
    "finds_watcher",
    "inverts",
    "is_own_number",
    "is_person",
    "is_service",
    "is_shared",
    "kept_number",
    "listed",
    "looked_up",
    "narrows",
    "noted_number",
    "watches_over",
]

# Why a text is not known: it is a list of processes, of all or of those with a name that was asked for.
_ALL, _CHOSEN = Origin("processes"), Origin("named-processes")
LISTS = frozenset((_ALL, _CHOSEN))
_NUMBERS = Origin("process-numbers")
OF_A_NAME = frozenset((_CHOSEN, _NUMBERS))
OWN_PROCESS = Origin("own-process")


def listed(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    return Arg(NUL, args[0].span, origin=_ALL)


def chosen(pattern: Arg | None, switches: set[str], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ps aux | grep name | grep -v grep`: the lines of some processes, none of which guards anything."""
    flowing = shell.stdin
    if flowing is None or flowing.origin not in LISTS or pattern is None or not pattern.known:
        return None
    if not switches.isdisjoint(("-z", "-c")):
        return None  # all of it as one line, or a number of lines
    if "-v" in switches or flowing.origin == _CHOSEN:
        return flowing
    some = narrows(pattern) and not _guards(pattern.text) and pattern.text.strip("^ ") != "root"
    return Arg(NUL, span, origin=_CHOSEN) if some and not is_person(pattern, shell) else None


def column(program: str, span: tuple[int, int], shell: Shell) -> Arg | None:
    """`awk '{print $2}'` of such lines: the numbers of the processes. `awk '/name/ {print $2}'` chooses by itself."""
    flowing = shell.stdin
    which, brace, action = "".join(program.split()).partition("{")
    if flowing is None or brace + action.replace(";}", "}") not in ("{print$1}", "{print$2}"):
        return None
    if which[:1] == which[-1:] == "/" and "/" not in which[1:-1]:
        flowing = chosen(Arg(which[1:-1], span), set(), span, shell)
    elif which not in ("", "NR>1", "NR!=1", "NR==2"):
        return None
    return Names("*", span, True, _NUMBERS) if flowing is not None and flowing.origin == _CHOSEN else None


class OwnNumber(Arg):
    """In a file lies the number of a process of this shell, and nothing else: `server & echo $! > server.pid`.

    Whatever is done to the file afterwards leaves another value in its place.
    """

    __slots__ = ()

    def __init__(self, span: tuple[int, int]) -> None:
        super().__init__(NUL, span, origin=OWN_PROCESS)


def is_own_number(output: Arg) -> bool:
    """Whether all that is printed is the number of a process of this shell."""
    return output.origin == OWN_PROCESS and output.glob and output.text.strip("\n") == "*"


def noted_number(path: str, span: tuple[int, int], shell: Shell) -> Arg | None:
    """The number in such a file. It may be an older one where the file could not be written."""
    own = isinstance(shell.files.get(path), OwnNumber) and path not in shell.found.facts.fixed
    own = own and not any(map(may_bring, shell.found.actions))
    return Names("*", span, True, OWN_PROCESS) if own else None


def kept_number(path: str, span: tuple[int, int], shell: Shell) -> Arg | None:
    """`kill $(cat tmp/server.pid)`: a server of the project wrote its own number there, or an earlier call of the
    session did. What the session has written may be any number, so it is looked up and stands for itself.
    """
    found = shell.found
    if not has_written(path, shell):
        return Names("*", span, True, _NUMBERS) if in_project(found.facts.root, path) else None
    if path not in found.facts.written or shell.files or found.changed or any(map(may_bring, found.actions)):
        return None
    text = found.facts.scripts.get(path)
    if text is None and path not in found.facts.unread:
        found.want(Script(path))
    number = (text or "").strip()
    return Arg(number, span) if number.isascii() and number.isdecimal() and len(number) <= _DIGITS else None


_DIGITS = 10  # of the largest number that a process can have


def _guards(name: str) -> bool:
    """True if such processes guard something, or serve the whole machine."""
    return finds_own(name) or watches_over(name) or finds_watcher(name) or is_service(name) or is_shared(name)


def finds_own(pattern: str) -> bool:
    """True if the guard is among the processes that the pattern finds: `interlock`, `interlo`, `inter.ock`."""
    plain = pattern.lower().strip("^$ ")
    if _PLAIN.issuperset(plain):
        return _OWN in plain or (len(plain) > 2 and plain != "erl" and plain in _OWN)
    return _OWN in plain or any(all(run in _OWN for run in _sure_runs(part)) for part in plain.split("|"))


def _sure_runs(pattern: str) -> list[str]:
    """The letters of a pattern that stand side by side in whatever it matches."""
    runs, run, at = [], "", 0
    while at < len(pattern):
        char, size = pattern[at], 1
        if char == "[":
            size = max(pattern.find("]", at + 2) + 1 - at, 1)
        elif char == "\\":
            char, size = pattern[at + 1 : at + 2], 2
            char = "." if char.isalnum() else char or "."
        at += size
        if (size == 1 and char in ".()^$*+?{}[") or (size > 1 and char in "[."):
            runs.append(run[:-1] if char in "*?{" else run)
            run = ""
        else:
            run += char
    return [run for run in (*runs, run) if run]


_OWN = "interlock"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789 -_/:,@=\"'")


def is_person(name: Arg, shell: Shell) -> bool:
    """True if it is the name of whoever runs this: it stands in nearly every line, and in many paths."""
    return name.text.strip("^/ ") == shell.found.facts.home.rpartition("/")[2]


def looked_up(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """Numbers of processes that were looked up by name or port; which of a guard's is not for others to know."""
    if any(arg.unknown or is_service(arg.text) or is_shared(arg.text) for arg in args[1:]):
        return None
    if args[0].text != "lsof":
        named = any(map(narrows, parsed.operands)) and not any(map(inverts, args[1:]))
        named = named and not any(finds_own(word.text) or is_person(word, shell) for word in parsed.operands)
        return Names("*", args[0].span, True, _NUMBERS) if named else None
    if not _is_narrow(args):
        return None  # those of a user, or all that there are
    return (
        Names("*", args[0].span, True, _NUMBERS) if "-t" in parsed.switches else Arg(NUL, args[0].span, origin=_CHOSEN)
    )


_OF_EVERYBODY = frozenset(("22", "53"))


def _is_narrow(args: list[Arg]) -> bool:
    """`lsof -i :8080 -c node`: who uses these ports, or has this name, and nobody else."""
    words = args[1:]
    chosen = False
    while words:
        word = words.pop(0)
        letters = word.text[1:].lstrip("tnPlwabV") if word.text[:1] == "-" else "?"
        if letters[:1] in ("i", "c"):
            value = letters[1:] or (words.pop(0).text if words else "")
            ports = value.rpartition(":")[2].split(",") if ":" in value else []
            of_a_port = bool(ports) and all(port.isdecimal() and port not in _OF_EVERYBODY for port in ports)
            if not (of_a_port if letters[0] == "i" else narrows(Arg(value, word.span))):
                return False
            chosen = True
        elif letters == "s" and words and words[0].text.startswith("TCP:"):
            words.pop(0)
        elif letters and not letters.startswith("sTCP:"):
            return False  # a file, and whoever has it open; those of a user
    return chosen


def inverts(word: Arg) -> bool:
    """`-v`, `-fv`, `--inverse`: all but those that are named."""
    return word.text.startswith("--inv") or (word.text[:1] == "-" and word.text[1:2] != "-" and "v" in word.text)


def narrows(name: Arg) -> bool:
    """True if the pattern means some processes, and not nearly all: three letters of each alternative are sure."""
    return all(_spelt_out(part) >= 3 and not _is_anywhere(part) for part in name.text.split("|"))


def _is_anywhere(pattern: str) -> bool:
    """`/usr/bin`: names of folders from which most of what runs was started."""
    words = "".join([char if char.isalnum() else " " for char in pattern]).split()
    return all(word in _FOLDERS for word in words)


_FOLDERS = frozenset("bin sbin usr lib lib64 libexec local home opt root system users applications library".split())


def _spelt_out(pattern: str) -> int:
    """How many letters and digits a match must have: none, where something may be left out or stand for anything."""
    if any(char in pattern for char in "(){}?") or "[^" in pattern:
        return 0
    count, at = 0, 0
    while at < len(pattern):
        char, size = pattern[at], 1
        if char == "[":
            size = max(pattern.find("]", at + 2) + 1 - at, 1)
            char = pattern[at + 1 : at + 2] if size == 3 else ""  # `[n]ginx` is nginx
        elif char == "\\":
            char, size = "", 2
        at += size
        if char.isalnum() and pattern[at : at + 1] != "*":
            count += 1
    return count


# Programs that watch over a machine or an agent, by the words of their names.
_WATCHERS = frozenset(
    (
        "auditd", "auditbeat", "falco", "falcon", "sysdig", "osqueryd", "wazuh", "ossec", "clamd", "clamav",
        "freshclam", "crowdstrike", "sentinelone", "sentinel",
        "sentinelctl", "cbdaemon", "carbonblack", "mdatp", "wdavdaemon",
        "tripwire", "aide", "samhain", "rkhunter", "fail2ban", "snort", "suricata", "zeek", "rsyslogd", "syslogd",
        "journald", "apparmor", "tetragon", "cilium", "filebeat", "guardrail", "guardrails", "guard", "oversight",
        "watchdog", "agentshield", "hook", "hooks", "edr", "antivirus", "firewalld", "opensnitchd", "littlesnitch",
        "sshd", "systemd", "dockerd", "containerd", "networkmanager", "crond", "launchd", "loginwindow", "securityd",
    )
)  # fmt: skip
# Services of a machine, by the names of their processes: ending one is stopping the service.
_SERVICES = frozenset(
    (
        "nginx", "apache2", "httpd", "lighttpd", "caddy", "haproxy", "traefik", "mysqld", "mariadbd", "postgres",
        "postmaster", "mongod", "memcached", "elasticsearch", "rabbitmq", "slapd", "named", "dnsmasq", "unbound",
        "cupsd", "xorg", "xwayland", "gdm", "lightdm", "sddm", "plasmashell", "windowserver", "finder", "pulseaudio",
        "pipewire", "bluetoothd", "udevd", "polkitd", "chronyd", "ntpd", "exim4", "postfix", "dovecot", "smbd", "nmbd",
        "nfsd", "rpcbind", "libvirtd", "qemu", "kubelet", "etcd", "snapd", "avahi", "vsftpd", "proftpd", "squid",
        "redis-server", "rabbitmq-server", "gnome-shell", "kwin_x11", "kwin_wayland", "dbus-daemon", "avahi-daemon",
        "wpa_supplicant", "cron", "atd", "sssd", "nscd", "nslcd", "winbindd", "krb5kdc", "kadmind", "inetd", "xinetd",
    )
)  # fmt: skip


def is_service(name: str) -> bool:
    """True if processes of this name are a service of the machine: `nginx`, `[n]ginx`, `/usr/sbin/mysqld`."""
    first = (name.lower().split() or [""])[0]
    plain = first.rpartition("/")[2].strip("^$'\"").replace("[", "").replace("]", "")
    return plain in _SERVICES or plain.partition(":")[0] in _SERVICES


# What runs the programs of everybody, other agents among them, by the names of their processes.
_RUNTIMES = frozenset(
    "python node nodejs java ruby perl php bash sh zsh fish dash deno bun dotnet beam.smp mono lua tmux screen ssh "
    "electron code cursor".split()
)
_AGENTS = frozenset(
    "aider amp auggie claude claude-code cline codex copilot crush cursor-agent droid gemini gemini-cli goose grok "
    "kimi kiro kiro-cli opencode openhands plandex qwen qwen-code".split()
)


def is_shared(pattern: str) -> bool:
    """True if only a runtime or an agent is named: `python3`, `/usr/bin/node`, `claude`; not `node server.js`."""
    return any(_names_shared(part) for part in _unbracketed(pattern.lower()).split("|"))


def _names_shared(part: str) -> bool:
    words = part.replace("\\", "").strip("^$ ()'\".*").split()
    if not words or any(word[:1] != "-" for word in words[1:]):
        return False
    name = words[0].rpartition("/")[2]
    return name in _AGENTS or name.rstrip("0123456789.") in _RUNTIMES


def watches_over(name: str) -> bool:
    """True if a process of this name guards something: `oversight-hook`, `/usr/sbin/auditd`."""
    words = "".join(char if char.isalnum() else " " for char in _unbracketed(name.lower())).split()
    return not _WATCHERS.isdisjoint(words)


def finds_watcher(name: str) -> bool:
    """True if a guard's name is among those that the text finds: `pkill syslog` stops syslogd."""
    plain = _unbracketed(name.lower())
    return len(plain) >= 3 and any(plain in watcher for watcher in _WATCHERS)


def _unbracketed(pattern: str) -> str:
    """`[a]uditd` is auditd."""
    for at in range(len(pattern) - 2, 0, -1):
        if pattern[at - 1] == "[" and pattern[at + 1] == "]":
            pattern = pattern[: at - 1] + pattern[at] + pattern[at + 2 :]
    return pattern
