"""The program that builds the view and runs the command in it. `run.py` starts it; it is the first process inside.

It reads one JSON object (view.py makes it) and prints one. In order: namespaces of its own, a root made of read-only
overlays, the project as an overlay whose upper layer lies in a bounded tmpfs that the command cannot reach, then a
child without capabilities under the filter of calls.py. When that child ends, or its time, everything else in there is
killed before the upper layer is read. Overlays, and not binds, because a socket or a pipe seen through one is not
the machine's.

INVARIANT: everything is imported before the root is changed: afterwards Python's own files may not be there.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import select
import signal
import socket
import stat
import struct
import sys
import time
from typing import Any, NoReturn

from . import kernel
from .calls import install
from .left import TooMuchError, entries_of, names_in
from .seen import Listener, Names

__all__ = ["main"]

_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
_TICK = 0.05
_PATH = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_LEFT_OUTSIDE = 50


def main() -> None:
    told = json.loads(sys.stdin.buffer.read())
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    try:
        kernel.unshare(kernel.CLONE_ALL)
        _map_own_ids()
    except OSError as error:
        _answer({"cannot": str(error.strerror)})
    first = os.fork()
    if first == 0:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            _answer(_inside(told))
        except (OSError, KeyError, RecursionError) as error:
            _answer({"cannot": str(getattr(error, "strerror", None) or f"{type(error).__name__} {error}")})
    _, status = os.waitpid(first, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0x7F)


def _answer(told: dict[str, Any]) -> NoReturn:
    raw = memoryview(json.dumps(told).encode())
    while raw:
        raw = raw[os.write(1, raw) :]
    os._exit(0)


_IDS = {"uid_map": os.getuid(), "gid_map": os.getgid()}  # asked before the namespace is made, where they have no names


def _map_own_ids() -> None:
    """The user stays who they are, and nobody else is there."""
    for name, text in (("setgroups", "deny"), *((name, f"{id} {id} 1") for name, id in _IDS.items())):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _inside(told: dict[str, Any]) -> dict[str, Any]:
    stage = os.open(told["stage"], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    blobs = os.open("bytes", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=stage)
    with open("/proc/self/oom_score_adj", "w") as file:  # where memory is short, the preview goes first
        file.write("1000")
    names = Names()
    upper = _build(told)
    _loopback()
    names.listen()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    result = _run(told, names)
    limits = told["limits"]
    try:
        result["entries"] = entries_of(upper, blobs, bytes=limits["bytes"], files=limits["files"])
    except TooMuchError as error:
        result["too_much"] = str(error)
        result["entries"] = []
    apart = (told["root"], *told["shows"])
    places = [name for place in ("/tmp", told["home"]) for name in names_in(place, _LEFT_OUTSIDE, apart)]  # noqa: S108
    own = f"{told['home']}/.gitconfig" if told["git"] else ""
    result["outside"] = [name for name in dict.fromkeys(places) if name != own][:_LEFT_OUTSIDE]
    return result


# --- the view -------------------------------------------------------------------------------------------------------


def _build(told: dict[str, Any]) -> int:
    """The new root, entered. The descriptor of the upper layer, which has no name in there."""
    scratch, root = f"{told['stage']}/scratch", f"{told['stage']}/root"
    limits = told["limits"]
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    size = f"size={limits['bytes']},nr_inodes={limits['files'] + 1000}"
    kernel.mount("tmpfs", scratch, "tmpfs", _QUIET, f"{size},mode=700")
    kernel.mount("tmpfs", root, "tmpfs", _QUIET, "size=8m,mode=755")
    for name, mode in (("upper", 0o755), ("work", 0o700), ("tmp", 0o1777), ("home", 0o700), ("shm", 0o1777)):
        os.mkdir(f"{scratch}/{name}")
        os.chmod(f"{scratch}/{name}", mode)
    os.mkdir(f"{scratch}/empty", 0o755)
    os.mkdir(f"{scratch}/hidden", 0)
    os.close(os.open(f"{scratch}/hidden file", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0))
    upper = os.open(f"{scratch}/upper", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for path in told["system"]:
        _show(path, root, f"{scratch}/empty")
    for place, inner in (("/tmp", "tmp"), ("/var/tmp", "tmp"), ("/dev/shm", "shm"), (told["home"], "home")):  # noqa: S108
        _bind(f"{scratch}/{inner}", root + place)
    _devices(root)
    for path in told["shows"]:
        _show(path, root, f"{scratch}/empty")
    _project(told["root"], root, scratch, upper)
    if told["git"]:
        _write(f"{root}{told['home']}/.gitconfig", told["git"])
    for place in ("/run", "/sys", "/mnt"):
        _make(root + place)
    _write(f"{scratch}/resolv.conf", "nameserver 127.0.0.1\n")
    _name_server(f"{scratch}/resolv.conf", root)
    for path in told["masks"]:
        _mask(root + path, scratch)
    _make(f"{root}/proc")
    read_only = kernel.MS_RDONLY | kernel.MS_NOEXEC | _QUIET
    kernel.mount("proc", f"{root}/proc", "proc", read_only)
    kernel.mount(None, root, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _QUIET)
    os.chdir(root)
    kernel.pivot_root(".", ".")
    kernel.umount(".")
    os.chdir("/")
    return upper


def _show(path: str, root: str, empty: str) -> None:
    """One folder of the machine, to be read. A link stays a link."""
    if os.path.islink(path):
        os.symlink(os.readlink(path), root + path)
        return
    _make(root + path)
    lower, nothing = os.open(path, _PATH | os.O_NOFOLLOW), os.open(empty, _PATH)
    options = f"lowerdir=/proc/self/fd/{lower}:/proc/self/fd/{nothing},userxattr"
    kernel.mount("overlay", root + path, "overlay", kernel.MS_RDONLY | _QUIET, options)
    os.close(lower)
    os.close(nothing)


def _project(path: str, root: str, scratch: str, upper: int) -> None:
    _make(root + path)
    lower, work = os.open(path, _PATH | os.O_NOFOLLOW), os.open(f"{scratch}/work", _PATH)
    mode = stat.S_IMODE(os.stat(lower).st_mode)
    os.fchmod(upper, mode)
    layers = f"lowerdir=/proc/self/fd/{lower},upperdir=/proc/self/fd/{upper},workdir=/proc/self/fd/{work}"
    kernel.mount("overlay", root + path, "overlay", _QUIET, f"{layers},userxattr")
    os.close(lower)
    os.close(work)


def _bind(source: str, target: str) -> None:
    _make(target)
    kernel.mount(source, target, None, kernel.MS_BIND)


def _make(path: str) -> None:
    os.makedirs(path, exist_ok=True)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _devices(root: str) -> None:
    """INVARIANT: the machine's own nodes, read-only: writing to a device needs no more, and whoever owns them (root)
    could change their modes and times for everybody.
    """
    _make(f"{root}/dev")
    fixed = kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NOEXEC
    for name in _DEVICES:
        _write(f"{root}/dev/{name}", "")
        kernel.mount(f"/dev/{name}", f"{root}/dev/{name}", None, kernel.MS_BIND)
        kernel.mount(None, f"{root}/dev/{name}", None, fixed)
    for name, target in _LINKS.items():
        os.symlink(target, f"{root}/dev/{name}")


def _name_server(file: str, root: str) -> None:
    """Where the machine's file of name servers is, or where its link leads, stands ours."""
    target = os.path.realpath("/etc/resolv.conf")
    if target.startswith("/run/"):
        _make(os.path.dirname(root + target))
        _write(root + target, "")
    if os.path.isfile(root + target):
        kernel.mount(file, root + target, None, kernel.MS_BIND)


