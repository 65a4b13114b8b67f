"""The system calls that Python 3.11 has no names for: namespaces, mounts, capabilities, seccomp.

Each is a plain function that raises OSError with the name of the step, so that the person is told which one this
machine refuses. Linux only: `libc` is loaded when the first one is called.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

__all__ = [
    "CLONE_ALL",
    "MS_BIND",
    "MS_NODEV",
    "MS_NOEXEC",
    "MS_NOSUID",
    "MS_PRIVATE",
    "MS_RDONLY",
    "MS_REC",
    "MS_REMOUNT",
    "PR_SET_DUMPABLE",
    "PR_SET_NO_NEW_PRIVS",
    "PR_SET_PDEATHSIG",
    "drop_capabilities",
    "mount",
    "pivot_root",
    "prctl",
    "syncfs",
    "syscall",
    "umount",
    "unshare",
]

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
# user, mount, pid, network, ipc, host name, cgroup
CLONE_ALL = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_CAPBSET_DROP, _PR_SET_SECUREBITS, _PR_CAP_AMBIENT = 24, 28, 47
_NO_WAY_BACK = 0xEF  # user id 0 gives none, changing it gives none, none is kept, none is ambient: all of it locked
_LAST_CAPABILITY = 63
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, step: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{step}: {os.strerror(number)}")
    return result


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def unshare(flags: int) -> None:
    _checked(_libc().unshare(flags), "new namespaces")


def mount(source: str | None, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    made = _libc().mount(_bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(options))
    _checked(made, f"mount {kind or 'flags'} on {target}")


def umount(target: str) -> None:
    _checked(_libc().umount2(_bytes(target), _MNT_DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    number = _PIVOT_ROOT[os.uname().machine]
    _checked(_libc().syscall(ctypes.c_long(number), _bytes(new), _bytes(old)), "pivot_root")


def prctl(option: int, *values: int) -> None:
    padded = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    _checked(_libc().prctl(option, *padded), f"prctl {option}")


def syncfs(descriptor: int) -> None:
    _checked(_libc().syncfs(descriptor), "write to the disk")


def syscall(number: int, *values: object) -> int:
    return _checked(_libc().syscall(ctypes.c_long(number), *values), f"system call {number}")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_capabilities() -> None:
    """All of them, for good: a user id of 0 gives none back, and neither does a file that is run."""
    prctl(_PR_SET_SECUREBITS, _NO_WAY_BACK)
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(_PR_CAPBSET_DROP, capability)
        except OSError:  # this kernel has no more of them
            break
    prctl(_PR_CAP_AMBIENT, 4)  # clear all
    header, none = _Header(0x20080522, 0), (_Sets * 2)()
    _checked(_libc().capset(ctypes.byref(header), ctypes.byref(none)), "drop capabilities")
