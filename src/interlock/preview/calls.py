"""Which system calls a previewed command may not make, and which ones are looked at on their way.

The namespaces keep the command in; this closes what they leave open (sockets of the machine's hypervisor, keyrings,
new user namespaces, io_uring) and tells the person what was tried. Calls of the first kind never run: the listener
answers them. Calls of the second kind run as they would, so nothing is decided by what the listener read of them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from .kernel import syscall

__all__ = ["FORBIDDEN", "WATCHED", "architecture", "install", "name_of"]

# name -> number on x86_64, on aarch64; -1: there is none
FORBIDDEN = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "open_by_handle_at": (304, 265),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "acct": (163, 89), "quotactl": (179, 60),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "syslog": (103, 116), "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "iopl": (172, -1), "ioperm": (173, -1),
}  # fmt: skip
WATCHED = {"connect": (42, 203), "execve": (59, 221), "execveat": (322, 281)}
_OTHER = {"clone": (56, 220), "clone3": (435, 435), "unshare": (272, 97), "ioctl": (16, 29), "socket": (41, 198)}
_SENDTO = {"sendto": (44, 206)}
# machine -> column of the table, its number for the filter, whether it has a second set of numbers (x32)
_MACHINES = {"x86_64": (0, 0xC000003E, True), "aarch64": (1, 0xC00000B7, False)}

_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # put characters into a terminal as if somebody had typed them
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink: each of them ends at the network namespace

_ALLOW, _NOTIFY, _ERROR = 0x7FFF0000, 0x7FC00000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_SECCOMP = (317, 277)
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def architecture() -> tuple[int, int, bool]:
    """KeyError where the numbers of this machine's calls are not known."""
    return _MACHINES[os.uname().machine]


def name_of(number: int) -> str:
    column = architecture()[0]
    tables = {**FORBIDDEN, **WATCHED, **_OTHER, **_SENDTO}
    return next((name for name, numbers in tables.items() if numbers[column] == number), str(number))


def _program() -> bytes:
    column, machine, has_second_set = architecture()
    steps: list[tuple[int, int, int, int]] = []

    def returned(value: int) -> None:
        steps.append((_RETURN, 0, 0, value))

    def argument(index: int, half: int = 0) -> None:
        steps.append((_LOAD, 0, 0, _ARGUMENTS + 8 * index + 4 * half))

    def unless(test: int, value: int, skipped: int) -> None:
        """The next `skipped` steps are taken only where the test holds."""
        steps.append((test, 0, skipped, value))

    steps.append((_LOAD, 0, 0, _ARCHITECTURE))
    steps.append((_EQUAL, 1, 0, machine))
    returned(_ERROR | errno.ENOSYS)  # calls of another machine, such as 32 bit ones, have other numbers
    steps.append((_LOAD, 0, 0, _NUMBER))
    if has_second_set:
        unless(_AT_LEAST, 0x40000000, 1)
        returned(_ERROR | errno.ENOSYS)
    for numbers in (*FORBIDDEN.values(), *WATCHED.values()):
        if numbers[column] >= 0:
            unless(_EQUAL, numbers[column], 1)
            returned(_NOTIFY)
    unless(_EQUAL, _OTHER["clone3"][column], 1)  # its flags lie in memory: programs fall back to clone
    returned(_ERROR | errno.ENOSYS)
    for name, answer in (("clone", _ERROR | errno.EPERM), ("unshare", _NOTIFY)):
        unless(_EQUAL, _OTHER[name][column], 4)
        argument(0)
        unless(_ANY_BIT, _NEW_NAMESPACES, 1)
        returned(answer)
        returned(_ALLOW)
    unless(_EQUAL, _OTHER["ioctl"][column], 6)
    argument(1)
    for request in (_TIOCSTI, _TIOCLINUX):
        unless(_EQUAL, request, 1)
        returned(_ERROR | errno.EPERM)
    returned(_ALLOW)
    unless(_EQUAL, _OTHER["socket"][column], 2 * len(_FAMILIES) + 2)
    argument(0)
    for family in _FAMILIES:
        unless(_EQUAL, family, 1)
        returned(_ALLOW)
    returned(_ERROR | errno.EAFNOSUPPORT)
    unless(_EQUAL, _SENDTO["sendto"][column], 4)
    argument(4)
    steps.append((_EQUAL, 0, 1, 0))
    returned(_ALLOW)
    returned(_NOTIFY)
    returned(_ALLOW)
    return b"".join(struct.pack("=HBBI", code, yes, no, value) for code, yes, no, value in steps)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def install() -> int:
    """From here on this process and all that it starts are held to it. The listener's descriptor is for the caller."""
    raw = _program()
    program = _Program(len(raw) // 8, raw)
    new_listener = 1 << 3
    return syscall(_SECCOMP[architecture()[0]], ctypes.c_uint(1), ctypes.c_uint(new_listener), ctypes.byref(program))