def _mask(path: str, scratch: str) -> None:
    if not os.path.lexists(path) or os.path.islink(path):
        return
    kernel.mount(f"{scratch}/hidden" if os.path.isdir(path) else f"{scratch}/hidden file", path, None, kernel.MS_BIND)
    kernel.mount(None, path, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _QUIET)


def _loopback() -> None:
    """The view's own: what the command serves there only it can reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        fcntl.ioctl(made, 0x8914, struct.pack("=16sH14x", b"lo", 0x1 | 0x40))


# --- the command ----------------------------------------------------------------------------------------------------


def _run(told: dict[str, Any], names: Names) -> dict[str, Any]:
    limits = told["limits"]
    reads, writes = os.pipe2(os.O_CLOEXEC)
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            _become_the_command(told, writes, theirs)
        except BaseException as error:
            os.write(writes, f"interlock preview: the command could not be started: {error}\n".encode())
        os._exit(126)
    os.close(writes)
    theirs.close()
    received = socket.recv_fds(ours, 1, 1)[1]
    ours.close()
    os.set_blocking(reads, False)
    output, dropped = bytearray(), 0
    listener = Listener(received[0], names) if received else None
    began, status, stopped = time.monotonic(), None, ""
    waits = select.poll()
    for descriptor in (reads, *((received[0],) if received else ()), *((names.socket,) if names.socket else ())):
        waits.register(descriptor, select.POLLIN)
    while status is None and not stopped:
        for descriptor, event in waits.poll(_TICK * 1000):
            if listener is not None and descriptor == listener.descriptor:
                if not event & select.POLLIN or not listener.answer():
                    waits.unregister(descriptor)
            elif descriptor == reads:
                got = _piece(reads)
                if got == b"":
                    waits.unregister(reads)
                kept = (got or b"")[: limits["output"] - len(output)]
                output += kept
                dropped += len(got or b"") - len(kept)
            else:
                names.answer()
        done, found = os.waitpid(child, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(found)
        elif time.monotonic() - began > limits["seconds"]:
            stopped = "time"
        elif sum(name.isdigit() for name in os.listdir("/proc")) > limits["processes"] + 1:
            stopped = "processes"
    seconds = time.monotonic() - began
    running = _end_all()
    while got := _piece(reads):
        kept = got[: limits["output"] - len(output)]
        output += kept
        dropped += len(got) - len(kept)
    told_of = {} if listener is None else listener.told()
    text = output.decode("utf-8", "replace")
    ends = {"exit": status, "stopped": stopped, "seconds": round(seconds, 3), "left_running": running}
    return {**ends, "output": text, "dropped": dropped, **told_of}


def _piece(descriptor: int) -> bytes | None:
    """What can be read now; None where that is nothing yet, empty at the end."""
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return None


def _end_all() -> int:
    """Kills whatever runs in there. How many were left when the command itself had ended."""
    running = 0
    for round in range(1000):
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            break
        while True:
            try:
                pid, _ = os.waitpid(-1, 0 if round > 100 else os.WNOHANG)
            except ChildProcessError:
                return running
            if pid == 0:
                time.sleep(0.002)
                break
            running += 1
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return running


def _become_the_command(told: dict[str, Any], writes: int, theirs: socket.socket) -> None:
    limits = told["limits"]
    os.setsid()
    nothing = os.open("/dev/null", os.O_RDONLY)
    for target, source in ((0, nothing), (1, writes), (2, writes)):
        os.dup2(source, target)
    os.chdir(told["cwd"])
    os.umask(told["umask"])
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    soft = {
        resource.RLIMIT_FSIZE: limits["bytes"],
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_CPU: limits["seconds"] + 1,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in soft.items():
        hard = resource.getrlimit(name)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (bound, bound))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities()
    listener = install()
    socket.send_fds(theirs, [b"."], [listener])
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    os.execve(shell, [os.path.basename(shell), "-c", told["command"]], told["environment"])  # noqa: S606
